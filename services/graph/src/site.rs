//! The map of one site in memory, indexed for lookups.
//!
//! It follows the store and never runs ahead of it: decisions are written to the store first and come back through
//! [`Site::apply`].

use crate::abstraction::{Abstraction, Fingerprint, Learnt};
use crate::actions::{ActionTable, InternedAction, address_of_page};
use crate::addresses::Addresses;
use crate::encoding::decode;
use crate::error::Error;
use crate::novelty::{NoveltyEvidence, NoveltyStats, Outcome};
use crate::path::{Hop, hops};
use domain::action::ActionKind;
use domain::state::{ActionKey, EdgeTally, Map, MapStatus, Opportunity, Progress, State, Transition, Version};
use domain::storage::graph::{Changes, Sighting, SiteDelta};
use domain::{Action, Descriptor, RunId, StateId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::SystemTime;

/// A map, with every version of it.
#[derive(Default)]
pub struct Site {
    /// Number of the last applied change.
    pub change: u64,
    /// Its versions, oldest first. Elsewhere a version is its index here.
    pub versions: Vec<Version>,
    /// What was learnt of the site.
    pub learnt: Learnt,
    // `states`, `sightings`, `edges` and `frontier` mirror the store. All other fields below are indexes over them, each for
    // one question that is asked for every page. Only `apply` changes them, so that none can miss a change; `learn` rebuilds
    // the buckets, and `opened` adds what this instance alone knows of addresses.
    states: BTreeMap<StateId, KnownState>,
    /// States by the bucket of their fingerprint.
    buckets: HashMap<Option<u64>, Vec<StateId>>,
    sightings: BTreeMap<(usize, StateId), Sighting>,
    edges: BTreeMap<(StateId, ActionKey, StateId), Edge>,
    /// By state number: the cheapest transition to each neighbour.
    hops: Vec<Box<[Hop]>>,
    frontier: BTreeMap<(usize, StateId, ActionKey), FrontierEntry>,
    actions: ActionTable,
    novelty: NoveltyStats,
    addresses: Addresses,
    /// Number of actions of a kind in the states of an address template, per version.
    offered: HashMap<(usize, String, ActionKind), usize>,
}

/// A frontier entry: an action and its progress.
type FrontierEntry = (Arc<InternedAction>, Progress);

struct KnownState {
    state: Arc<State>,
    fingerprint: Fingerprint,
}

/// An observed edge, with its statistics per version.
pub(crate) struct Edge {
    pub(crate) action: Arc<InternedAction>,
    /// One entry per version, unordered: there are few.
    by_version: Vec<(usize, EdgeTally, SystemTime)>,
}

impl Edge {
    /// The statistics over all versions.
    pub(crate) fn tally(&self) -> EdgeTally {
        let mut sum = EdgeTally::default();
        self.by_version.iter().for_each(|(_, tally, _)| sum += *tally);
        sum
    }

    /// The statistics in one version, and when it was last seen there.
    pub(crate) fn in_version(&self, version: usize) -> Option<(EdgeTally, SystemTime)> {
        self.by_version.iter().find(|(of, ..)| *of == version).map(|(_, tally, seen)| (*tally, *seen))
    }

    /// When it was last seen in any version.
    pub(crate) fn last_seen(&self) -> Option<SystemTime> {
        self.by_version.iter().map(|(.., seen)| *seen).max()
    }

    fn set(&mut self, version: usize, tally: EdgeTally, last_seen: SystemTime) {
        match self.by_version.iter_mut().find(|(of, ..)| *of == version) {
            Some(known) => *known = (version, tally, last_seen),
            None => {
                self.by_version.reserve_exact(1);
                self.by_version.push((version, tally, last_seen));
            }
        }
    }
}

impl Site {
    /// Applies changes from the store.
    ///
    /// # Errors
    /// [`Error::OtherAbstraction`] when it is of a map that was made with another one; [`Error::Corrupt`] when a fingerprint
    /// or what was learnt cannot be read.
    pub fn apply(&mut self, changed: SiteDelta, abstraction: &dyn Abstraction) -> Result<(), Error> {
        if ![abstraction.name(), ""].contains(&changed.abstraction.as_str()) {
            return Err(Error::OtherAbstraction { made: changed.abstraction, set: abstraction.name() });
        }
        // The order matters: sightings and transitions name states, so states come first; novelty counts the actions of a newly
        // seen state before the transition that found it; hops are computed once the state's edges are complete.
        self.versions = changed.versions;
        for mut state in changed.states {
            let fingerprint = decode("the fingerprint of a state", &std::mem::take(&mut state.fingerprint))?;
            let id = state.id;
            if !self.states.contains_key(&id) {
                if self.states.is_empty() {
                    self.addresses.begins(id, &state.url);
                }
                let bucket = abstraction.bucket(&fingerprint, &self.learnt);
                self.buckets.entry(bucket).or_default().push(id);
                self.states.insert(id, KnownState { state: Arc::new(state), fingerprint });
            }
        }
        if let Some(learnt) = changed.learnt {
            self.learn(decode("what was learnt of a site", &learnt)?, abstraction);
        }
        let mut fresh = BTreeSet::new();
        for (version, sighting) in changed.sightings {
            if !self.sightings.contains_key(&(version, sighting.state)) {
                fresh.insert((version, sighting.state));
            }
            self.sightings.insert((version, sighting.state), sighting);
        }
        let mut intern = |(version, offered, progress): (usize, Opportunity, Progress)| {
            ((version, offered.state), offered.key, self.actions.intern(offered.action), progress)
        };
        let offered: Vec<_> = changed.opportunities.into_iter().map(&mut intern).collect();
        let mut of_fresh: BTreeMap<(usize, StateId), Vec<&InternedAction>> =
            fresh.iter().map(|seen| (*seen, Vec::new())).collect();
        for (seen, _, action, _) in &offered {
            of_fresh.entry(*seen).and_modify(|offered| offered.push(action));
        }
        for (seen, offered) in of_fresh {
            if let Some(known) = self.states.get(&seen.1) {
                self.novelty.saw(seen, &known.state.url, &known.state.template, offered.into_iter());
            }
        }
        let mut left = BTreeSet::new();
        for (version, transition) in changed.transitions {
            let Transition { from, key, action, to, tally, last_seen } = transition;
            left.insert(from);
            let edge = self.edges.entry((from, key, to));
            let action = self.actions.intern(action);
            let is_first = fresh.remove(&(version, to));
            if is_first {
                self.novelty.found(version, key, &action, to);
            }
            // A form's result is not available by opening its address.
            let ends = self.states.get(&to).zip(self.states.get(&from));
            if let Some((to, from)) = ends.filter(|_| action.address.is_some()) {
                let is_its_own = action.address == Some(address_of_page(&to.state.url));
                if is_first || is_its_own {
                    self.addresses.reached_by_link(to.state.id, &to.state.url, &from.state.url);
                }
            }
            let outcome = outcome(&self.states, from, to);
            self.novelty.led_to((version, from), key, &action, outcome);
            let edge = edge.or_insert_with(|| Edge { action: action.clone(), by_version: Vec::new() });
            // As it was done first in a version: later the same control may be called otherwise, as in another language of the interface.
            if edge.in_version(version).is_none() {
                edge.action = action;
            }
            edge.set(version, tally, last_seen);
        }
        // No action led there: a browser began there, or was put there by logging in.
        for (_, began) in fresh {
            if let Some(known) = self.states.get(&began) {
                self.addresses.begins(began, &known.state.url);
            }
        }
        for from in left {
            let place = from.0 as usize;
            if place >= self.hops.len() {
                self.hops.resize_with(self.next().0 as usize, Box::default);
            }
            let found = hops(self, from);
            if let Some(hops) = self.hops.get_mut(place) {
                *hops = found.into();
            }
        }
        for ((version, state), key, action, progress) in offered {
            let place = (version, state, key);
            if !self.frontier.contains_key(&place)
                && let Some(known) = self.states.get(&state)
            {
                let kind = (version, known.state.template.clone(), action.kind());
                *self.offered.entry(kind).or_default() += 1;
            }
            let before = self.frontier.insert(place, (action.clone(), progress)).map(|(_, progress)| progress);
            if progress == Progress::Done && before != Some(Progress::Done) {
                self.novelty.tried((version, state), key, &action);
            }
        }
        self.change = changed.change;
        Ok(())
    }

    /// Applies newly learnt facts.
    pub(crate) fn learn(&mut self, learnt: Learnt, abstraction: &dyn Abstraction) {
        self.learnt = learnt;
        // Buckets depend on the ignored features.
        self.buckets.clear();
        for (id, known) in &self.states {
            let bucket = abstraction.bucket(&known.fingerprint, &self.learnt);
            self.buckets.entry(bucket).or_default().push(*id);
        }
    }

    /// The delta of changes just written on top of this map, as the store would report it.
    pub fn written(&self, version: &Version, changes: &Changes, change: u64, ticket_held: bool) -> SiteDelta {
        let mut versions = self.versions.clone();
        let place = self.place_of(version).unwrap_or_else(|| {
            versions.push(version.clone());
            versions.len() - 1
        });
        let sighting = |seen: &Sighting| {
            let Some(before) = self.sighting(place, seen.state) else { return (place, seen.clone()) };
            let title = if before.title == seen.title { seen.title.clone() } else { String::new() };
            (place, Sighting { visits: before.visits + seen.visits, title, ..seen.clone() })
        };
        let transition = |taken: &Transition| {
            let mut taken = taken.clone();
            let edge = self.edge(taken.from, taken.key, taken.to);
            if let Some((before, last_seen)) = edge.and_then(|edge| edge.in_version(place)) {
                taken.tally += before;
                taken.last_seen = taken.last_seen.max(last_seen);
            }
            (place, taken)
        };
        let settled = changes.ticket.as_ref().filter(|_| ticket_held).and_then(|ticket| {
            let version = self.place_of(&ticket.version)?;
            let (action, _) = self.frontier.get(&(version, ticket.state, ticket.key))?;
            let (state, key, action) = (ticket.state, ticket.key, Action::clone(action));
            Some((version, Opportunity { state, key, action }, Progress::Done))
        });
        let opened = changes.opportunities.iter().map(|opportunity| (place, opportunity.clone(), Progress::Open));
        SiteDelta {
            change,
            abstraction: changes.abstraction.clone(),
            states: changes.states.clone(),
            sightings: changes.sightings.iter().map(sighting).collect(),
            transitions: changes.transitions.iter().map(transition).collect(),
            opportunities: opened.chain(settled).collect(),
            learnt: changes.learnt.clone(),
            versions,
        }
    }

    /// The nearest state within the threshold: near-duplicates are merged here.
    pub fn find(&self, fingerprint: &Fingerprint, abstraction: &dyn Abstraction) -> Option<StateId> {
        let candidates = self.buckets.get(&abstraction.bucket(fingerprint, &self.learnt))?;
        let distance = |id: &StateId| {
            let known = self.states.get(id)?;
            Some((abstraction.distance(&known.fingerprint, fingerprint, &self.learnt), *id))
        };
        let near = candidates.iter().filter_map(distance).filter(|(distance, _)| *distance <= abstraction.threshold());
        near.min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1))).map(|(_, id)| id)
    }

    /// The nearest state of a template, if the template has at least so many states.
    pub(crate) fn nearest_of(
        &self,
        template: &str,
        at_least: usize,
        fingerprint: &Fingerprint,
        abstraction: &dyn Abstraction,
    ) -> Option<StateId> {
        let of_template = || self.states.iter().filter(|(_, known)| known.state.template == template);
        if of_template().count() < at_least {
            return None;
        }
        let distance = |known: &KnownState| abstraction.distance(&known.fingerprint, fingerprint, &self.learnt);
        of_template().min_by(|one, other| distance(one.1).total_cmp(&distance(other.1))).map(|(id, _)| *id)
    }

    /// A state.
    pub fn state(&self, id: StateId) -> Option<&Arc<State>> {
        self.states.get(&id).map(|known| &known.state)
    }

    /// Every state, in order of their numbers.
    pub fn states(&self) -> impl Iterator<Item = &Arc<State>> {
        self.states.values().map(|known| &known.state)
    }

    pub(crate) fn fingerprint(&self, id: StateId) -> Option<&Fingerprint> {
        self.states.get(&id).map(|known| &known.fingerprint)
    }

    /// The number of the next state.
    pub(crate) fn next(&self) -> StateId {
        StateId(self.states.last_key_value().map_or(0, |(id, _)| id.0) + 1)
    }

    /// Records that opening an address found a state. Known to this instance only; it affects costs, not content.
    pub(crate) fn opened(&mut self, url: &str, found: StateId) {
        if let Some(known) = self.states.get(&found) {
            self.addresses.opened(url, found, &known.state.url);
        }
    }

    /// The states of a version, or of all, that have an address, with the probability of finding them there.
    pub(crate) fn openable(&self, version: Option<usize>) -> impl Iterator<Item = (StateId, f64)> {
        let is_seen = move |state| version.is_none_or(|version| self.sightings.contains_key(&(version, state)));
        self.addresses.states().filter(move |(state, _)| is_seen(*state))
    }

    /// The state in which a site begins.
    pub(crate) fn start(&self) -> Option<StateId> {
        self.states.first_key_value().map(|(id, _)| *id)
    }

    /// The edges from a state.
    pub(crate) fn edges_from(&self, from: StateId) -> impl Iterator<Item = (ActionKey, StateId, &Edge)> {
        let range = (from, ActionKey(0), StateId(0))..=(from, ActionKey(u64::MAX), StateId(u64::MAX));
        self.edges.range(range).map(|((_, key, to), edge)| (*key, *to, edge))
    }

    /// The edge from a state by an action to another.
    pub(crate) fn edge(&self, from: StateId, key: ActionKey, to: StateId) -> Option<&Edge> {
        self.edges.get(&(from, key, to))
    }

    /// The cheapest transition from a state to each of its neighbours.
    pub(crate) fn hops(&self, from: StateId) -> &[Hop] {
        self.hops.get(from.0 as usize).map_or(&[], |hops| hops)
    }

    /// Number of actions of a kind that a version was offered in the states of an address template.
    pub(crate) fn offered_of(&self, version: usize, template: &str, kind: ActionKind) -> usize {
        self.offered.get(&(version, template.to_owned(), kind)).copied().unwrap_or_default()
    }

    /// All edges.
    pub(crate) fn edges(&self) -> impl Iterator<Item = (StateId, ActionKey, StateId, &Edge)> {
        self.edges.iter().map(|((from, key, to), edge)| (*from, *key, *to, edge))
    }

    /// The index of a run's version.
    ///
    /// # Errors
    /// [`Error::NotFound`].
    pub(crate) fn version_of(&self, run: &RunId) -> Result<usize, Error> {
        let found = self.versions.iter().position(|version| version.run == *run);
        found.ok_or_else(|| {
            let known: Vec<&str> = self.versions.iter().map(|version| version.run.as_str()).collect();
            Error::NotFound(format!("the map has no version `{run}`; there are: {}", known.join(", ")))
        })
    }

    pub(crate) fn place_of(&self, version: &Version) -> Option<usize> {
        self.versions.iter().position(|known| known == version)
    }

    pub(crate) fn sighting(&self, version: usize, state: StateId) -> Option<&Sighting> {
        self.sightings.get(&(version, state))
    }

    /// The states that a version saw.
    pub(crate) fn seen_by(&self, version: usize) -> BTreeSet<StateId> {
        let range = (version, StateId(0))..=(version, StateId(u64::MAX));
        self.sightings.range(range).map(|((_, state), _)| *state).collect()
    }

    /// The progress of an opportunity.
    pub(crate) fn progress(&self, version: usize, state: StateId, key: ActionKey) -> Option<Progress> {
        self.frontier.get(&(version, state, key)).map(|(_, progress)| *progress)
    }

    /// Every opportunity of a version, with its progress.
    pub(crate) fn offered_by(
        &self,
        version: usize,
    ) -> impl Iterator<Item = (StateId, ActionKey, &InternedAction, Progress)> {
        let range = (version, StateId(0), ActionKey(0))..=(version, StateId(u64::MAX), ActionKey(u64::MAX));
        self.frontier
            .range(range)
            .map(|((_, state, key), (action, progress))| (*state, *key, action.as_ref(), *progress))
    }

    /// The opportunities of a state in a version.
    pub(crate) fn offered_in(
        &self,
        version: usize,
        state: StateId,
    ) -> impl Iterator<Item = (ActionKey, &Action<Descriptor>)> {
        let range = (version, state, ActionKey(0))..=(version, state, ActionKey(u64::MAX));
        self.frontier.range(range).map(|((_, _, key), (action, _))| (*key, &***action))
    }

    /// An opportunity of a version.
    pub(crate) fn opportunity(&self, version: usize, state: StateId, key: ActionKey) -> Option<Opportunity> {
        let (action, _) = self.frontier.get(&(version, state, key))?;
        Some(Opportunity { state, key, action: Action::clone(action) })
    }

    /// The evidence on the novelty of an action.
    pub(crate) fn known_of(
        &self,
        version: usize,
        state: StateId,
        key: ActionKey,
        action: &InternedAction,
    ) -> NoveltyEvidence {
        self.novelty.evidence(version, state, key, action)
    }

    /// The control that an action of a state is, wherever else it is shown.
    pub(crate) fn control_of(&self, version: usize, state: StateId, key: ActionKey, action: &InternedAction) -> u64 {
        self.novelty.control(version, state, key, action)
    }

    /// Whether one more action of known outcome may be tried in a version.
    pub(crate) fn may_repeat(&self, version: usize) -> bool {
        self.novelty.may_repeat(version)
    }

    /// The status of the map. Only the store knows claims, so claimed counts as open here.
    pub fn status(&self) -> MapStatus {
        let done = self.frontier.values().filter(|(_, progress)| *progress == Progress::Done).count() as u64;
        MapStatus {
            states: self.states.len() as u64,
            transitions: self.edges.len() as u64,
            open: self.frontier.len() as u64 - done,
            claimed: 0,
            done,
        }
    }

    /// The whole map, or what one version saw with its own statistics.
    pub fn map(&self, version: Option<usize>) -> Map {
        let is_seen = |id: &StateId| version.is_none_or(|version| self.sightings.contains_key(&(version, *id)));
        let transition = |(from, key, to, edge): (StateId, ActionKey, StateId, &Edge)| {
            let (tally, last_seen) = match version {
                Some(version) => edge.in_version(version)?,
                None => (edge.tally(), edge.last_seen()?),
            };
            Some(Transition { from, key, action: Action::clone(&edge.action), to, tally, last_seen })
        };
        let states = self.states.iter().filter(|(id, _)| is_seen(id)).map(|(id, known)| match version {
            Some(version) => self.state_of_version(version, *id).unwrap_or_else(|| State::clone(&known.state)),
            None => State::clone(&known.state),
        });
        Map {
            states: states.collect(),
            transitions: self.edges().filter_map(transition).collect(),
            start: self.start(),
        }
    }

    /// A state as a version saw it.
    pub(crate) fn state_of_version(&self, version: usize, id: StateId) -> Option<State> {
        let seen = self.sighting(version, id)?;
        let state = State::clone(self.state(id)?);
        let title = if seen.title.is_empty() { state.title.clone() } else { seen.title.clone() };
        Some(State { title, forms: seen.forms.clone(), ..state })
    }
}

/// What came of an action, as far as it can be compared between states: nothing, what appeared on the same page and what went, or
/// the page that it led to.
fn outcome(states: &BTreeMap<StateId, KnownState>, from: StateId, to: StateId) -> Outcome {
    if from == to {
        return Outcome(0);
    }
    let elsewhere = Outcome(to.0);
    let Some((from, to)) = states.get(&from).zip(states.get(&to)) else { return elsewhere };
    if from.state.template != to.state.template {
        return elsewhere;
    }
    to.fingerprint.change_from(&from.fingerprint).map_or(elsewhere, Outcome)
}
