//! What a step's question holds, and in which order.

use super::*;
use crate::test_model::Written;
use crate::test_request::{page, request_for, step};
use domain::{Action, DecisionRequest};
use serde_json::json;

async fn asked(preset: Preset, change: impl FnOnce(&mut StepByStepOptions)) -> (String, f64) {
    let reply = json!({"status": "act", "chosen_action": 6, "action_description": "book", "reason": "", "answer": null,
        "text": null, "press_enter": false});
    let model = Written::new([reply]);
    let mut options = StepByStepOptions::of(preset);
    change(&mut options);
    let planner = Agent::new(StepByStep(options), Arc::clone(&model) as Arc<dyn crate::LanguageModel>);
    let history = Arc::new(vec![step(1, Action::Back), step(2, Action::Forward)]);
    planner.decide(DecisionRequest { history, ..request_for(page()) }).await.expect("a decision");
    let temperature = model.asked.lock().expect("no panic")[0].temperature;
    (model.prompt(0), temperature)
}

#[tokio::test]
async fn the_objective_stands_before_the_observation_and_after_it_where_that_is_asked() {
    let place = |prompt: &str, word: &str| prompt.find(word).expect("there");
    let (first, temperature) = asked(Preset::Published, |_| ()).await;
    assert!(place(&first, "OBJECTIVE") < place(&first, "OBSERVATION"), "{first}");
    assert_eq!(temperature, 1.0);
    insta::assert_snapshot!("objective_first", first);
    let (last, _) = asked(Preset::Published, |options| options.objective_first = false).await;
    assert!(place(&last, "OBJECTIVE") > place(&last, "OBSERVATION"), "{last}");
}

#[tokio::test]
async fn as_published_the_previous_action_is_told_and_in_ours_all_of_them() {
    let steps = |prompt: &str| prompt.matches("STEP #").count();
    assert_eq!(steps(&asked(Preset::Published, |_| ()).await.0), 1);
    assert_eq!(steps(&asked(Preset::Ours, |_| ()).await.0), 2);
}
