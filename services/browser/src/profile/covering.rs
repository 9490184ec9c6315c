//! When it is asked what of the pages' scripts ran.
//!
//! V8 forgets what ran in a document as soon as another one takes its place. So it is asked before every action. What an action
//! runs that leaves its page stays unknown: while a document is on its way, Chromium holds the question back until it is
//! there. Whatever fails here fails nothing else.

use super::Profile;
use crate::wire::Trouble;
use std::time::Duration;
use tokio::time::timeout;

/// How long the last answer is waited for: a page that is busy for ever must not keep a profile from closing.
const LAST: Duration = Duration::from_secs(2);

impl Profile {
    /// Begins to count, if that is wanted, before there is a page.
    pub(crate) async fn begin_coverage(&mut self) {
        let Some(coverage) = self.options.coverage.clone() else { return };
        match self.wire.ask_coverage(false).await {
            Ok(()) => {}
            Err(trouble @ (Trouble::Driver(_) | Trouble::Timeout(_))) => {
                coverage.cannot_count(format!("the session offers no DevTools to count what runs: {trouble}"));
                self.options.coverage = None;
            }
            Err(trouble) => tracing::debug!(%trouble, "the tab does not count what runs yet"),
        }
    }

    /// Asks what ran, if that is wanted, and takes in what was answered before.
    pub(super) async fn cover(&mut self) {
        if self.options.coverage.is_none() {
            return;
        }
        if let Err(trouble) = self.wire.ask_coverage(false).await {
            tracing::debug!(%trouble, "not asked what scripts ran");
        }
        self.hear_coverage();
    }

    /// The same for the last time.
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
