//! Process infrastructure: clock, configuration, telemetry, health, remote calls, shutdown.
//!
//! - It knows nothing of web testing and imports no other room.
//! - It is the only room that asks the machine what time it is.
//! - It writes no line to stdout: that belongs to data.

pub mod admin;
pub mod clock;
pub mod config;
pub mod health;
pub mod listeners;
pub mod metrics;
pub mod network;
pub mod rpc;
pub mod runtime;
pub mod shutdown;
pub mod spawn;
pub mod tasks;
pub mod telemetry;
pub mod user_key;
pub mod user_secrets;

pub use clock::{Clock, SystemClock};
pub use health::Health;
pub use metrics::Metrics;
