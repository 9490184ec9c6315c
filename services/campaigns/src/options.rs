//! Options of the role `campaigns`.

use domain::campaign::Rate;
use domain::storage::jobs::Retry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Options of the role `campaigns`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Seconds for which a claim holds without a sign of life.
    pub lease_seconds: f64,
    /// Losses of the same kind that put a job into quarantine.
    pub failures: u32,
    /// Seconds until the second attempt of a job; twice as many after every further loss.
    pub retry_seconds: f64,
    /// The longest pause between attempts in seconds.
    pub longest_retry_seconds: f64,
    /// How often an attempt loads a page of its host, about, in seconds. A host with a rate gets as many jobs at once as
    /// can load pages at that rate, at least one: further ones would only hold slots and wait.
    pub page_load_seconds: f64,
    /// The rate of hosts that a campaign does not name; none when absent. Addresses of this machine have none unless named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usual_rate: Option<Rate>,
    /// The projects there are beside `default`, each with how many parts of the slots it gets while others have work;
    /// `default` has one part where it is not named. When no project is named, there is any, each with one part.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub projects: BTreeMap<String, u32>,
    /// How often to look, in seconds, for what other instances may have changed: leases, the outbox, what is watched.
    pub look_seconds: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            lease_seconds: 30.0,
            failures: 3,
            retry_seconds: 0.5,
            longest_retry_seconds: 60.0,
            page_load_seconds: 1.0,
            usual_rate: None,
            projects: BTreeMap::new(),
            look_seconds: 1.0,
        }
    }
}

impl Options {
    /// For how long a claim holds.
    pub fn lease(&self) -> Duration {
        seconds(self.lease_seconds)
    }

    /// What happens after a lost attempt.
    pub fn retry(&self) -> Retry {
        Retry {
            failures: self.failures.max(1),
            pause: seconds(self.retry_seconds),
            longest_pause: seconds(self.longest_retry_seconds),
        }
    }

    /// How often to look.
    pub(crate) fn look(&self) -> Duration {
        seconds(self.look_seconds).max(Duration::from_millis(10))
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
