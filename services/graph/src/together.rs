//! Two maps of a site that were made apart, put together: states are the same where the abstraction says so, whatever
//! numbers they have.

use crate::abstraction::Abstraction;
use crate::diff::{Arrived, Side};
use crate::encoding::encode;
use crate::error::Error;
use crate::site::Site;
use domain::state::{State, Version};
use domain::storage::graph::{Changed, Changes};
use domain::{SiteId, StateId};
use std::collections::{BTreeMap, BTreeSet};

/// A run with a map of its own.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its map.
    pub map: Changed,
    /// The place of the run's version in it.
    pub version: usize,
    /// The pages that it saw, where that is known.
    pub arrived: Vec<Arrived>,
}

/// Two maps as one. What the earlier map has keeps its numbers.
#[derive(Clone, Debug)]
pub struct Together {
    /// Everything of both, under the name that the site has in the earlier one.
    pub all: Changed,
    /// The earlier run.
    pub before: Side,
    /// The later run.
    pub after: Side,
    /// The number here of each state of the later map.
    here: BTreeMap<StateId, StateId>,
    /// The number in the later map of each state that it has; the first one of several that are one here.
    there: BTreeMap<StateId, StateId>,
    /// The states of the earlier map.
    known: BTreeSet<StateId>,
}

/// Puts two maps together.
///
/// # Errors
/// [`Error::OtherAbstraction`], and [`Error::Corrupt`] when a fingerprint or what was learnt cannot be read.
pub fn together(before: Run, after: Run, abstraction: &dyn Abstraction) -> Result<Together, Error> {
    let apart = before.map.versions.len();
    let (mut site, mut other) = (Site::default(), Site::default());
    site.apply(before.map.clone(), abstraction)?;
    other.apply(after.map.clone(), abstraction)?;
    // What either run learnt holds for the pages of both.
    let mut learnt = site.learnt.clone();
    learnt.merge(&other.learnt);
    let encoded = encode("what was learnt of a site", &learnt)?;
    site.learn(learnt, abstraction);

    let mut here: BTreeMap<StateId, StateId> = BTreeMap::new();
    let mut next = site.next();
    for state in other.states() {
        let known = other.fingerprint(state.id).and_then(|fingerprint| site.find(fingerprint, abstraction));
        here.insert(state.id, known.unwrap_or(next));
        if known.is_none() {
            next = StateId(next.0 + 1);
        }
    }
    let number = |id: StateId| here.get(&id).copied().unwrap_or(id);
    let after_start = other.start().map(number);
    let mut own: BTreeMap<StateId, State> = BTreeMap::new();
    for state in other.states() {
        let id = number(state.id);
        own.entry(id).or_insert_with(|| State { id, ..State::clone(state) });
    }
    let after_side = Side {
        versions: vec![apart + after.version],
        start: after_start,
        arrived: after.arrived.into_iter().map(|arrived| renumbered(arrived, number)).collect(),
        own,
    };
    let before_side =
        Side { versions: vec![before.version], start: site.start(), arrived: before.arrived, own: BTreeMap::new() };
    let all = joined(before.map, after.map, &site, number, encoded);
    let there = here.iter().rev().map(|(there, here)| (*here, *there)).collect();
    let known = site.states().map(|state| state.id).collect();
    Ok(Together { all, before: before_side, after: after_side, here, there, known })
}

fn renumbered(arrived: Arrived, number: impl Fn(StateId) -> StateId) -> Arrived {
    let by = arrived.by.map(|(from, action)| (number(from), action));
    Arrived { state: number(arrived.state), by, url: arrived.url }
}

/// The earlier map with the later one behind it.
fn joined(
    before: Changed,
    after: Changed,
    site: &Site,
    number: impl Fn(StateId) -> StateId,
    learnt: Vec<u8>,
) -> Changed {
    let (apart, change) = (before.versions.len(), before.change + after.change);
    let mut all = Changed { change, learnt: Some(learnt), ..before };
    let name = all.versions.first().map(|version| version.site.clone());
    let named = |version: Version| Version { site: name.clone().unwrap_or(version.site), ..version };
    all.versions.extend(after.versions.into_iter().map(named));
    let mut new: BTreeMap<StateId, State> = BTreeMap::new();
    for state in after.states {
        let id = number(state.id);
        if site.state(id).is_none() {
            new.entry(id).or_insert(State { id, ..state });
        }
    }
    all.states.extend(new.into_values());
    all.sightings.extend(after.sightings.into_iter().map(|(version, mut sighting)| {
        sighting.state = number(sighting.state);
        (version + apart, sighting)
    }));
    all.transitions.extend(after.transitions.into_iter().map(|(version, mut transition)| {
        (transition.from, transition.to) = (number(transition.from), number(transition.to));
        (version + apart, transition)
    }));
    all.opportunities.extend(after.opportunities.into_iter().map(|(version, mut opportunity, progress)| {
        opportunity.state = number(opportunity.state);
        (version + apart, opportunity, progress)
    }));
    all
}

impl Together {
    /// The map in memory.
    ///
    /// # Errors
    /// As of [`together`].
    pub fn site(&self, abstraction: &dyn Abstraction) -> Result<Site, Error> {
        let mut site = Site::default();
        site.apply(self.all.clone(), abstraction)?;
        Ok(site)
    }

    /// The number here of a state of the later map.
    pub fn here(&self, state: StateId) -> StateId {
        self.here.get(&state).copied().unwrap_or(state)
    }

    /// The number that a state has in the earlier map; none when it is not in it.
    pub fn number_before(&self, state: StateId) -> Option<StateId> {
        self.known.get(&state).copied()
    }

    /// The number that a state has in the later map; none when it is not in it.
    pub fn number_after(&self, state: StateId) -> Option<StateId> {
        self.there.get(&state).copied()
    }

    /// Everything as it is written into an empty store, version by version.
    pub fn seeds(&self) -> Vec<(Version, Changes)> {
        let mut seeds: Vec<(Version, Changes)> =
            self.all.versions.iter().map(|version| (version.clone(), Changes::default())).collect();
        let mut put = |version: usize, put: &mut dyn FnMut(&mut Changes)| {
            if let Some((_, changes)) = seeds.get_mut(version) {
                put(changes);
            }
        };
        for (version, sighting) in &self.all.sightings {
            put(*version, &mut |changes| changes.sightings.push(sighting.clone()));
        }
        for (version, transition) in &self.all.transitions {
            put(*version, &mut |changes| changes.transitions.push(transition.clone()));
        }
        for (version, opportunity, _) in &self.all.opportunities {
            put(*version, &mut |changes| changes.opportunities.push(opportunity.clone()));
        }
        put(0, &mut |changes| {
            changes.states.clone_from(&self.all.states);
            changes.learnt.clone_from(&self.all.learnt);
        });
        seeds.iter_mut().for_each(|(_, changes)| changes.abstraction.clone_from(&self.all.abstraction));
        seeds
    }

    /// The site.
    pub fn name(&self) -> Option<&SiteId> {
        self.all.versions.first().map(|version| &version.site)
    }
}
