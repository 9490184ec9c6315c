//! Decides when to collect JavaScript coverage from the page.
//!
//! V8 drops a document's coverage as soon as another document replaces it, so coverage is collected before every
//! action. What an action runs while leaving its page stays unknown: during a navigation Chromium holds the query back
//! until the new document is there. A failure here fails nothing else.

use super::Profile;
use crate::wire::WireError;
use std::time::Duration;
use tokio::time::timeout;

/// Deadline for the last answer: a busy page must not keep a profile from closing.
const LAST: Duration = Duration::from_secs(2);

impl Profile {
    /// Starts coverage, if requested, before the first page.
    pub(crate) async fn begin_coverage(&mut self) {
        let Some(coverage) = self.options.coverage.clone() else { return };
        match self.wire.ask_coverage(false).await {
            Ok(()) => {}
            Err(trouble @ (WireError::Driver(_) | WireError::Timeout(_))) => {
                coverage.cannot_count(format!("the session offers no DevTools to count what runs: {trouble}"));
                self.options.coverage = None;
            }
            Err(trouble) => tracing::debug!(%trouble, "the tab does not count what runs yet"),
        }
    }

    /// Requests coverage, if enabled, and stores earlier answers.
    pub(super) async fn cover(&mut self) {
        if self.options.coverage.is_none() {
            return;
        }
        if let Err(trouble) = self.wire.ask_coverage(false).await {
            tracing::debug!(%trouble, "not asked what scripts ran");
        }
        self.hear_coverage();
    }

    /// Requests coverage for the last time and waits for it.
    pub(super) async fn cover_last(&mut self) {
        if self.options.coverage.is_none() {
            return;
        }
        match timeout(LAST, self.wire.ask_coverage(true)).await {
            Ok(Ok(())) => {}
            Ok(Err(trouble)) => tracing::debug!(%trouble, "not asked what scripts ran last"),
            Err(_) => tracing::debug!("the page does not say what scripts ran last"),
        }
        self.hear_coverage();
    }

    fn hear_coverage(&mut self) {
        let Some(coverage) = &self.options.coverage else { return };
        for ran in self.wire.coverage() {
            coverage.add(&ran.tab, ran.answer, |url| self.secrets.clean(url));
        }
    }
}
