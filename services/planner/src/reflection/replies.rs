//! What the model is asked to reply.

use crate::reply::{ANSWER, LINE, Meaning, REASON, Reply, Status, TEXT};
use schemars::JsonSchema;
use serde::Deserialize;

/// The actions of one screen.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Stage {
    #[schemars(title = Meaning::Status.title())]
    pub(super) status: Status,
    #[schemars(title = Meaning::Steps.title(), length(max = 10))]
    pub(super) steps: Vec<StagedStep>,
    #[schemars(title = Meaning::Reason.title(), length(max = REASON))]
    pub(super) reason: String,
    #[schemars(title = Meaning::Answer.title(), length(max = ANSWER))]
    pub(super) answer: Option<String>,
}

/// One of them.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StagedStep {
    #[schemars(title = Meaning::Choice.title())]
    pub(super) chosen_action: i64,
    #[schemars(title = Meaning::Content.title(), length(max = TEXT))]
    pub(super) text: Option<String>,
    #[schemars(title = Meaning::Submit.title())]
    pub(super) press_enter: bool,
}

/// What was wrong in a trial.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Reflected {
    #[schemars(title = Meaning::Mistake.title())]
    pub(super) wrong_step: i64,
    #[schemars(title = Meaning::Rule.title(), length(max = LINE))]
    pub(super) instead: String,
}

impl Reply for Stage {
    const NAME: &'static str = "stage";
}

impl Reply for Reflected {
    const NAME: &'static str = "reflected";
}
