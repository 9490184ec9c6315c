//! The ledger: exact totals of everything that ended, from the records of the log.
//!
//! - It counts what the log says and decides nothing: the first terminal record of a job counts, whoever reads it.
//! - The store in `backends` is the truth; this room keeps nothing that cannot be lost. Several instances may share a store.
//! - It never asks the queue, and is never asked by it.

mod changed;
pub mod metrics;
mod service;
pub mod suite;

pub use service::{Aggregator, Dependencies, start};

#[cfg(test)]
mod tests;
