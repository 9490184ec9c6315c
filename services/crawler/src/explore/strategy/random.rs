//! The floor: any feasible action of the page, each as likely as the next.

use super::{Entry, Here, Next, Strategy};
use crate::explore::knowledge::Knowledge;
use async_trait::async_trait;
use domain::service::{GraphService, ServiceError};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

pub(super) const ENTRIES: &[Entry] =
    &[Entry::new("random", "Any feasible action of the page: the floor of every comparison", || Box::new(Random))];

struct Random;

#[async_trait]
impl Strategy for Random {
    async fn next(
        &mut self,
        here: &Here<'_>,
        _: &Knowledge,
        _: &dyn GraphService,
        chance: &mut StdRng,
    ) -> Result<Next, ServiceError> {
        Ok(here.offers.choose(chance).map_or(Next::Start, |offer| Next::Here(offer.key)))
    }
}
