//! What of an application has run: what is measured of it beside an exploration, and the figures of JavaScript.

use crate::privilege::Privilege;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// What is covered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsFigures {
    /// Functions that are known.
    pub functions: u64,
    /// Those that ran.
    pub functions_covered: u64,
    /// Length of all scripts.
    pub bytes: u64,
    /// Those that lie in blocks that ran.
    pub bytes_covered: u64,
}

/// What is covered of one script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptFigures {
    /// Its address, without query and fragment; for a script within a page, that of the page.
    pub url: String,
    /// Its figures.
    #[serde(flatten)]
    pub figures: JsFigures,
}

/// What is measured beside an exploration, by the process that has its browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoverageOptions {
    /// What refreshes the reports: a program and its arguments. Empty where they are always fresh.
    pub command: Vec<String>,
    /// Reports of the lines that ran; a line ran if any of them says so.
    pub reports: Vec<ReportPlace>,
    /// Seconds between two looks.
    pub every_s: u64,
    /// Whether browsers count what JavaScript runs.
    pub javascript: bool,
}

impl CoverageOptions {
    /// Whether there is nothing to measure.
    pub fn is_nothing(&self) -> bool {
        self.reports.is_empty() && !self.javascript
    }

    /// What measuring asks of the machine.
    pub fn privileges(&self) -> impl Iterator<Item = Privilege> {
        let command = (!self.command.is_empty()).then(|| Privilege::Command(self.command.clone()));
        let file = |report: &ReportPlace| match report {
            ReportPlace::File(path) => Some(Privilege::File(path.clone())),
            ReportPlace::Address(_) => None,
        };
        command.into_iter().chain(self.reports.iter().filter_map(file))
    }
}

/// Where a report stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ReportPlace {
    /// At an address of the site, http or https.
    Address(String),
    /// In a file of the machine that measures.
    File(PathBuf),
}

impl From<String> for ReportPlace {
    fn from(written: String) -> Self {
        let is_address = ["http://", "https://"].iter().any(|scheme| written.starts_with(scheme));
        if is_address { ReportPlace::Address(written) } else { ReportPlace::File(PathBuf::from(written)) }
    }
}

impl From<ReportPlace> for String {
    fn from(place: ReportPlace) -> Self {
        place.to_string()
    }
}

impl fmt::Display for ReportPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportPlace::Address(address) => f.write_str(address),
            ReportPlace::File(path) => write!(f, "{}", path.display()),
        }
    }
}
