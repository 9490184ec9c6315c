//! The role: what it tells of itself.

use super::graph;
use crate::suite::{self, Browser};
use crate::{Dependencies, Graph, Options, metrics};
use backends::Journal;
use backends::map::MemoryMaps;
use domain::service::{Code, GraphService};
use domain::state::{EdgeTally, FrontierRequest};
use domain::storage::log::{EventLog, LogRecord, Topic};
use domain::{Effect, SiteId, StateId};
use platform::SystemClock;
use platform::health::Health;
use platform::metrics::Metrics;
use platform::tasks::Tasks;
use std::sync::Arc;
use std::time::Duration;

fn dependencies() -> Dependencies {
    let (store, clock) = (Arc::new(MemoryMaps::default()), Arc::new(SystemClock::default()));
    Dependencies { store, clock, embedder: None, history: None }
}

#[tokio::test]
async fn it_is_ready_once_its_store_answers_and_not_any_more_when_it_has_ended() {
    let (health, tasks) = (Health::default(), Tasks::new(Default::default()));
    let started = crate::start(Options::default(), dependencies(), &health, &tasks);
    assert!(started.is_ok());
    tokio::time::timeout(Duration::from_secs(10), health.ready()).await.expect("it becomes ready");
    tasks.shutdown().cancel();
    assert!(tasks.finish(Duration::from_secs(10)).await);
    assert_eq!(health.standing().waiting_for, ["map: store: it has ended"]);
}

#[tokio::test]
async fn its_figures_are_of_what_it_did() {
    let figures = Metrics::default();
    let maps = Graph::new(dependencies(), Options::default()).unwrap();
    let measured = Arc::new(metrics::measured(maps, &figures));
    let mut browser = Browser::new(measured.clone(), "run");
    let home = browser.open(suite::HOME).await;
    browser.open(suite::HOME).await;
    browser.click(&home, "Products", suite::LIST).await;
    let version = browser.version.clone();
    let request = FrontierRequest { version, crawler: "c".into(), at: None, count: 2 };
    let grants = measured.claim_frontier(request).await.unwrap();
    measured.release_frontier(vec![grants[0].ticket.clone()]).await.unwrap();
    let tickets = grants.into_iter().map(|grant| grant.ticket).collect();
    assert_eq!(measured.renew_frontier(tickets).await.unwrap().len(), 1);
    assert!(measured.map(&SiteId::new("nowhere"), None).await.is_err());
    let told = figures.render();
    for line in [
        "rutter_map_calls_seconds_count{call=\"locate\"} 3",
        "rutter_map_calls_seconds_count{call=\"claim\"} 1",
        "rutter_map_new_states_total{} 2.0",
        "rutter_map_claims_total{} 2.0",
        "rutter_map_lost_claims_total{} 1.0",
    ] {
        assert!(told.lines().any(|found| found == line), "`{line}` is missing in:\n{told}");
    }
    assert!(!told.contains("call=\"read\""), "what failed is not counted");
}

/// The suite is passed by the measured service as by the bare one.
#[tokio::test(flavor = "multi_thread")]
async fn being_measured_changes_nothing() {
    let fresh = || async {
        let inner = Dependencies { embedder: Some(Arc::new(suite::BagOfWords)), ..dependencies() };
        let maps = Graph::new(inner, Options::default()).unwrap();
        Arc::new(metrics::measured(maps, &Metrics::default())) as Arc<dyn GraphService>
    };
    let bare = suite::run(|| async { graph(Arc::new(MemoryMaps::default())) }).await;
    assert_eq!(suite::run(fresh).await, bare);
}

/// The identities and targets of the transitions in the history, in their order.
async fn history(log: &dyn EventLog) -> Vec<(String, StateId, EdgeTally)> {
    let records = log.read(Topic::Transitions, 0, 0, 100).await.unwrap();
    let told = |record: LogRecord| {
        assert_eq!(record.key, "shop");
        let (id, taken) = backends::journal::transition(&record.record).unwrap();
        (id, taken.transition.to, taken.transition.tally)
    };
    records.into_iter().map(told).collect()
}

#[tokio::test]
async fn every_transition_is_in_the_history_also_when_its_observation_comes_again() {
    let (column, clock) = (backends::in_memory().await.unwrap(), Arc::new(SystemClock::default()));
    let journal = Journal::new(column.log.clone(), clock.clone());
    let dependencies = Dependencies { store: column.maps.clone(), clock, embedder: None, history: Some(journal) };
    let maps = Arc::new(Graph::new(dependencies, Options::default()).unwrap());
    let mut browser = Browser::new(maps.clone(), "run");
    let home = browser.open(suite::HOME).await;
    assert!(history(column.log.as_ref()).await.is_empty(), "opening a site is no transition");
    let list = browser.click(&home, "Products", suite::LIST).await;
    let request = browser.request(suite::CART, Some((home.state, "Cart", Effect::Failed { cause: "slow".into() })));
    let cart = maps.locate(request.clone()).await.unwrap();
    maps.locate(request).await.unwrap();
    let tally = |succeeded| EdgeTally { count: 1, succeeded, latency_ms: 100 };
    let (second, third) = ("shop/browser of run/2".to_owned(), "shop/browser of run/3".to_owned());
    let expected =
        [(second, list.state, tally(1)), (third.clone(), cart.state, tally(0)), (third, cart.state, tally(0))];
    assert_eq!(history(column.log.as_ref()).await, expected);
}

#[tokio::test]
async fn a_map_that_was_made_with_another_abstraction_is_refused() {
    let store = Arc::new(MemoryMaps::default());
    let of = |abstraction: &str| {
        let options = Options { abstraction: abstraction.to_owned(), ..Options::default() };
        let dependencies = Dependencies { store: store.clone(), ..dependencies() };
        Arc::new(Graph::new(dependencies, options).unwrap())
    };
    Browser::new(of("exact"), "run").open(suite::HOME).await;
    let layered = of("layered");
    let request = Browser::new(layered.clone(), "later").request(suite::HOME, None);
    for refused in
        [layered.map(&SiteId::new("shop"), None).await.unwrap_err(), layered.locate(request).await.unwrap_err()]
    {
        assert_eq!(refused.code, Code::Conflict);
        assert!(refused.message.contains("made with the abstraction `exact`, and `layered` is set"), "{refused}");
    }
    assert!(!Browser::new(of("exact"), "later").open(suite::HOME).await.is_new);
}
