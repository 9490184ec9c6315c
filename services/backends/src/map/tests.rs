//! The suite on every column.

use super::{MemoryMaps, SqlMaps, suite};
use crate::database::Database;
use crate::queue::tests::postgres_pool;
use crate::sql::Pool;
use domain::state::Version;
use domain::storage::graph::{Changes, GraphStore};
use domain::{RunId, SiteId};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

#[tokio::test]
async fn maps_in_memory_pass_the_suite() {
    assert_eq!(suite::run(|| async { Arc::new(MemoryMaps::default()) as Arc<dyn GraphStore> }).await, 17);
}

#[tokio::test]
async fn embedded_maps_pass_the_suite() {
    let fresh = || async {
        let database = Database::in_memory().await.expect("a database");
        Arc::new(SqlMaps::new(Pool::Sqlite(database.durable), Pool::Sqlite(database.readers))) as Arc<dyn GraphStore>
    };
    assert_eq!(suite::run(fresh).await, 17);
}

#[tokio::test(flavor = "multi_thread")]
async fn maps_on_postgres_pass_the_suite() {
    let fresh = || async {
        let pool = postgres_pool().await;
        Arc::new(SqlMaps::new(pool.clone(), pool)) as Arc<dyn GraphStore>
    };
    assert_eq!(suite::run(fresh).await, 17);
}

#[tokio::test]
async fn an_embedded_map_is_read_while_somebody_writes() {
    let folder = tempfile::tempdir().expect("a directory");
    let database = Database::open(&folder.path().join("rutter.sqlite")).await.expect("a database");
    let writing = Pool::Sqlite(database.quick.clone());
    let maps = SqlMaps::new(writing.clone(), Pool::Sqlite(database.readers.clone()));
    let version = Version { site: SiteId::new("shop"), run: RunId::new("run"), role: "guest".into() };
    maps.merge(&version, &Changes::default(), SystemTime::UNIX_EPOCH).await.expect("merge");
    let writer = writing.begin("take its time").await.expect("the writer's place");
    let read = tokio::time::timeout(Duration::from_secs(5), maps.since(&version.site, 0)).await;
    assert_eq!(read.expect("nobody waits").expect("read").change, 1);
    drop(writer);
}
