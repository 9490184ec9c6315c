//! The distributed column: the event log in Kafka, what processes share in Redis, blobs in an object store.

use crate::blob::{BlobObjects, S3Options};
use crate::log::{KafkaLog, KafkaOptions};
use crate::shared::{RedisOptions, RedisShared, Shared};
use domain::storage::log::EventLog;
use domain::storage::{BlobStore, StorageError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Where everything is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DistributedOptions {
    /// The event log.
    pub kafka: KafkaOptions,
    /// Caches, rates and presence.
    pub redis: RedisOptions,
    /// Blobs.
    pub s3: S3Options,
}

/// What every role of a cluster holds. Tables of jobs and results are opened by the roles that own them.
#[derive(Clone)]
pub struct Distributed {
    /// The event log.
    pub events: Arc<dyn EventLog>,
    /// Caches, rates and presence.
    pub shared: Shared,
    /// Blobs.
    pub blobs: Arc<dyn BlobStore>,
}

/// Connects. Redis and the object store need not be there yet; Kafka must be.
///
/// # Errors
/// [`StorageError`], naming what cannot be reached or used.
pub async fn open(options: DistributedOptions) -> Result<Distributed, StorageError> {
    let DistributedOptions { kafka, redis, s3 } = options;
    let shared = Shared::of(RedisShared::open(&redis)?);
    let blobs = Arc::new(BlobObjects::open(&s3)?);
    let events = Arc::new(KafkaLog::open(kafka).await?);
    Ok(Distributed { events, shared, blobs })
}
