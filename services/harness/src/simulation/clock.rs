//! The clock of a simulation: tokio's own, paused; with a time of day that is off by as much as one wants.

use platform::clock::Clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::time::Instant;

/// Where every simulation begins, in seconds since 1970.
const BEGINNING: u64 = 1_800_000_000;

/// Tells the time of the runtime that it was made in.
#[derive(Clone)]
pub struct SimulatedClock {
    started: Instant,
    /// By how many milliseconds the time of day is off.
    skew: Arc<AtomicI64>,
}

impl SimulatedClock {
    #[expect(clippy::disallowed_methods, reason = "under the paused clock this is a time that the simulation holds")]
    pub(super) fn start() -> Self {
        Self { started: Instant::now(), skew: Arc::default() }
    }

    /// The clock of another machine: the same moments, with a time of day of its own.
    pub(super) fn another(&self) -> Self {
        Self { started: self.started, skew: Arc::default() }
    }

    /// Sets by how many milliseconds the time of day is off.
    pub(super) fn skew(&self, milliseconds: i64) {
        self.skew.store(milliseconds, Ordering::Relaxed);
    }
}

impl Clock for SimulatedClock {
    #[expect(clippy::disallowed_methods, reason = "under the paused clock this is a time that the simulation holds")]
    fn monotonic(&self) -> Duration {
        Instant::now() - self.started
    }

    fn wall(&self) -> SystemTime {
        let right = UNIX_EPOCH + Duration::from_secs(BEGINNING) + self.monotonic();
        let skew = self.skew.load(Ordering::Relaxed);
        let off = Duration::from_millis(skew.unsigned_abs());
        if skew < 0 { right - off } else { right + off }
    }
}
