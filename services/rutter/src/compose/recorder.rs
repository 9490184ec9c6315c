//! Where an attempt's steps and pictures go: the journal and the blob store.

use async_trait::async_trait;
use backends::Journal;
use crawler::Recorder;
use domain::decision::Screenshot;
use domain::storage::{BlobStore, StorageError};
use domain::{BlobRef, EpisodeId, Fence, JobId, Step};
use std::sync::Arc;

/// Takes steps down in the journal and pictures in the blob store.
pub(crate) struct StoreRecorder {
    pub(crate) journal: Journal,
    pub(crate) blobs: Arc<dyn BlobStore>,
}

#[async_trait]
impl Recorder for StoreRecorder {
    async fn step(&self, job: &JobId, episode: EpisodeId, fence: Fence, step: &Step) -> Result<(), StorageError> {
        self.journal.step(job, episode, fence, step).await
    }

    async fn picture(&self, picture: &Screenshot) -> Result<BlobRef, StorageError> {
        self.blobs.put(&picture.png).await
    }
}
