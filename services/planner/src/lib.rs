//! The mind: planners that pick the next action, the toolkit that they are built with, and the language models that some ask.
//!
//! Every planner implements `domain::Planner` and keeps no state between calls. This room never touches a page, never
//! executes text that a model wrote, and sees secrets only as `${secret:NAME}`. Only `model` talks to the network.
//!
//! Reading order: [`random`] is the floor and shows what a planner is; [`registry`] lists all and builds them by name;
//! [`hxagent`] reasons with a language model step by step; [`ground`] needs none. The toolkit: [`agent`] makes a planner of a
//! paper's method, [`page`] is what a model is shown of a page, [`memory`] what of the steps so far, [`template`] fills in
//! prompts, [`ask`] asks a question and reads its [`reply`], [`rank`] orders texts by meaning, [`model`] is the seam to language
//! models; [`guide`] is what a map knows of a site.

pub mod agent;
pub mod ask;
pub mod guide;
pub mod memory;
pub mod model;
pub mod page;
pub mod rank;
pub mod registry;
pub mod rehearsal;
pub mod reply;
pub mod service;
pub mod template;
#[cfg(test)]
mod test_model;
#[cfg(test)]
mod test_request;

/// Declares the module of each planner and the list of their entries in the registry. `cargo fmt` does not look behind a macro:
/// `make format` does.
macro_rules! planners {
    ($($module:ident::$planner:ident)*) => {
        $(pub mod $module;)*

        /// Every planner of this room.
        fn entries() -> Vec<registry::Entry> {
            vec![$(registry::Entry::of::<$module::$planner>()),*]
        }
    };
}

// One line each, by name.
planners! {
    adaplanner::AdaPlanner
    full_plan::FullPlan
    ground::Ground
    hxagent::HxAgent
    naviqate::NaviQAte
    random::Random
    rci::Rci
    reflection::Reflection
    remote::Remote
    step_by_step::StepByStep
    synapse::Synapse
    tree_search::TreeSearch
    zero_shot::ZeroShot
}

pub use guide::SiteGuide;
pub use hxagent::{Experience, HxAgent, HxAgentOptions, TaskLessons};
pub use model::{LanguageModel, ModelOptions, ModelPool, PoolOptions, Provider};
pub use random::Random;
pub use registry::Registry;
pub use service::{Planners, Served};
