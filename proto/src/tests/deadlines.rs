//! Every call ends at its deadline, however long the service takes.

use super::arbitrary::{campaign, job, map};
use super::scripted::serve;
use super::services::{asking, example};
use crate::client;
use crate::server::Services;
use async_trait::async_trait;
use domain::campaign::{Campaign, CampaignStatus, ClaimRequest, Grant, PlannerRef, Quarantined, Ticket, Wish};
use domain::job::Outcome;
use domain::ledger::{After, PageVisit, Totals};
use domain::service::{
    AggregatorService, CampaignService, Code, GraphService, PlannerService, QuarantineVerdict, ServiceError,
};
use domain::state::{
    Difference, FrontierGrant, FrontierRequest, FrontierTicket, LocateRequest, Located, Map, MapStatus, Route, State,
    Version,
};
use domain::{CampaignId, Decision, DecisionRequest, Job, JobId, RunId, SiteId, StateId};
use futures::FutureExt as _;
use futures::future::{LocalBoxFuture, join_all, pending};
use futures::stream::BoxStream;
use platform::rpc::{ClientOptions, MAX_MESSAGE_BYTES, connect};
use prost::Message as _;
use serde_json::Value;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

type Answer<T> = Result<T, ServiceError>;

/// Answers nobody.
struct Asleep;

#[async_trait]
impl CampaignService for Asleep {
    async fn create(&self, _: Campaign) -> Answer<()> {
        pending().await
    }

    async fn submit(&self, _: Vec<Job>) -> Answer<u64> {
        pending().await
    }

    async fn claim(&self, _: ClaimRequest) -> Answer<Vec<Grant>> {
        pending().await
    }

    async fn heartbeat(&self, _: Vec<Ticket>) -> Answer<Vec<Ticket>> {
        pending().await
    }

    async fn release(&self, _: Vec<Ticket>) -> Answer<()> {
        pending().await
    }

    async fn wish(&self, _: &CampaignId, _: Wish) -> Answer<()> {
        pending().await
    }

    async fn status(&self, _: &CampaignId) -> Answer<CampaignStatus> {
        pending().await
    }

    async fn list(&self) -> Answer<Vec<CampaignStatus>> {
        pending().await
    }

    async fn watch(&self, _: &CampaignId) -> Answer<BoxStream<'static, Answer<CampaignStatus>>> {
        pending().await
    }

    async fn quarantine(&self, _: &CampaignId) -> Answer<Vec<Quarantined>> {
        pending().await
    }

    async fn jobs(&self, _: &CampaignId, _: u64, _: usize) -> Answer<Vec<Job>> {
        pending().await
    }

    async fn settle(&self, _: &CampaignId, _: Vec<JobId>, _: QuarantineVerdict) -> Answer<u64> {
        pending().await
    }
}

#[async_trait]
impl PlannerService for Asleep {
    async fn decide(&self, _: &PlannerRef, _: DecisionRequest) -> Answer<Decision> {
        pending().await
    }

    async fn ready(&self) -> Answer<()> {
        pending().await
    }
}

#[async_trait]
impl AggregatorService for Asleep {
    async fn totals(&self, _: &CampaignId) -> Answer<Totals> {
        pending().await
    }

    async fn outcomes(&self, _: &CampaignId, _: After, _: usize) -> Answer<Vec<Outcome>> {
        pending().await
    }

    async fn visits(&self, _: &CampaignId, _: Option<&str>, _: usize) -> Answer<Vec<PageVisit>> {
        pending().await
    }
}

#[async_trait]
impl GraphService for Asleep {
    async fn locate(&self, _: LocateRequest) -> Answer<Located> {
        pending().await
    }

    async fn claim_frontier(&self, _: FrontierRequest) -> Answer<Vec<FrontierGrant>> {
        pending().await
    }

    async fn renew_frontier(&self, _: Vec<FrontierTicket>) -> Answer<Vec<FrontierTicket>> {
        pending().await
    }

    async fn release_frontier(&self, _: Vec<FrontierTicket>) -> Answer<()> {
        pending().await
    }

    async fn shortest_path(&self, _: &SiteId, _: Option<StateId>, _: StateId) -> Answer<Option<Route>> {
        pending().await
    }

    async fn search(&self, _: &SiteId, _: &str, _: usize) -> Answer<Vec<(State, f64)>> {
        pending().await
    }

    async fn map(&self, _: &SiteId, _: Option<&RunId>) -> Answer<Map> {
        pending().await
    }

    async fn sites(&self) -> Answer<Vec<SiteId>> {
        pending().await
    }

    async fn versions(&self, _: &SiteId) -> Answer<Vec<Version>> {
        pending().await
    }

    async fn diff(&self, _: &SiteId, _: &RunId, _: &RunId) -> Answer<Difference> {
        pending().await
    }

    async fn watch(&self, _: &SiteId) -> Answer<BoxStream<'static, Answer<MapStatus>>> {
        pending().await
    }
}

/// The deadlines: of questions and small changes, of what may move many rows, and of a decision, in seconds.
const QUESTION: u64 = 15;
const LARGE: u64 = 120;
const DECISION: u64 = 40;

/// A method, the seconds that it is given, and what the call of it failed with.
type Call<'a> = (&'static str, u64, LocalBoxFuture<'a, ServiceError>);

/// A call that nobody answers.
fn call<'a, T>(method: &'static str, seconds: u64, answer: impl Future<Output = Answer<T>> + 'a) -> Call<'a> {
    let refused = async move {
        match answer.await {
            Ok(_) => panic!("{method} was answered"),
            Err(error) => error,
        }
    };
    (method, seconds, refused.boxed_local())
}

/// The methods of all services.
fn methods() -> BTreeSet<String> {
    let descriptors = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
    let files = prost_types::FileDescriptorSet::decode(descriptors.as_slice()).unwrap().file;
    let services = files.into_iter().filter(|file| file.package() == "rutter.v1").flat_map(|file| file.service);
    let methods = services.flat_map(|service| {
        let name = service.name().to_owned();
        service.method.into_iter().map(move |method| (name.clone(), method))
    });
    methods.map(|(service, method)| format!("{service}/{}", method.name())).collect()
}

/// Lets the time pass, as fast as sockets allow, and counts the seconds. The time does not jump by itself from one timer to
/// the next as long as this runs, so that connections stay alive.
#[expect(clippy::disallowed_methods, reason = "the time of timers stands still; sockets need a moment of the real one")]
pub(super) async fn pass_time(seconds: &Cell<u64>) {
    loop {
        for _ in 0..4 {
            tokio::time::advance(Duration::from_millis(250)).await;
            std::thread::sleep(Duration::from_millis(1));
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
        }
        seconds.set(seconds.get() + 1);
    }
}

#[tokio::test]
async fn every_call_ends_at_its_deadline_when_the_service_takes_longer() {
    let asleep = Arc::new(Asleep);
    let services = Services::new(MAX_MESSAGE_BYTES).campaigns(asleep.clone()).aggregator(asleep.clone());
    let running = serve(services.planner(asleep.clone()).graph(asleep)).await;
    let (queue, ledger) = (client::campaigns(&running.connection), client::aggregator(&running.connection));
    let graph = client::graph(&running.connection);
    let mind = client::planner(std::slice::from_ref(&running.connection), Duration::from_secs(DECISION));
    let (name, site, run, planner) =
        (CampaignId::new("nightly"), SiteId::new("shop"), RunId::new("run"), PlannerRef::named("ground"));
    let (drop, jobs) = (QuarantineVerdict::Drop, vec![JobId::new("a")]);
    let claim = ClaimRequest::new("crawler-1", 4);
    let calls = [
        call("CampaignService/Create", QUESTION, queue.create(example(campaign()))),
        call("CampaignService/Submit", LARGE, queue.submit(vec![example(job())])),
        call("CampaignService/Claim", QUESTION, queue.claim(claim)),
        call("CampaignService/Heartbeat", QUESTION, queue.heartbeat(Vec::new())),
        call("CampaignService/Release", QUESTION, queue.release(Vec::new())),
        call("CampaignService/Wish", LARGE, queue.wish(&name, Wish::Pause)),
        call("CampaignService/Status", QUESTION, queue.status(&name)),
        call("CampaignService/List", QUESTION, queue.list()),
        call("CampaignService/Watch", QUESTION, queue.watch(&name)),
        call("CampaignService/Quarantine", QUESTION, queue.quarantine(&name)),
        call("CampaignService/Jobs", LARGE, queue.jobs(&name, 0, 3)),
        call("CampaignService/Settle", LARGE, queue.settle(&name, jobs, drop)),
        call("AggregatorService/Totals", QUESTION, ledger.totals(&name)),
        call("AggregatorService/Outcomes", LARGE, ledger.outcomes(&name, None, 3)),
        call("AggregatorService/Visits", LARGE, ledger.visits(&name, None, 3)),
        call("GraphService/Locate", QUESTION, graph.locate(example(map::locate()))),
        call("GraphService/ClaimFrontier", QUESTION, graph.claim_frontier(example(map::frontier_request()))),
        call("GraphService/RenewFrontier", QUESTION, graph.renew_frontier(vec![example(map::ticket())])),
        call("GraphService/ReleaseFrontier", QUESTION, graph.release_frontier(vec![example(map::ticket())])),
        call("GraphService/ShortestPath", QUESTION, graph.shortest_path(&site, None, StateId(1))),
        call("GraphService/Search", LARGE, graph.search(&site, "words", 3)),
        call("GraphService/ReadMap", LARGE, graph.map(&site, None)),
        call("GraphService/Sites", QUESTION, graph.sites()),
        call("GraphService/Versions", QUESTION, graph.versions(&site)),
        call("GraphService/Diff", LARGE, graph.diff(&site, &run, &run)),
        call("GraphService/Watch", QUESTION, graph.watch(&site)),
        call("PlannerService/Decide", DECISION, mind.decide(&planner, asking(Value::Null))),
    ];
    let named: BTreeSet<String> = calls.iter().map(|(method, ..)| (*method).to_owned()).collect();
    assert_eq!(named, methods(), "a method is missing here");

    tokio::time::pause();
    let passed = Cell::new(0);
    let ending = calls.map(async |(method, given, call): Call<'_>| {
        let ended = tokio::time::timeout(Duration::from_secs(2 * LARGE), call).await;
        let error = ended.unwrap_or_else(|_| panic!("{method} has no deadline"));
        (method, given, passed.get(), error)
    });
    let ended = tokio::select! {
        ended = join_all(ending) => ended,
        () = pass_time(&passed) => unreachable!("time passes for ever"),
    };
    for (method, given, after, error) in ended {
        assert_eq!(error.code, Code::Deadline, "{method} after {after} s: {error}");
        assert!((given - 1..=given + 2).contains(&after), "{method} ended after {after} s, not after {given}");
        assert!(error.message.contains(&running.endpoint), "{method}: {error}");
    }
}

#[tokio::test]
async fn a_planner_that_says_nothing_is_not_waited_for_to_be_ready() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let mind = client::planner(&[connect(&ClientOptions::to(&endpoint)).unwrap()], Duration::from_secs(DECISION));
    let ready = tokio::time::timeout(Duration::from_secs(10), mind.ready()).await;
    let error = ready.expect("it is asked for two seconds").unwrap_err();
    assert_eq!(error.code, Code::Unavailable);
    assert!(error.message.contains(&endpoint), "{error}");
}
