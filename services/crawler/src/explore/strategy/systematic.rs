//! Every untried action of every state, the deepest state first or the first one first. An action is known per state, not
//! once for the whole site; the way back is the shortest known one, and what lies behind a broken way is dropped.

use super::{Entry, Here, Next, Strategy};
use crate::explore::knowledge::Knowledge;
use async_trait::async_trait;
use domain::service::{GraphService, ServiceError};
use rand::rngs::StdRng;

pub(super) const ENTRIES: &[Entry] = &[
    Entry::new("systematic", "Every untried action of every state, the deepest state first", || {
        Box::new(Systematic { is_depth_first: true })
    }),
    Entry::new("breadth-first", "Every untried action of every state, the first state first", || {
        Box::new(Systematic { is_depth_first: false })
    }),
];

struct Systematic {
    is_depth_first: bool,
}

#[async_trait]
impl Strategy for Systematic {
    async fn next(
        &mut self,
        here: &Here<'_>,
        knowledge: &Knowledge,
        map: &dyn GraphService,
        _: &mut StdRng,
    ) -> Result<Next, ServiceError> {
        let untried = knowledge.untried();
        let mut states: Vec<_> = untried.keys().copied().collect();
        if self.is_depth_first {
            states.reverse();
            if let Some(offer) = here.offers.iter().find(|offer| !knowledge.is_tried(here.state, offer.key)) {
                return Ok(Next::Here(offer.key));
            }
        }
        for state in states {
            let Some(opportunity) = untried.get(&state).and_then(|untried| untried.first()) else { continue };
            if state == here.state && here.offers.iter().any(|offer| offer.key == opportunity.key) {
                return Ok(Next::Here(opportunity.key));
            }
            let site = &here.version.site;
            let from_here = map.shortest_path(site, Some(here.state), state).await?;
            let route = match from_here.filter(|_| state != here.state) {
                Some(route) => Some(route),
                None => map.shortest_path(site, None, state).await?,
            };
            if let Some(route) = route {
                return Ok(Next::There { route, opportunity: Box::new((*opportunity).clone()), ticket: None });
            }
        }
        Ok(Next::Nothing)
    }
}
