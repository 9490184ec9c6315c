//! From the text that a model wrote to a value that satisfies the schema, or a sentence about what is wrong with it.

use super::Meaning;
use super::schema::meaning;
use domain::text::shorten;
use serde_json::Value;

/// Reads a reply. A fenced block is tolerated, since compatible servers without strict mode often write one; so is talk that
/// is longer than its bound, which is cut.
///
/// # Errors
/// A sentence about what is wrong, for the model and for people.
pub fn read(text: &str, schema: &Value) -> Result<Value, String> {
    let bare = unfence(text);
    let mut json: Value = serde_json::from_str(bare).map_err(|cause| {
        if bare.is_empty() {
            "the reply is empty".to_owned()
        } else {
            format!("the reply is no complete JSON: {cause}")
        }
    })?;
    cut_talk(&mut json, schema);
    add_no_fields(&mut json, schema);
    let validator =
        jsonschema::validator_for(schema).map_err(|cause| format!("the schema itself is invalid: {cause}"))?;
    let mistakes: Vec<String> = validator
        .iter_errors(&json)
        .take(3)
        .map(|error| match error.instance_path().to_string() {
            path if path.is_empty() => error.to_string(),
            path => format!("{path}: {}", shorten(&error.to_string(), 300)),
        })
        .collect();
    if mistakes.is_empty() { Ok(json) } else { Err(format!("the reply breaks its schema: {}", mistakes.join("; "))) }
}

/// Who leaves out the list of further fields means none.
fn add_no_fields(json: &mut Value, schema: &Value) {
    let (Some(reply), Some(properties)) = (json.as_object_mut(), schema["properties"].as_object()) else { return };
    for (name, _) in properties.iter().filter(|(_, property)| meaning(property) == Some(Meaning::Fields)) {
        reply.entry(name.as_str()).or_insert_with(|| Value::Array(Vec::new()));
    }
}

/// Nothing is done with talk: a question is not asked again because of its length.
fn cut_talk(json: &mut Value, schema: &Value) {
    match json {
        Value::Object(fields) => {
            for (name, field) in fields {
                cut_talk(field, &schema["properties"][name]);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| cut_talk(item, &schema["items"])),
        Value::String(talk) if meaning(schema).is_some_and(|meaning| meaning.is_talk()) => {
            let bound = schema["maxLength"].as_u64().and_then(|bound| usize::try_from(bound).ok());
            if let Some(bound) = bound.filter(|bound| talk.chars().count() > *bound) {
                *talk = shorten(talk, bound.saturating_sub(1));
            }
        }
        _ => {}
    }
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
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "n": {"type": "integer"},
                "why": {"type": "string", "title": "reason", "maxLength": 4},
                "text": {"type": ["string", "null"], "title": "content", "maxLength": 4},
            },
            "required": ["n", "why"],
            "additionalProperties": false,
        })
    }

    #[test]
    fn a_valid_reply_is_read_with_or_without_a_fence() {
        let expected = json!({"n": 1, "why": "w"});
        assert_eq!(read(r#"{"n": 1, "why": "w"}"#, &schema()), Ok(expected.clone()));
        assert_eq!(read("```json\n{\"n\": 1, \"why\": \"w\"}\n```", &schema()), Ok(expected));
    }

    #[test]
    fn further_fields_may_be_left_out() {
        let mut schema = schema();
        schema["properties"]["more"] = json!({"type": "array", "title": "fields", "items": {"type": "object"}});
        schema["required"] = json!(["n", "why", "more"]);
        assert_eq!(read(r#"{"n": 1, "why": "w"}"#, &schema), Ok(json!({"n": 1, "why": "w", "more": []})));
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        assert!(read("", &schema()).expect_err("empty").contains("empty"));
        assert!(read(r#"{"n": 1, "wh"#, &schema()).expect_err("cut off").contains("no complete JSON"));
        assert!(read(r#"{"n": "one", "why": ""}"#, &schema()).expect_err("type").contains("/n"));
        assert!(read(r#"{"n": 1}"#, &schema()).expect_err("missing").contains("why"));
        assert!(read(r#"{"n": 1, "why": "", "code": "x"}"#, &schema()).expect_err("extra").contains("code"));
    }

    #[test]
    fn talk_over_its_bound_is_cut_and_content_over_its_bound_is_a_mistake() {
        assert_eq!(read(r#"{"n": 1, "why": "12345"}"#, &schema()), Ok(json!({"n": 1, "why": "123…"})));
        assert!(read(r#"{"n": 1, "why": "", "text": "12345"}"#, &schema()).expect_err("too long").contains("/text"));
    }
}
