//! The queue: campaigns and their jobs, handed to crawlers by priority, fair share and the rates of hosts.
//!
//! - The table in `backends` is the truth; this room keeps nothing that cannot be lost. Several instances may share a table.
//! - A job ends by a record of the log, never by a decision made here: such decisions go to the log first.
//! - It attempts nothing itself, and knows no browser.

mod consumers;
pub mod fair;
pub mod metrics;
mod options;
mod service;
pub mod suite;
mod valid;
mod waiting;

pub use consumers::{Dependencies, GROUP, start};
pub use metrics::measure;
pub use options::Options;
pub use service::Campaigns;
pub use valid::submission;

#[cfg(test)]
mod tests;
