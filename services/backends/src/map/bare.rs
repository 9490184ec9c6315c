//! Inserts rows into the maps' tables in batches, without queries or checks. It is the baseline for benchmarks of map
//! writes; no product code uses it.

use super::rows::{key_number, milliseconds, number};
use crate::database::Database;
use crate::sql::{Pool, Value, json, values};
use domain::state::State;
use domain::storage::StorageError;
use domain::storage::graph::Changes;
use std::path::Path;

/// The tables with their indexes, without the invariants of a store.
pub struct Bare {
    pool: Pool,
    /// Keeps the database's checkpoints running.
    _database: Option<Database>,
}

/// Rows that are ready to be inserted.
#[derive(Default)]
pub struct Ready {
    states: Vec<(i64, String, Vec<u8>)>,
    sightings: Vec<(i64, String, String)>,
    transitions: Vec<([i64; 3], String, [i64; 4])>,
}

impl Ready {
    /// The rows for some changes.
    ///
    /// # Errors
    /// [`StorageError::Corrupt`] when something cannot be encoded.
    pub fn of(changes: &Changes) -> Result<Ready, StorageError> {
        let mut ready = Ready::default();
        for state in &changes.states {
            let text = json(&State { fingerprint: Vec::new(), ..state.clone() })?;
            ready.states.push((number(state.id.0), text, state.fingerprint.clone()));
        }
        for seen in &changes.sightings {
            ready.sightings.push((number(seen.state.0), seen.title.clone(), json(&seen.forms)?));
        }
        for taken in &changes.transitions {
            let place = [number(taken.from.0), key_number(taken.key), number(taken.to.0)];
            let tally = [taken.tally.count, taken.tally.succeeded, taken.tally.latency_ms].map(number);
            let [count, succeeded, latency] = tally;
            let last = [count, succeeded, latency, milliseconds(taken.last_seen)];
            ready.transitions.push((place, json(&taken.action)?, last));
        }
        Ok(ready)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.states.len() + self.sightings.len() + self.transitions.len()
    }
}

impl Bare {
    /// Tables in a directory.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn embedded(directory: &Path) -> Result<Bare, StorageError> {
        let database = Database::open(&directory.join("rutter.sqlite")).await?;
        Ok(Bare { pool: Pool::Sqlite(database.quick.clone()), _database: Some(database) })
    }

    /// Tables of a server.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn postgres(url: &str) -> Result<Bare, StorageError> {
        Ok(Bare { pool: crate::sql::postgres::open(url, 1).await?, _database: None })
    }

    /// Inserts rows of a site's first version in one transaction.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn insert(&self, site: i64, change: i64, ready: &Ready) -> Result<(), StorageError> {
        let mut open = self.pool.begin("insert rows").await?;
        let states = ready.states.iter();
        let rows: Vec<Vec<Value<'_>>> = states
            .map(|(id, state, fingerprint)| values![site, *id, change, state, fingerprint.as_slice()].to_vec())
            .collect();
        open.run_with_rows("INSERT INTO map_states (site, id, changed, state, fingerprint) {rows}", &rows).await?;
        let sightings = ready.sightings.iter();
        let rows: Vec<Vec<Value<'_>>> =
            sightings.map(|(state, title, forms)| values![site, 0, *state, change, 1, title, forms].to_vec()).collect();
        open.run_with_rows(
            "INSERT INTO map_sightings (site, version, state, changed, visits, title, forms) {rows}",
            &rows,
        )
        .await?;
        let transitions = ready.transitions.iter();
        let rows: Vec<Vec<Value<'_>>> = transitions
            .map(|([from, key, to], action, [count, succeeded, latency, seen])| {
                values![site, 0, *from, *key, *to, change, action, *count, *succeeded, *latency, *seen].to_vec()
            })
            .collect();
        open.run_with_rows(
            "INSERT INTO map_transitions
             (site, version, from_state, action_key, to_state, changed, action, tries, succeeded, latency_ms, last_seen) {rows}",
            &rows,
        )
        .await?;
        open.commit().await
    }

    /// Closes the tables.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}
