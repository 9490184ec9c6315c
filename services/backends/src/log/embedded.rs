//! The event log in the embedded database.

use super::local::{LocalReaders, LocalSubscription};
use crate::database::Database;
use async_trait::async_trait;
use domain::storage::StorageError;
use domain::storage::log::{EventLog, LogPosition, LogRecord, NewRecord, Offsets, Subscription, Topic};
use sqlx::{Row, SqliteConnection};
use std::sync::Arc;

/// The embedded event log.
///
/// An acknowledged append survives the death of the process. It is also synced to disk, except for the frequent records
/// of `trajectories` and `transitions`, which reach the disk with the next durable commit at the latest. A step without
/// its outcome is worthless, since an attempt cut off by a power loss is repeated from its start.
///
/// Each topic has one partition, since one process writes one file.
#[derive(Clone, Debug)]
pub struct EmbeddedLog {
    database: Database,
    readers: Arc<LocalReaders>,
}

impl EmbeddedLog {
    pub(crate) fn new(database: Database) -> Self {
        Self { database, readers: Arc::default() }
    }
}

/// Appends within a transaction of the caller.
async fn append_within(
    connection: &mut SqliteConnection,
    topic: &str,
    record: &NewRecord,
) -> Result<Option<u64>, sqlx::Error> {
    // Reads to the end although there is one row: SQLite commits a standalone statement at its end, and only then
    // reports a failed commit.
    let rows = sqlx::query(
        "INSERT INTO log (topic, position, key, record, trace_parent)
         VALUES (?1, (SELECT coalesce(max(position) + 1, 0) FROM log WHERE topic = ?1), ?2, ?3, ?4)
         RETURNING position",
    )
    .bind(topic)
    .bind(&record.key)
    .bind(&record.record)
    .bind(&record.trace_parent)
    .fetch_all(connection)
    .await?;
    Ok(rows.first().map(|row| row.get::<i64, _>("position") as u64))
}

#[async_trait]
impl EventLog for EmbeddedLog {
    async fn append(&self, topic: Topic, record: NewRecord) -> Result<LogPosition, StorageError> {
        topic.takes(&record)?;
        let pool = match topic {
            Topic::Trajectories | Topic::Transitions | Topic::Visits => &self.database.quick,
            Topic::Jobs | Topic::Outcomes | Topic::Quarantine => &self.database.durable,
        };
        let doing = "append to the log";
        let failed = |cause| self.database.failed(doing, &cause);
        let mut connection = pool.acquire().await.map_err(failed)?;
        let offset = append_within(&mut connection, topic.as_str(), &record).await.map_err(failed)?;
        let offset =
            offset.ok_or_else(|| StorageError::Unavailable(format!("{doing}: the database gave no offset")))?;
        drop(connection);
        self.readers.appended(topic);
        Ok(LogPosition { partition: 0, offset })
    }

    async fn subscribe(
        &self,
        group: &str,
        topics: &[Topic],
        offsets: Arc<dyn Offsets>,
    ) -> Result<Box<dyn Subscription>, StorageError> {
        let log = Arc::new(self.clone());
        Ok(Box::new(LocalSubscription::join(log, Arc::clone(&self.readers), group, topics, offsets)))
    }

    async fn read(
        &self,
        topic: Topic,
        partition: u32,
        from: u64,
        limit: usize,
    ) -> Result<Vec<LogRecord>, StorageError> {
        if partition > 0 {
            return Ok(Vec::new());
        }
        let rows = sqlx::query(
            "SELECT position, key, record, trace_parent FROM log
             WHERE topic = ? AND position >= ? ORDER BY position LIMIT ?",
        )
        .bind(topic.as_str())
        .bind(i64::try_from(from).unwrap_or(i64::MAX))
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&self.database.quick)
        .await
        .map_err(|cause| self.database.failed("read the log", &cause))?;
        let record = |row: sqlx::sqlite::SqliteRow| LogRecord {
            topic,
            place: LogPosition { partition, offset: row.get::<i64, _>("position") as u64 },
            key: row.get("key"),
            record: row.get("record"),
            trace_parent: row.get("trace_parent"),
        };
        Ok(rows.into_iter().map(record).collect())
    }

    async fn partitions(&self, _topic: Topic) -> Result<u32, StorageError> {
        Ok(1)
    }
}
