//! Requests JavaScript coverage of tabs from DevTools. Answers are not awaited while other work is pending: commands
//! are answered in order, so a request precedes whatever is sent next.

use super::WireError;
use serde_json::{Value, json};
use std::collections::HashMap;
use tokio::task::JoinSet;

/// The command that reads coverage since the previous read.
pub(super) const TAKE: &str = "Profiler.takePreciseCoverage";

/// The commands that start it. Without call counts each answer holds only new coverage, and V8 may optimise what it has
/// reported.
pub(super) fn first() -> [(&'static str, Value); 2] {
    let precise = json!({"callCount": false, "detailed": true});
    [("Profiler.enable", json!({})), ("Profiler.startPreciseCoverage", precise)]
}

/// The coverage of a tab's scripts.
#[derive(Debug)]
pub(crate) struct TabCoverage {
    /// The tab.
    pub(crate) tab: String,
    /// The answer.
    pub(crate) answer: Value,
}

/// Coverage requests under way, and their answers.
#[derive(Default)]
pub(super) struct CoverageQueries {
    /// The DevTools session of each tab that collects coverage.
    sessions: HashMap<String, String>,
    asked: JoinSet<Option<TabCoverage>>,
    answers: Vec<TabCoverage>,
}

impl CoverageQueries {
    /// The DevTools session of a tab that collects coverage.
    pub(super) fn session(&self, tab: &str) -> Option<String> {
        self.sessions.get(tab).cloned()
    }

    /// Registers a tab that collects coverage.
    pub(super) fn begin(&mut self, tab: &str, session: &str) {
        self.sessions.insert(tab.to_owned(), session.to_owned());
    }

    /// Awaits an answer in the background.
    pub(super) fn ask(&mut self, tab: String, answer: impl Future<Output = Result<Value, WireError>> + Send + 'static) {
        self.asked.spawn(async move {
            match answer.await {
                Ok(answer) => Some(TabCoverage { tab, answer }),
                Err(trouble) => {
                    tracing::debug!(%trouble, "not told what scripts ran");
                    None
                }
            }
        });
    }

    /// Waits for all answers.
    pub(super) async fn wait(&mut self) {
        while let Some(answered) = self.asked.join_next().await {
            self.answers.extend(answered.ok().flatten());
        }
    }

    /// The answers received so far.
    pub(super) fn answers(&mut self) -> Vec<TabCoverage> {
        while let Some(answered) = self.asked.try_join_next() {
            self.answers.extend(answered.ok().flatten());
        }
        std::mem::take(&mut self.answers)
    }
}
