//! Two maps of a site that were made apart, put together: states are the same where the abstraction says so, whatever
//! numbers they have.

use crate::abstraction::Abstraction;
use crate::diff::difference;
use crate::error::Error;
use crate::site::Site;
use domain::StateId;
use domain::state::{Difference, Lone, State, Transition};
use domain::storage::graph::Changed;
use std::collections::BTreeMap;

/// How a version of one map differs from a version of a later map that was made apart. Each version is a place among those
/// of its map. States and transitions that the earlier map has keep its numbers, all others have those of the later map.
///
/// # Errors
/// [`Error::OtherAbstraction`], and [`Error::Corrupt`] when a fingerprint or what was learnt cannot be read.
pub fn compare(
    before: (Changed, usize),
    after: (Changed, usize),
    abstraction: &dyn Abstraction,
) -> Result<Difference, Error> {
    let ((before, earlier), (after, later)) = (before, after);
    let apart = before.versions.len();
    let (mut site, mut other) = (Site::default(), Site::default());
    site.apply(before, abstraction)?;
    other.apply(after.clone(), abstraction)?;
    // What either run learnt holds for the pages of both.
    let mut learnt = site.learnt.clone();
    learnt.merge(&other.learnt);
    site.learn(learnt, abstraction);

    // The state here that each state of the later map is.
    let mut here: BTreeMap<StateId, StateId> = BTreeMap::new();
    let mut next = site.next();
    for state in other.states() {
        let known = other.fingerprint(state.id).and_then(|fingerprint| site.find(fingerprint, abstraction));
        here.insert(state.id, known.unwrap_or(next));
        if known.is_none() {
            next = StateId(next.0 + 1);
        }
    }
    site.apply(renumbered(after, &site, &here, apart), abstraction)?;
    let found = difference(&site, earlier, apart + later);
    Ok(in_own_numbers(found, &here))
}

/// The later map with the numbers and the places that it has beside the earlier one.
fn renumbered(after: Changed, site: &Site, here: &BTreeMap<StateId, StateId>, apart: usize) -> Changed {
    let number = |id: StateId| here.get(&id).copied().unwrap_or(id);
    let mut renumbered = Changed {
        change: site.change + after.change,
        versions: site.versions.iter().cloned().chain(after.versions).collect(),
        learnt: None,
        ..after
    };
    renumbered.states.iter_mut().for_each(|state| state.id = number(state.id));
    for (version, sighting) in &mut renumbered.sightings {
        (*version, sighting.state) = (*version + apart, number(sighting.state));
    }
    for (version, transition) in &mut renumbered.transitions {
        (*version, transition.from, transition.to) = (*version + apart, number(transition.from), number(transition.to));
    }
    for (version, opportunity, _) in &mut renumbered.opportunities {
        (*version, opportunity.state) = (*version + apart, number(opportunity.state));
    }
    renumbered
}

/// The later run's side of a difference in the numbers of the later map.
fn in_own_numbers(found: Difference, here: &BTreeMap<StateId, StateId>) -> Difference {
    // Of several states that are one here, the first stands for all.
    let there: BTreeMap<StateId, StateId> = here.iter().rev().map(|(there, here)| (*here, *there)).collect();
    let number = |id: StateId| there.get(&id).copied().unwrap_or(id);
    let state = |state: State| State { id: number(state.id), ..state };
    let transition = |way: Transition| Transition { from: number(way.from), to: number(way.to), ..way };
    Difference {
        appeared: found.appeared.into_iter().map(|lone| Lone { it: state(lone.it), ..lone }).collect(),
        appeared_transitions: found
            .appeared_transitions
            .into_iter()
            .map(|lone| Lone { it: transition(lone.it), ..lone })
            .collect(),
        changed: found.changed.into_iter().map(|(was, is)| (was, state(is))).collect(),
        missing: found.missing,
        missing_transitions: found.missing_transitions,
    }
}
