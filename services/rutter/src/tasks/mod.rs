//! Task files: YAML or JSONL in, tasks with their sites out, or every mistake with its place and a hint.
//!
//! Never opens a site and never reads a secret's value: it only says whether the reference points at something.

mod compact;
mod hint;
mod problem;
mod source;
mod validate;

#[cfg(test)]
mod tests;

pub(crate) use compact::check as compact_check;
pub(crate) use problem::Problems;
pub(crate) use validate::start_url;

use domain::Task;
use domain::exploration::Login;
use domain::task::Site;
use problem::Problem;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A task together with the settings of its site.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Loaded {
    /// The task.
    pub(crate) task: Task,
    /// Its site's settings; files in it are absolute.
    pub(crate) site: Site,
}

/// Loads every task of the files, in order.
///
/// # Errors
/// All mistakes that were found, in order of their place.
pub(crate) fn load(files: &[PathBuf]) -> Result<Vec<Loaded>, Problems> {
    let mut session = validate::Session::default();
    for file in files {
        match std::fs::read_to_string(file) {
            Ok(text) => load_text(&mut session, file, &text),
            Err(error) => session.problems.push(Problem::of_file(file, format!("read the task file: {error}"))),
        }
    }
    session.finish()
}

/// Loads a log-in recipe.
///
/// # Errors
/// All mistakes that were found, in order of their place.
pub(crate) fn load_login(file: &Path) -> Result<Login, Problems> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Problems(vec![Problem::of_file(file, format!("read the log-in file: {error}"))]))?;
    let (source, value) = source::yaml(file, &text).map_err(|problem| Problems(vec![problem]))?;
    let mut session = validate::Session::default();
    let login = session.login(&source, &value);
    match (login, session.finish()) {
        (_, Err(problems)) => Err(problems),
        (Some(login), Ok(_)) => Ok(login),
        (None, Ok(_)) => Err(Problems(vec![Problem::of_file(file, "the file holds no log-in".into())])),
    }
}

fn load_text(session: &mut validate::Session, file: &Path, text: &str) {
    if file.extension().is_some_and(|extension| extension == "jsonl" || extension == "ndjson") {
        load_lines(session, file, text);
    } else {
        load_document(session, file, text);
    }
}

/// JSONL: every line is a task.
fn load_lines(session: &mut validate::Session, file: &Path, text: &str) {
    let mut found = false;
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        found = true;
        match source::json_line(file, number, line) {
            Ok((source, value)) => session.task(&source, "", &value, &BTreeMap::new()),
            Err(problem) => session.problems.push(problem),
        }
    }
    if !found {
        session.problems.push(Problem::of_file(file, "the file holds no task".into()));
    }
}

/// YAML (or JSON, which is YAML too): a mapping with `sites` and `tasks`.
fn load_document(session: &mut validate::Session, file: &Path, text: &str) {
    let (source, value) = match source::yaml(file, text) {
        Ok(parsed) => parsed,
        Err(problem) => return session.problems.push(problem),
    };
    let Value::Object(fields) = &value else {
        let hint = "start the file with `tasks:` and a list below it";
        return session.problems.push(source.problem(
            "",
            "a task file is a mapping with the field `tasks`",
            Some(hint),
        ));
    };
    for key in fields.keys().filter(|key| !["sites", "tasks"].contains(&key.as_str())) {
        let hint = hint::did_you_mean(key, ["sites", "tasks"]);
        session.problems.push(source.problem(&format!("/{key}"), &format!("unknown field `{key}`"), hint.as_deref()));
    }
    let sites = session.sites(&source, fields.get("sites"));
    match fields.get("tasks") {
        Some(Value::Array(tasks)) if !tasks.is_empty() => {
            for (index, task) in tasks.iter().enumerate() {
                session.task(&source, &format!("/tasks/{index}"), task, &sites);
            }
        }
        Some(Value::Array(_)) => session.problems.push(source.problem("/tasks", "the file holds no task", None)),
        Some(_) => session.problems.push(source.problem("/tasks", "`tasks` must be a list", None)),
        None => session.problems.push(source.problem("", "the field `tasks` is missing", None)),
    }
}
