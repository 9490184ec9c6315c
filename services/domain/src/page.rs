//! The seam to a browser: one job's profile and its tabs.

use crate::action::Action;
use crate::campaign::Failure;
use crate::decision::Screenshot;
use crate::effect::{Effect, PageDifference};
use crate::harm::{Licence, RefusedRequest};
use crate::observation::Observation;
use crate::verdict::Verdict;
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

    /// Says what the requests of an exploration may do from now on. A page that does not explore has no use for it.
    fn license(&mut self, _licence: Licence) {}

    /// The requests of an exploration that were refused since this was last asked.
    fn take_refusals(&mut self) -> Vec<RefusedRequest> {
        Vec::new()
    }

    /// The files that pages offered for download since this was last asked; none of a page that keeps none.
    async fn take_downloads(&mut self) -> Vec<Download> {
        Vec::new()
    }

    /// Reads the whole page for a judge, with nothing cut. More expensive than an observation; needed once or twice per
    /// attempt.
    ///
    /// # Errors
    /// A failure of the browser.
    async fn examine(&mut self) -> Result<Examination, PageError>;

    /// A picture of the viewport.
    ///
    /// # Errors
    /// A failure of the browser.
    async fn screenshot(&mut self) -> Result<Screenshot, PageError>;

    /// Answers a question by what pages really said, secrets included; nothing of them is in the answer.
    async fn answer(&mut self, question: &dyn Question) -> Answer {
        question.answer(None)
    }

    /// The value of a JavaScript expression in the top-level page, promises awaited. For checks and benchmark drivers
    /// only; never for text that came from a page or a model.
    ///
    /// # Errors
    /// [`PageError::Script`] when it throws or its value is not JSON.
    async fn evaluate(&mut self, expression: &str) -> Result<Value, PageError>;
}

/// What a page said in place of a text that was redacted; none where nothing was.
pub type Said<'a> = dyn Fn(&str) -> Option<String> + Sync + 'a;

/// A question about what was observed of pages. Answering it is pure.
pub trait Question: Send + Sync {
    /// The answer; without `said`, nothing was redacted.
    fn answer(&self, said: Option<&Said<'_>>) -> Answer;
}

/// What a question is answered by.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Whether something is so.
    IsSo(bool),
    /// A judgement.
    Judged(Box<Verdict>),
}

/// A file that a page offered for download.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Download {
    /// The name that the page gave it.
    pub name: String,
    /// Where it came from; empty for what the page made itself.
    pub url: String,
    /// Its bytes, or why they were not kept.
    pub content: Result<Vec<u8>, String>,
}

/// A page read in full, for judging.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Examination {
    /// An observation whose names, texts and values are not cut; what could not be read stands in its `unread`.
    pub observation: Observation,
    /// The visible text of each document, in the order of the observation's frames. A document that could not be read has none.
    pub texts: Vec<VisibleText>,
    /// The same texts as the documents write them, of a document where style shows other letters (`text-transform`).
    pub written: Vec<VisibleText>,
}

/// The visible text of one document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisibleText {
    /// Index into [`Observation::frames`].
    pub frame: u32,
    /// What a person can read there, lines kept apart by line breaks.
    pub text: String,
}

/// The outcome of an action.
#[derive(Clone, Debug)]
pub struct Acted {
    /// What it did.
    pub effect: Effect,
    /// What differs on the page after it.
    pub difference: PageDifference,
    /// What the page shows now.
    pub observation: Observation,
}

impl Acted {
    /// An effect without a difference: of pages that do not compare, and of actions that were not carried out.
    pub fn of(effect: Effect, observation: Observation) -> Acted {
        Acted { effect, difference: PageDifference::default(), observation }
    }
}

impl Examination {
    /// Converts an observation alone: the texts of its innermost nodes, document by document.
    pub fn of(observation: Observation) -> Examination {
        let mut texts: Vec<VisibleText> = Vec::new();
        let parents: std::collections::HashSet<_> = observation.nodes.iter().filter_map(|node| node.parent).collect();
        for (_, node) in observation.elements().filter(|(id, node)| !node.text.is_empty() && !parents.contains(id)) {
            match texts.iter_mut().find(|text| text.frame == node.frame) {
                Some(known) => known.text.extend(["\n", &node.text]),
                None => texts.push(VisibleText { frame: node.frame, text: node.text.clone() }),
            }
        }
        Examination { observation, texts, written: Vec::new() }
    }
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
    /// No session is available: every slot is taken, or the endpoint is away. Nothing was attempted.
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
