//! A member of a consumer group. Each assigned partition starts at the offset that the consumer has stored; the
//! broker's committed offsets are ignored.
//!
//! The client library blocks, so each call of [`next`](Subscription::next) runs it on a thread. Records found are
//! buffered before the call returns, so a cancelled call loses nothing.

use super::context::Context;
use super::read::record;
use super::{KafkaOptions, blocking};
use async_trait::async_trait;
use domain::storage::StorageError;
use domain::storage::log::{LogRecord, Offsets, Subscription, Topic};
use parking_lot::Mutex;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::KafkaError;
use rdkafka::message::Message;
use rdkafka::types::{RDKafkaErrorCode, RDKafkaRespErr};
use rdkafka::{ClientContext, Offset, TopicPartitionList};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// Longest blocking poll between two checks for cancellation.
const SLICE: Duration = Duration::from_millis(100);
/// Pause between attempts to read the stored offsets.
const PAUSE: Duration = Duration::from_millis(200);

/// A member of a group.
pub(super) struct KafkaSubscription {
    /// None only during drop.
    member: Option<Arc<Member>>,
    polling: Option<JoinHandle<Result<(), StorageError>>>,
    /// The offset after the last returned record per partition; calling `next` again means that these are stored.
    handed: BTreeMap<(Topic, u32), u64>,
    must_rewind: bool,
}

struct Member {
    consumer: BaseConsumer<Group>,
    /// Records read but not yet returned.
    read: Mutex<VecDeque<LogRecord>>,
    hurry: AtomicBool,
    /// Set when a partition has lost the records at the stored offset and the client library gave up on it.
    gap: AtomicBool,
}

/// The client library's callbacks for rebalances.
struct Group {
    options: Arc<KafkaOptions>,
    name: String,
    topics: BTreeMap<String, Topic>,
    offsets: Arc<dyn Offsets>,
    runtime: Handle,
    closed: AtomicBool,
    /// Why the stored offsets cannot be read.
    trouble: Mutex<Option<String>>,
}

/// Milliseconds for which the broker may gather records of a topic. Steps are the most frequent records, and none is
/// waited for.
fn gathered_for(topic: &Topic) -> u32 {
    if *topic == Topic::Trajectories { 250 } else { 100 }
}

/// The group's name on the broker.
fn on_broker(options: &KafkaOptions, group: &str) -> String {
    format!("{}{group}", options.topic_prefix)
}

/// The offsets that a group has committed to the broker. Asking joins no group.
pub(super) fn committed(
    options: &KafkaOptions,
    group: &str,
    topic: Topic,
    partitions: u32,
) -> Result<BTreeMap<u32, u64>, StorageError> {
    let failed = |cause: KafkaError| options.failed(&format!("look up how far group `{group}` is"), &cause);
    let asking: BaseConsumer = options.client().set("group.id", on_broker(options, group)).create().map_err(failed)?;
    let mut places = TopicPartitionList::new();
    for partition in 0..partitions {
        places.add_partition(&options.topic(topic), i32::try_from(partition).unwrap_or(i32::MAX));
    }
    let told = asking.committed_offsets(places, options.deadline()).map_err(failed)?;
    let known = told.elements().into_iter().filter_map(|place| match place.offset() {
        Offset::Offset(next) => Some((place.partition().unsigned_abs(), next.unsigned_abs())),
        _ => None,
    });
    Ok(known.collect())
}

impl KafkaSubscription {
    pub(super) fn join(
        options: &Arc<KafkaOptions>,
        group: &str,
        topics: &[Topic],
        offsets: Arc<dyn Offsets>,
    ) -> Result<Self, StorageError> {
        let failed = |cause: KafkaError| options.failed(&format!("join group `{group}`"), &cause);
        let topics: BTreeMap<String, Topic> = topics.iter().map(|topic| (options.topic(*topic), *topic)).collect();
        let names: Vec<&str> = topics.keys().map(String::as_str).collect();
        let context = Group {
            options: Arc::clone(options),
            name: group.to_owned(),
            topics: topics.clone(),
            offsets,
            runtime: Handle::current(),
            closed: AtomicBool::new(false),
            trouble: Mutex::default(),
        };
        let mut config = options.client();
        config
            .set("group.id", on_broker(options, group))
            .set("partition.assignment.strategy", "cooperative-sticky")
            .set("session.timeout.ms", "10000")
            .set("heartbeat.interval.ms", "1000")
            .set("auto.offset.reset", "error")
            .set("enable.auto.offset.store", "false")
            .set("queued.max.messages.kbytes", "16384")
            // Lets the broker gather records: a fetch, a wake-up and a transaction for each record would cost more than
            // the delay.
            .set("fetch.min.bytes", "65536")
            .set("fetch.wait.max.ms", topics.values().map(gathered_for).min().unwrap_or_default().to_string());
        let consumer: BaseConsumer<Group> = config.create_with_context(context).map_err(failed)?;
        consumer.subscribe(&names).map_err(failed)?;
        let member =
            Member { consumer, read: Mutex::default(), hurry: AtomicBool::new(false), gap: AtomicBool::new(false) };
        Ok(Self { member: Some(Arc::new(member)), polling: None, handed: BTreeMap::new(), must_rewind: false })
    }

    fn member(&self) -> Result<&Arc<Member>, StorageError> {
        self.member.as_ref().ok_or_else(|| StorageError::Unavailable("the subscription has ended".to_owned()))
    }

    /// Commits the group's progress to the broker, for tools that show lag.
    fn hint(&mut self, member: &Member) {
        let group = member.consumer.context();
        let mut places = TopicPartitionList::new();
        for ((topic, partition), next) in std::mem::take(&mut self.handed) {
            let offset = Offset::Offset(i64::try_from(next).unwrap_or(i64::MAX));
            let partition = i32::try_from(partition).unwrap_or(i32::MAX);
            if let Err(cause) = places.add_partition_offset(&group.options.topic(topic), partition, offset) {
                tracing::debug!(%cause, "no hint for tools that show lag");
            }
        }
        // Fails harmlessly for partitions that were reassigned meanwhile.
        if let Err(cause) = member.consumer.store_offsets(&places) {
            tracing::debug!(%cause, "no hint for tools that show lag");
        }
    }

    fn hand_out(&mut self, member: &Member, limit: usize) -> Vec<LogRecord> {
        let mut read = member.read();
        let count = limit.min(read.len());
        let records: Vec<LogRecord> = read.drain(..count).collect();
        for record in &records {
            self.handed.insert((record.topic, record.place.partition), record.place.offset + 1);
        }
        records
    }
}

#[async_trait]
impl Subscription for KafkaSubscription {
    async fn next(&mut self, limit: usize, wait: Duration) -> Result<Vec<LogRecord>, StorageError> {
        if self.must_rewind {
            self.rewind().await?;
        }
        let member = Arc::clone(self.member()?);
        self.hint(&member);
        let records = self.hand_out(&member, limit);
        if !records.is_empty() {
            return Ok(records);
        }
        let polling = self.polling.get_or_insert_with(|| {
            let member = Arc::clone(&member);
            tokio::task::spawn_blocking(move || member.poll(limit, wait))
        });
        let polled = tokio::time::timeout(wait.saturating_add(2 * SLICE), polling).await;
        let outcome = match polled {
            Ok(joined) => {
                self.polling = None;
                joined.unwrap_or_else(|error| Err(StorageError::Unavailable(format!("event log: {error}"))))
            }
            // The poll continues; the next call returns what it finds.
            Err(_) => member.consumer.context().trouble(),
        };
        // Repeats the error for as long as the gap exists.
        self.must_rewind |= member.gap.swap(false, Ordering::Relaxed);
        let records = self.hand_out(&member, limit);
        if records.is_empty() {
            outcome?;
        }
        Ok(records)
    }

    async fn rewind(&mut self) -> Result<(), StorageError> {
        self.must_rewind = true;
        let member = Arc::clone(self.member()?);
        member.hurry.store(true, Ordering::Relaxed);
        if let Some(polling) = self.polling.as_mut() {
            let group = member.consumer.context();
            // Drops what the poll found, since it is read again; but without stored offsets there is no position to go
            // back to.
            if tokio::time::timeout(group.options.deadline(), polling).await.is_err() {
                group.trouble()?;
            }
        }
        self.polling = None;
        member.hurry.store(false, Ordering::Relaxed);
        self.handed.clear();
        let again = Arc::clone(&member);
        blocking(move || again.go_back()).await?;
        self.must_rewind = false;
        Ok(())
    }
}

impl Drop for KafkaSubscription {
    fn drop(&mut self) {
        let Some(member) = self.member.take() else { return };
        member.consumer.context().closed.store(true, Ordering::Relaxed);
        member.hurry.store(true, Ordering::Relaxed);
        // Leaving the group blocks on the broker.
        std::thread::spawn(move || drop(member));
    }
}

impl Member {
    fn read(&self) -> parking_lot::MutexGuard<'_, VecDeque<LogRecord>> {
        self.read.lock()
    }

    /// Blocks for the first record, then takes all that are ready.
    fn poll(&self, limit: usize, wait: Duration) -> Result<(), StorageError> {
        let group = self.consumer.context();
        let mut left = wait;
        let mut found = 0;
        while found < limit && !self.hurry.load(Ordering::Relaxed) {
            let slice = left.min(SLICE);
            match self.consumer.poll(slice) {
                Some(Ok(message)) => {
                    if let Some(topic) = group.topics.get(message.topic()) {
                        self.read().push_back(record(&message, *topic));
                        found += 1;
                    }
                    left = Duration::ZERO;
                }
                Some(Err(cause)) => {
                    let is_gap = cause.rdkafka_error_code() == Some(RDKafkaErrorCode::AutoOffsetReset);
                    self.gap.fetch_or(is_gap, Ordering::Relaxed);
                    return Err(group.failed(&cause));
                }
                None if left.is_zero() => break,
                None => left -= slice,
            }
        }
        Ok(())
    }

    /// Rewinds every owned partition to its stored offset.
    fn go_back(&self) -> Result<(), StorageError> {
        let group = self.consumer.context();
        let failed = |cause: KafkaError| group.failed(&cause);
        let mut owned = self.consumer.assignment().map_err(failed)?;
        group.runtime.block_on(group.begin_at_stored(&mut owned))?;
        if owned.count() > 0 {
            let sought = self.consumer.seek_partitions(owned, group.options.deadline()).map_err(failed)?;
            for partition in sought.elements() {
                partition.error().map_err(failed)?;
            }
        }
        self.read().clear();
        Ok(())
    }
}

impl Group {
    fn failed(&self, cause: &KafkaError) -> StorageError {
        if cause.rdkafka_error_code() == Some(RDKafkaErrorCode::AutoOffsetReset) {
            return StorageError::Corrupt(format!(
                "what group `{}` is to read next is not in Kafka at {} any more: retention removed it, or the topic was \
                 made anew; bring it back, or change the group's stored offset, knowing that records are missing",
                self.name, self.options.brokers
            ));
        }
        self.options.failed(&format!("read as a member of group `{}`", self.name), cause)
    }

    fn trouble(&self) -> Result<(), StorageError> {
        match self.trouble.lock().clone() {
            Some(cause) => Err(StorageError::Unavailable(cause)),
            None => Ok(()),
        }
    }

    fn set_trouble(&self, cause: Option<String>) {
        *self.trouble.lock() = cause;
    }

    /// Starts each partition at its stored offset, or at its beginning if none is stored.
    async fn begin_at_stored(&self, partitions: &mut TopicPartitionList) -> Result<(), StorageError> {
        for (name, topic) in &self.topics {
            let stored = self.offsets.offsets(&self.name, *topic).await?;
            for mut partition in partitions.elements_for_topic(name) {
                let offset = match stored.get(&partition.partition().unsigned_abs()) {
                    Some(next) => Offset::Offset(i64::try_from(*next).unwrap_or(i64::MAX)),
                    None => Offset::Beginning,
                };
                partition.set_offset(offset).map_err(|cause| self.failed(&cause))?;
            }
        }
        Ok(())
    }

    /// Retries until the stored offsets are known: nothing may be read before.
    fn wait_for_stored(&self, partitions: &mut TopicPartitionList) {
        while !self.closed.load(Ordering::Relaxed) {
            match self.runtime.block_on(self.begin_at_stored(partitions)) {
                Ok(()) => break,
                Err(cause) => {
                    let group = &self.name;
                    self.set_trouble(Some(format!("look up how far group `{group}` is: {cause}")));
                    self.runtime.block_on(tokio::time::sleep(PAUSE));
                }
            }
        }
        self.set_trouble(None);
    }
}

impl ClientContext for Group {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        Context.log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        Context.error(error, reason);
    }
}

impl ConsumerContext for Group {
    fn rebalance(&self, consumer: &BaseConsumer<Self>, change: RDKafkaRespErr, partitions: &mut TopicPartitionList) {
        let changed = if change == RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS {
            self.wait_for_stored(partitions);
            consumer.incremental_assign(partitions)
        } else {
            consumer.incremental_unassign(partitions)
        };
        if let Err(cause) = changed {
            tracing::warn!(group = self.name, %cause, "a change of partitions failed, the group will agree again");
        }
    }
}
