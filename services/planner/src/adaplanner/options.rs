//! The parameters of the adaptive plan.

use crate::ask::Sampling;
use crate::memory::MemoryOptions;
use crate::page::PageOptions;
use crate::registry::Preset;
use crate::reply::Order;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AdaPlannerOptions {
    /// Where the values of all other options come from that are not set.
    pub preset: Preset,
    /// Steps after which the agent gives up.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// The order in which the model writes its reply.
    pub reply_order: Order,
    /// Whether the page after a line is held against what the plan expects there.
    pub assertions: bool,
    /// Whether what a line leaves open is read from the page (refinement in the plan).
    pub in_plan: bool,
    /// How often a plan that failed is made anew from the failing step (refinement out of the plan); 0 for never.
    pub out_of_plan: u32,
    /// What of the page is shown.
    pub page: PageOptions,
    /// What of the steps so far is shown.
    pub memory: MemoryOptions,
    /// How the model draws its replies.
    pub sampling: Sampling,
}

impl Default for AdaPlannerOptions {
    fn default() -> Self {
        Self::of(Preset::default())
    }
}

impl AdaPlannerOptions {
    /// The options of a preset.
    pub(super) fn of(preset: Preset) -> Self {
        Self {
            preset,
            steps: 30,
            reply_order: if preset == Preset::Published { Order::ChoiceFirst } else { Order::ReasonFirst },
            assertions: true,
            in_plan: true,
            out_of_plan: 3,
            page: PageOptions::of(preset),
            memory: MemoryOptions::default(),
            sampling: Sampling::default(),
        }
    }
}
