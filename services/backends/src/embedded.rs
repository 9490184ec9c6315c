//! The embedded column: one directory, one process, no server.
//!
//! What survives what:
//!
//! | | death of the process | loss of power |
//! |---|---|---|
//! | jobs, claims, outcomes, blobs | yes | yes |
//! | steps of ended attempts | yes | yes |
//! | steps of the attempts under way | yes | perhaps not the last ones |
//! | maps | yes | perhaps not what was seen last: it is seen again |

use crate::blob::{BlobDirectory, BlobMemory};
use crate::database::Database;
use crate::directory::{DirectoryLock, lock};
use crate::log::EmbeddedLog;
use crate::map::SqlMaps;
use crate::queue::SqlJobs;
use crate::results::SqlResults;
use crate::sql::Pool;
use domain::storage::graph::GraphStore;
use domain::storage::jobs::JobStore;
use domain::storage::log::EventLog;
use domain::storage::results::ResultStore;
use domain::storage::{BlobStore, StorageError};
use std::path::Path;
use std::sync::Arc;

/// All stores of the column. Dropping the last clone frees the directory.
#[derive(Clone)]
pub struct Embedded {
    /// The event log.
    pub log: Arc<dyn EventLog>,
    /// The table of campaigns and jobs.
    pub jobs: Arc<dyn JobStore>,
    /// The ledger.
    pub results: Arc<dyn ResultStore>,
    /// The maps of sites.
    pub maps: Arc<dyn GraphStore>,
    /// Blobs.
    pub blobs: Arc<dyn BlobStore>,
    database: Database,
    _lock: Option<Arc<DirectoryLock>>,
}

impl Embedded {
    /// Waits until everything is written, and closes the database. Not needed for safety, only for tidiness.
    pub async fn close(self) {
        self.database.close().await;
    }
}

/// Opens or creates the stores in a directory. Ends leases of an earlier process, which cannot be alive any more.
///
/// # Errors
/// [`StorageError::Locked`] when another process has it open; [`StorageError::Corrupt`] when a newer version wrote it.
pub async fn open(directory: &Path) -> Result<Embedded, StorageError> {
    let held = lock(directory)?;
    let database = Database::open(&directory.join("rutter.sqlite")).await?;
    let blobs = BlobDirectory::open(directory.join("blobs"))?;
    let jobs = SqlJobs::new(Pool::Sqlite(database.durable.clone()));
    let ended = jobs.release_all().await?;
    if ended > 0 {
        tracing::info!(jobs = ended, "an earlier run left jobs under way, they can be claimed again");
    }
    let maps = SqlMaps::new(Pool::Sqlite(database.quick.clone()), Pool::Sqlite(database.readers.clone()));
    maps.release_all().await?;
    Ok(Embedded {
        log: Arc::new(EmbeddedLog::new(database.clone())),
        jobs: Arc::new(jobs),
        results: Arc::new(SqlResults::new(Pool::Sqlite(database.durable.clone()))),
        maps: Arc::new(maps),
        blobs: Arc::new(blobs),
        database,
        _lock: Some(Arc::new(held)),
    })
}

/// The column in memory, gone when dropped.
///
/// # Errors
/// Of the database.
pub async fn in_memory() -> Result<Embedded, StorageError> {
    let database = Database::in_memory().await?;
    Ok(Embedded {
        log: Arc::new(EmbeddedLog::new(database.clone())),
        jobs: Arc::new(SqlJobs::new(Pool::Sqlite(database.durable.clone()))),
        results: Arc::new(SqlResults::new(Pool::Sqlite(database.durable.clone()))),
        maps: Arc::new(SqlMaps::new(Pool::Sqlite(database.quick.clone()), Pool::Sqlite(database.readers.clone()))),
        blobs: Arc::new(BlobMemory::default()),
        database,
        _lock: None,
    })
}
