//! What came of trying actions in a run, by what they have in common: what a run learns of where new things are found.
//!
//! Names are counted once in the wider groups, by whether any try of them found something: the order in which it is told does not
//! matter. What leads to a state that only says the same in other words – another language, another thing of a kind – has found less
//! than what leads to one of a new shape.

use crate::merge::name_of;
use crate::shared::{Shared, address_of_page};
use domain::StateId;
use domain::state::ActionKey;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use xxhash_rust::xxh3::xxh3_64;

/// What came of trying actions that have something in common.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Yield {
    /// How often one was tried; of a wider group, how many names.
    pub(crate) tries: u32,
    /// How many states it led to first: one of a new shape counts 1, the second of its shape ½, the third ⅓.
    pub(crate) states: f64,
}

/// What speaks for an action and against it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// What came of those of the same kind, of those in the same place, and of those with the same name: the nearest last.
    pub(crate) like_it: [Yield; 3],
    /// Whether it only changes what stands in a field.
    pub(crate) is_field: bool,
    /// How often the address that it leads to was come to already.
    pub(crate) visits: u32,
    /// How many states have the shape of the one that offers it, with this one.
    pub(crate) alike: u32,
}

/// What came of trying actions. A version is its place in the map.
#[derive(Default)]
pub(crate) struct Yields {
    of: FxHashMap<u64, Yield>,
    visits: FxHashMap<u64, u32>,
    /// How many states have a shape.
    shapes: FxHashMap<u64, u32>,
    /// The shape of a state, and how many had it before, with this one.
    states: FxHashMap<(usize, StateId), (u64, u32)>,
}

impl Yields {
    /// A version saw a state for the first time: at this address, of this template, with these actions.
    pub(crate) fn saw<'a>(
        &mut self,
        (version, state): (usize, StateId),
        url: &str,
        template: &str,
        offered: impl Iterator<Item = &'a Shared>,
    ) {
        *self.visits.entry(name_in(version, address_of_page(url))).or_default() += 1;
        let places: BTreeSet<u64> = offered.map(|action| action.place).collect();
        let mut shape = template.as_bytes().to_vec();
        shape.extend(places.iter().flat_map(|place| place.to_le_bytes()));
        let shape = xxh3_64(&shape);
        let count = self.shapes.entry(name_in(version, shape)).or_default();
        *count += 1;
        self.states.insert((version, state), (shape, *count));
    }

    /// An action was tried.
    pub(crate) fn tried(&mut self, version: usize, key: ActionKey, action: &Shared) {
        let [kind, place, name] = groups(key, action).map(|group| name_in(version, group));
        let of_name = self.of.entry(name).or_default();
        of_name.tries += 1;
        // What stands on every page would else speak for all of its kind.
        if of_name.tries == 1 {
            self.of.entry(place).or_default().tries += 1;
            self.of.entry(kind).or_default().tries += 1;
        }
        if let Some(address) = action.address {
            *self.visits.entry(name_in(version, address)).or_default() += 1;
        }
    }

    /// An action led to a state that the version had not seen.
    pub(crate) fn found(&mut self, version: usize, key: ActionKey, action: &Shared, state: StateId) {
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

    /// What is known of an action that a state offers.
    pub(crate) fn known(&self, version: usize, state: StateId, key: ActionKey, action: &Shared) -> Known {
        let of = |group| self.of.get(&name_in(version, group)).copied().unwrap_or_default();
        let visits = action.address.and_then(|address| self.visits.get(&name_in(version, address)));
        let shape = self.states.get(&(version, state));
        let alike = shape.and_then(|(shape, _)| self.shapes.get(&name_in(version, *shape)));
        Known {
            like_it: groups(key, action).map(of),
            is_field: action.is_field,
            visits: visits.copied().unwrap_or_default(),
            alike: alike.copied().unwrap_or(1),
        }
    }
}

/// The name of a thing in a version.
fn name_in(version: usize, thing: u64) -> u64 {
    thing.rotate_left(u32::try_from(version % 64).unwrap_or_default()) ^ (version as u64)
}

/// What an action has in common with others, the widest first.
fn groups(key: ActionKey, action: &Shared) -> [u64; 3] {
    [action.kind, action.place, name_of(key)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::Actions;
    use domain::Action;
    use std::sync::Arc;

    fn action() -> Arc<Shared> {
        Actions::default().share(Action::Back)
    }

    /// The key of the n-th action of a name.
    fn key(name: u64, number: u64) -> ActionKey {
        ActionKey(name << 8 | number)
    }

    fn saw(yields: &mut Yields, state: u64, template: &str) {
        yields.saw((0, StateId(state)), "http://a/", template, std::iter::empty());
    }

    #[test]
    fn what_stands_on_every_page_speaks_for_all_of_its_kind_once() {
        let (mut yields, action) = (Yields::default(), action());
        (1..=9).for_each(|number| yields.tried(0, key(1, number), &action));
        let [kind, place, name] = yields.known(0, StateId(1), key(1, 10), &action).like_it;
        assert_eq!((kind.tries, place.tries, name.tries), (1, 1, 9));
    }

    #[test]
    fn another_state_of_a_known_shape_counts_less() {
        let (mut yields, action) = (Yields::default(), action());
        for (state, template) in [(1, "/list"), (2, "/list"), (3, "/other")] {
            saw(&mut yields, state, template);
            yields.found(0, key(state, 1), &action, StateId(state));
        }
        let of = |name| yields.known(0, StateId(1), key(name, 2), &action).like_it[2].states;
        assert_eq!((of(1), of(2), of(3)), (1.0, 0.5, 1.0));
        assert_eq!(yields.known(0, StateId(2), key(9, 1), &action).alike, 2);
    }

    #[test]
    fn what_is_told_at_once_is_what_is_told_one_by_one() {
        let (mut at_once, mut one_by_one, action) = (Yields::default(), Yields::default(), action());
        (1..=3).for_each(|state| [&mut at_once, &mut one_by_one].into_iter().for_each(|of| saw(of, state, "/a")));
        (1..=3).for_each(|name| at_once.found(0, key(name % 2, 1), &action, StateId(name)));
        (1..=3).for_each(|name| at_once.tried(0, key(name % 2, 1), &action));
        for name in 1..=3 {
            one_by_one.found(0, key(name % 2, 1), &action, StateId(name));
            one_by_one.tried(0, key(name % 2, 1), &action);
        }
        let told = |yields: &Yields| format!("{:?}", yields.known(0, StateId(1), key(1, 2), &action));
        assert_eq!(told(&at_once), told(&one_by_one));
    }

    #[test]
    fn runs_learn_apart() {
        let (mut yields, action) = (Yields::default(), action());
        yields.tried(1, key(1, 1), &action);
        assert_eq!(yields.known(0, StateId(1), key(1, 1), &action).like_it[2].tries, 0);
        assert_eq!(yields.known(1, StateId(1), key(1, 1), &action).like_it[2].tries, 1);
    }
}
