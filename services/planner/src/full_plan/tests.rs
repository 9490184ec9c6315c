//! A plan in advance: made once, shown at every step, followed strictly or adapted, and made anew where it fails.

use super::*;
use crate::test_model::{Play, Written, told};
use crate::test_request::buttons;
use domain::{Action, Descriptor, Observation};
use serde_json::{Value, json};

fn plan(lines: &[&str]) -> Value {
    json!({"steps": lines.iter().map(|line| json!({"step": line, "reason": "it leads there"})).collect::<Vec<_>>()})
}

fn reply(status: &str, number: Option<i64>) -> Value {
    json!({"status": status, "chosen_action": number.unwrap_or(0), "action_description": "it", "reason": "r", "answer": null,
        "text": null, "press_enter": false})
}

fn agent(model: &Arc<Written>, change: impl FnOnce(&mut FullPlanOptions)) -> Agent<FullPlan> {
    let mut options = FullPlanOptions::of(Preset::Ours);
    options.page.general_actions.clear();
    change(&mut options);
    Agent::new(FullPlan(options), Arc::clone(model) as Arc<dyn crate::LanguageModel>)
}

/// A shop whose settings stand under `More` where the plan expects them at once.
fn shop(done: &[Action<Descriptor>]) -> Observation {
    match done.len() {
        0 => buttons(&["Profile", "More"]),
        1 => buttons(&["Orders", "Settings"]),
        _ => buttons(&["Saved"]),
    }
}

async fn played(model: &Arc<Written>, change: impl FnOnce(&mut FullPlanOptions)) -> Vec<String> {
    let planner = agent(model, change);
    told(&Play { task: "Open the settings", page: &shop, can_reset: false, steps: 9 }.run(&planner).await)
}

#[tokio::test]
async fn a_plan_is_made_once_and_stands_in_every_prompt() {
    let model = Written::new([
        plan(&["click More", "click Settings"]),
        reply("act", Some(2)),
        reply("act", Some(2)),
        reply("done", None),
    ]);
    let did = played(&model, |_| ()).await;
    assert_eq!(did, ["click button \"More\"", "click button \"Settings\"", "say that it is done"]);
    for index in 1..model.calls() {
        assert!(model.prompt(index).contains("2. click Settings"), "{}", model.prompt(index));
    }
    insta::assert_snapshot!("plan", model.prompt(0));
    insta::assert_snapshot!("follow", model.prompt(1));
}

#[tokio::test]
async fn a_strict_plan_ends_where_the_page_does_not_offer_its_step() {
    let model = Written::new([plan(&["click Settings"]), reply("infeasible", None)]);
    let did = played(&model, |options| (options.following, options.replans) = (Following::Strict, 0)).await;
    assert!(did.len() == 1 && did[0].starts_with("give up: the plan failed at step 1"), "{did:?}");
}

#[tokio::test]
async fn a_strict_plan_that_fails_is_made_anew_from_there() {
    let replies = [
        plan(&["click Settings"]),
        reply("infeasible", None),
        plan(&["click More", "click Settings"]),
        reply("act", Some(2)),
        reply("act", Some(2)),
        json!({"answer": null, "reason": "saved"}),
    ];
    let model = Written::new(replies);
    let did = played(&model, |options| options.following = Following::Strict).await;
    assert_eq!(did, ["click button \"More\"", "click button \"Settings\"", "say that it is done"]);
    insta::assert_snapshot!("replan", model.prompt(2));
    insta::assert_snapshot!("carry_out", model.prompt(3));
    insta::assert_snapshot!("finish", model.prompt(5));
}

#[tokio::test]
async fn a_step_that_was_refused_is_not_passed_over() {
    let replies = [
        plan(&["click More", "click Settings"]),
        reply("act", Some(99)),
        reply("act", Some(2)),
        reply("act", Some(2)),
        json!({"answer": null, "reason": "saved"}),
    ];
    let model = Written::new(replies);
    let did = played(&model, |options| options.following = Following::Strict).await;
    assert_eq!(did[1..3], ["click button \"More\"", "click button \"Settings\""], "{did:?}");
    assert!(model.prompt(2).contains("Step 1 of the plan"), "{}", model.prompt(2));
}
