//! The only source of time. Everything that depends on time takes a [`Clock`], so that tests control it.

use std::time::{Duration, Instant, SystemTime};

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Monotonic time since an arbitrary moment that stays the same for the life of the process.
    fn monotonic(&self) -> Duration;

    /// The time of day.
    fn wall(&self) -> SystemTime;
}

/// The machine's own clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    started: Instant,
}

impl Default for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the door that the ban points to")]
    fn default() -> Self {
        Self { started: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn monotonic(&self) -> Duration {
        self.started.elapsed()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the door that the ban points to")]
    fn wall(&self) -> SystemTime {
        SystemTime::now()
    }
}
