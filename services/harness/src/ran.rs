//! Has the program that people use do tasks of a file, and reads what came of each.

use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use tokio::process::Command;

/// What came of a task.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The verdict, as results call it.
    pub verdict: String,
    /// Why.
    pub reason: String,
    /// Whether the actor said that it is done.
    pub is_claimed: bool,
    /// Steps of the attempt.
    pub steps: usize,
    /// Seconds of the attempt.
    pub seconds: f64,
}

impl Ended {
    /// Whether it was done and said to be.
    pub fn is_done(&self) -> bool {
        self.is_claimed && self.verdict == "PASSED"
    }
}

/// Has tasks done by a program, which is given all its other arguments already; what came of each, in their order. The run is kept in a
/// folder, as `run`.
///
/// # Errors
/// When the program cannot be started, or what it leaves cannot be read.
pub async fn run(mut program: Command, tasks: &[Value], folder: &Path) -> Result<Vec<Ended>> {
    std::fs::create_dir_all(folder).context("make the folder of the run")?;
    let (file, run) = (folder.join("tasks.json"), folder.join("run"));
    std::fs::write(&file, json!({ "tasks": tasks }).to_string()).context("write the tasks")?;
    program.arg(&file).arg("--run-dir").arg(&run).args(["--output", "json"]);
    let said = program.output().await.context("start the program")?;
    let results: Value = serde_json::from_slice(&said.stdout)
        .with_context(|| format!("read what it says: {}", String::from_utf8_lossy(&said.stderr)))?;
    let outcomes = results["outcomes"].as_array().context("read the outcomes")?;
    let trajectories = std::fs::read_to_string(run.join("trajectories.jsonl")).context("read the trajectories")?;
    let attempts: BTreeMap<String, Value> = trajectories
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|attempt| Some((attempt["task"].as_str()?.to_owned(), attempt)))
        .collect();
    let ended = |task: &Value| {
        let id = task["id"].as_str().context("a task has an id")?;
        let is_it = |outcome: &&Value| outcome["task"].as_str().and_then(|name| name.rsplit('/').next()) == Some(id);
        let outcome = outcomes.iter().find(is_it).with_context(|| format!("find what came of {id}"))?;
        let attempt = outcome["task"].as_str().and_then(|name| attempts.get(name));
        let attempt = attempt.with_context(|| format!("find the attempt at {id}"))?;
        Ok(Ended {
            verdict: outcome["verdict"].as_str().unwrap_or_default().to_owned(),
            reason: outcome["reason"].as_str().unwrap_or_default().to_owned(),
            is_claimed: attempt["ending"]["claim"]["is"] == "done",
            steps: attempt["steps"].as_array().context("an attempt has steps")?.len(),
            seconds: attempt["wall_ms"].as_f64().unwrap_or_default() / 1_000.0,
        })
    };
    tasks.iter().map(ended).collect()
}
