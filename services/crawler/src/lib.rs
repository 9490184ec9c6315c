//! Carries out jobs on real pages. Read [`episode`] first.
//!
//! - The loop is a pure state machine: no clock, no socket, no randomness of its own.
//! - It never judges an attempt; `evaluation` does, from facts that [`evidence`] gathers.
//! - It knows neither WebDriver nor any planner: both implement traits of `domain`.
//! - After an environment is over, or a limit is reached, it sends no further action to the page.
//! - Every job ends with exactly one outcome, unless the process is asked to end: then the job is given back.

pub mod assignment;
mod attempt;
pub mod decider;
pub mod destructive;
pub mod drive;
pub mod ending;
pub mod episode;
pub mod evidence;
pub mod explore;
mod failover;
mod judging;
mod leases;
pub mod locating;
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
pub use locating::{LocatingDecider, TaskMap};
pub use pace::SharedPace;
pub use recorder::{JournalRecorder, NoRecorder, Recorder};
pub use task_environment::TaskEnvironment;

#[cfg(test)]
mod tests;
