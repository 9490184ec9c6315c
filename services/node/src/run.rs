//! One run on this machine: its settings as they are stored, and the node that works it through.
//!
//! The job table is the truth about what is done. Everything else in the directory can be made again from it and the blobs.

mod control;
mod coverage;
pub mod mark;
pub mod retrace;
mod settings;
mod work;

pub use control::control;
pub use coverage::CoverageConfig;
pub use settings::{Config, ExploreConfig, FORMAT, Kind, PlannerConfig, RunTraffic, WhichPictures};
pub use work::{Observer, start, work};
