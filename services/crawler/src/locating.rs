//! Says at every step of a task where its page is on the map of the site: every run makes the map better, and planners know where they are.

use async_trait::async_trait;
use domain::decision::{Decider, Decision, DecisionRequest, MapPosition, PlannerError};
use domain::page::Page;
use domain::service::GraphService;
use domain::state::{Arrival, LocateRequest, Version};
use domain::test::Heal;
use domain::{Action, StateId};
use parking_lot::Mutex;
use platform::clock::{Clock as _, SystemClock};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;
use tracing::warn;

/// How long the map may take to answer. A task does not wait for it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Questions to the map that a process has under way at once: each holds a page, and attempts begin in waves.
const AT_ONCE: usize = 16;

/// For how long no task asks a map that did not answer.
const DOUBTED_FOR: Duration = Duration::from_secs(30);

/// The map as the tasks of one process ask it: a few at a time, and none for a while after it did not answer. Who finds no room goes on
/// without, and asks again at the next step.
pub struct TaskMap {
    map: Arc<dyn GraphService>,
    asking: Asking,
}

impl TaskMap {
    /// A map that is asked by tasks.
    pub fn new(map: Arc<dyn GraphService>) -> Self {
        Self { map, asking: Asking::default() }
    }
}

/// Who may ask now.
struct Asking {
    room: Semaphore,
    clock: SystemClock,
    doubted_until: Mutex<Duration>,
}

impl Default for Asking {
    fn default() -> Self {
        Self { room: Semaphore::new(AT_ONCE), clock: SystemClock::default(), doubted_until: Mutex::default() }
    }
}

impl Asking {
    /// Room for a question, if there is some and nobody doubts that the map is there.
    fn room(&self) -> Option<SemaphorePermit<'_>> {
        let is_doubted = self.clock.monotonic() < *self.doubted_until.lock();
        self.room.try_acquire().ok().filter(|_| !is_doubted)
    }

    fn doubt(&self) {
        *self.doubted_until.lock() = self.clock.monotonic() + DOUBTED_FOR;
    }
}

/// Decorator over `Decider` that locates pages on a map before they are decided on. Where the map does not answer, the rest of the attempt
/// goes on without.
pub struct LocatingDecider {
    inner: Box<dyn Decider>,
    map: Arc<TaskMap>,
    version: Version,
    last: Option<LocatedPage>,
    is_away: bool,
}

/// The page that was located last.
struct LocatedPage {
    /// Its observation's number.
    number: u64,
    /// How many steps were taken before it.
    steps: usize,
    state: StateId,
}

impl LocatingDecider {
    /// Decorates a decider; pages are located under this version of the map.
    pub fn new(inner: Box<dyn Decider>, map: Arc<TaskMap>, version: Version) -> Self {
        Self { inner, map, version, last: None, is_away: false }
    }

    /// The state that the page shows; none where nobody can tell.
    async fn locate(&mut self, request: &DecisionRequest) -> Option<StateId> {
        let (number, steps) = (request.observation.stamp.number, request.history.len());
        if let Some(last) = self.last.as_ref().filter(|last| last.number == number) {
            return Some(last.state);
        }
        if self.is_away {
            return None;
        }
        let map = Arc::clone(&self.map);
        let _room = map.asking.room()?;
        let from = self.last.take().filter(|last| steps == last.steps + 1);
        let arrival = from.zip(request.history.last()).map(|(from, step)| Arrival {
            from: from.state,
            action: step.action.clone(),
            key: None,
            effect: step.effect.clone(),
            latency: Duration::from_secs_f64(step.act_ms.max(0.0) / 1000.0),
        });
        let opened = match &arrival {
            None => Some(request.observation.url.clone()),
            Some(Arrival { action: Action::Goto { url }, .. }) => Some(url.clone()),
            Some(_) => None,
        };
        let asked = map.map.locate(LocateRequest {
            version: self.version.clone(),
            observation: request.observation.clone(),
            vector: None,
            arrival,
            reload_of: None,
            opened,
            ticket: None,
            screenshot: None,
        });
        match timeout(PATIENCE, asked).await {
            Ok(Ok(located)) => {
                self.last = Some(LocatedPage { number, steps, state: located.state });
                Some(located.state)
            }
            Ok(Err(error)) => {
                if error.is_retryable() {
                    map.asking.doubt();
                }
                self.goes_on_without(&error.to_string())
            }
            Err(_) => {
                map.asking.doubt();
                self.goes_on_without("it does not answer")
            }
        }
    }

    fn goes_on_without(&mut self, cause: &str) -> Option<StateId> {
        warn!(site = %self.version.site, cause, "pages of this attempt are not located on the map any more");
        self.is_away = true;
        None
    }
}

#[async_trait]
impl Decider for LocatingDecider {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn decide(&mut self, page: &mut dyn Page, mut request: DecisionRequest) -> Result<Decision, PlannerError> {
        if request.observation.dialog.is_none() {
            let state = self.locate(&request).await;
            request.position = state.map(|state| MapPosition { version: self.version.run.clone(), state });
        }
        self.inner.decide(page, request).await
    }

    fn heals(&self) -> Vec<Heal> {
        self.inner.heals()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_ask_at_once_and_nobody_asks_what_did_not_answer() {
        let asking = Asking::default();
        let mut rooms: Vec<_> = (0..AT_ONCE).map(|_| asking.room().expect("room")).collect();
        assert!(asking.room().is_none(), "every question holds a page");
        rooms.pop();
        assert!(asking.room().is_some());
        asking.doubt();
        assert!(asking.room().is_none());
    }
}
