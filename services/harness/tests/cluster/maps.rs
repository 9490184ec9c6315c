//! The map behind a connection does what the room itself does: the same suite, through a server on loopback.

use super::suites::{Started, connected};
use backends::map::MemoryMaps;
use backends::testing::database;
use domain::service::GraphService;
use domain::storage::graph::GraphStore;
use graph::suite::BagOfWords;
use graph::{Dependencies, Graph, Options};
use platform::SystemClock;
use platform::health::Health;
use platform::rpc::MAX_MESSAGE_BYTES;
use proto::server::Services;
use std::sync::Arc;

async fn map(store: Arc<dyn GraphStore>, started: &Started) -> Arc<dyn GraphService> {
    let (clock, embedder) = (Arc::new(SystemClock::default()), Some(Arc::new(BagOfWords) as _));
    let options = Options { look_seconds: 0.02, ..Options::default() };
    let room = Graph::new(Dependencies { store, clock, embedder, history: None }, options).expect("options of ours");
    let services = Services::new(MAX_MESSAGE_BYTES).graph(Arc::new(room));
    proto::client::graph(&connected(services, Health::default(), &started.tasks()).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_map_behind_a_connection_passes_its_suite() {
    let started = Started::default();
    assert_eq!(graph::suite::run(|| map(Arc::new(MemoryMaps::default()), &started)).await, 18);
    started.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_map_behind_a_connection_passes_its_suite_over_postgres() {
    let started = Started::default();
    let fresh = async || {
        let stores = backends::postgres::open(&database().await, 6).await.expect("open the database");
        map(stores.maps, &started).await
    };
    assert_eq!(graph::suite::run(fresh).await, 18);
    started.end().await;
}
