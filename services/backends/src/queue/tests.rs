//! The suite on every column, and the databases against the model.

use super::{MemoryJobs, SqlJobs, suite};
use crate::sql::Pool;
use crate::testing::{Server, server, unique};
use domain::storage::jobs::JobStore;
use sqlx::postgres::PgPoolOptions;
use std::sync::Arc;

async fn embedded() -> Arc<dyn JobStore> {
    let database = crate::database::Database::in_memory().await.expect("a database");
    Arc::new(SqlJobs::new(Pool::Sqlite(database.durable)))
}

async fn postgres() -> Arc<dyn JobStore> {
    let url = server(Server::Postgres);
    let name = unique("queue");
    let pool = PgPoolOptions::new().max_connections(1).connect(&url).await.expect("the server");
    sqlx::query(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"))).execute(&pool).await.expect("a database");
    pool.close().await;
    let (address, _) = url.rsplit_once('/').expect("an address with a database");

    Arc::new(SqlJobs::new(crate::sql::postgres::open(&format!("{address}/{name}"), 8).await.expect("open")))
}

#[tokio::test]
async fn the_table_in_memory_passes_the_suite() {
    assert_eq!(suite::run(|| async { Arc::new(MemoryJobs::default()) as Arc<dyn JobStore> }).await, 37);
}

#[tokio::test]
async fn the_embedded_table_passes_the_suite() {
    assert_eq!(suite::run(embedded).await, 37);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_on_postgres_passes_the_suite() {
    assert_eq!(suite::run(postgres).await, 37);
}
