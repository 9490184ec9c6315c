//! The parameters of HxAgent (its paper's section on the method).

use super::experience::Experience;
use crate::ask::Sampling;
use crate::memory::MemoryOptions;
use crate::page::PageOptions;
use crate::registry::Preset;
use crate::reply::Order;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the method; the defaults are the published ones where it has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HxAgentOptions {
    /// Where the values of all other options come from that are not set.
    pub preset: Preset,
    /// Steps after which the agent gives up: 20 in training, 15 at evaluation.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// The order in which the model writes its reply.
    pub reply_order: Order,
    /// How the content of an action is asked for.
    pub content: ContentBy,
    /// Whether a reply that holds the content may fill in further fields of the same form.
    pub several_fields: bool,
    /// What of the page is shown.
    pub page: PageOptions,
    /// What of the steps so far is shown.
    pub memory: MemoryOptions,
    /// Whether experience is shown.
    pub use_experience: bool,
    /// How many successful trials are shown at most.
    pub max_examples: usize,
    /// What was learnt from earlier trials of similar tasks.
    pub experience: Experience,
    /// Whether every step is planned anew; otherwise one plan is made on the first page and followed.
    pub iterate: bool,
    /// Whether a choice among indistinguishable actions is asked again with a picture.
    pub disambiguate: bool,
    /// Whether the model may choose to look at a picture of the page. Only for models that read pictures.
    pub may_look: bool,
    /// How the model draws its replies.
    pub sampling: Sampling,
}

impl Default for HxAgentOptions {
    fn default() -> Self {
        Self::of(Preset::default())
    }
}

impl HxAgentOptions {
    /// The options of a preset.
    pub fn of(preset: Preset) -> Self {
        let (reply_order, content) = match preset {
            Preset::Published => (Order::ChoiceFirst, ContentBy::SecondQuestion),
            Preset::Ours => (Order::ReasonFirst, ContentBy::WithChoice),
        };
        Self {
            preset,
            steps: 15,
            reply_order,
            content,
            several_fields: preset == Preset::Ours,
            page: PageOptions::of(preset),
            memory: MemoryOptions::default(),
            use_experience: true,
            max_examples: 8,
            experience: Experience::default(),
            iterate: true,
            disambiguate: true,
            may_look: false,
            sampling: Sampling::default(),
        }
    }
}

/// How the content of an action is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentBy {
    /// By a question of its own, once the action is chosen.
    #[default]
    SecondQuestion,
    /// Together with the choice; a second question is asked where the reply holds none that fits.
    WithChoice,
}
