//! The parameters of the search.

use crate::ask::Sampling;
use crate::memory::MemoryOptions;
use crate::page::PageOptions;
use crate::registry::Preset;
use crate::reply::Order;
use crate::step_by_step::GENERAL;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TreeSearchOptions {
    /// Where the values of all other options come from that are not set.
    pub preset: Preset,
    /// Steps after which the agent gives up, those of abandoned branches included.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// The order in which the model writes its reply.
    pub reply_order: Order,
    /// Candidates for the next action that are followed up in each state.
    #[schemars(range(min = 1, max = 10))]
    pub branches: usize,
    /// Steps from where a search begins to its furthest state.
    #[schemars(range(min = 1))]
    pub depth: usize,
    /// States that are valued before the best is committed to.
    #[schemars(range(min = 1))]
    pub budget: usize,
    /// How candidates are found.
    pub candidates: CandidatesBy,
    /// Replies that are drawn for the candidates of a state, where they are drawn one by one.
    #[schemars(range(min = 1, max = 50))]
    pub samples: u32,
    /// How states are valued.
    pub value: ValueOptions,
    /// Whether the search goes back to other candidates; otherwise the first one of each state is followed (an ablation).
    pub backtrack: bool,
    /// What of the page is shown.
    pub page: PageOptions,
    /// What of the steps so far is shown.
    pub memory: MemoryOptions,
    /// How the model draws its replies.
    pub sampling: Sampling,
}

/// How candidates are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CandidatesBy {
    /// Several replies to the same question are drawn, and equal ones counted.
    #[default]
    Sampling,
    /// One question asks for all of them.
    OneQuestion,
}

/// How states are valued.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ValueOptions {
    /// Judgements whose mean is the value: 1 for reached, ½ for on the way, 0 for neither.
    #[schemars(range(min = 1, max = 50))]
    pub judgements: u32,
    /// Temperature of the judgements, and of replies that are drawn one by one.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: f64,
    /// Whether they are made with a picture of the page.
    pub picture: bool,
    /// The value from which the task counts as done.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub reached: f64,
}

impl Default for ValueOptions {
    fn default() -> Self {
        Self { judgements: 20, temperature: 1.0, picture: true, reached: 1.0 }
    }
}

impl Default for TreeSearchOptions {
    fn default() -> Self {
        Self::of(Preset::default())
    }
}

impl TreeSearchOptions {
    /// The options of a preset.
    pub(super) fn of(preset: Preset) -> Self {
        let is_published = preset == Preset::Published;
        let one = ValueOptions { judgements: 1, temperature: 0.0, picture: false, reached: 1.0 };
        Self {
            preset,
            steps: 200,
            reply_order: Order::ReasonFirst,
            branches: 5,
            depth: 4,
            budget: 20,
            candidates: if is_published { CandidatesBy::Sampling } else { CandidatesBy::OneQuestion },
            samples: 20,
            value: if is_published { ValueOptions::default() } else { one },
            backtrack: true,
            page: PageOptions { general_actions: GENERAL.to_vec(), ..PageOptions::of(preset) },
            memory: MemoryOptions::default(),
            sampling: Sampling::default(),
        }
    }
}
