//! Experience: what was learnt in training and is shown with every question (HxAgent, observation O3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was learnt from earlier trials. Gathered by training; empty until something is learnt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Experience {
    /// Name and version of the stored experience that it comes from, for results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Successful trials of any task, each as text; no more than the configured number are shown, the first ones first.
    pub examples: Vec<String>,
    /// Rules extracted from failures at any task.
    pub rules: Vec<String>,
    /// What was learnt of single tasks. For a task that stands here, it is shown instead.
    pub tasks: Vec<TaskLessons>,
}

/// What was learnt of one task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskLessons {
    /// The task's name, which all its instances share.
    pub task: String,
    /// Successful trials, each as text.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Rules extracted from failures.
    #[serde(default)]
    pub rules: Vec<String>,
}

impl Experience {
    /// The examples and the rules that are shown for a task.
    pub fn of_task(&self, task: &str) -> (&[String], &[String]) {
        match self.tasks.iter().find(|lessons| lessons.task == task) {
            Some(lessons) => (&lessons.examples, &lessons.rules),
            None => (&self.examples, &self.rules),
        }
    }
}
