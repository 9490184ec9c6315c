//! What a benchmark is to the rest of Rutter.

use crate::{Error, Pages};
use async_trait::async_trait;
use domain::TaskId;
use domain::decision::Decider;
use domain::environment::Environment;
use domain::job::BenchmarkTask;
use domain::scope::Scope;
use domain::task::{Check, Limits};
use std::path::{Path, PathBuf};
use std::time::Duration;
use url::Url;

/// The suite that holds every task of a benchmark; each benchmark has it.
pub const ALL: &str = "all";

/// The limits of an attempt where a benchmark sets no others: generous, since most pages end an episode themselves.
const LIMITS: Limits = Limits { steps: 60, seconds: 120, repeats: 4, invalid: 3, patience: 10 };

/// How long an element is waited for where a benchmark says nothing else: its tasks are over in seconds.
const PATIENCE: Duration = Duration::from_secs(1);

/// A public benchmark: suites of tasks, the pages that they are done on, and what says that one was done.
///
/// An implementation has no state: jobs name their benchmark, and each process finds it by that name.
///
/// Who judges is the benchmark's choice. Where the page judges itself, [`check`](Benchmark::check) reads what the page
/// says (`Check::PageState`), and the environment tells the end and the reward. Where it does not, the check is any other,
/// a different one for each task if need be, and the environment only begins the attempt; a log-in belongs there too.
#[async_trait]
pub trait Benchmark: Send + Sync {
    /// Its name in jobs, in results and on the command line. It must never change: stored jobs have it.
    fn name(&self) -> &'static str;

    /// One line of help.
    fn help(&self) -> &'static str;

    /// The names of its suites. The first is run where none is named; one is [`ALL`].
    fn suites(&self) -> &'static [&'static str];

    /// The tasks of one of [`suites`](Benchmark::suites).
    ///
    /// # Errors
    /// The folder cannot be read.
    fn tasks(&self, suite: &str, folder: &Path) -> Result<Vec<TaskId>, Error>;

    /// The folder of its pages on this machine.
    ///
    /// # Errors
    /// [`Error::PagesMissing`], which says how to get them.
    fn folder(&self) -> Result<PathBuf, Error>;

    /// Serves its pages until the answer is dropped.
    ///
    /// # Errors
    /// They are missing, or cannot be served.
    async fn serve(&self) -> Result<Pages, Error> {
        Pages::start(&self.folder()?).await
    }

    /// How an attempt at a task begins and ends, its pages served at `base`.
    ///
    /// # Errors
    /// [`Error::Address`] for a task that it does not have.
    fn environment(&self, task: &BenchmarkTask, base: &Url) -> Result<Box<dyn Environment>, Error>;

    /// What an attempt at a task may request: the server of the pages, unless its sites are elsewhere.
    fn scope(&self, _task: &BenchmarkTask, base: &Url) -> Scope {
        Scope::of(base)
    }

    /// What must hold in the end; none leaves a claimed success unverified. Needs no pages: a judge may run elsewhere.
    fn check(&self, task: &BenchmarkTask) -> Option<Check>;

    /// Does a task by what the benchmark knows of it, which proves that it can be done; none where nobody wrote it down.
    fn gold(&self, _task: &TaskId) -> Option<Box<dyn Decider>> {
        None
    }

    /// Arguments that the browser needs for its pages. Benchmarks share no browsers.
    fn browser_arguments(&self) -> &'static [&'static str] {
        &[]
    }

    /// The limits of an attempt.
    fn limits(&self) -> Limits {
        LIMITS
    }

    /// How long an element of its pages is waited for.
    fn patience(&self) -> Duration {
        PATIENCE
    }
}
