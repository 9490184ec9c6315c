//! Who chooses what an exploration tries next (METHODS section 5). All strategies see the same page, the same map and the same
//! actions; waits, form filling, scope and log-in are not theirs.

mod frontier;
mod guided;
mod q_learning;
mod random;
mod systematic;

pub use guided::Guide;
pub(crate) use guided::Guided;

use super::knowledge::Knowledge;
use async_trait::async_trait;
use domain::StateId;
use domain::service::{GraphService, ServiceError};
use domain::state::{ActionKey, FrontierTicket, Offer, Opportunity, Route, Version};
use rand::rngs::StdRng;

/// The strategies by name, the default first.
pub const STRATEGIES: [&str; 5] = ["frontier", "systematic", "breadth-first", "q-learning", "random"];

/// Where a browser is, and what could be done there.
pub(crate) struct Here<'a> {
    /// The state that it shows.
    pub state: StateId,
    /// What may be tried there.
    pub offers: &'a [Offer],
    /// The version that is explored.
    pub version: &'a Version,
    /// The browser's name.
    pub crawler: &'a str,
}

/// What to try next.
#[derive(Debug)]
pub(crate) enum Next {
    /// An action of this page.
    Here(ActionKey),
    /// An action of another state, and the way there.
    There { route: Route, opportunity: Box<Opportunity>, ticket: Option<FrontierTicket> },
    /// To begin anew at the start.
    Start,
    /// There is nothing left that it knows of.
    Nothing,
}

/// Chooses what to try.
#[async_trait]
pub(crate) trait Strategy: Send {
    /// What to try next.
    ///
    /// # Errors
    /// Of the map.
    async fn next(
        &mut self,
        here: &Here<'_>,
        knowledge: &Knowledge,
        map: &dyn GraphService,
        chance: &mut StdRng,
    ) -> Result<Next, ServiceError>;

    /// Whether the map leases what it tries, so that others may give something back when there is nothing left.
    fn shares(&self) -> bool {
        false
    }

    /// Whether a form is sent with each of its fields changed by itself, once by each browser: what a server does depends on what it is sent.
    fn sends_each_field(&self) -> bool {
        false
    }

    /// Whether a way is only gone on while it leads where it led before. Else every step is done that can be done.
    fn keeps_to_the_way(&self) -> bool {
        true
    }

    /// Hears what an action led to.
    fn learn(&mut self, _from: StateId, _key: ActionKey, _to: StateId, _knowledge: &Knowledge) {}
}

/// The strategy of a name.
pub(crate) fn named(name: &str) -> Option<Box<dyn Strategy>> {
    Some(match name {
        "frontier" => Box::new(frontier::Frontier),
        "systematic" => Box::new(systematic::Systematic { is_depth_first: true }),
        "breadth-first" => Box::new(systematic::Systematic { is_depth_first: false }),
        "q-learning" => Box::new(q_learning::QLearning::default()),
        "random" => Box::new(random::Random),
        _ => return None,
    })
}
