//! Stores of the ledger, in memory and in both databases. `account` alone defines what a record does to a job's
//! account.

mod account;
mod memory;
mod sql;
pub mod suite;

pub use memory::MemoryResults;
pub use sql::SqlResults;

#[cfg(test)]
mod tests;
