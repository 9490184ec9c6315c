//! Stores the offsets of consumer groups in the same transaction as the effects of the records.

use super::{Pool, Transaction, Value, values};
use domain::storage::StorageError;
use domain::storage::jobs::Decoded;
use domain::storage::log::Topic;
use std::collections::BTreeMap;

/// Offsets by topic and partition.
type OffsetMap = BTreeMap<(&'static str, u32), u64>;

/// The offsets that are stored for a group.
pub(crate) async fn stored(pool: &Pool, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
    let mut open = pool.begin("read where a group of consumers stands").await?;
    let rows = open
        .rows(
            "SELECT partition_number, next FROM offsets WHERE group_name = $1 AND topic = $2 AND next > 0",
            &values![group, topic.as_str()],
        )
        .await?;
    rows.iter().map(|row| Ok((row.number("partition_number")? as u32, row.number("next")? as u64))).collect()
}

/// Returns the records at or above the stored offsets, and stores the offsets after all of them. Locks these
/// partitions' offsets until the transaction ends.
pub(crate) async fn advance<'a, T>(
    open: &mut Transaction,
    group: &str,
    records: &'a [Decoded<T>],
) -> Result<Vec<&'a Decoded<T>>, StorageError> {
    let mut after = OffsetMap::new();
    for record in records {
        let next = after.entry((record.from.topic.as_str(), record.from.place.partition)).or_default();
        *next = (*next).max(record.from.place.offset + 1);
    }
    let mut before = lock(open, group, &after).await?;
    if before.len() < after.len() {
        let new: Vec<Vec<Value<'_>>> =
            after.keys().map(|&(topic, partition)| values![group, topic, i64::from(partition), 0].to_vec()).collect();
        open.run_with_rows(
            "INSERT INTO offsets (group_name, topic, partition_number, next) {rows}
             ON CONFLICT (group_name, topic, partition_number) DO NOTHING",
            &new,
        )
        .await?;
        before = lock(open, group, &after).await?;
    }
    let rows: Vec<Vec<Value<'_>>> = after
        .iter()
        .filter(|(place, next)| before.get(place).is_none_or(|stored| stored < next))
        .map(|(&(topic, partition), next)| values![group, topic, i64::from(partition), *next as i64].to_vec())
        .collect();
    open.run_with_rows(
        "UPDATE offsets SET next = changed.column4 FROM ({rows}) AS changed
         WHERE offsets.group_name = changed.column1 AND offsets.topic = changed.column2
         AND offsets.partition_number = changed.column3",
        &rows,
    )
    .await?;
    Ok(not_yet(records, &before))
}

/// Locks and returns the stored offsets of the same partitions as `others`.
async fn lock(open: &mut Transaction, group: &str, others: &OffsetMap) -> Result<OffsetMap, StorageError> {
    let wanted: Vec<Vec<Value<'_>>> =
        others.keys().map(|&(topic, partition)| values![group, topic, i64::from(partition)].to_vec()).collect();
    let rows = open
        .rows_with_rows(
            "SELECT offsets.topic, offsets.partition_number, offsets.next FROM offsets
             JOIN ({rows}) AS wanted ON offsets.group_name = wanted.column1 AND offsets.topic = wanted.column2
             AND offsets.partition_number = wanted.column3
             ORDER BY offsets.topic, offsets.partition_number FOR UPDATE OF offsets",
            &wanted,
        )
        .await?;
    let mut stored = OffsetMap::new();
    for row in &rows {
        let (topic, partition) = (row.text("topic")?, row.number("partition_number")? as u32);
        if let Some(place) = others.keys().find(|place| **place == (topic.as_str(), partition)) {
            stored.insert(*place, row.number("next")? as u64);
        }
    }
    Ok(stored)
}

/// The records at or above the offsets of their partitions, each once, in their order.
pub(crate) fn not_yet<'a, T>(records: &'a [Decoded<T>], before: &OffsetMap) -> Vec<&'a Decoded<T>> {
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
