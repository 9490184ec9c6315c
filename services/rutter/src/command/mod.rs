//! What the commands do, one file each.

pub(crate) mod bench;
pub(crate) mod doctor;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod schema;
mod session;
