//! Public benchmarks as suites of jobs: their pages, how an instance begins and ends, and solvers that prove the way.
//!
//! A benchmark gives a suite of tasks with seeds, an environment that brings a page to the start of an instance, a check
//! that says what success is, and gold solvers. It never judges an attempt, and no planner can reach what it knows.

pub mod error;
pub mod miniwob;

pub use error::Error;
