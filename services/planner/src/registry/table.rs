//! The options of a planner as a table, from their schema.

use super::{Entry, Need, Preset};
use serde::Serialize;
use serde_json::Value;

/// One option.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OptionRow {
    /// Its name, its parts joined by `.`.
    pub key: String,
    /// What its values are: `integer`, `true or false`, the words that are possible.
    pub values: String,
    /// What it is in each preset; one value where there are no presets.
    pub defaults: Vec<Value>,
    /// What it means.
    pub help: String,
}

pub(super) fn rows(schema: &Value, defaults: &[Value]) -> Vec<OptionRow> {
    let mut found = Vec::new();
    add_rows("", schema, schema, defaults, &mut found);
    found
}

fn add_rows(at: &str, schema: &Value, root: &Value, defaults: &[Value], found: &mut Vec<OptionRow>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let key = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
        let own = resolved(property, root);
        let defaults: Vec<Value> = defaults.iter().map(|all| all[name].clone()).collect();
        if own["properties"].is_object() {
            add_rows(&key, own, root, &defaults, found);
            continue;
        }
        let help = [property, own].into_iter().find_map(|schema| schema["description"].as_str()).unwrap_or_default();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        found.push(OptionRow { key, values: values(property, root), defaults, help });
    }
}

/// The definition that a schema refers to.
fn resolved<'a>(schema: &'a Value, root: &'a Value) -> &'a Value {
    let reference = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str());
    match reference.and_then(|reference| reference.strip_prefix('#')) {
        Some(pointer) => root.pointer(pointer).unwrap_or(schema),
        None => schema,
    }
}

/// What values a schema allows, in words.
fn values(schema: &Value, root: &Value) -> String {
    let own = resolved(schema, root);
    let several = own["oneOf"].as_array().or_else(|| own["anyOf"].as_array());
    if let Some(several) = several {
        return several
            .iter()
            .map(|one| values(one, root))
            .filter(|one| !one.is_empty())
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(word) = own["const"].as_str() {
        return format!("`{word}`");
    }
    if let Some(words) = own["enum"].as_array() {
        return words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    }
    let kinds = match &own["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect(),
        _ => Vec::new(),
    };
    match kinds.first().copied().unwrap_or_default() {
        "boolean" => "true or false".to_owned(),
        "integer" => format!("whole number{}", range(own)),
        "number" => format!("number{}", range(own)),
        "array" => match values(&own["items"], root) {
            items if items == "text" => "texts".to_owned(),
            items => format!("list of: {items}"),
        },
        "string" => "text".to_owned(),
        "object" => match own["properties"].as_object().and_then(|fields| fields.iter().next()) {
            Some((name, field)) => format!("`{{\"{name}\": {}}}`", values(field, root)),
            None => "record".to_owned(),
        },
        _ => String::new(),
    }
}

fn range(schema: &Value) -> String {
    let plain = |bound: &Value| bound.as_f64().map(|bound| format!("{bound}"));
    match (plain(&schema["minimum"]).filter(|least| least != "0"), plain(&schema["maximum"])) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" from {least}"),
        (None, Some(most)) => format!(" from 0 to {most}"),
        (None, None) => String::new(),
    }
}

/// The options of a planner as a table of a Markdown page; a sentence where it has none.
pub fn markdown(entry: &Entry) -> String {
    let rows = entry.options();
    if rows.is_empty() {
        return "It has no options.\n".to_owned();
    }
    let presets: Vec<&str> = entry.presets.iter().map(|preset: &Preset| preset.name()).collect();
    let columns = if presets.is_empty() { vec!["default"] } else { presets };
    let mut page = format!(
        "| option | values | {} | meaning |\n|---|---|{}---|\n",
        columns.join(" | "),
        "---|".repeat(columns.len())
    );
    for row in rows {
        let defaults: Vec<String> = row.defaults.iter().map(default_in_words).collect();
        let cells = [format!("`{}`", row.key), row.values, defaults.join(" | "), row.help];
        page.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    page
}

fn default_in_words(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(word) => format!("`{word}`"),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => items.iter().map(default_in_words).collect::<Vec<_>>().join(", "),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Object(_) => format!("`{value}`"),
    }
}

impl Entry {
    /// What it needs, in words: `model (reasoner), [vision]`; in brackets what it can do without.
    pub fn needs_in_words(&self) -> String {
        let needs = &self.needs;
        let mut words: Vec<String> = Vec::new();
        for (index, role) in needs.roles.iter().enumerate() {
            words.push(if index == 0 { format!("model ({role})") } else { format!("[{role}]") });
        }
        for (need, part) in [(needs.embedder, "encoder"), (needs.map, "map"), (needs.marks, "marks")] {
            match need {
                Need::No => {}
                Need::Useful => words.push(format!("[{part}]")),
                Need::Required => words.push(part.to_owned()),
            }
        }
        if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
    }
}

/// All planners as a table of a Markdown page.
pub fn planners_markdown(registry: &super::Registry) -> String {
    let mut page = "| planner | needs | what it is |\n|---|---|---|\n".to_owned();
    for entry in registry.entries() {
        page.push_str(&format!("| `{}` | {} | {} |\n", entry.name, entry.needs_in_words(), entry.help));
    }
    page
}
