//! Seams to what holds bytes: the event log, the job table, blobs. Each trait's comment is its contract; every
//! implementation runs the same suite.

pub mod jobs;
pub mod log;
pub mod results;
pub mod shared;

use crate::id::{BlobRef, CampaignId, JobId};
use crate::job::{Claim, Job, Outcome};
use async_trait::async_trait;
use std::time::{Duration, SystemTime};

/// An append-only log of encoded records.
///
/// Contract: records of one key are read in the order of their appends; an acknowledged append survives the death of the
/// process; offsets grow without gaps within a topic.
#[async_trait]
pub trait EventLog: Send + Sync {
    /// Appends a record and returns its offset once it is durable.
    ///
    /// # Errors
    /// [`StorageError`]; after an error the record may or may not be there.
    async fn append(&self, topic: Topic, key: &str, record: &[u8]) -> Result<u64, StorageError>;

    /// Up to `limit` records of a topic from an offset on.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn read(&self, topic: Topic, from: u64, limit: usize) -> Result<Vec<LogRecord>, StorageError>;
}

/// The topics of DESIGN section 4 that exist so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// Steps as they happen; key job id.
    Trajectories,
    /// One record per ended attempt; key job id.
    Outcomes,
}

impl Topic {
    /// The topic's name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Topic::Trajectories => "trajectories",
            Topic::Outcomes => "outcomes",
        }
    }
}

/// A record as read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// Its place in the topic.
    pub offset: u64,
    /// Its key.
    pub key: String,
    /// Its encoded bytes.
    pub record: Vec<u8>,
}

/// The durable table of jobs.
///
/// Contract: submitting a job again changes nothing; a claim gives the job's next fence and a lease; a job whose lease
/// has ended can be claimed again; `complete` accepts the first outcome of a job, whatever its fence, and says whether it
/// did; a completed job is never claimed again.
#[async_trait]
pub trait JobStore: Send + Sync {
    /// Adds the jobs that are not there yet, in order; returns how many were new.
    ///
    /// # Errors
    /// [`StorageError`]; all or none were added.
    async fn submit(&self, jobs: &[Job]) -> Result<usize, StorageError>;

    /// Claims up to `limit` jobs in order of submission.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn claim(
        &self,
        campaign: &CampaignId,
        limit: usize,
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<Claim>, StorageError>;

    /// Gives a claimed job back, so that it can be claimed at once.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn release(&self, campaign: &CampaignId, job: &JobId) -> Result<(), StorageError>;

    /// Records a job's outcome; false when it already had one.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn complete(&self, outcome: &Outcome) -> Result<bool, StorageError>;

    /// The accepted outcomes of a campaign, in order of submission of their jobs.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn outcomes(&self, campaign: &CampaignId) -> Result<Vec<Outcome>, StorageError>;

    /// How many jobs a campaign has, and how many of them are complete.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn progress(&self, campaign: &CampaignId) -> Result<Progress, StorageError>;
}

/// How far a campaign is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// All jobs.
    pub jobs: usize,
    /// Those with an outcome.
    pub complete: usize,
}

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
}
