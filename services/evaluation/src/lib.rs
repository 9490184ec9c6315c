//! The judge: checks, verdicts, metrics, and the replay of recorded tests.
//!
//! - It performs no input or output: all facts were gathered before ([`facts`]).
//! - It never asks the actor whether the actor succeeded, and no verdict is `PASSED` unless a check was confirmed.
//! - It knows no benchmark and no planner by name.
//! - It never heals an assertion.

pub mod checks;
pub mod coverage;
pub mod facts;
pub mod faults;
pub mod judge;
pub mod messages;
pub mod metrics;
mod nearest;
pub mod reasons;
pub mod record;
pub mod replay;
pub mod requests;
mod study;
pub mod text;
pub mod validate;

pub use facts::Facts;
pub use judge::{Actor, judge};
pub use replay::Replay;
pub use study::study;

#[cfg(test)]
mod tests;
