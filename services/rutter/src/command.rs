//! What the commands do, one file each.

pub(crate) mod bench;
pub(crate) mod cluster;
pub(crate) mod compare;
pub(crate) mod config;
pub(crate) mod doctor;
mod door;
pub(crate) mod eval;
pub(crate) mod experience;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod graph;
mod guide;
pub(crate) mod models;
pub(crate) mod planners;
pub(crate) mod prompts;
pub(crate) mod ready;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod serve;
mod session;
pub(crate) mod train;
mod trust;
mod work;
