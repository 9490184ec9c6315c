//! Decides which state an observation shows and what to write. Pure: the store writes, and reports when another writer
//! was faster.

use crate::abstraction::words::{Target, steady};
use crate::abstraction::{Abstraction, Fingerprint, Page, PageInput, names, places};
use crate::encoding::encode;
use crate::error::Error;
use crate::site::Site;
use domain::action::ActionKind;
use domain::listing::BETWEEN;
use domain::observation::Visibility;
use domain::state::{ActionKey, Arrival, EdgeTally, Form, LocateRequest, Opportunity, State, Transition, attempt};
use domain::storage::graph::{Changes, Sighting};
use domain::{Action, Descriptor, Effect, ElementId, Node, Observation, StateId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::time::SystemTime;
use xxhash_rust::xxh3::xxh3_64;

/// Limits on the growth of a map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Caps {
    /// Most states per address template; a further page is merged into the nearest of them.
    pub states_per_template: usize,
    /// Most actions of one name explored per page, e.g. of thirty rows with a button.
    pub actions_of_a_name: usize,
    /// Most actions of one kind explored in the states of one address template.
    pub actions_per_template_and_kind: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { states_per_template: 200, actions_of_a_name: 12, actions_per_template_and_kind: 1_000 }
    }
}

/// An action that a page offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfferedAction {
    /// Its name.
    pub key: ActionKey,
    /// The element.
    pub element: ElementId,
    /// The operation on it.
    pub kind: ActionKind,
    /// Its number among the page's actions that do the same to other data, from 1.
    pub number: usize,
}

/// The decision on an observation.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The state.
    pub state: StateId,
    /// Whether it is new.
    pub is_new: bool,
    /// What the page offers, in document order.
    pub offered: Vec<OfferedAction>,
    /// The changes to write.
    pub changes: Changes,
}

/// An observation prepared for deciding: computed once, even if deciding is retried.
pub struct ParsedPage {
    fingerprint: Fingerprint,
    encoded: Vec<u8>,
    template: String,
    offered: Vec<OfferedAction>,
}

/// Reads an observation.
///
/// # Errors
/// [`Error::Invalid`] when the abstraction wants a vector and there is none.
pub fn read(request: &LocateRequest, abstraction: &dyn Abstraction) -> Result<ParsedPage, Error> {
    if abstraction.wants_vector() && request.vector.is_none() {
        return Err(Error::Invalid(format!("vector: abstraction `{}` needs the page's embedding", abstraction.name())));
    }
    let page = Page::from(request.observation.as_ref());
    let fingerprint =
        abstraction.fingerprint(&PageInput { page: &page, vector: request.vector.as_deref(), picture: None });
    // An open browser dialog blocks every control.
    let offered = if page.dialog.is_none() { offered(&request.observation, &page) } else { Vec::new() };
    let template = page.url.as_ref().map_or_else(String::new, |url| Target::of_page(url).to_string());
    let encoded = encode("the fingerprint of a state", &fingerprint)?;
    Ok(ParsedPage { fingerprint, encoded, template, offered })
}

/// Decides what an observation shows.
///
/// # Errors
/// [`Error::NotFound`] when the request names a state that is not there.
pub fn decide(
    site: &Site,
    request: &LocateRequest,
    read: &ParsedPage,
    abstraction: &dyn Abstraction,
    caps: &Caps,
    now: SystemTime,
) -> Result<Decision, Error> {
    let named = [request.reload_of, request.arrival.as_ref().map(|arrival| arrival.from)];
    if let Some(unknown) = named.into_iter().flatten().find(|id| site.state(*id).is_none()) {
        return Err(Error::NotFound(format!("locate a page: the map has no state {unknown}")));
    }
    let mut changes = Changes {
        known: site.change,
        abstraction: abstraction.name().to_owned(),
        ticket: request.ticket.clone(),
        ..Changes::default()
    };
    let mut learnt = site.learnt.clone();
    let mut is_more = learnt.page(&read.fingerprint);
    if let Some(before) = request.reload_of.and_then(|state| site.fingerprint(state)) {
        is_more |= learnt.again(before, &read.fingerprint);
    }
    if is_more {
        changes.learnt = Some(encode("what was learnt of a site", &learnt)?);
    }

    let observation = &request.observation;
    let found = existing_state(site, request, read, abstraction, caps);
    let state = found.unwrap_or_else(|| site.next());
    let forms = forms(observation);
    if found.is_none() {
        changes.states.push(State {
            id: state,
            url: observation.url.clone(),
            template: read.template.clone(),
            title: clip(&observation.title, 200),
            summary: summary(observation),
            forms: forms.clone(),
            fingerprint: read.encoded.clone(),
            screenshot: request.screenshot.clone(),
        });
    }
    changes.sightings.push(Sighting { state, title: clip(&observation.title, 200), forms, visits: 1 });
    // Opening an address is no transition from the state that was left, unless the state is otherwise unreachable.
    let is_way = found.is_none() || request.opened.is_none();
    changes.transitions.extend(transition(site, request, state, now).filter(|_| is_way));
    changes.opportunities = opportunities(site, request, state, read, caps);
    changes.session = Some((observation.stamp.session.clone(), observation.stamp.number, state));
    Ok(Decision { state, is_new: found.is_none(), offered: read.offered.clone(), changes })
}

/// The existing state that the page shows.
fn existing_state(
    site: &Site,
    request: &LocateRequest,
    read: &ParsedPage,
    abstraction: &dyn Abstraction,
    caps: &Caps,
) -> Option<StateId> {
    // A reloaded page is the same state, unless it changed beyond recognition.
    let reloaded = request.reload_of.filter(|state| {
        let mut learnt = site.learnt.clone();
        site.fingerprint(*state).is_some_and(|before| {
            learnt.again(before, &read.fingerprint);
            abstraction.distance(before, &read.fingerprint, &learnt) <= abstraction.threshold()
        })
    });
    let nearest = || site.nearest_of(&read.template, caps.states_per_template, &read.fingerprint, abstraction);
    reloaded.or_else(|| site.find(&read.fingerprint, abstraction)).or_else(nearest)
}

fn transition(site: &Site, request: &LocateRequest, to: StateId, now: SystemTime) -> Option<Transition> {
    let arrival = request.arrival.as_ref()?;
    let has_failed =
        matches!(arrival.effect, Effect::Failed { .. } | Effect::Unconfirmed { .. } | Effect::LeftScope { .. });
    Some(Transition {
        from: arrival.from,
        key: arrival.key.or_else(|| known_key(site, request, arrival)).unwrap_or_else(|| key_of(&arrival.action)),
        action: arrival.action.clone(),
        to,
        tally: EdgeTally {
            count: 1,
            succeeded: u64::from(!has_failed),
            latency_ms: u64::try_from(arrival.latency.as_millis()).unwrap_or(u64::MAX),
        },
        last_seen: now,
    })
}

/// The key of a known action of the state: the same operation on an element with a common locator.
fn known_key(site: &Site, request: &LocateRequest, arrival: &Arrival) -> Option<ActionKey> {
    let version = site.place_of(&request.version)?;
    let element = arrival.action.element()?;
    let is_it = |(_, known): &(ActionKey, &Action<Descriptor>)| {
        let is_same = known.element().is_some_and(|known| known.locators == element.locators);
        is_same && known.kind() == arrival.action.kind()
    };
    site.offered_in(version, arrival.from).find(is_it).map(|(key, _)| key)
}

/// The key of an action that is no opportunity, such as opening an address or going back.
fn key_of(action: &Action<Descriptor>) -> ActionKey {
    let what = match action {
        Action::Goto { url } => steady(url),
        other => other.element().map(|element| steady(&element.title())).unwrap_or_default(),
    };
    ActionKey(xxh3_64(format!("{:?} {what}", action.kind()).as_bytes()))
}

/// The page's modal dialog, if any.
fn modal(observation: &Observation) -> Option<ElementId> {
    let is_dialog = |node: &Node| matches!(node.role.as_str(), "dialog" | "alertdialog");
    let (dialog, _) = observation.elements().filter(|(_, node)| is_dialog(node)).last()?;
    let is_behind =
        |(id, node): (ElementId, &Node)| node.visibility == Visibility::Covered && !is_within(observation, id, dialog);
    observation.interactive().any(is_behind).then_some(dialog)
}

fn is_within(observation: &Observation, element: ElementId, whole: ElementId) -> bool {
    element == whole || observation.ancestors(element).any(|(above, _)| above == whole)
}

/// The page's actions: every control once, keyed by what it does and numbered among those of one name.
fn offered(observation: &Observation, page: &Page) -> Vec<OfferedAction> {
    let mut so_far: HashMap<u64, usize> = HashMap::new();
    let modal = modal(observation);
    let places = places(observation);
    let offer = |(place, name): (usize, u64)| {
        let place = *places.get(place)?;
        if let Some(modal) = modal
            && !is_within(observation, ElementId(u32::try_from(place).ok()?), modal)
        {
            return None;
        }
        let kind = main_operation(observation.nodes.get(place)?)?;
        let number = so_far.entry(name).or_default();
        *number += 1;
        let key = key_among(xxh3_64(format!("{kind:?} {name}").as_bytes()), *number);
        Some(OfferedAction { key, element: ElementId(u32::try_from(place).ok()?), kind, number: *number })
    };
    names(page).into_iter().filter_map(offer).collect()
}

/// The last bits of a key number the actions of one name in a page.
const PLACE_BITS: u64 = 0xff;

fn key_among(name: u64, number: usize) -> ActionKey {
    ActionKey(name & !PLACE_BITS | (number as u64).min(PLACE_BITS))
}

/// The part of a key that actions of one name share.
pub(crate) fn name_of(key: ActionKey) -> u64 {
    key.0 & !PLACE_BITS
}

/// The operation by which an element is tried.
fn main_operation(node: &Node) -> Option<ActionKind> {
    use ActionKind::{Check, Click, Select, Type, Upload};
    [Upload, Select, Type, Check, Click].into_iter().find(|kind| node.allows(*kind))
}

/// The page's new opportunities for its version, within the caps.
fn opportunities(
    site: &Site,
    request: &LocateRequest,
    state: StateId,
    read: &ParsedPage,
    caps: &Caps,
) -> Vec<Opportunity> {
    let version = site.place_of(&request.version);
    let mut of_kind: HashMap<ActionKind, usize> = HashMap::new();
    let mut new: BTreeMap<ActionKey, Opportunity> = BTreeMap::new();
    for offered in read.offered.iter().filter(|offered| offered.number <= caps.actions_of_a_name) {
        let before = || version.map_or(0, |version| site.offered_of(version, &read.template, offered.kind));
        let count = of_kind.entry(offered.kind).or_insert_with(before);
        let is_known = version.is_some_and(|version| site.progress(version, state, offered.key).is_some());
        if is_known || *count >= caps.actions_per_template_and_kind {
            continue;
        }
        if let Some(element) = Descriptor::of(&request.observation, offered.element) {
            *count += 1;
            new.insert(offered.key, Opportunity { state, key: offered.key, action: attempt(offered.kind, element) });
        }
    }
    new.into_values().collect()
}

/// The forms of a page.
fn forms(observation: &Observation) -> Vec<Form> {
    let mut forms: BTreeMap<ElementId, Form> = BTreeMap::new();
    for (id, node) in observation.elements() {
        if node.tag == "form" {
            let named = [node.attribute("name"), node.attribute("id"), node.name.as_str()];
            let name = named.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned();
            forms.insert(id, Form { name, fields: Vec::new() });
            continue;
        }
        let within = observation.ancestors(id).find(|(above, _)| forms.contains_key(above)).map(|(above, _)| above);
        let Some(form) = within.and_then(|form| forms.get_mut(&form)) else { continue };
        let is_field = matches!(node.tag.as_str(), "input" | "select" | "textarea") && node.role != "button";
        if is_field {
            let named = [node.attribute("name"), node.attribute("id"), node.label()];
            let name = named.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
            let field = format!("{} {}", node.role, steady(name));
            if !form.fields.contains(&field) {
                form.fields.push(field);
            }
        } else if form.name.is_empty() && node.role == "button" {
            form.name = clip(node.label(), 80);
        }
    }
    forms.into_values().collect()
}

/// A short description of a page: its title, headings and controls.
fn summary(observation: &Observation) -> String {
    let headings = observation.nodes.iter().filter(|node| node.role == "heading");
    let controls = observation.nodes.iter().filter(|node| node.is_interactive());
    let mut words = vec![observation.title.as_str(), observation.description.as_str()];
    words.extend(headings.chain(controls).map(Node::label));
    words.retain(|word| !word.trim().is_empty());
    let mut seen = std::collections::BTreeSet::new();
    words.retain(|word| seen.insert(*word));
    clip(&words.join(BETWEEN), 400)
}

fn clip(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}
