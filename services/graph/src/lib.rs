//! The map of a site: which observations show the same state, and what leads from one to another.
//!
//! - Deciding is pure: abstraction, merging, frontier, paths and differences read no clock, file or network.
//! - The store in `backends` is authoritative; this room's memory is a cache. Several instances may share a store.
//! - It never touches a page, and keeps no value of a field.

pub mod abstraction;
mod actions;
mod addresses;
pub mod combined;
pub mod diff;
mod encoding;
mod error;
pub mod evaluation;
pub mod export;
pub mod frontier;
pub mod merge;
pub mod metrics;
mod novelty;
mod options;
pub mod path;
pub mod retrace;
pub mod search;
mod service;
pub mod site;
mod start;
pub mod suite;

pub use encoding::encoded;
pub use error::Error;
pub use options::Options;
pub use service::{Dependencies, Graph};
pub use start::start;

#[cfg(test)]
mod tests;
