//! Services through their adapters and a real connection: what is asked arrives, what is answered comes back.

use super::arbitrary::{campaign, decision, grant, job, outcome, quarantined, request, status, totals};
use super::messages::page;
use super::scripted::{Crowd, Ledger, Mind, Queue, serve};
use crate::client;
use crate::server::Services;
use domain::campaign::{ClaimRequest, PlannerRef, Ticket, Wish};
use domain::service::{AggregatorService, Code, QuarantineVerdict, ServiceError};
use domain::{CampaignId, Choice, Decision, DecisionRequest, Fence, Job, JobId, Usage};
use futures::StreamExt;
use platform::rpc::{ClientOptions, MAX_MESSAGE_BYTES, connect};
use platform::telemetry::{self, TraceOptions};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing::Instrument;

/// One example of a shape, always the same.
pub(super) fn example<T>(of: impl Strategy<Value = T>) -> T {
    of.new_tree(&mut TestRunner::deterministic()).unwrap().current()
}

pub(super) fn queue() -> Arc<Queue> {
    Arc::new(Queue {
        asked: Mutex::default(),
        failing: Mutex::default(),
        grants: vec![example(grant()), example(grant())],
        status: example(status()),
        quarantined: vec![example(quarantined())],
    })
}

pub(super) fn mind(memory: Value, after: Duration) -> Arc<Mind> {
    let answer = Decision { choice: Choice::NeedScreenshot, memory, ..example(decision()) };
    Arc::new(Mind { asked: Mutex::default(), answer, after, traces: Mutex::default() })
}

const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn asking(memory: Value) -> DecisionRequest {
    DecisionRequest { memory, ..example(request()) }
}

#[tokio::test]
async fn the_queue_is_the_same_through_a_connection() {
    let queue = queue();
    let running = serve(Services::new(MAX_MESSAGE_BYTES).campaigns(queue.clone())).await;
    let remote = client::campaigns(&running.connection);
    let (name, campaign, jobs) = (CampaignId::new("nightly"), example(campaign()), vec![example(job()); 3]);
    let tickets: Vec<Ticket> = queue.grants.iter().map(|grant| grant.ticket()).collect();
    let claim = ClaimRequest { campaign: Some(name.clone()), ..ClaimRequest::new("crawler-1", 4) };

    remote.create(campaign.clone()).await.unwrap();
    assert_eq!(remote.submit(jobs.clone()).await, Ok(3));
    assert_eq!(remote.claim(claim.clone()).await.unwrap(), queue.grants);
    assert_eq!(remote.heartbeat(tickets.clone()).await.unwrap(), tickets[..1]);
    remote.release(tickets.clone()).await.unwrap();
    remote.wish(&name, Wish::Pause).await.unwrap();
    assert_eq!(remote.status(&name).await.unwrap(), queue.status);
    assert_eq!(remote.list().await.unwrap(), vec![queue.status.clone(); 2]);
    assert_eq!(remote.quarantine(&name).await.unwrap(), queue.quarantined);
    let all: Vec<Job> = queue.grants.iter().map(|grant| grant.job.clone()).collect();
    assert_eq!(remote.jobs(&name, 5, 7).await.unwrap(), all);
    let settled = remote.settle(&name, vec![JobId::new("a"), JobId::new("b")], QuarantineVerdict::Drop).await;
    assert_eq!(settled, Ok(2));

    let expected = [
        format!("create {campaign:?}"),
        format!("submit {jobs:?}"),
        format!("claim {claim:?}"),
        format!("heartbeat {tickets:?}"),
        format!("release {tickets:?}"),
        format!("wish {name:?} Pause"),
        format!("status {name:?}"),
        "list".to_owned(),
        format!("quarantine {name:?}"),
        format!("jobs {name:?} 5 7"),
        format!("settle {name:?} [JobId(\"a\"), JobId(\"b\")] Drop"),
    ];
    assert_eq!(*queue.asked.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_watch_tells_every_status_and_how_it_ended() {
    let queue = queue();
    let running = serve(Services::new(MAX_MESSAGE_BYTES).campaigns(queue.clone())).await;
    let statuses = client::campaigns(&running.connection).watch(&CampaignId::new("nightly")).await.unwrap();
    let told: Vec<_> = statuses.collect().await;
    let gone = ServiceError::new(Code::Conflict, "watch campaign: it was cancelled");
    assert_eq!(told, [Ok(queue.status.clone()), Ok(queue.status.clone()), Err(gone)]);
}

#[tokio::test]
async fn the_ledger_is_the_same_through_a_connection() {
    let ledger = Arc::new(Ledger { totals: example(totals()), outcomes: vec![example(outcome()); 5] });
    let running = serve(Services::new(MAX_MESSAGE_BYTES).aggregator(ledger.clone())).await;
    let remote = client::aggregator(&running.connection);
    let name = CampaignId::new("nightly");
    assert_eq!(remote.totals(&name).await, ledger.totals(&name).await);
    for after in [None, Some(JobId::new("click-test/3"))] {
        assert_eq!(remote.outcomes(&name, after.clone(), 3).await, ledger.outcomes(&name, after, 3).await);
    }
    for after in [None, Some("0197")] {
        assert_eq!(remote.visits(&name, after, 3).await, ledger.visits(&name, after, 3).await);
    }
}

/// A function that gives every code. One that is not named here does not compile.
macro_rules! every_code {
    ($($code:ident),* $(,)?) => {
        fn every_code() -> Vec<Code> {
            let known = |code| match code {
                $(Code::$code => code,)*
            };
            vec![$(known(Code::$code)),*]
        }
    };
}

every_code!(
    Invalid,
    NotFound,
    Conflict,
    Unauthenticated,
    TooLarge,
    Throttled,
    Unavailable,
    Deadline,
    Upstream,
    Corrupt,
    Internal,
);

#[tokio::test]
async fn every_kind_of_error_comes_over_with_its_message_its_time_and_its_cost() {
    let queue = queue();
    let running = serve(Services::new(MAX_MESSAGE_BYTES).campaigns(queue.clone())).await;
    let remote = client::campaigns(&running.connection);
    for code in every_code() {
        let message = format!("submit jobs: „{code:?}“ – with a line\nbreak, 100 %");
        let usage = Usage { prompt_tokens: 900, completion_tokens: 30, cost_usd: 0.125, calls: 3 };
        let error = ServiceError { code, message, retry_after: Some(Duration::from_millis(1_500)), usage };
        *queue.failing.lock().unwrap() = Some(error.clone());
        assert_eq!(remote.submit(Vec::new()).await, Err(error));
    }
    *queue.failing.lock().unwrap() = Some(ServiceError::new(Code::NotFound, "ä".repeat(5_000)));
    let error = remote.submit(Vec::new()).await.unwrap_err();
    assert_eq!((error.code, error.message.chars().count()), (Code::NotFound, 1_001), "a long message is cut");
}

#[tokio::test]
async fn a_request_that_is_too_large_is_refused_by_its_sender_and_by_its_receiver() {
    let queue = queue();
    let running = serve(Services::new(64 * 1024).campaigns(queue.clone())).await;
    let large = vec![example(job()); 20_000];
    let narrow =
        connect(&ClientOptions { max_message_bytes: 64 * 1024, ..ClientOptions::to(&running.endpoint) }).unwrap();
    let error = client::campaigns(&narrow).submit(large.clone()).await.unwrap_err();
    assert_eq!(error.code, Code::TooLarge);
    assert!(error.message.contains("the limit is 65536; send it in parts"), "{}", error.message);
    // Compressed, these equal jobs are small: it is their real size that counts.
    let error = client::campaigns(&running.connection).submit(large).await.unwrap_err();
    assert_eq!(error.code, Code::TooLarge, "{}", error.message);
    assert!(queue.asked.lock().unwrap().is_empty(), "nothing reached the service");
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_refused_with_its_code() {
    let ledger = Arc::new(Ledger { totals: example(totals()), outcomes: vec![example(outcome()); 2_000] });
    let running = serve(Services::new(16 * 1024).aggregator(ledger)).await;
    let remote = client::aggregator(&running.connection);
    let error = remote.outcomes(&CampaignId::new("nightly"), None, 2_000).await.unwrap_err();
    assert_eq!(error.code, Code::TooLarge, "{}", error.message);
    assert!(error.message.contains("ask for less"), "{}", error.message);
    assert!(remote.outcomes(&CampaignId::new("nightly"), None, 2).await.is_ok());
}

#[tokio::test]
async fn what_a_planner_is_asked_arrives_as_it_was_asked() {
    let mind = mind(Value::Null, Duration::ZERO);
    let running = serve(Services::new(MAX_MESSAGE_BYTES).planner(mind.clone())).await;
    let remote = client::planner(std::slice::from_ref(&running.connection), PATIENCE);
    let planner = PlannerRef {
        name: "hxagent".into(),
        model: Some("large".into()),
        options: serde_json::from_value(json!({"steps": 20, "memory": {"window": "none"}})).unwrap(),
    };
    let asked = DecisionRequest { observation: Arc::new(page(5_000)), ..asking(json!({"plan": [1, -2, 0.5]})) };
    let decision = remote.decide(&planner, asked.clone()).await.unwrap();
    assert_eq!(format!("{decision:?}"), format!("{:?}", mind.answer));
    let arrived = mind.asked.lock().unwrap().remove(0);
    assert_eq!(arrived.0, planner);
    assert_eq!(format!("{:?}", arrived.1), format!("{asked:?}"));
}

#[tokio::test]
async fn a_decision_that_takes_too_long_ends_by_its_deadline() {
    let mind = mind(Value::Null, Duration::from_secs(60));
    let running = serve(Services::new(MAX_MESSAGE_BYTES).planner(mind)).await;
    let remote = client::planner(std::slice::from_ref(&running.connection), Duration::from_millis(100));
    let planner = PlannerRef::named("ground");
    let decided = remote.decide(&planner, asking(Value::Null));
    let error = tokio::time::timeout(PATIENCE, decided).await.expect("the deadline is kept").unwrap_err();
    assert_eq!(error.code, Code::Deadline, "{}", error.message);
    assert!(error.message.starts_with("decide at http://127.0.0.1:"), "{}", error.message);
}

#[tokio::test]
async fn hundreds_of_decisions_wait_side_by_side_on_one_connection() {
    let answer = Decision { choice: Choice::NeedScreenshot, ..example(decision()) };
    let crowd = Arc::new(Crowd { complete: tokio::sync::Barrier::new(500), answer });
    let running = serve(Services::new(MAX_MESSAGE_BYTES).planner(crowd)).await;
    let remote = client::planner(std::slice::from_ref(&running.connection), PATIENCE);
    let planner = PlannerRef::named("hxagent");
    let deciding = (0..500).map(|_| remote.decide(&planner, asking(Value::Null)));
    let decided = futures::future::join_all(deciding).await;
    assert!(decided.iter().all(Result::is_ok), "{:?}", decided.iter().find(|decided| decided.is_err()));
}

#[tokio::test]
async fn a_call_goes_on_in_its_callers_trace() {
    // Nothing listens on the discard port: the spans go nowhere.
    let nowhere = TraceOptions::to("http://127.0.0.1:9", "test");
    telemetry::start(telemetry::Format::Text, std::io::sink, false, Some(&nowhere)).unwrap();
    let mind = mind(Value::Null, Duration::ZERO);
    let running = serve(Services::new(MAX_MESSAGE_BYTES).planner(mind.clone())).await;
    let remote = client::planner(std::slice::from_ref(&running.connection), PATIENCE);
    let calling = async {
        remote.decide(&PlannerRef::named("ground"), asking(Value::Null)).await.unwrap();
        telemetry::current_trace_parent()
    };
    let here = calling.instrument(tracing::info_span!("episode")).await;
    let there = mind.traces.lock().unwrap().remove(0);
    let parts = |context: &str| context.split('-').map(str::to_owned).collect::<Vec<_>>();
    let (here, there) = (parts(&here), parts(&there));
    assert_eq!(here.len(), 4, "{here:?}");
    assert_eq!(here[1], there[1], "one trace");
    assert_ne!(here[2], there[2], "a span of its own");
}

#[tokio::test]
async fn a_service_that_is_not_served_there_is_told_with_what_to_do() {
    let running = serve(Services::new(MAX_MESSAGE_BYTES)).await;
    let ticket = Ticket { campaign: CampaignId::new("a"), job: JobId::new("b"), fence: Fence(1) };
    let error = client::campaigns(&running.connection).release(vec![ticket]).await.unwrap_err();
    assert_eq!(error.code, Code::Internal);
    assert!(error.message.contains("does not know this call; update it"), "{}", error.message);
}

#[tokio::test]
async fn reflection_describes_our_services() {
    use tonic_reflection::pb::v1::ServerReflectionRequest;
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
    let running = serve(Services::new(MAX_MESSAGE_BYTES).campaigns(queue())).await;
    let mut client = ServerReflectionClient::new(running.connection.transport.clone());
    let question = Some(MessageRequest::FileContainingSymbol("rutter.v1.CampaignService".into()));
    let question = ServerReflectionRequest { host: String::new(), message_request: question };
    let mut answers = client.server_reflection_info(futures::stream::iter([question])).await.unwrap().into_inner();
    let answer = answers.next().await.unwrap().unwrap().message_response;
    assert!(matches!(answer, Some(MessageResponse::FileDescriptorResponse(_))), "{answer:?}");
}
