//! A planner that is killed, frozen, replaced or cut off costs nobody an answer while another one answers, or when it does
//! again.

use super::deadlines::pass_time;
use super::scripted::Mind;
use super::services::{asking, mind};
use crate::client::{self, UNSENT};
use crate::server::Services;
use async_trait::async_trait;
use domain::campaign::PlannerRef;
use domain::service::{Code, PlannerService, ServiceError};
use domain::{Choice, Decision, DecisionRequest, Usage};
use platform::rpc::{ClientOptions, MAX_MESSAGE_BYTES, Server, ServerOptions, connect};
use platform::{Health, Metrics};
use serde_json::Value;
use std::cell::Cell;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

const SOON: Duration = Duration::from_secs(10);

/// Longer than any test waits.
const LONG: Duration = Duration::from_secs(600);

/// Answers when it is let, says what it begins and what it leaves, and fails as it is told by its instruction.
struct Slow {
    begun: Semaphore,
    left: Arc<Semaphore>,
    may_answer: Semaphore,
}

impl Default for Slow {
    fn default() -> Self {
        let none = || Semaphore::new(0);
        Self { begun: none(), left: Arc::new(none()), may_answer: none() }
    }
}

/// Says when it ends, whichever way.
struct Leaves(Arc<Semaphore>);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

fn spent() -> Usage {
    Usage { prompt_tokens: 900, completion_tokens: 30, cost_usd: 0.5, calls: 3 }
}

#[async_trait]
impl PlannerService for Slow {
    async fn decide(&self, _: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError> {
        let _leaves = Leaves(Arc::clone(&self.left));
        self.begun.add_permits(1);
        match request.instruction.as_str() {
            "panic" => panic!("on purpose"),
            "unknown" => return Err(ServiceError::new(Code::NotFound, "decide: there is no such planner")),
            "costly" => {
                let error = ServiceError::new(Code::Unavailable, "decide: the planner is about to end");
                return Err(ServiceError { usage: spent(), ..error });
            }
            _ => {}
        }
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

/// Waits for something that is said once.
async fn told(times: &Semaphore) {
    timeout(SOON, times.acquire()).await.expect("it is told soon").expect("it is open").forget();
}

struct Serving<P> {
    planner: Arc<P>,
    address: SocketAddr,
    metrics: Metrics,
    end: CancellationToken,
    served: JoinHandle<Result<(), platform::rpc::Error>>,
}

async fn serve_at<P: PlannerService + 'static>(at: SocketAddr, planner: Arc<P>) -> Serving<P> {
    let (metrics, end) = (Metrics::default(), CancellationToken::new());
    // Open, since some tests reach it by another port, whose token would be another.
    let options = ServerOptions { allow_open: true, ..ServerOptions::at(at) };
    let server = Server::bind(&options).await.unwrap().measured(&metrics);
    let address = server.address();
    let routes = Services::new(MAX_MESSAGE_BYTES).planner(planner.clone()).routes().unwrap();
    let served = platform::spawn::detached("server", server.serve(routes, Health::default(), end.clone()));
    Serving { planner, address, metrics, end, served }
}

async fn slow() -> Serving<Slow> {
    serve_at("127.0.0.1:0".parse().unwrap(), Arc::default()).await
}

/// One that answers at once.
async fn prompt() -> Serving<Mind> {
    serve_at("127.0.0.1:0".parse().unwrap(), mind(Value::Null, Duration::ZERO)).await
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

/// A process that stands still: the machine accepts connections and bytes for it, and nothing answers.
async fn frozen() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    (listener, at)
}

fn asked(instruction: &str) -> DecisionRequest {
    DecisionRequest { instruction: instruction.to_owned(), ..asking(Value::Null) }
}

/// Asks, beside what the test does.
fn ask(remote: &Arc<dyn PlannerService>, instruction: &str) -> JoinHandle<Result<Decision, ServiceError>> {
    let (remote, request) = (Arc::clone(remote), asked(instruction));
    platform::spawn::detached("decision", async move { remote.decide(&PlannerRef::named("slow"), request).await })
}

async fn answer(asked: JoinHandle<Result<Decision, ServiceError>>) -> Result<String, ServiceError> {
    let answered = timeout(SOON, asked).await.expect("it is answered soon").expect("no panic");
    answered.map(|decision| decision.reason)
}

#[tokio::test]
async fn each_question_has_its_own_answer_and_is_measured() {
    let serving = slow().await;
    let remote = pool(&[serving.address], LONG);
    let asked = ["one", "two", "three"].map(|instruction| (instruction, ask(&remote, instruction)));
    serving.planner.may_answer.add_permits(3);
    for (instruction, asked) in asked {
        assert_eq!(answer(asked).await.as_deref(), Ok(instruction));
    }
    let figures = serving.metrics.render();
    let count = "rutter_rpc_server_seconds_count{method=\"/rutter.v1.PlannerService/Decide\"} 3";
    assert!(figures.contains(count), "{figures}");
}

#[tokio::test]
async fn more_questions_than_may_be_unsent_are_under_way_at_once() {
    let serving = slow().await;
    let remote = pool(&[serving.address], LONG);
    let all: Vec<_> = (0..4 * UNSENT).map(|_| ask(&remote, "one of many")).collect();
    for _ in 0..all.len() {
        told(&serving.planner.begun).await;
    }
    serving.planner.may_answer.add_permits(all.len());
    for asked in all {
        assert_eq!(answer(asked).await.as_deref(), Ok("one of many"));
    }
}

#[tokio::test]
async fn each_kind_of_planner_has_its_own_deadline_so_that_one_that_hangs_is_soon_passed_over() {
    // It answers whether it is there, and never what is to be done.
    let (hangs, other) = (slow().await, prompt().await);
    let to = |address| connect(&ClientOptions::to(format!("http://{address}"))).unwrap();
    let short = |planner: &PlannerRef| if planner.name == "slow" { Duration::from_millis(300) } else { LONG };
    let remote = client::planner_within(&[to(hangs.address), to(other.address)], Arc::new(short));
    for _ in 0..4 {
        answer(ask(&remote, "anything")).await.expect("the other one answers");
    }
    let thinking = PlannerRef::named("asks a model");
    let request = asked("thinks");
    let asking = platform::spawn::detached("decision", async move { remote.decide(&thinking, request).await });
    told(&hangs.planner.begun).await;
    told(&hangs.planner.begun).await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    let asked_before = other.planner.asked.lock().unwrap().len();
    assert!((4..=5).contains(&asked_before), "{asked_before}");
    hangs.planner.may_answer.add_permits(4);
    answer(asking).await.expect("it is given the time");
}

#[tokio::test]
async fn a_question_that_nobody_waits_for_is_left() {
    let serving = slow().await;
    let remote = pool(&[serving.address], LONG);
    let (dropped, other) = (ask(&remote, "dropped"), ask(&remote, "other"));
    told(&serving.planner.begun).await;
    told(&serving.planner.begun).await;
    dropped.abort();
    told(&serving.planner.left).await;
    serving.planner.may_answer.add_permits(1);
    assert_eq!(answer(other).await.as_deref(), Ok("other"));
}

#[tokio::test]
async fn a_planner_that_takes_too_long_is_left_and_the_next_one_asked() {
    let (serving, other) = (slow().await, prompt().await);
    let error = answer(ask(&pool(&[serving.address], Duration::from_millis(200)), "slow")).await.unwrap_err();
    assert_eq!(error.code, Code::Deadline, "{}", error.message);
    told(&serving.planner.left).await;
    let both = pool(&[serving.address, other.address], Duration::from_millis(200));
    answer(ask(&both, "slow")).await.expect("the other one answers");
    assert_eq!(other.planner.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_planner_that_panics_fails_that_question_alone_and_is_not_asked_again() {
    let (serving, next) = (slow().await, prompt().await);
    let remote = pool(&[serving.address, next.address], LONG);
    let error = answer(ask(&remote, "panic")).await.unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::Internal, "decide: the planner panicked"));
    assert!(next.planner.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_planner_that_refuses_is_not_passed_over() {
    let (serving, next) = (slow().await, prompt().await);
    let remote = pool(&[serving.address, next.address], LONG);
    let error = answer(ask(&remote, "unknown")).await.unwrap_err();
    assert_eq!(error.code, Code::NotFound);
    assert!(next.planner.asked.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_a_failed_try_cost_is_counted_once() {
    let (costly, next) = (slow().await, prompt().await);
    let remote = pool(&[costly.address, next.address], LONG);
    let decision = remote.decide(&PlannerRef::named("slow"), asked("costly")).await.unwrap();
    let mut expected = next.planner.answer.usage;
    expected += spent();
    assert_eq!(decision.usage, expected);
    let alone = pool(&[costly.address], LONG);
    let error = alone.decide(&PlannerRef::named("slow"), asked("costly")).await.unwrap_err();
    assert_eq!((error.code, error.usage), (Code::Unavailable, spent()));
}

#[tokio::test]
async fn a_server_that_ends_answers_what_is_under_way_and_new_questions_go_elsewhere() {
    let (ending, other) = (slow().await, prompt().await);
    let remote = pool(&[ending.address, other.address], LONG);
    let under_way = ask(&remote, "slow");
    told(&ending.planner.begun).await;
    ending.end.cancel();
    for _ in 0..3 {
        answer(ask(&remote, "new")).await.expect("the other one answers");
    }
    ending.planner.may_answer.add_permits(1);
    assert_eq!(answer(under_way).await.as_deref(), Ok("slow"));
    timeout(SOON, ending.served).await.expect("it ends").unwrap().unwrap();
}

#[tokio::test]
async fn a_planner_that_was_replaced_is_asked_as_the_one_before() {
    let before = slow().await;
    let remote = pool(&[before.address], LONG);
    before.planner.may_answer.add_permits(1);
    assert_eq!(answer(ask(&remote, "before")).await.as_deref(), Ok("before"));
    before.end.cancel();
    timeout(SOON, before.served).await.expect("it ends").unwrap().unwrap();
    let error = answer(ask(&remote, "nobody is there")).await.unwrap_err();
    assert_eq!(error.code, Code::Unavailable, "{}", error.message);
    let after = serve_at(before.address, Arc::new(Slow::default())).await;
    after.planner.may_answer.add_permits(1);
    assert_eq!(answer(ask(&remote, "after")).await.as_deref(), Ok("after"));
}

#[tokio::test]
async fn a_connection_that_breaks_sends_its_questions_to_the_next_planner() {
    let (cut, other) = (slow().await, prompt().await);
    let (address, way) = way(cut.address).await;
    let remote = pool(&[address, other.address], LONG);
    let asked = ask(&remote, "asked twice");
    told(&cut.planner.begun).await;
    drop(way);
    answer(asked).await.expect("the other one answers");
    told(&cut.planner.left).await;
}

#[tokio::test]
async fn a_planner_that_is_away_is_passed_over() {
    let other = prompt().await;
    // Nothing listens on the discard port.
    let nowhere = "127.0.0.1:9".parse().unwrap();
    let remote = pool(&[nowhere, other.address], LONG);
    for _ in 0..4 {
        answer(ask(&remote, "anything")).await.expect("one of them answers");
    }
    remote.ready().await.expect("one of them answers");
    let alone = pool(&[nowhere], LONG);
    for error in [alone.ready().await.unwrap_err(), answer(ask(&alone, "anything")).await.unwrap_err()] {
        assert_eq!(error.code, Code::Unavailable, "{}", error.message);
        assert!(error.message.contains("http://127.0.0.1:9") && error.message.contains("refused"), "{}", error.message);
    }
}

#[tokio::test]
async fn a_planner_that_stands_still_is_found_by_its_silence_and_afterwards_asked_first_whether_it_is_there() {
    let ((_still, silent), other) = (frozen().await, prompt().await);
    let (both, alone) = (pool(&[silent, other.address], LONG), pool(&[silent], LONG));
    let planner = PlannerRef::named("slow");
    tokio::time::pause();
    let passed = Cell::new(0);
    let after = async |remote: &Arc<dyn PlannerService>| {
        let begun = passed.get();
        let answer = remote.decide(&planner, asked("anything")).await;
        (answer, passed.get() - begun)
    };
    let asking = async {
        let (answer, seconds) = after(&both).await;
        answer.expect("the other one answers");
        assert!((10..=17).contains(&seconds), "pings find it after {seconds} s");
        for _ in 0..2 {
            let (answer, seconds) = after(&both).await;
            answer.expect("the other one answers");
            assert!(seconds <= 3, "{seconds} s");
        }
        for expected in [10..=17, 2..=3] {
            let (answer, seconds) = after(&alone).await;
            assert_eq!(answer.unwrap_err().code, Code::Unavailable);
            assert!(expected.contains(&seconds), "{seconds} s");
        }
    };
    tokio::select! {
        () = asking => {}
        () = pass_time(&passed) => unreachable!("time passes for ever"),
    }
}
