//! The event log: embedded, in memory, and Kafka.

mod embedded;
mod groups;
mod kafka;
mod local;
mod memory;
pub mod suite;

pub use embedded::EmbeddedLog;
pub use kafka::{KafkaLog, KafkaOptions};
pub use memory::MemoryLog;
