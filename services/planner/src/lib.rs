//! The mind: planners that pick the next action, and the language models that some of them ask.
//!
//! Every planner implements `domain::Planner` and keeps no state between calls. This room never touches a page, never
//! executes text that a model wrote, and sees secrets only as `${secret:NAME}`. Only `model::remote` talks to the network.
//!
//! Reading order: [`random`] is the floor and shows what a planner is; [`hxagent`] reasons with a language model step by
//! step; [`model`] is the seam to such models; [`ground`] needs none.

pub mod ground;
pub mod hxagent;
pub mod model;
mod prompts;
pub mod random;
pub mod service;

pub use hxagent::{Experience, HxAgent, HxAgentOptions};
pub use model::{LanguageModel, ModelOptions, ModelPool, PoolOptions, Provider};
pub use random::Random;
pub use service::{Planners, Served};
