//! Back-off for a planner that does not answer.

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use std::time::Duration;

/// Pauses between retries.
const PAUSES: ExponentialBuilder = ExponentialBuilder::new()
    .with_min_delay(Duration::from_millis(200))
    .with_max_delay(LONGEST_PAUSE)
    .without_max_times();

/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A run of failed questions to a planner, from the first one on.
#[derive(Debug)]
pub(super) struct Silence {
    /// Cause of the latest failure.
    pub(super) cause: String,
    pauses: ExponentialBackoff,
}

impl Silence {
    pub(super) fn new() -> Self {
        Self { cause: String::new(), pauses: PAUSES.build() }
    }

    /// The pause after one more failure.
    pub(super) fn next_pause(&mut self, cause: String) -> Duration {
        self.cause = cause;
        self.pauses.next().unwrap_or(LONGEST_PAUSE)
    }
}
