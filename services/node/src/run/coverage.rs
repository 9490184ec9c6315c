//! Coverage over the time of an exploration: asked for again and again beside it, and written down as it comes.
//!
//! Lines of the application are those of a report that the user's own command refreshes; JavaScript is what the browsers
//! tell. Whatever fails here is told once and ends nothing.

use super::settings::ExploreConfig;
use crate::Error;
use browser::JsCoverage;
use domain::privilege::Privilege;
use evaluation::coverage::Coverage;
use platform::clock::Clock;
use report::Directory;
use report::coverage::{CURVE, JS_CURVE, JavaScript, Lines, Measured, Scripts};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::error::Error as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// Each file of the application with its lines, as last reported.
const FILES: &str = "coverage.json";
/// What is known of the scripts, to go on with.
const JS_LEDGER: &str = "js-coverage.json";

/// How long the command may take, unless it may be asked for less often than that.
const PATIENCE: Duration = Duration::from_secs(60);

/// What coverage is measured, and how.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CoverageConfig {
    /// What refreshes the reports: a program and its arguments, quoted as in a shell, and started without one.
    pub command: Option<String>,
    /// The reports; a line ran if any of them says so.
    pub reports: Vec<PathBuf>,
    /// Time between two looks.
    pub every: Duration,
    /// Whether browsers count what JavaScript runs.
    pub javascript: bool,
}

impl CoverageConfig {
    /// The program and its arguments; none where the command has a quotation mark without its partner.
    fn words(command: &str) -> Option<Vec<String>> {
        shlex::split(command).filter(|words| !words.is_empty())
    }

    /// Whether the command can be split into words.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub fn check(&self) -> Result<(), String> {
        match self.command.as_deref().map(|command| (command, Self::words(command))) {
            Some((command, None)) => {
                Err(format!("`{command}` is no command: a quotation mark has no partner, or it is empty"))
            }
            _ => Ok(()),
        }
    }

    /// What it asks of the machine.
    pub(super) fn privileges(&self) -> impl Iterator<Item = Privilege> {
        let command = self.command.as_deref().and_then(Self::words).map(Privilege::Command);
        command.into_iter().chain(self.reports.iter().cloned().map(Privilege::File))
    }
}

/// Looks at coverage beside an exploration.
pub(crate) struct Sampler {
    directory: Directory,
    config: CoverageConfig,
    scripts: Option<JsCoverage>,
    curve: File,
    js_curve: Option<File>,
    clock: Arc<dyn Clock>,
    /// What earlier sessions of the run took, and when this one began to explore.
    before: Duration,
    began: Option<Duration>,
    news: UnboundedSender<String>,
    /// Whether it was told that lines are missing.
    complained: bool,
}

impl Sampler {
    /// A sampler for what a run's settings ask for; none when that is nothing. `before` is what the run took so far.
    ///
    /// # Errors
    /// Files of the run that cannot be read or written.
    pub(crate) fn open(
        directory: &Directory,
        explore: &ExploreConfig,
        clock: Arc<dyn Clock>,
        before: Duration,
        news: UnboundedSender<String>,
    ) -> Result<Option<Sampler>, Error> {
        let config = explore.coverage.clone();
        if config.reports.is_empty() && !config.javascript {
            return Ok(None);
        }
        let append = |name: &str| {
            let path = directory.join(name);
            let opened = OpenOptions::new().create(true).append(true).open(&path);
            opened.map_err(|source| Error::File { action: format!("open {}", path.display()), source })
        };
        let scripts = config.javascript.then(|| ledger(directory).unwrap_or_default());
        let js_curve = config.javascript.then(|| append(JS_CURVE)).transpose()?;
        let curve = append(CURVE)?;
        // A session that was killed may have looked after it had told where it was.
        let looked = read(directory).lines.iter().map(|point| point.at_s).fold(0.0, f64::max);
        let before = before.max(Duration::try_from_secs_f64(looked).unwrap_or_default());
        let directory = directory.clone();
        Ok(Some(Sampler {
            directory,
            config,
            scripts,
            curve,
            js_curve,
            clock,
            before,
            began: None,
            news,
            complained: false,
        }))
    }

    /// Where profiles tell what JavaScript ran.
    pub(crate) fn scripts(&self) -> Option<JsCoverage> {
        self.scripts.clone()
    }

    /// Looks before anything is explored: what has run by then, starting the application ran. Time counts from the end of it.
    pub(crate) async fn look_first(&mut self) {
        self.look().await;
        self.began = Some(self.clock.monotonic());
    }

    /// Looks again and again, and a last time when `done`.
    pub(crate) async fn run(mut self, done: CancellationToken) {
        loop {
            let is_last = timeout(self.config.every, done.cancelled()).await.is_ok();
            self.look().await;
            if is_last {
                return;
            }
        }
    }

    async fn look(&mut self) {
        if !self.config.reports.is_empty() {
            match self.lines().await {
                // By now at the latest it has run.
                Ok(coverage) => self.keep_lines(self.at_s(), &coverage),
                Err(cause) => self.complain(&cause),
            }
        }
        if let Some(scripts) = self.scripts.clone() {
            self.keep_scripts(&scripts);
        }
    }

    fn at_s(&self) -> f64 {
        let now = self.clock.monotonic();
        let spent = self.before + self.began.map_or(Duration::ZERO, |began| now.saturating_sub(began));
        (spent.as_secs_f64() * 10.0).round() / 10.0
    }

    /// Lets the command refresh the reports, and reads them.
    async fn lines(&self) -> Result<Coverage, String> {
        if let Some(command) = &self.config.command {
            refresh(command, PATIENCE.max(self.config.every)).await?;
        }
        let mut all = Coverage::default();
        for report in &self.config.reports {
            let name = report.display().to_string();
            let bytes =
                tokio::fs::read(report).await.map_err(|error| format!("read the coverage report {name}: {error}"))?;
            all.merge(Coverage::read(&name, &String::from_utf8_lossy(&bytes)).map_err(|error| error.to_string())?);
        }
        Ok(all)
    }

    fn keep_lines(&mut self, at_s: f64, coverage: &Coverage) {
        self.complained = false;
        append(&mut self.curve, &Lines { at_s, lines: coverage.lines(), covered: coverage.covered() });
        let files = coverage.files.iter().map(|(file, lines)| {
            json!({"file": file, "lines": lines.len(), "covered": lines.values().filter(|ran| **ran).count()})
        });
        if let Err(failure) = self.directory.write_json(FILES, &json!({ "files": files.collect::<Vec<_>>() })) {
            self.complain(&with_cause(&failure));
        }
    }

    fn keep_scripts(&mut self, scripts: &JsCoverage) {
        let point = Scripts { at_s: self.at_s(), figures: scripts.figures() };
        if let Some(curve) = &mut self.js_curve {
            append(curve, &point);
        }
        let kept = scripts.to_json().map_err(|error| error.to_string());
        let kept = kept.and_then(|json| self.directory.write(JS_LEDGER, &json).map_err(|failure| with_cause(&failure)));
        if let Err(cause) = kept {
            self.complain(&cause);
        }
    }

    /// Tells of the first of several failures in a row.
    fn complain(&mut self, cause: &str) {
        if !std::mem::replace(&mut self.complained, true) {
            // Who hears of it may be gone.
            let _ = self.news.send(format!("coverage: {cause} (exploring goes on)"));
        }
    }
}

/// Runs a command of the user's to its end.
async fn refresh(command: &str, patience: Duration) -> Result<(), String> {
    let words = CoverageConfig::words(command).unwrap_or_default();
    let Some((program, arguments)) = words.split_first() else { return Err(format!("`{command}` is no command")) };
    let running = Command::new(program).args(arguments).stdin(Stdio::null()).kill_on_drop(true).output();
    let output = match timeout(patience, running).await {
        Ok(output) => {
            output.map_err(|error| format!("start `{program}`: {error}; a shell is started by `sh -c '…'` only"))?
        }
        Err(_) => return Err(format!("the command did not end within {} s: {command}", patience.as_secs())),
    };
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let complaint = if complaint.trim().is_empty() { "it said nothing" } else { complaint.trim() };
    Err(format!("the command ended with {}: {command}\n{complaint}", output.status))
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
fn ledger(directory: &Directory) -> Option<JsCoverage> {
    let bytes = std::fs::read(directory.join(JS_LEDGER)).ok()?;
    JsCoverage::from_json(&bytes).ok()
}

/// What was measured, from the directory of a run.
pub fn read(directory: &Directory) -> Measured {
    let known = |ledger: JsCoverage| JavaScript { scripts: ledger.scripts(), unavailable: ledger.unavailable() };
    report::coverage::read(directory, ledger(directory).map(known))
}
