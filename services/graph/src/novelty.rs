//! Statistics of tried actions in a run, by what the actions have in common: where the run finds new states.
//!
//! In wider groups each name counts once, by whether any try found something, so the order of events does not matter. A
//! state of a known shape, such as another language or another thing of a kind, counts less than one of a new shape.

use crate::actions::{InternedAction, address_of_page};
use crate::merge::name_of;
use domain::StateId;
use domain::state::ActionKey;
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Results of a group of similar actions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TryCounts {
    /// Number of tries; in a wider group, number of tried names.
    pub(crate) tries: u32,
    /// States first found by the group: one of a new shape counts 1, the second of its shape ½, the third ⅓.
    pub(crate) states: f64,
}

/// The evidence by which an action's novelty is estimated.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoveltyEvidence {
    /// Results of actions of the same kind, at the same place, and with the same name, in this order.
    pub(crate) like_it: [TryCounts; 3],
    /// Whether it only changes a field's value.
    pub(crate) is_field: bool,
    /// Visits to the address that it leads to.
    pub(crate) visits: u32,
    /// Number of states with the shape of the offering state, itself included.
    pub(crate) alike: u32,
    /// Results of the same control in other states.
    pub(crate) same: OutcomeCounts,
}

/// Results of one control that several states show, such as that of a header.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OutcomeCounts {
    /// Number of states in which it was tried.
    pub(crate) tries: u32,
    /// Number of different outcomes.
    pub(crate) outcomes: u32,
}

impl NoveltyEvidence {
    /// Whether what comes of the action is known: the page that it leads to was visited, and once more since what was done may have
    /// changed it, or the same control did the same in other states.
    pub(crate) fn is_known(&self) -> bool {
        let OutcomeCounts { tries, outcomes } = self.same;
        self.visits > 1 || (tries >= 2 && outcomes <= 1) || (tries >= 4 && outcomes * 4 <= tries)
    }
}

/// What came of an action: equal outcomes of the same control are told once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Outcome(pub(crate) u64);

/// Statistics of tried actions. A version is its index in the map.
#[derive(Default)]
pub(crate) struct NoveltyStats {
    of: FxHashMap<u64, TryCounts>,
    visits: FxHashMap<u64, u32>,
    /// Number of states per shape.
    shapes: FxHashMap<u64, u32>,
    /// The shape of each state, and its number among the states of that shape.
    states: FxHashMap<(usize, StateId), (u64, u32)>,
    /// The address template of each state.
    templates: FxHashMap<(usize, StateId), u64>,
    /// By control: in how many states it was tried.
    controls: FxHashMap<u64, u32>,
    /// By control: what came of it.
    outcomes: FxHashMap<u64, HashSet<Outcome>>,
    /// Per version: number of tries, and of those whose outcome was known.
    tries: FxHashMap<usize, (u32, u32)>,
}

/// Outcomes of a control that are told apart.
const OUTCOMES: usize = 64;
/// Tries whose outcome is known beforehand: a few in any case, so that a small site is tried whole, and a share of all tries.
const ALLOWED: f64 = 10.0;
const REPEATED: f64 = 0.1;

impl NoveltyStats {
    /// Records that a version saw a state for the first time: its address, template and actions.
    pub(crate) fn saw<'a>(
        &mut self,
        (version, state): (usize, StateId),
        url: &str,
        template: &str,
        offered: impl Iterator<Item = &'a InternedAction>,
    ) {
        *self.visits.entry(name_in(version, address_of_page(url))).or_default() += 1;
        self.templates.insert((version, state), xxh3_64(template.as_bytes()));
        let places: BTreeSet<u64> = offered.map(|action| action.place).collect();
        let mut shape = template.as_bytes().to_vec();
        shape.extend(places.iter().flat_map(|place| place.to_le_bytes()));
        let shape = xxh3_64(&shape);
        let count = self.shapes.entry(name_in(version, shape)).or_default();
        *count += 1;
        self.states.insert((version, state), (shape, *count));
    }

    /// Records a tried action of a state.
    pub(crate) fn tried(&mut self, (version, state): (usize, StateId), key: ActionKey, action: &InternedAction) {
        let was_known = self.evidence(version, state, key, action).is_known();
        let (tries, known) = self.tries.entry(version).or_default();
        *tries += 1;
        *known += u32::from(was_known);
        *self.controls.entry(self.control(version, state, key, action)).or_default() += 1;
        let [kind, place, name] = groups(key, action).map(|group| name_in(version, group));
        let of_name = self.of.entry(name).or_default();
        of_name.tries += 1;
        // Counts a name once in the wider groups, or actions present on every page would dominate them.
        if of_name.tries == 1 {
            self.of.entry(place).or_default().tries += 1;
            self.of.entry(kind).or_default().tries += 1;
        }
        if let Some(address) = action.address {
            *self.visits.entry(name_in(version, address)).or_default() += 1;
        }
    }

    /// Records what came of an action of a state.
    pub(crate) fn led_to(
        &mut self,
        (version, state): (usize, StateId),
        key: ActionKey,
        action: &InternedAction,
        outcome: Outcome,
    ) {
        let outcomes = self.outcomes.entry(self.control(version, state, key, action)).or_default();
        if outcomes.len() < OUTCOMES {
            outcomes.insert(outcome);
        }
    }

    /// Whether one more action of known outcome may be tried in a version: a small share of all tries.
    pub(crate) fn may_repeat(&self, version: usize) -> bool {
        let (tries, known) = self.tries.get(&version).copied().unwrap_or_default();
        f64::from(known) < ALLOWED + REPEATED * f64::from(tries)
    }

    /// The control that an action of a state belongs to, wherever else it is shown: equal by name and place. What stands in a form
    /// belongs to its page.
    pub(crate) fn control(&self, version: usize, state: StateId, key: ActionKey, action: &InternedAction) -> u64 {
        let template = self.templates.get(&(version, state)).filter(|_| action.is_in_form).copied().unwrap_or_default();
        let name = name_of(key).rotate_left(7) ^ action.called.rotate_left(43);
        name_in(version, name ^ action.place ^ template.rotate_left(31))
    }

    fn outcomes_of(&self, control: u64) -> OutcomeCounts {
        OutcomeCounts {
            tries: self.controls.get(&control).copied().unwrap_or_default(),
            outcomes: self.outcomes.get(&control).map_or(0, |outcomes| outcomes.len() as u32),
        }
    }

    /// Records that an action led to a state new to the version.
    pub(crate) fn found(&mut self, version: usize, key: ActionKey, action: &InternedAction, state: StateId) {
        let rank = self.states.get(&(version, state)).map_or(1, |(_, rank)| *rank);
        let [kind, place, name] = groups(key, action).map(|group| name_in(version, group));
        let of_name = self.of.entry(name).or_default();
        let is_first = of_name.states == 0.0;
        of_name.states += 1.0 / f64::from(rank);
        if is_first {
            self.of.entry(place).or_default().states += 1.0 / f64::from(rank);
            self.of.entry(kind).or_default().states += 1.0 / f64::from(rank);
        }
    }

    /// The evidence on an action that a state offers.
    pub(crate) fn evidence(
        &self,
        version: usize,
        state: StateId,
        key: ActionKey,
        action: &InternedAction,
    ) -> NoveltyEvidence {
        let of = |group| self.of.get(&name_in(version, group)).copied().unwrap_or_default();
        let visits = action.address.and_then(|address| self.visits.get(&name_in(version, address)));
        let shape = self.states.get(&(version, state));
        let alike = shape.and_then(|(shape, _)| self.shapes.get(&name_in(version, *shape)));
        NoveltyEvidence {
            like_it: groups(key, action).map(of),
            is_field: action.is_field,
            visits: visits.copied().unwrap_or_default(),
            alike: alike.copied().unwrap_or(1),
            same: self.outcomes_of(self.control(version, state, key, action)),
        }
    }
}

/// Combines a version and an id into one key.
fn name_in(version: usize, thing: u64) -> u64 {
    thing.rotate_left(u32::try_from(version % 64).unwrap_or_default()) ^ (version as u64)
}

/// The groups of an action, widest first.
fn groups(key: ActionKey, action: &InternedAction) -> [u64; 3] {
    [action.kind, action.place, name_of(key)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::ActionTable;
    use domain::Action;
    use std::sync::Arc;

    fn action() -> Arc<InternedAction> {
        ActionTable::default().intern(Action::Back)
    }

    /// The key of the n-th action of a name.
    fn key(name: u64, number: u64) -> ActionKey {
        ActionKey(name << 8 | number)
    }

    fn saw(stats: &mut NoveltyStats, state: u64, template: &str) {
        stats.saw((0, StateId(state)), "http://a/", template, std::iter::empty());
    }

    #[test]
    fn what_stands_on_every_page_speaks_for_all_of_its_kind_once() {
        let (mut stats, action) = (NoveltyStats::default(), action());
        (1..=9).for_each(|number| stats.tried((0, StateId(1)), key(1, number), &action));
        let [kind, place, name] = stats.evidence(0, StateId(1), key(1, 10), &action).like_it;
        assert_eq!((kind.tries, place.tries, name.tries), (1, 1, 9));
    }

    #[test]
    fn another_state_of_a_known_shape_counts_less() {
        let (mut stats, action) = (NoveltyStats::default(), action());
        for (state, template) in [(1, "/list"), (2, "/list"), (3, "/other")] {
            saw(&mut stats, state, template);
            stats.found(0, key(state, 1), &action, StateId(state));
        }
        let of = |name| stats.evidence(0, StateId(1), key(name, 2), &action).like_it[2].states;
        assert_eq!((of(1), of(2), of(3)), (1.0, 0.5, 1.0));
        assert_eq!(stats.evidence(0, StateId(2), key(9, 1), &action).alike, 2);
    }

    #[test]
    fn what_is_told_at_once_is_what_is_told_one_by_one() {
        let (mut at_once, mut one_by_one, action) = (NoveltyStats::default(), NoveltyStats::default(), action());
        (1..=3).for_each(|state| [&mut at_once, &mut one_by_one].into_iter().for_each(|of| saw(of, state, "/a")));
        (1..=3).for_each(|name| at_once.found(0, key(name % 2, 1), &action, StateId(name)));
        (1..=3).for_each(|name| at_once.tried((0, StateId(1)), key(name % 2, 1), &action));
        for name in 1..=3 {
            one_by_one.found(0, key(name % 2, 1), &action, StateId(name));
            one_by_one.tried((0, StateId(1)), key(name % 2, 1), &action);
        }
        let told = |stats: &NoveltyStats| format!("{:?}", stats.evidence(0, StateId(1), key(1, 2), &action));
        assert_eq!(told(&at_once), told(&one_by_one));
    }

    #[test]
    fn runs_learn_apart() {
        let (mut stats, action) = (NoveltyStats::default(), action());
        stats.tried((1, StateId(1)), key(1, 1), &action);
        assert_eq!(stats.evidence(0, StateId(1), key(1, 1), &action).like_it[2].tries, 0);
        assert_eq!(stats.evidence(1, StateId(1), key(1, 1), &action).like_it[2].tries, 1);
    }
}
