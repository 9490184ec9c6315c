//! What each job asks for: who decides, how it begins, what confirms it.

use super::pages::Pages;
use super::planner::label as planner_label;
use super::secrets::{missing_secrets, short_secrets};
use crate::coverage::Measurers;
use crate::witness::Witnesses;
use async_trait::async_trait;
use benchmarks::Benchmark;
use crawler::destructive::Book;
use crawler::explore::{Explorer, ExplorerServices};
use crawler::worker::{Assignment, AssignmentSource, NoAssignment};
use crawler::{LocatingDecider, PlannerDecider, TaskEnvironment, TaskMap};
use domain::campaign::{Campaign, PlannerOptions};
use domain::environment::Environment;
use domain::exploration::Guards;
use domain::job::{BenchmarkTask, Work};
use domain::privilege::{Allowed, Privilege};
use domain::project::ProjectId;
use domain::service::PlannerService;
use domain::state::Version;
use domain::task::{Check, Limits, Site};
use domain::test::Test;
use domain::{Decider, Job, RunId, Task, TaskId};
use evaluation::Replay;
use evaluation::record::replay_limits;
use planner::Served;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use url::Url;

/// An exploration ends by its own budget of time.
pub const EXPLORATION_LIMITS: Limits =
    Limits { steps: u32::MAX, seconds: u64::MAX, repeats: u32::MAX, invalid: 20, patience: 0 };
/// Seconds after which an exploration that does not end by itself is ended.
const GRACE_S: u64 = 60;

/// The role under which a map keeps what tasks saw: who they are to the site, a task does not say.
const TASKS: &str = "tasks";

/// The name of the planner that knows a benchmark's own solutions. It is no planner of the pool: it reads the page.
pub const GOLD: &str = "gold";

/// Knows what jobs ask for.
pub(crate) struct Assignments {
    /// Who decides, by name.
    pub(crate) planners: Arc<dyn PlannerService>,
    /// The options of planners where a campaign sets no others, for what results call them.
    pub(crate) options: BTreeMap<String, PlannerOptions>,
    /// The tests that are replayed, by job; none where planners decide.
    pub(crate) tests: BTreeMap<String, Test>,
    /// Where the benchmark's pages are.
    pub(crate) pages: Pages,
    /// What explorers work with; none where this process knows no map.
    pub(crate) services: Option<ExplorerServices>,
    /// Who writes down what explorers see.
    pub(crate) witnesses: Witnesses,
    /// Who measures coverage beside explorations.
    pub(crate) measurers: Measurers,
    /// The map that the pages of tasks are located on, where they are.
    pub(crate) task_map: Option<Arc<TaskMap>>,
    /// What jobs may ask of this machine.
    pub(crate) allowed: Allowed,
    /// The same for jobs of other projects than `default`, by their names.
    pub(crate) allowed_of: BTreeMap<String, Allowed>,
}

/// Why there is no page for a study.
pub(super) const NO_PAGE: &str = "a study opens no page";

impl Assignments {
    /// That the machine allows what the work of a project asks of it.
    fn check_allowed(&self, project: &ProjectId, work: &Work) -> Result<(), String> {
        let asked = resolved(Privilege::of_work(work));
        if project.is_default() {
            return self.allowed.check(&asked);
        }
        let own = self.allowed_of.get(project.as_str()).cloned().unwrap_or_default();
        own.check_as(&format!("allowed_of.{project}"), &asked)
    }

    fn book_of(&self, work: &Work) -> Book {
        match (work, &self.services) {
            (Work::Exploration { exploration, .. }, Some(services)) => services.books.of(&exploration.version),
            _ => Book::default(),
        }
    }

    fn decider(&self, job: &Job, campaign: &Campaign) -> Result<Box<dyn Decider>, String> {
        if let Some(test) = self.tests.get(job.handed_in().as_str()) {
            return Ok(Box::new(Replay::new(test)));
        }
        match &job.work {
            Work::Benchmark(task) if campaign.planner.name == GOLD => {
                let gold = benchmark(task)?.gold(&task.task);
                gold.ok_or_else(|| format!("there is no gold solver for {}", task.task))
            }
            Work::Exploration { exploration, .. } => {
                let services = self.services.clone().ok_or("this crawler knows no map: set `services.graph`")?;
                let services = ExplorerServices { witness: self.witnesses.of(job)?, ..services };
                let explorer = Explorer::new(services, exploration.as_ref().clone(), job.id.as_str());
                let unknown = || format!("there is no strategy `{}`", exploration.strategy);
                Ok(Box::new(explorer.ok_or_else(unknown)?))
            }
            Work::Task { .. } | Work::Benchmark(_) => {
                let planner = Served::new(self.planners.clone(), campaign.planner.clone());
                let called = planner_label(&campaign.planner, &self.options);
                let decider = Box::new(PlannerDecider(Arc::new(planner.called(called))));
                Ok(match (&job.work, &self.task_map) {
                    (Work::Task { .. }, Some(map)) => {
                        let (_, site) = job.names();
                        let version = Version { site, run: RunId::new(job.campaign.as_str()), role: TASKS.to_owned() };
                        Box::new(LocatingDecider::new(decider, Arc::clone(map), version))
                    }
                    _ => decider,
                })
            }
            Work::Study(_) => Err(NO_PAGE.to_owned()),
        }
    }

    async fn environment(&self, work: &Work) -> Result<Box<dyn Environment>, NoAssignment> {
        match work {
            Work::Task { .. } | Work::Exploration { .. } => environment(work, None),
            Work::Benchmark(task) => {
                let benchmark = benchmark(task).map_err(NoAssignment::Senseless)?;
                let base = self.pages.benchmark(benchmark).await.map_err(NoAssignment::NotHere)?;
                environment(work, Some(base))
            }
            Work::Study(_) => Err(NO_PAGE.to_owned()),
        }
        .map_err(NoAssignment::Senseless)
    }
}

/// How a piece of work begins. Benchmarks need the address of their pages.
///
/// # Errors
/// A sentence about what the work lacks.
pub fn environment(work: &Work, base: Option<&Url>) -> Result<Box<dyn Environment>, String> {
    match work {
        Work::Task { task, site } => Ok(Box::new(TaskEnvironment::new(task.as_ref().clone(), site))),
        Work::Exploration { exploration, .. } => {
            // The site's reset hook is not run: the browsers of an exploration share what the site keeps.
            let task = Task {
                id: TaskId::new("explore"),
                site: Some(exploration.version.site.clone()),
                start_url: exploration.start_url.clone(),
                instruction: "Explore the site".to_owned(),
                parameters: work.parameters(),
                check: None,
                gold: None,
                limits: EXPLORATION_LIMITS,
                downloads: false,
                may_hold_at_start: false,
            };
            Ok(Box::new(TaskEnvironment::new(task, &Site::default())))
        }
        Work::Benchmark(task) => {
            let base = base.ok_or("no benchmark pages are served")?;
            benchmark(task)?.environment(task, base).map_err(|error| error.to_string())
        }
        Work::Study(_) => Err(NO_PAGE.to_owned()),
    }
}

/// The benchmark that a task is of.
pub(crate) fn benchmark(task: &BenchmarkTask) -> Result<&'static dyn Benchmark, String> {
    benchmarks::by_name(&task.benchmark).map_err(|error| error.to_string())
}

/// What must hold in the end.
pub fn check_of(work: &Work) -> Option<Check> {
    match work {
        Work::Task { task, .. } => task.check.clone(),
        Work::Benchmark(task) => benchmark(task).ok()?.check(task),
        Work::Exploration { .. } | Work::Study(_) => None,
    }
}

/// What a piece of work must leave alone.
pub fn guards_of(work: &Work) -> Option<Guards> {
    match work {
        Work::Exploration { exploration, .. } => Some(exploration.guards.clone()),
        Work::Task { .. } | Work::Benchmark(_) | Work::Study(_) => None,
    }
}

/// What is asked of this machine, with links resolved, so that none leads out of a folder that is allowed.
pub fn resolved(asked: impl IntoIterator<Item = Privilege>) -> BTreeSet<Privilege> {
    let resolve = |privilege| match privilege {
        Privilege::File(path) => Privilege::File(path.canonicalize().unwrap_or(path)),
        Privilege::Upload(path) => Privilege::Upload(path.canonicalize().unwrap_or(path)),
        other => other,
    };
    asked.into_iter().map(resolve).collect()
}

#[async_trait]
impl AssignmentSource for Assignments {
    async fn assignment(&self, job: &Job, campaign: &Campaign) -> Result<Assignment, NoAssignment> {
        let project = job.campaign.project();
        self.check_allowed(&project, &job.work).map_err(NoAssignment::Senseless)?;
        let named = self.pages.named_secrets().of_project(&project);
        if let Some(cause) = missing_secrets(&job.work, &named).pop() {
            return Err(NoAssignment::NotHere(cause));
        }
        for secret in short_secrets(&job.work, &named) {
            tracing::warn!(
                secret,
                "a secret has fewer than 8 characters: what pages show of it may not be kept out of results"
            );
        }
        let (task, site) = job.names();
        let test = self.tests.get(job.handed_in().as_str());
        let (check, limits) = match (test, &job.work) {
            (Some(test), _) => (Some(test.check.clone()), replay_limits(test)),
            (None, Work::Task { task, .. }) => (task.check.clone(), task.limits),
            (None, Work::Benchmark(task)) => {
                let benchmark = benchmark(task).map_err(NoAssignment::Senseless)?;
                (benchmark.check(task), benchmark.limits())
            }
            (None, Work::Exploration { exploration, .. }) => {
                (None, Limits { seconds: exploration.seconds + GRACE_S, ..EXPLORATION_LIMITS })
            }
            (None, Work::Study(_)) => return Err(NoAssignment::Senseless(NO_PAGE.to_owned())),
        };
        Ok(Assignment {
            decider: self.decider(job, campaign).map_err(NoAssignment::Senseless)?,
            environment: self.environment(&job.work).await?,
            companion: self.measurers.beside(job).map_err(NoAssignment::Senseless)?,
            check,
            limits: campaign.limits.of(limits),
            site,
            task,
            guards: guards_of(&job.work),
            book: self.book_of(&job.work),
            is_test: test.is_some(),
        })
    }

    async fn ready(&self) -> Result<(), String> {
        self.planners.ready().await.map_err(|error| error.to_string())
    }
}
