//! Coverage over the time of an exploration, as it stands in the directory of its run.

use crate::directory::Directory;
use domain::coverage::{JsFigures, ScriptFigures};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The curve of lines: one [`Lines`] a line.
pub const CURVE: &str = "coverage.jsonl";
/// The curve of JavaScript: one [`Scripts`] a line.
pub const JS_CURVE: &str = "js-coverage.jsonl";

/// Lines at one moment.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Lines {
    /// Seconds since the exploration began, earlier sessions included.
    pub at_s: f64,
    /// Lines that can run.
    pub lines: u64,
    /// Those that ran.
    pub covered: u64,
}

/// JavaScript at one moment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scripts {
    /// As for lines.
    pub at_s: f64,
    /// What is covered.
    #[serde(flatten)]
    pub figures: JsFigures,
}

/// What is known of a site's scripts in the end.
#[derive(Clone, Debug, Default)]
pub struct JavaScript {
    /// Each script with its figures.
    pub scripts: Vec<ScriptFigures>,
    /// Why a browser could not count.
    pub unavailable: Option<String>,
}

/// What was measured of coverage.
#[derive(Debug, Default)]
pub struct Measured {
    /// Lines of the application over time.
    pub lines: Vec<Lines>,
    /// JavaScript over time.
    pub scripts: Vec<Scripts>,
    /// The scripts themselves, where they were counted.
    pub javascript: Option<JavaScript>,
}

/// What was measured, from the directory of a run. What is known of the scripts is told by whoever counted them.
pub fn read(directory: &Directory, javascript: Option<JavaScript>) -> Measured {
    Measured { lines: points(directory, CURVE), scripts: points(directory, JS_CURVE), javascript }
}

/// The points of a curve. A last line that was cut off by the end of the process is left out.
fn points<T: DeserializeOwned>(directory: &Directory, name: &str) -> Vec<T> {
    let text = std::fs::read_to_string(directory.join(name)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}
