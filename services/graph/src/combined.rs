//! Combines two maps of a site that were made separately: states are equal where the abstraction says so, whatever
//! their numbers.

use crate::abstraction::Abstraction;
use crate::diff::{PageVisit, Side};
use crate::encoding::encode;
use crate::error::Error;
use crate::site::Site;
use domain::state::{State, Version};
use domain::storage::graph::{Changes, SiteDelta};
use domain::{SiteId, StateId};
use std::collections::{BTreeMap, BTreeSet};

/// A run's own map.
#[derive(Clone, Debug)]
pub struct RunMap {
    /// Its map.
    pub map: SiteDelta,
    /// The index of the run's version in it.
    pub version: usize,
    /// The pages that it visited, where known.
    pub arrived: Vec<PageVisit>,
}

/// Two maps combined. States of the earlier map keep their numbers.
#[derive(Clone, Debug)]
pub struct CombinedMap {
    /// Everything of both, under the earlier map's site name.
    pub all: SiteDelta,
    /// The earlier run.
    pub before: Side,
    /// The later run.
    pub after: Side,
    /// Combined number of each later state.
    here: BTreeMap<StateId, StateId>,
    /// Later number of each combined state; the first one where several were merged.
    there: BTreeMap<StateId, StateId>,
    /// The states of the earlier map.
    known: BTreeSet<StateId>,
}

/// Combines two maps.
///
/// # Errors
/// [`Error::OtherAbstraction`], and [`Error::Corrupt`] when a fingerprint or what was learnt cannot be read.
pub fn combine(before: RunMap, after: RunMap, abstraction: &dyn Abstraction) -> Result<CombinedMap, Error> {
    let apart = before.map.versions.len();
    let (mut site, mut other) = (Site::default(), Site::default());
    site.apply(before.map.clone(), abstraction)?;
    other.apply(after.map.clone(), abstraction)?;
    // What either run learnt applies to both.
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
    Ok(CombinedMap { all, before: before_side, after: after_side, here, there, known })
}

fn renumbered(arrived: PageVisit, number: impl Fn(StateId) -> StateId) -> PageVisit {
    let by = arrived.by.map(|(from, action)| (number(from), action));
    PageVisit { state: number(arrived.state), by, url: arrived.url }
}

/// The earlier map with the later one appended.
fn joined(
    before: SiteDelta,
    after: SiteDelta,
    site: &Site,
    number: impl Fn(StateId) -> StateId,
    learnt: Vec<u8>,
) -> SiteDelta {
    let (apart, change) = (before.versions.len(), before.change + after.change);
    let mut all = SiteDelta { change, learnt: Some(learnt), ..before };
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

impl CombinedMap {
    /// The map in memory.
    ///
    /// # Errors
    /// As of [`combine`].
    pub fn site(&self, abstraction: &dyn Abstraction) -> Result<Site, Error> {
        let mut site = Site::default();
        site.apply(self.all.clone(), abstraction)?;
        Ok(site)
    }

    /// The combined number of a later state.
    pub fn here(&self, state: StateId) -> StateId {
        self.here.get(&state).copied().unwrap_or(state)
    }

    /// The number of a state in the earlier map; none if it is not there.
    pub fn number_before(&self, state: StateId) -> Option<StateId> {
        self.known.get(&state).copied()
    }

    /// The number of a state in the later map; none if it is not there.
    pub fn number_after(&self, state: StateId) -> Option<StateId> {
        self.there.get(&state).copied()
    }

    /// The changes that recreate the combined map in an empty store, version by version.
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
