//! The suite on every column.

use super::{MemoryResults, SqlResults, suite};
use crate::queue::tests::postgres_pool;
use crate::sql::Pool;
use domain::storage::results::ResultStore;
use std::sync::Arc;

#[tokio::test]
async fn the_ledger_in_memory_passes_the_suite() {
    assert_eq!(suite::run(|| async { Arc::new(MemoryResults::default()) as Arc<dyn ResultStore> }).await, 15);
}

#[tokio::test]
async fn the_embedded_ledger_passes_the_suite() {
    let fresh = || async {
        let database = crate::database::Database::in_memory().await.expect("a database");
        Arc::new(SqlResults::new(Pool::Sqlite(database.durable))) as Arc<dyn ResultStore>
    };
    assert_eq!(suite::run(fresh).await, 15);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ledger_on_postgres_passes_the_suite() {
    let fresh = || async { Arc::new(SqlResults::new(postgres_pool().await)) as Arc<dyn ResultStore> };
    assert_eq!(suite::run(fresh).await, 15);
}
