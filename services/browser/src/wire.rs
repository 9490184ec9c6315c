//! The protocol seam: what the page logic needs of a session. Two implementations pass the same tests: BiDi, with
//! events, and classic WebDriver, with polling. Nothing above this seam knows which one it uses.

pub(crate) mod bidi;
pub(crate) mod classic;
mod cookie;
mod coverage;
pub(crate) mod credential;
mod events;
mod feed;
pub(crate) mod mapper;
mod network_log;
pub(crate) mod passages;
mod performance;
pub(crate) mod socket;

use crate::options::LoginState;
use async_trait::async_trait;
use coverage::TabCoverage;
use domain::Fault;
use domain::observation::{Dialog, OpenRequest, Request};
use serde_json::Value;
use std::time::Duration;

/// The document in which a function is called: the page of the current tab, or one of its cross-origin frames.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum DocumentTarget {
    /// The page.
    #[default]
    Page,
    /// A frame, by the wire's name for it.
    Frame(String),
}

/// A tab as the wire knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TabState {
    /// The wire's own name.
    pub(crate) id: String,
    /// Address, as far as known.
    pub(crate) url: String,
}

/// A download that a page began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OfferedFile {
    /// The name that the browser would give it.
    pub(crate) name: String,
    /// Where it comes from.
    pub(crate) url: String,
}

/// Activity of the page since it was last taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageActivity {
    pub(crate) faults: Vec<Fault>,
    pub(crate) requests: Vec<Request>,
    /// Requests that have no answer yet.
    pub(crate) open: Vec<OpenRequest>,
    pub(crate) downloads: Vec<OfferedFile>,
    /// An out-of-scope address that the page tried to open.
    pub(crate) left: Option<String>,
}

impl PageActivity {
    /// Adds later activity.
    pub(crate) fn add(&mut self, later: PageActivity) {
        self.faults.extend(later.faults);
        self.requests.extend(later.requests);
        self.open = later.open;
        self.downloads.extend(later.downloads);
        self.left = self.left.take().or(later.left);
    }
}

/// Why a command failed.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum WireError {
    /// The document was replaced during the command: the page navigates.
    #[error("the document was replaced")]
    Replaced,
    /// A dialog is open, which blocks the page until it is answered.
    #[error("a dialog is open")]
    Dialog,
    /// The script threw.
    #[error("{0}")]
    Script(String),
    /// The current tab was closed, by the page or by us.
    #[error("the tab was closed")]
    Closed,
    /// No answer came in time.
    #[error("no answer to `{0}` in time")]
    Timeout(&'static str),
    /// The tab has no page before this one, or none after it.
    #[error("the tab has no such page in its history")]
    NoHistory,
    /// The address could not be loaded.
    #[error("{0}")]
    Unreachable(String),
    /// The session is gone.
    #[error("{0}")]
    Lost(String),
    /// Any other error of the driver.
    #[error("{0}")]
    Driver(String),
}

/// One profile's session.
#[async_trait]
pub(crate) trait Wire: Send {
    /// Calls a function (its source) with JSON arguments, awaits its promise, and answers its string.
    async fn call(&mut self, place: &DocumentTarget, function: &str, arguments: &[Value]) -> Result<String, WireError>;
    /// As `call`, with a shorter timeout, after which the session goes on without the answer: for frames, which may
    /// hang on their own.
    async fn call_within(
        &mut self,
        place: &DocumentTarget,
        function: &str,
        arguments: &[Value],
        patience: Duration,
    ) -> Result<String, WireError>;
    /// Sends a DevTools command to the process that renders a document; returns its result.
    async fn devtools_at(
        &mut self,
        place: &DocumentTarget,
        method: &'static str,
        params: Value,
    ) -> Result<Value, WireError>;
    /// Performs input actions, in the JSON form that WebDriver and BiDi share and in page coordinates.
    async fn perform(&mut self, actions: Value) -> Result<(), WireError>;
    /// Loads an address in the current tab; returns when its document is interactive.
    async fn navigate(&mut self, url: &str) -> Result<(), WireError>;
    /// Steps through the tab's history.
    async fn traverse(&mut self, by: i32) -> Result<(), WireError>;
    /// The viewport as PNG.
    async fn screenshot(&mut self) -> Result<Vec<u8>, WireError>;
    /// The tabs, oldest first.
    async fn tabs(&mut self) -> Result<Vec<TabState>, WireError>;
    /// The current tab's name.
    fn current(&self) -> &str;
    /// Whether the current tab is navigating; false on wires without events.
    fn is_navigating(&self) -> bool {
        false
    }
    /// Waits until that navigation has ended.
    async fn arrival(&mut self) {}
    /// Waits until a navigation of a frame has ended; returns at once on wires without events.
    async fn arrival_in(&mut self, _frame: &DocumentTarget) {}
    /// Adds a script that runs before every script of every later document; returns its name.
    async fn add_script(&mut self, source: &str) -> Result<String, WireError>;
    /// Removes such a script.
    async fn remove_script(&mut self, name: &str) -> Result<(), WireError>;
    /// Reports to wires without events that the current tab was observed at an address, with this many console errors.
    fn arrived(&mut self, _url: &str, _errors: u32) {}
    /// Whether a newly opened tab gets no document, e.g. because its address may not load; for wires on which such a
    /// tab does not answer.
    async fn stays_empty(&mut self, _tab: &str) -> Result<bool, WireError> {
        Ok(false)
    }
    /// Makes a tab the current one.
    async fn switch(&mut self, tab: &str) -> Result<(), WireError>;
    /// Opens an empty tab and makes it the current one.
    async fn open_tab(&mut self) -> Result<(), WireError>;
    /// Closes the current tab; the newest of the others becomes the current one.
    async fn close_tab(&mut self) -> Result<(), WireError>;
    /// The open dialog of the current tab.
    async fn dialog(&mut self) -> Result<Option<Dialog>, WireError>;
    /// Answers the open dialog.
    async fn answer(&mut self, accept: bool, text: Option<&str>) -> Result<(), WireError>;
    /// Puts files into the file field of a key of the last observation.
    async fn upload(&mut self, place: &DocumentTarget, key: u64, files: &[String]) -> Result<(), WireError>;
    /// The cross-origin frames of a document by the keys of their elements; none for one that cannot be entered.
    async fn frames(&mut self, outer: &DocumentTarget, keys: &[u64]) -> Result<Vec<Option<DocumentTarget>>, WireError>;
    /// Takes the activity since the last call.
    async fn take_activity(&mut self) -> Result<PageActivity, WireError>;
    /// The profile's cookies.
    async fn cookies(&mut self) -> Result<Vec<Value>, WireError>;
    /// Puts cookies into the profile.
    async fn restore(&mut self, state: &LoginState) -> Result<(), WireError>;
    /// Requests the current tab's coverage since the last request; starts counting in a new tab. Does not wait for the
    /// answer where the wire can receive it later, unless it is the `last` one.
    async fn ask_coverage(&mut self, last: bool) -> Result<(), WireError>;
    /// The coverage received so far.
    fn coverage(&mut self) -> Vec<TabCoverage>;
    /// Ends the profile with all its tabs and data.
    async fn close(self: Box<Self>);
}

/// A call of a function, as an expression. JSON is JavaScript.
fn invocation(function: &str, arguments: &[Value]) -> String {
    let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
    format!("({function})({})", arguments.join(","))
}
