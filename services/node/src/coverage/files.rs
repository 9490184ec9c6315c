//! What is measured by the process that the user started, in files of the run directory: a line for each look, and what is known
//! of files and scripts by then.

use super::Sink;
use crate::Error;
use async_trait::async_trait;
use browser::JsCoverage;
use evaluation::coverage::Coverage;
use report::Directory;
use report::coverage::{CURVE, FileLines, JS_CURVE, JavaScript, Lines, Measured, Scripts};
use serde::Serialize;
use serde_json::json;
use std::error::Error as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// Each file of the application with its lines, as last reported.
const FILES: &str = "coverage.json";
/// What is known of the scripts, to go on with.
const JS_LEDGER: &str = "js-coverage.json";

/// Keeps looks in the files of a run directory.
pub(crate) struct Files {
    directory: Directory,
    curve: File,
    js_curve: Option<File>,
    news: UnboundedSender<String>,
}

impl Files {
    /// The files of a directory. Those of JavaScript are there only where it is counted.
    ///
    /// # Errors
    /// Files that cannot be written.
    pub(crate) fn open(directory: &Directory, javascript: bool, news: UnboundedSender<String>) -> Result<Files, Error> {
        let append = |name: &str| {
            let path = directory.join(name);
            let opened = OpenOptions::new().create(true).append(true).open(&path);
            opened.map_err(|source| Error::File { action: format!("open {}", path.display()), source })
        };
        let js_curve = javascript.then(|| append(JS_CURVE)).transpose()?;
        Ok(Files { curve: append(CURVE)?, js_curve, directory: directory.clone(), news })
    }
}

/// When an earlier session looked last. One that was killed may have looked after it had told where it was.
pub(crate) fn looked_last(directory: &Directory) -> Duration {
    let last = read(directory).lines.iter().map(|point| point.at_s).fold(0.0, f64::max);
    Duration::try_from_secs_f64(last).unwrap_or_default()
}

#[async_trait]
impl Sink for Files {
    async fn lines(&mut self, at_s: f64, coverage: &Coverage) -> Result<(), String> {
        append(&mut self.curve, &Lines { at_s, lines: coverage.lines(), covered: coverage.covered() });
        write_files(&self.directory, &by_file(coverage))
    }

    async fn scripts(&mut self, at_s: f64, scripts: &JsCoverage) -> Result<(), String> {
        if let Some(curve) = &mut self.js_curve {
            append(curve, &Scripts { at_s, figures: scripts.figures() });
        }
        write_scripts(&self.directory, scripts)
    }

    async fn complain(&mut self, _: f64, cause: String) {
        // Who hears of it may be gone.
        let _ = self.news.send(format!("coverage: {cause} (exploring goes on)"));
    }
}

/// The files of an application with their lines.
pub(super) fn by_file(coverage: &Coverage) -> Vec<FileLines> {
    let file = |(file, lines): (&String, &std::collections::BTreeMap<u32, bool>)| FileLines {
        file: file.clone(),
        lines: lines.len() as u64,
        covered: lines.values().filter(|ran| **ran).count() as u64,
    };
    coverage.files.iter().map(file).collect()
}

pub(super) fn write_files(directory: &Directory, files: &[FileLines]) -> Result<(), String> {
    directory.write_json(FILES, &json!({ "files": files })).map_err(|failure| with_cause(&failure))
}

pub(super) fn write_scripts(directory: &Directory, scripts: &JsCoverage) -> Result<(), String> {
    let kept = scripts.to_json().map_err(|error| error.to_string());
    kept.and_then(|json| directory.write(JS_LEDGER, &json).map_err(|failure| with_cause(&failure)))
}

/// What failed, and why.
fn with_cause(failure: &report::Error) -> String {
    match failure.source() {
        Some(cause) => format!("{failure}: {cause}"),
        None => failure.to_string(),
    }
}

fn append(curve: &mut File, point: &impl Serialize) {
    let written = serde_json::to_vec(point).map_err(std::io::Error::other).and_then(|mut line| {
        line.push(b'\n');
        curve.write_all(&line)
    });
    if let Err(error) = written {
        tracing::warn!(%error, "coverage could not be written down");
    }
}

/// What an earlier session knew of the scripts.
pub(crate) fn ledger(directory: &Directory) -> Option<JsCoverage> {
    let bytes = std::fs::read(directory.join(JS_LEDGER)).ok()?;
    JsCoverage::from_json(&bytes).ok()
}

/// What was measured, from the directory of a run.
pub fn read(directory: &Directory) -> Measured {
    let known = |ledger: JsCoverage| JavaScript { scripts: ledger.scripts(), unavailable: ledger.unavailable() };
    report::coverage::read(directory, ledger(directory).map(known))
}
