//! What an exploration leaves alone, and what it may do only because it made the thing itself.
//!
//! Pages of one state differ in whose record they show: what is left alone on somebody's record is tried on a record that this
//! exploration made, there and then. The map knows one control of one state, so that it cannot say so.

use super::deciding::called;
use crate::destructive::{self, Memory};
use domain::exploration::Guards;
use domain::harm::LeftAlone;
use domain::state::{ActionKey, Offer};
use domain::{Observation, StateId};
use std::collections::HashSet;

/// Controls that are told of.
const TOLD: usize = 5_000;

/// The controls that were left alone.
#[derive(Debug, Default)]
pub(super) struct Withheld {
    told: HashSet<LeftAlone>,
    /// Those of our own that were tried, each once.
    own: HashSet<(StateId, ActionKey)>,
}

/// What a page offers.
pub(super) struct Allowed {
    /// What may be tried.
    pub(super) offers: Vec<Offer>,
    /// Of these, what may be tried only because this exploration made it, and was not tried yet.
    pub(super) own: Vec<ActionKey>,
    /// What is left alone and was not told of yet.
    pub(super) left_alone: Vec<LeftAlone>,
}

impl Withheld {
    /// What may be tried of what a state offers on a page.
    pub(super) fn allowed(
        &mut self,
        (state, seen): (StateId, &Observation),
        actions: Vec<Offer>,
        (guards, memory): (&Guards, &Memory),
    ) -> Allowed {
        let mut allowed = Allowed { offers: Vec::new(), own: Vec::new(), left_alone: Vec::new() };
        let nobody = Memory::default();
        let refusal = |offer: &Offer, memory| destructive::may_not_try(seen, offer.element, offer.kind, guards, memory);
        for offer in actions.into_iter().filter(|offer| offer.progress.is_some()) {
            let Some(refused) = refusal(&offer, memory) else {
                if refusal(&offer, &nobody).is_some() && !self.own.contains(&(state, offer.key)) {
                    allowed.own.push(offer.key);
                }
                allowed.offers.push(offer);
                continue;
            };
            let left = LeftAlone { rule: refused.rule, control: called(seen, offer.element) };
            if self.told.len() < TOLD && self.told.insert(left.clone()) {
                allowed.left_alone.push(left);
            }
        }
        allowed
    }

    /// A control of our own is about to be tried; answers whether it was not before.
    pub(super) fn tries(&mut self, state: StateId, own: ActionKey) -> bool {
        self.own.insert((state, own))
    }
}
