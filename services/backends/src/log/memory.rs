//! The event log in memory: for tests and the simulation. It has no thread, clock or randomness of its own.

use super::local::{LocalReaders, LocalSubscription};
use async_trait::async_trait;
use domain::storage::StorageError;
use domain::storage::log::{EventLog, LogPosition, LogRecord, NewRecord, Offsets, Subscription, Topic};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The records of each partition, in order.
type Partitions = BTreeMap<(Topic, u32), Vec<LogRecord>>;

/// A log that is gone with the process. Clones are the same log.
#[derive(Clone, Debug)]
pub struct MemoryLog {
    partitions: u32,
    records: Arc<Mutex<Partitions>>,
    readers: Arc<LocalReaders>,
}

impl MemoryLog {
    /// An empty log whose topics have this many partitions, at least one.
    pub fn new(partitions: u32) -> Self {
        Self { partitions: partitions.max(1), records: Arc::default(), readers: Arc::default() }
    }

    /// Revokes all partitions without asking, as a broker does with members that missed their heartbeat. A member still
    /// holds records it has read; the next owner starts at the stored offsets.
    pub fn rebalance(&self) {
        self.readers.revoke_all();
    }

    /// The partition of a key, the same on every machine.
    fn partition(&self, key: &str) -> u32 {
        let hash = blake3::hash(key.as_bytes());
        let first: [u8; 4] = std::array::from_fn(|index| hash.as_bytes()[index]);
        u32::from_le_bytes(first) % self.partitions
    }
}

#[async_trait]
impl EventLog for MemoryLog {
    async fn append(&self, topic: Topic, record: NewRecord) -> Result<LogPosition, StorageError> {
        topic.takes(&record)?;
        let NewRecord { key, record, trace_parent } = record;
        let partition = self.partition(&key);
        let mut records = self.records.lock();
        let records = records.entry((topic, partition)).or_default();
        let place = LogPosition { partition, offset: records.len() as u64 };
        records.push(LogRecord { topic, place, key, record, trace_parent });
        self.readers.appended(topic);
        Ok(place)
    }

    async fn subscribe(
        &self,
        group: &str,
        topics: &[Topic],
        offsets: Arc<dyn Offsets>,
    ) -> Result<Box<dyn Subscription>, StorageError> {
        let log = Arc::new(self.clone());
        Ok(Box::new(LocalSubscription::join(log, Arc::clone(&self.readers), group, topics, offsets)))
    }

    async fn read(
        &self,
        topic: Topic,
        partition: u32,
        from: u64,
        limit: usize,
    ) -> Result<Vec<LogRecord>, StorageError> {
        let records = self.records.lock();
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let found = records.get(&(topic, partition)).into_iter().flatten();
        Ok(found.skip(from).take(limit).cloned().collect())
    }

    async fn partitions(&self, _topic: Topic) -> Result<u32, StorageError> {
        Ok(self.partitions)
    }
}
