//! What an explorer works with, and who hears of what it sees.

use crate::destructive::Books;
use async_trait::async_trait;
use domain::harm::{LeftAlone, RefusedRequest};
use domain::page::Page;
use domain::service::{GraphService, ServiceError};
use domain::state::Arrival;
use domain::{Observation, StateId};
use platform::clock::Clock;
use std::sync::Arc;
use std::time::Duration;

/// What an explorer works with.
#[derive(Clone)]
pub struct ExplorerServices {
    /// The map.
    pub map: Arc<dyn GraphService>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Hears of everything that is seen.
    pub witness: Arc<dyn Witness>,
    /// What explorations made, by exploration.
    pub books: Books,
}

/// Hears of what an exploration sees, in order.
#[async_trait]
pub trait Witness: Send + Sync {
    /// A page was found to show a state. `page` is still as it was seen.
    ///
    /// # Errors
    /// It cannot be written down: the attempt ends, since an exploration is what was written down of it.
    async fn saw(&self, visit: Visit<'_>, page: &mut dyn Page) -> Result<(), ServiceError>;

    /// How long a browser's part has taken so far, in this process or an earlier one.
    fn spent(&self, crawler: &str) -> Duration;
}

/// A page that was seen.
pub struct Visit<'a> {
    /// The browser.
    pub crawler: &'a str,
    /// Since the browser's part began, earlier attempts at it included.
    pub at: Duration,
    /// The state.
    pub state: StateId,
    /// Whether it is new to the map.
    pub is_new: bool,
    /// What was seen.
    pub observation: &'a Observation,
    /// What led there.
    pub arrival: Option<&'a Arrival>,
    /// Controls that are left alone there, which were not told of before.
    pub left_alone: Vec<LeftAlone>,
    /// Requests since the page before that a rule refused.
    pub refused: Vec<RefusedRequest>,
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoWitness;

#[async_trait]
impl Witness for NoWitness {
    async fn saw(&self, _: Visit<'_>, _: &mut dyn Page) -> Result<(), ServiceError> {
        Ok(())
    }

    fn spent(&self, _: &str) -> Duration {
        Duration::ZERO
    }
}
