//! The queue: campaigns and their jobs, handed to crawlers by priority, fair share and the rates of hosts.
//!
//! - The table in `backends` is authoritative; this room's memory is a cache. Several instances may share a table.
//! - A job ends by a record of the log: decisions made here, such as cancellations, go to the log first.
//! - It attempts nothing itself, and knows no browser.

mod consumers;
pub mod fair;
pub mod metrics;
mod options;
mod service;
mod stages;
pub mod suite;
mod valid;
mod waiting;

pub use consumers::{Dependencies, GROUP, start};
pub use metrics::measure;
pub use options::Options;
pub use service::Campaigns;
pub use stages::StageRules;
pub use valid::submission;

#[cfg(test)]
mod tests;
