//! Asking DevTools what of a tab's scripts ran. The answers are not waited for while there is something else to do: commands
//! are answered in order, so that the page is asked before whatever is sent next.

use super::Trouble;
use serde_json::{Value, json};
use std::collections::HashMap;
use tokio::task::JoinSet;

/// What ran since it was asked last.
pub(super) const TAKE: &str = "Profiler.takePreciseCoverage";

/// What comes before that. Without counts, an answer tells only what is new, and V8 may optimise what it has told of.
pub(super) fn first() -> [(&'static str, Value); 2] {
    let precise = json!({"callCount": false, "detailed": true});
    [("Profiler.enable", json!({})), ("Profiler.startPreciseCoverage", precise)]
}

/// What of a tab's scripts ran.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The tab.
    pub(crate) tab: String,
    /// The answer.
    pub(crate) answer: Value,
}

/// What is asked and answered.
#[derive(Default)]
pub(super) struct Counting {
    /// The DevTools sessions of the tabs that count.
    sessions: HashMap<String, String>,
    asked: JoinSet<Option<Ran>>,
    answers: Vec<Ran>,
}

impl Counting {
    /// The DevTools session of a tab that counts.
    pub(super) fn session(&self, tab: &str) -> Option<String> {
        self.sessions.get(tab).cloned()
    }

    /// A tab counts from now on.
    pub(super) fn begin(&mut self, tab: &str, session: &str) {
        self.sessions.insert(tab.to_owned(), session.to_owned());
    }

    /// Lets a question be answered beside everything else.
    pub(super) fn ask(&mut self, tab: String, answer: impl Future<Output = Result<Value, Trouble>> + Send + 'static) {
        self.asked.spawn(async move {
            match answer.await {
                Ok(answer) => Some(Ran { tab, answer }),
                Err(trouble) => {
                    tracing::debug!(%trouble, "not told what scripts ran");
                    None
                }
            }
        });
    }

    /// Ends when everything is answered.
    pub(super) async fn wait(&mut self) {
        while let Some(answered) = self.asked.join_next().await {
            self.answers.extend(answered.ok().flatten());
        }
    }

    /// The answers that have come.
    pub(super) fn answers(&mut self) -> Vec<Ran> {
        while let Some(answered) = self.asked.try_join_next() {
            self.answers.extend(answered.ok().flatten());
        }
        std::mem::take(&mut self.answers)
    }
}
