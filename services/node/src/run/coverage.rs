//! What coverage a run measures, as its settings store it.

use domain::coverage::{CoverageOptions, ReportPlace};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What coverage is measured, and how.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CoverageConfig {
    /// What refreshes the reports: a program and its arguments, quoted as in a shell, and started without one.
    pub command: Option<String>,
    /// The reports; a line ran if any of them says so.
    pub reports: Vec<ReportPlace>,
    /// Time between two looks.
    pub every: Duration,
    /// Whether browsers count what JavaScript runs.
    pub javascript: bool,
}

impl CoverageConfig {
    /// The same, with the command split into words.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the command.
    pub fn options(&self) -> Result<CoverageOptions, String> {
        let command = match self.command.as_deref().map(|command| (command, shlex::split(command))) {
            None => Vec::new(),
            Some((_, Some(words))) if !words.is_empty() => words,
            Some((command, _)) => {
                return Err(format!("`{command}` is no command: a quotation mark has no partner, or it is empty"));
            }
        };
        let (reports, every_s, javascript) = (self.reports.clone(), self.every.as_secs().max(1), self.javascript);
        Ok(CoverageOptions { command, reports, every_s, javascript })
    }
}
