//! What the commands do, one file each.

pub(crate) mod bench;
pub(crate) mod cluster;
pub(crate) mod config;
pub(crate) mod doctor;
mod door;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod graph;
pub(crate) mod planners;
pub(crate) mod prompts;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod serve;
mod session;
mod trust;
mod work;
