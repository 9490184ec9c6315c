//! Connections to the embedded database, and its migrations.

use crate::failure::{failed, not_migrated};
use crate::migrations;
use domain::storage::StorageError;
use platform::spawn;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::task::AbortOnDropHandle;

/// How long one writer waits for the other's lock.
const BUSY: Duration = Duration::from_secs(30);

/// Concurrent readers.
const READERS: u32 = 4;

/// Interval of checkpoints, which move commits from the write-ahead log into the database.
const CHECKPOINTS: Duration = Duration::from_secs(1);

/// Pages of 4 KiB in the write-ahead log at which a writer checkpoints itself, in case [`CHECKPOINTS`] cannot keep up.
const LOG_PAGES: &str = "16384";

/// Connections to one database. Commits of both writers survive the death of the process; they differ in what survives
/// a loss of power.
#[derive(Clone, Debug)]
pub(crate) struct Database {
    /// Every commit reaches the disk before it is acknowledged.
    pub(crate) durable: SqlitePool,
    /// A commit reaches the operating system before it is acknowledged, and the disk with the next durable commit.
    pub(crate) quick: SqlitePool,
    /// Reads committed data and never waits for a writer.
    pub(crate) readers: SqlitePool,
    /// Keeps an in-memory database alive, since a cancelled call may close its connection.
    _keeper: Option<SqlitePool>,
    checkpoints: Option<Checkpoints>,
}

/// Checkpoints from a connection of its own. Otherwise every hundredth commit would pay for the others and wait for the
/// disk.
#[derive(Clone, Debug)]
struct Checkpoints {
    pool: SqlitePool,
    _work: Arc<AbortOnDropHandle<()>>,
}

impl Database {
    /// Opens or creates the database file and brings it to the newest schema.
    pub(crate) async fn open(file: &Path) -> Result<Self, StorageError> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .pragma("wal_autocheckpoint", LOG_PAGES)
            .busy_timeout(BUSY)
            .foreign_keys(true);
        let durable = single(options.clone().synchronous(SqliteSynchronous::Full)).await?;
        migrate(&durable, &file.display().to_string()).await?;
        let quick = single(options.clone().synchronous(SqliteSynchronous::Normal)).await?;
        let readers = SqlitePoolOptions::new().max_connections(READERS).acquire_timeout(BUSY);
        let readers = readers.connect_lazy_with(options.clone().read_only(true));
        let checkpoints = Some(Checkpoints::start(single(options).await?));
        Ok(Self { durable, quick, readers, _keeper: None, checkpoints })
    }

    /// A database that lives as long as this value.
    pub(crate) async fn in_memory() -> Result<Self, StorageError> {
        // A unique name, by which its connections share it.
        let options = SqliteConnectOptions::from_str("sqlite::memory:")
            .map_err(|cause| failed("open a database", "in memory", &cause))?
            .foreign_keys(true);
        let keeper = single(options.clone()).await?;
        let pool = single(options).await?;
        migrate(&pool, "in memory").await?;
        Ok(Self { durable: pool.clone(), quick: pool.clone(), readers: pool, _keeper: Some(keeper), checkpoints: None })
    }

    /// A failure, with what was being done.
    pub(crate) fn failed(&self, doing: &str, cause: &sqlx::Error) -> StorageError {
        failed(doing, &self.durable.connect_options().get_filename().display().to_string(), cause)
    }

    /// Waits until nothing is under way any more.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.quick.close().await;
        self.durable.close().await;
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.pool.close().await;
        }
    }
}

impl Checkpoints {
    fn start(pool: SqlitePool) -> Self {
        let connections = pool.clone();
        let work = async move {
            while !connections.is_closed() {
                tokio::time::sleep(CHECKPOINTS).await;
                // A failure loses nothing: the next checkpoint, or a writer, catches up.
                if let Err(cause) = sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&connections).await {
                    tracing::debug!(%cause, "move what was committed into the database");
                }
            }
        };
        Self { pool, _work: Arc::new(spawn::owned("checkpoints", work)) }
    }
}

/// A pool of one connection: SQLite has one writer, and a queue is fairer than a race for its lock.
async fn single(options: SqliteConnectOptions) -> Result<SqlitePool, StorageError> {
    let name = options.get_filename().display().to_string();
    SqlitePoolOptions::new()
        .min_connections(1)
        .max_connections(1)
        .idle_timeout(None)
        .max_lifetime(None)
        .acquire_timeout(BUSY)
        .connect_with(options)
        .await
        .map_err(|cause| failed(&format!("open the database {name}"), &name, &cause))
}

async fn migrate(pool: &SqlitePool, name: &str) -> Result<(), StorageError> {
    let migrator = migrations::embedded();
    // A new database has no such table.
    let applied = sqlx::query_as(migrations::APPLIED).fetch_all(pool).await.unwrap_or_default();
    migrations::check(&migrator, &applied).map_err(|cause| not_migrated(name, &cause))?;
    migrator.run(pool).await.map_err(|cause| not_migrated(name, &cause))
}
