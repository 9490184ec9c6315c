//! Logging in: when it is needed, and by which steps. What is seen meanwhile is no part of the role's map.

use super::Explorer;
use super::plan::{self, Part, PlannedStep, Ready, StepKind};
use chrono::NaiveDate;
use domain::environment::EnvironmentError;
use domain::exploration::{Guards, Login};
use domain::page::{Page, VisibleText};
use domain::task::Check;
use domain::verdict::Finding;
use domain::{Action, Observation};
use evaluation::Facts;
use evaluation::facts::PageLook;
use std::sync::Arc;
use url::Url;

/// How often a log-in is tried again before one goes on without.
const LOG_INS: u32 = 3;

impl Explorer {
    /// What is done to log in, if one is not.
    pub(super) fn log_in(&mut self, seen: &Arc<Observation>) -> Option<Action> {
        let is_logging_in = |planned_step: &PlannedStep| planned_step.part == Part::LogIn;
        if !self.plan.front().is_some_and(is_logging_in) && self.is_logged_out(seen) && self.log_ins < LOG_INS {
            self.log_ins += 1;
            self.abandon("not logged in");
            let login = self.exploration.login.as_ref()?;
            self.plan = plan::log_in(login, &self.exploration.start_url);
        }
        while self.plan.front().is_some_and(is_logging_in) {
            self.doing = None;
            match self
                .plan
                .pop_front()
                .map(|planned_step| plan::ready(&planned_step, seen, &[], &self.exploration.guards, self.today, true))
            {
                Some(Ready::Do(action)) => return Some(action),
                Some(Ready::Not(cause)) => {
                    tracing::warn!(cause, "logging in");
                    self.plan.clear();
                }
                Some(Ready::First(_)) | None => {}
            }
        }
        None
    }

    /// Whether the page shows that one is not logged in, where a recipe says how that is seen.
    fn is_logged_out(&self, seen: &Arc<Observation>) -> bool {
        let Some(login) = &self.exploration.login else { return false };
        login.logged_in.as_ref().map_or(self.log_ins == 0, |check| is_refuted(check, seen))
    }
}

/// Whether a page shows that something does not hold.
fn is_refuted(check: &Check, seen: &Arc<Observation>) -> bool {
    let text = seen.nodes.iter().map(domain::Node::label).collect::<Vec<_>>().join("\n");
    let texts = Some(vec![VisibleText { frame: 0, text }]);
    let facts = Facts::of_look(PageLook { observation: seen.clone(), texts, ..PageLook::default() });
    evaluation::checks::finding(check, &facts) == Finding::Refuted
}

/// Logs in on a page that shows where a site begins, before anything else is done there.
///
/// # Errors
/// The recipe does not fit the pages, or one is not logged in then; or a failure of the browser.
pub(crate) async fn log_in(page: &mut dyn Page, login: &Login, start_url: &str) -> Result<(), EnvironmentError> {
    for planned_step in plan::log_in(login, start_url) {
        if let StepKind::Open { url } = &planned_step.what {
            let url = Url::parse(url).map_err(|error| EnvironmentError::LogIn(format!("{url}: {error}")))?;
            page.open(&url).await?;
            continue;
        }
        let seen = page.observe().await?;
        match plan::ready(&planned_step, &seen, &[], &Guards::default(), NaiveDate::default(), true) {
            Ready::Do(action) => drop(page.act(&action, &seen).await?),
            Ready::Not(cause) => return Err(EnvironmentError::LogIn(cause)),
            Ready::First(_) => {}
        }
    }
    let Some(check) = &login.logged_in else { return Ok(()) };
    let seen = Arc::new(page.observe().await?);
    if is_refuted(check, &seen) {
        let url = &seen.url;
        return Err(EnvironmentError::LogIn(format!("{url} does not look as if somebody were logged in")));
    }
    // What the page told with that look belongs to the attempt.
    let start = Url::parse(start_url).map_err(|error| EnvironmentError::LogIn(format!("{start_url}: {error}")))?;
    Ok(page.open(&start).await?)
}
