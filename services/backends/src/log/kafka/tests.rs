//! The suite on a real broker, and what is particular to one: that it may be away, refuse, or have topics of its own.

use super::context::Context;
use super::{KafkaLog, KafkaOptions};
use crate::log::suite;
use crate::testing::{OwnServer, Server, server, unique};
use async_trait::async_trait;
use domain::storage::StorageError;
use domain::storage::log::{EventLog, NewRecord, Offsets, Subscription, Topic};
use parking_lot::Mutex;
use rdkafka::admin::{AdminClient, AdminOptions, AlterConfig, NewTopic, ResourceSpecifier, TopicReplication};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn options(brokers: String) -> KafkaOptions {
    KafkaOptions { brokers, topic_prefix: format!("{}.", unique("test")), partitions: 3, ..KafkaOptions::default() }
}

async fn open(options: &KafkaOptions) -> KafkaLog {
    KafkaLog::open(options.clone()).await.expect("open the log")
}

fn admin(options: &KafkaOptions) -> AdminClient<Context> {
    options.client().create_with_context(Context).expect("a client")
}

fn record(content: &[u8]) -> NewRecord {
    NewRecord { key: "run/a".into(), record: content.to_vec(), trace_parent: String::new() }
}

/// Stored offsets that can be away.
#[derive(Default)]
struct Stored {
    away: AtomicBool,
    offsets: Mutex<BTreeMap<u32, u64>>,
}

#[async_trait]
impl Offsets for Stored {
    async fn offsets(&self, _group: &str, _topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
        match self.away.load(Ordering::Relaxed) {
            true => Err(StorageError::Unavailable("the database is away".to_owned())),
            false => Ok(self.offsets.lock().clone()),
        }
    }
}

async fn contents(subscription: &mut dyn Subscription, count: usize) -> Vec<u8> {
    let mut contents = Vec::new();
    let reading = async {
        while contents.len() < count {
            // An error is told while the broker is away; the next call tries again.
            let records = subscription.next(100, Duration::from_secs(1)).await.unwrap_or_default();
            contents.extend(records.into_iter().flat_map(|record| record.record));
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(90), reading).await.is_ok();
    assert!(in_time, "{} of {count} records", contents.len());
    contents
}

#[tokio::test(flavor = "multi_thread")]
async fn kafka_passes_the_suite() {
    let brokers = server(Server::Kafka);
    let fresh = || async { Arc::new(open(&options(brokers.clone())).await) as Arc<dyn EventLog> };
    assert_eq!(suite::run(fresh).await, 16);
}

#[tokio::test]
async fn kafka_that_is_not_there_is_named_in_time() {
    let options = KafkaOptions { brokers: "127.0.0.1:9".into(), deadline_ms: 1000, ..KafkaOptions::default() };
    let opening = tokio::time::timeout(Duration::from_secs(20), KafkaLog::open(options)).await.expect("in time");
    let Err(error) = opening else { panic!("connected to the discard port") };
    assert!(error.to_string().contains("Kafka at 127.0.0.1:9"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kafka_that_was_killed_is_named_and_goes_on_when_it_is_back() {
    let own = OwnServer::start(Server::Kafka);
    let options = KafkaOptions { deadline_ms: 2000, ..options(own.address()) };
    let log = open(&options).await;
    let stored = Arc::new(Stored::default());
    let mut subscription = log.subscribe("readers", &[Topic::Outcomes], stored).await.unwrap();
    let first = log.append(Topic::Outcomes, record(&[1])).await.unwrap();
    assert_eq!(contents(subscription.as_mut(), 1).await, [1]);
    own.kill();
    let appending = tokio::time::timeout(Duration::from_secs(20), log.append(Topic::Outcomes, record(&[9]))).await;
    let error = appending.expect("in time").expect_err("nobody is there");
    assert!(error.to_string().contains(&format!("Kafka at {}", options.brokers)), "{error}");
    assert!(error.to_string().contains("outcomes"), "{error}");
    own.start_again();
    let back = async {
        while log.append(Topic::Outcomes, record(&[2])).await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), back).await.expect("appends work again");
    // What was refused may be there or not.
    let mut rest = contents(subscription.as_mut(), 1).await;
    while !rest.contains(&2) {
        rest.extend(contents(subscription.as_mut(), 1).await);
    }
    let all = log.read(Topic::Outcomes, first.partition, first.offset, 1).await.unwrap();
    assert_eq!(all.first().map(|record| record.record.clone()), Some(vec![1]), "what was acknowledged is lost");
}

#[tokio::test]
async fn what_kafka_refuses_is_named_and_what_comes_after_is_not_held_up() {
    let options = options(server(Server::Kafka));
    let log = open(&options).await;
    let name = options.topic(Topic::Outcomes);
    let small = AlterConfig::new(ResourceSpecifier::Topic(&name)).set("max.message.bytes", "200");
    let altered = admin(&options).alter_configs(&[small], &AdminOptions::new()).await.unwrap();
    assert!(altered[0].is_ok(), "{altered:?}");
    // Nothing that compression could make small.
    let large: Vec<u8> =
        (0..2000u32).flat_map(|number| blake3::hash(&number.to_le_bytes()).as_bytes()[..4].to_vec()).collect();
    let refused = async {
        loop {
            // The setting takes a moment to reach the broker.
            if let Err(error) = log.append(Topic::Outcomes, record(&large)).await {
                break error;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let error = tokio::time::timeout(Duration::from_secs(30), refused).await.expect("it is refused");
    let StorageError::TooLarge(error) = error else { panic!("{error:?}") };
    assert!(error.contains(&name) && error.contains("8000 bytes") && error.contains("max.message.bytes"), "{error}");
    log.append(Topic::Outcomes, record(&[1])).await.expect("a small record is taken");
}

#[tokio::test]
async fn topics_that_would_lose_records_in_kafka_are_refused_and_others_are_used_as_they_are() {
    let options = options(server(Server::Kafka));
    let made = |name: String, setting: &'static str, value: &'static str| {
        let admin = admin(&options);
        async move {
            let topic = NewTopic::new(&name, 2, TopicReplication::Fixed(1)).set(setting, value);
            let made = admin.create_topics(&[topic], &AdminOptions::new()).await.expect("make a topic");
            assert!(made[0].is_ok(), "{made:?}");
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    made(options.topic(Topic::Jobs), "retention.ms", "-1").await;
    let log = open(&options).await;
    assert_eq!(log.partitions(Topic::Jobs).await.unwrap(), 2, "it was there");
    assert_eq!(log.partitions(Topic::Outcomes).await.unwrap(), 3, "it was made");
    for (setting, value, named) in [
        ("cleanup.policy", "compact", "compacted"),
        ("retention.ms", "1000", "retention.ms"),
        ("retention.bytes", "1000", "retention.bytes"),
    ] {
        let options = KafkaOptions { topic_prefix: format!("{}.", unique("test")), ..options.clone() };
        made(options.topic(Topic::Outcomes), setting, value).await;
        let Err(StorageError::Conflict(error)) = KafkaLog::open(options.clone()).await else {
            panic!("{setting} is used")
        };
        assert!(error.contains(&options.topic(Topic::Outcomes)) && error.contains(named), "{error}");
    }
}

#[tokio::test]
async fn two_installations_share_one_kafka_without_meeting() {
    let brokers = server(Server::Kafka);
    let (ours, theirs) = (open(&options(brokers.clone())).await, open(&options(brokers)).await);
    theirs.append(Topic::Outcomes, record(&[9])).await.unwrap();
    ours.append(Topic::Outcomes, record(&[1])).await.unwrap();
    let mut subscription = ours.subscribe("readers", &[Topic::Outcomes], Arc::new(Stored::default())).await.unwrap();
    assert_eq!(contents(subscription.as_mut(), 1).await, [1]);
    assert_eq!(subscription.next(10, Duration::from_millis(500)).await.unwrap(), []);
}

#[tokio::test]
async fn nothing_of_kafka_is_handed_out_before_the_stored_offsets_are_known() {
    let log = open(&options(server(Server::Kafka))).await;
    let mut partition = 0;
    for number in 0..3 {
        partition = log.append(Topic::Outcomes, record(&[number])).await.unwrap().partition;
    }
    let stored = Arc::new(Stored::default());
    stored.offsets.lock().insert(partition, 2);
    stored.away.store(true, Ordering::Relaxed);
    let mut subscription = log.subscribe("readers", &[Topic::Outcomes], Arc::clone(&stored) as _).await.unwrap();
    let told = async {
        loop {
            match subscription.next(10, Duration::from_millis(200)).await {
                Ok(records) => assert_eq!(records, [], "handed out too early"),
                Err(error) => break error,
            }
        }
    };
    let error = tokio::time::timeout(Duration::from_secs(60), told).await.expect("it is told");
    assert!(error.to_string().contains("the database is away"), "{error}");
    stored.away.store(false, Ordering::Relaxed);
    assert_eq!(contents(subscription.as_mut(), 1).await, [2]);
}

/// Retention removed what was not read: that is told for as long as it is so, and nothing is skipped in silence.
#[tokio::test]
async fn records_that_kafka_removed_before_they_were_read_are_told() {
    let options = options(server(Server::Kafka));
    let log = open(&options).await;
    let place = log.append(Topic::Outcomes, record(&[1])).await.unwrap();
    log.append(Topic::Outcomes, record(&[2])).await.unwrap();
    let mut before = rdkafka::TopicPartitionList::new();
    let partition = i32::try_from(place.partition).unwrap();
    before.add_partition_offset(&options.topic(Topic::Outcomes), partition, rdkafka::Offset::Offset(1)).unwrap();
    admin(&options).delete_records(&before, &AdminOptions::new()).await.expect("remove a record");
    let stored = Arc::new(Stored::default());
    stored.offsets.lock().insert(place.partition, 0);
    let mut subscription = log.subscribe("readers", &[Topic::Outcomes], stored).await.unwrap();
    for _ in 0..2 {
        let told = async {
            loop {
                match subscription.next(10, Duration::from_millis(200)).await {
                    Ok(records) => assert_eq!(records, [], "the gap was skipped"),
                    Err(error) => break error,
                }
            }
        };
        let error = tokio::time::timeout(Duration::from_secs(60), told).await.expect("it is told");
        assert!(error.to_string().contains("readers"), "{error}");
    }
}

/// What a member keeps it goes on with. If everything were taken from it first, it would read that again from the stored offset.
#[tokio::test]
async fn members_of_a_group_of_kafka_keep_their_other_partitions_when_somebody_joins() {
    let log = open(&options(server(Server::Kafka))).await;
    for number in 0..30 {
        log.append(Topic::Outcomes, NewRecord { key: number.to_string(), ..record(&[number]) }).await.unwrap();
    }
    let join = async || log.subscribe("readers", &[Topic::Outcomes], Arc::new(Stored::default())).await.unwrap();
    let mut first = join().await;
    assert_eq!(contents(first.as_mut(), 30).await.len(), 30);
    let mut second = join().await;
    let (mut again, mut taken_over) = (Vec::new(), Vec::new());
    let shared_out = async {
        let mut looks_after = 0;
        while looks_after < 10 {
            looks_after += usize::from(!taken_over.is_empty());
            again.extend(first.next(100, Duration::from_millis(100)).await.expect("read"));
            taken_over.extend(second.next(100, Duration::from_millis(100)).await.expect("read"));
        }
    };
    tokio::time::timeout(Duration::from_secs(60), shared_out).await.expect("the new member gets a partition");
    assert_eq!(again, [], "the first one was taken everything");
    assert!(taken_over.len() < 30, "the second one was given everything");
}
