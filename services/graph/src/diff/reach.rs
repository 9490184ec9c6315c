//! Whether a state can still be reached over edges that are not known to be broken.

use super::counterparts::{Counterparts, Fate};
use domain::StateId;
use domain::state::{ActionKey, Transition};
use std::collections::{BTreeMap, BTreeSet};

/// An edge: source, action, target.
pub(crate) type Step = (StateId, ActionKey, StateId);
/// The last step of a shortest way to each state.
pub(crate) type Last = BTreeMap<StateId, Step>;

/// The reachable states, and the shortest earlier path to each.
pub(crate) struct Reach<'a> {
    sides: &'a Counterparts<'a>,
    reached: BTreeSet<StateId>,
    last: Last,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(sides: &'a Counterparts<'a>) -> Self {
        let (reached, _) = from_start(sides, |way| sides.fate(way.0, way.1, way.2) != Fate::Broken);
        let (_, last) = from_start(sides, |_| true);
        Self { sides, reached: reached.into_iter().collect(), last }
    }

    /// Whether an unbroken path leads to a state, or no path was known in the first place.
    pub(crate) fn may_reach(&self, state: StateId) -> bool {
        self.reached.contains(&state) || !self.last.contains_key(&state)
    }

    /// The first broken edge on a shortest path to a state.
    pub(crate) fn broke_at(&self, state: StateId) -> Option<Transition> {
        let mut broken = None;
        let mut at = state;
        while let Some((from, key, _)) = self.last.get(&at) {
            if self.sides.fate(*from, *key, at) == Fate::Broken {
                broken = Some((*from, *key, at));
            }
            at = *from;
        }
        let (from, key, to) = broken?;
        self.sides.here.transition(from, key, to)
    }
}

/// Breadth-first search from the start over allowed edges: the states found, nearest first, and the last edge to each.
pub(crate) fn from_start(sides: &Counterparts<'_>, is_allowed: impl Fn(&Step) -> bool) -> (Vec<StateId>, Last) {
    let mut order: Vec<StateId> = sides.here.start.into_iter().collect();
    let mut last = Last::new();
    let mut next = 0;
    while let Some(from) = order.get(next).copied() {
        next += 1;
        for step in sides.steps_from(from) {
            let is_known = sides.here.start == Some(step.2) || last.contains_key(&step.2);
            if !is_known && is_allowed(&step) {
                last.insert(step.2, step);
                order.push(step.2);
            }
        }
    }
    (order, last)
}
