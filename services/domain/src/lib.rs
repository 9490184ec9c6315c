//! The domain model: typed ids, the data that rooms exchange, and the traits by which rooms call each other.
//!
//! This room performs no input or output and knows no runtime. Types derive `serde` because they are, or are parts of,
//! published file formats: tasks, tests and trajectories.

pub mod action;
pub mod address;
pub mod campaign;
pub mod coverage;
pub mod decision;
pub mod destructive;
pub mod effect;
pub mod environment;
pub mod exploration;
pub mod fault;
pub mod geometry;
pub mod harm;
pub mod id;
pub mod job;
pub mod language;
pub mod ledger;
pub mod listing;
pub mod locator;
pub mod marks;
pub mod nodes;
pub mod observation;
pub mod page;
pub mod privilege;
pub mod project;
pub mod scope;
pub mod secret;
pub mod service;
pub mod shared_node;
pub mod stage;
pub mod state;
pub mod storage;
pub mod task;
pub mod test;
pub mod text;
mod texts;
pub mod trajectory;
pub mod unfinished;
pub mod upgrade;
pub mod upload;
pub mod usage;
pub mod value;
pub mod verdict;
pub mod words;

pub use action::Action;
pub use decision::{Choice, Decider, Decision, DecisionRequest, Planner};
pub use effect::{Effect, PageDifference};
pub use fault::Fault;
pub use geometry::{Point, Rect};
pub use id::{BlobRef, CampaignId, ElementId, EpisodeId, Fence, JobId, RunId, SiteId, StateId, TaskId};
pub use job::Job;
pub use locator::{Descriptor, Locator};
pub use nodes::Nodes;
pub use observation::{Node, Observation};
pub use page::Page;
pub use shared_node::SharedNode;
pub use task::Task;
pub use trajectory::{Deciding, Ending, Step, Trajectory};
pub use usage::Usage;
pub use verdict::{Evidence, Verdict};

#[cfg(test)]
mod tests;
