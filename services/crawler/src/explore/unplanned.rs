//! What pages do by themselves: they open tabs and dialogs, and lead away from the site.

use super::Explorer;
use super::plan::{PlannedStep, StepKind};
use crate::destructive;
use domain::effect::Effect;
use domain::words::{self, Detail};
use domain::{Action, Descriptor, Observation, StateId, Step};

/// Tabs that are left open.
const TABS: usize = 3;
/// Tabs above which the current one is closed at once, whatever it shows.
const MANY_TABS: usize = 8;
/// Dialogs that are answered in a row before the tab that opens them is closed.
const DIALOGS: u32 = 5;
/// Troubles with pages that are told of.
const TOLD: usize = 200;

impl Explorer {
    /// A new tab is looked at, unless there are very many.
    pub(super) fn follow_tabs(&mut self, seen: &Observation) -> Option<Action> {
        let (before, now) = (self.tabs, seen.tabs.len());
        self.tabs = now;
        if now > MANY_TABS {
            return Some(Action::CloseTab);
        }
        let last_is_current = seen.tabs.last().is_none_or(|tab| tab.current);
        (now > before && !last_is_current)
            .then(|| Action::SwitchTab { tab: u32::try_from(now - 1).unwrap_or_default() })
    }

    /// Closes the current tab where there are too many, once its state is known and no plan is under way. A tab that was just opened stays
    /// for one action.
    pub(super) fn close_tab_of_many(&self, seen: &Observation, is_new: bool) -> Option<Action> {
        (seen.tabs.len() > TABS && !is_new && self.plan.is_empty()).then_some(Action::CloseTab)
    }

    /// A dialog of the browser that no plan foresees: agreed to the first time, unless that may be destructive.
    pub(super) fn answer_dialog(&mut self, seen: &Observation, state: StateId) -> Option<Action> {
        let dialog = seen.dialog.as_ref()?;
        let planned = self.plan.front().map(|planned_step| &planned_step.what);
        let answers =
            |action: &Action<Descriptor>| matches!(action, Action::AcceptDialog { .. } | Action::DismissDialog);
        if matches!(planned, Some(StepKind::Act { action, .. }) if answers(action)) {
            return None;
        }
        let text = (dialog.kind == "prompt").then(|| "Rutter".to_owned());
        let accept = Action::AcceptDialog { text };
        let is_left_alone = destructive::refusal(&accept, seen, &self.exploration.guards, &self.memory).is_some();
        let is_first = self.dialogs.insert((state, dialog.message.clone()));
        let must = dialog.kind == "alert" || dialog.kind == "beforeunload";
        Some(if must || (is_first && !is_left_alone) { accept } else { Action::DismissDialog })
    }

    /// A page that answers every answer by another dialog loses its tab.
    pub(super) fn end_of_talk(&mut self, seen: &Observation, is_asked: bool) -> Option<Action> {
        self.answered = if is_asked { self.answered + 1 } else { 0 };
        if self.answered <= DIALOGS {
            return None;
        }
        let told = format!("{DIALOGS} dialogs came in a row, and the tab that opened them was closed");
        self.tell(format!("{}: {}: {told}", seen.url, self.latest));
        self.abandon("the page talks without end");
        self.doing = None;
        Some(Action::CloseTab)
    }

    /// What led away from the pages of the site is told of, with its cause: that of the latest step, if it failed.
    pub(super) fn tell_of(&mut self, latest: Option<&Step>, seen: &Observation) {
        let Some(step) = latest else { return };
        let cause = match &step.effect {
            Effect::Failed { cause } | Effect::Unconfirmed { cause } | Effect::Rejected { message: cause } => {
                cause.clone()
            }
            _ if seen.url.is_empty() => "the page is gone".to_owned(),
            _ => format!("it led to {}", seen.url),
        };
        self.tell(format!("{}: {}: {cause}", step.url, self.latest));
    }

    fn tell(&mut self, trouble: String) {
        if self.troubles.len() < TOLD && self.troubles.insert(trouble.clone()) {
            self.untold.push(trouble);
        }
    }
}

/// What a step is to those who read of it.
pub(super) fn named(planned_step: &PlannedStep) -> String {
    match &planned_step.what {
        StepKind::Act { action, .. } => words::action(action, &Detail::BRIEF),
        StepKind::Open { url } => format!("open {url}"),
        StepKind::Fill { field, .. } => format!("fill {}", words::element(field, &Detail::BRIEF)),
        StepKind::FillNamed { field, .. } => format!("fill \"{field}\""),
        StepKind::Press { button: Some(button), .. } => format!("press the button \"{button}\""),
        StepKind::Press { button: None, .. } => "press the button of the form".to_owned(),
    }
}
