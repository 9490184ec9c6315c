//! The event log.

mod embedded;
pub mod suite;

pub use embedded::EmbeddedLog;
pub(crate) use embedded::append_within;
