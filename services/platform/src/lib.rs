//! How a process lives: its clock, its configuration, its telemetry, how it shuts down.
//!
//! This room knows nothing of web testing and imports no other room.

pub mod clock;

pub use clock::{Clock, SystemClock};
