//! The parameters of staged planning with reflection.

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
pub struct ReflectionOptions {
    /// Where the values of all other options come from that are not set.
    pub preset: Preset,
    /// Steps after which the agent gives up, those of all trials together.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// The order in which the model writes its reply.
    pub reply_order: Order,
    /// Actions that are planned at once at most.
    #[schemars(range(min = 1, max = 10))]
    pub stage: usize,
    /// Trials of the task, the first included.
    #[schemars(range(min = 1, max = 10))]
    pub trials: u32,
    /// Whether a failed trial is reflected on; otherwise the next one knows nothing of it (an ablation).
    pub reflect: bool,
    /// What of the page is shown.
    pub page: PageOptions,
    /// What of the steps so far is shown.
    pub memory: MemoryOptions,
    /// How the model draws its replies.
    pub sampling: Sampling,
}

impl Default for ReflectionOptions {
    fn default() -> Self {
        Self::of(Preset::default())
    }
}

impl ReflectionOptions {
    /// The options of a preset.
    pub(super) fn of(preset: Preset) -> Self {
        Self {
            preset,
            steps: 60,
            reply_order: if preset == Preset::Published { Order::ChoiceFirst } else { Order::ReasonFirst },
            stage: 10,
            trials: 3,
            reflect: true,
            page: PageOptions::of(preset),
            memory: MemoryOptions::default(),
            sampling: Sampling::default(),
        }
    }
}
