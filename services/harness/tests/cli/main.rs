//! The real binary, as a person or a script meets it: what it leaves behind, and what it says when something is wrong.

mod accounts;
mod again;
mod attack;
mod bad_input;
mod careful;
mod comparing;
mod compose;
mod compositions;
mod coverage;
mod documented;
mod exploring;
mod faults;
mod files;
mod hostile;
mod kit;
mod lifetimes;
mod pages;
mod plain_words;
mod planners;
mod remote_planners;
mod secrets;
mod strangers;
mod training;
mod trust;
mod verdicts;
mod with_map;
