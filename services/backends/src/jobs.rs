//! The table of jobs.

mod embedded;
pub mod suite;

pub use embedded::EmbeddedJobs;
