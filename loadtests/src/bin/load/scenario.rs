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
    /// Whether what an instance costs is judged, for which the client of the browsers is measured alone. Not where browsers
    /// fail: the client alone attempts nothing twice, and how many attempts an instance takes is chance.
    pub(crate) judges_cost: bool,
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
            judges_cost: true,
        }
    }
}

/// What the command line says of it.
#[derive(Debug, Default, Serialize)]
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
        let Scenario { failures, judges_cost, .. } = scenario;
        let can_be_judged = failures == Failures::default() || !judges_cost;
        ensure!(can_be_judged, "{}: `judges_cost` must be false where browsers fail", file.display());
        Ok(scenario)
    }

    /// Instances under way at once.
    pub(crate) fn slots(&self) -> u32 {
        self.sessions * self.contexts_per_browser
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str) -> Scenario {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(name);
        Scenario::read(&file, &Sizes::default()).unwrap()
    }

    #[test]
    fn the_cost_is_judged_only_where_no_browser_fails() {
        let (usual, failing) = (read("ten-steps.toml"), read("failures.toml"));
        assert!(usual.judges_cost && usual.failures == Failures::default());
        let Failures { no_slot, session_lost, page_crash, slow } = failing.failures;
        assert!(!failing.judges_cost && [no_slot, session_lost, page_crash, slow].iter().all(|often| *often > 0.0));
        assert_eq!((failing.instances, failing.slots()), (2000, 200));
    }

    #[test]
    fn a_cost_that_cannot_be_judged_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("scenario.toml");
        std::fs::write(&file, "failures = { slow = 0.1 }").unwrap();
        let error = Scenario::read(&file, &Sizes::default()).unwrap_err();
        assert!(error.to_string().contains("judges_cost"), "{error}");
    }

    #[test]
    fn what_the_command_line_says_comes_before_the_file() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/failures.toml");
        let scenario = Scenario::read(&file, &Sizes { sessions: Some(7), ..Sizes::default() }).unwrap();
        assert_eq!((scenario.instances, scenario.sessions), (2000, 7));
    }
}
