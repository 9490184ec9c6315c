//! For tests only: scripted sites, a scripted model server, the start of the real binary, seams that fail on purpose, and
//! a simulated cluster.

pub mod faults;
pub mod harbour;
pub mod hostile;
pub mod model;
pub mod program;
pub mod simulation;
pub mod site;
