//! Seams to storage: the event log, the tables of jobs, maps and results, shared state, blobs. Each trait's comment is
//! its contract; every implementation runs the same suite.

pub mod graph;
pub mod jobs;
pub mod log;
pub mod results;
pub mod shared;

use crate::id::BlobRef;
use async_trait::async_trait;

/// Large things by content.
///
/// Contract: the reference is the BLAKE3 hash of the content; storing the same content again is no error and costs no
/// space; a reader sees a whole blob or none.
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Stores content and returns its reference once it is durable.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn put(&self, content: &[u8]) -> Result<BlobRef, StorageError>;

    /// The content of a reference; `None` when it is not there.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn get(&self, blob: &BlobRef) -> Result<Option<Vec<u8>>, StorageError>;
}

/// Why storage failed.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// Another process holds it.
    #[error("{0}")]
    Locked(String),
    /// Stored bytes cannot be read: written by another version, or damaged.
    #[error("{0}")]
    Corrupt(String),
    /// The medium failed.
    #[error("{0}")]
    Unavailable(String),
    /// It contradicts what is stored.
    #[error("{0}")]
    Conflict(String),
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// More bytes than are taken. Nothing was stored, and asking again does not help.
    #[error("{0}")]
    TooLarge(String),
}
