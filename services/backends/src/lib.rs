//! Storage: the event log, the tables of jobs, results and maps, and blobs; in memory, embedded, and on servers.
//!
//! - This is the only room that knows a database.
//! - One process per directory: a second one is told who holds it.
//! - Nothing that was acknowledged is lost when the process dies, by whatever signal. Outcomes, jobs and blobs also survive
//!   the loss of power; the steps of the last moments before it may not (see [`embedded`]).
//! - Every implementation of a seam runs the one suite that stands beside it.

pub mod blob;
pub mod consumer;
mod database;
mod directory;
pub mod embedded;
pub mod exact;
mod failure;
pub mod journal;
pub mod lag;
pub mod log;
pub mod map;
mod migrations;
pub mod postgres;
pub mod queue;
pub mod results;
pub mod shared;
mod sql;
pub mod testing;

pub use consumer::Consumer;
pub use embedded::{Embedded, in_memory, open};
pub use journal::Journal;
pub use lag::Lag;

#[cfg(test)]
mod tests;
