//! One side of a comparison: the states, edges and controls of one version, or of several taken together.

use crate::abstraction::words::{Target, steady};
use crate::merge::name_of;
use crate::site::Site;
use domain::action::ActionKind;
use domain::state::{ActionKey, EdgeTally, Opportunity, State, Transition};
use domain::{Action, Descriptor, StateId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::UNIX_EPOCH;
use url::Url;

/// One side of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// The versions, as indices into the map's; the first one takes precedence.
    pub versions: Vec<usize>,
    /// Their start state; the map's first state when absent.
    pub start: Option<StateId>,
    /// The observed addresses of pages, where known. Without them no state counts as moved.
    pub arrived: Vec<PageVisit>,
    /// States as this side saw them first, where the map stores them as another side saw them.
    pub own: BTreeMap<StateId, State>,
}

/// A visit to a page.
#[derive(Clone, Debug)]
pub struct PageVisit {
    /// The state that it showed.
    pub state: StateId,
    /// The state and action that led there.
    pub by: Option<(StateId, Action<Descriptor>)>,
    /// Its address.
    pub url: String,
}

/// The role of a control, and its normalized name.
pub(super) type Label = (String, String);

/// A control of a state.
#[derive(Clone, Debug)]
pub(super) struct Control {
    pub(super) role: String,
    /// Its name as observed.
    pub(super) name: String,
    /// Its role and normalized name.
    pub(super) label: Label,
    pub(super) kind: ActionKind,
    /// Whether its label is data: other controls of the state do the same to other data.
    pub(super) is_data: bool,
}

/// Indexes over what one side saw.
pub(super) struct SideIndex<'a> {
    pub(super) site: &'a Site,
    side: &'a Side,
    pub(super) states: BTreeSet<StateId>,
    pub(super) start: Option<StateId>,
    /// The ends of each tried action.
    pub(super) led: BTreeMap<(StateId, ActionKey), BTreeSet<StateId>>,
    /// The ends of actions by name, in any state.
    pub(super) led_by_name: BTreeMap<u64, BTreeSet<StateId>>,
    /// The ends of controls by label, in any state.
    pub(super) led_by_label: BTreeMap<Label, BTreeSet<StateId>>,
    pub(super) controls: BTreeMap<StateId, BTreeMap<ActionKey, Control>>,
    /// The address templates at which each state was seen.
    pub(super) addresses: BTreeMap<StateId, BTreeSet<String>>,
    /// The addresses to which controls of each label led from one state to another, by template.
    pub(super) led_to: BTreeMap<(StateId, Label, StateId), BTreeMap<String, String>>,
    /// The address at which each state was seen first, and its template.
    first: BTreeMap<StateId, (String, String)>,
}

impl<'a> SideIndex<'a> {
    pub(super) fn by(site: &'a Site, side: &'a Side) -> Self {
        let mut seen = Self {
            site,
            side,
            states: side.versions.iter().flat_map(|version| site.seen_by(*version)).collect(),
            start: None,
            led: BTreeMap::new(),
            led_by_name: BTreeMap::new(),
            led_by_label: BTreeMap::new(),
            controls: BTreeMap::new(),
            addresses: BTreeMap::new(),
            led_to: BTreeMap::new(),
            first: BTreeMap::new(),
        };
        let begin = side.start.or(site.start()).filter(|start| seen.states.contains(start));
        seen.start = begin.or(seen.states.first().copied());
        for (from, key, to, edge) in site.edges() {
            if side.versions.iter().any(|version| edge.in_version(*version).is_some()) {
                seen.led.entry((from, key)).or_default().insert(to);
                seen.led_by_name.entry(name_of(key)).or_default().insert(to);
            }
        }
        for state in &seen.states {
            seen.controls.insert(*state, controls(site, side, *state));
        }
        seen.arrive();
        if side.arrived.is_empty() {
            // Only a control's first label is known.
            for ((from, key), ends) in &seen.led {
                if let Some(control) = seen.controls.get(from).and_then(|controls| controls.get(key)) {
                    seen.led_by_label.entry(control.label.clone()).or_default().extend(ends);
                }
            }
        }
        seen
    }

    /// Indexes the addresses of visits.
    fn arrive(&mut self) {
        for PageVisit { state, by, url } in &self.side.arrived {
            let Ok(parsed) = Url::parse(url) else { continue };
            let (kind, template) = (kind_of(&parsed), Target::of_page(&parsed).to_string());
            self.addresses.entry(*state).or_default().insert(kind.clone());
            self.first.entry(*state).or_insert_with(|| (url.clone(), template));
            if let Some((from, label)) = by.as_ref().and_then(|(from, action)| Some((*from, label_of(action)?))) {
                self.led_by_label.entry(label.clone()).or_default().insert(*state);
                let led_to = self.led_to.entry((from, label, *state)).or_default();
                led_to.entry(kind).or_insert_with(|| url.clone());
            }
        }
    }

    /// An address of a template that a control of a label led to and that its source state does not have: a control
    /// that stays at its address says nothing about where the target is.
    pub(super) fn led_away_to(&self, from: StateId, label: &Label, to: StateId) -> Option<&String> {
        let at = self.addresses.get(&from);
        let led_to = self.led_to.get(&(from, label.clone(), to))?;
        led_to.iter().find(|(kind, _)| at.is_none_or(|at| !at.contains(*kind))).map(|(_, url)| url)
    }

    /// A state as this side saw it.
    pub(super) fn state(&self, id: StateId) -> Option<State> {
        let state = self.side.versions.iter().find_map(|version| self.site.state_of_version(*version, id))?;
        let (url, template) = match (self.first.get(&id), self.side.own.get(&id)) {
            (Some((url, template)), _) => (url.clone(), template.clone()),
            (None, Some(own)) => (own.url.clone(), own.template.clone()),
            (None, None) => (state.url.clone(), state.template.clone()),
        };
        let own_title = || self.side.own.get(&id).map(|own| own.title.clone());
        let title = if self.title(id).is_some() { state.title } else { own_title().unwrap_or(state.title) };
        Some(State { url, template, title, ..state })
    }

    /// The title common to all pages of a state.
    pub(super) fn title(&self, id: StateId) -> Option<&str> {
        let titles = self.side.versions.iter().filter_map(|version| self.site.sighting(*version, id));
        let titles: BTreeSet<&str> = titles.map(|seen| seen.title.as_str()).collect();
        match titles.into_iter().collect::<Vec<_>>()[..] {
            [title] if !title.is_empty() => Some(title),
            _ => None,
        }
    }

    /// An action in a state and where it led, with the statistics of this side.
    pub(super) fn transition(&self, from: StateId, key: ActionKey, to: StateId) -> Option<Transition> {
        let edge = self.site.edge(from, key, to)?;
        let (mut tally, mut last_seen) = (EdgeTally::default(), UNIX_EPOCH);
        for (of_version, seen) in self.side.versions.iter().filter_map(|version| edge.in_version(*version)) {
            tally += of_version;
            last_seen = last_seen.max(seen);
        }
        // The last action may be the other side's, where the control has another label.
        let offered = self.opportunity(from, key);
        let is_data = self.control(from, key).is_none_or(|control| control.is_data);
        let action = match offered.filter(|_| !is_data) {
            Some(offered) if offered.action.kind() == ActionKind::Click => offered.action,
            _ => Action::clone(&edge.action),
        };
        Some(Transition { from, key, action, to, tally, last_seen })
    }

    /// An action that a state offers.
    pub(super) fn opportunity(&self, state: StateId, key: ActionKey) -> Option<Opportunity> {
        self.side.versions.iter().find_map(|version| self.site.opportunity(*version, state, key))
    }

    pub(super) fn control(&self, state: StateId, key: ActionKey) -> Option<&Control> {
        self.controls.get(&state)?.get(&key)
    }

    /// Whether a state has a control with a label.
    pub(super) fn has(&self, state: StateId, label: &Label) -> bool {
        self.controls.get(&state).is_some_and(|controls| controls.values().any(|control| control.label == *label))
    }

    /// The one control of a state with a label; none when there are several.
    pub(super) fn labelled(&self, state: StateId, label: &Label) -> Option<ActionKey> {
        let mut keys = self.controls.get(&state)?.iter().filter(|(_, control)| control.label == *label);
        let key = keys.next().map(|(key, _)| *key);
        if keys.next().is_some() { None } else { key }
    }
}

/// The label of an action's control.
fn label_of(action: &Action<Descriptor>) -> Option<Label> {
    let element = action.element()?;
    let name = if element.name.is_empty() { &element.context } else { &element.name };
    Some((element.role.clone(), steady(name)))
}

/// The template of an address, without parameters that do not select a page.
fn kind_of(url: &Url) -> String {
    let target = Target::of_page(url).to_string();
    let Some((path, query)) = target.split_once('?') else { return target };
    let telling: Vec<&str> = query.split('&').filter(|parameter| parameter.contains('=')).collect();
    if telling.is_empty() { path.to_owned() } else { format!("{path}?{}", telling.join("&")) }
}

fn controls(site: &Site, side: &Side, state: StateId) -> BTreeMap<ActionKey, Control> {
    let mut offered: BTreeMap<ActionKey, &Action<Descriptor>> = BTreeMap::new();
    for version in &side.versions {
        for (key, action) in site.offered_in(*version, state) {
            offered.entry(key).or_insert(action);
        }
    }
    let mut of_name: BTreeMap<u64, usize> = BTreeMap::new();
    offered.keys().for_each(|key| *of_name.entry(name_of(*key)).or_default() += 1);
    let control = |(key, action): (ActionKey, &Action<Descriptor>)| {
        let element = action.element()?;
        let name = if element.name.is_empty() { &element.context } else { &element.name };
        let label = label_of(action)?;
        let is_data = of_name.get(&name_of(key)).is_some_and(|count| *count > 1);
        let (role, name, kind) = (element.role.clone(), name.clone(), action.kind());
        Some((key, Control { role, name, label, kind, is_data }))
    };
    offered.into_iter().filter_map(control).collect()
}
