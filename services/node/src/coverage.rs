//! Coverage over the time of an exploration: asked for again and again beside it, and kept as it comes.
//!
//! Lines of the application are those of reports that a command refreshes or the application tells itself; JavaScript is what
//! the browsers tell. Whatever fails here is told once and ends nothing.

mod files;
mod gathering;
mod records;

pub use files::read;
pub(crate) use files::{Files, ledger, looked_last};
pub use gathering::gather;
pub(crate) use records::{Measurers, ScriptsOfJobs};

use async_trait::async_trait;
use browser::{JsCoverage, Route};
use domain::coverage::{CoverageOptions, ReportPlace};
use evaluation::coverage::Coverage;
use platform::clock::Clock;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use url::Url;

/// How long the command may take, unless it may be asked for less often than that; and how long an address may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Bytes of a report that is read from an address.
const LONGEST: usize = 64 * 1024 * 1024;

/// Where looks are kept. `at_s` is in seconds since exploring began.
#[async_trait]
pub(crate) trait Sink: Send + Sync {
    /// Keeps which lines of the application had run.
    async fn lines(&mut self, at_s: f64, coverage: &Coverage) -> Result<(), String>;

    /// Keeps what JavaScript had run.
    async fn scripts(&mut self, at_s: f64, scripts: &JsCoverage) -> Result<(), String>;

    /// Tells the user why there is no look.
    async fn complain(&mut self, at_s: f64, cause: String);
}

/// Looks at coverage beside an exploration.
pub(crate) struct Sampler {
    options: CoverageOptions,
    /// How reports at addresses are reached.
    route: Route,
    scripts: Option<JsCoverage>,
    sink: Box<dyn Sink>,
    clock: Arc<dyn Clock>,
    /// What earlier sessions took, and when this one began to explore.
    before: Duration,
    began: Option<Duration>,
    /// Whether it was told that lines are missing, and that scripts are.
    complained: [bool; 2],
}

impl Sampler {
    /// A sampler of what is asked for. `scripts` is what JavaScript ran, where browsers count it; `before` is what earlier
    /// sessions took.
    pub(crate) fn new(
        options: CoverageOptions,
        route: Route,
        scripts: Option<JsCoverage>,
        sink: Box<dyn Sink>,
        clock: Arc<dyn Clock>,
        before: Duration,
    ) -> Sampler {
        Sampler { options, route, scripts, sink, clock, before, began: None, complained: [false; 2] }
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
            let is_last = timeout(Duration::from_secs(self.options.every_s.max(1)), done.cancelled()).await.is_ok();
            self.look().await;
            if is_last {
                return;
            }
        }
    }

    async fn look(&mut self) {
        if !self.options.reports.is_empty() {
            let kept = match self.lines().await {
                // By now at the latest it has run.
                Ok(coverage) => self.sink.lines(self.at_s(), &coverage).await,
                Err(cause) => Err(cause),
            };
            self.tell(0, kept).await;
        }
        if let Some(scripts) = self.scripts.clone() {
            let kept = self.sink.scripts(self.at_s(), &scripts).await;
            self.tell(1, kept).await;
        }
    }

    fn at_s(&self) -> f64 {
        let now = self.clock.monotonic();
        let spent = self.before + self.began.map_or(Duration::ZERO, |began| now.saturating_sub(began));
        (spent.as_secs_f64() * 10.0).round() / 10.0
    }

    /// Lets the command refresh the reports, and reads them.
    async fn lines(&self) -> Result<Coverage, String> {
        if let Some((program, arguments)) = self.options.command.split_first() {
            refresh(program, arguments, PATIENCE.max(Duration::from_secs(self.options.every_s))).await?;
        }
        let mut all = Coverage::default();
        for report in &self.options.reports {
            // What stands behind a question mark may be a key.
            let name = report.to_string().split('?').next().unwrap_or_default().to_owned();
            let read = async {
                match report {
                    ReportPlace::File(path) => tokio::fs::read(path).await.map_err(|error| error.to_string()),
                    ReportPlace::Address(address) => self.ask(address).await,
                }
            };
            let late = || Err(format!("it did not answer within {} s", PATIENCE.as_secs()));
            let bytes = timeout(PATIENCE, read).await.unwrap_or_else(|_| late());
            let bytes = bytes.map_err(|cause| format!("read the coverage report {name}: {cause}"))?;
            all.merge(Coverage::read(&name, &String::from_utf8_lossy(&bytes)).map_err(|error| error.to_string())?);
        }
        Ok(all)
    }

    async fn ask(&self, address: &str) -> Result<Vec<u8>, String> {
        let address = Url::parse(address).map_err(|error| error.to_string())?;
        browser::read(&address, &self.route, LONGEST).await
    }

    /// Tells of the first of several failures in a row.
    async fn tell(&mut self, of: usize, kept: Result<(), String>) {
        let Some(complained) = self.complained.get_mut(of) else { return };
        let had_complained = std::mem::replace(complained, kept.is_err());
        if let Err(cause) = kept
            && !had_complained
        {
            self.sink.complain(self.at_s(), cause).await;
        }
    }
}

/// Runs a command of the user's to its end.
async fn refresh(program: &str, arguments: &[String], patience: Duration) -> Result<(), String> {
    let running = Command::new(program).args(arguments).stdin(Stdio::null()).kill_on_drop(true).output();
    let written =
        || shlex::try_join([program].into_iter().chain(arguments.iter().map(String::as_str))).unwrap_or_default();
    let output = match timeout(patience, running).await {
        Ok(output) => {
            output.map_err(|error| format!("start `{program}`: {error}; a shell is started by `sh -c '…'` only"))?
        }
        Err(_) => return Err(format!("the command did not end within {} s: {}", patience.as_secs(), written())),
    };
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let complaint = if complaint.trim().is_empty() { "it said nothing" } else { complaint.trim() };
    Err(format!("the command ended with {}: {}\n{complaint}", output.status, written()))
}
