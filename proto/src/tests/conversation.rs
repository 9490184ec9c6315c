//! Questions share one call, and none notices the others.

use super::services::asking;
use crate::client;
use crate::server::Services;
use async_trait::async_trait;
use domain::campaign::PlannerRef;
use domain::service::{Code, PlannerService, ServiceError};
use domain::{Choice, Decision, DecisionRequest, Usage};
use platform::rpc::{ClientOptions, MAX_MESSAGE_BYTES, Server, ServerOptions, connect};
use platform::{Health, Metrics};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

const SOON: Duration = Duration::from_secs(10);

/// Answers when it is let, tells what it begins and what it leaves, and cannot bear an instruction to panic.
struct Held {
    begun: Semaphore,
    left: Arc<Semaphore>,
    may_answer: Semaphore,
}

impl Default for Held {
    fn default() -> Self {
        Self { begun: Semaphore::new(0), left: Arc::new(Semaphore::new(0)), may_answer: Semaphore::new(0) }
    }
}

/// Tells of its end, whichever it is.
struct Leaves(Arc<Semaphore>);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

#[async_trait]
impl PlannerService for Held {
    async fn decide(&self, _: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError> {
        let _leaves = Leaves(Arc::clone(&self.left));
        self.begun.add_permits(1);
        assert_ne!(request.instruction, "panic");
        self.may_answer.acquire().await.expect("it is open").forget();
        Ok(Decision {
            choice: Choice::NeedScreenshot,
            reason: request.instruction,
            confidence: 1.0,
            level: domain::decision::Level::Ground,
            usage: Usage::default(),
            incidents: Vec::new(),
            memory: Value::Null,
        })
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        Ok(())
    }
}

/// Waits for something that was told once.
async fn told(times: &Semaphore) {
    timeout(SOON, times.acquire()).await.expect("it is told soon").expect("it is open").forget();
}

struct Serving {
    held: Arc<Held>,
    address: SocketAddr,
    metrics: Metrics,
    end: CancellationToken,
    served: JoinHandle<Result<(), platform::rpc::Error>>,
}

async fn serve(at: SocketAddr) -> Serving {
    let (held, metrics, end) = (Arc::new(Held::default()), Metrics::default(), CancellationToken::new());
    let server = Server::bind(&ServerOptions::at(at)).await.unwrap().measured(&metrics);
    let address = server.address();
    let routes = Services::new(MAX_MESSAGE_BYTES).planner(held.clone(), None).routes().unwrap();
    let served = tokio::spawn(server.serve(routes, Health::default(), end.clone()));
    Serving { held, address, metrics, end, served }
}

async fn begun() -> (Serving, Arc<dyn PlannerService>) {
    let serving = serve("127.0.0.1:0".parse().unwrap()).await;
    let remote = remote(serving.address, Duration::from_secs(60));
    (serving, remote)
}

fn remote(address: SocketAddr, deadline: Duration) -> Arc<dyn PlannerService> {
    client::planner(&[connect(&ClientOptions::to(format!("http://{address}"))).unwrap()], deadline)
}

/// Asks, beside what the test does.
fn ask(remote: &Arc<dyn PlannerService>, instruction: &str) -> JoinHandle<Result<Decision, ServiceError>> {
    let request = DecisionRequest { instruction: instruction.to_owned(), ..asking(Value::Null) };
    let remote = Arc::clone(remote);
    tokio::spawn(async move { remote.decide(&PlannerRef::named("held"), request).await })
}

async fn answer(asked: JoinHandle<Result<Decision, ServiceError>>) -> Result<String, ServiceError> {
    let answered = timeout(SOON, asked).await.expect("it is answered soon").expect("no panic");
    answered.map(|decision| decision.reason)
}

#[tokio::test]
async fn each_question_has_its_own_answer_and_is_measured_as_a_call() {
    let (serving, remote) = begun().await;
    let asked = ["one", "two", "three"].map(|instruction| (instruction, ask(&remote, instruction)));
    serving.held.may_answer.add_permits(3);
    for (instruction, asked) in asked {
        assert_eq!(answer(asked).await.as_deref(), Ok(instruction));
    }
    let figures = serving.metrics.render();
    let count = "rutter_rpc_server_seconds_count{method=\"/rutter.v1.PlannerService/Decide\"} 3";
    assert!(figures.contains(count), "{figures}");
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_is_left() {
    let (serving, remote) = begun().await;
    let (dropped, other) = (ask(&remote, "dropped"), ask(&remote, "other"));
    told(&serving.held.begun).await;
    told(&serving.held.begun).await;
    dropped.abort();
    told(&serving.held.left).await;
    serving.held.may_answer.add_permits(1);
    assert_eq!(answer(other).await.as_deref(), Ok("other"));
}

#[tokio::test]
async fn a_question_whose_time_is_over_is_left() {
    let (serving, _) = begun().await;
    let hasty = remote(serving.address, Duration::from_millis(200));
    let error = answer(ask(&hasty, "slow")).await.unwrap_err();
    assert_eq!(error.code, Code::Deadline, "{}", error.message);
    told(&serving.held.left).await;
}

#[tokio::test]
async fn a_planner_that_panics_fails_that_question_alone() {
    let (serving, remote) = begun().await;
    let other = ask(&remote, "other");
    told(&serving.held.begun).await;
    let error = answer(ask(&remote, "panic")).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::Internal, "decide: the planner panicked"));
    serving.held.may_answer.add_permits(1);
    assert_eq!(answer(other).await.as_deref(), Ok("other"));
}

#[tokio::test]
async fn a_server_that_ends_answers_what_is_under_way_and_waits_for_nothing_else() {
    let (serving, remote) = begun().await;
    let asked = ask(&remote, "before");
    told(&serving.held.begun).await;
    serving.end.cancel();
    serving.held.may_answer.add_permits(1);
    assert_eq!(answer(asked).await.as_deref(), Ok("before"));
    let served = timeout(SOON / 2, serving.served).await.expect("the call that lasts does not keep it");
    served.unwrap().unwrap();
    let error = answer(ask(&remote, "nobody is there")).await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable, "{}", error.message);
    let again = serve(serving.address).await;
    again.held.may_answer.add_permits(1);
    assert_eq!(answer(ask(&remote, "after")).await.as_deref(), Ok("after"));
}
