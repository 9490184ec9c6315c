//! The event log: topics of encoded records, read by groups of consumers.

use super::StorageError;
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use strum::{EnumString, IntoStaticStr, VariantArray};

/// An append-only log of encoded records.
///
/// Contract:
/// - An acknowledged append survives the death of any process. An append that failed may or may not be there; appending
///   again may double it: records carry an id, and effects are idempotent by it.
/// - A topic has partitions; all records of one key are in one partition, in the order of their appends.
/// - A record that [`Topic::takes`] is taken whatever it holds; a larger one is [`StorageError::TooLarge`] and not there.
/// - Offsets grow within a partition, possibly with gaps.
/// - Within a group, each partition has at most one subscription at a time that believes it owns it; a subscription that
///   lost a partition may still hold records of it: that is why effect and offset are stored together.
#[async_trait]
pub trait EventLog: Send + Sync {
    /// Appends a record and returns its place once it is durable.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn append(&self, topic: Topic, record: NewRecord) -> Result<LogPosition, StorageError>;

    /// Joins a group. Each partition that comes to this subscription is read from the offset that `offsets` has stored
    /// for the group at that moment, else from its beginning.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn subscribe(
        &self,
        group: &str,
        topics: &[Topic],
        offsets: Arc<dyn Offsets>,
    ) -> Result<Box<dyn Subscription>, StorageError>;

    /// Up to `limit` records of one partition from an offset on, without joining anything; none at its end.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn read(&self, topic: Topic, partition: u32, from: u64, limit: usize)
    -> Result<Vec<LogRecord>, StorageError>;

    /// How many partitions a topic has.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn partitions(&self, topic: Topic) -> Result<u32, StorageError>;
}

/// A member of a group of consumers. Dropping it leaves the group.
#[async_trait]
pub trait Subscription: Send {
    /// Up to `limit` records, as soon as there are any; none after `wait`.
    ///
    /// # Errors
    /// [`StorageError`]; the next call tries again.
    async fn next(&mut self, limit: usize, wait: Duration) -> Result<Vec<LogRecord>, StorageError>;

    /// Goes back to the stored offsets of every partition it owns, after effects of what was read could not be stored.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn rewind(&mut self) -> Result<(), StorageError>;
}

/// Where a group's offsets are stored: beside the effects, in the consumer's own database.
#[async_trait]
pub trait Offsets: Send + Sync {
    /// The next offset to read of each partition of a topic that something was stored for.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn offsets(&self, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError>;
}

/// The topics of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Topic {
    /// Mass submission; key job id.
    Jobs,
    /// Steps as they happen; key job id.
    Trajectories,
    /// Whatever ends an attempt or a job; key job id.
    Outcomes,
    /// What browsers did on sites and where it led, for the history of maps; key site id.
    Transitions,
    /// Pages that explorations saw; key `CAMPAIGN/JOB`.
    Visits,
    /// Records that could not be read, with the cause; key topic and offset.
    Quarantine,
}

impl Topic {
    /// Every topic.
    pub const ALL: &[Topic] = Topic::VARIANTS;

    /// Bytes of the largest record that it takes, its key included.
    pub fn largest(self) -> usize {
        const LARGEST: usize = 4 << 20;
        match self {
            Topic::Jobs | Topic::Trajectories | Topic::Outcomes | Topic::Transitions | Topic::Visits => LARGEST,
            // It holds whole records of the others, and why they are there.
            Topic::Quarantine => 2 * LARGEST,
        }
    }

    /// Refuses a record that is too large for it.
    ///
    /// # Errors
    /// [`StorageError::TooLarge`].
    pub fn takes(self, record: &NewRecord) -> Result<(), StorageError> {
        let (bytes, most) = (record.key.len() + record.record.len(), self.largest());
        match bytes <= most {
            true => Ok(()),
            false => Err(StorageError::TooLarge(format!(
                "a record of topic `{}` has {bytes} bytes, more than the {most} that it takes",
                self.as_str()
            ))),
        }
    }

    /// The topic's name on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A record to be appended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRecord {
    /// What orders it: records of one key stay in order. Job ids are unique within a campaign only, so that keys of jobs
    /// are `CAMPAIGN/JOB`.
    pub key: String,
    /// Encoded bytes.
    pub record: Vec<u8>,
    /// W3C trace context; empty where the work is not traced.
    pub trace_parent: String,
}

/// Where a record stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LogPosition {
    /// The partition.
    pub partition: u32,
    /// The offset within it.
    pub offset: u64,
}

/// A record as read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// Its topic.
    pub topic: Topic,
    /// Its place.
    pub place: LogPosition,
    /// Its key.
    pub key: String,
    /// Its encoded bytes.
    pub record: Vec<u8>,
    /// W3C trace context; empty where the work was not traced.
    pub trace_parent: String,
}
