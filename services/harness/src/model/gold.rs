//! A script that answers HxAgent's questions from gold trajectories: it finds the next gold step among the actions that
//! the prompt lists.
//!
//! It knows what to do from the gold trajectory of the job that the header names, and where it stands from the steps
//! that the prompt's memory shows, so the memory window must not be switched off. It reads the page only as the prompt
//! tells it. Its success says that prompts carry what is needed; it says nothing of any model.

use super::asked::Asked;
use super::script::{Reply, Script};
use domain::{Action, Descriptor, Ending, Locator, Trajectory};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Gold trajectories by job.
#[derive(Clone, Debug, Default)]
pub struct FromGold {
    episodes: HashMap<String, Gold>,
}

#[derive(Clone, Debug)]
struct Gold {
    actions: Vec<Action<Descriptor>>,
    answer: Option<String>,
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
            (trajectory.job.0, Gold { actions, answer })
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
    fn reply(&self, asked: &Asked) -> Reply {
        let job = asked.job.as_deref().unwrap_or("(no x-rutter-job header)");
        let Some(gold) = self.episodes.get(job) else {
            return stuck(asked, &format!("no gold trajectory of job {job}"));
        };
        let prompt = asked.prompt();
        let step = gold.actions.get(steps_taken(prompt));
        match (asked.about(), step) {
            ("page_summary", _) => Reply::Json(json!({"text": "A page, summed up by a script."})),
            ("next_action", None) => Reply::Json(json!({
                "status": "done", "chosen_action": null, "action_description": "", "reason": "scripted: gold ends here",
                "answer": gold.answer,
            })),
            ("next_action", Some(action)) => match number(&listed(prompt), action) {
                Some(number) => Reply::Json(json!({
                    "status": "act", "chosen_action": number, "action_description": "gold step",
                    "reason": "scripted", "answer": null,
                })),
                None => stuck(asked, &format!("gold step {action:?} is not among the listed actions")),
            },
            ("field_text", Some(Action::Type { text, submit, .. })) => {
                Reply::Json(json!({"text": text, "press_enter": submit}))
            }
            ("chosen_options", Some(Action::Select { options, .. })) => {
                Reply::Json(json!({"chosen_options": option_numbers(prompt, options)}))
            }
            ("drop_target", Some(Action::Drag { onto, .. })) => match element(&listed(prompt), onto, &[]) {
                Some(number) => Reply::Json(json!({"drop_onto": number})),
                None => stuck(asked, "the target of the drag is not listed"),
            },
            ("keys", Some(Action::Press { keys })) => Reply::Json(json!({"text": keys})),
            ("address", Some(Action::Goto { url })) => Reply::Json(json!({"text": url})),
            ("dialog_text", Some(Action::AcceptDialog { text })) => {
                Reply::Json(json!({"text": text.clone().unwrap_or_default()}))
            }
            (about, step) => stuck(asked, &format!("gold step {step:?} does not answer `{about}`")),
        }
    }
}

/// The script has no answer: the episode ends as infeasible, or the call as a refusal, and the reason says so.
fn stuck(asked: &Asked, reason: &str) -> Reply {
    let reason = format!("scripted: {reason}");
    if asked.about() != "next_action" {
        return Reply::Refusal(reason);
    }
    Reply::Json(json!({
        "status": "infeasible", "chosen_action": null, "action_description": "", "reason": reason, "answer": null,
    }))
}

/// How many steps the memory shows to have been taken: the highest `STEP #n`.
fn steps_taken(prompt: &str) -> usize {
    let numbers = prompt.lines().filter_map(|line| line.strip_prefix("STEP #")?.split(':').next()?.parse().ok());
    numbers.max().unwrap_or(0)
}

/// The lines of `ACTIONS`.
fn listed(prompt: &str) -> Vec<Map<String, Value>> {
    prompt
        .lines()
        .skip_while(|line| *line != "ACTIONS")
        .skip(1)
        .map_while(|line| serde_json::from_str(line).ok())
        .scan(String::new(), |base, mut line: Map<String, Value>| {
            if let Some(Value::String(start)) = line.get("base") {
                base.clone_from(start);
            }
            if let Some(Value::String(path)) = line.get_mut("xpath")
                && let Some(rest) = path.strip_prefix('.')
            {
                *path = format!("{base}{rest}");
            }
            Some(line)
        })
        .collect()
}

fn option_numbers(prompt: &str, options: &[String]) -> Vec<u64> {
    let lines = prompt.lines().skip_while(|line| !line.starts_with("CHOSEN "));
    let numbered = lines.filter_map(|line| {
        let (number, label) = line.split_once(": ")?;
        Some((number.parse::<u64>().ok()?, label))
    });
    numbered.filter(|(_, label)| options.iter().any(|option| option == label)).map(|(number, _)| number).collect()
}

/// The number of the line and operation that a gold action means.
fn number(lines: &[Map<String, Value>], action: &Action<Descriptor>) -> Option<u64> {
    let general = |key: &str| lines.iter().find_map(|line| line.get(key)?.as_u64());
    match action {
        Action::Click { element: target, .. } => element(lines, target, &["click", "check", "uncheck"]),
        Action::Type { element: target, .. } => element(lines, target, &["type"]),
        Action::Select { element: target, .. } => element(lines, target, &["select"]),
        Action::Check { element: target, checked: true } => element(lines, target, &["check", "click"]),
        Action::Check { element: target, checked: false } => element(lines, target, &["uncheck", "click"]),
        Action::Hover { element: target } => element(lines, target, &["hover"]),
        Action::Drag { element: target, .. } => element(lines, target, &["drag"]),
        Action::Scroll { element: Some(target), direction } => {
            element(lines, target, &[&format!("scroll {direction:?} in").to_lowercase()])
        }
        Action::Scroll { element: None, direction } => general(&format!("scroll {direction:?}").to_lowercase()),
        Action::Press { .. } => general("press keys"),
        Action::Goto { .. } => general("open address"),
        Action::Back => general("go back"),
        Action::Forward => general("go forward"),
        Action::NewTab => general("open tab"),
        Action::CloseTab => general("close tab"),
        Action::Wait { .. } => general("wait"),
        Action::AcceptDialog { .. } => general("accept dialog"),
        Action::DismissDialog => general("dismiss dialog"),
        Action::SwitchTab { .. } => lines
            .iter()
            .flat_map(Map::iter)
            .find_map(|(key, value)| key.starts_with("switch to tab").then(|| value.as_u64()).flatten()),
        Action::Upload { .. } | Action::Stop { .. } => None,
    }
}

/// The number of an operation (of any, where none is named) on the line that fits a descriptor best.
fn element(lines: &[Map<String, Value>], target: &Descriptor, operations: &[&str]) -> Option<u64> {
    let operation = |line: &Map<String, Value>| {
        if operations.is_empty() {
            return line.values().find_map(Value::as_u64);
        }
        operations.iter().find_map(|operation| line.get(*operation)?.as_u64())
    };
    let fitting = lines.iter().filter_map(|line| Some((fit(line, target)?, operation(line)?)));
    let mut best: Option<(u32, u64)> = None;
    for (fit, number) in fitting {
        if best.is_none_or(|(before, _)| fit > before) {
            best = Some((fit, number));
        }
    }
    best.map(|(_, number)| number)
}

/// How well a line fits a descriptor; none where it contradicts it.
fn fit(line: &Map<String, Value>, target: &Descriptor) -> Option<u32> {
    let told = |key: &str| line.get(key).and_then(Value::as_str);
    if told("tag") != Some(target.tag.as_str()) {
        return None;
    }
    let mut fit = 0;
    for locator in &target.locators {
        let (key, expected, weight) = match locator {
            Locator::XPath { path } => ("xpath", path.as_str(), 100),
            Locator::Css { selector } => match selector.strip_prefix('#') {
                Some(id) => ("id", id, 20),
                None => continue,
            },
            Locator::Role { name, .. } => ("text", name.as_str(), 10),
            Locator::Text { text, .. } if target.name.is_empty() => ("text", text.as_str(), 10),
            Locator::Label { text } => ("context", text.as_str(), 1),
            Locator::Text { .. } | Locator::TestId { .. } => continue,
        };
        match told(key) {
            Some(text) if same(text, expected) => fit += weight,
            Some(_) if weight > 1 => return None,
            _ => {}
        }
    }
    Some(fit)
}

/// Equal but for folded white space and a cut that the prompt marks by `…`.
fn same(told: &str, expected: &str) -> bool {
    let expected = expected.split_whitespace().collect::<Vec<_>>().join(" ");
    match told.strip_suffix('…') {
        Some(start) => expected.starts_with(start.trim_end()),
        None => told == expected,
    }
}
