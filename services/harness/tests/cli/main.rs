//! The real binary, as a person or a script meets it: what it leaves behind, and what it says when something is wrong.

mod accounts;
mod bad_input;
mod comparing;
mod coverage;
mod documented;
mod exploring;
mod faults;
mod hostile;
mod kit;
mod lifetimes;
mod pages;
mod planners;
mod remote_planners;
mod trust;
mod verdicts;
