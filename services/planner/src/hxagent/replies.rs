//! What the model is asked to reply: schemas, and the types that replies are read into.

use crate::model::ReplySchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The reply to the main question.
#[derive(Debug, Deserialize)]
pub(super) struct NextAction {
    pub(super) status: Status,
    pub(super) chosen_action: Option<i64>,
    pub(super) action_description: String,
    pub(super) reason: String,
    pub(super) answer: Option<String>,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Act,
    Done,
    Infeasible,
}

pub(super) fn next_action() -> ReplySchema {
    ReplySchema::object(
        "next_action",
        json!({
            "status": {"type": "string", "enum": ["act", "done", "infeasible"]},
            "chosen_action": {"type": ["integer", "null"]},
            "action_description": {"type": "string"},
            "reason": {"type": "string"},
            "answer": {"type": ["string", "null"]},
        }),
    )
}

/// The content of a text field.
#[derive(Debug, Deserialize)]
pub(super) struct FieldText {
    pub(super) text: String,
    pub(super) press_enter: bool,
}

pub(super) fn field_text() -> ReplySchema {
    ReplySchema::object("field_text", json!({"text": {"type": "string"}, "press_enter": {"type": "boolean"}}))
}

/// Numbers of the options to choose.
#[derive(Debug, Deserialize)]
pub(super) struct ChosenOptions {
    pub(super) chosen_options: Vec<i64>,
}

pub(super) fn chosen_options() -> ReplySchema {
    ReplySchema::object("chosen_options", json!({"chosen_options": {"type": "array", "items": {"type": "integer"}}}))
}

/// The number of the element to drop on.
#[derive(Debug, Deserialize)]
pub(super) struct DropTarget {
    pub(super) drop_onto: i64,
}

pub(super) fn drop_target() -> ReplySchema {
    ReplySchema::object("drop_target", json!({"drop_onto": {"type": "integer"}}))
}

/// A line of text that is no field's: keys, an address, an answer to a dialog, a summary.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    pub(super) text: String,
}

pub(super) fn line(name: &str) -> ReplySchema {
    ReplySchema::object(name, json!({"text": {"type": "string"}}))
}

/// One plan up front.
#[derive(Debug, Deserialize)]
pub(super) struct WholePlan {
    pub(super) steps: Vec<PlannedStep>,
    pub(super) answer: Option<String>,
    pub(super) reason: String,
}

/// A step of it.
#[derive(Debug, Deserialize)]
pub(super) struct PlannedStep {
    pub(super) chosen_action: i64,
    pub(super) text: Option<String>,
    pub(super) press_enter: bool,
}

pub(super) fn whole_plan() -> ReplySchema {
    let step = json!({
        "type": "object",
        "properties": {
            "chosen_action": {"type": "integer"},
            "text": {"type": ["string", "null"]},
            "press_enter": {"type": "boolean"},
        },
        "required": ["chosen_action", "text", "press_enter"],
        "additionalProperties": false,
    });
    ReplySchema::object(
        "whole_plan",
        json!({
            "steps": {"type": "array", "items": step},
            "answer": {"type": ["string", "null"]},
            "reason": {"type": "string"},
        }),
    )
}

/// Reads a reply that has satisfied its schema.
pub(super) fn read<T: DeserializeOwned>(json: Value) -> Result<T, String> {
    serde_json::from_value(json).map_err(|cause| format!("the reply cannot be read: {cause}"))
}
