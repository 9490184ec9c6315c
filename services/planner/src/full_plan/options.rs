//! The parameters of planning in advance.

use crate::ask::Sampling;
use crate::memory::{MemoryOptions, Window};
use crate::page::PageOptions;
use crate::registry::Preset;
use crate::reply::Order;
use crate::step_by_step::GENERAL;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FullPlanOptions {
    /// Where the values of all other options come from that are not set.
    pub preset: Preset,
    /// Steps after which the agent gives up.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// The order in which the model writes its reply.
    pub reply_order: Order,
    /// How closely the plan is followed.
    pub following: Following,
    /// How often a plan that is followed strictly may be made anew; 0 ends the attempt at the first failure.
    pub replans: u32,
    /// What of the page is shown.
    pub page: PageOptions,
    /// What of the steps so far is shown; as published the previous action only.
    pub memory: MemoryOptions,
    /// How the model draws its replies.
    pub sampling: Sampling,
}

/// How closely a plan is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Following {
    /// The agent sees the plan at every step and may depart from it.
    #[default]
    Adaptive,
    /// Each line is carried out as it is, or the plan failed.
    Strict,
}

impl Default for FullPlanOptions {
    fn default() -> Self {
        Self::of(Preset::default())
    }
}

impl FullPlanOptions {
    /// The options of a preset.
    pub(super) fn of(preset: Preset) -> Self {
        let (memory, temperature) = match preset {
            Preset::Published => (MemoryOptions { window: Window::Last(1), state_characters: 0, reasons: false }, 1.0),
            Preset::Ours => (MemoryOptions::default(), 0.0),
        };
        Self {
            preset,
            steps: 30,
            reply_order: Order::ReasonFirst,
            following: Following::Adaptive,
            replans: 2,
            page: PageOptions { general_actions: GENERAL.to_vec(), ..PageOptions::of(preset) },
            memory,
            sampling: Sampling { temperature, ..Sampling::default() },
        }
    }
}
