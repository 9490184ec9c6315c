//! The JSON Schema of a reply, derived from its Rust type.

use super::{Meaning, Reply};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The order in which a model writes the fields of its replies. Models write from left to right: what stands first is what
/// the rest follows from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As the reply's type declares them: the choice before its reason, as published.
    #[default]
    ChoiceFirst,
    /// The reason first, the choice last.
    ReasonFirst,
}

/// The JSON Schema of a reply.
///
/// All properties of every object are required and none other allowed, which is what the strict modes of the providers
/// ask for; the `title` is the name, so that every dialect carries it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplySchema {
    /// Letters, digits and underscores.
    pub name: String,
    /// The schema.
    pub schema: Value,
}

impl ReplySchema {
    /// The schema of a type.
    pub fn of<T: Reply>() -> Self {
        let mut settings = SchemaSettings::draft2020_12();
        settings.inline_subschemas = true;
        settings.meta_schema = None;
        let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
        make_strict(&mut schema);
        if let Some(map) = schema.as_object_mut() {
            let rest = std::mem::replace(map, Map::from_iter([("title".to_owned(), json!(T::NAME))]));
            map.extend(rest.into_iter().filter(|(key, _)| key != "title"));
        }
        let schema = Self { name: T::NAME.to_owned(), schema };
        debug_assert_eq!(schema.unbounded(), Vec::<String>::new(), "{}", schema.name);
        schema
    }

    /// The same fields in another order.
    #[must_use]
    pub fn ordered(mut self, order: Order) -> Self {
        if order == Order::ReasonFirst {
            put_reason_first(&mut self.schema);
        }
        self
    }

    /// The places of texts and lists without a bound.
    pub fn unbounded(&self) -> Vec<String> {
        let mut found = Vec::new();
        find_unbounded(&self.schema, &self.name, &mut found);
        found
    }

    /// The places of fields without a meaning.
    pub fn meaningless(&self) -> Vec<String> {
        let mut found = Vec::new();
        find_meaningless(&self.schema, &self.name, &mut found);
        found
    }
}

/// What a model does not need to write a reply.
const FOR_PEOPLE: [&str; 5] = ["$schema", "description", "format", "default", "minimum"];

/// Requires every property and allows no other; leaves out what only people read, which would cost tokens.
fn make_strict(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.retain(|word, _| !FOR_PEOPLE.contains(&word.as_str()));
            join_variants(map);
            for (key, inner) in map.iter_mut() {
                if key == "properties" {
                    inner.as_object_mut().into_iter().flatten().for_each(|(_, property)| make_strict(property));
                } else {
                    make_strict(inner);
                }
            }
            if let Some(Value::Object(properties)) = map.get("properties") {
                let names: Vec<String> = properties.keys().cloned().collect();
                map.insert("required".to_owned(), json!(names));
                map.insert("additionalProperties".to_owned(), json!(false));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(make_strict),
        _ => {}
    }
}

/// Variants that are documented one by one become one list of names.
fn join_variants(map: &mut Map<String, Value>) {
    let Some(Value::Array(variants)) = map.get("oneOf") else { return };
    let names: Option<Vec<Value>> = variants.iter().map(|variant| variant.get("const").cloned()).collect();
    if let Some(names) = names {
        map.retain(|word, _| word != "oneOf");
        map.insert("type".to_owned(), json!("string"));
        map.insert("enum".to_owned(), Value::Array(names));
    }
}

fn put_reason_first(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(put_reason_first);
        let mut fields: Vec<(String, Value)> = std::mem::take(properties).into_iter().collect();
        fields.sort_by_key(|(_, field)| meaning(field).map_or(2, Meaning::place_by_reason));
        let names: Vec<String> = fields.iter().map(|(name, _)| name.clone()).collect();
        properties.extend(fields);
        map.insert("required".to_owned(), json!(names));
    }
    if let Some(items) = map.get_mut("items") {
        put_reason_first(items);
    }
}

/// What a field means.
pub(super) fn meaning(field: &Value) -> Option<Meaning> {
    Meaning::of_title(field.get("title")?.as_str()?)
}

fn is_of(schema: &Map<String, Value>, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(own)) => own == kind,
        Some(Value::Array(several)) => several.iter().any(|own| own == kind),
        _ => false,
    }
}

fn find_unbounded(schema: &Value, at: &str, found: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            let text = is_of(map, "string") && !map.contains_key("enum") && !map.contains_key("maxLength");
            let list = is_of(map, "array") && !map.contains_key("maxItems");
            if text || list {
                found.push(at.to_owned());
            }
            map.iter().for_each(|(key, inner)| find_unbounded(inner, &format!("{at}.{key}"), found));
        }
        Value::Array(several) => several.iter().for_each(|inner| find_unbounded(inner, at, found)),
        _ => {}
    }
}

fn find_meaningless(schema: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(Value::Object(properties)) = schema.get("properties") {
        for (name, field) in properties {
            let at = format!("{at}.{name}");
            if meaning(field).is_none() {
                found.push(at.clone());
            }
            find_meaningless(field, &at, found);
        }
    }
    if let Some(items) = schema.get("items") {
        find_meaningless(items, at, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Sample {
        /// Documented for people only.
        #[schemars(title = Meaning::Choice.title())]
        number: Option<i64>,
        #[schemars(title = Meaning::Status.title())]
        status: crate::reply::Status,
        #[schemars(title = Meaning::Reason.title(), length(max = 9))]
        why: Option<String>,
        #[schemars(title = Meaning::Steps.title(), length(max = 3))]
        steps: Vec<Inner>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Inner {
        #[schemars(title = Meaning::Submit.title())]
        enter: bool,
    }

    impl Reply for Sample {
        const NAME: &'static str = "sample";
    }

    #[test]
    fn a_schema_is_closed_bounded_and_in_the_order_of_its_type() {
        let schema = ReplySchema::of::<Sample>();
        let inner = json!({
            "type": "object", "properties": {"enter": {"type": "boolean", "title": "submit"}}, "required": ["enter"],
            "additionalProperties": false,
        });
        let expected = json!({
            "title": "sample",
            "type": "object",
            "properties": {
                "number": {"type": ["integer", "null"], "title": "choice"},
                "status": {"type": "string", "enum": ["act", "done", "infeasible"], "title": "status"},
                "why": {"type": ["string", "null"], "title": "reason", "maxLength": 9},
                "steps": {"type": "array", "items": inner, "title": "steps", "maxItems": 3},
            },
            "required": ["number", "status", "why", "steps"],
            "additionalProperties": false,
        });
        assert_eq!(schema.schema, expected, "{:#}", schema.schema);
        let order = |schema: &ReplySchema| -> Vec<String> {
            schema.schema["properties"].as_object().expect("an object").keys().cloned().collect()
        };
        assert_eq!(order(&schema), ["number", "status", "why", "steps"]);
        assert_eq!(order(&schema.ordered(Order::ReasonFirst)), ["why", "status", "number", "steps"]);
    }

    #[test]
    fn what_has_no_bound_or_no_meaning_is_found() {
        let schema = json!({"properties": {
            "a": {"type": ["string", "null"]},
            "b": {"type": "array", "maxItems": 2, "items": {"type": "string"}, "title": "options"},
            "c": {"type": "string", "enum": ["x"]},
        }});
        let schema = ReplySchema { name: "s".into(), schema };
        assert_eq!(schema.unbounded(), ["s.properties.a", "s.properties.b.items"]);
        assert_eq!(schema.meaningless(), ["s.a", "s.c"]);
    }
}
