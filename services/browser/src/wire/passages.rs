//! The gate's own record of requests. It completes what the browser tells: of workers that other workers start, and over WebDriver
//! Classic of all workers, the browser tells nothing.

use parking_lot::Mutex;
use platform::{Clock, SystemClock};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Requests that are kept until they are compared with what the browser tells.
const KEPT: usize = 2_000;
/// Requests of one profile that passed its gate and were not compared yet.
#[derive(Debug, Default)]
pub(crate) struct Passages {
    kept: Mutex<VecDeque<Passage>>,
    number: AtomicU64,
    clock: SystemClock,
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Passage {
    /// The number that [`Passages::began`] gave it.
    pub(crate) number: u64,
    /// Its method.
    pub(crate) method: String,
    /// Its address.
    pub(crate) url: String,
    /// The status of its answer.
    pub(crate) status: Option<u16>,
    /// Whether it was handed out before, without its answer.
    pub(crate) is_known: bool,
    at: Duration,
}

impl Passages {
    /// How long the browser's word of a request may lag behind the request.
    pub(crate) const LAG: Duration = Duration::from_millis(300);

    /// A request passes; answers its number.
    pub(crate) fn began(&self, method: &str, url: &str) -> u64 {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let (method, url) = (method.to_owned(), url.to_owned());
        let mut kept = self.kept.lock();
        kept.push_back(Passage { number, method, url, status: None, is_known: false, at: self.clock.monotonic() });
        if kept.len() > KEPT {
            kept.pop_front();
        }
        number
    }

    /// It was answered.
    pub(crate) fn answered(&self, number: u64, status: u16) {
        let mut kept = self.kept.lock();
        if let Some(passage) = kept.iter_mut().rev().find(|passage| passage.number == number) {
            passage.status = Some(status);
        }
    }

    /// Hands out those of which the browser has had the time to tell; those that have no answer yet are handed out again with it.
    pub(crate) fn take(&self) -> Vec<Passage> {
        let now = self.clock.monotonic();
        let mut due = Vec::new();
        self.kept.lock().retain_mut(|passage| {
            let is_due =
                now.saturating_sub(passage.at) >= Passages::LAG && (!passage.is_known || passage.status.is_some());
            if is_due {
                due.push(passage.clone());
                passage.is_known = true;
            }
            !(is_due && passage.status.is_some())
        });
        due
    }
}
