//! The events of one profile as they come, and what has to be done at once.

use super::bidi::ask;
use super::events::Seen;
use futures::stream::Stream as _;
use serde_json::json;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use thirtyfour::bidi::{BiDi, RawEventStream};
use tokio::sync::Notify;

/// The events of a profile. A task takes them in as they come; a command that was answered first takes in everything that
/// arrived before its answer, so that what it caused is known when it returns.
pub(super) struct Feed {
    inner: Mutex<Inner>,
    bidi: BiDi,
    patience: Duration,
    /// Something happened to a dialog or a navigation.
    pub(super) turn: Notify,
}

pub(super) struct Inner {
    stream: RawEventStream,
    waker: Option<Waker>,
    pub(super) seen: Seen,
}

impl Feed {
    /// The events of a session that concern a profile.
    pub(super) fn of(bidi: BiDi, seen: Seen, patience: Duration) -> Feed {
        let inner = Inner { stream: bidi.subscribe_raw(), waker: None, seen };
        Feed { inner: Mutex::new(inner), bidi, patience, turn: Notify::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in all events that have arrived. The stream remembers one waker only, and it stays that of the task.
    pub(super) fn drain(&self, task: Option<&Waker>) -> bool {
        let mut guard = self.lock();
        let inner = &mut *guard;
        if let Some(waker) = task {
            inner.waker = Some(waker.clone());
        }
        let waker = inner.waker.clone().unwrap_or_else(|| Waker::noop().clone());
        let mut context = Context::from_waker(&waker);
        loop {
            match Pin::new(&mut inner.stream).poll_next(&mut context) {
                Poll::Ready(Some(event)) => {
                    inner.seen.apply(&event.method, &event.params);
                    if let Some(context) = inner.seen.surplus.pop() {
                        tokio::spawn(close(self.bidi.clone(), context, self.patience));
                    }
                    if event.method.starts_with("browsingContext.") || event.method == "network.responseStarted" {
                        self.turn.notify_waiters();
                    }
                }
                Poll::Ready(None) => return false,
                Poll::Pending => return true,
            }
        }
    }

    /// Ends when a dialog of the tab is open.
    pub(super) async fn dialog_opens(&self, tab: &str) {
        loop {
            let notified = self.turn.notified();
            if self.lock().seen.dialog.as_ref().is_some_and(|(owner, _)| owner == tab) {
                return;
            }
            notified.await;
        }
    }

    /// Ends when a navigation of the tab was answered without content; once for each.
    pub(super) async fn document_stays(&self, tab: &str) {
        loop {
            let notified = self.turn.notified();
            if self.lock().seen.stays(tab) {
                return;
            }
            notified.await;
        }
    }
}

/// Closes a tab that is one too many.
async fn close(bidi: BiDi, context: String, patience: Duration) {
    if let Err(error) = ask(&bidi, "browsingContext.close", json!({"context": context}), patience).await {
        tracing::debug!(%error, "close a tab");
    }
}
