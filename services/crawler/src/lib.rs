//! The legs: works jobs through on real pages. [`episode`] is the file to read first.
//!
//! - The loop is a pure state machine: no clock, no socket, no randomness of its own.
//! - It never judges an attempt; `evaluation` does, from facts that [`evidence`] gathers.
//! - It knows neither WebDriver nor any planner: it meets both in traits of `domain`.
//! - After an environment is over, or a limit is reached, it sends no further action to the page.
//! - No job ends without exactly one outcome, unless the process was asked to end: then it is given back.

pub mod assignment;
mod attempt;
pub mod decider;
pub mod drive;
pub mod ending;
pub mod episode;
pub mod evidence;
pub mod explore;
pub mod guard;
mod lasting;
mod leases;
pub mod metrics;
pub mod pace;
pub mod recorder;
mod refusal;
mod situation;
pub mod task_environment;
pub mod testing;
pub mod worker;

pub use decider::PlannerDecider;
pub use drive::{Attempt, Finished, Screenshots, run};
pub use evidence::gather;
pub use explore::Explorer;
pub use pace::SharedPace;
pub use recorder::{JournalRecorder, NoRecorder, Recorder};
pub use task_environment::TaskEnvironment;

#[cfg(test)]
mod tests;
