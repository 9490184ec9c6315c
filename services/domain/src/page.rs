//! The seam to a browser: one job's profile and its tabs.

use crate::action::Action;
use crate::campaign::Failure;
use crate::decision::Screenshot;
use crate::effect::Effect;
use crate::observation::Observation;
use async_trait::async_trait;
use serde_json::Value;
use url::Url;

/// A page of one job: a browser profile that no other job shares.
///
/// Contract:
/// - `open`, `observe` and `act` return only after the page has settled or the settle deadline has passed; which of both
///   stands in [`Observation::settled`].
/// - `act` MUST refuse an action that was decided on another observation than the latest ([`PageError::Stale`]).
/// - Every input is a real input event; the page's DOM is never changed.
/// - An address outside the scope is never requested.
#[async_trait]
pub trait Page: Send {
    /// Opens an address in the current tab.
    ///
    /// # Errors
    /// [`PageError::OutOfScope`], [`PageError::Unreachable`], or a failure of the browser.
    async fn open(&mut self, url: &Url) -> Result<(), PageError>;

    /// What the page shows now.
    ///
    /// # Errors
    /// A failure of the browser.
    async fn observe(&mut self) -> Result<Observation, PageError>;

    /// Carries out an action that was decided on `before`, the latest observation, and observes what came of it.
    ///
    /// An action that cannot be carried out (element gone, covered, disabled) is an [`Effect::Failed`], not an error.
    ///
    /// # Errors
    /// [`PageError::Stale`], or a failure of the browser.
    async fn act(&mut self, action: &Action, before: &Observation) -> Result<Acted, PageError>;

    /// A picture of the viewport.
    ///
    /// # Errors
    /// A failure of the browser.
    async fn screenshot(&mut self) -> Result<Screenshot, PageError>;

    /// The value of a JavaScript expression in the top-level page, promises awaited. For checks and benchmark drivers
    /// only; never for text that came from a page or a model.
    ///
    /// # Errors
    /// [`PageError::Script`] when it throws or its value is not JSON.
    async fn evaluate(&mut self, expression: &str) -> Result<Value, PageError>;
}

/// What came of an action.
#[derive(Clone, Debug)]
pub struct Acted {
    /// What it did.
    pub effect: Effect,
    /// What the page shows now.
    pub observation: Observation,
}

/// Why a page could not do what it was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PageError {
    /// The address is outside the scope. Certainly not requested.
    #[error(transparent)]
    OutOfScope(#[from] crate::scope::Refused),
    /// The site did not answer.
    #[error("open {url}: {cause}")]
    Unreachable {
        /// The address.
        url: String,
        /// The browser's cause, e.g. `net::ERR_CONNECTION_REFUSED`.
        cause: String,
    },
    /// The action was decided on another observation. Certainly not carried out.
    #[error("act: decided on observation {given}, the latest is {latest}; observe again and decide again")]
    Stale {
        /// Number of the observation that it was decided on.
        given: u64,
        /// Number of the latest.
        latest: u64,
    },
    /// A script threw.
    #[error("evaluate: {0}")]
    Script(String),
    /// A secret has no value, or may not be typed here. Certainly not carried out.
    #[error("type secret `{name}`: {cause}")]
    Secret {
        /// Its name.
        name: String,
        /// Why.
        cause: String,
    },
    /// A page kept opening dialogs.
    #[error("the page opened {0} dialogs in a row")]
    DialogLoop(u32),
    /// No session is to be had: every slot is taken, or the endpoint is away. Nothing was attempted.
    #[error("get a browser: {0}")]
    NoSlot(String),
    /// The session is gone.
    #[error("browser session lost: {0}")]
    SessionLost(String),
    /// The browser, or the page's process in it, crashed.
    #[error("browser crashed: {0}")]
    BrowserCrashed(String),
    /// The driver answered with an error that is none of the above.
    #[error("browser: {0}")]
    Driver(String),
}

impl PageError {
    /// Whether another attempt in a new session may succeed.
    pub fn is_retryable(&self) -> bool {
        self.failure().is_some()
    }

    /// The kind of failure when it says nothing about the page, so that another attempt in a new session may succeed.
    pub fn failure(&self) -> Option<Failure> {
        match self {
            PageError::NoSlot(_) => Some(Failure::NoSlot),
            PageError::BrowserCrashed(_) => Some(Failure::BrowserCrashed),
            PageError::SessionLost(_) | PageError::Driver(_) | PageError::Stale { .. } => Some(Failure::SessionLost),
            PageError::OutOfScope(_)
            | PageError::Unreachable { .. }
            | PageError::Script(_)
            | PageError::Secret { .. }
            | PageError::DialogLoop(_) => None,
        }
    }
}
