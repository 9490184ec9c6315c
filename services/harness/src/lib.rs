//! Test support only: scripted sites, a scripted model server, starting the real binary, fault-injecting seams, and a
//! simulated cluster.

pub mod attack;
pub mod compositions;
pub mod faults;
pub mod harbour;
pub mod harm;
pub mod hostile;
pub mod model;
pub mod program;
pub mod ran;
pub mod redaction;
pub mod simulation;
pub mod site;
