//! Questions share one call, and none notices the others.

use super::services::asking;
use crate::server::Services;
use crate::status::refuse;
use crate::{client, v1};
use async_trait::async_trait;
use domain::campaign::PlannerRef;
use domain::service::{Code, PlannerService, ServiceError};
use domain::{Choice, Decision, DecisionRequest, Usage};
use futures::stream::Pending;
use platform::rpc::{ClientOptions, MAX_MESSAGE_BYTES, Routes, Server, ServerOptions, connect};
use platform::{Health, Metrics};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, Streaming};

const SOON: Duration = Duration::from_secs(10);

/// Answers when it is let, tells what it begins and what it leaves, and cannot bear an instruction to panic.
struct Held {
    begun: Semaphore,
    left: Arc<Semaphore>,
    may_answer: Semaphore,
    /// What the next one says, where it is not its instruction.
    reason: Mutex<Option<String>>,
}

impl Default for Held {
    fn default() -> Self {
        Self {
            begun: Semaphore::new(0),
            left: Arc::new(Semaphore::new(0)),
            may_answer: Semaphore::new(0),
            reason: Mutex::default(),
        }
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
        let reason = self.reason.lock().unwrap().take();
        Ok(Decision {
            choice: Choice::NeedScreenshot,
            reason: reason.unwrap_or(request.instruction),
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
    serve_within(at, MAX_MESSAGE_BYTES).await
}

/// The same with a limit to its messages, in bytes.
async fn serve_within(at: SocketAddr, limit: usize) -> Serving {
    let (held, metrics, end) = (Arc::new(Held::default()), Metrics::default(), CancellationToken::new());
    let server = Server::bind(&ServerOptions::at(at)).await.unwrap().measured(&metrics);
    let address = server.address();
    let routes = Services::new(limit).planner(held.clone(), None).routes().unwrap();
    let served = platform::spawn::detached("served", server.serve(routes, Health::default(), end.clone()));
    Serving { held, address, metrics, end, served }
}

async fn begun() -> (Serving, Arc<dyn PlannerService>) {
    let serving = serve("127.0.0.1:0".parse().unwrap()).await;
    let remote = remote(serving.address, Duration::from_secs(60));
    (serving, remote)
}

fn remote(address: SocketAddr, deadline: Duration) -> Arc<dyn PlannerService> {
    pool(&[address], deadline)
}

fn pool(addresses: &[SocketAddr], deadline: Duration) -> Arc<dyn PlannerService> {
    let to = |address| connect(&ClientOptions::to(format!("http://{address}"))).unwrap();
    client::planner(&addresses.iter().map(to).collect::<Vec<_>>(), deadline)
}

/// A way to a server that can be cut.
async fn way(to: SocketAddr) -> (SocketAddr, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let mut way = JoinSet::new();
    way.spawn(async move {
        let (mut from, _) = listener.accept().await.unwrap();
        let mut to = TcpStream::connect(to).await.unwrap();
        // Either side may go away.
        let _ = copy_bidirectional(&mut from, &mut to).await;
    });
    (at, way)
}

/// Asks, beside what the test does.
fn ask(remote: &Arc<dyn PlannerService>, instruction: &str) -> JoinHandle<Result<Decision, ServiceError>> {
    let request = DecisionRequest { instruction: instruction.to_owned(), ..asking(Value::Null) };
    let remote = Arc::clone(remote);
    platform::spawn::detached("served", async move { remote.decide(&PlannerRef::named("held"), request).await })
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

#[tokio::test]
async fn a_server_that_ends_sends_new_questions_elsewhere_while_it_answers_others() {
    let (ending, other) = (begun().await.0, begun().await.0);
    let remote = pool(&[ending.address, other.address], Duration::from_secs(60));
    let slow = ask(&remote, "slow");
    told(&ending.held.begun).await;
    ending.end.cancel();
    other.held.may_answer.add_permits(2);
    for instruction in ["one", "two"] {
        assert_eq!(answer(ask(&remote, instruction)).await.as_deref(), Ok(instruction));
    }
    ending.held.may_answer.add_permits(1);
    assert_eq!(answer(slow).await.as_deref(), Ok("slow"));
}

#[tokio::test]
async fn a_connection_that_breaks_sends_its_questions_to_the_next_planner() {
    let (cut, other) = (begun().await.0, begun().await.0);
    let (address, way) = way(cut.address).await;
    let remote = pool(&[address, other.address], Duration::from_secs(60));
    let asked = ask(&remote, "asked twice");
    told(&cut.held.begun).await;
    drop(way);
    other.held.may_answer.add_permits(1);
    assert_eq!(answer(asked).await.as_deref(), Ok("asked twice"));
    told(&cut.held.left).await;
}

#[tokio::test]
async fn an_answer_that_is_too_large_fails_that_question_alone() {
    const LIMIT: usize = 20_000;
    let serving = serve_within("127.0.0.1:0".parse().unwrap(), LIMIT).await;
    let remote = remote(serving.address, Duration::from_secs(60));
    let mut refused = 0;
    // Around the limit, as what is around an answer is larger in a reply than where it has a call of its own.
    let lengths = LIMIT - 70..LIMIT;
    for length in lengths.clone() {
        *serving.held.reason.lock().unwrap() = Some("x".repeat(length));
        let large = ask(&remote, "large");
        told(&serving.held.begun).await;
        let other = ask(&remote, "other");
        told(&serving.held.begun).await;
        serving.held.may_answer.add_permits(2);
        match answer(large).await {
            Ok(told) => assert_eq!(told.len(), length),
            Err(error) => {
                assert_eq!(error.code, Code::TooLarge, "{}", error.message);
                refused += 1;
            }
        }
        assert_eq!(answer(other).await.as_deref(), Ok("other"));
    }
    assert!((1..lengths.len()).contains(&refused), "{refused} of {} were too large", lengths.len());
}

/// A planner of a version that knows nothing of calls that last: how often it was asked by one, and by calls of their own.
#[derive(Default)]
struct Older([AtomicUsize; 2]);

#[async_trait]
impl v1::planner_service_server::PlannerService for Older {
    type DecideManyStream = Pending<Result<v1::Reply, Status>>;

    async fn decide_many(
        &self,
        _: Request<Streaming<v1::Question>>,
    ) -> Result<Response<Self::DecideManyStream>, Status> {
        self.0[0].fetch_add(1, Ordering::Relaxed);
        Err(Status::unimplemented(""))
    }

    async fn decide(&self, _: Request<v1::DecideRequest>) -> Result<Response<v1::DecideResponse>, Status> {
        self.0[1].fetch_add(1, Ordering::Relaxed);
        Err(refuse(ServiceError::new(Code::Conflict, "no")))
    }
}

#[tokio::test]
async fn an_older_planner_is_asked_by_calls_of_their_own_and_seldom_whether_it_is_still_old() {
    let older = Arc::new(Older::default());
    let service = v1::planner_service_server::PlannerServiceServer::from_arc(Arc::clone(&older));
    let server = Server::bind(&ServerOptions::at("127.0.0.1:0".parse().unwrap())).await.unwrap();
    let remote = remote(server.address(), Duration::from_secs(60));
    platform::spawn::detached(
        "served",
        server.serve(Routes::new(service), Health::default(), CancellationToken::new()),
    );
    for _ in 0..3 {
        let error = answer(ask(&remote, "anything")).await.unwrap_err();
        assert_eq!((error.code, error.message.as_str()), (Code::Conflict, "no"));
    }
    assert_eq!(older.0.each_ref().map(|times| times.load(Ordering::Relaxed)), [1, 3]);
}
