//! Goes the ways that somebody else names, step by step, as far as the pages allow.

use super::{Here, Next, Strategy};
use crate::explore::knowledge::Knowledge;
use async_trait::async_trait;
use domain::service::{GraphService, ServiceError};
use domain::state::{Opportunity, Route};
use rand::rngs::StdRng;

/// Names the ways that a browser goes.
#[async_trait]
pub trait Guide: Send {
    /// The next way from the start of the site; what came of the last one is in the map. None when there is no more.
    ///
    /// # Errors
    /// Of the map.
    async fn next(&mut self) -> Result<Option<Route>, ServiceError>;
}

pub(crate) struct Guided(pub(crate) Box<dyn Guide>);

#[async_trait]
impl Strategy for Guided {
    async fn next(
        &mut self,
        _: &Here<'_>,
        _: &Knowledge,
        _: &dyn GraphService,
        _: &mut StdRng,
    ) -> Result<Next, ServiceError> {
        let Some(mut route) = self.0.next().await? else { return Ok(Next::Nothing) };
        let Some(last) = route.hops.pop() else { return Ok(Next::Start) };
        let opportunity = Box::new(Opportunity { state: last.from, key: last.key, action: last.action });
        Ok(Next::There { route, opportunity, ticket: None })
    }

    fn keeps_to_the_way(&self) -> bool {
        false
    }
}
