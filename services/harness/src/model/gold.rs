//! The oracle: a script that answers the questions of any planner from gold trajectories, and otherwise only from what the prompt
//! says.
//!
//! It reads what is asked from the schema of the reply, whose fields carry their meaning ([`Meaning`]), and knows nothing of
//! the planner. A choice is the listed action that gold takes next; a text is gold's; a plan is gold's steps in words; a value says whether
//! the steps that the prompt shows are gold's; a critique finds nothing. It takes the gold trajectory from the job in the
//! header, and its progress from the number of steps there. It sees the page only through the prompt. Its success is the ceiling of a
//! strategy: it shows that prompts carry what is needed, and says nothing about any model.

mod fill;
mod listed;

use super::asked::ModelRequest;
use super::script::{Reply, Script};
use domain::{Action, Ending, Trajectory};
use fill::{Gold, Turn};
use planner::reply::{Meaning, Status};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Gold trajectories by job.
#[derive(Clone, Debug, Default)]
pub struct FromGold {
    episodes: HashMap<String, Gold>,
}

/// Why gold trajectories could not be read.
#[derive(Debug, thiserror::Error)]
pub enum GoldError {
    /// The file cannot be read.
    #[error("read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A line is no trajectory.
    #[error("{}:{line}: no trajectory: {source}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The cause.
        source: serde_json::Error,
    },
}

impl FromGold {
    /// From trajectories in memory; of several of one job the last counts.
    pub fn new(trajectories: impl IntoIterator<Item = Trajectory>) -> Self {
        let gold = |trajectory: Trajectory| {
            let answer = match trajectory.ending {
                Ending::Stopped { answer, .. } => answer,
                _ => None,
            };
            let actions = trajectory.steps.into_iter().map(|step| step.action);
            let actions = actions.filter(|action| !matches!(action, Action::Stop { .. })).collect();
            (trajectory.job.0, Gold { task: trajectory.instruction, actions, answer })
        };
        Self { episodes: trajectories.into_iter().map(gold).collect() }
    }

    /// From a file with one trajectory per line, or from a run's directory, which has such a file.
    ///
    /// # Errors
    /// [`GoldError`] with file and line.
    pub fn read(path: &Path) -> Result<Self, GoldError> {
        let path = if path.is_dir() { path.join("trajectories.jsonl") } else { path.to_owned() };
        let text = std::fs::read_to_string(&path).map_err(|source| GoldError::Read { path: path.clone(), source })?;
        let mut trajectories = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let trajectory = serde_json::from_str(line).map_err(|source| GoldError::Line {
                path: path.clone(),
                line: index + 1,
                source,
            })?;
            trajectories.push(trajectory);
        }
        Ok(Self::new(trajectories))
    }

    /// How many jobs it knows.
    pub fn len(&self) -> usize {
        self.episodes.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.episodes.is_empty()
    }
}

impl Script for FromGold {
    fn reply(&self, asked: &ModelRequest) -> Reply {
        let job = asked.job.as_deref().unwrap_or("(no x-rutter-job header)");
        let Some(gold) = self.episodes.get(job) else {
            return stuck(asked, &format!("no gold trajectory of job {job}"));
        };
        match Turn::new(asked.prompt(), asked.step, gold).fill(&asked.schema) {
            Ok(reply) => Reply::Json(reply),
            Err(reason) => stuck(asked, &reason),
        }
    }
}

/// The script has no answer: where the reply has a place for it, the task is infeasible, and otherwise the call is refused; the
/// reason says so.
fn stuck(asked: &ModelRequest, reason: &str) -> Reply {
    let reason = format!("scripted: {reason}");
    let fields = asked.schema["properties"].as_object();
    let has_status =
        fields.is_some_and(|fields| fields.values().any(|field| fill::meaning(field) == Some(Meaning::Status)));
    let Some(fields) = fields.filter(|_| has_status) else { return Reply::Refusal(reason) };
    let value = |field: &Value| match fill::meaning(field) {
        Some(Meaning::Status) => json!(Status::Infeasible),
        Some(Meaning::Reason) => json!(fill::within(&reason, field)),
        _ => fill::least(field),
    };
    Reply::Json(fields.iter().map(|(name, field)| (name.clone(), value(field))).collect())
}
