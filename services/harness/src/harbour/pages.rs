//! Serves the site from its declaration.

pub(super) mod answer;
mod choose;
mod draw;
mod parts;
mod session;
pub(super) mod world;

pub use session::{ACCOUNTS, Account};
