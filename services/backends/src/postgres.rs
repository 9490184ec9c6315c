//! The tables of a Postgres server: queue, ledger and maps. Any number of processes may share them; each role uses its
//! own.

use crate::map::SqlMaps;
use crate::queue::SqlJobs;
use crate::results::SqlResults;
use crate::sql::Pool;
use domain::storage::StorageError;
use domain::storage::graph::GraphStore;
use domain::storage::jobs::JobStore;
use domain::storage::results::ResultStore;
use std::sync::Arc;

/// The tables of one database.
#[derive(Clone)]
pub struct Postgres {
    /// The table of campaigns and jobs.
    pub jobs: Arc<dyn JobStore>,
    /// The ledger.
    pub results: Arc<dyn ResultStore>,
    /// The maps of sites.
    pub maps: Arc<dyn GraphStore>,
    pool: Pool,
}

impl Postgres {
    /// Waits for running transactions and closes the connections.
    pub async fn close(self) {
        self.pool.close().await;
    }
}

/// Connects to the database of a URL, e.g. `postgres://rutter@127.0.0.1/rutter`, with at most this many connections,
/// and migrates it to the newest schema.
///
/// # Errors
/// [`StorageError::Unavailable`] when it cannot be reached; [`StorageError::Corrupt`] when its schema is that of a newer
/// version, or cannot be brought up to date.
pub async fn open(url: &str, connections: u32) -> Result<Postgres, StorageError> {
    let pool = crate::sql::postgres::open(url, connections).await?;
    let (jobs, results) = (SqlJobs::new(pool.clone()), SqlResults::new(pool.clone()));
    let maps = SqlMaps::new(pool.clone(), pool.clone());
    Ok(Postgres { jobs: Arc::new(jobs), results: Arc::new(results), maps: Arc::new(maps), pool })
}
