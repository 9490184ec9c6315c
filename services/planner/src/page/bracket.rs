//! An element as it stands in the page's text: `[5 click button "Yes"]`. What can be done to it stands before its words, each with its
//! number: `[5 click link "Report" | 6 drag]`.

use regex::Regex;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The bracket of an element: its operations with their numbers, and what is told of it.
pub(super) fn bracket(operations: &[(String, u32)], look: &Map<String, Value>) -> String {
    let words = |key: &str| look.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut verbs = operations.iter().map(|(verb, number)| format!("{number} {verb}"));
    let mut told = vec![verbs.next().unwrap_or_default()];
    let verb = operations.first().map_or("", |(verb, _)| verb.as_str());
    let kind = if words("role").is_empty() { words("tag") } else { words("role") };
    told.extend((!is_implied(verb, kind)).then(|| plain(kind_of(kind, words("input"))).replace(['[', ']', '"'], "")));
    told.extend(look.get("text").map(Value::to_string));
    for (key, value) in look.iter().filter(|(key, _)| !OWN.contains(&key.as_str())) {
        match value {
            Value::Bool(true) => told.push(key.clone()),
            Value::Bool(false) => told.push(format!("not {key}")),
            Value::Array(several) => {
                let several: Vec<String> = several.iter().map(Value::to_string).collect();
                told.push(format!("{key}={}", several.join(",")));
            }
            other => told.push(format!("{key}={other}")),
        }
    }
    let told = told.join(" ");
    let rest: Vec<String> = verbs.collect();
    if rest.is_empty() { format!("[{told}]") } else { format!("[{told} | {}]", rest.join(" | ")) }
}

/// What is told of an element at a place of its own.
const OWN: [&str; 3] = ["tag", "role", "text"];

/// Whether an operation says what kind of element it is done to.
fn is_implied(verb: &str, kind: &str) -> bool {
    match verb {
        "type" => matches!(kind, "input" | "textarea" | "textbox" | "searchbox"),
        "select" => matches!(kind, "select" | "combobox" | "listbox"),
        "check" | "uncheck" => matches!(kind, "input" | "checkbox"),
        _ => matches!(kind, "div" | "span" | "td" | "p" | "generic" | "svg"),
    }
}

/// The word for a tag that people know by another one.
pub fn kind_of<'a>(kind: &'a str, input: &str) -> &'a str {
    match (kind, input) {
        ("a", _) => "link",
        ("li", _) => "item",
        ("input", "button" | "submit" | "reset" | "image") => "button",
        ("input", _) => "field",
        (other, _) => other,
    }
}

/// What looks like the beginning of an element's bracket.
static FORGED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\[(\d+ )").expect("a literal is one"));

/// Text of a page, which may not pass for the bracket of an element.
pub(super) fn plain(text: &str) -> String {
    FORGED.replace_all(text, "($1").into_owned()
}
