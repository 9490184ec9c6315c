//! The map of a site: its states, what leads from one to another, and what is not explored yet.
//!
//! One map is shared by all runs of a site. Each run is a *version* of it: what that run saw.

use crate::action::{Action, ActionKind};
use crate::effect::Effect;
use crate::id::{BlobRef, Fence, RunId, SiteId, StateId};
use crate::locator::Descriptor;
use crate::observation::Observation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// What names an action within a state, however often it is seen: a hash of what can be done, not of the data it is done
/// to. Stable over runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct ActionKey(pub u64);

/// A class of observations of a site that an abstraction calls the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct State {
    /// Its number within the site.
    pub id: StateId,
    /// The address at which it was first seen.
    pub url: String,
    /// The address without what differs between pages of its kind, as `/owners/#`.
    pub template: String,
    /// The title with which it was first seen. Untrusted page content.
    pub title: String,
    /// A few words about what the page is and offers, at most 400 characters. Untrusted page content.
    pub summary: String,
    /// Its forms.
    pub forms: Vec<Form>,
    /// What the abstraction decides by, encoded by the room `graph`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fingerprint: Vec<u8>,
    /// Its picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<BlobRef>,
}

/// A form of a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Form {
    /// What its author or its submit button calls it.
    pub name: String,
    /// Its fields, as `textbox email`, in document order.
    pub fields: Vec<String>,
}

/// An action in a state that led to a state, with how often and how well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Transition {
    /// Where.
    pub from: StateId,
    /// What was done, by name.
    pub key: ActionKey,
    /// What was done, as it was done last.
    pub action: Action<Descriptor>,
    /// What it led to.
    pub to: StateId,
    /// How often and how well.
    pub tally: EdgeTally,
    /// When it was last seen.
    pub last_seen: SystemTime,
}

/// The statistics of a transition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeTally {
    /// How often the action led here.
    pub count: u64,
    /// How often it could be carried out.
    pub succeeded: u64,
    /// Sum of the milliseconds from the action to the settled page.
    pub latency_ms: u64,
}

impl std::ops::AddAssign for EdgeTally {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.succeeded += other.succeeded;
        self.latency_ms += other.latency_ms;
    }
}

/// An action of a state that nobody has tried yet, or is trying.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Opportunity {
    /// The state.
    pub state: StateId,
    /// The action, by name.
    pub key: ActionKey,
    /// The action; the text of a field is left empty for whoever fills it.
    pub action: Action<Descriptor>,
}

/// What trying an element means. What is typed or chosen is left to whoever tries it.
pub fn attempt(kind: ActionKind, element: Descriptor) -> Action<Descriptor> {
    match kind {
        ActionKind::Upload => Action::Upload { element, files: Vec::new() },
        ActionKind::Select => Action::Select { element, options: Vec::new() },
        ActionKind::Type => Action::Type { element, text: String::new(), submit: false },
        ActionKind::Check => Action::Check { element, checked: true },
        _ => Action::click(element),
    }
}

/// How far an opportunity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Nobody has tried it.
    Open,
    /// Somebody has a lease on it.
    Claimed,
    /// It was tried.
    Done,
}

/// The right to report on an opportunity. Void once the lease ran out and somebody else claimed it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FrontierTicket {
    /// The version: each has a frontier of its own.
    pub version: Version,
    /// The state.
    pub state: StateId,
    /// The action.
    pub key: ActionKey,
    /// The claim's number.
    pub fence: Fence,
}

/// A claimed opportunity.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontierGrant {
    /// The right to report on it.
    pub ticket: FrontierTicket,
    /// What to try.
    pub opportunity: Opportunity,
    /// How to get to its state from where the claimant is, or from the start of the site.
    pub path: Route,
    /// For how long the claim holds without a sign of life.
    pub lease: Duration,
}

/// A way through the map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// Whether it begins by opening the site instead of at the asked state.
    pub from_start: bool,
    /// The address of the state to begin with, where it is not the site's start that is opened.
    pub address: Option<String>,
    /// The transitions, in order; none when one is there already.
    pub hops: Vec<Transition>,
    /// The chance that all of them lead where they did, in 0..=1.
    pub reliability: f64,
    /// Milliseconds it is expected to take.
    pub latency_ms: f64,
}

/// Which version of a map is worked on.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Version {
    /// The site.
    pub site: SiteId,
    /// The run.
    pub run: RunId,
    /// Who the run is to the site: `guest`, `user`, `admin`, … A layer of the map.
    pub role: String,
}

/// What a browser saw, and how it got there.
#[derive(Clone, Debug)]
pub struct LocateRequest {
    /// The version that it belongs to.
    pub version: Version,
    /// What the page shows. Its stamp makes the request repeatable: the same stamp is counted once.
    pub observation: Arc<Observation>,
    /// The embedding of the page, for an abstraction that wants one.
    pub vector: Option<Vec<f32>>,
    /// The action that led here; none where the browser begins.
    pub arrival: Option<Arrival>,
    /// The state that was seen right before, when nothing was done since but loading the page again.
    pub reload_of: Option<StateId>,
    /// The address that was opened, when that is how the browser came here: what a map learns of its states' addresses. A
    /// transition is made of it only when it leads to a new state.
    pub opened: Option<String>,
    /// The claim that this reports on.
    pub ticket: Option<FrontierTicket>,
    /// The picture of the page.
    pub screenshot: Option<BlobRef>,
}

/// How a browser came to what it sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// Where it was.
    pub from: StateId,
    /// What it did.
    pub action: Action<Descriptor>,
    /// The action's name, where it was an opportunity; else it is made of the action.
    pub key: Option<ActionKey>,
    /// What it did to the page.
    pub effect: Effect,
    /// From the action to the settled page.
    pub latency: Duration,
}

/// Where a browser is.
#[derive(Clone, Debug, PartialEq)]
pub struct Located {
    /// The state.
    pub state: StateId,
    /// Whether nobody has seen it before, in any run.
    pub is_new: bool,
    /// The state's actions in this page, by name: what of it is in the map, and how far.
    pub actions: Vec<Offer>,
    /// Whether the claim of the request still held; true without one.
    pub ticket_held: bool,
}

/// An action that a page offers.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// Its name.
    pub key: ActionKey,
    /// The element, in the request's observation.
    pub element: crate::ElementId,
    /// What is to be done to it.
    pub kind: ActionKind,
    /// How far it is; none when it is left out by a cap.
    pub progress: Option<Progress>,
}

/// Who wants to explore what.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontierRequest {
    /// The version.
    pub version: Version,
    /// The claimant's name.
    pub crawler: String,
    /// Where its browser is; none when it has not opened the site.
    pub at: Option<StateId>,
    /// How many opportunities at most.
    pub count: usize,
}

/// How a map stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MapStatus {
    /// States.
    pub states: u64,
    /// Transitions: distinct ways from a state by an action to a state.
    pub transitions: u64,
    /// Opportunities that nobody has tried.
    pub open: u64,
    /// Opportunities that somebody is trying.
    pub claimed: u64,
    /// Opportunities that were tried.
    pub done: u64,
}

/// A map, or one version of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Map {
    /// States in order of their numbers.
    pub states: Vec<State>,
    /// Transitions in order of their states and names.
    pub transitions: Vec<Transition>,
    /// The first state of the site.
    pub start: Option<StateId>,
}

/// How two versions of a map differ.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Difference {
    /// States that only the later version has.
    pub appeared: Vec<Lone<State>>,
    /// States that only the earlier version has.
    pub missing: Vec<Lone<State>>,
    /// States of both versions that are not the same in both.
    pub changed: Vec<Change>,
    /// Transitions between states of both versions that only the later one has, by a control that both have.
    pub appeared_transitions: Vec<Lone<Transition>>,
    /// Transitions between states of both versions that only the earlier one has, by a control that both have.
    pub missing_transitions: Vec<Lone<Transition>>,
}

/// What only one of two versions has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Lone<T> {
    /// What it is.
    pub it: T,
    /// Whether the other run went every way that is known to lead there, or stood where it begins and saw none: only then
    /// has it appeared or vanished. Otherwise the other run merely did not reach it.
    pub is_sure: bool,
    /// The step of the cheapest way there that the other run could not do, or that led it elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broke_at: Option<Transition>,
}

/// A state that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// As it was.
    pub before: State,
    /// As it is, or what took its place.
    pub after: State,
    /// What is different; never empty.
    pub what: Vec<Aspect>,
}

/// Something that is different about a state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Aspect {
    /// It stands at another address.
    Moved {
        /// The address at which it stood.
        before: String,
        /// The address at which it stands.
        after: String,
    },
    /// It has another title.
    Renamed,
    /// It has this no more.
    Lost(Part),
    /// It has this now.
    Won(Part),
    /// Something else can be done there, which has no name.
    Otherwise,
}

/// A part of a state, by its name. Untrusted page content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum Part {
    /// A control.
    Control {
        /// ARIA role.
        role: String,
        /// Accessible name.
        name: String,
    },
    /// A form.
    Form {
        /// What it is called.
        name: String,
    },
    /// A field of a form.
    Field {
        /// What the form is called.
        form: String,
        /// The field, as `textbox email`.
        name: String,
    },
}

impl Difference {
    /// Whether anything has changed, as far as both runs looked.
    pub fn is_change(&self) -> bool {
        !self.changed.is_empty()
            || self.appeared.iter().chain(&self.missing).any(|state| state.is_sure)
            || self.appeared_transitions.iter().chain(&self.missing_transitions).any(|transition| transition.is_sure)
    }
}
