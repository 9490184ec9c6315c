//! A member of a consumer group. Each partition that comes to it begins at the offset that its consumer has stored: the
//! broker's own bookkeeping decides nothing.
//!
//! The client library waits, so that each call of [`next`](Subscription::next) lends it a thread; what it finds is put down
//! before the call returns, so that a call that is given up loses nothing.

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

/// The longest that the client library waits without looking whether it still should.
const SLICE: Duration = Duration::from_millis(100);
/// Between two attempts to learn the stored offsets.
const PAUSE: Duration = Duration::from_millis(200);

/// A member of a group.
pub(super) struct KafkaSubscription {
    /// None only while it is dropped.
    member: Option<Arc<Member>>,
    polling: Option<JoinHandle<Result<(), StorageError>>>,
    /// What was handed out, which the next call means to have been stored: the place after it.
    handed: BTreeMap<(Topic, u32), u64>,
    must_rewind: bool,
}

struct Member {
    consumer: BaseConsumer<Group>,
    /// What was read and not handed out yet.
    read: Mutex<VecDeque<LogRecord>>,
    hurry: AtomicBool,
    /// A partition has nothing at the stored offset any more, and the client library has given it up.
    gap: AtomicBool,
}

/// What the client library asks when partitions come and go.
struct Group {
    options: Arc<KafkaOptions>,
    name: String,
    topics: BTreeMap<String, Topic>,
    offsets: Arc<dyn Offsets>,
    runtime: Handle,
    closed: AtomicBool,
    /// Why the stored offsets cannot be learnt.
    trouble: Mutex<Option<String>>,
}

/// For how many milliseconds the broker gathers records of a topic, at most. Nobody waits for a single step of an attempt to
/// be counted, and they are most of all records.
fn gathered_for(topic: &Topic) -> u32 {
    if *topic == Topic::Trajectories { 250 } else { 100 }
}

/// What a group is called on the broker.
fn on_broker(options: &KafkaOptions, group: &str) -> String {
    format!("{}{group}", options.topic_prefix)
}

/// How far the members of a group told the broker that they are. Asking makes nobody a member.
pub(super) fn told(
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
            // The broker gathers for a moment: a fetch, a wake-up and a transaction for every record cost more than they
            // save in time.
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

    /// Tells the broker how far the group is, for tools that show its lag.
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
        // Fails for partitions that have gone to others meanwhile, which does no harm.
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
            // It goes on, and the next call sees what it found.
            Err(_) => member.consumer.context().trouble(),
        };
        // So that it is told again, for as long as it is so.
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
            // Whatever it found is read again; but while the stored offsets cannot be learnt, there is nowhere to go back to.
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
        // Leaving the group waits for the broker.
        std::thread::spawn(move || drop(member));
    }
}

impl Member {
    fn read(&self) -> parking_lot::MutexGuard<'_, VecDeque<LogRecord>> {
        self.read.lock()
    }

    /// Waits for the first record, and takes those that are there with it.
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

    /// Reads every partition that it owns again from the stored offset on.
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

    /// Sets the stored offset of each partition, or its beginning where nothing is stored.
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

    /// Asks for the stored offsets until they are known: nothing may be read before.
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
