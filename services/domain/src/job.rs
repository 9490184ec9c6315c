//! A job: one task instance, worked through by one attempt at a time; and what is recorded when an attempt ends.

use crate::exploration::Exploration;
use crate::id::{BlobRef, CampaignId, EpisodeId, Fence, JobId, SiteId, TaskId};
use crate::scope::Scope;
use crate::secret::{SecretName, SecretRef, of_address};
use crate::stage::Study;
use crate::task::{Parameter, Site, Task};
use crate::trajectory::Ending;
use crate::usage::Usage;
use crate::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use url::Url;

/// What stands for the site of work without a browser.
const STUDIES: &str = "studies";

/// One task instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Unique within the campaign, stable over re-submission, e.g. `click-test/3`.
    pub id: JobId,
    /// The campaign.
    pub campaign: CampaignId,
    /// What is to be done.
    pub work: Work,
}

impl Job {
    /// Its task and its site: that of the campaign's project.
    pub fn names(&self) -> (TaskId, SiteId) {
        let site = |name: &str| self.campaign.project().site(name);
        match &self.work {
            Work::Task { task, .. } => (task.id.clone(), site(task.site_name().as_str())),
            Work::Benchmark(task) => (task.task.clone(), site(&task.benchmark)),
            Work::Exploration { exploration, .. } => (TaskId::new("explore"), exploration.version.site.clone()),
            Work::Study(study) => (TaskId::new(study.kind.as_str()), site(STUDIES)),
        }
    }
}

/// What a job does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Work {
    /// A task of a task file.
    Task {
        /// The task.
        task: Box<Task>,
        /// Its site's settings.
        site: Box<Site>,
    },
    /// A task of a benchmark suite.
    Benchmark(BenchmarkTask),
    /// A browser's part in the exploration of a site.
    Exploration {
        /// What it is asked to do.
        exploration: Box<Exploration>,
        /// The site's settings.
        site: Box<Site>,
    },
    /// Work without a browser, about jobs that have ended.
    Study(Box<Study>),
}

impl Work {
    /// The parameters of its task and of the log-in of its site, by name: what may name secrets.
    pub fn parameters(&self) -> BTreeMap<String, Parameter> {
        let (start, login, given) = match self {
            Work::Task { task, site } => (&task.start_url, site.login.as_deref(), task.parameters.clone()),
            Work::Exploration { exploration, .. } => {
                (&exploration.start_url, exploration.login.as_ref(), BTreeMap::new())
            }
            Work::Benchmark(_) | Work::Study(_) => return BTreeMap::new(),
        };
        let filled = login.iter().flat_map(|login| login.fill.clone());
        let mut parameters: BTreeMap<String, Parameter> = filled.chain(given).collect();
        // A password that stands in an address is a secret that the machine keeps, unless the task says where it stands.
        for name in [Some(start), login.and_then(|login| login.url.as_ref())]
            .into_iter()
            .flatten()
            .filter_map(|url| of_address(url))
        {
            if let (false, Ok(kept)) = (parameters.contains_key(&name), SecretName::new(name.as_str())) {
                parameters.insert(name, Parameter::secret(SecretRef::Named(kept)));
            }
        }
        parameters
    }

    /// The origins of its site, as entries of a scope: where it begins, and where its log-in is.
    pub fn origins(&self) -> Vec<String> {
        let (start, login) = match self {
            Work::Task { task, site } => (&task.start_url, site.login.as_deref()),
            Work::Exploration { exploration, .. } => (&exploration.start_url, exploration.login.as_ref()),
            Work::Benchmark(_) | Work::Study(_) => return Vec::new(),
        };
        let Ok(start) = Url::parse(start) else { return Vec::new() };
        let login = login.and_then(|login| login.url.as_deref()).and_then(|url| start.join(url).ok());
        let mut origins: Vec<String> =
            [Some(start), login].iter().flatten().flat_map(|url| Scope::of_origin(url).hosts).collect();
        origins.dedup();
        origins
    }

    /// The name of the benchmark that it is of; none for tasks and explorations.
    pub fn benchmark(&self) -> Option<&str> {
        match self {
            Work::Benchmark(task) => Some(&task.benchmark),
            Work::Task { .. } | Work::Exploration { .. } | Work::Study(_) => None,
        }
    }
}

/// A task of a benchmark, with its seed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BenchmarkTask {
    /// The benchmark, e.g. `miniwob`.
    pub benchmark: String,
    /// The task's name within it.
    pub task: TaskId,
    /// The seed of the instance.
    pub seed: u64,
    /// Whether the benchmark's own time limit is lifted.
    pub relaxed: bool,
}

/// The one record that an attempt commits when it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The job.
    pub job: JobId,
    /// The campaign.
    pub campaign: CampaignId,
    /// The attempt.
    pub episode: EpisodeId,
    /// The fence that it ran under.
    pub fence: Fence,
    /// The task, for tables.
    pub task: TaskId,
    /// The site.
    pub site: SiteId,
    /// Name of the decider.
    pub planner: String,
    /// The judgement.
    pub verdict: Verdict,
    /// Why the attempt ended.
    pub ending: Ending,
    /// The environment's own number, such as a raw reward.
    pub reward: Option<f64>,
    /// Executed actions.
    pub steps: u32,
    /// Cost of the attempt.
    pub usage: Usage,
    /// Wall time in milliseconds.
    pub wall_ms: f64,
    /// Survived troubles, for the result.
    pub incidents: Vec<String>,
    /// The trajectory, as JSON in the blob store.
    pub trajectory: BlobRef,
}
