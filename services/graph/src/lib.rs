//! The map of a site: which observations show the same state, and what leads from one to another.
//!
//! - Deciding is pure: abstraction, merging, paths and differences read no clock, file or network.
//! - It never touches a page, and keeps no text of a field's value.

pub mod abstraction;
pub mod evaluation;
