//! For tests only: scripted sites, a scripted model server, and the start of real processes.

pub mod model;
pub mod site;
