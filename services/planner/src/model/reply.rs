//! From the text that a model wrote to a value that satisfies the schema, or a sentence about what is wrong with it.

use super::{Message, ModelRequest, Part};
use serde_json::Value;

/// Reads a reply. A fenced block is tolerated, since compatible servers without strict mode often write one.
pub(super) fn read(text: &str, schema: &Value) -> Result<Value, String> {
    let bare = unfence(text);
    let json: Value = serde_json::from_str(bare).map_err(|cause| {
        if bare.is_empty() {
            "the reply is empty".to_owned()
        } else {
            format!("the reply is no complete JSON: {cause}")
        }
    })?;
    let validator =
        jsonschema::validator_for(schema).map_err(|cause| format!("the schema itself is invalid: {cause}"))?;
    let mistakes: Vec<String> = validator
        .iter_errors(&json)
        .take(3)
        .map(|error| match error.instance_path().to_string() {
            path if path.is_empty() => error.to_string(),
            path => format!("{path}: {error}"),
        })
        .collect();
    if mistakes.is_empty() { Ok(json) } else { Err(format!("the reply breaks its schema: {}", mistakes.join("; "))) }
}

/// The same request once more, with the invalid reply and what is wrong with it.
pub(super) fn repair(request: &ModelRequest, invalid: &str, mistake: &str) -> ModelRequest {
    let mut again = request.clone();
    let shown: String = invalid.chars().take(2_000).collect();
    again.messages.push(Message::assistant(if shown.is_empty() { "(empty)".to_owned() } else { shown }));
    let demand =
        format!("That reply cannot be used: {mistake}. Reply again with one JSON object of the schema, nothing else.");
    again.messages.push(Message::user(vec![Part::Text(demand)]));
    again
}

fn unfence(text: &str) -> &str {
    let text = text.trim();
    let Some(inner) = text.strip_prefix("```") else { return text };
    let inner = inner.strip_prefix("json").unwrap_or(inner);
    inner.strip_suffix("```").unwrap_or(inner).trim()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ReplySchema;
    use serde_json::json;

    fn schema() -> Value {
        ReplySchema::object("x", json!({"n": {"type": "integer"}, "why": {"type": "string"}})).schema
    }

    #[test]
    fn a_valid_reply_is_read_with_or_without_a_fence() {
        let expected = json!({"n": 1, "why": "w"});
        assert_eq!(read(r#"{"n": 1, "why": "w"}"#, &schema()), Ok(expected.clone()));
        assert_eq!(read("```json\n{\"n\": 1, \"why\": \"w\"}\n```", &schema()), Ok(expected));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        assert!(read("", &schema()).expect_err("empty").contains("empty"));
        assert!(read(r#"{"n": 1, "wh"#, &schema()).expect_err("cut off").contains("no complete JSON"));
        assert!(read(r#"{"n": "one", "why": ""}"#, &schema()).expect_err("type").contains("/n"));
        assert!(read(r#"{"n": 1}"#, &schema()).expect_err("missing").contains("why"));
        assert!(read(r#"{"n": 1, "why": "", "code": "x"}"#, &schema()).expect_err("extra").contains("code"));
    }
}
