//! The suite on every column, and the databases against the model.

use super::{MemoryJobs, SqlJobs, suite};
use crate::sql::Pool;
use crate::testing::{database, on_database};
use domain::storage::StorageError;
use domain::storage::jobs::JobStore;
use std::sync::Arc;

mod model;
mod newer;
mod read_only;

pub(super) async fn embedded() -> Arc<dyn JobStore> {
    let database = crate::database::Database::in_memory().await.expect("a database");
    Arc::new(SqlJobs::new(Pool::Sqlite(database.durable)))
}

pub(crate) async fn postgres_pool() -> Pool {
    crate::sql::postgres::open(&database().await, 8).await.expect("open")
}

pub(super) async fn postgres() -> Arc<dyn JobStore> {
    Arc::new(SqlJobs::new(postgres_pool().await))
}

#[tokio::test]
async fn the_table_in_memory_passes_the_suite() {
    assert_eq!(suite::run(|| async { Arc::new(MemoryJobs::default()) as Arc<dyn JobStore> }).await, 48);
}

#[tokio::test]
async fn the_embedded_table_passes_the_suite() {
    assert_eq!(suite::run(embedded).await, 48);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_on_postgres_passes_the_suite() {
    assert_eq!(suite::run(postgres).await, 48);
}

#[tokio::test]
async fn a_postgres_database_of_a_newer_version_is_refused_by_name() {
    let url = database().await;
    crate::postgres::open(&url, 2).await.expect("open").close().await;
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9000, 'from the future', true, '\\x00', 0)";
    on_database(&url, newer).await;
    let Err(error) = crate::postgres::open(&url, 2).await else { panic!("it was opened") };
    let name = url.rsplit_once('/').expect("a name").1;
    assert!(matches!(&error, StorageError::Corrupt(_)), "{error}");
    for part in [name, "9000", "newer version"] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[tokio::test]
async fn a_postgres_server_that_is_away_is_named_without_its_password() {
    let Err(error) = crate::postgres::open("postgres://user:hidden@127.0.0.1:9/rutter", 1).await else {
        panic!("nobody listens there")
    };
    assert!(error.to_string().contains("rutter@127.0.0.1:9"), "{error}");
    assert!(!error.to_string().contains("hidden"), "{error}");
}
