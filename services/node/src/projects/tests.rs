//! Two projects on one server: a matrix of tokens and calls, over real connections.

use super::*;
use crate::{NodeConfig, Role, serve};
use domain::job::{BenchmarkTask, Work};
use domain::service::Code;
use domain::{EpisodeId, Fence, Observation, TaskId};
use futures::future::BoxFuture;
use platform::rpc::{ClientOptions, Connection, ServerOptions, TokenRef, connect};
use platform::spawn;
use serde_json::Value;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

/// A server with the projects `a` and `b`, and the files of their tokens.
struct Cluster {
    folder: TempDir,
    address: SocketAddr,
    _end: DropGuard,
}

/// Whose token a call carries.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Caller {
    Everything,
    Project(&'static str),
}

impl Cluster {
    async fn start() -> Self {
        let folder = TempDir::new().expect("a folder");
        for name in ["everything", "a", "b"] {
            std::fs::write(folder.path().join(name), format!("token-of-{name}")).expect("a token");
        }
        let token = |name: &str| TokenRef::File(folder.path().join(name));
        let projects = ["a", "b"].map(|name| (name.to_owned(), token(name))).into();
        let bind = "127.0.0.1:0".parse().expect("an address");
        let server = ServerOptions { token: Some(token("everything")), projects, ..ServerOptions::at(bind) };
        let mut settings = NodeConfig { server, ..NodeConfig::default() };
        settings.storage.directory = folder.path().join("data");
        let roles = BTreeSet::from([Role::Campaigns, Role::Planner, Role::Aggregator, Role::Graph]);
        let (asked, (tell, told)) = (CancellationToken::new(), oneshot::channel());
        let ending = asked.clone();
        spawn::detached("cluster", async move {
            let serving = |address| tell.send(address).expect("somebody waits for it");
            serve::serve(&settings, &roles, ending, serving).await.expect("it serves")
        });
        Self { address: told.await.expect("an address"), folder, _end: asked.drop_guard() }
    }

    fn connection(&self, caller: Caller) -> Connection {
        let name = match caller {
            Caller::Everything => "everything",
            Caller::Project(name) => name,
        };
        let token = Some(TokenRef::File(self.folder.path().join(name)));
        connect(&ClientOptions { token, ..ClientOptions::to(format!("http://{}", self.address)) })
            .expect("a connection")
    }
}

fn job(campaign: &CampaignId) -> Job {
    let task = BenchmarkTask { benchmark: "suite".into(), task: TaskId::new("click"), seed: 1, relaxed: false };
    Job { id: JobId::new("click/1"), campaign: campaign.clone(), work: Work::Benchmark(task) }
}

fn version(site: &SiteId) -> Version {
    Version { site: site.clone(), run: RunId::new("a::nightly"), role: "guest".into() }
}

fn page(site: &SiteId) -> LocateRequest {
    LocateRequest {
        version: version(site),
        observation: Arc::new(Observation { url: "http://127.0.0.1:8000/".into(), ..Observation::default() }),
        vector: None,
        arrival: None,
        reload_of: None,
        opened: None,
        ticket: None,
        screenshot: None,
    }
}

fn question() -> DecisionRequest {
    DecisionRequest {
        episode: EpisodeId(Uuid::nil()),
        job: JobId::new("click/1"),
        instruction: "Press Save".into(),
        observation: Arc::default(),
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

type Answer = BoxFuture<'static, Result<(), ServiceError>>;

/// Every call about what belongs to project `a`, by name.
fn calls_about_a(connection: &Connection) -> Vec<(&'static str, Answer)> {
    let campaigns = proto::client::campaigns(connection);
    let (ledger, maps) = (proto::client::aggregator(connection), proto::client::graph(connection));
    let (campaign, site) = (CampaignId::new("a::nightly"), SiteId::new("a::http://127.0.0.1:8000"));
    macro_rules! call {
        ($name:literal, $service:ident, $($of:ident),*; $call:expr) => {{
            let ($service, $($of),*) = ($service.clone(), $($of.clone()),*);
            let answer: Answer = Box::pin(async move { $call.await.map(drop) });
            ($name, answer)
        }};
    }
    vec![
        call!("create", campaigns, campaign; campaigns.create(Campaign::new(campaign, PlannerRef::named("random")))),
        call!("submit", campaigns, campaign; campaigns.submit(vec![job(&campaign)])),
        call!("wish", campaigns, campaign; campaigns.wish(&campaign, Wish::Pause)),
        call!("status", campaigns, campaign; campaigns.status(&campaign)),
        call!("watch", campaigns, campaign; campaigns.watch(&campaign)),
        call!("quarantine", campaigns, campaign; campaigns.quarantine(&campaign)),
        call!("jobs", campaigns, campaign; campaigns.jobs(&campaign, 0, 10)),
        call!("settle", campaigns, campaign; campaigns.settle(&campaign, vec![], QuarantineVerdict::Retry)),
        call!("totals", ledger, campaign; ledger.totals(&campaign)),
        call!("outcomes", ledger, campaign; ledger.outcomes(&campaign, After::default(), 10)),
        call!("visits", ledger, campaign; ledger.visits(&campaign, None, 10)),
        call!("path", maps, site; maps.shortest_path(&site, None, StateId(1))),
        call!("search", maps, site; maps.search(&site, "shop", 3)),
        call!("map", maps, site; maps.map(&site, None)),
        call!("versions", maps, site; maps.versions(&site)),
        call!("diff", maps, site; maps.diff(&site, &RunId::new("a::nightly"), &RunId::new("a::nightly"))),
        call!("watch map", maps, site; maps.watch(&site)),
    ]
}

/// Every call by which the roles of the cluster do its work.
fn calls_of_roles(connection: &Connection) -> Vec<(&'static str, Answer)> {
    let campaigns = proto::client::campaigns(connection);
    let (planner, maps) = (
        proto::client::planner(std::slice::from_ref(connection), Duration::from_secs(20)),
        proto::client::graph(connection),
    );
    let site = SiteId::new("a::http://127.0.0.1:8000");
    let ticket = Ticket { campaign: CampaignId::new("a::nightly"), job: JobId::new("click/1"), fence: Fence(1) };
    macro_rules! call {
        ($name:literal, $service:ident, $($of:ident),*; $call:expr) => {{
            let ($service, $($of),*) = ($service.clone(), $($of.clone()),*);
            let answer: Answer = Box::pin(async move { $call.await.map(drop) });
            ($name, answer)
        }};
    }
    let request = FrontierRequest { version: version(&site), crawler: "c".into(), at: None, count: 1 };
    vec![
        call!("locate", maps, site; maps.locate(page(&site))),
        call!("claim frontier", maps, request; maps.claim_frontier(request)),
        call!("renew frontier", maps, ; maps.renew_frontier(vec![])),
        call!("release frontier", maps, ; maps.release_frontier(vec![])),
        call!("claim", campaigns, ; campaigns.claim(ClaimRequest::new("c", 1))),
        call!("heartbeat", campaigns, ticket; campaigns.heartbeat(vec![ticket])),
        call!("release", campaigns, ticket; campaigns.release(vec![ticket])),
        call!("decide", planner, ; planner.decide(&PlannerRef::named("random"), question())),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_a_project_reaches_what_belongs_to_it_and_nothing_else() {
    let cluster = Cluster::start().await;
    let (everything, a, b) = (Caller::Everything, Caller::Project("a"), Caller::Project("b"));
    // The owner's calls come first, and make what the others are refused.
    for (name, answer) in calls_of_roles(&cluster.connection(everything)) {
        if let Err(error) = answer.await {
            assert_ne!(error.code, Code::Unauthenticated, "{name}: {error}");
        }
    }
    for caller in [a, everything] {
        for (name, answer) in calls_about_a(&cluster.connection(caller)) {
            answer.await.unwrap_or_else(|error| panic!("{caller:?} {name}: {error}"));
        }
    }
    for (caller, calls) in [
        (b, calls_about_a(&cluster.connection(b))),
        (a, calls_of_roles(&cluster.connection(a))),
        (b, calls_of_roles(&cluster.connection(b))),
    ] {
        for (name, answer) in calls {
            let error = answer.await.err().unwrap_or_else(|| panic!("{caller:?} {name} is answered"));
            assert_eq!(error.code, Code::Unauthenticated, "{caller:?} {name}: {error}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_hold_what_belongs_to_the_caller() {
    let cluster = Cluster::start().await;
    let all = proto::client::campaigns(&cluster.connection(Caller::Everything));
    let maps = proto::client::graph(&cluster.connection(Caller::Everything));
    for name in ["a::nightly", "b::nightly", "nightly"] {
        all.create(Campaign::new(CampaignId::new(name), PlannerRef::named("random"))).await.expect("created");
    }
    for name in ["a::shop", "b::shop", "shop"] {
        maps.locate(page(&SiteId::new(name))).await.expect("located");
    }
    for (caller, campaigns, sites) in [
        (Caller::Project("a"), vec!["a::nightly"], vec!["a::shop"]),
        (Caller::Project("b"), vec!["b::nightly"], vec!["b::shop"]),
        (Caller::Everything, vec!["a::nightly", "b::nightly", "nightly"], vec!["a::shop", "b::shop", "shop"]),
    ] {
        let connection = cluster.connection(caller);
        let listed = proto::client::campaigns(&connection).list().await.expect("listed");
        let names: BTreeSet<&str> = listed.iter().map(|status| status.campaign.id.as_str()).collect();
        assert_eq!(names, campaigns.into_iter().collect(), "{caller:?}");
        let listed = proto::client::graph(&connection).sites().await.expect("listed");
        assert_eq!(listed, sites.into_iter().map(SiteId::new).collect::<Vec<_>>(), "{caller:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_cannot_take_the_site_of_another_project_along() {
    let cluster = Cluster::start().await;
    let campaigns = proto::client::campaigns(&cluster.connection(Caller::Project("a")));
    let campaign = CampaignId::new("a::nightly");
    campaigns.create(Campaign::new(campaign.clone(), PlannerRef::named("random"))).await.expect("created");
    let mut job = job(&campaign);
    job.work = Work::Benchmark(BenchmarkTask {
        benchmark: "b::suite".into(),
        task: TaskId::new("click"),
        seed: 1,
        relaxed: false,
    });
    let error = campaigns.submit(vec![job]).await.expect_err("refused");
    assert_eq!(error.code, Code::Invalid, "{error}");
    assert!(error.message.contains("of project `b`") && error.message.contains("is of `a`"), "{error}");
}
