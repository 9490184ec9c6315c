//! Where an attempt's steps go as they happen. The seam exists so that an attempt can run without any storage.

use async_trait::async_trait;
use backends::Journal;
use domain::decision::Screenshot;
use domain::storage::{BlobStore, StorageError};
use domain::{BlobRef, EpisodeId, Fence, JobId, Step};
use std::sync::Arc;

/// Takes down what an attempt does, while it does it.
#[async_trait]
pub trait Recorder: Send + Sync {
    /// Takes down one executed action.
    ///
    /// # Errors
    /// [`StorageError`]; the attempt ends, because what is not recorded cannot be judged.
    async fn step(&self, job: &JobId, episode: EpisodeId, fence: Fence, step: &Step) -> Result<(), StorageError>;

    /// Stores a picture and returns its reference.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn picture(&self, picture: &Screenshot) -> Result<BlobRef, StorageError>;
}

/// Forgets everything; pictures get the reference they would have had.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRecorder;

#[async_trait]
impl Recorder for NoRecorder {
    async fn step(&self, _: &JobId, _: EpisodeId, _: Fence, _: &Step) -> Result<(), StorageError> {
        Ok(())
    }

    async fn picture(&self, picture: &Screenshot) -> Result<BlobRef, StorageError> {
        Ok(backends::blob::reference(&picture.png))
    }
}

/// Takes down steps in the log, and pictures among the blobs.
#[derive(Clone)]
pub struct JournalRecorder {
    journal: Journal,
    blobs: Arc<dyn BlobStore>,
}

impl JournalRecorder {
    /// A recorder over a log and blobs.
    pub fn new(journal: Journal, blobs: Arc<dyn BlobStore>) -> Self {
        Self { journal, blobs }
    }
}

#[async_trait]
impl Recorder for JournalRecorder {
    async fn step(&self, job: &JobId, episode: EpisodeId, fence: Fence, step: &Step) -> Result<(), StorageError> {
        self.journal.step(job, episode, fence, step).await
    }

    async fn picture(&self, picture: &Screenshot) -> Result<BlobRef, StorageError> {
        self.blobs.put(&picture.png).await
    }
}
