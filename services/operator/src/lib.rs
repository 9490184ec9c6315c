//! The operator: Kubernetes resources become campaigns of the queue, schedules make campaigns, and fleets follow what waits.
//!
//! It is a client of the cluster's services and of the API server, and keeps nothing: whatever it decides follows from what those
//! two say, so that it can be killed at any moment. It never touches a page and never judges.
//!
//! A resource is reconciled in stages: what it refers to is read, checked, built into what should be there (pure), applied, and
//! told as its status. Nothing is written that is there already.

pub mod api;
pub mod config;
pub mod crds;
pub mod error;
pub mod run;

mod campaign;
mod context;
mod fleet;
mod leader;
mod metrics;
mod schedule;

pub use error::Error;
