//! The search on a site whose first door looks best and leads nowhere.

use super::*;
use crate::model::{LanguageModel, ModelRequest};
use crate::page::read_back;
use crate::test_model::{Answers, Did, Play, text_of, told};
use crate::test_request::{buttons, request_for};
use domain::{DecisionRequest, Descriptor, Observation};
use serde_json::{Value, json};
use std::sync::Mutex;

fn names(done: &[Action<Descriptor>]) -> Vec<&str> {
    done.iter().filter_map(|action| action.element().map(|element| element.name.as_str())).collect()
}

/// Two doors; the treasure is behind the second one, then behind the chest.
fn doors(done: &[Action<Descriptor>]) -> Observation {
    match names(done).as_slice() {
        [] => buttons(&["Golden door", "Plain door"]),
        ["Golden door"] => buttons(&["Bones", "Dust"]),
        ["Plain door"] => buttons(&["Lamp", "Chest"]),
        ["Plain door", "Chest"] => buttons(&["Treasure found"]),
        _ => buttons(&["Nothing here"]),
    }
}

/// Judges what the prompt shows: treasure is the end, bones and dust are not the way. Names what is listed, in its order.
fn reply(asked: &ModelRequest) -> Value {
    let prompt = text_of(asked);
    let page = prompt.split("PAGE ").nth(1).unwrap_or_default();
    match asked.schema.name.as_str() {
        "judgement" => {
            let progress = match () {
                () if page.contains("Treasure") => "reached",
                () if page.contains("Bones") || page.contains("Nothing") => "off",
                () => "on_the_way",
            };
            json!({"reason": "seen", "progress": progress, "answer": null})
        }
        "candidates" => {
            let count = read_back(&prompt).len();
            let one = |number| json!({"chosen_action": number, "text": null, "press_enter": false});
            json!({"reason": "", "candidates": (1..=count).map(one).collect::<Vec<_>>()})
        }
        _ => {
            let number = 1 + asked.seed % 3 / 2;
            json!({"status": "act", "chosen_action": number, "action_description": "", "reason": "", "answer": null,
                "text": null, "press_enter": false})
        }
    }
}

fn agent(change: impl FnOnce(&mut TreeSearchOptions)) -> Agent<TreeSearch> {
    let mut options = TreeSearchOptions::of(Preset::Ours);
    options.page.general_actions.clear();
    change(&mut options);
    Agent::new(TreeSearch(options), Arc::new(Answers(reply)) as Arc<dyn LanguageModel>)
}

async fn played(can_reset: bool, change: impl FnOnce(&mut TreeSearchOptions)) -> Vec<String> {
    told(&Play { task: "Find the treasure", page: &doors, can_reset, steps: 30 }.run(&agent(change)).await)
}

const FOUND: [&str; 7] = [
    "click button \"Golden door\"",
    "reset",
    "click button \"Plain door\"",
    "click button \"Lamp\"",
    "reset",
    "click button \"Plain door\"",
    "click button \"Chest\"",
];

#[tokio::test]
async fn a_branch_that_is_worth_nothing_is_left_and_the_other_is_reached_by_beginning_again() {
    let did = played(true, |_| ()).await;
    assert_eq!(did[..7], FOUND, "{did:?}");
    assert_eq!(did[7..], ["say that it is done"]);
}

#[tokio::test]
async fn without_going_back_the_treasure_is_not_found() {
    let did = played(true, |options| options.backtrack = false).await;
    assert!(!did.contains(&"say that it is done".to_owned()) && !did.contains(&"reset".to_owned()), "{did:?}");
}

#[tokio::test]
async fn where_the_task_cannot_be_begun_again_the_search_goes_forward_only_and_asks_once() {
    let did = played(false, |_| ()).await;
    assert_eq!(did.iter().filter(|did| *did == "reset").count(), 1, "{did:?}");
    assert!(!did.contains(&"say that it is done".to_owned()), "{did:?}");
}

#[tokio::test]
async fn candidates_that_are_drawn_one_by_one_come_in_the_order_of_their_frequency() {
    let did = played(true, |options| {
        (options.candidates, options.samples) = (CandidatesBy::Sampling, 6);
        options.value.judgements = 3;
    });
    assert_eq!(did.await[..7], FOUND);
}

#[tokio::test]
async fn after_its_budget_the_search_commits_to_the_best_state_and_begins_anew_there() {
    let did = played(true, |options| options.budget = 2).await;
    assert_eq!(did.last().map(String::as_str), Some("say that it is done"), "{did:?}");
    let opened = did.iter().filter(|did| did.contains("Golden")).count();
    assert_eq!(opened, 1, "what lies before the state that was committed to is not tried again: {did:?}");
}

#[tokio::test]
async fn no_state_is_deeper_than_allowed_before_a_commitment() {
    let did = played(true, |options| options.depth = 1).await;
    let first: Vec<&str> = did.iter().take(3).map(String::as_str).collect();
    assert_eq!(first, ["click button \"Golden door\"", "reset", "click button \"Plain door\""], "{did:?}");
    assert_eq!(did.last().map(String::as_str), Some("say that it is done"), "{did:?}");
}

#[tokio::test]
async fn a_state_that_the_map_knows_is_gone_back_to_by_the_map_unless_something_was_sent() {
    let went = |sent: bool| async move {
        let planner = agent(|_| ());
        let at = |state: u64, names: &[&str], number: usize| {
            let mut seen = buttons(names);
            seen.stamp.number = number as u64;
            let position =
                domain::decision::MapPosition { version: domain::RunId::new("r"), state: domain::StateId(state) };
            DecisionRequest { position: Some(position), ..request_for(seen) }
        };
        let first = planner.decide(at(7, &["Golden door", "Plain door"], 1)).await.expect("a decision");
        let mut second = at(8, &["Bones", "Dust"], 2);
        let post = domain::observation::Request { method: "POST".into(), ..Default::default() };
        let taken = crate::test_request::step(1, Action::Back);
        second.history = Arc::new(vec![Step { requests: if sent { vec![post] } else { Vec::new() }, ..taken }]);
        second.memory = first.memory;
        planner.decide(second).await.expect("a decision").choice
    };
    assert_eq!(went(false).await, domain::Choice::GoBack(domain::StateId(7)));
    assert_eq!(went(true).await, domain::Choice::Reset);
}

#[tokio::test]
async fn where_the_map_does_not_lead_back_the_task_is_begun_again() {
    let planner = agent(|_| ());
    let mut seen = buttons(&["Golden door", "Plain door"]);
    seen.stamp.number = 1;
    let position = domain::decision::MapPosition { version: domain::RunId::new("r"), state: domain::StateId(7) };
    let first = DecisionRequest { position: Some(position), ..request_for(seen) };
    let memory = planner.decide(first).await.expect("a decision").memory;
    let history = Arc::new(vec![crate::test_request::step(1, Action::Back)]);
    let second = DecisionRequest { memory, history, ..request_for(buttons(&["Bones", "Dust"])) };
    let back = planner.decide(second.clone()).await.expect("a decision");
    assert_eq!(back.choice, domain::Choice::GoBack(domain::StateId(7)));
    let refused = DecisionRequest { memory: back.memory, refusal: Some("no map".into()), ..second };
    assert_eq!(planner.decide(refused).await.expect("a decision").choice, domain::Choice::Reset);
}

#[tokio::test]
async fn a_state_is_judged_by_the_steps_that_led_there_and_not_by_those_that_were_undone() {
    let prompts = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&prompts);
    let model = Answers(move |asked: &ModelRequest| {
        kept.lock().expect("no panic").push((asked.schema.name.clone(), asked.step, text_of(asked)));
        reply(asked)
    });
    let mut options = TreeSearchOptions::of(Preset::Ours);
    options.page.general_actions.clear();
    let planner = Agent::new(TreeSearch(options), Arc::new(model) as Arc<dyn LanguageModel>);
    let did = Play { task: "Find the treasure", page: &doors, can_reset: true, steps: 30 }.run(&planner).await;
    assert!(matches!(did.last(), Some(Did::Act(Action::Stop { claim: Claim::Done, .. }))));
    let prompts = prompts.lock().expect("no panic");
    let (name, step, last) = prompts.last().expect("asked");
    assert_eq!((name.as_str(), *step), ("judgement", Some(2)));
    assert!(last.contains("STEP #2: click button \"Chest\"") && !last.contains("Golden door"), "{last}");
    insta::assert_snapshot!("value", last);
    insta::assert_snapshot!("candidates", &prompts.iter().find(|(name, ..)| name == "candidates").expect("asked").2);
}
