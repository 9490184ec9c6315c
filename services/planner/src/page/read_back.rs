//! What can be done on a page, read back from a prompt, for models that answer by script.

use regex::Regex;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// An element in brackets; what is quoted in it may hold any sign.
static BRACKET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"\[(\d+ (?:[^\[\]"]|"(?:[^"\\]|\\.)*")*)\]"#).expect("a literal is one"));
/// A word, a quoted text, or a name with its quoted values.
static WORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:[a-z_-]+=)?"(?:[^"\\]|\\.)*"(?:,"(?:[^"\\]|\\.)*")*|[^\s"]+"#).expect("a literal is one")
});

/// What is done to elements, the longest names first.
const VERBS: [&str; 9] =
    ["scroll down in", "scroll up in", "uncheck", "select", "check", "click", "hover", "type", "drag"];

/// Every element that a prompt shows, and what can be done besides: one object each, as in a list of actions. What stands in brackets has its
/// kind as `kind` instead of a tag.
pub fn read_back(prompt: &str) -> Vec<Map<String, Value>> {
    let bracketed = BRACKET.captures_iter(prompt).filter_map(|found| read(&found[1]));
    let mut base = String::new();
    let mut lines = Vec::new();
    let is_line = |line: &&str| !line.is_empty();
    // The list stands last in what is the page's.
    let own_lines = format!("\n{prompt}");
    let listed = own_lines.rsplit_once("\nACTIONS\n").map_or("", |(_, list)| list);
    let listed = listed.lines().take_while(is_line);
    for mut line in listed.map_while(|line| serde_json::from_str::<Map<String, Value>>(line).ok()).chain(bracketed) {
        if let Some(Value::String(start)) = line.get("base") {
            base.clone_from(start);
        }
        if let Some(Value::String(path)) = line.get_mut("xpath")
            && let Some(rest) = path.strip_prefix('.')
        {
            *path = format!("{base}{rest}");
        }
        lines.push(line);
    }
    lines
}

fn read(inner: &str) -> Option<Map<String, Value>> {
    let mut line = Map::new();
    let mut rest = inner;
    let (number, after) = rest.split_once(' ')?;
    let verb = VERBS
        .iter()
        .find(|verb| after.strip_prefix(**verb).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))?;
    line.insert((*verb).to_owned(), json!(number.parse::<u64>().ok()?));
    rest = &after[verb.len()..];
    let mut is_denied = false;
    let mut words = WORD.find_iter(rest).map(|word| word.as_str()).peekable();
    while let Some(word) = words.next() {
        if word == "|" {
            // A further operation: its number and its name.
            let number = words.next()?.parse::<u64>().ok()?;
            let mut verb = String::new();
            while let Some(part) = words.next_if(|word| *word != "|") {
                verb = if verb.is_empty() { part.to_owned() } else { format!("{verb} {part}") };
            }
            line.insert(verb, json!(number));
        } else if word.starts_with('"') {
            line.insert("text".into(), serde_json::from_str(word).ok()?);
        } else if let Some((key, value)) = word.split_once('=') {
            let value = serde_json::from_str(value).or_else(|_| serde_json::from_str(&format!("[{value}]"))).ok()?;
            line.insert(key.to_owned(), value);
        } else if word == "not" {
            is_denied = true;
        } else if STATES.contains(&word) {
            line.insert(word.to_owned(), json!(!std::mem::take(&mut is_denied)));
        } else {
            line.insert("kind".into(), json!(word));
        }
    }
    Some(line)
}

/// What is told of an element by one word.
const STATES: [&str; 7] = ["checked", "selected", "expanded", "pressed", "current", "readonly", "focused"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::bracket::bracket;

    #[test]
    fn what_stands_in_brackets_is_read_back_as_it_was_told() {
        let told = json!({"tag": "a", "text": "Say \"yes\" [now]", "in": "Blue mug", "options": ["A", "B"], "expanded": false,
            "focused": true, "xpath": "./a[60]"});
        let look = told.as_object().expect("an object");
        let written = bracket(&[("click".into(), 5), ("scroll down in".into(), 6)], look);
        let page = format!(
            "ACTIONS\n{{\"base\":\"/html/body\"}}\n{{\"wait\":9}}\n\nI took {written} of [8 type \"Name\" value=\"x\"] [3]"
        );
        let lines = read_back(&page);
        assert_eq!(lines[1]["wait"], 9);
        let expected = json!({"click": 5, "scroll down in": 6, "kind": "link", "text": "Say \"yes\" [now]", "in": "Blue mug",
            "options": ["A", "B"], "expanded": false, "focused": true, "xpath": "/html/body/a[60]"});
        assert_eq!(Value::Object(lines[2].clone()), expected);
        assert_eq!(Value::Object(lines[3].clone()), json!({"type": 8, "text": "Name", "value": "x"}));
        assert_eq!(lines.len(), 4, "a number alone is none");
    }
}
