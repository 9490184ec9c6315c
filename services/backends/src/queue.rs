//! The table of campaigns and jobs, in memory and in both databases. What may happen to a job is said once, in `entry`;
//! the columns differ in where its row is.

mod entry;
mod memory;
mod rows;
mod sql;
pub mod suite;

pub use memory::MemoryJobs;
pub use sql::SqlJobs;

#[cfg(test)]
pub(crate) mod tests;
