//! What the model is asked to reply. What goes into a chosen action is asked as by every planner: [`crate::reply::content`].

use crate::reply::{ANSWER, Meaning, REASON, Reply, TEXT};
use schemars::JsonSchema;
use serde::Deserialize;

/// One plan up front.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct WholePlan {
    #[schemars(title = Meaning::Steps.title(), length(max = 30))]
    pub(super) steps: Vec<PlannedStep>,
    #[schemars(title = Meaning::Answer.title(), length(max = ANSWER))]
    pub(super) answer: Option<String>,
    #[schemars(title = Meaning::Reason.title(), length(max = REASON))]
    pub(super) reason: String,
}

/// A step of it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PlannedStep {
    #[schemars(title = Meaning::Choice.title())]
    pub(super) chosen_action: i64,
    #[schemars(title = Meaning::Content.title(), length(max = TEXT))]
    pub(super) text: Option<String>,
    #[schemars(title = Meaning::Submit.title())]
    pub(super) press_enter: bool,
}

/// What the picture of a page shows.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PageSummary {
    #[schemars(title = Meaning::Summary.title(), length(max = 1_500))]
    pub(super) text: String,
}

impl Reply for WholePlan {
    const NAME: &'static str = "whole_plan";
}

impl Reply for PageSummary {
    const NAME: &'static str = "page_summary";
}
