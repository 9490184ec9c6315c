//! The native test: a recorded attempt that is replayed without a planner.

use crate::action::Action;
use crate::job::BenchmarkTask;
use crate::locator::{Descriptor, Locator};
use crate::task::{Check, Site, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A test in the native JSON format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Test {
    /// Version of the format.
    pub format: u32,
    /// A name for people and file names.
    pub name: String,
    /// The instruction that the recorded attempt followed.
    pub instruction: String,
    /// How the replay begins.
    pub start: Start,
    /// What is done, in order.
    pub steps: Vec<TestStep>,
    /// What must hold in the end. Assertions are never healed.
    pub check: Check,
}

/// The current version of the format.
pub const FORMAT: u32 = 1;

/// How a replay begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Start {
    /// At the start of a task.
    Task {
        /// The task.
        task: Box<Task>,
        /// Its site's settings.
        site: Box<Site>,
    },
    /// At an instance of a benchmark task.
    Benchmark(BenchmarkTask),
}

/// One recorded action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestStep {
    /// The action with its element.
    pub action: Action<Descriptor>,
    /// The reason given when it was recorded, for readers.
    pub reason: String,
}

/// A locator that no longer fits and the one that was used instead; shown to people as a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heal {
    /// Number of the recorded step, from 1.
    pub step: u32,
    /// The most stable locator of the recording, which no longer fits.
    pub from: Locator,
    /// The locator that fits.
    pub to: Locator,
}
