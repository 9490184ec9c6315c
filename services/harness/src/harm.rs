//! A site of a small company that counts what is done to it: controls that delete, overwrite, pay, publish or send, beside
//! harmless ones that look like them. It measures whether an exploration leaves things as they are.
//!
//! The pages are templates in `services/harness/harm`. In front of each control stands a comment that says which request it
//! sends ([`controls`]); who explores gets the pages without these comments. Nothing is really lost when a control is
//! pressed, so that every control stays reachable.
//!
//! Sets of pages, each a folder: `shown` ones to work with, `set-2` and the following that were kept back once and are worked with
//! since, and `kept-back` ones that nothing is tuned on.

mod controls;
pub mod measured;
mod pages;
pub mod press;
mod request;
mod server;
mod world;

pub use controls::{Control, Role};
pub use pages::Set;
pub use server::{HarmSite, Marks};
pub use world::Counts;
