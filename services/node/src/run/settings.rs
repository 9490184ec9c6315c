//! The settings of a run, stored beside its database, so that `--resume RUN` needs nothing else.
//!
//! Secrets never stand here: keys are named by their environment variable, secrets of tasks by their reference.

use super::coverage::CoverageConfig;
use super::mark;
use crate::Error;
use crate::compose;
use crate::config::{self, BrowserConfig, CrawlerConfig, Density, ModelRoles, NodeConfig, PlannerNode};
use crate::stored;
use domain::campaign::{AttemptLimits, Campaign, PlannerOptions, PlannerRef};
use domain::coverage::CoverageOptions;
use domain::privilege::{Allowed, Privilege};
use domain::stage::Stages;
use domain::test::Test;
use domain::{CampaignId, Job, JobId, SiteId};
use planner::model::{ModelRole, Traffic, traffic};
use planner::{LanguageModel, ModelOptions, PoolOptions};
use report::Directory;
use report::directory::SETTINGS;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The version of the stored settings.
pub const FORMAT: u32 = 2;

/// The file of recorded exchanges with models, in a run's directory.
const TRAFFIC: &str = "model-traffic.jsonl";

/// The one model of a run, as its campaign calls it.
const MODEL: &str = "model";
/// The models of its other roles, where they have models of their own.
const DESCRIBER: &str = "describer";
const VISION: &str = "vision";
const GROUNDER: &str = "grounder";
const JUDGE: &str = "judge";

/// Everything that decides what a run does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    /// Version of this format.
    pub format: u32,
    /// A name for people.
    pub name: String,
    /// When it was started, for people.
    pub created: String,
    /// The campaign of its jobs.
    pub campaign: CampaignId,
    /// What kind of run it is.
    pub kind: Kind,
    /// Jobs done at the same time.
    pub workers: usize,
    /// Which pictures are kept.
    pub screenshots: WhichPictures,
    /// The browser.
    pub browser: BrowserConfig,
    /// How jobs share browsers.
    pub density: Density,
    /// What an attempt may take at most, where its task allows more.
    #[serde(default, skip_serializing_if = "AttemptLimits::is_none")]
    pub limits: AttemptLimits,
    /// How many times at most what did not pass is tried again.
    #[serde(default, skip_serializing_if = "is_none")]
    pub again: u8,
    /// Everything that is to be done, in order. What is tried again, the queue knows.
    pub jobs: Vec<Job>,
}

fn is_none(times: &u8) -> bool {
    *times == 0
}

/// What kind of run it is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Kind {
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
pub struct ExploreConfig {
    /// Who chooses what is tried next.
    pub strategy: String,
    /// Where it begins.
    pub url: String,
    /// The site's name in the map.
    pub site: SiteId,
    /// Whether every observation is kept.
    pub keep_observations: bool,
    /// What coverage is measured beside it.
    #[serde(default)]
    pub coverage: CoverageConfig,
}

/// Which pictures are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhichPictures {
    /// None
    None,
    /// The last page of attempts that did not succeed
    #[default]
    Failures,
    /// Every step
    All,
}

impl Config {
    /// Keeps the settings of a new run in its directory.
    ///
    /// # Errors
    /// [`Error::HoldsRun`]; a directory that cannot be written.
    pub fn create(&self, path: &Path) -> Result<Directory, Error> {
        if path.join(SETTINGS).exists() {
            return Err(Error::HoldsRun(path.to_owned()));
        }
        let action = || format!("create {}", path.display());
        fs::create_dir_all(path).map_err(|source| Error::File { action: action(), source })?;
        let directory = Directory::at(path);
        directory.write_json(SETTINGS, self)?;
        mark::put(&directory);
        Ok(directory)
    }

    /// The directory of an earlier run, with its settings.
    ///
    /// # Errors
    /// [`Error::NoRun`]; settings that cannot be read, or are of another version.
    pub fn open(path: &Path) -> Result<(Directory, Config), Error> {
        let file = path.join(SETTINGS);
        let text = fs::read_to_string(&file).map_err(|_| Error::NoRun(path.to_owned()))?;
        Ok((Directory::at(path), stored::parse(file, &text, FORMAT)?))
    }

    /// What the run asks of the machine that goes on with it.
    pub fn privileges(&self) -> BTreeSet<Privilege> {
        let mut asked: BTreeSet<Privilege> = self.jobs.iter().flat_map(|job| Privilege::of_work(&job.work)).collect();
        let programs = [&self.browser.browser, &self.browser.driver].into_iter().flatten();
        asked.extend(programs.map(|program| Privilege::Command(vec![program.display().to_string()])));
        asked.extend(self.browser.webdriver.clone().map(Privilege::Server));
        if let Some(planner) = self.kind.planner() {
            for model in planner.pool().iter().flat_map(PoolOptions::all) {
                asked.extend(model.api_key.as_ref().map(|key| Privilege::of_secret(key, Vec::new())));
                asked.extend(model.base_url.clone().map(Privilege::Server));
            }
        }
        if let Kind::Explore(explore) = &self.kind {
            asked.extend(explore.coverage.options().iter().flat_map(CoverageOptions::privileges));
        }
        asked
    }

    /// What a reader of its results needs to know of it.
    pub fn reported(&self) -> report::Run<'_> {
        report::Run {
            name: &self.name,
            created: &self.created,
            campaign: &self.campaign,
            planner: self.kind.planner_label(),
            jobs: &self.jobs,
            workers: self.workers,
            settings: self.told(),
            unended: "not attempted to its end: the run ended before; go on with --resume",
            kind: match &self.kind {
                Kind::Tasks { .. } => report::Kind::Tasks,
                Kind::Bench { root_seed, .. } => report::Kind::Benchmark { root_seed: *root_seed },
                Kind::Explore(explore) => report::Kind::Exploration(report::Exploration {
                    strategy: &explore.strategy,
                    url: &explore.url,
                    site: &explore.site,
                }),
                Kind::Replay { .. } => report::Kind::Replay,
            },
        }
    }

    /// Settings worth knowing when reading a result.
    fn told(&self) -> Vec<(String, String)> {
        let mut settings = Vec::new();
        let mut add = |name: &str, value: String| settings.push((name.to_owned(), value));
        match &self.kind {
            Kind::Bench { suite, seeds, relaxed, .. } => {
                add("suite", suite.clone());
                add("seeds", seeds.clone());
                add("limits", if *relaxed { "relaxed" } else { "official" }.into());
            }
            Kind::Replay { .. } => add("planner", "none (recorded tests)".into()),
            Kind::Tasks { .. } | Kind::Explore(_) => {}
        }
        if let Some(planner) = self.kind.planner() {
            add("planner", self.kind.planner_label());
            if let Some(model) = &planner.model {
                add("model", model.model.clone());
            }
            if let Some(RunTraffic::Replay(run)) = &planner.traffic {
                add("model_replies", format!("as recorded in {}", run.display()));
            }
        }
        if let Some(steps) = self.limits.steps {
            add("max_steps", steps.to_string());
        }
        if let Some(seconds) = self.limits.seconds {
            add("max_seconds", seconds.to_string());
        }
        add("workers", self.workers.to_string());
        settings
    }

    /// The campaign of its jobs.
    pub fn campaign(&self) -> Campaign {
        let stages = Stages::again(self.jobs.len() as u64, self.again);
        Campaign { limits: self.limits, stages, ..Campaign::new(self.campaign.clone(), self.kind.planner_ref()) }
    }

    /// The settings of the node that works the run through.
    pub fn node(&self, directory: &Path) -> NodeConfig {
        let planner = self.kind.planner();
        let model = |name: &str, model: Option<&ModelOptions>| Some((name.to_owned(), model?.clone()));
        let named = |name: &str, model: Option<&ModelOptions>| model.map(|_| name.to_owned());
        let pool = planner.and_then(PlannerConfig::pool);
        let of = |role: ModelRole| pool.as_ref().and_then(|pool| pool.of_role(role));
        let reasoner = of(ModelRole::Reasoner);
        let (describer, vision) = (of(ModelRole::Describer), of(ModelRole::Vision));
        let (grounder, judge) = (of(ModelRole::Grounder), of(ModelRole::Judge));
        let models = [
            model(MODEL, reasoner),
            model(DESCRIBER, describer),
            model(VISION, vision),
            model(GROUNDER, grounder),
            model(JUDGE, judge),
        ];
        let roles = ModelRoles {
            describer: named(DESCRIBER, describer),
            vision: named(VISION, vision),
            grounder: named(GROUNDER, grounder),
            judge: named(JUDGE, judge),
        };
        let others = planner.map_or(&[][..], |planner| planner.fallbacks.as_slice());
        let others: Vec<(String, ModelOptions)> =
            (1..).map(|number| format!("fallback-{number}")).zip(others.iter().cloned()).collect();
        let fallbacks = others.iter().map(|(name, _)| name.clone()).collect();
        let node = PlannerNode {
            // A name that is not offered keeps what nobody asks for from being loaded.
            offers: vec![planner.map_or_else(|| compose::GOLD.to_owned(), |planner| planner.name.clone())],
            models: models.into_iter().flatten().chain(others).collect(),
            roles: [(MODEL.to_owned(), roles)].into_iter().filter(|_| reasoner.is_some()).collect(),
            fallbacks: [(MODEL.to_owned(), fallbacks)].into_iter().filter(|_| reasoner.is_some()).collect(),
            options: BTreeMap::new(),
            traffic: planner.and_then(|planner| planner.traffic_of(directory)),
        };
        config::embedded(directory, self.crawler(), node)
    }

    /// How its crawler works. Who runs a task by hand is polite by the rates of the tasks.
    pub fn crawler(&self) -> CrawlerConfig {
        CrawlerConfig {
            slots: self.workers,
            browser: self.browser.clone(),
            density: self.density,
            // Who started this process wrote these settings, or was asked about them. A job that is in the database only is neither.
            allowed: Allowed::exactly(compose::resolved(self.privileges())),
            ..CrawlerConfig::default()
        }
    }
}

impl Kind {
    /// What its campaign calls who decides.
    pub fn planner_ref(&self) -> PlannerRef {
        if let Kind::Explore(explore) = self {
            return PlannerRef::named(&explore.strategy);
        }
        let Some(planner) = self.planner() else { return PlannerRef::named("replay") };
        PlannerRef {
            name: planner.name.clone(),
            model: planner.model.as_ref().map(|_| MODEL.to_owned()),
            options: planner.options.clone(),
        }
    }

    /// What results call who decides: with its preset, and with every option that differs from it.
    pub fn planner_label(&self) -> String {
        compose::planner_label(&self.planner_ref(), &BTreeMap::new())
    }

    /// The planner's settings; none where tests are replayed.
    pub fn planner(&self) -> Option<&PlannerConfig> {
        match self {
            Kind::Tasks { planner } | Kind::Bench { planner, .. } => Some(planner),
            Kind::Explore(_) | Kind::Replay { .. } => None,
        }
    }
}

/// Who decides, and the model behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlannerConfig {
    /// Who decides: a planner of the registry, or `gold`.
    pub name: String,
    /// The model; none where the planner asks none.
    pub model: Option<ModelOptions>,
    /// A model of its own for describing; the one above where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub describer: Option<ModelOptions>,
    /// A model of its own for deciding over pictures; the one above where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vision: Option<ModelOptions>,
    /// A model of its own for finding on a page what a step names; the one above where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounder: Option<ModelOptions>,
    /// A model of its own for judging; the one above where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<ModelOptions>,
    /// Models that are asked in turn when one of those above cannot be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<ModelOptions>,
    /// Those of its options that are set.
    #[serde(default, skip_serializing_if = "PlannerOptions::is_empty")]
    pub options: PlannerOptions,
    /// What becomes of its questions to models, beside being asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<RunTraffic>,
}

/// What becomes of a run's questions to models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunTraffic {
    /// They are kept in the run's directory, with their replies.
    Record,
    /// They are answered with what another run recorded in its directory.
    Replay(PathBuf),
}

impl PlannerConfig {
    /// A planner with the models that it asks, where it asks any.
    pub fn new(name: impl Into<String>, pool: Option<PoolOptions>) -> Self {
        let of = |role: ModelRole| pool.as_ref()?.of_role(role).cloned();
        Self {
            name: name.into(),
            model: of(ModelRole::Reasoner),
            describer: of(ModelRole::Describer),
            vision: of(ModelRole::Vision),
            grounder: of(ModelRole::Grounder),
            judge: of(ModelRole::Judge),
            fallbacks: pool.as_ref().map(|pool| pool.fallbacks.clone()).unwrap_or_default(),
            options: PlannerOptions::default(),
            traffic: None,
        }
    }

    /// The models of its roles; none where it asks none.
    pub fn pool(&self) -> Option<PoolOptions> {
        Some(PoolOptions {
            reasoner: self.model.clone()?,
            describer: self.describer.clone(),
            vision: self.vision.clone(),
            grounder: self.grounder.clone(),
            judge: self.judge.clone(),
            fallbacks: self.fallbacks.clone(),
        })
    }

    /// The models of all roles, for a run that is kept in this directory; none where the planner asks none.
    ///
    /// # Errors
    /// A model that cannot be asked as it is set.
    pub fn models(&self, directory: &Path) -> Result<Option<Arc<dyn LanguageModel>>, Error> {
        let Some(options) = self.pool() else { return Ok(None) };
        Ok(Some(traffic::models(&options, self.traffic_of(directory).as_ref(), &compose::own_together())?))
    }

    fn traffic_of(&self, directory: &Path) -> Option<Traffic> {
        Some(match self.traffic.as_ref()? {
            RunTraffic::Record => Traffic::Record(directory.join(TRAFFIC)),
            RunTraffic::Replay(run) => Traffic::Replay(run.join(TRAFFIC)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_that_is_no_run_is_refused() {
        let folder = tempfile::tempdir().expect("a directory");
        let refused = Config::open(folder.path()).expect_err("nothing there");
        assert!(matches!(refused, Error::NoRun(_)));
        assert!(refused.to_string().contains("no run directory"));
    }
}
