//! Options of the role `graph`.

use crate::merge::Caps;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Options of the role `graph`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// The state abstraction, by name. Maps that were made with another one cannot be gone on with.
    pub abstraction: String,
    /// Limits on the growth of a map.
    pub caps: Caps,
    /// Seconds for which a claim on the frontier holds without a sign of life.
    pub lease_seconds: f64,
    /// How often to look, in seconds, for what other instances may have written of a watched map.
    pub look_seconds: f64,
    /// Maps that are kept in memory; of more, those that were not asked for longest are read again when needed.
    pub maps_in_memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            abstraction: "layered".to_owned(),
            caps: Caps::default(),
            lease_seconds: 20.0,
            look_seconds: 1.0,
            maps_in_memory: 100,
        }
    }
}

impl Options {
    /// For how long a claim holds.
    pub fn lease(&self) -> Duration {
        seconds(self.lease_seconds)
    }

    /// How often to look.
    pub(crate) fn look(&self) -> Duration {
        seconds(self.look_seconds).max(Duration::from_millis(10))
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}
