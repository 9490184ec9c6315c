//! What an exploration saw, as it stands in the directory of its run: one line for each page.

use domain::effect::Effect;
use domain::harm::{Deed, LeftAlone, RefusedRequest};
use domain::state::ActionKey;
use domain::{Action, Descriptor, Fault, StateId};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;

/// The file of what was seen: one [`VisitRecord`] a line.
pub const VISITS: &str = "visits.jsonl";
/// The file of whole observations, each with its state: one a line, compressed.
pub const OBSERVATIONS: &str = "observations.jsonl.zst";
/// The folder of pictures, by the numbers of states.
pub const PICTURES: &str = "pictures";

/// A page that was seen.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VisitRecord {
    /// The browser.
    pub crawler: String,
    /// Seconds since the browser's part began.
    pub at_s: f64,
    /// The state.
    pub state: StateId,
    /// Whether nobody saw it before.
    pub is_new: bool,
    /// Its address.
    pub url: String,
    /// What led there; none after opening the site, logging in or waiting.
    pub deed: Option<ArrivalRecord>,
    /// The faults since the page before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// Requests since the page before.
    pub requests: usize,
    /// Those that were refused.
    pub refused: usize,
    /// Those that were not, though they are outside the scope. There must not be any.
    pub out_of_scope: usize,
    /// Controls that are left alone there, which were not told of before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_alone: Vec<LeftAlone>,
    /// Requests that a rule refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_by_rule: Vec<RefusedRequest>,
    /// Requests that were to create or change something, whatever the site answered.
    #[serde(default)]
    pub sent: usize,
    /// Requests that created or changed something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deeds: Vec<DeedRecord>,
}

/// A request that created or changed something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeedRecord {
    /// What it did.
    pub deed: Deed,
    /// Its method.
    pub method: String,
    /// Its path.
    pub path: String,
    /// Its answer.
    pub status: u16,
}

impl VisitRecord {
    /// A page that was merely opened.
    #[cfg(test)]
    pub(crate) fn example() -> Self {
        Self {
            crawler: "guest/1".into(),
            at_s: 0.0,
            state: StateId(1),
            is_new: true,
            url: "http://shop.test/".into(),
            deed: None,
            faults: Vec::new(),
            requests: 0,
            refused: 0,
            out_of_scope: 0,
            left_alone: Vec::new(),
            refused_by_rule: Vec::new(),
            sent: 0,
            deeds: Vec::new(),
        }
    }

    /// The state in which was done what led there.
    pub fn from(&self) -> Option<StateId> {
        self.deed.as_ref().map(|deed| deed.from)
    }
}

/// What led to a page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ArrivalRecord {
    /// From which state.
    pub from: StateId,
    /// The action's name in the map, where it is one of it.
    pub key: Option<ActionKey>,
    /// What was done.
    pub action: Action<Descriptor>,
    /// What it did.
    pub effect: Effect,
    /// Milliseconds from the action to the settled page.
    pub latency_ms: f64,
}

/// What was seen, from the directory of a run, in order. A last line that was cut off by the end of the process is left out.
///
/// # Errors
/// When the file is there and cannot be read.
pub fn read(directory: &Path) -> io::Result<Vec<VisitRecord>> {
    match std::fs::read_to_string(directory.join(VISITS)) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
