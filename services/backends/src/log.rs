//! The event log: embedded, in memory, and Kafka.

mod embedded;
mod groups;
mod kafka;
mod local;
mod memory;
pub mod old_suite;
pub mod suite;

pub use embedded::EmbeddedLog;
pub(crate) use embedded::append_within;
pub use kafka::{KafkaLog, KafkaOptions};
pub use memory::MemoryLog;
