//! The native test: a recorded attempt that is replayed without a planner.

use crate::action::Action;
use crate::effect::Effect;
use crate::job::BenchmarkTask;
use crate::locator::{Descriptor, Locator};
use crate::observation::Request;
use crate::task::{Check, Site, Task};
use crate::trajectory::Step;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use url::Url;

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
    /// What it did when it was recorded; a replay holds what it does now against this. Absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<Effect>,
    /// What it sent when it was recorded, as method and path, numbers made `#`; what only reads is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent: Vec<String>,
    /// The path of the page on which it was over, numbers made `#`. Absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub led_to: Option<String>,
}

impl TestStep {
    /// An action of which nothing else is known.
    pub fn new(action: Action<Descriptor>, reason: impl Into<String>) -> TestStep {
        TestStep { action, reason: reason.into(), effect: None, sent: Vec::new(), led_to: None }
    }

    /// A step of an attempt; `next` is the step after it.
    pub fn of(step: &Step, next: Option<&Step>) -> TestStep {
        TestStep {
            effect: Some(step.effect.clone()),
            sent: sent(&step.requests),
            led_to: next.map(|next| path(&next.url)),
            ..TestStep::new(step.action.clone(), step.reason.clone())
        }
    }
}

/// Requests that do more than read, each as method and path, in order and without repetition.
pub fn sent(requests: &[Request]) -> Vec<String> {
    let writes = requests.iter().filter(|request| !request.is_safe());
    let lines: BTreeSet<String> = writes.map(|request| format!("{} {}", request.method, path(&request.url))).collect();
    lines.into_iter().collect()
}

/// The path of an address, each of its numbers made `#`: they differ from day to day.
pub fn path(url: &str) -> String {
    let path = Url::parse(url).map_or_else(|_| url.to_owned(), |url| url.path().to_owned());
    let mut steady = String::with_capacity(path.len());
    for sign in path.chars() {
        match sign {
            '0'..='9' if steady.ends_with('#') => {}
            '0'..='9' => steady.push('#'),
            other => steady.push(other),
        }
    }
    steady
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
