//! Compares two versions of a map, with the certainty of each difference.
//!
//! A state of one version has a *counterpart* in the other: the same state, or the one that replaced it. A state
//! without one is missing or new. That is certain only if no way leads to it any more: on each known way the other run
//! met a step that it could not take, or that led elsewhere. What the other run did not try counts as not reached.
//!
//! Data does not count as change: rows of lists, titles of things of one kind, content that comes and goes on its own.

mod aspects;
mod counterparts;
mod reach;
mod side;

pub(crate) use counterparts::{Counterparts, Fate};
pub(crate) use reach::{Last, Step, from_start};
pub use side::{PageVisit, Side};

use crate::abstraction::Abstraction;
use crate::site::Site;
use domain::StateId;
use domain::action::ActionKind;
use domain::state::{ActionKey, Change, Difference, Lone, Opportunity, State, Transition};
use side::SideIndex;
use std::collections::{BTreeMap, BTreeSet};

/// A comparison of two versions of a map.
pub struct Comparison<'a> {
    before: SideIndex<'a>,
    after: SideIndex<'a>,
    /// The later counterpart of each earlier state.
    successors: BTreeMap<StateId, StateId>,
    predecessors: BTreeMap<StateId, StateId>,
}

impl<'a> Comparison<'a> {
    /// Compares two versions.
    pub fn new(site: &'a Site, before: &'a Side, after: &'a Side, abstraction: &dyn Abstraction) -> Self {
        let (before, after) = (SideIndex::by(site, before), SideIndex::by(site, after));
        let successors = counterparts::successors(&before, &after, abstraction);
        let predecessors = successors.iter().map(|(was, is)| (*is, *was)).collect();
        Self { before, after, successors, predecessors }
    }

    /// The earlier counterpart of an edge of the later version; none if there is none.
    pub fn edge_before(&self, way: IncomingEdge) -> Option<IncomingEdge> {
        way_there(&self.back(), way)
    }

    /// The later counterpart of an edge of the earlier version.
    pub fn edge_after(&self, way: IncomingEdge) -> Option<IncomingEdge> {
        way_there(&self.onward(), way)
    }

    /// Computes the difference.
    pub fn difference(&self) -> Difference {
        let (onward, back) = (self.onward(), self.back());
        let (missing, missing_transitions) = (lone_states(&onward), lone_transitions(&onward));
        let (appeared, appeared_transitions) = (lone_states(&back), lone_transitions(&back));
        let lone = missing.iter().chain(&appeared).filter(|lone| lone.is_sure).map(|lone| lone.it.id).collect();
        let known = aspects::DiffContext { noise: aspects::noise(&self.before, &self.after, &self.successors), lone };
        let changed = self.successors.iter().filter_map(|(was, is)| {
            let what = aspects::aspects(&onward, &back, (*was, *is), &known);
            let pair = (self.before.state(*was)?, self.after.state(*is)?);
            (!what.is_empty()).then_some(Change { before: pair.0, after: pair.1, what })
        });
        Difference { appeared, missing, changed: changed.collect(), appeared_transitions, missing_transitions }
    }

    /// Earlier states whose existence, or address, in the later version is unknown.
    pub(crate) fn unsettled(&self) -> BTreeSet<StateId> {
        let onward = self.onward();
        let reach = reach::Reach::new(&onward);
        let is_missing = |state: &StateId| !self.successors.contains_key(state) && reach.may_reach(*state);
        let is_elsewhere = |state: &StateId| aspects::stands_elsewhere(&onward, *state);
        self.before.states.iter().filter(|state| is_missing(state) || is_elsewhere(state)).copied().collect()
    }

    /// Controls of the later version that the earlier one neither labels so nor tried: they may lead to something new,
    /// or be data.
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

    /// Looks up later counterparts.
    pub(crate) fn onward(&self) -> Counterparts<'_> {
        Counterparts { here: &self.before, there: &self.after, states: &self.successors }
    }

    /// Looks up earlier counterparts.
    pub(crate) fn back(&self) -> Counterparts<'_> {
        Counterparts { here: &self.after, there: &self.before, states: &self.predecessors }
    }
}

/// An edge into a state: source state and action; no source when the page was opened or reloaded.
pub type IncomingEdge = (Option<(StateId, ActionKey)>, StateId);

fn way_there(sides: &Counterparts<'_>, (by, to): IncomingEdge) -> Option<IncomingEdge> {
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

/// Transitions by common controls that only one side has.
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
