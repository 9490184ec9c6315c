//! Who chooses what an exploration tries next (the baselines of Temac, section V-A, and our own). All strategies see
//! the same page, the same map and the same actions; waits, form filling, scope and log-in are not theirs.

mod guided;

pub use guided::Guide;
pub(crate) use guided::Guided;

use super::knowledge::Knowledge;
use async_trait::async_trait;
use domain::service::{GraphService, ServiceError};
use domain::state::{ActionKey, FrontierTicket, Offer, Opportunity, Route, Version};
use domain::{Observation, StateId, Usage};
use rand::rngs::StdRng;

/// A strategy that can be asked for.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// How it chooses, in one line.
    pub help: &'static str,
    build: fn() -> Box<dyn Strategy>,
}

impl Entry {
    const fn new(name: &'static str, help: &'static str, build: fn() -> Box<dyn Strategy>) -> Self {
        Self { name, help, build }
    }
}

/// Declares the modules of strategies, each with the entries that it has in its `ENTRIES`, and the list of all.
/// `cargo fmt` does not look behind a macro: `make format` does.
macro_rules! strategies {
    ($($module:ident)*) => {
        $(mod $module;)*

        /// The entries of every module.
        const ALL: &[&[Entry]] = &[$($module::ENTRIES),*];
    };
}

// One line each; the first entry of the first is the default.
strategies! {
    frontier
    systematic
    q_learning
    random
}

/// The strategies, the default first.
pub fn strategies() -> impl Iterator<Item = &'static Entry> {
    ALL.iter().copied().flatten()
}

/// Where a browser is, and what could be done there.
pub(crate) struct Here<'a> {
    /// The state that it shows.
    pub state: StateId,
    /// What is seen there.
    #[allow(dead_code, reason = "for strategies that read pages, as one guided by a model does; see docs/recipes.md")]
    pub observation: &'a Observation,
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

    /// What choosing cost since this was asked last, e.g. a model's tokens. It is part of the next step's cost, and of the
    /// totals and the report. The time that choosing takes is measured by the loop.
    fn take_usage(&mut self) -> Usage {
        Usage::default()
    }

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
    strategies().find(|entry| entry.name == name).map(|entry| (entry.build)())
}
