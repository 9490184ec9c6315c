//! Whether a state can still be reached: by ways of which no step is known to be broken on the other side.

use super::counterparts::{Counterparts, Fate};
use domain::StateId;
use domain::state::{ActionKey, Transition};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What may be reached, and how each state was reached before.
pub(crate) struct Reach<'a> {
    sides: &'a Counterparts<'a>,
    reached: BTreeSet<StateId>,
    /// The last step of a shortest way to each state.
    last: BTreeMap<StateId, (StateId, ActionKey)>,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(sides: &'a Counterparts<'a>) -> Self {
        let (reached, _) = from_start(sides, |way| sides.fate(way.0, way.1, way.2) != Fate::Broken);
        let (_, last) = from_start(sides, |_| true);
        Self { sides, reached, last }
    }

    /// Whether a way leads there of which no step is known to be broken, or no way was known in the first place.
    pub(crate) fn may_reach(&self, state: StateId) -> bool {
        self.reached.contains(&state) || !self.last.contains_key(&state)
    }

    /// The first broken step of a shortest way to a state.
    pub(crate) fn broke_at(&self, state: StateId) -> Option<Transition> {
        let mut broken = None;
        let mut at = state;
        while let Some((from, key)) = self.last.get(&at) {
            if self.sides.fate(*from, *key, at) == Fate::Broken {
                broken = Some((*from, *key, at));
            }
            at = *from;
        }
        let (from, key, to) = broken?;
        self.sides.here.transition(from, key, to)
    }
}

/// The states that ways lead to from the start, with the last step to each; of all ways those that are allowed.
fn from_start(
    sides: &Counterparts<'_>,
    is_allowed: impl Fn((StateId, ActionKey, StateId)) -> bool,
) -> (BTreeSet<StateId>, BTreeMap<StateId, (StateId, ActionKey)>) {
    let (mut reached, mut last) = (BTreeSet::new(), BTreeMap::new());
    let mut waiting: VecDeque<StateId> = sides.here.start.into_iter().collect();
    reached.extend(sides.here.start);
    while let Some(from) = waiting.pop_front() {
        for (from, key, to) in sides.steps_from(from) {
            if !reached.contains(&to) && is_allowed((from, key, to)) {
                reached.insert(to);
                last.insert(to, (from, key));
                waiting.push_back(to);
            }
        }
    }
    (reached, last)
}
