//! Blobs in memory, for tests and for runs without a directory.

use super::reference;
use super::sweep::{Sweep, Swept};
use async_trait::async_trait;
use domain::BlobRef;
use domain::storage::{BlobStore, StorageError};
use parking_lot::Mutex;
use platform::clock::{Clock, SystemClock};
use std::collections::{HashMap, HashSet};
use std::time::SystemTime;

/// Blobs that are gone with the process.
#[derive(Debug, Default)]
pub struct BlobMemory {
    /// Content, and when it was stored for the last time.
    blobs: Mutex<HashMap<BlobRef, (Vec<u8>, SystemTime)>>,
    clock: SystemClock,
}

#[async_trait]
impl BlobStore for BlobMemory {
    async fn put(&self, content: &[u8]) -> Result<BlobRef, StorageError> {
        let blob = reference(content);
        let mut blobs = self.blobs.lock();
        blobs.insert(blob.clone(), (content.to_vec(), self.clock.wall()));
        Ok(blob)
    }

    async fn get(&self, blob: &BlobRef) -> Result<Option<Vec<u8>>, StorageError> {
        Ok(self.blobs.lock().get(blob).map(|(content, _)| content.clone()))
    }
}

#[async_trait]
impl Sweep for BlobMemory {
    async fn sweep(&self, before: SystemTime, kept: &HashSet<BlobRef>) -> Result<Swept, StorageError> {
        let mut blobs = self.blobs.lock();
        let mut swept = Swept::default();
        blobs.retain(|blob, (content, stored)| {
            let stays = *stored >= before || kept.contains(blob);
            swept.count(content.len() as u64, stays);
            stays
        });
        Ok(swept)
    }
}
