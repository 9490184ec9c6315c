//! A hostile site that tries to make a browser, or the program itself, ask for something outside the scope, and a canary that counts
//! whether anything was asked. `make attack` measures it.
//!
//! Each way out is shown to have been tried, by a word to the site before it fires, and to lead out of a browser that has nothing
//! before it: a way that leads nowhere proves nothing, and is listed apart.

pub mod canary;
pub mod control;
pub mod hosts;
pub mod listener;
pub mod measure;
pub mod page;
pub mod place;
pub mod ports;
pub mod raw;
mod result;
pub mod site;
pub mod stand_in;
pub mod ways;
