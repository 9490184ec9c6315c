//! Records as the client library gives them, and reading one partition without joining a group.

use super::context::Context;
use super::{KafkaOptions, TRACE};
use domain::storage::StorageError;
use domain::storage::log::{LogPosition, LogRecord, Topic};
use parking_lot::Mutex;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::{BorrowedMessage, Headers, Message};
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{Offset, TopicPartitionList};
use std::sync::Arc;
use std::time::Duration;

/// Pause between queries for a partition without a leader.
const PAUSE: Duration = Duration::from_millis(100);

/// Idle clients outside any group; each serves one call at a time and is then reused.
pub(super) struct IdleReaders {
    options: Arc<KafkaOptions>,
    idle: Mutex<Vec<BaseConsumer<Context>>>,
}

impl IdleReaders {
    pub(super) fn new(options: Arc<KafkaOptions>) -> Self {
        Self { options, idle: Mutex::default() }
    }

    /// Reads up to `limit` records from an offset. Blocks on the broker.
    pub(super) fn read(
        &self,
        topic: Topic,
        partition: u32,
        from: u64,
        limit: usize,
    ) -> Result<Vec<LogRecord>, StorageError> {
        let name = self.options.topic(topic);
        let failed = |cause: KafkaError| self.options.failed(&format!("read topic `{name}`"), &cause);
        let reader = match self.idle().pop() {
            Some(reader) => reader,
            None => self.connect().map_err(failed)?,
        };
        let records = self.read_with(&reader, topic, &name, partition, from, limit).map_err(failed)?;
        // Keeps only a working client.
        self.idle().push(reader);
        Ok(records)
    }

    fn idle(&self) -> parking_lot::MutexGuard<'_, Vec<BaseConsumer<Context>>> {
        self.idle.lock()
    }

    fn connect(&self) -> Result<BaseConsumer<Context>, KafkaError> {
        let mut config = self.options.client();
        // The library requires a group name even if none is joined.
        config
            .set("group.id", format!("{}reader", self.options.topic_prefix))
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true");
        config.create_with_context(Context)
    }

    /// The first offset of a partition and the one after its last record.
    fn ends(&self, reader: &BaseConsumer<Context>, name: &str, partition: i32) -> Result<(i64, i64), KafkaError> {
        let deadline = self.options.deadline();
        let mut waited = Duration::ZERO;
        loop {
            match reader.fetch_watermarks(name, partition, deadline) {
                Err(cause) if has_no_leader(&cause) && waited < deadline => {
                    // Pauses: with nothing assigned, polling returns nothing.
                    reader.poll(PAUSE);
                    waited += PAUSE;
                }
                ends => return ends,
            }
        }
    }

    fn read_with(
        &self,
        reader: &BaseConsumer<Context>,
        topic: Topic,
        name: &str,
        partition: u32,
        from: u64,
        limit: usize,
    ) -> Result<Vec<LogRecord>, KafkaError> {
        let deadline = self.options.deadline();
        let partition = i32::try_from(partition).unwrap_or(i32::MAX);
        let (oldest, end) = self.ends(reader, name, partition)?;
        let from = i64::try_from(from).unwrap_or(i64::MAX).max(oldest);
        let mut records = Vec::new();
        if from >= end || limit == 0 {
            return Ok(records);
        }
        let mut assignment = TopicPartitionList::new();
        assignment.add_partition_offset(name, partition, Offset::Offset(from))?;
        reader.assign(&assignment)?;
        while records.len() < limit {
            match reader.poll(deadline) {
                Some(Ok(message)) => records.push(record(&message, topic)),
                Some(Err(KafkaError::PartitionEOF(_))) => break,
                Some(Err(cause)) => return Err(cause),
                None => return Err(KafkaError::NoMessageReceived),
            }
        }
        reader.unassign()?;
        Ok(records)
    }
}

/// Whether a partition is between two leaders, or was just made.
fn has_no_leader(cause: &KafkaError) -> bool {
    matches!(
        cause.rdkafka_error_code(),
        Some(
            RDKafkaErrorCode::NotLeaderForPartition
                | RDKafkaErrorCode::LeaderNotAvailable
                | RDKafkaErrorCode::UnknownTopicOrPartition
        )
    )
}

/// A record of this topic.
pub(super) fn record(message: &BorrowedMessage<'_>, topic: Topic) -> LogRecord {
    let place = LogPosition { partition: message.partition().unsigned_abs(), offset: message.offset().unsigned_abs() };
    let trace = message.headers().and_then(|headers| headers.iter().find(|header| header.key == TRACE));
    LogRecord {
        topic,
        place,
        key: String::from_utf8_lossy(message.key().unwrap_or_default()).into_owned(),
        record: message.payload().unwrap_or_default().to_vec(),
        trace_parent: String::from_utf8_lossy(trace.and_then(|header| header.value).unwrap_or_default()).into_owned(),
    }
}
