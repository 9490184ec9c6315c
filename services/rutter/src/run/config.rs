//! The settings of a run, stored beside its database, so that `--resume RUN` needs nothing else.
//!
//! Secrets never stand here: keys are named by their environment variable, secrets of tasks by their reference.

use super::coverage::CoverageConfig;
use crate::cli::{PlannerName, WhichPictures, WireName};
use crate::compose::{self, Density};
use crate::node;
use crate::node::config::{CrawlerConfig, NodeConfig, PlannerNode};
use domain::campaign::PlannerRef;
use domain::test::Test;
use domain::{CampaignId, Job, JobId, SiteId};
use planner::ModelOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The version of the stored settings.
pub(crate) const FORMAT: u32 = 2;

/// The one model of a run, as its campaign calls it.
const MODEL: &str = "model";

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
    /// How jobs share browsers.
    pub(crate) density: Density,
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
    /// An exploration.
    Explore(ExploreConfig),
    /// Tests replayed.
    Replay {
        /// The test behind each job.
        tests: BTreeMap<String, Test>,
        /// Jobs that replay a test where its goal is another one, and must not pass.
        controls: Vec<JobId>,
    },
}

/// What is explored. How is said by each job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ExploreConfig {
    /// Who chooses what is tried next.
    pub(crate) strategy: String,
    /// Where it begins.
    pub(crate) url: String,
    /// The site's name in the map.
    pub(crate) site: SiteId,
    /// Whether every observation is kept.
    pub(crate) keep_observations: bool,
    /// What coverage is measured beside it.
    #[serde(default)]
    pub(crate) coverage: CoverageConfig,
}

impl Config {
    /// The settings of the node that works the run through.
    pub(crate) fn node(&self, directory: &Path) -> NodeConfig {
        let model = self.kind.planner().and_then(|planner| planner.model.clone());
        let models = model.map(|model| (MODEL.to_owned(), model)).into_iter().collect();
        // A name that is not offered keeps what nobody asks for from being loaded.
        let offers = vec![self.kind.planner().map_or(PlannerName::Gold, |planner| planner.name)];
        node::config::embedded(directory, self.crawler(), PlannerNode { offers, models })
    }

    /// How its crawler works. Who runs a task by hand is polite by the rates of the tasks.
    pub(crate) fn crawler(&self) -> CrawlerConfig {
        CrawlerConfig {
            slots: self.workers,
            browser: self.browser.clone(),
            density: self.density,
            ..CrawlerConfig::default()
        }
    }
}

impl Kind {
    /// What its campaign calls who decides.
    pub(crate) fn planner_ref(&self) -> PlannerRef {
        if let Kind::Explore(explore) = self {
            return PlannerRef::named(&explore.strategy);
        }
        let Some(planner) = self.planner() else { return PlannerRef::named("replay") };
        let name = compose::planner_name(planner.name).to_owned();
        PlannerRef { name, model: planner.model.as_ref().map(|_| MODEL.to_owned()) }
    }

    /// The planner's settings; none where tests are replayed.
    pub(crate) fn planner(&self) -> Option<&PlannerConfig> {
        match self {
            Kind::Tasks { planner } | Kind::Bench { planner, .. } => Some(planner),
            Kind::Explore(_) | Kind::Replay { .. } => None,
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
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
