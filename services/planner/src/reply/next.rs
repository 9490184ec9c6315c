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
    /// Its number; 0 where there is nothing to do. The schema has a model write a number in any case: where it may leave it
    /// out, small models say `act` and name no action.
    #[schemars(title = Meaning::Choice.title(), with = "i64")]
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

/// The next action with its content, and what goes into further fields.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct NextActionWithFields {
    /// The action and its content.
    #[serde(flatten)]
    pub first: NextActionWithContent,
    /// Further fields of the same form, filled in after it.
    #[serde(default)]
    #[schemars(title = Meaning::Fields.title(), length(max = FIELDS))]
    pub more: Vec<FilledField>,
}

/// Fields that are filled in by one reply beside the first.
const FIELDS: usize = 12;

/// A field and what goes into it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct FilledField {
    /// Its number.
    #[schemars(title = Meaning::Choice.title())]
    pub chosen_action: i64,
    /// The text, or the label of an option.
    #[schemars(title = Meaning::Content.title(), length(max = TEXT))]
    pub text: String,
}

impl Reply for NextAction {
    const NAME: &'static str = "next_action";
}

impl Reply for NextActionWithContent {
    const NAME: &'static str = "next_action_with_content";
}

impl Reply for NextActionWithFields {
    const NAME: &'static str = "next_action_with_fields";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::ReplySchema;

    #[test]
    fn a_number_is_always_written_and_none_is_read_where_a_model_left_it_out() {
        let schema = ReplySchema::of::<NextActionWithContent>().schema;
        assert_eq!(schema["properties"]["chosen_action"]["type"], "integer", "{schema:#}");
        let loose =
            r#"{"status": "done", "chosen_action": null, "action_description": "", "reason": "", "answer": "7"}"#;
        assert_eq!(serde_json::from_str::<NextAction>(loose).expect("a reply").chosen_action, None);
    }
}
