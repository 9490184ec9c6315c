//! What every event log does: the contract of [`EventLog`], case by case.

use domain::storage::{EventLog, Topic};
use std::future::Future;
use std::sync::Arc;
use tokio::task::JoinSet;

/// Runs every case on a fresh log each, and returns how many there were.
///
/// # Panics
/// When a case does not hold.
pub async fn run<F, L>(fresh: F) -> usize
where
    F: Fn() -> L,
    L: Future<Output = Arc<dyn EventLog>>,
{
    let mut cases = 0;
    macro_rules! cases {
        ($($case:ident),* $(,)?) => { $( $case(fresh().await).await; cases += 1; )* };
    }
    cases![
        an_empty_topic_has_nothing_to_read,
        records_come_back_as_they_were_in_the_order_of_their_appends,
        offsets_grow_by_one_and_topics_count_for_themselves,
        reading_begins_where_asked_and_ends_at_the_limit,
        appends_at_the_same_time_leave_no_gap_and_keep_the_order_of_each_key,
    ];
    println!("event log: {cases} cases");
    cases
}

async fn append(log: &dyn EventLog, topic: Topic, key: &str, record: &[u8]) -> u64 {
    log.append(topic, key, record).await.expect("append")
}

async fn an_empty_topic_has_nothing_to_read(log: Arc<dyn EventLog>) {
    assert!(log.read(Topic::Outcomes, 0, 10).await.expect("read").is_empty());
    append(log.as_ref(), Topic::Outcomes, "a", b"1").await;
    assert!(log.read(Topic::Outcomes, 1, 10).await.expect("read beyond the end").is_empty());
    assert!(log.read(Topic::Outcomes, u64::MAX, 10).await.expect("read far beyond the end").is_empty());
}

async fn records_come_back_as_they_were_in_the_order_of_their_appends(log: Arc<dyn EventLog>) {
    let all: Vec<u8> = (0..=255).collect();
    let large = vec![7; 1 << 20];
    for record in [&b""[..], &all, &large] {
        append(log.as_ref(), Topic::Trajectories, "schlüssel/1", record).await;
    }
    let read = log.read(Topic::Trajectories, 0, 10).await.expect("read");
    let records: Vec<&[u8]> = read.iter().map(|record| record.record.as_slice()).collect();
    assert_eq!(records, [&b""[..], &all, &large]);
    assert!(read.iter().all(|record| record.key == "schlüssel/1"));
}

async fn offsets_grow_by_one_and_topics_count_for_themselves(log: Arc<dyn EventLog>) {
    let first = append(log.as_ref(), Topic::Trajectories, "a", b"1").await;
    assert_eq!(append(log.as_ref(), Topic::Trajectories, "b", b"2").await, first + 1);
    append(log.as_ref(), Topic::Outcomes, "a", b"x").await;
    assert_eq!(append(log.as_ref(), Topic::Trajectories, "a", b"3").await, first + 2);
    let outcomes = log.read(Topic::Outcomes, 0, 10).await.expect("read");
    assert_eq!(outcomes.len(), 1);
}

async fn reading_begins_where_asked_and_ends_at_the_limit(log: Arc<dyn EventLog>) {
    let mut offsets = Vec::new();
    for number in 0..5u8 {
        offsets.push(append(log.as_ref(), Topic::Trajectories, "a", &[number]).await);
    }
    let read = log.read(Topic::Trajectories, offsets[1], 3).await.expect("read");
    assert_eq!(read.iter().map(|record| record.record[0]).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(read.iter().map(|record| record.offset).collect::<Vec<_>>(), offsets[1..4]);
}

async fn appends_at_the_same_time_leave_no_gap_and_keep_the_order_of_each_key(log: Arc<dyn EventLog>) {
    let mut writers = JoinSet::new();
    for writer in 0..8u8 {
        let log = Arc::clone(&log);
        writers.spawn(async move {
            for number in 0..25u8 {
                append(log.as_ref(), Topic::Trajectories, &format!("job {writer}"), &[number]).await;
            }
        });
    }
    while let Some(done) = writers.join_next().await {
        done.expect("no writer dies");
    }
    let read = log.read(Topic::Trajectories, 0, 1000).await.expect("read");
    assert_eq!(read.len(), 200);
    let first = read.first().map_or(0, |record| record.offset);
    assert!(read.iter().zip(first..).all(|(record, expected)| record.offset == expected), "a gap");
    for writer in 0..8 {
        let key = format!("job {writer}");
        let numbers = read.iter().filter(|record| record.key == key).map(|record| record.record[0]);
        assert!(numbers.eq(0..25), "the order of {key}");
    }
}
