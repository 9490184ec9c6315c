//! The stores of a simulation. Tests substitute stores that break a contract on purpose.

use super::clock::SimulatedClock;
use backends::blob::BlobMemory;
use backends::log::MemoryLog;
use backends::queue::MemoryJobs;
use backends::results::MemoryResults;
use backends::shared::SharedMemory;
use domain::storage::BlobStore;
use domain::storage::jobs::JobStore;
use domain::storage::results::ResultStore;
use domain::storage::shared::RateLimit;
use std::sync::Arc;

/// Partitions of a topic.
const PARTITIONS: u32 = 3;

/// The stores of a cluster. They outlive every component.
pub struct Column {
    /// The event log.
    pub log: MemoryLog,
    /// The table of jobs.
    pub jobs: Arc<dyn JobStore>,
    /// The ledger.
    pub results: Arc<dyn ResultStore>,
    /// The limiter of hosts.
    pub limiter: Arc<dyn RateLimit>,
    /// Empties the shared state, the limiter included.
    pub empty: Arc<dyn Fn() + Send + Sync>,
    /// Large things.
    pub blobs: Arc<dyn BlobStore>,
}

impl Column {
    /// The column in memory, as it is.
    pub fn sound(clock: &SimulatedClock) -> Self {
        let shared = SharedMemory::new(Arc::new(clock.clone()));
        let emptied = shared.clone();
        Self {
            log: MemoryLog::new(PARTITIONS),
            jobs: Arc::new(MemoryJobs::default()),
            results: Arc::new(MemoryResults::default()),
            limiter: Arc::new(shared),
            empty: Arc::new(move || emptied.empty()),
            blobs: Arc::new(BlobMemory::default()),
        }
    }
}
