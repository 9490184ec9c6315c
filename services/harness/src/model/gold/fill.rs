//! A reply for a schema, field by field, by what each field means.

use super::listed::{element, listed, number, option_numbers, steps_taken};
use domain::{Action, Descriptor};
use planner::reply::{Meaning, Status};
use serde_json::{Map, Value, json};

/// One question, and what gold knows about it.
pub(super) struct Turn<'a> {
    prompt: &'a str,
    lines: Vec<Map<String, Value>>,
    /// The steps that are left.
    left: &'a [Action<Descriptor>],
    answer: Option<&'a str>,
}

impl<'a> Turn<'a> {
    pub(super) fn new(prompt: &'a str, actions: &'a [Action<Descriptor>], answer: Option<&'a str>) -> Self {
        let left = actions.get(steps_taken(prompt)..).unwrap_or_default();
        Self { prompt, lines: listed(prompt), left, answer }
    }

    /// A reply of the schema about the next gold step.
    ///
    /// # Errors
    /// What is asked does not fit the step, or the step is not among what is listed.
    pub(super) fn fill(&self, schema: &Value) -> Result<Value, String> {
        self.object(schema, self.left.first())
    }

    fn object(&self, schema: &Value, step: Option<&Action<Descriptor>>) -> Result<Value, String> {
        let fields = schema["properties"].as_object().ok_or("the schema is no object")?;
        let mut reply = Map::new();
        for (name, field) in fields {
            let value = self.field(field, step).map_err(|cause| format!("{cause}, field `{name}`"))?;
            reply.insert(name.clone(), value);
        }
        Ok(Value::Object(reply))
    }

    fn field(&self, field: &Value, step: Option<&Action<Descriptor>>) -> Result<Value, String> {
        let Some(meaning) = meaning(field) else { return Ok(least(field)) };
        let none_fits = || format!("gold step {step:?} does not answer `{}`", meaning.title());
        match meaning {
            Meaning::Status => Ok(json!(if step.is_some() { Status::Act } else { Status::Done })),
            Meaning::Choice => match step {
                Some(action) => number(&self.lines, action)
                    .map(Value::from)
                    .ok_or_else(|| format!("gold step {action:?} is not among the listed actions")),
                None => or_null(field, none_fits),
            },
            Meaning::Description => Ok(json!(within("gold step", field))),
            Meaning::Reason if step.is_none() => Ok(json!(within("scripted: gold ends here", field))),
            Meaning::Reason => Ok(json!(within("scripted", field))),
            Meaning::Summary => Ok(json!(within("A page, summed up by a script.", field))),
            Meaning::Answer => Ok(self.answer.filter(|_| step.is_none()).map_or(Value::Null, Value::from)),
            Meaning::Content => match step.and_then(content) {
                Some(text) => Ok(json!(text)),
                None => or_null(field, none_fits),
            },
            Meaning::Submit => Ok(json!(matches!(step, Some(Action::Type { submit: true, .. })))),
            Meaning::Options => match step {
                Some(Action::Select { options, .. }) => Ok(json!(option_numbers(self.prompt, options))),
                _ => or_null(field, none_fits),
            },
            Meaning::Target => match step {
                Some(Action::Drag { onto, .. }) => element(&self.lines, onto, &[])
                    .map(Value::from)
                    .ok_or_else(|| "the target of the drag is not listed".to_owned()),
                _ => or_null(field, none_fits),
            },
            Meaning::Steps => {
                let steps: Result<Vec<Value>, String> =
                    self.left.iter().map(|step| self.object(&field["items"], Some(step))).collect();
                Ok(Value::Array(steps?))
            }
        }
    }
}

/// The content of an action that takes some.
fn content(action: &Action<Descriptor>) -> Option<String> {
    match action {
        Action::Type { text, .. } => Some(text.clone()),
        Action::Select { options, .. } => options.first().filter(|_| options.len() == 1).cloned(),
        Action::Press { keys } => Some(keys.clone()),
        Action::Goto { url } => Some(url.clone()),
        Action::AcceptDialog { text } => text.clone(),
        _ => None,
    }
}

/// What a field of a schema means.
pub(super) fn meaning(field: &Value) -> Option<Meaning> {
    Meaning::of_title(field["title"].as_str()?)
}

fn is_of(field: &Value, kind: &str) -> bool {
    field["type"] == kind || field["type"].as_array().is_some_and(|kinds| kinds.iter().any(|own| own == kind))
}

fn or_null(field: &Value, cause: impl Fn() -> String) -> Result<Value, String> {
    if is_of(field, "null") { Ok(Value::Null) } else { Err(cause()) }
}

/// A text within the bound of its field.
pub(super) fn within(text: &str, field: &Value) -> String {
    let most = field["maxLength"].as_u64().and_then(|most| usize::try_from(most).ok());
    text.chars().take(most.unwrap_or(usize::MAX)).collect()
}

/// The least that a field allows.
pub(super) fn least(field: &Value) -> Value {
    if is_of(field, "null") {
        return Value::Null;
    }
    if let Some(first) = field["enum"].get(0) {
        return first.clone();
    }
    let fields =
        |fields: &Map<String, Value>| fields.iter().map(|(name, field)| (name.clone(), least(field))).collect();
    match field["type"].as_str().unwrap_or_default() {
        "object" => field["properties"].as_object().map_or(json!({}), fields),
        "array" => json!([]),
        "boolean" => json!(false),
        "integer" | "number" => field.get("minimum").cloned().unwrap_or(json!(0)),
        _ => json!(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn click(name: &str) -> Action<Descriptor> {
        let locators = vec![domain::Locator::Role { role: "button".into(), name: name.into() }];
        Action::click(Descriptor {
            locators,
            matches: Vec::new(),
            role: "button".into(),
            name: name.into(),
            tag: "button".into(),
            context: String::new(),
            bounds: domain::Rect::default(),
            frames: Vec::new(),
            address: None,
            place: String::new(),
        })
    }

    const PROMPT: &str =
        "ACTIONS\n{\"click\":1,\"tag\":\"button\",\"text\":\"No\"}\n{\"click\":2,\"tag\":\"button\",\"text\":\"Yes\"}";

    #[test]
    fn a_planner_with_names_of_its_own_is_understood_by_what_its_fields_mean() {
        let schema = json!({"type": "object", "properties": {
            "thought": {"type": "string", "title": "reason", "maxLength": 4},
            "index": {"type": "integer", "title": "choice"},
            "argument": {"type": ["string", "null"], "title": "content"},
            "mood": {"type": "string", "enum": ["calm", "hurried"]},
        }});
        let gold = [click("Yes")];
        let reply = Turn::new(PROMPT, &gold, None).fill(&schema).expect("a reply");
        assert_eq!(reply, json!({"thought": "scri", "index": 2, "argument": null, "mood": "calm"}));
    }

    #[test]
    fn a_plan_is_every_step_that_is_left() {
        let step = json!({"properties": {"n": {"type": "integer", "title": "choice"}}});
        let schema = json!({"properties": {"plan": {"type": "array", "title": "steps", "items": step}}});
        let gold = [click("Yes"), click("No")];
        let reply = Turn::new(PROMPT, &gold, None).fill(&schema).expect("a reply");
        assert_eq!(reply, json!({"plan": [{"n": 2}, {"n": 1}]}));
    }

    #[test]
    fn a_question_that_the_step_does_not_answer_is_told_with_its_field() {
        let schema = json!({"properties": {"word": {"type": "string", "title": "content"}}});
        let gold = [click("Yes")];
        let error = Turn::new(PROMPT, &gold, None).fill(&schema).expect_err("a click has no content");
        assert!(error.contains("does not answer `content`") && error.contains("field `word`"), "{error}");
    }
}
