//! Records as they are appended and read back.

use super::{all, append};
use domain::storage::StorageError;
use domain::storage::log::{EventLog, NewRecord, Topic};
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::task::JoinSet;

pub(super) async fn an_empty_topic_has_nothing_to_read(log: Arc<dyn EventLog>) {
    assert!(all(log.as_ref(), Topic::Outcomes).await.is_empty());
    let place = append(log.as_ref(), Topic::Outcomes, "a", b"1").await;
    for from in [place.offset + 1, place.offset + 1000, u64::MAX] {
        let beyond = log.read(Topic::Outcomes, place.partition, from, 10).await.expect("read beyond the end");
        assert!(beyond.is_empty(), "from {from}");
    }
    assert!(all(log.as_ref(), Topic::Trajectories).await.is_empty(), "topics are apart");
}

pub(super) async fn records_come_back_as_they_were_with_their_trace(log: Arc<dyn EventLog>) {
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let contents: Vec<u8> = (0..=255).collect();
    let key = "schlüssel/1";
    // Nothing that compresses.
    let mut large = vec![0; Topic::Trajectories.largest() - key.len()];
    blake3::Hasher::new().finalize_xof().fill(&mut large);
    for (record, trace_parent) in [(&b""[..], ""), (&contents, trace), (&large, "")] {
        let (record, trace_parent) = (record.to_vec(), trace_parent.to_owned());
        let record = NewRecord { key: key.into(), record, trace_parent };
        log.append(Topic::Trajectories, record).await.expect("append");
    }
    let read = all(log.as_ref(), Topic::Trajectories).await;
    assert_eq!(read.iter().map(|record| record.record.as_slice()).collect::<Vec<_>>(), [&b""[..], &contents, &large]);
    assert_eq!(read.iter().map(|record| record.trace_parent.as_str()).collect::<Vec<_>>(), ["", trace, ""]);
    assert!(read.iter().all(|record| record.key == key && record.topic == Topic::Trajectories));
}

pub(super) async fn a_record_that_is_too_large_is_refused_as_such_and_is_not_there(log: Arc<dyn EventLog>) {
    for &topic in Topic::ALL {
        let record = NewRecord { key: "a".into(), record: vec![7; topic.largest()], trace_parent: String::new() };
        let refused = log.append(topic, record).await;
        let Err(StorageError::TooLarge(cause)) = refused else { panic!("{topic:?}: {refused:?}") };
        assert!(cause.contains(topic.as_str()) && cause.contains("bytes"), "{cause}");
        assert!(all(log.as_ref(), topic).await.is_empty());
    }
    let largest = vec![7; Topic::Quarantine.largest() - 1];
    append(log.as_ref(), Topic::Quarantine, "a", &largest).await;
    assert_eq!(all(log.as_ref(), Topic::Quarantine).await[0].record.len(), largest.len());
}

pub(super) async fn reading_begins_where_asked_and_ends_at_the_limit(log: Arc<dyn EventLog>) {
    let mut places = Vec::new();
    for number in 0..5u8 {
        places.push(append(log.as_ref(), Topic::Outcomes, "a", &[number]).await);
    }
    let read = log.read(Topic::Outcomes, places[1].partition, places[1].offset, 3).await.expect("read");
    assert_eq!(read.iter().map(|record| record.record[0]).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(read.iter().map(|record| record.place).collect::<Vec<_>>(), places[1..4]);
}

pub(super) async fn records_of_one_key_stay_in_one_partition_and_in_order(log: Arc<dyn EventLog>) {
    let mut partitions = BTreeSet::new();
    for number in 0..5u8 {
        for key in ["a", "b", "c"] {
            let place = append(log.as_ref(), Topic::Jobs, key, &[number]).await;
            partitions.insert((key, place.partition));
        }
    }
    assert_eq!(partitions.len(), 3, "a key is in two partitions: {partitions:?}");
    let read = all(log.as_ref(), Topic::Jobs).await;
    for key in ["a", "b", "c"] {
        let of_key: Vec<_> = read.iter().filter(|record| record.key == key).collect();
        assert!(of_key.iter().map(|record| record.record[0]).eq(0..5), "the order of {key}");
        assert!(of_key.is_sorted_by_key(|record| record.place.offset));
    }
}

pub(super) async fn many_producers_at_once_lose_nothing_and_keep_the_order_of_each_key(log: Arc<dyn EventLog>) {
    let mut producers = JoinSet::new();
    for producer in 0..8u8 {
        let log = Arc::clone(&log);
        producers.spawn(async move {
            let mut places = Vec::new();
            for number in 0..25u8 {
                places.push(append(log.as_ref(), Topic::Trajectories, &format!("job {producer}"), &[number]).await);
            }
            places
        });
    }
    let mut places = BTreeSet::new();
    while let Some(appended) = producers.join_next().await {
        places.extend(appended.expect("no producer dies"));
    }
    assert_eq!(places.len(), 200, "a place was given twice");
    let read = all(log.as_ref(), Topic::Trajectories).await;
    assert_eq!(read.iter().map(|record| record.place).collect::<BTreeSet<_>>(), places);
    for producer in 0..8 {
        let key = format!("job {producer}");
        let numbers = read.iter().filter(|record| record.key == key).map(|record| record.record[0]);
        assert!(numbers.eq(0..25), "the order of {key}");
    }
}
