//! The ledger: exact totals of everything that ended, from the records of the log.
//!
//! - It counts and decides nothing: the first terminal record of a job in the log counts, for every reader.
//! - The store in `backends` is authoritative; this room's memory is a cache. Several instances may share a store.
//! - It never calls the queue, nor the queue it.

mod changed;
pub mod metrics;
mod service;
pub mod suite;

pub use service::{Aggregator, Dependencies, start};

#[cfg(test)]
mod tests;
