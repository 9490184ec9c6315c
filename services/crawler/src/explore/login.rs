//! Logging in: when it is needed, and by which steps. What is seen meanwhile is no part of the role's map.

use super::Explorer;
use super::plan::{self, Part, PlannedStep, Ready, StepKind};
use super::{Failure, filling, recipe};
use crate::destructive::Memory;
use crate::judging;
use chrono::NaiveDate;
use domain::environment::EnvironmentError;
use domain::exploration::{Guards, Login};
use domain::page::{Page, VisibleText};
use domain::task::Check;
use domain::{Action, Observation};
use evaluation::Facts;
use evaluation::facts::PageLook;
use std::sync::Arc;
use url::Url;

/// How often a log-in is tried in a row before the exploration ends.
const LOG_INS: u32 = 3;

impl Explorer {
    /// What is done to log in, if one is not.
    ///
    /// # Errors
    /// The recipe does not fit the page, the site refuses it, or nobody is logged in after it, again and again.
    pub(super) async fn log_in(
        &mut self,
        page: &mut dyn Page,
        seen: &Arc<Observation>,
    ) -> Result<Option<Action>, Failure> {
        let is_logging_in = |planned_step: &PlannedStep| planned_step.part == Part::LogIn;
        if !self.plan.front().is_some_and(is_logging_in) {
            if !self.is_logged_out(page, seen).await {
                self.log_ins = 0;
                return Ok(None);
            }
            self.begin_to_log_in(seen)?;
        }
        self.doing = None;
        let Some(mut planned_step) = self.plan.pop_front() else { return Ok(None) };
        // On the page before the last step stands what came of the others.
        if self.plan.is_empty() && self.is_left_with_the_form(page, seen).await {
            if filling::refusals(seen).next().is_some() {
                return Err(Failure::LogIn(recipe::not_logged_in(seen)));
            }
            self.begin_to_log_in(seen)?;
            let Some(first) = self.plan.pop_front() else { return Ok(None) };
            planned_step = first;
        }
        self.was_logged_in |= self.plan.is_empty();
        match plan::ready(&planned_step, seen, &[], &self.exploration.guards, &self.memory, self.today, true) {
            Ready::Do(action) => Ok(Some(action)),
            Ready::Not(cause) => Err(Failure::LogIn(cause)),
            Ready::First(_) => Ok(None),
        }
    }

    fn begin_to_log_in(&mut self, seen: &Observation) -> Result<(), Failure> {
        if self.log_ins >= LOG_INS {
            return Err(Failure::LogIn(recipe::not_logged_in(seen)));
        }
        self.log_ins += 1;
        self.abandon("not logged in");
        if let Some(login) = &self.exploration.login {
            self.plan = recipe::steps(login, &self.exploration.start_url);
        }
        Ok(())
    }

    /// Whether the page shows that one is not logged in: what the recipe says of that, or the recipe's own form.
    async fn is_logged_out(&mut self, page: &mut dyn Page, seen: &Arc<Observation>) -> bool {
        let Some(login) = &self.exploration.login else { return false };
        match &login.logged_in {
            Some(check) => is_refuted(page, check, seen).await,
            None => !self.was_logged_in || self.shows_the_form(seen),
        }
    }

    async fn is_left_with_the_form(&mut self, page: &mut dyn Page, seen: &Arc<Observation>) -> bool {
        let check = self.exploration.login.as_ref().and_then(|login| login.logged_in.as_ref());
        match check {
            _ if !self.shows_the_form(seen) => false,
            Some(check) => is_refuted(page, check, seen).await,
            None => true,
        }
    }

    fn shows_the_form(&self, seen: &Observation) -> bool {
        self.exploration.login.as_ref().is_some_and(|login| recipe::asks_for_password(seen, login))
    }
}

/// Whether a page shows that something does not hold.
async fn is_refuted(page: &mut dyn Page, check: &Check, seen: &Arc<Observation>) -> bool {
    let text = seen.nodes.iter().map(domain::Node::label).collect::<Vec<_>>().join("\n");
    let texts = Some(vec![VisibleText { frame: 0, text }]);
    let facts = Facts::of_look(PageLook { observation: seen.clone(), texts, ..PageLook::default() });
    judging::is_refuted(page, check, &facts).await
}

/// Logs in on a page that shows where a site begins, before anything else is done there.
///
/// # Errors
/// The recipe does not fit the pages, or one is not logged in then; or a failure of the browser.
pub(crate) async fn log_in(page: &mut dyn Page, login: &Login, start_url: &str) -> Result<(), EnvironmentError> {
    for planned_step in recipe::steps(login, start_url) {
        if let StepKind::Open { url } = &planned_step.what {
            let url = Url::parse(url).map_err(|error| EnvironmentError::LogIn(format!("{url}: {error}")))?;
            page.open(&url).await?;
            continue;
        }
        let seen = page.observe().await?;
        match plan::ready(&planned_step, &seen, &[], &Guards::default(), &Memory::default(), NaiveDate::default(), true)
        {
            Ready::Do(action) => drop(page.act(&action, &seen).await?),
            Ready::Not(cause) => return Err(EnvironmentError::LogIn(cause)),
            Ready::First(_) => {}
        }
        if login.logged_in.is_none() && matches!(planned_step.what, StepKind::Press { .. }) {
            let seen = page.observe().await?;
            if recipe::asks_for_password(&seen, login) {
                return Err(EnvironmentError::LogIn(recipe::not_logged_in(&seen)));
            }
        }
    }
    let Some(check) = &login.logged_in else { return Ok(()) };
    let seen = Arc::new(page.observe().await?);
    if is_refuted(page, check, &seen).await {
        return Err(EnvironmentError::LogIn(recipe::not_logged_in(&seen)));
    }
    // What the page told with that look belongs to the attempt.
    let start = Url::parse(start_url).map_err(|error| EnvironmentError::LogIn(format!("{start_url}: {error}")))?;
    Ok(page.open(&start).await?)
}
