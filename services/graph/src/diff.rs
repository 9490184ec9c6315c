//! How two versions of a map differ, and how sure that is.
//!
//! A state of one version has a *counterpart* in the other: the same state, or the one that took its place. What has none is
//! missing or has appeared, and that is sure only when no way leads there any more: on each known way the other run came to a
//! step that it could not do, or that led it elsewhere. What the other run did not try, it did not reach.
//!
//! Data is no change: rows of lists, other titles of things of one kind, what comes and goes by itself.

mod aspects;
mod counterparts;
mod reach;
mod seen;

pub(crate) use counterparts::{Counterparts, Fate};
pub(crate) use reach::{Last, Step, from_start};
pub use seen::{Arrived, Side};

use crate::abstraction::Abstraction;
use crate::site::Site;
use domain::StateId;
use domain::action::ActionKind;
use domain::state::{ActionKey, Change, Difference, Lone, Opportunity, State, Transition};
use seen::Seen;
use std::collections::{BTreeMap, BTreeSet};

/// Two versions of a map side by side.
pub struct Comparison<'a> {
    before: Seen<'a>,
    after: Seen<'a>,
    /// Of each state of the earlier version the one that it is in the later version.
    successors: BTreeMap<StateId, StateId>,
    predecessors: BTreeMap<StateId, StateId>,
}

impl<'a> Comparison<'a> {
    /// Compares two versions.
    pub fn new(site: &'a Site, before: &'a Side, after: &'a Side, abstraction: &dyn Abstraction) -> Self {
        let (before, after) = (Seen::by(site, before), Seen::by(site, after));
        let successors = counterparts::successors(&before, &after, abstraction);
        let predecessors = successors.iter().map(|(was, is)| (*is, *was)).collect();
        Self { before, after, successors, predecessors }
    }

    /// What a way of the later version is in the earlier one: by which action in which state, and where it leads. None
    /// when it has no such way.
    pub fn way_before(&self, way: Way) -> Option<Way> {
        way_there(&self.back(), way)
    }

    /// What a way of the earlier version is in the later one.
    pub fn way_after(&self, way: Way) -> Option<Way> {
        way_there(&self.onward(), way)
    }

    /// What differs.
    pub fn difference(&self) -> Difference {
        let (onward, back) = (self.onward(), self.back());
        let (missing, missing_transitions) = (lone_states(&onward), lone_transitions(&onward));
        let (appeared, appeared_transitions) = (lone_states(&back), lone_transitions(&back));
        let lone = missing.iter().chain(&appeared).filter(|lone| lone.is_sure).map(|lone| lone.it.id).collect();
        let known = aspects::Known { noise: aspects::noise(&self.before, &self.after, &self.successors), lone };
        let changed = self.successors.iter().filter_map(|(was, is)| {
            let what = aspects::aspects(&onward, &back, (*was, *is), &known);
            let pair = (self.before.state(*was)?, self.after.state(*is)?);
            (!what.is_empty()).then_some(Change { before: pair.0, after: pair.1, what })
        });
        Difference { appeared, missing, changed: changed.collect(), appeared_transitions, missing_transitions }
    }

    /// The earlier states of which nobody knows whether they are still there, or at which address.
    pub(crate) fn unsettled(&self) -> BTreeSet<StateId> {
        let onward = self.onward();
        let reach = reach::Reach::new(&onward);
        let is_missing = |state: &StateId| !self.successors.contains_key(state) && reach.may_reach(*state);
        let is_elsewhere = |state: &StateId| aspects::stands_elsewhere(&onward, *state);
        self.before.states.iter().filter(|state| is_missing(state) || is_elsewhere(state)).copied().collect()
    }

    /// What can be clicked in states of the later version, and neither is called so in the earlier one nor was ever clicked:
    /// it may lead to something new, or be data.
    pub(crate) fn untried(&self) -> Vec<Opportunity> {
        let back = self.back();
        let of_state = |(is, was): (&StateId, &StateId)| {
            let controls = self.after.controls.get(is).into_iter().flatten();
            let (is, was) = (*is, *was);
            let untried = controls.filter(move |(key, control)| {
                control.kind == ActionKind::Click
                    && !self.before.has(was, &control.label)
                    && !self.after.led_by_label.contains_key(&control.label)
                    && !self.after.led.contains_key(&(is, **key))
            });
            untried.map(move |(key, _)| (is, *key)).collect::<Vec<_>>()
        };
        let untried = back.states.iter().flat_map(of_state);
        untried.filter_map(|(state, key)| self.after.opportunity(state, key)).collect()
    }

    /// What the later version has of the earlier one.
    pub(crate) fn onward(&self) -> Counterparts<'_> {
        Counterparts { here: &self.before, there: &self.after, states: &self.successors }
    }

    /// What the earlier version has of the later one.
    pub(crate) fn back(&self) -> Counterparts<'_> {
        Counterparts { here: &self.after, there: &self.before, states: &self.predecessors }
    }
}

/// A way to a state: in which state by which action; none when it was opened or loaded again.
pub type Way = (Option<(StateId, ActionKey)>, StateId);

fn way_there(sides: &Counterparts<'_>, (by, to): Way) -> Option<Way> {
    let to = *sides.states.get(&to)?;
    let Some((from, key)) = by else { return Some((None, to)) };
    let key = sides.key_there(from, key)?;
    Some((Some((*sides.states.get(&from)?, key)), to))
}

/// States that only one side has.
fn lone_states(sides: &Counterparts<'_>) -> Vec<Lone<State>> {
    let reach = reach::Reach::new(sides);
    let lone = sides.here.states.iter().filter(|state| !sides.states.contains_key(state));
    let lone = lone.filter_map(|state| {
        let is_sure = !reach.may_reach(*state);
        let broke_at = if is_sure { reach.broke_at(*state) } else { None };
        Some(Lone { it: sides.here.state(*state)?, is_sure, broke_at })
    });
    lone.collect()
}

/// Where a control of both sides led on one of them, and not on the other.
fn lone_transitions(sides: &Counterparts<'_>) -> Vec<Lone<Transition>> {
    let mut lone = Vec::new();
    for ((from, key), ends) in &sides.here.led {
        let Some(there) = sides.states.get(from) else { continue };
        for to in ends {
            let Some(counterpart) = sides.states.get(to) else { continue };
            let Some(key_there) = sides.key_there(*from, *key) else { continue };
            let ends_there = sides.there.led.get(&(*there, key_there));
            if ends_there.is_some_and(|ends| ends.contains(counterpart)) {
                continue;
            }
            if let Some(it) = sides.here.transition(*from, *key, *to) {
                lone.push(Lone { it, is_sure: sides.leads_elsewhere(*from, *key), broke_at: None });
            }
        }
    }
    lone
}
