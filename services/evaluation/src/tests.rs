//! Behaviour of the judge.

mod arbitrary;
mod checks;
mod course;
mod judge;
mod looks;
mod metrics;
mod replay;
mod requests;
mod truth;
mod validate;
