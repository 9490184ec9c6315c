//! The ledger in memory and in both databases. What a record does to a job's account is said once, in `account`.

mod account;
mod memory;
mod sql;
pub mod suite;

pub use memory::MemoryResults;
pub use sql::SqlResults;

#[cfg(test)]
mod tests;
