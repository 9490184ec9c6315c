//! What the model is asked to reply.

use crate::reply::{ANSWER, LINE, Meaning, REASON, Reply, Status, TEXT};
use schemars::JsonSchema;
use serde::Deserialize;

/// A functionality with parameters.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ConcreteTask {
    #[schemars(title = Meaning::Task.title(), length(max = 400))]
    pub(super) task: String,
}

/// What a page is for.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PageContext {
    #[schemars(title = Meaning::Summary.title(), length(max = 400))]
    pub(super) context: String,
    #[schemars(title = Meaning::Descriptions.title(), length(max = 12), inner(length(max = 120)))]
    pub(super) sub_functionalities: Vec<String>,
}

/// What is to be done next.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct NextStep {
    #[schemars(title = Meaning::Status.title())]
    pub(super) status: Status,
    #[schemars(title = Meaning::NextStep.title(), length(max = LINE))]
    pub(super) next_step: Option<String>,
    #[schemars(title = Meaning::Answer.title(), length(max = ANSWER))]
    pub(super) answer: Option<String>,
}

/// What a page is for, and what is to be done next.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PageContextAndStep {
    #[schemars(title = Meaning::Summary.title(), length(max = 200))]
    pub(super) context: String,
    #[serde(flatten)]
    pub(super) next: NextStep,
}

/// A sentence for each element that is shown.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Descriptions {
    #[schemars(title = Meaning::Descriptions.title(), length(max = 20), inner(length(max = 160)))]
    pub(super) descriptions: Vec<String>,
}

/// One of the choices.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Decision {
    #[schemars(title = Meaning::Choice.title())]
    pub(super) index: i64,
    #[schemars(title = Meaning::Content.title(), length(max = TEXT))]
    pub(super) argument: Option<String>,
    #[schemars(title = Meaning::Submit.title())]
    pub(super) press_enter: bool,
    #[schemars(title = Meaning::Reason.title(), length(max = REASON))]
    #[expect(dead_code, reason = "written so that the choice follows from it; the step says why")]
    pub(super) reason: String,
}

impl Reply for ConcreteTask {
    const NAME: &'static str = "concrete_task";
}

impl Reply for PageContext {
    const NAME: &'static str = "page_context";
}

impl Reply for NextStep {
    const NAME: &'static str = "next_step";
}

impl Reply for PageContextAndStep {
    const NAME: &'static str = "page_context_and_step";
}

impl Reply for Descriptions {
    const NAME: &'static str = "descriptions";
}

impl Reply for Decision {
    const NAME: &'static str = "decision";
}
