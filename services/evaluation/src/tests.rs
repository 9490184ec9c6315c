//! Behaviour of the judge.

mod arbitrary;
mod checks;
mod judge;
mod metrics;
mod replay;
mod truth;
mod validate;
