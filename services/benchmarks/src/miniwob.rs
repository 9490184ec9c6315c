//! MiniWoB++ (PyPI `miniwob` 1.1.0): its own pages, untouched.
//!
//! `docs/benchmarks.md` tells the driver's contract. Never adds to, removes from or changes a page.

pub mod driver;
pub mod folder;
pub mod gold;
pub mod suites;
pub mod utterance;

pub use driver::{DataMode, Instance, check, instance};

use crate::{Benchmark, Error};
use domain::environment::Environment;
use domain::job::BenchmarkTask;
use domain::task::Check;
use domain::{Decider, TaskId};
use std::path::{Path, PathBuf};
use url::Url;

/// The benchmark's name in [`domain::job::BenchmarkTask`].
pub const BENCHMARK: &str = "miniwob";

/// Command-line arguments that the browser needs for these pages.
///
/// The pages were written for Chrome as it was in 2017. Since then Chrome enters an element anew when it was taken out
/// and put back under the pointer; the pie menu does that with its chosen slice on every mouse-over, so that no press
/// ever reaches the slice, neither by a person's mouse nor by ours, and one instance in six could not be solved.
pub const BROWSER_ARGUMENTS: [&str; 1] = ["--disable-blink-features=BoundaryEventDispatchTracksNodeRemoval"];

/// MiniWoB++ to the rest of Rutter.
#[derive(Clone, Copy, Debug)]
pub struct Miniwob;

impl Benchmark for Miniwob {
    fn name(&self) -> &'static str {
        BENCHMARK
    }

    fn help(&self) -> &'static str {
        "MiniWoB++: small web pages with a task in words each, rewarded by the page itself"
    }

    fn suites(&self) -> &'static [&'static str] {
        &suites::NAMES
    }

    fn tasks(&self, suite: &str, folder: &Path) -> Result<Vec<TaskId>, Error> {
        suites::tasks(suite, folder)
    }

    fn folder(&self) -> Result<PathBuf, Error> {
        folder::find()
    }

    fn environment(&self, task: &BenchmarkTask, base: &Url) -> Result<Box<dyn Environment>, Error> {
        Ok(Box::new(instance(task, base)?))
    }

    fn check(&self, _task: &BenchmarkTask) -> Option<Check> {
        Some(check())
    }

    fn gold(&self, task: &TaskId) -> Option<Box<dyn Decider>> {
        gold::solver(task)
    }

    fn browser_arguments(&self) -> &'static [&'static str] {
        &BROWSER_ARGUMENTS
    }
}
