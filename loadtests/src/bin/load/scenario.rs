//! What is run, as data.

use anyhow::{Result, ensure};
use loadtests::grid::{Failures, Latencies};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A scenario.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Scenario {
    /// Instances of ten steps.
    pub(crate) instances: u32,
    /// Sessions of the simulated Grid.
    pub(crate) sessions: u32,
    /// Instances in one session at the same time.
    pub(crate) contexts_per_browser: u32,
    /// Nodes of the simulated Grid.
    pub(crate) nodes: u32,
    /// Hosts of the site.
    pub(crate) hosts: u32,
    /// Different tasks.
    pub(crate) wizards: u32,
    /// Of all times and failures of the Grid.
    pub(crate) seed: u64,
    /// Instances that the client of the browsers does alone.
    pub(crate) baseline_instances: u32,
    /// How long the simulated browsers take.
    pub(crate) latency: Latencies,
    /// How often they fail.
    pub(crate) failures: Failures,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            instances: 1000,
            sessions: 100,
            contexts_per_browser: 1,
            nodes: 1,
            hosts: 1,
            wizards: 10,
            seed: 1,
            baseline_instances: 1000,
            latency: Latencies::default(),
            failures: Failures::default(),
        }
    }
}

/// What the command line says of it.
#[derive(Debug, Serialize)]
pub(crate) struct Sizes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) instances: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sessions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) baseline_instances: Option<u32>,
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// Names the field that cannot be meant.
    pub(crate) fn read(file: &Path, sizes: &Sizes) -> Result<Scenario> {
        let scenario: Scenario = platform::config::load(&Scenario::default(), Some(file), [], sizes)?;
        let counts = [
            ("instances", scenario.instances),
            ("sessions", scenario.sessions),
            ("contexts_per_browser", scenario.contexts_per_browser),
            ("nodes", scenario.nodes),
            ("hosts", scenario.hosts),
            ("wizards", scenario.wizards),
            ("baseline_instances", scenario.baseline_instances),
        ];
        for (name, count) in counts {
            ensure!(count > 0, "{}: `{name}` must be at least 1", file.display());
        }
        Ok(scenario)
    }

    /// Instances under way at once.
    pub(crate) fn slots(&self) -> u32 {
        self.sessions * self.contexts_per_browser
    }
}
