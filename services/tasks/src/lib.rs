//! What people hand in: task files, log-in recipes and recorded tests, read into jobs, or refused with every mistake, its place
//! and a hint.
//!
//! Never opens a site and never reads a secret's value: it only says whether the reference points at something.

mod compact;
mod error;
mod hint;
mod jobs;
mod problem;
mod recorded;
pub mod schema;
mod source;
mod validate;

#[cfg(test)]
mod tests;

pub use error::Error;
pub use jobs::{Explorations, check_jobs, jobs_of_explorations, jobs_of_tasks};
pub use problem::{Problem, Problems};
pub use recorded::{job_of_test, load_tests};

use domain::Task;
use domain::exploration::Login;
use domain::task::{Check, Site};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use url::Url;

/// A task together with the settings of its site.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The task.
    pub task: Task,
    /// Its site's settings; files in it are absolute.
    pub site: Site,
}

/// Loads every task of the files, in order.
///
/// # Errors
/// [`Error::Problems`]: all mistakes that were found, in order of their place.
pub fn load(files: &[PathBuf]) -> Result<Vec<Loaded>, Error> {
    let mut session = validate::Session::default();
    for file in files {
        match std::fs::read_to_string(file) {
            Ok(text) => load_text(&mut session, file, &text),
            Err(error) => session.problems.push(Problem::of_file(file, format!("read the task file: {error}"))),
        }
    }
    Ok(session.finish()?)
}

/// Reads the text of a task file whose tasks are done on other machines: files and variables of its secrets are looked for there,
/// not here, so that files are named by their whole path. `name` stands for the text in messages; its ending says what it holds.
///
/// # Errors
/// [`Error::Problems`]: all mistakes that were found, in order of their place.
pub fn read_for_others(name: &Path, text: &str) -> Result<Vec<Loaded>, Error> {
    let mut session = validate::Session::for_others();
    load_text(&mut session, name, text);
    Ok(session.finish()?)
}

/// Reads the text of a log-in recipe that is used on other machines, as [`read_for_others`] does.
///
/// # Errors
/// [`Error::Problems`]: all mistakes that were found, in order of their place.
pub fn read_login_for_others(name: &Path, text: &str) -> Result<Login, Error> {
    login_of(validate::Session::for_others(), name, text)
}

/// Loads a log-in recipe.
///
/// # Errors
/// [`Error::Problems`]: all mistakes that were found, in order of their place.
pub fn load_login(file: &Path) -> Result<Login, Error> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Problems(vec![Problem::of_file(file, format!("read the log-in file: {error}"))]))?;
    login_of(validate::Session::default(), file, &text)
}

fn login_of(mut session: validate::Session, file: &Path, text: &str) -> Result<Login, Error> {
    let (source, value) = source::yaml(file, text).map_err(|problem| Problems(vec![problem]))?;
    let login = session.login(&source, &value);
    session.finish()?;
    Ok(login.ok_or_else(|| Problems(vec![Problem::of_file(file, "the file holds no log-in".into())]))?)
}

/// Reads a check of the command line: a JSON object as in a task file, or the compact form
/// `[!]WHAT[ARGUMENT](=|~|=~)TEXT`.
///
/// # Errors
/// [`Error::Check`].
pub fn compact_check(text: &str) -> Result<Check, Error> {
    validate::command_line_check(text).map_err(Error::Check)
}

/// Reads an address that a task may start at.
///
/// # Errors
/// [`Error::Address`].
pub fn start_url(text: &str) -> Result<Url, Error> {
    validate::start_url(text).map_err(|(message, hint)| Error::Address { message, hint })
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
