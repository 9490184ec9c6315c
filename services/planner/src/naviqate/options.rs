//! The parameters of NaviQAte (its paper's section on the approach, and its ablations).

use super::references::ReferenceOptions;
use crate::ask::Sampling;
use crate::memory::MemoryOptions;
use crate::page::{NeighbourOptions, PageOptions};
use crate::rank::RankOptions;
use crate::registry::Preset;
use crate::reply::Order;
use domain::action::ActionKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NaviQAteOptions {
    /// Where the values of all other options come from that are not set.
    pub preset: Preset,
    /// Steps after which the agent gives up.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// The order in which the model writes its reply.
    pub reply_order: Order,
    /// Whether the instruction is a concrete task or a functionality without parameters, which is made concrete first.
    pub given: Given,
    /// From which pairs a functionality is made concrete.
    pub references: ReferenceOptions,
    /// How the next step is asked for.
    pub planning: Planning,
    /// Whether the context of a page is told from its picture; otherwise from its text.
    pub context_picture: bool,
    /// How the page's elements are ranked by the next step, and how many are choices.
    pub rank: RankOptions,
    /// Whether a cheaper model describes each choice in a sentence.
    pub describe: bool,
    /// Choices that are described by one question.
    #[schemars(range(min = 1, max = 20))]
    pub describe_batch: usize,
    /// Whether the decision is asked for with a picture on which the choices are marked.
    pub marks: bool,
    /// What of the page is shown.
    pub page: PageOptions,
    /// What of the steps so far is shown.
    pub memory: MemoryOptions,
    /// How the model draws its replies.
    pub sampling: Sampling,
}

/// What an instruction is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Given {
    /// A task with all of its parameters.
    #[default]
    Task,
    /// A functionality whose parameters are left open.
    Functionality,
}

/// How the next step is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Planning {
    /// First for the context of the page, then for the step.
    #[default]
    Separate,
    /// For both at once.
    Joined,
    /// Not at all (an ablation): choices are ranked by the task itself.
    None,
}

impl Default for NaviQAteOptions {
    fn default() -> Self {
        Self::of(Preset::default())
    }
}

impl NaviQAteOptions {
    /// The options of a preset.
    pub fn of(preset: Preset) -> Self {
        let is_published = preset == Preset::Published;
        let general_actions =
            if is_published { vec![ActionKind::Back] } else { PageOptions::default().general_actions };
        Self {
            preset,
            steps: 20,
            reply_order: if is_published { Order::ChoiceFirst } else { Order::ReasonFirst },
            given: Given::default(),
            references: ReferenceOptions::default(),
            planning: if is_published { Planning::Separate } else { Planning::Joined },
            context_picture: is_published,
            rank: RankOptions::default(),
            describe: is_published,
            describe_batch: 10,
            marks: is_published,
            page: PageOptions {
                list_options: 30,
                neighbours: NeighbourOptions { most: 5, ..NeighbourOptions::default() },
                general_actions,
                ..PageOptions::default()
            },
            memory: MemoryOptions::default(),
            sampling: Sampling::default(),
        }
    }
}
