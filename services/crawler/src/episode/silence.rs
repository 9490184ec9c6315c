//! A planner that does not answer, and when it is asked again.

use backon::{BackoffBuilder as _, ExponentialBackoff, ExponentialBuilder};
use std::time::Duration;

/// The pauses before a planner that did not answer is asked again.
const PAUSES: ExponentialBuilder = ExponentialBuilder::new()
    .with_min_delay(Duration::from_millis(200))
    .with_max_delay(LONGEST_PAUSE)
    .without_max_times();

/// The longest of them.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The time since a planner was asked for the first time and did not answer.
#[derive(Debug)]
pub(super) struct Silence {
    /// Of the last failure.
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
