//! Matches states, controls and edges of two versions.

use super::side::{Label, SideIndex};
use crate::abstraction::Abstraction;
use crate::merge::name_of;
use domain::StateId;
use domain::state::{ActionKey, Transition};
use std::collections::{BTreeMap, BTreeSet};

/// From this distance on a state cannot have replaced another, if only the address suggests it.
const FAR: f64 = 0.75;
/// How often an action must have had no effect before it counts as leading nowhere.
const ENOUGH: u64 = 2;

/// Looks up counterparts of one side in the other.
pub(crate) struct Counterparts<'a> {
    pub(super) here: &'a SideIndex<'a>,
    pub(super) there: &'a SideIndex<'a>,
    /// The counterpart of each state of this side.
    pub(super) states: &'a BTreeMap<StateId, StateId>,
}

/// What became of an edge on the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It leads to the same state.
    Holds,
    /// It was not tried, or leads to varying states.
    Unknown,
    /// The control is gone, or leads elsewhere.
    Broken,
}

impl Counterparts<'_> {
    /// The start state of this side.
    pub(crate) fn start(&self) -> Option<StateId> {
        self.here.start
    }

    /// The edges from a state of this side to others.
    pub(crate) fn steps_from(&self, from: StateId) -> impl Iterator<Item = (StateId, ActionKey, StateId)> {
        let range = (from, ActionKey(0))..=(from, ActionKey(u64::MAX));
        let steps = self.here.led.range(range).flat_map(|((from, key), ends)| ends.iter().map(|to| (*from, *key, *to)));
        steps.filter(|(from, _, to)| from != to)
    }

    /// The counterpart of an edge.
    pub(crate) fn step_there(
        &self,
        (from, key, to): (StateId, ActionKey, StateId),
    ) -> Option<(StateId, ActionKey, StateId)> {
        Some((*self.states.get(&from)?, self.key_there(from, key)?, *self.states.get(&to)?))
    }

    /// An edge with its action.
    pub(crate) fn step(&self, (from, key, to): (StateId, ActionKey, StateId)) -> Option<Transition> {
        self.here.transition(from, key, to)
    }

    /// The other side's key of an action; none if the state has no counterpart, or the counterpart no such control.
    pub(super) fn key_there(&self, from: StateId, key: ActionKey) -> Option<ActionKey> {
        let there = *self.states.get(&from)?;
        let Some(control) = self.here.control(from, key) else {
            // Opening an address or answering a dialog uses no control of the page.
            return Some(key);
        };
        let same = self.there.control(there, key);
        if same.is_some_and(|same| same.label == control.label || !(control.is_data || same.is_data)) {
            return Some(key);
        }
        let is_only_one = self.here.labelled(from, &control.label) == Some(key);
        let labelled = self.there.labelled(there, &control.label).filter(|_| is_only_one);
        // A control labelled by data may have another label there.
        let may_be_called_otherwise = control.is_data && !(is_only_one && self.has_no_other(from, there, key));
        labelled.or(same.map(|_| key).filter(|_| may_be_called_otherwise))
    }

    /// Whether the other side lacks any relabelled match for a list control: every control there that does the same has
    /// a match by label here, or a known end.
    fn has_no_other(&self, from: StateId, there: StateId, key: ActionKey) -> bool {
        let controls = self.there.controls.get(&there).into_iter().flatten();
        let mut same =
            controls.filter(|(other, _)| name_of(**other) == name_of(key)).map(|(_, control)| &control.label);
        same.all(|label| self.here.has(from, label) || self.there.led_by_label.contains_key(label))
    }

    /// The other side's renamed control: each label is known to one side only, and each is its state's only control
    /// that leads to the same single state.
    pub(super) fn renamed(&self, from: StateId, key: ActionKey) -> Option<ActionKey> {
        let there = *self.states.get(&from)?;
        let end = only_end(self.here, from, key)?;
        let end_there = self.states.get(&end)?;
        let mut others = self.there.controls.get(&there)?.iter().filter(|(key_there, control)| {
            !self.here.has(from, &control.label) && only_end(self.there, there, **key_there) == Some(*end_there)
        });
        let other = others.next().map(|(key, _)| *key);
        if others.next().is_some() { None } else { other }
    }

    /// What became of an edge.
    pub(crate) fn fate(&self, from: StateId, key: ActionKey, to: StateId) -> Fate {
        let Some(there) = self.states.get(&from) else { return Fate::Unknown };
        let Some(key_there) = self.key_there(from, key) else { return Fate::Broken };
        match (self.there.led.get(&(*there, key_there)), self.states.get(&to)) {
            (Some(ends), Some(to)) if ends.contains(to) => Fate::Holds,
            _ if self.leads_elsewhere(from, key) => Fate::Broken,
            _ => Fate::Unknown,
        }
    }

    /// Whether an action leads to a state that actions of its name never led to. A link to the full basket here and the
    /// empty one there has led to both, if not from this page.
    pub(super) fn leads_elsewhere(&self, from: StateId, key: ActionKey) -> bool {
        let Some(there) = self.states.get(&from) else { return false };
        let Some(key_there) = self.key_there(from, key) else { return false };
        let Some(ends_there) = self.there.led.get(&(*there, key_there)) else { return false };
        // An action without effect may have failed by chance.
        if ends_there.iter().all(|end| end == there) && self.tries_there(*there, key_there) < ENOUGH {
            return false;
        }
        let known = |ends: Option<&BTreeSet<StateId>>| -> BTreeSet<StateId> {
            ends.into_iter().flatten().filter_map(|end| self.states.get(end)).copied().collect()
        };
        let ended = known(self.here.led.get(&(from, key)));
        let ended_by_name = known(self.here.led_by_name.get(&name_of(key)));
        let ends_by_name = self.there.led_by_name.get(&name_of(key_there));
        ends_there.is_disjoint(&ended_by_name) && ends_by_name.is_none_or(|ends| ended.is_disjoint(ends))
    }

    /// Tries of an action on the other side.
    fn tries_there(&self, from: StateId, key: ActionKey) -> u64 {
        let ends = self.there.led.get(&(from, key)).into_iter().flatten();
        ends.filter_map(|end| self.there.transition(from, key, *end)).map(|way| way.tally.count).sum()
    }
}

/// The single end of all controls with this label; none if there are several, or if another control of the state leads
/// there too.
fn only_end(seen: &SideIndex<'_>, state: StateId, key: ActionKey) -> Option<StateId> {
    let controls = seen.controls.get(&state)?;
    let label = &controls.get(&key)?.label;
    let ends = seen.led_by_label.get(label)?;
    let end = ends.first().filter(|end| ends.len() == 1 && **end != state)?;
    let leads_there = |other: &Label| seen.led_by_label.get(other).is_some_and(|ends| ends.contains(end));
    let is_shared = controls.values().any(|other| other.label != *label && leads_there(&other.label));
    (!is_shared).then_some(*end)
}

/// The later counterpart of each earlier state: the same state, else its replacement. A replacement is reached by the
/// same control of the same state under the same address template, or is similar enough and shares the edge or the
/// template.
pub(super) fn successors(
    before: &SideIndex<'_>,
    after: &SideIndex<'_>,
    abstraction: &dyn Abstraction,
) -> BTreeMap<StateId, StateId> {
    let mut found: BTreeMap<StateId, StateId> =
        before.states.intersection(&after.states).map(|state| (*state, *state)).collect();
    loop {
        let taken: BTreeSet<StateId> = found.values().copied().collect();
        let is_lost = |state: &StateId| !found.contains_key(state);
        let is_won = |state: &StateId| !taken.contains(state);
        // Pairs reached by the same edge (true), and pairs under the same address template.
        let mut pairs: BTreeMap<(StateId, StateId), bool> = BTreeMap::new();
        let sides = Counterparts { here: before, there: after, states: &found };
        for ((from, key), ends) in &before.led {
            let there = found.get(from).zip(sides.key_there(*from, *key));
            let Some(ends_there) = there.and_then(|(there, key)| after.led.get(&(*there, key))) else { continue };
            for was in ends.iter().filter(|state| is_lost(state)) {
                pairs.extend(ends_there.iter().filter(|state| is_won(state)).map(|is| ((*was, *is), true)));
            }
        }
        for was in before.states.iter().filter(|state| is_lost(state)) {
            for is in after.states.iter().filter(|state| is_won(state)) {
                if is_of_one_template(before, after, (*was, *is)) {
                    pairs.entry((*was, *is)).or_insert(false);
                }
            }
        }
        let rated = pairs.into_iter().filter_map(|((was, is), is_way)| {
            let distance = distance(before, after, (was, is), abstraction)?;
            let is_alike = distance < FAR || (is_way && is_of_one_template(before, after, (was, is)));
            is_alike.then_some((distance, !is_way, was, is))
        });
        match rated.min_by(|one, other| {
            one.0.total_cmp(&other.0).then((one.1, one.2, one.3).cmp(&(other.1, other.2, other.3)))
        }) {
            Some((_, _, was, is)) => found.insert(was, is),
            None => return found,
        };
    }
}

fn is_of_one_template(before: &SideIndex<'_>, after: &SideIndex<'_>, (was, is): (StateId, StateId)) -> bool {
    let template = |seen: &SideIndex<'_>, state| seen.state(state).map(|state| state.template);
    template(before, was) == template(after, is)
}

fn distance(
    before: &SideIndex<'_>,
    after: &SideIndex<'_>,
    (was, is): (StateId, StateId),
    abstraction: &dyn Abstraction,
) -> Option<f64> {
    let (was, is) = (before.site.fingerprint(was)?, after.site.fingerprint(is)?);
    Some(abstraction.distance(was, is, &before.site.learnt))
}
