//! What every event log does: the contract of [`EventLog`], case by case.

mod groups;
mod records;

use async_trait::async_trait;
use domain::storage::StorageError;
use domain::storage::log::{EventLog, LogPosition, LogRecord, NewRecord, Offsets, Subscription, Topic};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// Runs every case on a fresh log each, all at the same time, and returns how many there were.
///
/// # Panics
/// When a case does not hold.
pub async fn run<F, L>(fresh: F) -> usize
where
    F: Fn() -> L,
    L: Future<Output = Arc<dyn EventLog>>,
{
    let mut running = JoinSet::new();
    macro_rules! cases {
        ($($module:ident::$case:ident),* $(,)?) => { $( running.spawn($module::$case(fresh().await)); )* };
    }
    cases![
        records::an_empty_topic_has_nothing_to_read,
        records::records_come_back_as_they_were_with_their_trace,
        records::a_record_that_is_too_large_is_refused_as_such_and_is_not_there,
        records::reading_begins_where_asked_and_ends_at_the_limit,
        records::records_of_one_key_stay_in_one_partition_and_in_order,
        records::many_producers_at_once_lose_nothing_and_keep_the_order_of_each_key,
        groups::a_subscription_reads_what_was_there_and_what_comes,
        groups::waiting_for_nothing_ends,
        groups::a_call_that_is_given_up_loses_nothing,
        groups::topics_are_read_together_and_only_those_that_were_asked_for,
        groups::what_was_not_stored_is_delivered_again_after_the_subscription_is_gone,
        groups::reading_goes_on_after_what_was_stored,
        groups::going_back_delivers_again_what_was_not_stored,
        groups::a_record_that_nobody_can_read_passes_through,
        groups::groups_do_not_take_from_each_other,
        groups::members_come_and_go_and_every_effect_happens_once,
    ];
    let cases = running.len();
    while let Some(done) = running.join_next().await {
        done.expect("a case does not hold");
    }
    eprintln!("event log: {cases} cases");
    cases
}

/// The longest that a case waits for something to arrive: members of a group may have to agree first.
const LONG: Duration = Duration::from_secs(60);

async fn append(log: &dyn EventLog, topic: Topic, key: &str, record: &[u8]) -> LogPosition {
    let record = NewRecord { key: key.to_owned(), record: record.to_vec(), trace_parent: String::new() };
    log.append(topic, record).await.expect("append")
}

/// Everything in a topic, partition by partition.
async fn all(log: &dyn EventLog, topic: Topic) -> Vec<LogRecord> {
    let mut records = Vec::new();
    for partition in 0..log.partitions(topic).await.expect("count the partitions") {
        records.extend(log.read(topic, partition, 0, 100_000).await.expect("read"));
    }
    records
}

/// A consumer's database: effects, and the offsets after them, in one place.
#[derive(Default)]
struct Store(Mutex<Stored>);

#[derive(Default)]
struct Stored {
    offsets: BTreeMap<(String, Topic, u32), u64>,
    effects: Vec<(String, Vec<u8>)>,
}

impl Store {
    /// One transaction: records below the stored offset of their partition change nothing.
    fn apply(&self, group: &str, records: &[LogRecord]) {
        let mut stored = self.0.lock();
        for record in records {
            let next = stored.offsets.entry((group.to_owned(), record.topic, record.place.partition)).or_default();
            if record.place.offset >= *next {
                *next = record.place.offset + 1;
                stored.effects.push((record.key.clone(), record.record.clone()));
            }
        }
    }

    fn effects(&self) -> Vec<(String, Vec<u8>)> {
        self.0.lock().effects.clone()
    }
}

#[async_trait]
impl Offsets for Store {
    async fn offsets(&self, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
        let stored = self.0.lock();
        let of_group = stored.offsets.iter().filter(|((of, about, _), _)| of == group && *about == topic);
        Ok(of_group.map(|((_, _, partition), next)| (*partition, *next)).collect())
    }
}

async fn join(log: &dyn EventLog, group: &str, topics: &[Topic], store: &Arc<Store>) -> Box<dyn Subscription> {
    log.subscribe(group, topics, Arc::clone(store) as Arc<dyn Offsets>).await.expect("subscribe")
}

/// The next so many records at least.
async fn next(subscription: &mut dyn Subscription, count: usize) -> Vec<LogRecord> {
    let mut records = Vec::new();
    let reading = async {
        while records.len() < count {
            records.extend(subscription.next(1000, LONG).await.expect("next"));
        }
    };
    let in_time = tokio::time::timeout(LONG, reading).await.is_ok();
    assert!(in_time, "only {} of {count} records came", records.len());
    records
}

fn contents(records: &[LogRecord]) -> Vec<u8> {
    records.iter().flat_map(|record| record.record.iter().copied()).collect()
}
