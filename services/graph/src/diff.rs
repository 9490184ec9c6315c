//! How two versions of a map differ, and how sure that is.
//!
//! A state whose place was taken by another – the same action in the same state leads there, under the same kind of
//! address – has changed; it has not vanished and another one appeared. What the other run did not try, it did not reach.

use crate::abstraction::words::steady;
use crate::site::Site;
use domain::state::{ActionKey, Difference, Lone, State, Transition};
use domain::{Action, StateId};
use std::collections::{BTreeMap, BTreeSet};

/// What a version saw.
struct Seen<'a> {
    site: &'a Site,
    version: usize,
    states: BTreeSet<StateId>,
    /// Where each action led that was tried.
    led: BTreeMap<(StateId, ActionKey), BTreeSet<StateId>>,
}

impl<'a> Seen<'a> {
    fn by(site: &'a Site, version: usize) -> Self {
        let mut led: BTreeMap<(StateId, ActionKey), BTreeSet<StateId>> = BTreeMap::new();
        for (from, key, to, edge) in site.edges() {
            if edge.in_version(version).is_some() {
                led.entry((from, key)).or_default().insert(to);
            }
        }
        Self { site, version, states: site.seen_by(version), led }
    }

    fn offers(&self, from: StateId, key: ActionKey) -> bool {
        self.site.progress(self.version, from, key).is_some()
    }

    /// Whether it stood where a way begins, and knows what became of it: it went there, or saw no such way where the other
    /// run was offered one.
    fn looked(&self, from: StateId, key: ActionKey, was_offered: bool) -> bool {
        let is_gone = was_offered && !self.offers(from, key);
        self.states.contains(&from) && (self.led.contains_key(&(from, key)) || is_gone)
    }
}

/// The difference from one version to a later one.
pub fn difference(site: &Site, before: usize, after: usize) -> Difference {
    let (before, after) = (Seen::by(site, before), Seen::by(site, after));
    // Which state of the earlier version each of the later one stands for.
    let successors = successors(&before, &after);
    let predecessors: BTreeMap<StateId, StateId> = successors.iter().map(|(was, is)| (*is, *was)).collect();
    let changed = before.states.intersection(&after.states).map(|state| (*state, *state)).chain(successors.clone());
    let changed = changed.filter_map(|(was, is)| {
        // A title that pages of one state do not share is data.
        let title = |seen: &Seen<'_>, state| Some(site.sighting(seen.version, state)?.title.clone());
        let titles = (title(&before, was)?, title(&after, is)?);
        let (was, is) = (site.state_of_version(before.version, was)?, site.state_of_version(after.version, is)?);
        let is_titled = !titles.0.is_empty() && !titles.1.is_empty() && !is.template.contains(['#', '*']);
        let is_renamed = is_titled && steady(&titles.0) != steady(&titles.1);
        (was.id != is.id || was.forms != is.forms || is_renamed).then_some((was, is))
    });
    Difference {
        changed: changed.collect(),
        missing: lone_states(&before, &after, &successors),
        appeared: lone_states(&after, &before, &predecessors),
        missing_transitions: lone_transitions(&before, &after, &successors),
        appeared_transitions: lone_transitions(&after, &before, &predecessors),
    }
}

/// States of the earlier version whose place another one took in the later version.
fn successors(before: &Seen<'_>, after: &Seen<'_>) -> BTreeMap<StateId, StateId> {
    let site = before.site;
    let mut found: BTreeMap<StateId, StateId> = BTreeMap::new();
    loop {
        let taken: BTreeSet<StateId> = found.values().copied().collect();
        let mut next = None;
        for ((from, key), led) in &before.led {
            let same = found.get(from).copied().unwrap_or(*from);
            let Some(leads) = after.led.get(&(same, *key)) else { continue };
            let lost = led.iter().filter(|to| !after.states.contains(to) && !found.contains_key(to));
            let won = leads.iter().filter(|to| !before.states.contains(to) && !taken.contains(to));
            let template = |state: &StateId| site.state(*state).map(|state| state.template.clone());
            let pairs = lost.flat_map(|was| won.clone().map(move |is| (*was, *is)));
            next = next.or_else(|| pairs.into_iter().find(|(was, is)| template(was) == template(is)));
        }
        match next {
            Some((was, is)) => found.insert(was, is),
            None => return found,
        };
    }
}

/// States that only `here` has. `there` stands for them by another state where it does.
fn lone_states(here: &Seen<'_>, there: &Seen<'_>, counterparts: &BTreeMap<StateId, StateId>) -> Vec<Lone<State>> {
    let lone = here.states.difference(&there.states).filter(|state| !counterparts.contains_key(state));
    let as_there = |state: &StateId| counterparts.get(state).copied().unwrap_or(*state);
    let lone = lone.filter_map(|state| {
        let mut ways = here.led.iter().filter(|((from, _), led)| from != state && led.contains(state));
        let is_sure = ways.any(|((from, key), _)| there.looked(as_there(from), *key, here.offers(*from, *key)));
        Some(Lone { it: here.site.state_of_version(here.version, *state)?, is_sure })
    });
    lone.collect()
}

/// Transitions between states of both versions that only `here` has.
fn lone_transitions(
    here: &Seen<'_>,
    there: &Seen<'_>,
    counterparts: &BTreeMap<StateId, StateId>,
) -> Vec<Lone<Transition>> {
    let as_there = |state: StateId| counterparts.get(&state).copied().unwrap_or(state);
    let mut lone = Vec::new();
    for (from, key, to, edge) in here.site.edges() {
        let Some((tally, last_seen)) = edge.in_version(here.version) else { continue };
        let (other_from, other_to) = (as_there(from), as_there(to));
        let has_both = there.states.contains(&other_from) && there.states.contains(&other_to);
        let is_there = there.led.get(&(other_from, key)).is_some_and(|led| led.contains(&other_to));
        if has_both && !is_there {
            let it = Transition { from, key, action: Action::clone(&edge.action), to, tally, last_seen };
            lone.push(Lone { it, is_sure: there.looked(other_from, key, here.offers(from, key)) });
        }
    }
    lone
}
