//! Logging in: when it is needed, and by which deeds. What is seen meanwhile is no part of the role's map.

use super::Explorer;
use super::plan::{self, Deed, Part, Ready};
use domain::verdict::Finding;
use domain::{Action, Observation};
use evaluation::Facts;
use std::sync::Arc;

/// How often a log-in is tried again before one goes on without.
const LOG_INS: u32 = 3;

impl Explorer {
    /// What is done to log in, if one is not.
    pub(super) fn log_in(&mut self, seen: &Arc<Observation>) -> Option<Action> {
        let is_logging_in = |deed: &Deed| deed.part == Part::LogIn;
        if !self.plan.front().is_some_and(is_logging_in) && self.is_logged_out(seen) && self.log_ins < LOG_INS {
            self.log_ins += 1;
            self.abandon("not logged in");
            let login = self.exploration.login.as_ref()?;
            self.plan = plan::log_in(login, &self.exploration);
        }
        while self.plan.front().is_some_and(is_logging_in) {
            self.doing = None;
            match self.plan.pop_front().map(|deed| plan::ready(&deed, seen, &[], self.exploration.guards, true)) {
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
        let Some(check) = &login.logged_in else { return self.log_ins == 0 };
        let text = seen.nodes.iter().map(domain::Node::label).collect::<Vec<_>>().join("\n");
        let facts = Facts { observation: Some(seen.clone()), text: Some(text), ..Facts::default() };
        let found = evaluation::checks::evaluate(check, &facts);
        found.first().is_some_and(|evidence| evidence.finding == Finding::Refuted)
    }
}
