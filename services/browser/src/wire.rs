//! What the page logic needs of a session, whichever protocol drives it. Two implementations pass the same tests: BiDi, with
//! events, and classic WebDriver, with polling. Nothing above this seam knows which one it talks to.

pub(crate) mod bidi;
pub(crate) mod classic;
mod cookie;
mod counting;
mod events;
mod feed;
mod ledger;
pub(crate) mod mapper;
pub(crate) mod passages;
mod performance;
pub(crate) mod socket;

use crate::options::LoginState;
use async_trait::async_trait;
use counting::Ran;
use domain::Fault;
use domain::observation::{Dialog, OpenRequest, Request};
use serde_json::Value;
use std::time::Duration;

/// Where a function is called: in the page of the current tab, or in one of its frames of another origin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    /// The page.
    #[default]
    Page,
    /// A frame, by the wire's own name for it.
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

/// What was noticed since it was last asked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Noticed {
    pub(crate) faults: Vec<Fault>,
    pub(crate) requests: Vec<Request>,
    /// Requests that have no answer yet.
    pub(crate) open: Vec<OpenRequest>,
    pub(crate) downloads: Vec<String>,
    /// Where the page wanted to go although it lies outside the scope.
    pub(crate) left: Option<String>,
}

impl Noticed {
    /// Adds what was noticed later.
    pub(crate) fn add(&mut self, later: Noticed) {
        self.faults.extend(later.faults);
        self.requests.extend(later.requests);
        self.open = later.open;
        self.downloads.extend(later.downloads);
        self.left = self.left.take().or(later.left);
    }
}

/// Why a command had no proper answer.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The document went away under the command: the page navigates.
    #[error("the document was replaced")]
    Replaced,
    /// A dialog is open; the page does nothing until it is answered.
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
    /// The address could not be loaded.
    #[error("{0}")]
    Unreachable(String),
    /// The session is gone.
    #[error("{0}")]
    Lost(String),
    /// The driver answered with something else.
    #[error("{0}")]
    Driver(String),
}

/// One profile's session.
#[async_trait]
pub(crate) trait Wire: Send {
    /// Calls a function (its source) with JSON arguments, awaits its promise, and answers its string.
    async fn call(&mut self, place: &Place, function: &str, arguments: &[Value]) -> Result<String, Trouble>;
    /// The same with no more patience than this, after which the session goes on without the answer: for frames, which may
    /// hang by themselves.
    async fn call_within(
        &mut self,
        place: &Place,
        function: &str,
        arguments: &[Value],
        patience: Duration,
    ) -> Result<String, Trouble>;
    /// A command of DevTools to the process that draws a place; answers its result.
    async fn devtools_at(&mut self, place: &Place, method: &'static str, params: Value) -> Result<Value, Trouble>;
    /// Input actions in the form that WebDriver and BiDi share, in coordinates of the page.
    async fn perform(&mut self, actions: Value) -> Result<(), Trouble>;
    /// Loads an address in the current tab; over when its document is interactive.
    async fn navigate(&mut self, url: &str) -> Result<(), Trouble>;
    /// Steps through the tab's history.
    async fn traverse(&mut self, by: i32) -> Result<(), Trouble>;
    /// The viewport as PNG.
    async fn screenshot(&mut self) -> Result<Vec<u8>, Trouble>;
    /// The tabs, oldest first.
    async fn tabs(&mut self) -> Result<Vec<TabState>, Trouble>;
    /// The current tab's name.
    fn current(&self) -> &str;
    /// Whether another document is on its way into the current tab; for wires that hear of it.
    fn is_navigating(&self) -> bool {
        false
    }
    /// Ends when that document has arrived, or will not.
    async fn arrival(&mut self) {}
    /// Ends when a document that is on its way into a frame has arrived; for wires that hear of it.
    async fn arrival_in(&mut self, _frame: &Place) {}
    /// Runs a script's source before every script of every document from now on; answers its name.
    async fn add_script(&mut self, source: &str) -> Result<String, Trouble>;
    /// Takes such a script back.
    async fn remove_script(&mut self, name: &str) -> Result<(), Trouble>;
    /// The current tab was observed at an address, and told of errors on its console; for wires without events of their own.
    fn arrived(&mut self, _url: &str, _errors: u32) {}
    /// Whether a tab that was just opened gets no document, as when it may not load its address; for wires on which such a tab
    /// answers nothing.
    async fn stays_empty(&mut self, _tab: &str) -> Result<bool, Trouble> {
        Ok(false)
    }
    /// Makes a tab the current one.
    async fn switch(&mut self, tab: &str) -> Result<(), Trouble>;
    /// Opens an empty tab and makes it the current one.
    async fn open_tab(&mut self) -> Result<(), Trouble>;
    /// Closes the current tab; the newest of the others becomes the current one.
    async fn close_tab(&mut self) -> Result<(), Trouble>;
    /// The open dialog of the current tab.
    async fn dialog(&mut self) -> Result<Option<Dialog>, Trouble>;
    /// Answers the open dialog.
    async fn answer(&mut self, accept: bool, text: Option<&str>) -> Result<(), Trouble>;
    /// Puts files into the file field of a key of the last observation.
    async fn upload(&mut self, place: &Place, key: u64, files: &[String]) -> Result<(), Trouble>;
    /// The frames of another origin in a document by the keys of their elements; none where one cannot be entered.
    async fn frames(&mut self, outer: &Place, keys: &[u64]) -> Result<Vec<Option<Place>>, Trouble>;
    /// What was noticed since the last call.
    async fn notice(&mut self) -> Result<Noticed, Trouble>;
    /// The profile's cookies.
    async fn cookies(&mut self) -> Result<Vec<Value>, Trouble>;
    /// Puts cookies into the profile.
    async fn restore(&mut self, state: &LoginState) -> Result<(), Trouble>;
    /// Asks what of the current tab's scripts ran since it was asked last, and begins to count in a tab that was not asked
    /// before. Does not wait for the answer where the wire can do without, unless it is the `last` one.
    async fn ask_coverage(&mut self, last: bool) -> Result<(), Trouble>;
    /// The answers to that which have come.
    fn coverage(&mut self) -> Vec<Ran>;
    /// Ends the profile with all its tabs and data.
    async fn close(self: Box<Self>);
}

/// A call of a function, as an expression. JSON is JavaScript.
fn invocation(function: &str, arguments: &[Value]) -> String {
    let arguments: Vec<String> = arguments.iter().map(Value::to_string).collect();
    format!("({function})({})", arguments.join(","))
}
