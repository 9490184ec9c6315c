//! One way to speak to both databases, so that each query stands in the code once.
//!
//! Queries are written as Postgres has them, in the part of SQL that SQLite shares: `$1` parameters, types `TEXT`,
//! `BIGINT` and bytes, sums cast back to `BIGINT`. What SQLite does not know is left out for it: row locks, since its
//! transactions have the database to themselves.
//!
//! Locks are taken in one order everywhere, so that transactions of many processes never wait for each other in a ring:
//! offsets, campaigns, jobs, counters, outbox; rows of one table in the order of their keys.

mod columns;
pub(crate) mod offsets;
pub(crate) mod postgres;

use crate::failure::failed;
use columns::Columns;
use domain::storage::StorageError;
use sqlx::postgres::{PgPool, PgRow};
use sqlx::sqlite::{SqlitePool, SqliteRow};
use sqlx::{AssertSqlSafe, PgTransaction, Row as _, SqliteTransaction};
use std::fmt::Write as _;
use std::str::FromStr;

/// Rows in one statement of the embedded database with many of them.
const AT_ONCE: usize = 100;

/// Connections to a database of either kind.
#[derive(Clone, Debug)]
pub(crate) enum Pool {
    /// The embedded database.
    Sqlite(SqlitePool),
    /// A server.
    Postgres(PgPool),
}

impl Pool {
    /// A transaction; `doing` is what it is for, in the words of an error message.
    pub(crate) async fn begin(&self, doing: &'static str) -> Result<Transaction, StorageError> {
        let begun = match self {
            // Takes the write lock at its beginning, so that what it reads stays valid.
            Pool::Sqlite(pool) => pool.begin_with("BEGIN IMMEDIATE").await.map(AnyTransaction::Sqlite),
            Pool::Postgres(pool) => pool.begin().await.map(AnyTransaction::Postgres),
        };
        let begun = begun.map_err(|cause| failed(doing, &self.name(), &cause))?;
        Ok(Transaction { doing, pool: self.clone(), begun })
    }

    /// A read-only transaction on one snapshot. It locks nothing.
    pub(crate) async fn begin_reading(&self, doing: &'static str) -> Result<Transaction, StorageError> {
        let begun = match self {
            Pool::Sqlite(pool) => pool.begin().await.map(AnyTransaction::Sqlite),
            Pool::Postgres(pool) => {
                pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY").await.map(AnyTransaction::Postgres)
            }
        };
        let begun = begun.map_err(|cause| failed(doing, &self.name(), &cause))?;
        Ok(Transaction { doing, pool: self.clone(), begun })
    }

    /// What names the database, without a password.
    fn name(&self) -> String {
        match self {
            Pool::Sqlite(pool) => pool.connect_options().get_filename().display().to_string(),
            Pool::Postgres(pool) => postgres::name(&pool.connect_options()),
        }
    }

    /// Waits for running transactions and closes the connections.
    pub(crate) async fn close(&self) {
        match self {
            Pool::Sqlite(pool) => pool.close().await,
            Pool::Postgres(pool) => pool.close().await,
        }
    }
}

/// A transaction. Dropping it rolls back.
pub(crate) struct Transaction {
    doing: &'static str,
    pool: Pool,
    begun: AnyTransaction,
}

enum AnyTransaction {
    Sqlite(SqliteTransaction<'static>),
    Postgres(PgTransaction<'static>),
}

/// Binds the values to the query, for whichever database executes it.
macro_rules! bound {
    ($sql:expr, $values:expr) => {{
        let mut query = sqlx::query(AssertSqlSafe($sql));
        for value in $values {
            query = match value {
                Value::Number(number) => query.bind(*number),
                Value::Text(text) => query.bind((*text).to_owned()),
                Value::Bytes(bytes) => query.bind(bytes.to_vec()),
            };
        }
        query
    }};
}

impl Transaction {
    /// Executes a statement; returns how many rows it changed.
    pub(crate) async fn run(&mut self, sql: &str, values: &[Value<'_>]) -> Result<u64, StorageError> {
        let done = match &mut self.begun {
            AnyTransaction::Sqlite(open) => {
                bound!(without_locks(sql), values).execute(&mut **open).await.map(|done| done.rows_affected())
            }
            AnyTransaction::Postgres(open) => {
                bound!(sql.to_owned(), values).execute(&mut **open).await.map(|done| done.rows_affected())
            }
        };
        done.map_err(|cause| self.failed(&cause))
    }

    fn failed(&self, cause: &sqlx::Error) -> StorageError {
        failed(self.doing, &self.pool.name(), cause)
    }

    /// All rows of a query.
    pub(crate) async fn rows(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>, StorageError> {
        let doing = self.doing;
        let rows: Result<Vec<AnyRow>, sqlx::Error> = match &mut self.begun {
            AnyTransaction::Sqlite(open) => bound!(without_locks(sql), values)
                .fetch_all(&mut **open)
                .await
                .map(|rows| rows.into_iter().map(AnyRow::Sqlite).collect()),
            AnyTransaction::Postgres(open) => bound!(sql.to_owned(), values)
                .fetch_all(&mut **open)
                .await
                .map(|rows| rows.into_iter().map(AnyRow::Postgres).collect()),
        };
        let rows = rows.map_err(|cause| self.failed(&cause))?;
        Ok(rows.into_iter().map(|inner| Row { doing, inner }).collect())
    }

    /// The only row of a query, if any.
    pub(crate) async fn row(&mut self, sql: &str, values: &[Value<'_>]) -> Result<Option<Row>, StorageError> {
        Ok(self.rows(sql, values).await?.pop())
    }

    /// Executes a statement in which `{rows}` stands for a list of rows, in several parts if there are many. Their
    /// columns are named `column1`, `column2`, …, and each holds values of one kind.
    pub(crate) async fn run_with_rows(&mut self, sql: &str, rows: &[Vec<Value<'_>>]) -> Result<u64, StorageError> {
        if let AnyTransaction::Postgres(open) = &mut self.begun {
            let Some(columns) = Columns::of(rows) else { return Ok(0) };
            let done = columns.query(sql).execute(&mut **open).await;
            return done.map(|done| done.rows_affected()).map_err(|cause| self.failed(&cause));
        }
        let mut changed = 0;
        for rows in rows.chunks(AT_ONCE) {
            changed += self.run(&with_rows(sql, rows), &rows.concat()).await?;
        }
        Ok(changed)
    }

    /// As [`run_with_rows`](Transaction::run_with_rows), for a query.
    pub(crate) async fn rows_with_rows(
        &mut self,
        sql: &str,
        rows: &[Vec<Value<'_>>],
    ) -> Result<Vec<Row>, StorageError> {
        let doing = self.doing;
        if let AnyTransaction::Postgres(open) = &mut self.begun {
            let Some(columns) = Columns::of(rows) else { return Ok(Vec::new()) };
            let rows = columns.query(sql).fetch_all(&mut **open).await;
            let rows = rows.map_err(|cause| self.failed(&cause))?;
            return Ok(rows.into_iter().map(|row| Row { doing, inner: AnyRow::Postgres(row) }).collect());
        }
        let mut found = Vec::new();
        for rows in rows.chunks(AT_ONCE) {
            found.extend(self.rows(&with_rows(sql, rows), &rows.concat()).await?);
        }
        Ok(found)
    }

    /// Commits.
    pub(crate) async fn commit(self) -> Result<(), StorageError> {
        let done = match self.begun {
            AnyTransaction::Sqlite(open) => open.commit().await,
            AnyTransaction::Postgres(open) => open.commit().await,
        };
        done.map_err(|cause| failed(self.doing, &self.pool.name(), &cause))
    }
}

fn without_locks(sql: &str) -> String {
    const LOCKS: [&str; 5] = [
        " FOR UPDATE OF queue",
        " FOR UPDATE OF ledger_jobs",
        " FOR UPDATE OF offsets",
        " FOR UPDATE SKIP LOCKED",
        " FOR UPDATE",
    ];
    LOCKS.into_iter().fold(sql.to_owned(), |sql, lock| sql.replace(lock, ""))
}

fn with_rows(sql: &str, rows: &[Vec<Value<'_>>]) -> String {
    let mut list = String::new();
    let mut number = 0;
    for row in rows {
        list.push_str(if list.is_empty() { "(" } else { ", (" });
        for place in 0..row.len() {
            number += 1;
            let comma = if place == 0 { "" } else { ", " };
            // Writing to a string cannot fail.
            let _ = write!(list, "{comma}${number}");
        }
        list.push(')');
    }
    sql.replace("{rows}", &format!("VALUES {list}"))
}

/// A value of a parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value<'a> {
    Number(i64),
    Text(&'a str),
    Bytes(&'a [u8]),
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Number(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Value::Text(text)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Self {
        Value::Text(text)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Value::Bytes(bytes)
    }
}

/// A list of parameters.
macro_rules! values {
    ($($value:expr),* $(,)?) => { [$($crate::sql::Value::from($value)),*] };
}
pub(crate) use values;

/// Reads a value from the columns named after its fields. `sqlx::FromRow` is this as a derivation; its macros would
/// compile both databases a second time, for the compiler.
pub(crate) trait FromColumns: Sized {
    /// Reads it.
    fn from_columns(row: &Row) -> Result<Self, StorageError>;
}

/// A row of an answer, whose columns have names.
#[derive(Debug)]
pub(crate) struct Row {
    doing: &'static str,
    inner: AnyRow,
}

#[derive(Debug)]
enum AnyRow {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

macro_rules! column {
    ($row:expr, $name:expr) => {
        match &$row.inner {
            AnyRow::Sqlite(row) => row.try_get($name),
            AnyRow::Postgres(row) => row.try_get($name),
        }
        .map_err(|cause| StorageError::Corrupt(format!("{}: {cause}", $row.doing)))
    };
}

impl Row {
    /// The columns that the fields of a type are named after.
    pub(crate) fn read<T: FromColumns>(&self) -> Result<T, StorageError> {
        T::from_columns(self)
    }

    /// A number.
    pub(crate) fn number(&self, column: &str) -> Result<i64, StorageError> {
        column!(self, column)
    }

    /// A text.
    pub(crate) fn text(&self, column: &str) -> Result<String, StorageError> {
        column!(self, column)
    }

    /// A text that is one of a closed set of words.
    pub(crate) fn word<T: FromStr>(&self, column: &str) -> Result<T, StorageError> {
        let text = self.text(column)?;
        let unknown = |_| StorageError::Corrupt(format!("{}: there is no {column} `{text}`", self.doing));
        text.parse().map_err(unknown)
    }

    /// Bytes.
    pub(crate) fn bytes(&self, column: &str) -> Result<Vec<u8>, StorageError> {
        column!(self, column)
    }

    /// What is kept as JSON.
    pub(crate) fn json<T: serde::de::DeserializeOwned>(&self, column: &str) -> Result<T, StorageError> {
        let text = self.text(column)?;
        serde_json::from_str(&text).map_err(|cause| {
            StorageError::Corrupt(format!("{}: read column `{column}` of a row, `{text}`: {cause}", self.doing))
        })
    }
}

/// A value as JSON.
pub(crate) fn json<T: serde::Serialize>(value: &T) -> Result<String, StorageError> {
    serde_json::to_string(value).map_err(|cause| StorageError::Corrupt(format!("encode a value for a table: {cause}")))
}
