//! What a model is asked about trials, and what is made of its answers.

use super::*;
use crate::test_model::Written;
use serde_json::{Value, json};
use std::sync::Arc;

fn rule(text: &str) -> Value {
    json!({"reason": "it closed the wrong one", "rule": text})
}

async fn learnt(replies: Vec<Value>, kept: &[&str]) -> (Answered<String>, Arc<Written>) {
    let model = Written::new(replies);
    let options = HxAgentOptions::default();
    let job = JobId::new("close/1");
    let steps = ["STEP #1: click button \"Close\" -> page-content".to_owned()];
    let told = ShownTrial { job: &job, task: "Close the account", steps: &steps, end: "Claimed to be done" };
    let kept: Vec<String> = kept.iter().map(ToString::to_string).collect();
    let lesson = Teacher::new(model.as_ref(), &options).rule(told, "the account is still there", &kept).await;
    (lesson.expect("the model answers"), model)
}

#[tokio::test]
async fn a_failure_is_shown_with_its_cause_and_the_rules_that_are_kept() {
    let (lesson, model) = learnt(vec![rule(" Archive guests. ")], &["Read the page first."]).await;
    assert_eq!(lesson.answer.as_deref(), Some("Archive guests."));
    assert_eq!(lesson.usage.calls, 1);
    insta::assert_snapshot!("rule", model.prompt(0));
}

#[tokio::test]
async fn a_rule_that_is_kept_already_is_asked_for_once_more_and_then_given_up() {
    let kept = ["Archive guests."];
    let (lesson, model) = learnt(vec![rule("archive guests"), rule("Never close guests.")], &kept).await;
    assert_eq!(lesson.answer.as_deref(), Some("Never close guests."));
    assert!(model.prompt(1).contains("\"archive guests\" is kept already"), "{}", model.prompt(1));
    let (lesson, model) = learnt(vec![rule("archive guests"), rule("Archive guests!")], &kept).await;
    assert_eq!((lesson.answer, model.calls()), (None, 2));
    assert!(lesson.incidents.iter().any(|incident| incident.contains("kept already")), "{:?}", lesson.incidents);
}

#[tokio::test]
async fn a_trial_is_right_only_if_all_of_the_task_was_done() {
    for (progress, is_right) in [("reached", true), ("on_the_way", false), ("off", false)] {
        let model = Written::new([json!({"reason": "so it seems", "progress": progress})]);
        let (options, job) = (HxAgentOptions::default(), JobId::new("close/1"));
        let told = ShownTrial { job: &job, task: "Close the account", steps: &[], end: "Claimed to be done" };
        let judged = Teacher::new(model.as_ref(), &options).judge(told).await.expect("an answer");
        assert_eq!(judged.answer, Some((is_right, "so it seems".to_owned())));
        assert!(model.prompt(0).contains("never by what was claimed"), "{}", model.prompt(0));
    }
}
