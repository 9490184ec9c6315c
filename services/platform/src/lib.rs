//! How a process lives: its clock, its telemetry, how it shuts down.
//!
//! - It knows nothing of web testing and imports no other room.
//! - It is the only room that asks the machine what time it is.
//! - It writes no line to stdout: that belongs to data.

pub mod clock;
pub mod shutdown;
pub mod telemetry;

pub use clock::{Clock, SystemClock};
