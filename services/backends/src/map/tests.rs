//! The suite on every column.

use super::{MemoryMaps, SqlMaps, suite};
use crate::queue::tests::postgres_pool;
use crate::sql::Pool;
use domain::storage::graph::GraphStore;
use std::sync::Arc;

#[tokio::test]
async fn maps_in_memory_pass_the_suite() {
    assert_eq!(suite::run(|| async { Arc::new(MemoryMaps::default()) as Arc<dyn GraphStore> }).await, 17);
}

#[tokio::test]
async fn embedded_maps_pass_the_suite() {
    let fresh = || async {
        let database = crate::database::Database::in_memory().await.expect("a database");
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
