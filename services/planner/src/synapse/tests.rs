//! The nearest exemplars stand before the question, and the page is filtered.

use super::*;
use crate::model::{LanguageModel, ModelRequest};
use crate::test_model::{Answers, Play, Words, Written, text_of, told};
use crate::test_request::{buttons, request_for};
use domain::{Action, DecisionRequest, Descriptor, Observation};
use serde_json::json;

fn exemplar(task: &str, trajectory: &str) -> Exemplar {
    Exemplar { task: task.into(), trajectory: trajectory.into() }
}

async fn prompt(change: impl FnOnce(&mut SynapseOptions)) -> String {
    let reply = json!({"status": "done", "chosen_action": 0, "action_description": "", "reason": "", "answer": null,
        "text": null, "press_enter": false});
    let model = Written::new([reply]);
    let mut options = SynapseOptions::of(Preset::Ours);
    options.exemplars =
        vec![exemplar("close the window", "CLOSES"), exemplar("open the gate", "OPENS"), exemplar("sing", "SINGS")];
    change(&mut options);
    let method = Synapse { options, embedder: Arc::new(Words) };
    let planner = Agent::new(method, Arc::clone(&model) as Arc<dyn LanguageModel>);
    let page = buttons(&["Sing", "Open gate", "Dance", "Gate"]);
    let asked = DecisionRequest { instruction: "open the old gate".into(), ..request_for(page) };
    planner.decide(asked).await.expect("a decision");
    model.prompt(0)
}

#[tokio::test]
async fn the_nearest_exemplars_are_shown_the_nearest_last() {
    let two = prompt(|options| options.nearest = 2).await;
    let place = |word: &str| two.find(word);
    assert!(place("CLOSES") < place("OPENS") && place("CLOSES").is_some() && place("SINGS").is_none(), "{two}");
    insta::assert_snapshot!("next_action", two);
    assert!(!prompt(|options| options.nearest = 0).await.contains("EXEMPLAR"));
}

#[tokio::test]
async fn only_what_bears_on_the_task_is_listed_in_the_order_of_the_page() {
    let filtered = prompt(|options| options.rank.keep = 2).await;
    assert!(filtered.contains("[1 click button \"Open gate\"]"), "{filtered}");
    assert!(filtered.contains("[2 click button \"Gate\"]"), "{filtered}");
    assert!(filtered.contains("(2 more elements are out of sight)"), "{filtered}");
    let all = prompt(|options| (options.filter, options.rank.keep) = (false, 2)).await;
    assert!(all.contains("click button \"Dance\""), "{all}");
}

/// A lock that opens by an order of buttons that the page does not tell.
fn lock(done: &[Action<Descriptor>]) -> Observation {
    let names: Vec<&str> =
        done.iter().filter_map(|action| action.element().map(|element| element.name.as_str())).collect();
    match names.as_slice() {
        ["Blue", "Red"] => buttons(&["Open"]),
        [] | ["Blue"] => buttons(&["Red", "Blue"]),
        _ => buttons(&["Jammed"]),
    }
}

/// Does what the exemplar did at the same step, else the first that is listed.
fn imitate(asked: &ModelRequest) -> serde_json::Value {
    let prompt = text_of(asked);
    let step = asked.step.unwrap_or_default() + 1;
    let told = prompt.split("TASK: open the lock\n").next().unwrap_or_default();
    let wanted = told.lines().find_map(|line| line.strip_prefix(&format!("STEP #{step}: click ")));
    let page = prompt.split("PAGE ").last().unwrap_or_default();
    let number = if wanted == Some("Blue") { 2 } else { 1 };
    let status = if page.contains("Red") { "act" } else { "done" };
    json!({"status": status, "chosen_action": number, "action_description": "", "reason": "", "answer": null,
        "text": null, "press_enter": false})
}

#[tokio::test]
async fn what_only_an_exemplar_tells_is_done_with_it_and_not_without() {
    let opened = |nearest: usize| async move {
        let mut options = SynapseOptions::of(Preset::Ours);
        options.page.general_actions.clear();
        options.nearest = nearest;
        options.exemplars = vec![exemplar("open a lock", "STEP #1: click Blue\nSTEP #2: click Red")];
        let method = Synapse { options, embedder: Arc::new(Words) };
        let planner = Agent::new(method, Arc::new(Answers(imitate)) as Arc<dyn LanguageModel>);
        told(&Play { task: "open the lock", page: &lock, can_reset: false, steps: 9 }.run(&planner).await)
    };
    assert_eq!(opened(3).await, ["click button \"Blue\"", "click button \"Red\"", "say that it is done"]);
    assert_eq!(opened(0).await[0], "click button \"Red\"", "the wrong order jams the lock");
}
