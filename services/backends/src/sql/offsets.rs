//! Where groups of consumers stand in the log, stored beside the effects of what they read.

use super::{Pool, Row, Transaction, values};
use domain::storage::StorageError;
use domain::storage::jobs::Decoded;
use domain::storage::log::Topic;
use std::collections::BTreeMap;

/// The offsets that are stored for a group.
pub(crate) async fn stored(pool: &Pool, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
    let mut open = pool.begin("read where a group of consumers stands").await?;
    let rows = open
        .rows(
            "SELECT partition_number, next FROM offsets WHERE group_name = $1 AND topic = $2 AND next > 0",
            &values![group, topic.as_str()],
        )
        .await?;
    rows.iter().map(|row| Ok((row.number(0)? as u32, row.number(1)? as u64))).collect()
}

/// Leaves those records that nothing was stored for yet, and stores the offsets after all of them. Until the transaction
/// ends, nobody else gets past this for the same partitions.
pub(crate) async fn advance<'a, T>(
    open: &mut Transaction,
    group: &str,
    records: &'a [Decoded<T>],
) -> Result<Vec<&'a Decoded<T>>, StorageError> {
    let mut after: BTreeMap<(&'static str, u32), u64> = BTreeMap::new();
    for record in records {
        let next = after.entry((record.from.topic.as_str(), record.from.place.partition)).or_default();
        *next = (*next).max(record.from.place.offset + 1);
    }
    let mut before: BTreeMap<(&'static str, u32), u64> = BTreeMap::new();
    for (&(topic, partition), next) in &after {
        let key = values![group, topic, i64::from(partition)];
        open.run(
            "INSERT INTO offsets (group_name, topic, partition_number, next) VALUES ($1, $2, $3, 0)
             ON CONFLICT (group_name, topic, partition_number) DO NOTHING",
            &key,
        )
        .await?;
        let stored = open
            .row(
                "SELECT next FROM offsets
                 WHERE group_name = $1 AND topic = $2 AND partition_number = $3 FOR UPDATE",
                &key,
            )
            .await?;
        let stored = stored.map_or(Ok(0), |row: Row| row.number(0))? as u64;
        before.insert((topic, partition), stored);
        if *next > stored {
            open.run(
                "UPDATE offsets SET next = $4 WHERE group_name = $1 AND topic = $2 AND partition_number = $3",
                &values![group, topic, i64::from(partition), *next as i64],
            )
            .await?;
        }
    }
    Ok(not_yet(records, &before))
}

/// The records at or above the offsets of their partitions, each once, in their order.
pub(crate) fn not_yet<'a, T>(
    records: &'a [Decoded<T>],
    before: &BTreeMap<(&'static str, u32), u64>,
) -> Vec<&'a Decoded<T>> {
    let place = |record: &&'a Decoded<T>| (record.from.topic.as_str(), record.from.place);
    let mut new: Vec<&Decoded<T>> = records
        .iter()
        .filter(|record| {
            let (topic, place) = place(record);
            place.offset >= before.get(&(topic, place.partition)).copied().unwrap_or_default()
        })
        .collect();
    new.sort_by_key(place);
    new.dedup_by_key(|record| place(record));
    new
}
