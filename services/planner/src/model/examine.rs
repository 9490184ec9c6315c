//! What a model can do for planners, found out by asking it: whether it answers, keeps to a schema, chooses from a list, and sees
//! pictures. Two short questions.

use super::{LanguageModel, Message, ModelError, ModelRequest, ModelRole, Part};
use crate::ask::{Answer, exchange};
use crate::reply::{NextAction, ReplySchema};
use domain::Usage;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

const SYSTEM: &str = "You operate a web page to do a task, one action at a time. You act only by choosing the number of a listed \
                      action. Reply with one JSON object of the given schema.";
const PAGE: &str = "TASK: Save the form\n\nACTIONS\n1 click button \"Cancel\"\n2 click button \"Save\"\n3 click link \"Help\"\n\n\
                    Reply with the next action: status \"act\" and its number.";
/// The number of the action that the task above asks for.
const RIGHT: i64 = 2;
/// Red on the left, blue on the right.
const PICTURE: &[u8] = include_bytes!("examine/two_colours.png");
const LOOK: &str = "TASK: Choose the line that says what the picture shows\n\nACTIONS\n1 click button \"Left half green, right half blue\"\n\
                    2 click button \"Left half blue, right half red\"\n3 click button \"Left half red, right half blue\"\n\
                    4 click button \"Left half yellow, right half green\"\n\nReply with the next action: status \"act\" and its number.";
/// The number of the line that is true of the picture.
const SHOWN: i64 = 3;

/// What came of the questions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Findings {
    /// Whether a reply came that satisfies its schema.
    pub answers: bool,
    /// Whether the first reply satisfied its schema, so that none had to be asked for again.
    pub keeps_to_schema: bool,
    /// Whether the action was chosen that the task asked for.
    pub chooses_right: bool,
    /// Whether the picture was seen; none where the question about it was refused or not answered.
    pub sees_pictures: Option<bool>,
    /// Seconds until the first reply.
    pub seconds: f64,
    /// What the questions cost.
    pub usage: Usage,
    /// Whether the endpoint counts tokens.
    pub counts_tokens: bool,
    /// Troubles, and why there is no answer.
    pub troubles: Vec<String>,
}

/// Asks the model of a role. `now` tells a time that only grows.
pub async fn examine(model: &dyn LanguageModel, role: ModelRole, now: &(dyn Fn() -> Duration + Sync)) -> Findings {
    let started = now();
    let first = exchange(model, request(role, vec![Part::Text(PAGE.to_owned())])).await;
    let mut findings = Findings {
        answers: first.is_ok(),
        keeps_to_schema: false,
        chooses_right: false,
        sees_pictures: None,
        seconds: now().saturating_sub(started).as_secs_f64(),
        usage: Usage::default(),
        counts_tokens: false,
        troubles: Vec::new(),
    };
    let Some(json) = findings.take(first) else { return findings };
    findings.keeps_to_schema = !findings.troubles.iter().any(|trouble| trouble.contains("asked for a repair"));
    findings.chooses_right = chosen(json) == Some(RIGHT);
    let look = vec![Part::Text(LOOK.to_owned()), Part::Png(Arc::from(PICTURE))];
    let seen = exchange(model, request(role, look)).await;
    findings.sees_pictures = findings.take(seen).map(|json| chosen(json) == Some(SHOWN));
    findings.counts_tokens = findings.usage.prompt_tokens > 0 && findings.usage.completion_tokens > 0;
    findings
}

impl Findings {
    fn take(&mut self, answer: Result<Answer, ModelError>) -> Option<serde_json::Value> {
        match answer {
            Ok(answer) => {
                self.usage += answer.usage;
                self.troubles.extend(answer.incidents);
                Some(answer.json)
            }
            Err(ModelError::Unavailable { cause, usage } | ModelError::Throttled { cause, usage }) => {
                self.usage += usage;
                self.troubles.push(cause);
                None
            }
            Err(ModelError::Unusable { cause, usage, incidents }) => {
                self.usage += usage;
                self.troubles.extend(incidents);
                self.troubles.push(cause);
                None
            }
        }
    }
}

fn chosen(json: serde_json::Value) -> Option<i64> {
    serde_json::from_value::<NextAction>(json).ok()?.chosen_action
}

fn request(role: ModelRole, parts: Vec<Part>) -> ModelRequest {
    ModelRequest {
        role,
        job: None,
        step: None,
        system: SYSTEM.to_owned(),
        messages: vec![Message::user(parts)],
        schema: ReplySchema::of::<NextAction>(),
        temperature: 0.0,
        seed: 0,
        // Far more than the bounds of the reply's fields, so that a model that rambles ends.
        max_tokens: Some(800),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_model::Written;
    use serde_json::{Value, json};

    fn act(number: i64) -> Value {
        json!({"status": "act", "chosen_action": number, "action_description": "save", "reason": "asked", "answer": null})
    }

    #[tokio::test]
    async fn a_model_that_can_all_of_it_is_said_so() {
        let model = Written::new([act(2), act(3)]);
        let findings = examine(model.as_ref(), ModelRole::Reasoner, &|| Duration::ZERO).await;
        assert!(findings.answers && findings.keeps_to_schema && findings.chooses_right && findings.counts_tokens);
        assert_eq!((findings.sees_pictures, findings.usage.calls), (Some(true), 2));
    }

    #[tokio::test]
    async fn what_it_cannot_is_told_apart() {
        let model = Written::new([json!({"status": "act"}), act(3), act(2)]);
        let findings = examine(model.as_ref(), ModelRole::Reasoner, &|| Duration::ZERO).await;
        assert!(findings.answers && !findings.keeps_to_schema && !findings.chooses_right);
        assert_eq!(findings.sees_pictures, Some(false));
        let away = ModelError::Unavailable { cause: "connection refused".into(), usage: Usage::default() };
        let model = Written::default();
        model.replies.lock().expect("no panic").push_back(Err(away));
        let findings = examine(&model, ModelRole::Reasoner, &|| Duration::ZERO).await;
        assert!(!findings.answers && findings.sees_pictures.is_none());
        assert_eq!(findings.troubles, ["connection refused"]);
    }
}
