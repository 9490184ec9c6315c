//! The reply to the main question of most planners: the next action.

use super::{ANSWER, DESCRIPTION, Meaning, REASON, Reply, Status, TEXT};
use schemars::JsonSchema;
use serde::Deserialize;

/// The next action, its content asked for by a second question.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct NextAction {
    /// Whether to go on.
    #[schemars(title = Meaning::Status.title())]
    pub status: Status,
    /// Its number.
    #[schemars(title = Meaning::Choice.title())]
    pub chosen_action: Option<i64>,
    /// What it is for.
    #[schemars(title = Meaning::Description.title(), length(max = DESCRIPTION))]
    pub action_description: String,
    /// Why.
    #[schemars(title = Meaning::Reason.title(), length(max = REASON))]
    pub reason: String,
    /// The answer that the task asks for.
    #[schemars(title = Meaning::Answer.title(), length(max = ANSWER))]
    pub answer: Option<String>,
}

/// The next action with its content.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct NextActionWithContent {
    /// The action.
    #[serde(flatten)]
    pub next: NextAction,
    /// What goes into it.
    #[schemars(title = Meaning::Content.title(), length(max = TEXT))]
    pub text: Option<String>,
    /// Whether Enter follows.
    #[schemars(title = Meaning::Submit.title())]
    pub press_enter: bool,
}

impl Reply for NextAction {
    const NAME: &'static str = "next_action";
}

impl Reply for NextActionWithContent {
    const NAME: &'static str = "next_action_with_content";
}
