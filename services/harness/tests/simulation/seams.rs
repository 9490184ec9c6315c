//! The decorators of services, models and pages: without odds they are not noticed, and when every call is lost, each says so.

use async_trait::async_trait;
use backends::Journal;
use backends::log::MemoryLog;
use backends::map::{self, MemoryMaps};
use backends::queue::MemoryJobs;
use backends::results::MemoryResults;
use domain::campaign::{Closing, PlannerRef};
use domain::decision::{DecisionRequest, Screenshot};
use domain::language::Embedder;
use domain::observation::Stamp;
use domain::page::{Acted, Examination, PageError};
use domain::service::{GraphService, PlannerService};
use domain::state::{FrontierRequest, LocateRequest, Version};
use domain::storage::graph::{Changes, GraphStore};
use domain::storage::log::{EventLog, NewRecord, Topic};
use domain::{Action, CampaignId, Effect, ElementId, EpisodeId, JobId, Observation, Page, RunId, SiteId, StateId};
use futures::future::BoxFuture;
use graph::Graph;
use graph::suite::BagOfWords;
use harness::faults::{Faulty, Life, Link, Odds, Schedule, Trace};
use planner::{Planners, Random};
use platform::SystemClock;
use platform::health::Health;
use platform::tasks::Tasks;
use serde_json::{Value, json};
use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use url::Url;

const SHORT: Duration = Duration::from_millis(50);

const NOTHING: Odds = Odds {
    latency: Duration::ZERO,
    before: 0.0,
    after: 0.0,
    late: 0.0,
    longest: Duration::from_millis(2),
    twice: 0.0,
    reorder: 0.0,
};
/// Every call or its answer comes a little late.
const LATE: Odds = Odds { late: 1.0, ..NOTHING };
const LOST: Odds = Odds { before: 1.0, ..NOTHING };
const TWICE: Odds = Odds { twice: 1.0, ..NOTHING };

fn faulty<T: ?Sized>(inner: Arc<T>, odds: Odds) -> Faulty<T> {
    let schedule = Schedule::new(1, Trace::new(Arc::new(SystemClock::default()), 0));
    schedule.set_odds(odds);
    Faulty::new(inner, Link::new(schedule, "test", Life::default()))
}

/// The call did not come through, and its error names it.
fn is_lost<R, E: Display>(call: &str, answer: Result<R, E>) {
    let error = answer.err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains(&format!("{call}: the connection of test was lost")), "{call}: {error:?}");
}

fn version() -> Version {
    Version { site: SiteId::new("shop"), run: RunId::new("run"), role: "guest".into() }
}

#[tokio::test]
async fn the_decorated_tables_of_the_map_pass_the_suite_at_once_and_late() {
    for odds in [Odds::default(), LATE] {
        map::suite::run(|| async { Arc::new(faulty(Arc::new(MemoryMaps::default()), odds)) as Arc<dyn GraphStore> })
            .await;
    }
}

#[tokio::test]
async fn when_every_call_is_lost_each_of_the_maps_tables_says_so() {
    let (store, site) = (faulty(Arc::new(MemoryMaps::default()), LOST), SiteId::new("shop"));
    is_lost("since", store.since(&site, 0).await);
    is_lost("merge", store.merge(&version(), &Changes::default(), UNIX_EPOCH).await);
    is_lost("claim", store.claim(&version(), &[], "crawler", UNIX_EPOCH, SHORT).await);
    is_lost("renew", store.renew(&[], UNIX_EPOCH, SHORT).await);
    is_lost("release", store.release(&[]).await);
    is_lost("claimed", store.claimed(&site, UNIX_EPOCH).await);
    is_lost("versions", store.versions(&site).await);
    is_lost("sites", store.sites().await);
}

/// The map with a link before it, before its store, and before its embedder.
fn graph(service: Odds, below: Odds) -> Arc<dyn GraphService> {
    let store = Arc::new(faulty(Arc::new(MemoryMaps::default()), below));
    let (clock, embedder) =
        (Arc::new(SystemClock::default()), Some(Arc::new(faulty(Arc::new(BagOfWords), below)) as _));
    let options = graph::Options { look_seconds: 0.02, ..graph::Options::default() };
    let room = Graph::new(graph::Dependencies { store, clock, embedder, history: None }, options);
    Arc::new(faulty(Arc::new(room.expect("options of ours")), service))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_decorated_map_passes_the_suite_at_once_and_late() {
    for odds in [Odds::default(), LATE] {
        assert_eq!(graph::suite::run(|| async { graph(odds, odds) }).await, 18);
    }
}

#[tokio::test]
async fn when_every_call_is_lost_each_of_the_map_says_so() {
    let (graph, site, run) = (graph(LOST, Odds::default()), SiteId::new("shop"), RunId::new("run"));
    let located = LocateRequest {
        version: version(),
        observation: Arc::default(),
        vector: None,
        arrival: None,
        reload_of: None,
        opened: None,
        ticket: None,
        screenshot: None,
    };
    let wanted = FrontierRequest { version: version(), crawler: "crawler".into(), at: None, count: 1 };
    is_lost("locate", graph.locate(located).await);
    is_lost("claim_frontier", graph.claim_frontier(wanted).await);
    is_lost("renew_frontier", graph.renew_frontier(Vec::new()).await);
    is_lost("release_frontier", graph.release_frontier(Vec::new()).await);
    is_lost("shortest_path", graph.shortest_path(&site, None, StateId(1)).await);
    is_lost("search", graph.search(&site, "words", 1).await);
    is_lost("map", graph.map(&site, None).await);
    is_lost("sites", graph.sites().await);
    is_lost("versions", graph.versions(&site).await);
    is_lost("diff", graph.diff(&site, &run, &run).await);
    is_lost("watch", graph.watch(&site).await);
}

#[tokio::test]
async fn a_map_whose_tables_are_away_says_so_with_its_code() {
    let error = graph(Odds::default(), LOST).sites().await.expect_err("the store is away");
    assert!(error.is_retryable(), "{error:?}");
}

#[tokio::test]
async fn a_decorated_embedder_gives_the_same_vectors_or_none() {
    let texts = ["a shop".to_owned(), "a cart".to_owned()];
    let through = faulty(Arc::new(BagOfWords), Odds::default());
    assert_eq!(through.dimension(), BagOfWords.dimension());
    let (decorated, alone) = (through.embed(&texts).await, BagOfWords.embed(&texts).await);
    assert_eq!(decorated.expect("vectors"), alone.expect("vectors"));
    is_lost("embed", faulty(Arc::new(BagOfWords), LOST).embed(&texts).await);
}

fn ledger(odds: Odds) -> aggregator::suite::Subject {
    let (log, clock) = (Arc::new(MemoryLog::new(4)), Arc::new(SystemClock::default()));
    let dependencies = aggregator::Dependencies {
        results: Arc::new(MemoryResults::default()),
        log: log.clone(),
        clock: clock.clone(),
        health: Health::default(),
    };
    let ledger = aggregator::start(dependencies, &Tasks::new(CancellationToken::new()));
    let journal = Journal::new(log, clock);
    let close = move |closing: Closing| -> BoxFuture<'static, ()> {
        let journal = journal.clone();
        Box::pin(async move { journal.close(closing).await.expect("append") })
    };
    aggregator::suite::Subject { ledger: Arc::new(faulty(Arc::new(ledger), odds)), close: Arc::new(close) }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_decorated_ledger_passes_the_suite_at_once_late_and_twice() {
    for odds in [Odds::default(), LATE, TWICE] {
        assert_eq!(aggregator::suite::run(|| async { ledger(odds) }).await, 3);
    }
}

#[tokio::test]
async fn when_every_call_is_lost_each_of_the_ledger_says_so() {
    let (ledger, campaign) = (ledger(LOST).ledger, CampaignId::new("run"));
    is_lost("totals", ledger.totals(&campaign).await);
    is_lost("outcomes", ledger.outcomes(&campaign, None, 1).await);
}

#[tokio::test]
async fn a_decorated_pool_of_planners_decides_the_same_or_says_that_it_is_away() {
    let random = PlannerRef::named("random");
    let planners = Arc::new(Planners::default().with(random.clone(), Arc::new(Random)));
    let through = |odds| faulty(Arc::clone(&planners), odds);
    let alone = planners.decide(&random, request()).await.expect("a decision").choice;
    for odds in [Odds::default(), TWICE] {
        let decided = through(odds).decide(&random, request()).await.expect("a decision");
        assert_eq!(decided.choice, alone);
        through(odds).ready().await.expect("it can be asked");
    }
    is_lost("decide", through(LOST).decide(&random, request()).await);
    is_lost("ready", through(LOST).ready().await);
}

fn request() -> DecisionRequest {
    DecisionRequest {
        episode: EpisodeId(uuid::Uuid::nil()),
        job: JobId::new("a"),
        instruction: "click".to_owned(),
        observation: Arc::default(),
        history: Arc::default(),
        memory: Value::Null,
        screenshot: None,
        steps_left: 10,
        seed: 7,
        refusal: None,
        position: None,
        context: Arc::default(),
    }
}

/// Counts what it is asked for.
#[derive(Default)]
struct Counting {
    opened: u64,
    acted: u64,
    looked: u64,
}

impl Counting {
    fn look(&mut self) -> Observation {
        self.looked += 1;
        Observation { stamp: Stamp { session: "test".into(), number: self.looked }, ..Observation::default() }
    }
}

#[async_trait]
impl Page for Counting {
    async fn open(&mut self, _: &Url) -> Result<(), PageError> {
        self.opened += 1;
        Ok(())
    }

    async fn observe(&mut self) -> Result<Observation, PageError> {
        Ok(self.look())
    }

    async fn act(&mut self, _: &Action, _: &Observation) -> Result<Acted, PageError> {
        self.acted += 1;
        Ok(Acted::of(Effect::NoChange, self.look()))
    }

    async fn examine(&mut self) -> Result<Examination, PageError> {
        Ok(Examination::of(self.look()))
    }

    async fn screenshot(&mut self) -> Result<Screenshot, PageError> {
        Ok(Screenshot { png: b"a picture".to_vec().into(), scale: 1.0 })
    }

    async fn evaluate(&mut self, _: &str) -> Result<Value, PageError> {
        Ok(json!([self.opened, self.acted]))
    }
}

#[tokio::test]
async fn a_decorated_page_shows_the_same_and_does_nothing_twice() {
    let url = Url::parse("http://shop.test/").expect("an address");
    for odds in [Odds::default(), TWICE] {
        let page = Arc::new(Mutex::new(Counting::default()));
        // The link stands before any page, whoever made it.
        let mut through = faulty(Arc::clone(&page) as Arc<Mutex<dyn Page>>, odds);
        through.open(&url).await.expect("a page");
        let before = through.observe().await.expect("an observation");
        through.act(&Action::click(ElementId(0)), &before).await.expect("an action");
        assert_eq!(through.screenshot().await.expect("a picture").png.as_ref(), b"a picture");
        assert_eq!(through.evaluate("counts").await.expect("a value"), json!([1, 1]));
    }
}

#[tokio::test]
async fn when_the_session_of_a_page_is_lost_each_call_says_so_and_that_another_may_succeed() {
    let page = Arc::new(Mutex::new(Counting::default()));
    let mut through = faulty(Arc::clone(&page), LOST);
    let url = Url::parse("http://shop.test/").expect("an address");
    let error = through.open(&url).await.expect_err("the session is lost");
    assert!(matches!(error, PageError::SessionLost(_)) && error.is_retryable(), "{error:?}");
    is_lost("open", Err::<(), _>(error));
    is_lost("observe", through.observe().await);
    is_lost("act", through.act(&Action::click(ElementId(0)), &Observation::default()).await);
    is_lost("screenshot", through.screenshot().await);
    is_lost("evaluate", through.evaluate("counts").await);
    let page = page.lock().await;
    assert_eq!((page.opened, page.acted, page.looked), (0, 0, 0));
}

#[tokio::test]
async fn going_back_to_the_stored_offsets_can_fail_and_the_next_time_it_does_not() {
    let schedule = Schedule::new(1, Trace::new(Arc::new(SystemClock::default()), 0));
    let (log, life) = (Arc::new(MemoryLog::new(1)), Life::default());
    let through = Faulty::new(Arc::clone(&log), Link::new(schedule.clone(), "test", life.clone()));
    log.append(Topic::Jobs, NewRecord::default()).await.expect("an append");
    let offsets = Arc::new(MemoryJobs::default());
    let mut reader = through.subscribe("group", &[Topic::Jobs], offsets.clone()).await.expect("a subscription");
    assert_eq!(reader.next(10, SHORT).await.expect("records").len(), 1);

    schedule.set_odds(LOST);
    is_lost("rewind", reader.rewind().await);
    schedule.set_odds(Odds::default());
    assert!(reader.next(10, SHORT).await.expect("the next call").is_empty(), "it did not go back");
    reader.rewind().await.expect("back to the stored offsets");
    assert_eq!(reader.next(10, SHORT).await.expect("records").len(), 1);

    life.end();
    assert!(timeout(SHORT, reader.rewind()).await.is_err(), "the dead one was answered");
    let mut other = log.subscribe("group", &[Topic::Jobs], offsets).await.expect("a subscription");
    assert_eq!(other.next(10, Duration::from_secs(5)).await.expect("records").len(), 1);
}
