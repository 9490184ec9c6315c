//! The event log in the embedded database.

use crate::database::{Database, failed};
use async_trait::async_trait;
use domain::storage::{EventLog, LogRecord, StorageError, Topic};
use sqlx::{Row, SqliteConnection};

/// The embedded event log.
///
/// An acknowledged append survives the death of the process. Those to `outcomes` are also on the disk; those to
/// `trajectories` reach it with the next outcome at the latest: steps are many, and a step without its outcome is worth
/// nothing, since an attempt that power was taken from is made again from its start.
#[derive(Clone, Debug)]
pub struct EmbeddedLog {
    database: Database,
}

impl EmbeddedLog {
    pub(crate) fn new(database: Database) -> Self {
        Self { database }
    }
}

/// Appends within a transaction of the caller.
pub(crate) async fn append_within(
    connection: &mut SqliteConnection,
    topic: Topic,
    key: &str,
    record: &[u8],
) -> Result<u64, StorageError> {
    let row = sqlx::query(
        "INSERT INTO log (topic, position, key, record)
         VALUES (?1, (SELECT coalesce(max(position) + 1, 0) FROM log WHERE topic = ?1), ?2, ?3)
         RETURNING position",
    )
    .bind(topic.as_str())
    .bind(key)
    .bind(record)
    .fetch_one(connection)
    .await
    .map_err(|cause| failed("append to the log", &cause))?;
    Ok(row.get::<i64, _>(0) as u64)
}

#[async_trait]
impl EventLog for EmbeddedLog {
    async fn append(&self, topic: Topic, key: &str, record: &[u8]) -> Result<u64, StorageError> {
        let pool = match topic {
            Topic::Trajectories => &self.database.quick,
            Topic::Outcomes => &self.database.durable,
        };
        let mut connection = pool.acquire().await.map_err(|cause| failed("append to the log", &cause))?;
        append_within(&mut connection, topic, key, record).await
    }

    async fn read(&self, topic: Topic, from: u64, limit: usize) -> Result<Vec<LogRecord>, StorageError> {
        let rows = sqlx::query(
            "SELECT position, key, record FROM log WHERE topic = ? AND position >= ? ORDER BY position LIMIT ?",
        )
        .bind(topic.as_str())
        .bind(i64::try_from(from).unwrap_or(i64::MAX))
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&self.database.quick)
        .await
        .map_err(|cause| failed("read the log", &cause))?;
        Ok(rows
            .into_iter()
            .map(|row| LogRecord { offset: row.get::<i64, _>(0) as u64, key: row.get(1), record: row.get(2) })
            .collect())
    }
}
