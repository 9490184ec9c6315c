//! Roles in a process: what a node is told, what it is composed of over either column of backends, and how it is driven: as a
//! process of a cluster, or as one run on this machine.
//!
//! Here rooms that know nothing of each other are put together. Nothing is printed here, and nothing is known of a command line.

pub mod compose;
pub mod config;
pub mod coverage;
mod error;
pub mod experience;
mod node;
mod projects;
pub mod run;
pub mod serve;
pub mod storage;
mod stored;
pub mod training;
mod witness;

pub use compose::{Pages, clock};
pub use config::NodeConfig;
pub use error::Error;
pub use node::{Node, QueueAndLedger, Role, connect, hear_everything};
pub use storage::Storage;
pub use witness::Kept;
