//! The fields that a request sends, whatever form they come in.

use serde_json::Value;
use url::form_urlencoded;

/// How deep JSON is read, and how many fields at most.
const DEPTH: usize = 4;
const FIELDS: usize = 500;
/// Longest value that is looked at, in bytes.
const LONGEST: usize = 2_000;

/// The fields of a body, by what its head says it is: a form, a form in parts, or JSON.
pub fn fields_of(content_type: &str, body: &[u8]) -> Vec<(String, String)> {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if kind == "multipart/form-data" {
        return parts(content_type, body);
    }
    let text = String::from_utf8_lossy(body);
    if let Some(fields) = Some(text.trim_start()).filter(|text| text.starts_with(['{', '['])).and_then(json) {
        return fields;
    }
    if kind == "application/x-www-form-urlencoded" || (kind.is_empty() || kind == "text/plain") && text.contains('=') {
        let pairs = form_urlencoded::parse(body).take(FIELDS);
        return pairs.map(|(name, value)| (name.into_owned(), cut(&value))).collect();
    }
    Vec::new()
}

fn cut(text: &str) -> String {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

fn json(text: &str) -> Option<Vec<(String, String)>> {
    serde_json::from_str(text).ok().map(|value| fields_of_json(&value))
}

/// The fields of JSON, by the names that stand next to their values.
pub(super) fn fields_of_json(value: &Value) -> Vec<(String, String)> {
    let mut fields = Vec::new();
    flatten("", value, DEPTH, &mut fields);
    fields
}

fn flatten(name: &str, value: &Value, depth: usize, fields: &mut Vec<(String, String)>) {
    if fields.len() >= FIELDS {
        return;
    }
    match value {
        Value::Object(members) if depth > 0 => {
            members.iter().for_each(|(name, value)| flatten(name, value, depth - 1, fields));
        }
        Value::Array(values) if depth > 0 => {
            values.iter().for_each(|value| flatten(name, value, depth - 1, fields));
        }
        Value::String(text) => fields.push((name.to_owned(), cut(text))),
        Value::Null => fields.push((name.to_owned(), String::new())),
        Value::Bool(_) | Value::Number(_) => fields.push((name.to_owned(), value.to_string())),
        Value::Object(_) | Value::Array(_) => {}
    }
}

/// The fields of a form in parts (RFC 7578); what files hold is not looked at.
fn parts(content_type: &str, body: &[u8]) -> Vec<(String, String)> {
    let boundary = content_type.split(';').filter_map(|part| part.trim().split_once('=')).find_map(|(name, value)| {
        name.eq_ignore_ascii_case("boundary").then(|| format!("--{}", value.trim().trim_matches('"')))
    });
    let Some(boundary) = boundary else { return Vec::new() };
    let text = String::from_utf8_lossy(body);
    let parts = text.split(boundary.as_str()).skip(1).take(FIELDS);
    let field = |part: &str| {
        let (head, value) = part.split_once("\r\n\r\n")?;
        let named = |what: &str| {
            let at = head.find(&format!("{what}=\""))? + what.len() + 2;
            head[at..].split('"').next()
        };
        let is_file = named(" filename").is_some();
        let value = if is_file { "" } else { value.trim_end_matches("\r\n") };
        Some((named(" name")?.to_owned(), cut(value)))
    };
    parts.filter_map(field).collect()
}
