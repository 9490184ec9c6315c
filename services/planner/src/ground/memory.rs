//! What the planner remembers within an episode. It travels in the decision, so that the planner itself keeps nothing.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The state of working through a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Memory {
    /// Index of the goal being pursued.
    pub goal: usize,
    /// Keys of the disclosures tried for this goal.
    pub tried: Vec<String>,
    /// Keys of the elements that this goal is done with.
    pub done: Vec<String>,
    /// Keys of elements that could not be acted upon.
    pub failed: Vec<String>,
    /// Key of the element acted upon last.
    pub last: Option<String>,
    /// Whether the last action was meant to reach its goal.
    pub reaching: bool,
    /// Whether the last action repeats one that changed nothing.
    pub repeated: bool,
    /// Keys of fields that text was entered into, over all goals.
    pub filled: Vec<String>,
    /// Text just entered, for which suggestions may be offered.
    pub awaiting: Option<String>,
    /// Results of a list that were turned over.
    pub passed: u32,
    /// Whether the record spoken of was opened.
    pub opened: bool,
}

impl Memory {
    /// Reads a memory that came back with a request; anything unreadable is a new memory.
    pub(crate) fn from_value(value: &Value) -> Memory {
        serde_json::from_value(value.clone()).unwrap_or_default()
    }

    /// As a value to travel in a decision.
    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }

    /// Goes on to the next goal.
    pub(crate) fn next_goal(&mut self) {
        self.goal += 1;
        self.tried.clear();
        self.done.clear();
        self.awaiting = None;
        self.passed = 0;
        self.opened = false;
    }
}
