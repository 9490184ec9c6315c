//! One run: its directory, its settings as they are stored, its scores and what it leaves behind.
//!
//! The job table is the truth about what is done. Everything else in the directory can be made again from it and the blobs.

pub(crate) mod artifacts;
pub(crate) mod config;
pub(crate) mod coverage;
pub(crate) mod directory;
pub(crate) mod execute;
pub(crate) mod explored;
mod fault_tests;
pub(crate) mod map_report;
pub(crate) mod progress;
pub(crate) mod scores;
