//! One job's profile: implements [`domain::Page`]. Observes and acts, and keeps the state shared by both.
//!
//! An observation is one script call that waits for the page to settle. An action is one call to locate the element,
//! one input command, and an observation of the outcome.

mod acting;
mod coverage;
pub(crate) mod files;
mod filling;
mod giving;
mod leaving;
mod locating;
mod observing;
mod reading;
mod tabs;

use crate::effect::{Background, Ticking};
use crate::error::Error;
use crate::gate::Gate;
use crate::options::{LoginState, ProfileOptions, SettleOptions};
use crate::remote::Carrier;
use crate::secret::Redactor;
use crate::snapshot::{DocumentSnapshot, Origin};
use crate::wire::{DocumentTarget, PageActivity, TabState, Wire, WireError};
use domain::Observation;
use domain::page::PageError;
use domain::scope::Scope;
use platform::SystemClock;
use std::collections::{BTreeMap, HashMap};

/// Consecutive dialogs, without another action between them, after which a page is given up.
const DIALOGS: u32 = 20;

/// A browser profile of one job, with its tabs. It shares nothing with other profiles.
pub struct Profile {
    wire: Box<dyn Wire>,
    /// The profile's proxy; closes with the profile.
    gate: Gate,
    /// Brings files to the browser's machine, where that is another one.
    carrier: Option<Carrier>,
    session: String,
    options: ProfileOptions,
    settle: SettleOptions,
    max_nodes: usize,
    /// The last reported nodes of each document (the page, or a cross-origin frame).
    snapshots: HashMap<String, DocumentSnapshot>,
    /// For each node of the latest observation, its document and key.
    origins: Vec<Origin>,
    /// The latest observation without its nodes.
    surface: Observation,
    number: u64,
    dialogs: u32,
    /// An out-of-scope address that the page tried to open before the latest observation.
    left: Option<String>,
    /// Texts that change on their own.
    ticking: Ticking,
    /// Requests that pages make on their own.
    background: Background,
    /// Number of the latest reported request.
    requests: u64,
    /// Activity that no observation has reported yet, such as faults and requests while the page opened; the next
    /// observation reports it.
    carried_over: PageActivity,
    /// Downloads that the page started and the browser has not reported yet.
    downloads: u32,
    /// Names of downloads that no observation has reported yet.
    unseen_downloads: Vec<String>,
    /// Files that pages offered.
    files: Vec<files::Offered>,
    /// Where files are written that a recorded exploration made and that are gone.
    samples: Option<tempfile::TempDir>,
    /// The element that the last press would have hit instead of its target.
    missed: Option<String>,
    /// The tabs at the latest observation.
    known_tabs: Vec<String>,
    /// The opener of each tab.
    openers: HashMap<String, String>,
    /// Console errors that the wire did not report.
    errors: u32,
    /// Local storage of the log-in state that is still to be restored, by origin.
    unrestored: BTreeMap<String, BTreeMap<String, String>>,
    clock: SystemClock,
    /// Redacts secrets from everything that leaves this room.
    secrets: Redactor,
    /// The field into which a secret was typed and which has not been left since: its frame and its XPath.
    held: Option<(u32, String)>,
    /// The field into which the last action typed.
    entered: Option<leaving::Entered>,
    /// Timing of the latest observation, for performance reports.
    timing: StepTiming,
}

/// Timing of the latest observation: how the page settled and was described.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepTiming {
    /// What was waited for: any of `timers`, `requests`, `animations`, `navigation`, `quiet window`. Empty when the page
    /// was at rest already.
    pub waited: Vec<String>,
    /// Milliseconds that the page took to settle.
    pub settle_ms: f64,
    /// Milliseconds that the page spent on describing itself.
    pub observe_ms: f64,
    /// Whether the probe came after page scripts, so that settling had to fall back to a time without changes.
    pub late: bool,
}

impl Profile {
    pub(crate) fn new(
        wire: Box<dyn Wire>,
        gate: Gate,
        session: String,
        options: ProfileOptions,
        settle: SettleOptions,
        max_nodes: usize,
        carrier: Option<Carrier>,
    ) -> Profile {
        let secrets = Redactor::of(options.secrets.as_ref());
        let unrestored = options.login_state.as_ref().map(|state| state.local_storage.clone()).unwrap_or_default();
        Profile {
            wire,
            gate,
            carrier,
            session,
            options,
            settle,
            max_nodes,
            snapshots: HashMap::new(),
            origins: Vec::new(),
            surface: Observation::default(),
            number: 0,
            dialogs: 0,
            left: None,
            ticking: Ticking::default(),
            background: Background::default(),
            requests: 0,
            carried_over: PageActivity::default(),
            downloads: 0,
            unseen_downloads: Vec::new(),
            files: Vec::new(),
            samples: None,
            missed: None,
            known_tabs: Vec::new(),
            openers: HashMap::new(),
            errors: 0,
            unrestored,
            clock: SystemClock::default(),
            secrets,
            held: None,
            entered: None,
            timing: StepTiming::default(),
        }
    }

    /// How the page came to rest before the latest observation.
    pub fn timing(&self) -> &StepTiming {
        &self.timing
    }

    pub(crate) fn wire(&mut self) -> &mut dyn Wire {
        self.wire.as_mut()
    }

    #[cfg(test)]
    pub(crate) fn gate_for_tests(&self) -> &Gate {
        &self.gate
    }

    fn scope(&self) -> &Scope {
        &self.options.scope
    }

    /// Ends the profile: its tabs close, its cookies and storage are gone.
    pub async fn close(mut self) {
        self.cover_last().await;
        self.wire.close().await;
    }

    /// Cookies of the profile and local storage of the current page's origin, to begin another profile with.
    ///
    /// # Errors
    /// [`Error::Session`] when the session does not answer.
    pub async fn save_login_state(&mut self) -> Result<LoginState, Error> {
        let failed = |trouble: WireError| Error::Session { doing: "save login state", cause: trouble.to_string() };
        let cookies = self.wire.cookies().await.map_err(failed)?;
        let storage = self.wire.call(&DocumentTarget::Page, READ_STORAGE, &[]).await.map_err(failed)?;
        let local_storage = serde_json::from_str(&storage).unwrap_or_default();
        Ok(LoginState { cookies, local_storage })
    }

    async fn tab_states(&mut self) -> Result<Vec<TabState>, PageError> {
        self.wire.tabs().await.map_err(page_error)
    }
}

const READ_STORAGE: &str = "() => { try { return JSON.stringify({ [location.origin]: { ...localStorage } }); } \
    catch { return '{}'; } }";

/// Converts a wire error into a page error.
fn page_error(trouble: WireError) -> PageError {
    match trouble {
        WireError::Script(message) => PageError::Script(message),
        WireError::Lost(message) if message.contains("crash") => PageError::BrowserCrashed(message),
        WireError::Lost(message) => PageError::SessionLost(message),
        // A socket that closed before the command was sent neither answers nor reports the loss.
        silent @ WireError::Timeout(_) => PageError::SessionLost(silent.to_string()),
        other => PageError::Driver(other.to_string()),
    }
}
