//! What an exploration leaves alone.
//!
//! Pages of one state differ in whose record they show: a control that is left alone on somebody's record is pressed on the record
//! that this exploration made. The map knows one control of one state, so that it is remembered here.

use super::deciding::called;
use crate::destructive::{self, Memory};
use domain::exploration::Guards;
use domain::harm::LeftAlone;
use domain::state::{ActionKey, Offer};
use domain::{Observation, StateId};
use std::collections::HashSet;

/// Controls that are told of.
const TOLD: usize = 5_000;
/// Controls that are remembered as withheld.
const REMEMBERED: usize = 50_000;

/// The controls that were left alone.
#[derive(Debug, Default)]
pub(super) struct Withheld {
    told: HashSet<LeftAlone>,
    controls: HashSet<(StateId, ActionKey)>,
    /// Those that were allowed on a later page: each once.
    released: HashSet<(StateId, ActionKey)>,
}

/// What a page offers.
pub(super) struct Allowed {
    /// What may be tried.
    pub(super) offers: Vec<Offer>,
    /// Of these, what was left alone on an earlier page of the same state, and was not tried since.
    pub(super) released: Vec<ActionKey>,
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
        let mut allowed = Allowed { offers: Vec::new(), released: Vec::new(), left_alone: Vec::new() };
        for offer in actions.into_iter().filter(|offer| offer.progress.is_some()) {
            let control = (state, offer.key);
            let Some(refusal) = destructive::may_not_try(seen, offer.element, offer.kind, guards, memory) else {
                if self.controls.contains(&control) && self.released.insert(control) {
                    allowed.released.push(offer.key);
                }
                allowed.offers.push(offer);
                continue;
            };
            if self.controls.len() < REMEMBERED {
                self.controls.insert(control);
            }
            let left = LeftAlone { rule: refusal.rule, control: called(seen, offer.element) };
            if self.told.len() < TOLD && self.told.insert(left.clone()) {
                allowed.left_alone.push(left);
            }
        }
        allowed
    }
}
