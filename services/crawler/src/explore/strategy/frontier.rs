//! Ours: the map says which untried action promises most, and leases it, so that many browsers share one site.

use super::{Entry, Here, Next, Strategy};
use crate::explore::knowledge::Knowledge;
use async_trait::async_trait;
use domain::service::{GraphService, ServiceError};
use domain::state::FrontierRequest;
use rand::rngs::StdRng;

pub(super) const ENTRIES: &[Entry] = &[Entry::new(
    "frontier",
    "The map says which untried action promises most, and leases it: browsers share a site",
    || Box::new(Frontier),
)];

struct Frontier;

#[async_trait]
impl Strategy for Frontier {
    async fn next(
        &mut self,
        here: &Here<'_>,
        _: &Knowledge,
        map: &dyn GraphService,
        _: &mut StdRng,
    ) -> Result<Next, ServiceError> {
        let (version, crawler) = (here.version.clone(), here.crawler.to_owned());
        let request = FrontierRequest { version, crawler, at: Some(here.state), count: 1 };
        let granted = map.claim_frontier(request).await?.into_iter().next();
        Ok(granted.map_or(Next::Nothing, |grant| Next::There {
            route: grant.path,
            opportunity: Box::new(grant.opportunity),
            ticket: Some(grant.ticket),
        }))
    }

    fn shares(&self) -> bool {
        true
    }

    fn sends_each_field(&self) -> bool {
        true
    }
}
