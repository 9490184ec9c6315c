//! For tests only: scripted sites, a scripted model server, the start of real processes, seams that fail on purpose, and
//! a simulated cluster.

pub mod faults;
pub mod model;
pub mod simulation;
pub mod site;
