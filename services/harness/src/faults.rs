//! Failure as a decorator: [`Faulty`] stands before any seam and lets calls fail, be lost, come late or come twice.
//!
//! What happens to a call is said by a [`Schedule`] that draws from one seed; so a run under the same runtime and the same
//! seed fails in the same way. Nothing here fails by itself: without a schedule that says so, every call goes through as it is.

mod ledger;
mod map;
mod models;
mod page;
mod queue;
mod schedule;
mod storage;
mod subscription;
mod trace;

pub use schedule::{Fault, Odds, Schedule};
pub use trace::Trace;

use domain::language::EmbedError;
use domain::page::PageError;
use domain::service::{Code, ServiceError};
use domain::storage::StorageError;
use parking_lot::Mutex;
use std::future::{Future, pending};
use std::sync::Arc;
use subscription::Slot;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// A seam whose calls go over a [`Link`].
pub struct Faulty<T: ?Sized> {
    inner: Arc<T>,
    link: Link,
}

impl<T: ?Sized> Faulty<T> {
    /// Puts a link between callers and what they call.
    pub fn new(inner: Arc<T>, link: Link) -> Self {
        Self { inner, link }
    }
}

/// The way from one component to what it calls. It has the component's name and life.
#[derive(Clone)]
pub struct Link {
    schedule: Schedule,
    who: Arc<str>,
    life: Life,
}

impl Link {
    /// The way of a component, by its name.
    pub fn new(schedule: Schedule, who: &str, life: Life) -> Self {
        Self { schedule, who: who.into(), life }
    }

    /// What a call or an answer takes in any case.
    async fn travel(&self) {
        let latency = self.schedule.latency();
        if !latency.is_zero() {
            sleep(latency).await;
        }
    }

    /// Lets a call go the way that the schedule says. A call of a component that has died is never answered.
    async fn call<R, E, F>(&self, call: &'static str, work: impl Fn() -> F) -> Result<R, E>
    where
        E: Away,
        F: Future<Output = Result<R, E>>,
    {
        self.carry(call, true, work).await
    }

    /// As [`Link::call`], for what nobody repeats: it arrives once where another call would arrive twice.
    async fn call_once<R, E, F>(&self, call: &'static str, work: impl Fn() -> F) -> Result<R, E>
    where
        E: Away,
        F: Future<Output = Result<R, E>>,
    {
        self.carry(call, false, work).await
    }

    async fn carry<R, E, F>(&self, call: &'static str, is_repeatable: bool, work: impl Fn() -> F) -> Result<R, E>
    where
        E: Away,
        F: Future<Output = Result<R, E>>,
    {
        let struck = async {
            let away = || E::away(format!("{call}: the connection of {} was lost", self.who));
            self.travel().await;
            let answer = match self.schedule.strike(&self.who, call) {
                Fault::None => work().await,
                Fault::Before => Err(away()),
                Fault::After => work().await.and_then(|_| Err(away())),
                Fault::Late(pause) => {
                    sleep(pause).await;
                    work().await
                }
                Fault::LateAnswer(pause) => {
                    let answer = work().await;
                    sleep(pause).await;
                    answer
                }
                Fault::Twice => match work().await {
                    Ok(_) if is_repeatable => work().await,
                    answer => answer,
                },
            };
            self.travel().await;
            let answer = if self.schedule.is_cut_off(&self.who) { answer.and_then(|_| Err(away())) } else { answer };
            self.schedule.answered(&self.who, call, answer.is_ok());
            answer
        };
        tokio::select! {
            biased;
            () = self.life.ended() => pending().await,
            answer = struck => answer,
        }
    }
}

/// The life of a component. Once it ends, nothing that it was about to do happens any more, as after `kill -9`: its calls
/// are never answered, and what it had subscribed to is free for others. Clones are the same life.
#[derive(Clone, Default)]
pub struct Life {
    ended: CancellationToken,
    subscriptions: Arc<Mutex<Vec<Slot>>>,
}

impl Life {
    /// Ends it.
    pub fn end(&self) {
        self.ended.cancel();
        for slot in self.subscriptions.lock().drain(..) {
            slot.take();
        }
    }

    /// Waits for its end.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    fn keep(&self, slot: Slot) {
        self.subscriptions.lock().push(slot);
    }
}

/// An error that says that what was called is away, so that it may or may not have happened.
trait Away {
    fn away(cause: String) -> Self;
}

impl Away for StorageError {
    fn away(cause: String) -> Self {
        StorageError::Unavailable(cause)
    }
}

impl Away for ServiceError {
    fn away(cause: String) -> Self {
        ServiceError::new(Code::Unavailable, cause)
    }
}

impl Away for PageError {
    fn away(cause: String) -> Self {
        PageError::SessionLost(cause)
    }
}

impl Away for EmbedError {
    fn away(cause: String) -> Self {
        EmbedError(cause)
    }
}
