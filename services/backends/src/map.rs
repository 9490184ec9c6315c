//! The maps of sites, in memory and in both databases.

pub mod bare;
mod memory;
mod rows;
mod sql;
pub mod suite;

pub use memory::MemoryMaps;
pub use sql::SqlMaps;

#[cfg(test)]
mod tests;
