//! The events of one profile as they come, and what has to be done at once.

use super::bidi::ask;
use super::events::{ErrandEnd, Seen};
use super::socket::{Listener, Socket};
use parking_lot::{Mutex, MutexGuard};
use platform::spawn;
use serde_json::{Value, json};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// How long events may lag behind the answer to a navigation that another replaced.
const LAG: Duration = Duration::from_secs(1);

/// The events of a profile. They are taken in as they arrive, so that what a command caused is known when its answer is.
pub(super) struct Feed {
    seen: Mutex<Seen>,
    socket: Socket,
    patience: Duration,
    /// Something happened to a dialog or a navigation.
    turn: Notify,
}

impl Feed {
    /// The events of a session that concern a profile, from now on.
    pub(super) fn of(socket: &Socket, seen: Seen, patience: Duration) -> Arc<Feed> {
        let feed = Feed { seen: Mutex::new(seen), socket: socket.clone(), patience, turn: Notify::new() };
        let feed = Arc::new(feed);
        let listener: Weak<dyn Listener> = Arc::<Feed>::downgrade(&feed);
        socket.tell(listener);
        feed
    }

    /// What they say by now.
    pub(super) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock()
    }

    /// What they say, once they say it.
    pub(super) async fn told<T>(&self, says: impl Fn(&mut Seen) -> Option<T>) -> T {
        loop {
            let notified = self.turn.notified();
            if let Some(said) = says(&mut self.seen()) {
                return said;
            }
            notified.await;
        }
    }

    /// Ends when a dialog of the tab is open.
    pub(super) async fn dialog_opens(&self, tab: &str) {
        self.told(|seen| seen.dialog.as_ref().is_some_and(|(owner, _)| owner == tab).then_some(())).await;
    }

    /// Whether a navigation by the page took the place of ours before that had a document.
    pub(super) async fn is_overtaken(&self) -> bool {
        timeout(LAG, self.told(|seen| seen.errand_end())).await == Ok(ErrandEnd::Overtaken)
    }

    /// Ends when a navigation of the tab was answered without content; once for each.
    pub(super) async fn document_stays(&self, tab: &str) {
        self.told(|seen| seen.stays(tab).then_some(())).await;
    }
}

impl Listener for Feed {
    fn hear(&self, method: &str, params: &Value) {
        let surplus = {
            let mut seen = self.seen();
            seen.apply(method, params);
            seen.surplus.pop()
        };
        if let Some(context) = surplus {
            spawn::detached("close a tab too many", close(self.socket.clone(), context, self.patience));
        }
        if method.starts_with("browsingContext.") || method == "network.responseStarted" {
            self.turn.notify_waiters();
        }
    }
}

/// Closes a tab that is one too many.
async fn close(socket: Socket, context: String, patience: Duration) {
    if let Err(error) = ask(&socket, "browsingContext.close", json!({"context": context}), patience).await {
        tracing::debug!(%error, "close a tab");
    }
}
