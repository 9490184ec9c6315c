//! How the site answers: from the declaration, nothing of its own.

pub(super) mod answer;
mod choose;
mod draw;
mod parts;
mod session;
pub(super) mod world;

pub use session::{ACCOUNTS, Account};
