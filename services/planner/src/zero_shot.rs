//! Zero-shot: the baseline that every method is held against. One question per step, with the task and what the page offers; no
//! memory, no plan, no examples.

#[cfg(test)]
mod tests;

use crate::agent::{self, Agent, Decided, Halt, Manner, Method, Turn};
use crate::ask::Sampling;
use crate::memory::{MemoryOptions, Window};
use crate::model::ModelRole;
use crate::page::{Layout, PageOptions};
use crate::registry::{BuildError, Needs, Parts, Preset, Registered};
use crate::reply::{NextActionWithContent, Order, ReplySchema};
use crate::template::Prompts;
use async_trait::async_trait;
use domain::Planner;
use minijinja::context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, LazyLock};

static PROMPTS: LazyLock<Prompts> = LazyLock::new(|| {
    Prompts::new(&[
        ("system", include_str!("zero_shot/prompts/system.j2")),
        ("next_action", include_str!("zero_shot/prompts/next_action.j2")),
    ])
});

const NO_MEMORY: MemoryOptions = MemoryOptions { window: Window::None, state_characters: 0, reasons: false };

/// Parameters of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ZeroShotOptions {
    /// Where the values of all other options come from that are not set.
    pub preset: Preset,
    /// Steps after which the agent gives up.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// The order in which the model writes its reply.
    pub reply_order: Order,
    /// Whether the page's text is shown beside its elements.
    pub text: bool,
    /// What of the page is shown.
    pub page: PageOptions,
    /// How the model draws its replies.
    pub sampling: Sampling,
}

impl Default for ZeroShotOptions {
    fn default() -> Self {
        Self::of(Preset::default())
    }
}

impl ZeroShotOptions {
    fn of(preset: Preset) -> Self {
        let is_published = preset == Preset::Published;
        Self {
            preset,
            steps: 30,
            reply_order: if is_published { Order::ChoiceFirst } else { Order::ReasonFirst },
            text: !is_published,
            page: PageOptions { every_xpath: is_published, ..PageOptions::of(preset) },
            sampling: Sampling::default(),
        }
    }
}

/// The method.
pub struct ZeroShot(pub ZeroShotOptions);

#[async_trait]
impl Method for ZeroShot {
    type Carried = ();

    fn manner(&self) -> Manner<'_> {
        Manner {
            system: PROMPTS.render("system", context! {}),
            steps: self.0.steps,
            order: self.0.reply_order,
            sampling: self.0.sampling,
            page: &self.0.page,
            memory: &NO_MEMORY,
        }
    }

    async fn turn(&self, turn: &mut Turn<'_>, (): &mut ()) -> Result<Decided, Halt> {
        if !self.0.text {
            turn.view.page.clear();
        }
        let prompt = PROMPTS.render("next_action", turn.values());
        turn.next_action(prompt).await
    }
}

impl Registered for ZeroShot {
    const NAME: &'static str = "zero-shot";
    const HELP: &'static str =
        "Asks a language model at every step, with nothing but the task and the page: a baseline";
    const NEEDS: Needs = Needs { roles: &[ModelRole::Reasoner, ModelRole::Grounder], ..Needs::NOTHING };
    const PRESETS: &'static [Preset] = &[Preset::Published, Preset::Ours];
    type Options = ZeroShotOptions;

    fn of_preset(preset: Preset) -> ZeroShotOptions {
        ZeroShotOptions::of(preset)
    }

    fn replies() -> Vec<ReplySchema> {
        [vec![ReplySchema::of::<NextActionWithContent>()], agent::replies()].concat()
    }

    fn build(mut options: ZeroShotOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        if !options.text {
            // Without the page's text there is no place in it.
            options.page.layout = Layout::Listed;
        }
        Ok(Arc::new(Agent::new(ZeroShot(options), parts.model(Self::NAME)?)))
    }
}
