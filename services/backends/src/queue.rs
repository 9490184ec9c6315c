//! The table of campaigns and jobs, in memory and in both databases. `entry` alone defines what may happen to a job;
//! the implementations differ in where its row is.

mod entry;
mod memory;
mod rows;
mod sql;
mod stages;
pub mod suite;

pub use memory::MemoryJobs;
pub use sql::SqlJobs;

#[cfg(test)]
pub(crate) mod tests;
