//! One job's profile: the implementation of [`domain::Page`]. Observes, acts, and keeps what the two need of each other.
//!
//! An observation is one script call that settles first; an action is one call to find its place, one input command, and
//! the observation of what came of it.

mod covering;
mod deeds;
mod filling;
mod looking;
mod pressing;
mod reading;
mod tabs;

use crate::effect::{Background, Ticking};
use crate::error::Error;
use crate::gate::Gate;
use crate::options::{LoginState, ProfileOptions, SettleOptions};
use crate::secret::Redactor;
use crate::snapshot::{Held, Origin};
use crate::wire::{Noticed, Place, TabState, Trouble, Wire};
use domain::Observation;
use domain::page::PageError;
use domain::scope::Scope;
use platform::SystemClock;
use std::collections::{BTreeMap, HashMap};

/// Dialogs answered in a row, without any other action between them, before a page is given up.
const DIALOGS: u32 = 20;

/// A browser profile of one job, with its tabs. Shares nothing with any other.
pub struct Profile {
    wire: Box<dyn Wire>,
    /// Closes when the profile goes.
    gate: Gate,
    session: String,
    options: ProfileOptions,
    settle: SettleOptions,
    max_nodes: usize,
    /// Per document (the page, or a frame of another origin): what was last reported.
    held: HashMap<String, Held>,
    /// For each node of the latest observation, where it lives.
    origins: Vec<Origin>,
    /// The latest observation without its nodes.
    surface: Observation,
    number: u64,
    dialogs: u32,
    /// Where the page wanted to go in the latest observation although it lies outside the scope.
    left: Option<String>,
    /// Texts that change by themselves.
    ticking: Ticking,
    /// Requests that pages make by themselves.
    background: Background,
    /// Number of the latest request that was told.
    requests: u64,
    /// What went on while the page was opened, which the next observation tells: faults, requests, downloads.
    untold: Noticed,
    /// Downloads that the page asked for and the browser has not told of.
    downloads: u32,
    /// What the last press would have met instead of what was meant.
    missed: Option<String>,
    /// The tabs that were there when it was last looked.
    known_tabs: Vec<String>,
    /// Which tab opened which.
    openers: HashMap<String, String>,
    /// Errors on the console that the wire was not told of.
    errors: u32,
    /// Local storage of the log-in state that no page has been opened for yet, by origin.
    unrestored: BTreeMap<String, BTreeMap<String, String>>,
    clock: SystemClock,
    /// Keeps secrets out of whatever leaves this room.
    secrets: Redactor,
    /// How the latest observation came to be, for reports of where time goes.
    timing: StepTiming,
}

/// How the page came to rest before the latest observation.
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
    ) -> Profile {
        let secrets = Redactor::of(options.secrets.as_ref());
        let unrestored = options.login_state.as_ref().map(|state| state.local_storage.clone()).unwrap_or_default();
        Profile {
            wire,
            gate,
            session,
            options,
            settle,
            max_nodes,
            held: HashMap::new(),
            origins: Vec::new(),
            surface: Observation::default(),
            number: 0,
            dialogs: 0,
            left: None,
            ticking: Ticking::default(),
            background: Background::default(),
            requests: 0,
            untold: Noticed::default(),
            downloads: 0,
            missed: None,
            known_tabs: Vec::new(),
            openers: HashMap::new(),
            errors: 0,
            unrestored,
            clock: SystemClock::default(),
            secrets,
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
        let failed = |trouble: Trouble| Error::Session { doing: "save login state", cause: trouble.to_string() };
        let cookies = self.wire.cookies().await.map_err(failed)?;
        let storage = self.wire.call(&Place::Page, READ_STORAGE, &[]).await.map_err(failed)?;
        let local_storage = serde_json::from_str(&storage).unwrap_or_default();
        Ok(LoginState { cookies, local_storage })
    }

    async fn tab_states(&mut self) -> Result<Vec<TabState>, PageError> {
        self.wire.tabs().await.map_err(page_error)
    }
}

const READ_STORAGE: &str = "() => { try { return JSON.stringify({ [location.origin]: { ...localStorage } }); } \
    catch { return '{}'; } }";

/// What trouble with the wire means to whoever drives the page.
fn page_error(trouble: Trouble) -> PageError {
    match trouble {
        Trouble::Script(message) => PageError::Script(message),
        Trouble::Lost(message) if message.contains("crash") => PageError::BrowserCrashed(message),
        Trouble::Lost(message) => PageError::SessionLost(message),
        // A socket that closed before the command was sent answers no more, and does not say so either.
        silent @ Trouble::Timeout(_) => PageError::SessionLost(silent.to_string()),
        other => PageError::Driver(other.to_string()),
    }
}
