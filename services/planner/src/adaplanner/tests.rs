//! A gap that is filled from the page in the plan, and a plan that is mended where the page is not what it expected.

use super::*;
use crate::model::{LanguageModel, ModelRequest};
use crate::page::read_back;
use crate::test_model::{Answers, Play, text_of, told};
use crate::test_request::{buttons, element};
use domain::action::ActionKind;
use domain::{Action, Descriptor, Observation};
use serde_json::{Value, json};

fn names(done: &[Action<Descriptor>]) -> Vec<&str> {
    done.iter().filter_map(|action| action.element().map(|element| element.name.as_str())).collect()
}

/// A code is shown on one page and asked for on another.
fn codes(done: &[Action<Descriptor>]) -> Observation {
    let mut here = match names(done).as_slice() {
        [] => buttons(&["Show code"]),
        ["Show code"] => buttons(&["Code is 4711", "Go on"]),
        ["Show code", "Go on"] => buttons(&["Send"]),
        _ => buttons(&["Thank you"]),
    };
    if names(done).len() == 2 {
        here.nodes.push(element("textbox", "input", "Code", &[ActionKind::Click, ActionKind::Type], 300.0));
    }
    here
}

/// Plans with a gap, reads what is asked for, and carries out a line by the words that it shares with the list.
fn reply(asked: &ModelRequest) -> Value {
    let prompt = text_of(asked);
    let line = |step: &str, reads: Option<&str>, expects: Option<&str>| json!({"step": step, "reads": reads, "expects": expects});
    match asked.schema.name.as_str() {
        "plan_with_assertions" if prompt.contains("FAILED") => json!({"steps": [line("click Other way", None, None)]}),
        "plan_with_assertions" if prompt.contains("Show code") => json!({"steps": [
            line("click Show code", Some("code: the code"), None), line("click Go on", None, None),
            line("type {code} into Code", None, None),
        ]}),
        "plan_with_assertions" => json!({"steps": [line("click Try", None, Some("Open"))]}),
        "read_from_page" => json!({"value": prompt.split("Code is ").nth(1).map(|rest| rest[..4].to_owned())}),
        "asserted" => {
            json!({"reason": "seen", "holds": prompt.split("</page-content>").next().unwrap_or("").contains("Open")})
        }
        "finish" => json!({"answer": null, "reason": ""}),
        _ => {
            let line =
                prompt.split("carried out now: ").nth(1).and_then(|rest| rest.lines().next()).unwrap_or_default();
            let is_it = |text: &Value| text.as_str().is_some_and(|text| line.ends_with(text));
            let listed = read_back(&prompt).into_iter().map(Value::Object);
            let found = listed.into_iter().find(|listed| is_it(&listed["text"])).unwrap_or_default();
            let typed = line.strip_prefix("type ").and_then(|rest| rest.split(' ').next());
            let number = if typed.is_some() { &found["type"] } else { &found["click"] };
            json!({"status": "act", "chosen_action": number, "action_description": "", "reason": "", "answer": null,
                "text": typed, "press_enter": false})
        }
    }
}

async fn played(
    task: &str,
    page: fn(&[Action<Descriptor>]) -> Observation,
    change: impl FnOnce(&mut AdaPlannerOptions),
) -> Vec<String> {
    let mut options = AdaPlannerOptions::of(Preset::Ours);
    options.page.general_actions.clear();
    change(&mut options);
    let planner = Agent::new(AdaPlanner(options), Arc::new(Answers(reply)) as Arc<dyn LanguageModel>);
    told(&Play { task, page: &page, can_reset: false, steps: 9 }.run(&planner).await)
}

#[tokio::test]
async fn a_gap_is_filled_from_the_page_where_it_is_shown() {
    let did = played("Enter the code", codes, |_| ()).await;
    assert_eq!(did[2], "type \"4711\" into textbox \"Code\"", "{did:?}");
    assert_eq!(did[3], "say that it is done");
    let did = played("Enter the code", codes, |options| options.in_plan = false).await;
    assert_eq!(
        did[2], "type \"{code}\" into textbox \"Code\"",
        "without refinement in the plan the gap stays: {did:?}"
    );
}

/// The first way is closed, unless the other one is taken.
fn ways(done: &[Action<Descriptor>]) -> Observation {
    match names(done).as_slice() {
        [] => buttons(&["Try", "Other way"]),
        [.., "Other way"] => buttons(&["Open"]),
        _ => buttons(&["Closed", "Other way"]),
    }
}

#[tokio::test]
async fn a_plan_is_mended_where_the_page_is_not_what_it_expected() {
    let did = played("Get in", ways, |_| ()).await;
    assert_eq!(did, ["click button \"Try\"", "click button \"Other way\"", "say that it is done"]);
    let did = played("Get in", ways, |options| options.out_of_plan = 0).await;
    assert!(did.len() == 2 && did[1].starts_with("give up: the plan failed"), "{did:?}");
    let did = played("Get in", ways, |options| options.assertions = false).await;
    assert_eq!(did, ["click button \"Try\"", "say that it is done"], "nothing is noticed without assertions");
}
