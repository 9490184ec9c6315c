//! Receives the events of one profile, and reacts to those that cannot wait.

use super::bidi::ask;
use super::events::{NavigationEnd, ProfileState};
use super::socket::{Listener, Socket};
use parking_lot::{Mutex, MutexGuard};
use platform::spawn;
use serde_json::{Value, json};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// How long events may lag behind the answer to an aborted navigation.
const LAG: Duration = Duration::from_secs(1);

/// Applies a profile's events as they arrive, so that everything a command caused is known when its answer is.
pub(super) struct Feed {
    state: Mutex<ProfileState>,
    socket: Socket,
    patience: Duration,
    /// Notified by events of dialogs and navigations.
    turn: Notify,
}

impl Feed {
    /// Subscribes a profile to a session's events.
    pub(super) fn of(socket: &Socket, state: ProfileState, patience: Duration) -> Arc<Feed> {
        let feed = Feed { state: Mutex::new(state), socket: socket.clone(), patience, turn: Notify::new() };
        let feed = Arc::new(feed);
        let listener: Weak<dyn Listener> = Arc::<Feed>::downgrade(&feed);
        socket.add_listener(listener);
        feed
    }

    /// The current state.
    pub(super) fn state(&self) -> MutexGuard<'_, ProfileState> {
        self.state.lock()
    }

    /// Waits until the state answers a question.
    pub(super) async fn wait_for<T>(&self, says: impl Fn(&mut ProfileState) -> Option<T>) -> T {
        loop {
            let notified = self.turn.notified();
            if let Some(said) = says(&mut self.state()) {
                return said;
            }
            notified.await;
        }
    }

    /// Waits until the tab has an open dialog.
    pub(super) async fn dialog_opens(&self, tab: &str) {
        self.wait_for(|state| state.dialog.as_ref().is_some_and(|(owner, _)| owner == tab).then_some(())).await;
    }

    /// Whether a navigation of the page replaced ours before it was committed.
    pub(super) async fn is_overtaken(&self) -> bool {
        timeout(LAG, self.wait_for(|state| state.navigation_end())).await == Ok(NavigationEnd::Overtaken)
    }

    /// Waits until a navigation of the tab was answered without content; once for each.
    pub(super) async fn document_stays(&self, tab: &str) {
        self.wait_for(|state| state.stays(tab).then_some(())).await;
    }
}

impl Listener for Feed {
    fn on_event(&self, method: &str, params: &Value) {
        let surplus = {
            let mut state = self.state();
            state.apply(method, params);
            state.surplus.pop()
        };
        if let Some(context) = surplus {
            spawn::detached("close a tab too many", close(self.socket.clone(), context, self.patience));
        }
        if method.starts_with("browsingContext.") || method == "network.responseStarted" {
            self.turn.notify_waiters();
        }
    }
}

/// Closes a tab above the limit.
async fn close(socket: Socket, context: String, patience: Duration) {
    if let Err(error) = ask(&socket, "browsingContext.close", json!({"context": context}), patience).await {
        tracing::debug!(%error, "close a tab");
    }
}
