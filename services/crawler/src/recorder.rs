//! The seam through which an attempt's steps, pictures and end are recorded, so that an attempt can run without
//! storage.

use async_trait::async_trait;
use backends::Journal;
use domain::campaign::{Closing, Ticket};
use domain::decision::Screenshot;
use domain::storage::{BlobStore, StorageError};
use domain::{BlobRef, EpisodeId, Step, Trajectory};
use std::sync::Arc;

/// Records what an attempt does as it happens, and how it ended.
#[async_trait]
pub trait Recorder: Send + Sync {
    /// Records one executed action. The attempt continues meanwhile, and waits before the next action is recorded.
    ///
    /// # Errors
    /// [`StorageError`]; the attempt ends, since unrecorded steps cannot be judged.
    async fn step(&self, ticket: &Ticket, episode: EpisodeId, step: Step) -> Result<(), StorageError>;

    /// Stores a picture and returns its reference.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn picture(&self, picture: &Screenshot) -> Result<BlobRef, StorageError>;

    /// Stores a file and returns its reference.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn file(&self, content: &[u8]) -> Result<BlobRef, StorageError>;

    /// Stores a whole trajectory and returns its reference.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn trajectory(&self, trajectory: &Trajectory) -> Result<BlobRef, StorageError>;

    /// Records the end of an attempt. It counts once this returns.
    ///
    /// # Errors
    /// [`StorageError`]; then it may or may not count.
    async fn close(&self, closing: Closing) -> Result<(), StorageError>;
}

/// Records nothing; pictures get the reference they would have had.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRecorder;

#[async_trait]
impl Recorder for NoRecorder {
    async fn step(&self, _: &Ticket, _: EpisodeId, _: Step) -> Result<(), StorageError> {
        Ok(())
    }

    async fn picture(&self, picture: &Screenshot) -> Result<BlobRef, StorageError> {
        Ok(backends::blob::reference(&picture.png))
    }

    async fn file(&self, content: &[u8]) -> Result<BlobRef, StorageError> {
        Ok(backends::blob::reference(content))
    }

    async fn trajectory(&self, trajectory: &Trajectory) -> Result<BlobRef, StorageError> {
        Ok(backends::blob::reference(&encoded(trajectory)?))
    }

    async fn close(&self, _: Closing) -> Result<(), StorageError> {
        Ok(())
    }
}

/// Records steps and ends in the log, pictures, files and trajectories in the blob store.
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
    async fn step(&self, ticket: &Ticket, episode: EpisodeId, step: Step) -> Result<(), StorageError> {
        self.journal.step(ticket, episode, step).await
    }

    async fn picture(&self, picture: &Screenshot) -> Result<BlobRef, StorageError> {
        self.blobs.put(&picture.png).await
    }

    async fn file(&self, content: &[u8]) -> Result<BlobRef, StorageError> {
        self.blobs.put(content).await
    }

    async fn trajectory(&self, trajectory: &Trajectory) -> Result<BlobRef, StorageError> {
        self.blobs.put(&encoded(trajectory)?).await
    }

    async fn close(&self, closing: Closing) -> Result<(), StorageError> {
        self.journal.close(closing).await
    }
}

fn encoded(trajectory: &Trajectory) -> Result<Vec<u8>, StorageError> {
    serde_json::to_vec(trajectory)
        .map_err(|error| StorageError::Corrupt(format!("encode the trajectory of {}: {error}", trajectory.job)))
}
