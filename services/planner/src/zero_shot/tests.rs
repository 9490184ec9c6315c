//! The baseline shows the task and the page, and nothing else.

use super::*;
use crate::test_model::Written;
use crate::test_request::{page, request_for, step};
use domain::{Action, Choice, DecisionRequest, ElementId};
use serde_json::json;

async fn prompt(preset: Preset) -> String {
    // A listed field has two numbers, one in the page's text has one.
    let book = if preset == Preset::Ours { 5 } else { 6 };
    let reply = json!({"status": "act", "chosen_action": book, "action_description": "book", "reason": "", "answer": null,
        "text": null, "press_enter": false});
    let model = Written::new([reply]);
    let planner =
        Agent::new(ZeroShot(ZeroShotOptions::of(preset)), Arc::clone(&model) as Arc<dyn crate::LanguageModel>);
    let history = Arc::new(vec![step(1, Action::Back)]);
    let decision = planner.decide(DecisionRequest { history, ..request_for(page()) }).await.expect("a decision");
    assert_eq!(decision.choice, Choice::Act(Action::click(ElementId(5))));
    model.prompt(0)
}

#[tokio::test]
async fn a_question_holds_the_task_and_the_elements_and_no_memory() {
    let published = prompt(Preset::Published).await;
    assert!(!published.contains("STEP #") && !published.contains("Book a trip\n"), "{published}");
    insta::assert_snapshot!("next_action", published);
    assert!(prompt(Preset::Ours).await.contains("Book a trip\n"), "ours shows the page's text");
}
