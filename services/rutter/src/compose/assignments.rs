//! What each job asks for: who decides, how it begins, what confirms it.

use super::pages::Pages;
use super::planner;
use crate::exit::Outcome;
use crate::run::config::{Config, Kind};
use async_trait::async_trait;
use benchmarks::miniwob;
use crawler::worker::{Assignment, AssignmentSource, names_of};
use crawler::{PlannerDecider, TaskEnvironment};
use domain::environment::Environment;
use domain::job::Work;
use domain::task::{Check, Limits};
use domain::test::Test;
use domain::{Decider, Job, Planner};
use evaluation::Replay;
use evaluation::record::replay_limits;
use std::collections::BTreeMap;
use std::sync::Arc;
use url::Url;

/// The limits of a benchmark's episode, beside its own: generous, since the page itself ends it.
const BENCHMARK_LIMITS: Limits = Limits { steps: 60, seconds: 120, repeats: 4, invalid: 3 };

/// Knows what the jobs of a run ask for.
pub(crate) struct Assignments {
    planner: Option<Arc<dyn Planner>>,
    tests: BTreeMap<String, Test>,
    benchmark: Option<Url>,
}

impl Assignments {
    /// Makes the planner of a run.
    ///
    /// # Errors
    /// The planner cannot be made.
    pub(crate) async fn new(config: &Config, pages: &Pages) -> Outcome<Assignments> {
        let planner = match config.kind.planner() {
            Some(settings) => planner::planner(settings).await?,
            None => None,
        };
        let tests = match &config.kind {
            Kind::Replay { tests, .. } => tests.clone(),
            Kind::Tasks { .. } | Kind::Bench { .. } => BTreeMap::new(),
        };
        Ok(Assignments { planner, tests, benchmark: pages.benchmark().cloned() })
    }

    fn decider(&self, job: &Job) -> Result<Box<dyn Decider>, String> {
        if let Some(test) = self.tests.get(job.id.as_str()) {
            return Ok(Box::new(Replay::new(test)));
        }
        match (&self.planner, &job.work) {
            (Some(planner), _) => Ok(Box::new(PlannerDecider(planner.clone()))),
            (None, Work::Benchmark(task)) => {
                miniwob::gold::solver(&task.task).ok_or_else(|| format!("there is no gold solver for {}", task.task))
            }
            (None, Work::Task { .. }) => Err("nothing decides for this job".into()),
        }
    }
}

/// How a piece of work begins. Benchmarks need the address of their pages.
pub(crate) fn environment(work: &Work, benchmark: Option<&Url>) -> Result<Box<dyn Environment>, String> {
    match work {
        Work::Task { task, site } => Ok(Box::new(TaskEnvironment::new(task.as_ref().clone(), site))),
        Work::Benchmark(task) => {
            let base = benchmark.ok_or("no benchmark pages are served")?;
            Ok(Box::new(miniwob::environment(task, base).map_err(|error| error.to_string())?))
        }
    }
}

/// What must hold in the end.
pub(crate) fn check_of(work: &Work) -> Option<Check> {
    match work {
        Work::Task { task, .. } => task.check.clone(),
        Work::Benchmark(_) => Some(miniwob::check()),
    }
}

#[async_trait]
impl AssignmentSource for Assignments {
    async fn assignment(&self, job: &Job) -> Result<Assignment, String> {
        let (task, site) = names_of(job);
        let test = self.tests.get(job.id.as_str());
        let (check, limits) = match (test, &job.work) {
            (Some(test), _) => (Some(test.check.clone()), replay_limits(test)),
            (None, Work::Task { task, .. }) => (task.check.clone(), task.limits),
            (None, Work::Benchmark(_)) => (check_of(&job.work), BENCHMARK_LIMITS),
        };
        Ok(Assignment {
            decider: self.decider(job)?,
            environment: environment(&job.work, self.benchmark.as_ref())?,
            check,
            limits,
            site,
            task,
            is_test: test.is_some(),
        })
    }
}
