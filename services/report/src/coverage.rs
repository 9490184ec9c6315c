//! Coverage over the time of an exploration, as it stands in the directory of its run.

use crate::directory::Directory;
use domain::BlobRef;
use domain::coverage::{JsFigures, ScriptFigures};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

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

/// What is known of a file of the application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLines {
    /// Its path, as in the report.
    pub file: String,
    /// Lines that can run.
    pub lines: u64,
    /// Those that ran.
    pub covered: u64,
}

/// One look at coverage by a crawler, as it stands among what explorations saw.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LookRecord {
    /// The browser beside which it was measured.
    pub crawler: String,
    /// What looked. It ends with the attempt.
    pub session: String,
    /// When the session began, in milliseconds since 1970.
    pub began_ms: u64,
    /// Seconds from then to the look.
    pub at_s: f64,
    /// What was found.
    pub look: Look,
}

/// What a look at coverage found.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// Lines of the application.
    Lines(LineLook),
    /// JavaScript of one browser.
    Scripts(ScriptLook),
    /// Why there is no look.
    Trouble(String),
}

/// Lines of the application at a look.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LineLook {
    /// Lines that can run.
    pub lines: u64,
    /// Those that ran.
    pub covered: u64,
    /// Each file: a list of [`FileLines`].
    pub files: BlobRef,
}

/// What JavaScript one browser ran by a look.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ScriptLook {
    /// In figures.
    pub figures: JsFigures,
    /// Each script with what ran of it, in the form that the browser room reads.
    pub scripts: BlobRef,
}

/// The time that explorations took, over all looks: the time in which no session looked does not count.
#[derive(Debug, Default)]
pub struct Sessions(Vec<(f64, f64)>);

impl Sessions {
    /// The time of these looks.
    pub fn of<'a>(looks: impl IntoIterator<Item = &'a LookRecord>) -> Sessions {
        let mut sessions: HashMap<&str, (f64, f64)> = HashMap::new();
        for look in looks {
            let (began, now) = (look.began_ms as f64 / 1000.0, look.epoch_s());
            let session = sessions.entry(&look.session).or_insert((began, now));
            session.1 = session.1.max(now);
        }
        let mut spans: Vec<(f64, f64)> = sessions.into_values().collect();
        spans.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut united: Vec<(f64, f64)> = Vec::new();
        for (from, to) in spans {
            match united.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => united.push((from, to)),
            }
        }
        Sessions(united)
    }

    /// Seconds of exploring until a look, rounded to tenths.
    pub fn elapsed_s(&self, look: &LookRecord) -> f64 {
        let until = look.epoch_s();
        let spent: f64 = self.0.iter().map(|(from, to)| (to.min(until) - from).max(0.0)).sum();
        (spent * 10.0).round() / 10.0
    }
}

impl LookRecord {
    /// When it was, in seconds since 1970.
    pub fn epoch_s(&self) -> f64 {
        self.began_ms as f64 / 1000.0 + self.at_s
    }
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
    /// What could not be measured, where who measured could not tell the user.
    pub troubles: Vec<String>,
}

/// What was measured, from the directory of a run. What is known of the scripts is told by whoever counted them.
pub fn read(directory: &Directory, javascript: Option<JavaScript>) -> Measured {
    Measured { lines: points(directory, CURVE), scripts: points(directory, JS_CURVE), javascript, troubles: Vec::new() }
}

/// The points of a curve. A last line that was cut off by the end of the process is left out.
fn points<T: DeserializeOwned>(directory: &Directory, name: &str) -> Vec<T> {
    let text = std::fs::read_to_string(directory.join(name)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(session: &str, began_s: u64, at_s: f64) -> LookRecord {
        let (session, crawler) = (session.to_owned(), "guest/1".to_owned());
        LookRecord { crawler, session, began_ms: began_s * 1000, at_s, look: Look::Trouble(String::new()) }
    }

    #[test]
    fn time_in_which_nobody_explored_does_not_count() {
        // Two browsers side by side for 30 s, and after ten minutes one that goes on.
        let looks = [
            look("a", 100, 0.0),
            look("b", 105, 25.0),
            look("a", 100, 20.0),
            look("c", 730, 0.0),
            look("c", 730, 9.96),
        ];
        let sessions = Sessions::of(&looks);
        let elapsed: Vec<f64> = looks.iter().map(|look| sessions.elapsed_s(look)).collect();
        assert_eq!(elapsed, [0.0, 30.0, 20.0, 30.0, 40.0]);
        assert_eq!(Sessions::default().elapsed_s(&looks[1]), 0.0);
    }
}
