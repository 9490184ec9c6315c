//! A reply for a schema, field by field, by what each field means.

use super::listed::{element, listed, number, option_numbers, steps_taken, steps_told};
use domain::words::{self, Detail};
use domain::{Action, Descriptor};
use planner::reply::{Meaning, Progress, Status};
use serde_json::{Map, Value, json};

/// Gold of one job.
#[derive(Clone, Debug)]
pub(super) struct Gold {
    pub(super) task: String,
    pub(super) actions: Vec<Action<Descriptor>>,
    pub(super) answer: Option<String>,
}

/// One question, and what gold knows about it.
pub(super) struct Turn<'a> {
    prompt: &'a str,
    lines: Vec<Map<String, Value>>,
    gold: &'a Gold,
    /// The steps that are left.
    left: &'a [Action<Descriptor>],
}

impl<'a> Turn<'a> {
    /// A question. How many steps were taken is told by the request, and by the memory in the prompt only where it is not.
    pub(super) fn new(prompt: &'a str, step: Option<usize>, gold: &'a Gold) -> Self {
        let taken = step.unwrap_or_else(|| steps_taken(prompt));
        let left = gold.actions.get(taken..).unwrap_or_default();
        Self { prompt, lines: listed(prompt), gold, left }
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
        let is_end = step.is_none() && fields.values().any(|field| meaning(field) == Some(Meaning::Status));
        let mut reply = Map::new();
        for (name, field) in fields {
            let value = match meaning(field) {
                Some(Meaning::Choice) if is_end => json!(0),
                _ => self.field(field, step).map_err(|cause| format!("{cause}, field `{name}`"))?,
            };
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
            Meaning::Answer => {
                let answer = self.gold.answer.clone().filter(|_| step.is_none());
                Ok(answer.map_or(Value::Null, Value::from))
            }
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
            Meaning::Candidates => {
                let next = step.filter(|_| self.is_on_the_way());
                let first = next.map(|step| self.object(&field["items"], Some(step))).transpose()?;
                Ok(Value::Array(first.into_iter().collect()))
            }
            Meaning::NextStep => match step {
                Some(action) => Ok(json!(within(&words::action(action, &Detail::BRIEF), field))),
                None => or_null(field, none_fits),
            },
            Meaning::Progress if !self.is_on_the_way() => Ok(json!(Progress::Off)),
            Meaning::Progress => Ok(json!(if step.is_some() { Progress::OnTheWay } else { Progress::Reached })),
            Meaning::Task => Ok(json!(within(&self.gold.task, field))),
            Meaning::Descriptions => {
                let described = vec![json!(within("an element", &field["items"])); count_of_elements(self.prompt)];
                Ok(Value::Array(described))
            }
            Meaning::Holds => Ok(json!(true)),
            Meaning::Slot => Ok(json!(within(&step.and_then(content).unwrap_or_default(), field))),
            Meaning::Critique | Meaning::Rule | Meaning::Expectation | Meaning::Mistake | Meaning::Gap => {
                Ok(least(field))
            }
            Meaning::Fields => {
                let others = self.left.iter().skip(if step.is_some_and(fills_in) { 1 } else { usize::MAX });
                let fields = others.take_while(|action| fills_in(action) && number(&self.lines, action).is_some());
                let fields: Result<Vec<Value>, String> =
                    fields.map(|step| self.object(&field["items"], Some(step))).collect();
                Ok(Value::Array(fields.unwrap_or_default()))
            }
            Meaning::Steps => {
                let steps: Result<Vec<Value>, String> =
                    self.left.iter().map(|step| self.object(&field["items"], Some(step))).collect();
                Ok(Value::Array(steps?))
            }
        }
    }
}

impl Turn<'_> {
    /// Whether the steps that the prompt shows are gold's of the same numbers. Where it shows none, nothing says otherwise.
    fn is_on_the_way(&self) -> bool {
        let gold = |number: usize| self.gold.actions.get(number.checked_sub(1)?);
        steps_told(self.prompt).all(|(number, told)| gold(number).is_some_and(|action| is_told(told, action)))
    }
}

/// Whether the words of a step speak of what a gold action acts on, or of what it writes.
fn is_told(told: &str, action: &Action<Descriptor>) -> bool {
    let of = action.element().map(|element| words::element(element, &Detail::BRIEF));
    told.starts_with(&words::action(action, &Detail::BRIEF)) || of.is_some_and(|of| told.contains(&of))
}

/// How many elements the prompt shows, a line of JSON each.
fn count_of_elements(prompt: &str) -> usize {
    prompt.lines().filter(|line| line.starts_with('{')).count()
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

/// Whether an action fills in a field and does nothing else.
fn fills_in(action: &Action<Descriptor>) -> bool {
    matches!(action, Action::Type { submit: false, .. } | Action::Select { .. }) && content(action).is_some()
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

    fn gold(actions: impl IntoIterator<Item = Action<Descriptor>>) -> Gold {
        Gold { task: "Say yes".into(), actions: actions.into_iter().collect(), answer: None }
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
        let gold = gold([click("Yes")]);
        let reply = Turn::new(PROMPT, None, &gold).fill(&schema).expect("a reply");
        assert_eq!(reply, json!({"thought": "scri", "index": 2, "argument": null, "mood": "calm"}));
    }

    #[test]
    fn a_plan_is_every_step_that_is_left() {
        let step = json!({"properties": {"n": {"type": "integer", "title": "choice"}}});
        let schema = json!({"properties": {"plan": {"type": "array", "title": "steps", "items": step}}});
        let gold = gold([click("Yes"), click("No")]);
        let reply = Turn::new(PROMPT, None, &gold).fill(&schema).expect("a reply");
        assert_eq!(reply, json!({"plan": [{"n": 2}, {"n": 1}]}));
    }

    #[test]
    fn a_question_that_the_step_does_not_answer_is_told_with_its_field() {
        let schema = json!({"properties": {"word": {"type": "string", "title": "content"}}});
        let gold = gold([click("Yes")]);
        let error = Turn::new(PROMPT, None, &gold).fill(&schema).expect_err("a click has no content");
        assert!(error.contains("does not answer `content`") && error.contains("field `word`"), "{error}");
    }

    #[test]
    fn how_far_an_attempt_is_comes_from_the_request_and_not_from_the_memory_that_the_prompt_shows() {
        let schema = json!({"properties": {"n": {"type": "integer", "title": "choice"}}});
        let gold = gold([click("Yes"), click("No")]);
        let at = |step| Turn::new(PROMPT, Some(step), &gold).fill(&schema).expect("a reply");
        assert_eq!((at(0), at(1)), (json!({"n": 2}), json!({"n": 1})));
    }

    #[test]
    fn a_branch_is_valued_by_the_steps_that_the_prompt_shows() {
        let field = json!({"type": "string", "enum": ["reached", "on_the_way", "off"], "title": "progress"});
        let schema = json!({"properties": {"value": field}});
        let gold = gold([click("Yes"), click("No")]);
        let value = |steps: &[&str]| {
            let told: Vec<String> =
                (1..).zip(steps).map(|(number, step)| format!("STEP #{number}: {step} -> changed")).collect();
            let prompt = format!("{}\n{PROMPT}", told.join("\n"));
            Turn::new(&prompt, Some(steps.len()), &gold).fill(&schema).expect("a reply")["value"].clone()
        };
        assert_eq!(value(&[]), "on_the_way");
        assert_eq!(value(&["click button \"Yes\""]), "on_the_way");
        assert_eq!(value(&["click button \"Yes\"", "click button \"No\""]), "reached");
        assert_eq!(value(&["click button \"No\""]), "off");
    }

    #[test]
    fn a_plan_in_words_says_what_gold_does() {
        let line = json!({"properties": {"say": {"type": "string", "title": "next step", "maxLength": 99}}});
        let schema = json!({"properties": {"plan": {"type": "array", "title": "steps", "items": line}}});
        let gold = gold([click("Yes"), click("No")]);
        let reply = Turn::new("no page", Some(0), &gold).fill(&schema).expect("a reply");
        assert_eq!(reply, json!({"plan": [{"say": "click button \"Yes\""}, {"say": "click button \"No\""}]}));
    }
}
