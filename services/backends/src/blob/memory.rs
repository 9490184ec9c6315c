//! Blobs in memory: for tests, and for runs that keep nothing.

use super::reference;
use async_trait::async_trait;
use domain::BlobRef;
use domain::storage::{BlobStore, StorageError};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Blobs that are gone with the process.
#[derive(Debug, Default)]
pub struct BlobMemory {
    blobs: Mutex<HashMap<BlobRef, Vec<u8>>>,
}

#[async_trait]
impl BlobStore for BlobMemory {
    async fn put(&self, content: &[u8]) -> Result<BlobRef, StorageError> {
        let blob = reference(content);
        let mut blobs = self.blobs.lock().unwrap_or_else(PoisonError::into_inner);
        blobs.entry(blob.clone()).or_insert_with(|| content.to_vec());
        Ok(blob)
    }

    async fn get(&self, blob: &BlobRef) -> Result<Option<Vec<u8>>, StorageError> {
        Ok(self.blobs.lock().unwrap_or_else(PoisonError::into_inner).get(blob).cloned())
    }
}
