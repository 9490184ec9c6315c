//! A plan that is wrong at first, and one explicit critique that mends it.

use super::*;
use crate::model::{LanguageModel, ModelRequest};
use crate::test_model::{Answers, Play, Written, text_of, told};
use crate::test_request::buttons;
use domain::{Action, Descriptor, Observation};
use serde_json::{Value, json};

fn plan(lines: &[&str]) -> Value {
    json!({"steps": lines.iter().map(|line| json!({"step": line, "reason": ""})).collect::<Vec<_>>()})
}

/// Terms have to be agreed to before the order goes through.
fn order(done: &[Action<Descriptor>]) -> Observation {
    let names: Vec<&str> =
        done.iter().filter_map(|action| action.element().map(|element| element.name.as_str())).collect();
    match names.as_slice() {
        ["Agree", "Order"] => buttons(&["Thank you"]),
        ["Order", ..] => buttons(&["Not without agreement"]),
        _ => buttons(&["Order", "Agree"]),
    }
}

/// Forgets the terms at first, sees it when asked what is wrong, and does line by line what the plan says.
fn reply(asked: &ModelRequest) -> Value {
    let prompt = text_of(asked);
    let act = |number: usize| {
        json!({"status": "act", "chosen_action": number, "action_description": "", "reason": "",
        "answer": null, "text": null, "press_enter": false})
    };
    match asked.schema.name.as_str() {
        "critique" => json!({"problems": "the terms are not agreed to"}),
        "plan_in_words" if prompt.contains("PROBLEMS of this plan: the terms") => plan(&["click Agree", "click Order"]),
        "plan_in_words" => plan(&["click Order"]),
        "finish" => json!({"answer": null, "reason": "planned"}),
        _ if prompt.contains("carried out now: click Agree") => act(2),
        _ => act(1),
    }
}

async fn played(critiques: u32) -> Vec<String> {
    let mut options = RciOptions { critiques, ..RciOptions::of(Preset::Ours) };
    options.page.general_actions.clear();
    let planner = Agent::new(Rci(options), Arc::new(Answers(reply)) as Arc<dyn LanguageModel>);
    told(&Play { task: "Order it", page: &order, can_reset: false, steps: 9 }.run(&planner).await)
}

#[tokio::test]
async fn one_explicit_critique_mends_the_plan_and_without_it_the_mistake_is_carried_out() {
    assert_eq!(played(1).await, ["click button \"Agree\"", "click button \"Order\"", "say that it is done"]);
    assert_eq!(played(0).await, ["click button \"Order\"", "say that it is done"]);
}

#[tokio::test]
async fn a_plan_with_which_nothing_is_wrong_stays_as_it_is() {
    let act = json!({"status": "act", "chosen_action": 2, "action_description": "", "reason": "", "answer": null,
        "text": null, "press_enter": false});
    let model =
        Written::new([plan(&["click Agree"]), json!({"problems": null}), act, json!({"answer": "a", "reason": ""})]);
    let planner = Agent::new(Rci(RciOptions::default()), Arc::clone(&model) as Arc<dyn LanguageModel>);
    let did = Play { task: "Agree", page: &order, can_reset: false, steps: 9 }.run(&planner).await;
    assert_eq!(told(&did), ["click button \"Agree\"", "say that it is done, and answer \"a\""]);
    insta::assert_snapshot!("criticise", model.prompt(1));
}
