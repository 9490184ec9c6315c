//! What people read: the stored results of runs and campaigns as scores, tables, JSON and HTML, and the files of a run directory.
//!
//! Reads what services and a run directory hold, and judges nothing anew. Everything that came from a page or a model is escaped
//! on its way into HTML.

pub mod artifacts;
mod changes;
pub mod compared;
mod courses;
pub mod coverage;
pub mod directory;
mod downloads;
mod effort;
mod error;
pub mod explored;
mod fault_tests;
pub mod html;
mod map_report;
pub mod outcomes;
mod progress;
mod run;
pub mod scores;
pub mod tables;
pub mod unjudged;
pub mod visits;
pub mod words;

pub use artifacts::Left;
pub use directory::Directory;
pub use error::Error;
pub use progress::Progress;
pub use run::{DrawMarks, Exploration, Kind, Run, Sources};
pub use scores::Scores;
