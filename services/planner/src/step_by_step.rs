//! Step by step: the breadth-oriented paradigm. Observe, pick one action, observe again; the model reasons before it chooses, and sees
//! the objective before the observation.

#[cfg(test)]
mod tests;

use crate::agent::{self, Agent, Decided, Halt, Manner, Method, Turn};
use crate::ask::Sampling;
use crate::memory::{MemoryOptions, Window};
use crate::model::ModelRole;
use crate::page::PageOptions;
use crate::registry::{BuildError, Needs, Parts, Preset, Registered};
use crate::reply::{NextActionWithContent, Order, ReplySchema};
use crate::template::Prompts;
use async_trait::async_trait;
use domain::Planner;
use domain::action::ActionKind;
use minijinja::context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, LazyLock};

static PROMPTS: LazyLock<Prompts> = LazyLock::new(|| {
    Prompts::new(&[
        ("system", include_str!("step_by_step/prompts/system.j2")),
        ("objective_first", include_str!("step_by_step/prompts/objective_first.j2")),
        ("observation_first", include_str!("step_by_step/prompts/observation_first.j2")),
    ])
});

/// What can be done besides acting on elements, in the action space that the planning paradigms share.
pub const GENERAL: [ActionKind; 8] = [
    ActionKind::Press,
    ActionKind::Scroll,
    ActionKind::NewTab,
    ActionKind::SwitchTab,
    ActionKind::CloseTab,
    ActionKind::Goto,
    ActionKind::Back,
    ActionKind::Forward,
];

/// Parameters of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StepByStepOptions {
    /// Where the values of all other options come from that are not set.
    pub preset: Preset,
    /// Steps after which the agent gives up.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// The order in which the model writes its reply.
    pub reply_order: Order,
    /// Whether the objective stands before the observation.
    pub objective_first: bool,
    /// What of the page is shown.
    pub page: PageOptions,
    /// What of the steps so far is shown; as published the previous action only.
    pub memory: MemoryOptions,
    /// How the model draws its replies.
    pub sampling: Sampling,
}

impl Default for StepByStepOptions {
    fn default() -> Self {
        Self::of(Preset::default())
    }
}

impl StepByStepOptions {
    fn of(preset: Preset) -> Self {
        let (memory, temperature) = match preset {
            Preset::Published => (MemoryOptions { window: Window::Last(1), state_characters: 0, reasons: false }, 1.0),
            Preset::Ours => (MemoryOptions::default(), 0.0),
        };
        Self {
            preset,
            steps: 30,
            reply_order: Order::ReasonFirst,
            objective_first: true,
            page: PageOptions { general_actions: GENERAL.to_vec(), ..PageOptions::of(preset) },
            memory,
            sampling: Sampling { temperature, ..Sampling::default() },
        }
    }
}

/// The method.
pub struct StepByStep(pub StepByStepOptions);

#[async_trait]
impl Method for StepByStep {
    type Carried = ();

    fn manner(&self) -> Manner<'_> {
        Manner {
            system: PROMPTS.render("system", context! {}),
            steps: self.0.steps,
            order: self.0.reply_order,
            sampling: self.0.sampling,
            page: &self.0.page,
            memory: &self.0.memory,
        }
    }

    async fn turn(&self, turn: &mut Turn<'_>, (): &mut ()) -> Result<Decided, Halt> {
        let template = if self.0.objective_first { "objective_first" } else { "observation_first" };
        let prompt = PROMPTS.render(template, turn.values());
        turn.next_action(prompt).await
    }
}

impl Registered for StepByStep {
    const NAME: &'static str = "step-by-step";
    const HELP: &'static str = "Asks a language model at every step to reason about the page and pick one action";
    const NEEDS: Needs = Needs { roles: &[ModelRole::Reasoner, ModelRole::Grounder], ..Needs::NOTHING };
    const PRESETS: &'static [Preset] = &[Preset::Published, Preset::Ours];
    type Options = StepByStepOptions;

    fn of_preset(preset: Preset) -> StepByStepOptions {
        StepByStepOptions::of(preset)
    }

    fn replies() -> Vec<ReplySchema> {
        [vec![ReplySchema::of::<NextActionWithContent>()], agent::replies()].concat()
    }

    fn build(options: StepByStepOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        Ok(Arc::new(Agent::new(StepByStep(options), parts.model(Self::NAME)?)))
    }
}
