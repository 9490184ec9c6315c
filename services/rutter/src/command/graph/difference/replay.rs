//! What is gone again of a run: a browser's part in its exploration, on the site where it was or on another one.

use super::sides::Recorded;
use crate::command::door;
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use anyhow::Context as _;
use domain::exploration::Exploration;
use domain::job::Work;
use domain::state::Version;
use domain::task::Site;
use domain::{Job, RunId};
use graph::combined::CombinedMap;
use node::config::BrowserConfig;
use node::run::retrace::{Direction, Gone, Retrace};
use platform::shutdown;
use std::time::Duration;

/// What is to be gone again.
pub(super) struct Replay<'a> {
    pub(super) role: &'a str,
    /// The run whose site is gone to.
    pub(super) recorded: &'a Recorded,
    /// Where that is now; empty where it was explored.
    pub(super) url: &'a str,
    /// Further hosts that belong to it.
    pub(super) scope: &'a [String],
    pub(super) budget: Duration,
    pub(super) browser: &'a BrowserConfig,
    pub(super) direction: Direction,
}

impl Replay<'_> {
    /// Goes.
    ///
    /// # Errors
    /// The run directory does not say how it was explored; no browser; a site that cannot be reached.
    pub(super) async fn go(&self, both: &mut CombinedMap) -> Outcome<Gone> {
        let (exploration, settings) = self.once_more(both)?;
        let (name, budget, browser, direction) = (&self.recorded.name, self.budget, self.browser, self.direction);
        let interrupt = shutdown::on_signals().context("listen to signals").or_exit(Exit::Internal)?;
        let retrace = Retrace { exploration, settings, name, budget, browser, direction };
        Ok(Box::pin(retrace.go(both, interrupt)).await?)
    }

    /// The part of a browser in that run's exploration, once more, with the settings of its site.
    fn once_more(&self, both: &CombinedMap) -> Outcome<(Exploration, Box<Site>)> {
        let name = &self.recorded.name;
        let jobs = self.recorded.config.iter().flat_map(|config| &config.jobs);
        let found = jobs.filter_map(|job: &Job| match &job.work {
            Work::Exploration { exploration, site } if exploration.version.role == self.role => {
                Some((exploration, site))
            }
            _ => None,
        });
        let Some((explored, settings)) = found.into_iter().next() else {
            let cause =
                format!("{name} does not say how it was explored as {}: it cannot be replayed there", self.role);
            return failure(Exit::Usage, cause);
        };
        let mut exploration = explored.as_ref().clone();
        if !self.url.is_empty() {
            exploration.start_url = tasks::start_url(self.url)?.to_string();
            door::keep_password(&mut exploration.start_url)?;
        }
        let site = both.name().cloned().unwrap_or_else(|| explored.version.site.clone());
        let run = RunId::new(format!("{}, gone again", explored.version.run));
        exploration.version = Version { site, run, role: self.role.to_owned() };
        exploration.seconds = self.budget.as_secs().max(1);
        let mut settings = settings.clone();
        settings.scope.hosts.extend(self.scope.iter().cloned());
        Ok((exploration, settings))
    }
}
