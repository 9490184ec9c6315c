//! Every way in which an endpoint misbehaves, with every planner that asks one: nothing panics, nothing is taken for a success, and
//! the cause is told.

use crate::support::{model, png, reach};
use async_trait::async_trait;
use domain::action::{ActionKind, Claim};
use domain::decision::{PlannerError, Screenshot};
use domain::language::{EmbedError, Embedder};
use domain::{Action, Choice, Decision, DecisionRequest, EpisodeId, JobId, Node, Observation, Planner};
use harness::model::{Dialect, ModelServer, Reply};
use planner::registry::{Parts, Registry};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// All texts mean the same.
struct Alike;

#[async_trait]
impl Embedder for Alike {
    fn dimension(&self) -> usize {
        1
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(vec![vec![1.0]; texts.len()])
    }
}

fn request() -> DecisionRequest {
    let node = |role: &str, tag: &str, name: &str, operations: &[ActionKind]| Node {
        role: role.into(),
        tag: tag.into(),
        name: name.into(),
        text: name.into(),
        operations: operations.to_vec(),
        xpath: format!("/html/body/{tag}"),
        ..Node::default()
    };
    let nodes = vec![
        node("textbox", "input", "Name", &[ActionKind::Click, ActionKind::Type]),
        node("button", "button", "Send", &[ActionKind::Click]),
    ];
    DecisionRequest {
        episode: EpisodeId(Uuid::nil()),
        job: JobId::new("job"),
        instruction: "Send the form".into(),
        observation: Arc::new(Observation { nodes: nodes.into(), ..Observation::default() }),
        history: Arc::default(),
        memory: Value::Null,
        screenshot: None,
        steps_left: 10,
        seed: 1,
        refusal: None,
        position: None,
        context: Arc::default(),
    }
}

/// The decision of a planner, after a picture where one is asked for.
async fn decide(planner: &dyn Planner) -> Result<Decision, PlannerError> {
    let first = planner.decide(request()).await?;
    if first.choice != Choice::NeedScreenshot {
        return Ok(first);
    }
    let screenshot = Some(Screenshot { png: png(40, 40), scale: 1.0 });
    planner.decide(DecisionRequest { memory: first.memory, screenshot, ..request() }).await
}

/// Every planner that asks a model, with every preset, at an endpoint that always answers so.
async fn all(reply: Reply, check: impl Fn(&str, Result<Decision, PlannerError>)) {
    within(30, reply, check).await;
}

/// The same, where a call may take this long.
async fn within(seconds: u64, reply: Reply, check: impl Fn(&str, Result<Decision, PlannerError>)) {
    let server = ModelServer::start(move |_: &harness::model::ModelRequest| reply.clone()).await.expect("server");
    let mut reach = reach(&server, Dialect::OpenAi);
    (reach.options.retries, reach.options.patience_seconds, reach.options.timeout_seconds) = (1, 1, seconds);
    let parts =
        Parts { model: Some(Arc::new(model(&reach.options))), embedder: Some(Arc::new(Alike)), ..Parts::default() };
    let registry = Registry::default();
    let mut seen = 0;
    for entry in registry.entries().iter().filter(|entry| entry.needs.asks_model()) {
        for preset in entry.presets {
            let options = json!({"preset": preset});
            let name = entry.label(&options).expect("a label");
            let planner = entry.build(&options, &parts).expect("a planner");
            check(&name, decide(planner.as_ref()).await);
            seen += 1;
        }
    }
    assert!(seen >= 18, "only {seen} planners");
    assert_eq!(server.refused(), Vec::<String>::new(), "the planners keep to the contract");
}

/// An invalid decision that tells the cause, and is paid.
fn invalid(cause: &'static str) -> impl Fn(&str, Result<Decision, PlannerError>) {
    move |name, decided| {
        let decision = decided.unwrap_or_else(|error| panic!("{name}: {error}"));
        let told = match &decision.choice {
            Choice::Invalid { cause } => cause.clone(),
            other => panic!("{name} takes it for {other:?}"),
        };
        assert!(told.contains(cause), "{name}: {told}");
        assert!(decision.usage.calls >= 1, "{name}");
    }
}

#[tokio::test]
async fn an_endpoint_that_keeps_failing_is_named_by_every_planner() {
    all(Reply::Status { code: 503, retry_after: None }, |name, decided| {
        let Err(PlannerError::Unavailable { cause, .. }) = decided else { panic!("{name}: {decided:?}") };
        assert!(cause.contains("HTTP 503"), "{name}: {cause}");
    })
    .await;
}

#[tokio::test]
async fn throttling_beyond_patience_is_throttling_with_every_planner() {
    all(Reply::Status { code: 429, retry_after: Some(60) }, |name, decided| {
        assert!(matches!(&decided, Err(PlannerError::Throttled { .. })), "{name}: {decided:?}");
    })
    .await;
}

#[tokio::test]
async fn a_lost_connection_and_half_a_body_are_the_endpoints_failure_with_every_planner() {
    for reply in [Reply::Drop, Reply::HalfBody] {
        all(reply, |name, decided| {
            assert!(matches!(&decided, Err(PlannerError::Unavailable { .. })), "{name}: {decided:?}");
        })
        .await;
    }
}

#[tokio::test]
async fn a_refusal_is_an_invalid_decision_of_every_planner() {
    all(Reply::Refusal("I would rather not".into()), invalid("the model refused to answer")).await;
}

#[tokio::test]
async fn what_is_no_json_of_the_schema_is_an_invalid_decision_of_every_planner() {
    all(Reply::Text("Sure, I will do that.".into()), invalid("no complete JSON")).await;
    all(Reply::Text("Gern! {\"status\": \"erledigt\"}".into()), invalid("no complete JSON")).await;
    all(Reply::CutOff("{\"reason\": \"I was just about".into()), invalid("cut off")).await;
    all(Reply::Json(json!({"done": true})), invalid("breaks its schema")).await;
    all(Reply::Text("x".repeat(1 << 20)), invalid("no complete JSON")).await;
}

#[tokio::test]
async fn no_planner_takes_silence_for_an_end() {
    let slow = Reply::Slow(Duration::from_secs(30), Box::new(Reply::Json(json!({}))));
    within(1, slow, |name, decided| match decided {
        Err(PlannerError::Unavailable { cause, .. }) => assert!(cause.contains("no answer within"), "{name}: {cause}"),
        Ok(Decision { choice: Choice::Act(Action::Stop { claim: Claim::Done, .. }), .. }) => panic!("{name} is done"),
        other => panic!("{name}: {other:?}"),
    })
    .await;
}
