//! Connections to a Postgres server, and the schema there.

use super::Pool;
use crate::failure::not_migrated;
use crate::migrations;
use domain::storage::StorageError;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use std::str::FromStr;
use std::time::Duration;

/// How long a connection is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Connects to the database of a URL, e.g. `postgres://rutter@127.0.0.1/rutter`, and brings it to the newest schema. Any
/// number of processes may do so at once.
pub(crate) async fn open(url: &str, connections: u32) -> Result<Pool, StorageError> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|cause| StorageError::Unavailable(format!("read the address of the database: {cause}")))?
        // Server-side timeouts, so that a hanging process does not hold locks for ever; and no cached plans, since a
        // plan made while a table was small would be kept when it is large.
        .options([
            ("idle_in_transaction_session_timeout", "30s"),
            ("lock_timeout", "20s"),
            ("plan_cache_mode", "force_custom_plan"),
        ])
        .application_name("rutter");
    let name = name(&options);
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(PATIENCE)
        .connect_with(options)
        .await
        .map_err(|cause| StorageError::Unavailable(format!("connect to the database {name}: {cause}")))?;
    let migrator = migrations::postgres();
    // A new database has no such table.
    let applied = sqlx::query_as(migrations::APPLIED).fetch_all(&pool).await.unwrap_or_default();
    migrations::check(&migrator, &applied).map_err(|cause| not_migrated(&name, &cause))?;
    migrator.run(&pool).await.map_err(|cause| not_migrated(&name, &cause))?;
    Ok(Pool::Postgres(pool))
}

/// What names a database: its address may hold a password, this does not.
pub(super) fn name(options: &PgConnectOptions) -> String {
    format!("{}@{}:{}", options.get_database().unwrap_or("postgres"), options.get_host(), options.get_port())
}
