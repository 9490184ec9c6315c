//! The event log in Kafka. An append is acknowledged once all in-sync replicas have it; client retries do not duplicate
//! records. Consumers store their own offsets; they are also committed to the broker, only for tools that show lag.

mod context;
mod read;
mod subscription;
#[cfg(test)]
mod tests;
mod topics;

use async_trait::async_trait;
use context::Context;
use domain::storage::StorageError;
use domain::storage::log::{EventLog, LogPosition, LogRecord, NewRecord, Offsets, Subscription, Topic};
use parking_lot::Mutex;
use rdkafka::ClientConfig;
use rdkafka::error::KafkaError;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};
use rdkafka::types::RDKafkaErrorCode;
use read::IdleReaders;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Linger time of records that a caller waits for.
const PROMPT: Duration = Duration::from_millis(2);

/// Linger time of frequent records that nobody waits for, since a request per record would dominate their cost.
const GATHERING: Duration = Duration::from_millis(50);

/// The header that carries the trace context, as in HTTP.
const TRACE: &str = "traceparent";

/// How to reach Kafka, and what topics are made there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KafkaOptions {
    /// `HOST:PORT` of one broker or several, with commas.
    pub brokers: String,
    /// What all topics and groups begin with, so that several installations can share a broker.
    pub topic_prefix: String,
    /// Partitions of a topic that is created. They limit how many processes of a role can read it; each costs its
    /// readers and writers further requests.
    pub partitions: u32,
    /// Replicas of a topic that is created; 3 with three or more brokers.
    pub replication: u32,
    /// Least retention of records, in hours; 0 for ever. A consumer that is away for longer cannot resume.
    pub retention_hours: u32,
    /// How long one call may take, in milliseconds.
    pub deadline_ms: u64,
    /// Further settings of the client library (librdkafka), by its names.
    pub settings: BTreeMap<String, String>,
}

impl Default for KafkaOptions {
    fn default() -> Self {
        Self {
            brokers: "127.0.0.1:9092".to_owned(),
            topic_prefix: "rutter.".to_owned(),
            partitions: 4,
            replication: 1,
            retention_hours: 7 * 24,
            deadline_ms: 10_000,
            settings: BTreeMap::new(),
        }
    }
}

impl KafkaOptions {
    fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    /// The topic's name on the broker.
    fn topic(&self, topic: Topic) -> String {
        format!("{}{}", self.topic_prefix, topic.as_str())
    }

    /// The configuration of every client.
    fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        let deadline = self.deadline_ms.clamp(1000, 300_000).to_string();
        config
            .set("bootstrap.servers", &self.brokers)
            .set("client.id", "rutter")
            .set("socket.timeout.ms", deadline)
            .set("socket.keepalive.enable", "true")
            .set("reconnect.backoff.ms", "100")
            .set("reconnect.backoff.max.ms", "1000")
            .set("allow.auto.create.topics", "false")
            .set("log.connection.close", "false");
        for (name, value) in &self.settings {
            config.set(name, value);
        }
        config
    }

    fn failed(&self, doing: &str, cause: &KafkaError) -> StorageError {
        let why = match cause.rdkafka_error_code() {
            Some(code) => code.to_string(),
            None => cause.to_string(),
        };
        StorageError::Unavailable(format!("{doing}: Kafka at {}: {why}", self.brokers))
    }
}

/// Kafka. Clones are the same log.
#[derive(Clone)]
pub struct KafkaLog {
    options: Arc<KafkaOptions>,
    producers: Arc<Producers>,
    readers: Arc<IdleReaders>,
    partitions: Arc<BTreeMap<Topic, u32>>,
}

impl KafkaLog {
    /// Connects, creates missing topics, and checks existing ones.
    ///
    /// # Errors
    /// [`StorageError::Unavailable`] when no broker answers in time; [`StorageError::Conflict`] when an existing topic
    /// would lose records.
    pub async fn open(options: KafkaOptions) -> Result<Self, StorageError> {
        let options = Arc::new(options);
        let partitions = topics::prepare(&options).await?;
        let producers =
            Arc::new(Producers { prompt: Lazy::with_linger(PROMPT), gathering: Lazy::with_linger(GATHERING) });
        let readers = Arc::new(IdleReaders::new(Arc::clone(&options)));
        Ok(Self { options, producers, readers, partitions: Arc::new(partitions) })
    }

    /// A group's progress in a topic, as its members committed it to the broker every few seconds: per partition, the
    /// offset of the first record whose effect is not known to be stored.
    ///
    /// # Errors
    /// [`StorageError::Unavailable`].
    pub async fn progress(&self, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
        let (log, group) = (self.clone(), group.to_owned());
        blocking(move || subscription::committed(&log.options, &group, topic, log.partitions[&topic])).await
    }

    /// The producer for a topic.
    fn producer(&self, topic: Topic) -> &Lazy {
        match topic {
            // Frequent: two or more per attempt, and no caller waits for them within the linger time.
            Topic::Trajectories | Topic::Outcomes => &self.producers.gathering,
            _ => &self.producers.prompt,
        }
    }
}

struct Producers {
    prompt: Lazy,
    gathering: Lazy,
}

/// A producer created with its first record, since each one keeps background threads.
struct Lazy {
    linger: Duration,
    producer: Mutex<Option<FutureProducer<Context>>>,
}

impl Lazy {
    fn with_linger(linger: Duration) -> Self {
        Self { linger, producer: Mutex::new(None) }
    }

    fn get(&self, options: &KafkaOptions) -> Result<FutureProducer<Context>, StorageError> {
        let mut made = self.producer.lock();
        if let Some(producer) = made.as_ref() {
            return Ok(producer.clone());
        }
        Ok(made.insert(producer(options, self.linger)?).clone())
    }

    /// Drops a producer after a fatal sequence error; the next append creates a new one.
    fn drop_if_broken(&self) {
        let mut made = self.producer.lock();
        if let Some((code, reason)) = made.as_ref().and_then(|producer| producer.client().fatal_error()) {
            tracing::warn!(%code, reason, "the kafka producer cannot go on, it is replaced");
            *made = None;
        }
    }
}

fn producer(options: &KafkaOptions, linger: Duration) -> Result<FutureProducer<Context>, StorageError> {
    let mut config = options.client();
    config
        .set("enable.idempotence", "true")
        .set("acks", "all")
        .set("message.max.bytes", topics::most(Topic::Quarantine).to_string())
        .set("compression.type", "lz4")
        // Partitions keys as the Java clients do.
        .set("partitioner", "murmur2_random")
        .set("linger.ms", linger.as_millis().to_string())
        .set("message.timeout.ms", options.deadline_ms.max(1).to_string());
    config.create_with_context(Context).map_err(|cause| options.failed("make a producer", &cause))
}

#[async_trait]
impl EventLog for KafkaLog {
    async fn append(&self, topic: Topic, record: NewRecord) -> Result<LogPosition, StorageError> {
        topic.takes(&record)?;
        let name = self.options.topic(topic);
        let mut message = FutureRecord::to(&name).key(&record.key).payload(&record.record);
        if !record.trace_parent.is_empty() {
            let header = Header { key: TRACE, value: Some(&record.trace_parent) };
            message = message.headers(OwnedHeaders::new().insert(header));
        }
        let producer = self.producer(topic);
        match producer.get(&self.options)?.send(message, self.options.deadline()).await {
            Ok(delivery) => {
                Ok(LogPosition { partition: delivery.partition.unsigned_abs(), offset: delivery.offset.unsigned_abs() })
            }
            Err((cause, _)) => {
                producer.drop_if_broken();
                if cause.rdkafka_error_code() == Some(RDKafkaErrorCode::MessageSizeTooLarge) {
                    let bytes = record.record.len();
                    return Err(StorageError::TooLarge(format!(
                        "topic `{name}` refuses a record of {bytes} bytes; set its `max.message.bytes` to {}",
                        topics::most(topic)
                    )));
                }
                Err(self.options.failed(&format!("append to topic `{name}`"), &cause))
            }
        }
    }

    async fn subscribe(
        &self,
        group: &str,
        topics: &[Topic],
        offsets: Arc<dyn Offsets>,
    ) -> Result<Box<dyn Subscription>, StorageError> {
        let subscription = subscription::KafkaSubscription::join(&self.options, group, topics, offsets)?;
        Ok(Box::new(subscription))
    }

    async fn read(
        &self,
        topic: Topic,
        partition: u32,
        from: u64,
        limit: usize,
    ) -> Result<Vec<LogRecord>, StorageError> {
        let readers = Arc::clone(&self.readers);
        blocking(move || readers.read(topic, partition, from, limit)).await
    }

    async fn partitions(&self, topic: Topic) -> Result<u32, StorageError> {
        Ok(self.partitions.get(&topic).copied().unwrap_or(0))
    }
}

/// Runs a blocking call of the client library.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StorageError> + Send + 'static,
) -> Result<T, StorageError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(StorageError::Unavailable(format!("event log: {error}"))))
}
