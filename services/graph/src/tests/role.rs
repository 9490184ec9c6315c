//! The role: what it tells of itself.

use super::graph;
use crate::suite::{self, Browser};
use crate::{Dependencies, Graph, Options, metrics};
use backends::map::MemoryMaps;
use domain::SiteId;
use domain::service::GraphService;
use domain::state::FrontierRequest;
use platform::SystemClock;
use platform::health::Health;
use platform::metrics::Metrics;
use platform::tasks::Tasks;
use std::sync::Arc;
use std::time::Duration;

fn dependencies() -> Dependencies {
    let (store, clock) = (Arc::new(MemoryMaps::default()), Arc::new(SystemClock::default()));
    Dependencies { store, clock, embedder: None }
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
