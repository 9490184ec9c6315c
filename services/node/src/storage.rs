//! What holds a node's bytes: the seams of one column, opened as far as its roles need them.

use crate::config::{ServersConfig, StorageConfig};
use crate::{Error, Role};
use backends::Embedded;
use backends::blob::{BlobDirectory, BlobMemory, BlobObjects, Sweep};
use backends::log::KafkaLog;
use backends::postgres::Postgres;
use backends::shared::{RedisShared, SharedMemory, SharedServices};
use domain::storage::BlobStore;
use domain::storage::graph::GraphStore;
use domain::storage::jobs::JobStore;
use domain::storage::log::EventLog;
use domain::storage::results::ResultStore;
use platform::clock::Clock;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Connections to the database of one process.
const CONNECTIONS: u32 = 8;

/// The seams of a node.
pub struct Storage {
    /// Pictures and trajectories.
    pub blobs: Arc<dyn BlobStore>,
    /// What removes blobs, and after how long; none where they are kept for ever.
    pub retention: Option<(Arc<dyn Sweep>, Duration)>,
    /// Caches, rates, presence.
    pub shared: SharedServices,
    log: Option<Arc<dyn EventLog>>,
    jobs: Option<Arc<dyn JobStore>>,
    results: Option<Arc<dyn ResultStore>>,
    maps: Option<Arc<dyn GraphStore>>,
    opened: Opened,
}

/// What is closed in the end.
enum Opened {
    Embedded(Embedded),
    Distributed(Option<Postgres>),
}

impl Storage {
    /// Opens what the roles need.
    ///
    /// # Errors
    /// A directory that another process holds, a server that cannot be reached, a schema of another version.
    pub async fn open(config: &StorageConfig, roles: &BTreeSet<Role>, clock: Arc<dyn Clock>) -> Result<Storage, Error> {
        if let Some(servers) = &config.servers {
            return distributed(servers, roles).await;
        }
        let embedded = backends::open(&config.directory).await?;
        Ok(Storage {
            blobs: embedded.blobs.clone(),
            // A run's directory is kept as a whole, or removed as a whole.
            retention: None,
            shared: SharedServices::of(SharedMemory::new(clock)),
            log: Some(embedded.log.clone()),
            jobs: Some(embedded.jobs.clone()),
            results: Some(embedded.results.clone()),
            maps: Some(embedded.maps.clone()),
            opened: Opened::Embedded(embedded),
        })
    }

    /// The event log.
    ///
    /// # Errors
    /// No role of this process needs it.
    pub fn log(&self) -> Result<Arc<dyn EventLog>, Error> {
        opened(&self.log, "the event log")
    }

    /// The table of jobs.
    ///
    /// # Errors
    /// No role of this process needs it.
    pub fn jobs(&self) -> Result<Arc<dyn JobStore>, Error> {
        opened(&self.jobs, "the table of jobs")
    }

    /// The ledger.
    ///
    /// # Errors
    /// No role of this process needs it.
    pub fn results(&self) -> Result<Arc<dyn ResultStore>, Error> {
        opened(&self.results, "the ledger")
    }

    /// The maps of sites.
    ///
    /// # Errors
    /// No role of this process needs it.
    pub fn maps(&self) -> Result<Arc<dyn GraphStore>, Error> {
        opened(&self.maps, "the store of maps")
    }

    /// Closes what was opened.
    pub async fn close(self) {
        match self.opened {
            Opened::Embedded(embedded) => embedded.close().await,
            Opened::Distributed(Some(postgres)) => postgres.close().await,
            Opened::Distributed(None) => {}
        }
    }
}

fn opened<T: ?Sized>(seam: &Option<Arc<T>>, name: &'static str) -> Result<Arc<T>, Error> {
    seam.clone().ok_or(Error::NotOpened(name))
}

/// One store, to write to and to sweep.
fn both(store: impl BlobStore + Sweep + 'static) -> Blobs {
    let store = Arc::new(store);
    (store.clone(), store)
}

/// Blobs of a cluster, to write to and to sweep.
type Blobs = (Arc<dyn BlobStore>, Arc<dyn Sweep>);

/// Where a cluster keeps pictures and trajectories.
///
/// # Errors
/// The settings name no place for them, or it cannot be opened.
pub fn blobs(servers: &ServersConfig) -> Result<Blobs, Error> {
    match (&servers.s3, &servers.blobs) {
        (Some(options), _) => Ok(both(BlobObjects::open(options)?)),
        (None, Some(path)) => Ok(both(BlobDirectory::open(path.clone())?)),
        (None, None) => {
            let cause = "where do pictures and trajectories go? set `storage.servers.s3`, or `storage.servers.blobs` to a \
                         directory that all processes share";
            Err(Error::Settings(cause.to_owned()))
        }
    }
}

/// Blobs of which there are none.
pub fn no_blobs() -> Arc<dyn BlobStore> {
    Arc::new(BlobMemory::default())
}

async fn distributed(servers: &ServersConfig, roles: &BTreeSet<Role>) -> Result<Storage, Error> {
    let any = |needed: &[Role]| needed.iter().any(|role| roles.contains(role));
    let postgres = match any(&[Role::Campaigns, Role::Aggregator, Role::Graph]) {
        true => Some(backends::postgres::open(&servers.postgres, CONNECTIONS).await?),
        false => None,
    };
    let log: Option<Arc<dyn EventLog>> = match any(&[Role::Campaigns, Role::Aggregator, Role::Crawler, Role::Graph]) {
        true => Some(Arc::new(KafkaLog::open(servers.kafka.clone()).await?)),
        false => None,
    };
    let shared = SharedServices::of(RedisShared::open(&servers.redis)?);
    let (blobs, sweep) = blobs(servers)?;
    let hours = u64::from(servers.blob_retention_hours);
    Ok(Storage {
        blobs,
        retention: (hours > 0).then(|| (sweep, Duration::from_secs(hours * 3600))),
        shared,
        log,
        jobs: postgres.as_ref().map(|postgres| postgres.jobs.clone()),
        results: postgres.as_ref().map(|postgres| postgres.results.clone()),
        maps: postgres.as_ref().map(|postgres| postgres.maps.clone()),
        opened: Opened::Distributed(postgres),
    })
}
