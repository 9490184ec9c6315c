//! A second trial after a reflection, and stages of several actions.

use super::*;
use crate::model::{LanguageModel, ModelRequest};
use crate::test_model::{Answers, Play, Written, text_of, told};
use crate::test_request::{buttons, page};
use domain::Observation;
use serde_json::{Value as Json, json};

fn names(done: &[Action<Descriptor>]) -> Vec<&str> {
    done.iter().filter_map(|action| action.element().map(|element| element.name.as_str())).collect()
}

/// The left way is the one that is not gone back from.
fn ways(done: &[Action<Descriptor>]) -> Observation {
    match names(done).as_slice() {
        [] => buttons(&["Left", "Right"]),
        ["Right"] => buttons(&["Arrived"]),
        _ => buttons(&["Dead end"]),
    }
}

fn stage(status: &str, numbers: &[i64]) -> Json {
    let step = |number: &i64| json!({"chosen_action": number, "text": null, "press_enter": false});
    json!({"status": status, "steps": numbers.iter().map(step).collect::<Vec<_>>(), "reason": "r", "answer": null})
}

/// Goes left unless it is told what was wrong with that.
fn reply(asked: &ModelRequest) -> Json {
    let prompt = text_of(asked);
    match asked.schema.name.as_str() {
        "reflected" => json!({"wrong_step": 1, "instead": "go right"}),
        _ if prompt.contains("Arrived") => stage("done", &[]),
        _ if prompt.contains("Dead end") => stage("infeasible", &[]),
        _ if prompt.contains("Instead: go right") => stage("act", &[2]),
        _ => stage("act", &[1]),
    }
}

async fn played(can_reset: bool, change: impl FnOnce(&mut ReflectionOptions)) -> Vec<String> {
    let mut options = ReflectionOptions::of(Preset::Ours);
    options.page.general_actions.clear();
    change(&mut options);
    let planner = Agent::new(Reflection(options), Arc::new(Answers(reply)) as Arc<dyn LanguageModel>);
    told(&Play { task: "Arrive", page: &ways, can_reset, steps: 20 }.run(&planner).await)
}

#[tokio::test]
async fn after_a_reflection_the_second_trial_goes_the_other_way() {
    let expected = ["click button \"Left\"", "reset", "click button \"Right\"", "say that it is done"];
    assert_eq!(played(true, |_| ()).await, expected);
}

#[tokio::test]
async fn without_reflection_every_trial_makes_the_same_mistake() {
    let did = played(true, |options| options.reflect = false).await;
    assert_eq!(did.iter().filter(|did| did.contains("Left")).count(), 3, "three trials: {did:?}");
    assert!(did.last().expect("an end").starts_with("say that it cannot be done"), "{did:?}");
}

#[tokio::test]
async fn with_one_trial_nothing_is_begun_again() {
    let did = played(true, |options| options.trials = 1).await;
    assert!(did.len() == 2 && did[1].starts_with("say that it cannot be done"), "{did:?}");
}

#[tokio::test]
async fn where_the_task_has_no_reset_the_next_trial_goes_on_where_it_is() {
    let did = played(false, |_| ()).await;
    assert_eq!(did.iter().filter(|did| *did == "reset").count(), 2, "{did:?}");
    assert!(did.last().expect("an end").starts_with("say that it cannot be done"), "{did:?}");
}

#[tokio::test]
async fn the_actions_of_a_screen_are_planned_at_once() {
    let fill = json!({"status": "act", "reason": "fill in", "answer": null, "steps": [
        {"chosen_action": 2, "text": "Anna", "press_enter": false},
        {"chosen_action": 5, "text": "Child", "press_enter": false},
        {"chosen_action": 6, "text": null, "press_enter": false},
    ]});
    let model = Written::new([fill, stage("done", &[])]);
    let planner = Agent::new(Reflection(ReflectionOptions::default()), Arc::clone(&model) as Arc<dyn LanguageModel>);
    let form = |_: &[Action<Descriptor>]| page();
    let did = Play { task: "Book", page: &form, can_reset: false, steps: 9 }.run(&planner).await;
    let expected = [
        "type \"Anna\" into textbox \"Passenger\"",
        "select \"Child\" in combobox \"Fare\"",
        "click button \"Book\"",
        "say that it is done",
    ];
    assert_eq!((told(&did).as_slice(), model.calls()), (&expected.map(String::from)[..], 2));
    insta::assert_snapshot!("stage", model.prompt(0));
}

#[tokio::test]
async fn an_action_that_was_found_wrong_is_not_taken_at_that_step_again() {
    let stubborn = |asked: &ModelRequest| match asked.schema.name.as_str() {
        "reflected" => json!({"wrong_step": 1, "instead": "think"}),
        _ if text_of(asked).contains("Dead end") => stage("infeasible", &[]),
        _ => stage("act", &[1]),
    };
    let mut options = ReflectionOptions::of(Preset::Ours);
    options.page.general_actions.clear();
    let planner = Agent::new(Reflection(options), Arc::new(Answers(stubborn)) as Arc<dyn LanguageModel>);
    let did = told(&Play { task: "Arrive", page: &ways, can_reset: true, steps: 20 }.run(&planner).await);
    assert!(did[2].contains("was found wrong in an earlier trial"), "{did:?}");
}
