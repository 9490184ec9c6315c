//! The settings of a run, stored beside its database, so that `--resume RUN` needs nothing else.
//!
//! Secrets never stand here: keys are named by their environment variable, secrets of tasks by their reference.

use crate::cli::{PlannerName, WhichPictures, WireName};
use domain::test::Test;
use domain::{CampaignId, Job, JobId};
use planner::ModelOptions;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The version of the stored settings.
pub(crate) const FORMAT: u32 = 1;

/// Everything that decides what a run does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Config {
    /// Version of this format.
    pub(crate) format: u32,
    /// A name for people.
    pub(crate) name: String,
    /// When it was started, for people.
    pub(crate) created: String,
    /// The campaign of its jobs.
    pub(crate) campaign: CampaignId,
    /// What kind of run it is.
    pub(crate) kind: Kind,
    /// Jobs done at the same time.
    pub(crate) workers: usize,
    /// Which pictures are kept.
    pub(crate) screenshots: WhichPictures,
    /// The browser.
    pub(crate) browser: BrowserConfig,
    /// Everything that is to be done, in order.
    pub(crate) jobs: Vec<Job>,
}

/// What kind of run it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Tasks of task files.
    Tasks {
        /// Who decides.
        planner: PlannerConfig,
    },
    /// A suite of a benchmark.
    Bench {
        /// Who decides.
        planner: PlannerConfig,
        /// The suite, or `tasks` when they were named one by one.
        suite: String,
        /// The text that gives the same seeds again.
        seeds: String,
        /// What fresh seeds were drawn from.
        root_seed: Option<u32>,
        /// Whether time limits are lifted.
        relaxed: bool,
    },
    /// Tests replayed.
    Replay {
        /// The test behind each job.
        tests: BTreeMap<String, Test>,
        /// Jobs that replay a test where its goal is another one, and must not pass.
        controls: Vec<JobId>,
    },
}

impl Kind {
    /// The planner's settings; none where tests are replayed.
    pub(crate) fn planner(&self) -> Option<&PlannerConfig> {
        match self {
            Kind::Tasks { planner } | Kind::Bench { planner, .. } => Some(planner),
            Kind::Replay { .. } => None,
        }
    }
}

/// Who decides, and the model behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct PlannerConfig {
    /// Who decides.
    pub(crate) name: PlannerName,
    /// The model; none where the planner asks none.
    pub(crate) model: Option<ModelOptions>,
}

/// The browser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BrowserConfig {
    /// Whether its window is shown.
    pub(crate) headed: bool,
    /// Its program.
    pub(crate) browser: Option<PathBuf>,
    /// The driver's program.
    pub(crate) driver: Option<PathBuf>,
    /// A running WebDriver server instead.
    pub(crate) webdriver: Option<String>,
    /// How to talk to it.
    pub(crate) wire: WireName,
}
