//! What a campaign calls the planner of its jobs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// Names a planner: the model behind it where it asks one, and those of its options that are set. How to reach a model is the
/// planner role's configuration. The same planner with other options is another planner.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct PlannerRef {
    /// The planner, e.g. `ground`.
    pub name: String,
    /// A model that the planner role has configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its options, as `rutter planners` documents them; those that are absent are the planner role's.
    #[serde(default, skip_serializing_if = "PlannerOptions::is_empty")]
    pub options: PlannerOptions,
}

impl PlannerRef {
    /// A planner that asks no model, with its usual options.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), model: None, options: PlannerOptions::default() }
    }
}

/// Options of a planner: a record whose fields the planner's registry knows. Equal whatever the order of the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Map<String, Value>", into = "Map<String, Value>")]
#[schemars(with = "Map<String, Value>")]
pub struct PlannerOptions(Map<String, Value>);

impl PlannerOptions {
    /// Whether none is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The record.
    pub fn record(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The record as a value.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }

    /// The fields are in order, so that equal options read alike.
    fn text(&self) -> String {
        self.to_value().to_string()
    }
}

impl From<Map<String, Value>> for PlannerOptions {
    fn from(options: Map<String, Value>) -> Self {
        let mut options = Value::Object(options);
        options.sort_all_objects();
        match options {
            Value::Object(sorted) => Self(sorted),
            _ => Self::default(),
        }
    }
}

impl From<PlannerOptions> for Map<String, Value> {
    fn from(options: PlannerOptions) -> Self {
        options.0
    }
}

impl Hash for PlannerOptions {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text().hash(state);
    }
}

impl PartialOrd for PlannerOptions {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PlannerOptions {
    fn cmp(&self, other: &Self) -> Ordering {
        // Most planners have none: nothing is written out to find that.
        match (self.is_empty(), other.is_empty()) {
            (true, true) => Ordering::Equal,
            _ => self.text().cmp(&other.text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn named(options: Value) -> PlannerRef {
        serde_json::from_value(json!({"name": "hxagent", "options": options})).expect("a planner")
    }

    #[test]
    fn options_are_part_of_what_names_a_planner_whatever_their_order() {
        let (one, other) = (json!({"a": {"x": 1, "y": 2}, "b": 3}), json!({"b": 3, "a": {"y": 2, "x": 1}}));
        assert_eq!(named(one.clone()), named(other.clone()));
        assert_eq!(named(one.clone()).cmp(&named(other)), Ordering::Equal);
        assert_ne!(named(one).cmp(&named(json!({"a": 1}))), Ordering::Equal);
    }

    #[test]
    fn a_planner_without_options_is_written_as_before_there_were_any() {
        let text = serde_json::to_string(&PlannerRef::named("ground")).expect("JSON");
        assert_eq!(text, "{\"name\":\"ground\"}");
        let read: PlannerRef = serde_json::from_str(&text).expect("a planner");
        assert_eq!(read, PlannerRef::named("ground"));
    }
}
