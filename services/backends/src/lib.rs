//! What holds bytes: the event log, the table of jobs, blobs. Here: the embedded column, and one in memory.
//!
//! - This is the only room that knows a database.
//! - One process per directory: a second one is told who holds it.
//! - Nothing that was acknowledged is lost when the process dies, by whatever signal. Outcomes, jobs and blobs also survive
//!   the loss of power; the steps of the last moments before it may not (see [`embedded`]).
//! - Every implementation of a seam runs the one suite that stands beside it.

pub mod blob;
mod database;
mod directory;
pub mod distributed;
pub mod embedded;
pub mod jobs;
pub mod journal;
pub mod log;
pub mod shared;
pub mod testing;

pub use embedded::{Embedded, in_memory, open};
pub use journal::Journal;

#[cfg(test)]
mod tests;
