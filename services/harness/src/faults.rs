//! Fault injection by decorators: [`Faulty`] wraps any seam and makes calls fail, lose their answer, arrive late or
//! arrive twice.
//!
//! A [`Schedule`] with one seed decides what happens to each call, so a run on the same runtime with the same seed
//! fails in the same way. Without odds that say otherwise, every call passes unchanged.

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

/// Decorator over a seam whose calls go over a [`Link`].
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

/// The connection of one component to what it calls, with the component's name and life.
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

    /// Waits for the latency of a call or an answer.
    async fn travel(&self) {
        let latency = self.schedule.latency();
        if !latency.is_zero() {
            sleep(latency).await;
        }
    }

    /// Performs a call as the schedule decides. A call of a dead component is never answered.
    async fn call<R, E, F>(&self, call: &'static str, work: impl Fn() -> F) -> Result<R, E>
    where
        E: Away,
        F: Future<Output = Result<R, E>>,
    {
        self.carry(call, true, work).await
    }

    /// As [`Link::call`], for calls that are never repeated: they never arrive twice.
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

/// The life of a component. Ending it acts like `kill -9`: its calls are never answered, and its subscriptions become
/// free for others. Clones share it.
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

/// Builds the error for a callee that is away, when the call may or may not have happened.
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
