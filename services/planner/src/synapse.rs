//! Synapse: trajectories as exemplars (Zheng et al. 2024). The nearest exemplars by meaning stand before the question, and the page is
//! filtered to what bears on the task before it is shown. No code is ever written or executed.

#[cfg(test)]
mod tests;

use crate::agent::{self, Agent, Decided, Halt, Manner, Method, Turn};
use crate::ask::Sampling;
use crate::memory::MemoryOptions;
use crate::model::ModelRole;
use crate::page::{Actions, PageOptions, Situation, offered};
use crate::rank::{RankOptions, rank};
use crate::registry::{BuildError, Need, Needs, Parts, Preset, Registered};
use crate::reply::{NextActionWithContent, Order, ReplySchema};
use crate::template::Prompts;
use async_trait::async_trait;
use domain::language::Embedder;
use domain::{ElementId, Node, Planner};
use minijinja::{Value, context};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

static PROMPTS: LazyLock<Prompts> = LazyLock::new(|| {
    Prompts::new(&[
        ("system", include_str!("synapse/prompts/system.j2")),
        ("next_action", include_str!("synapse/prompts/next_action.j2")),
    ])
});

/// Parameters of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SynapseOptions {
    /// Where the values of all other options come from that are not set.
    pub preset: Preset,
    /// Steps after which the agent gives up.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// The order in which the model writes its reply.
    pub reply_order: Order,
    /// Exemplars that are shown, those whose tasks are nearest in meaning; 0 for none.
    pub nearest: usize,
    /// The memory of exemplars: a list of records with `task` and `trajectory`, both in words.
    pub exemplars: Vec<Exemplar>,
    /// Whether the page is filtered to the elements that bear on the task.
    pub filter: bool,
    /// How elements are ranked by the task, and how many are kept.
    pub rank: RankOptions,
    /// What of the page is shown.
    pub page: PageOptions,
    /// What of the steps so far is shown.
    pub memory: MemoryOptions,
    /// How the model draws its replies.
    pub sampling: Sampling,
}

/// A task that was done, and how.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exemplar {
    /// The task in words.
    pub task: String,
    /// Its states and steps in words.
    pub trajectory: String,
}

impl Default for SynapseOptions {
    fn default() -> Self {
        Self::of(Preset::default())
    }
}

impl SynapseOptions {
    fn of(preset: Preset) -> Self {
        Self {
            preset,
            steps: 30,
            reply_order: if preset == Preset::Published { Order::ChoiceFirst } else { Order::ReasonFirst },
            nearest: 3,
            exemplars: Vec::new(),
            filter: true,
            rank: RankOptions { keep: 30, used_factor: 1.0 },
            page: PageOptions::of(preset),
            memory: MemoryOptions::default(),
            sampling: Sampling::default(),
        }
    }
}

/// The method.
pub struct Synapse {
    options: SynapseOptions,
    embedder: Arc<dyn Embedder>,
}

#[async_trait]
impl Method for Synapse {
    type Carried = ();

    fn manner(&self) -> Manner<'_> {
        Manner {
            system: PROMPTS.render("system", context! {}),
            steps: self.options.steps,
            order: self.options.reply_order,
            sampling: self.options.sampling,
            page: &self.options.page,
            memory: &self.options.memory,
        }
    }

    async fn turn(&self, turn: &mut Turn<'_>, (): &mut ()) -> Result<Decided, Halt> {
        let exemplars = self.exemplars(&turn.task).await?;
        if self.options.filter && turn.request.observation.dialog.is_none() {
            let filtered = self.filtered(turn).await?;
            turn.list(filtered);
        }
        let prompt = PROMPTS.render("next_action", context! { exemplars, ..turn.values() });
        turn.next_action(prompt).await
    }
}

impl Synapse {
    /// The exemplars whose tasks are nearest, the nearest last, beside the question.
    async fn exemplars(&self, task: &str) -> Result<Vec<Value>, Halt> {
        if self.options.nearest == 0 || self.options.exemplars.is_empty() {
            return Ok(Vec::new());
        }
        let tasks: Vec<String> = self.options.exemplars.iter().map(|exemplar| exemplar.task.clone()).collect();
        let keep = RankOptions { keep: self.options.nearest, used_factor: 1.0 };
        let ranked = rank(self.embedder.as_ref(), task, &tasks, |_| false, &keep).await?;
        let shown = ranked.into_iter().rev().filter_map(|ranked| self.options.exemplars.get(ranked.index));
        Ok(shown.map(|shown| context! { task => shown.task.clone(), trajectory => shown.trajectory.clone() }).collect())
    }

    /// The elements that bear on the task, in the order of the page.
    async fn filtered(&self, turn: &Turn<'_>) -> Result<Actions, Halt> {
        let observation = &turn.request.observation;
        let elements: Vec<(ElementId, &Node)> =
            observation.interactive().filter(|(_, node)| !offered(node).is_empty()).collect();
        let texts: Vec<String> =
            elements.iter().map(|(_, node)| format!("{} {}", node.label(), node.context)).collect();
        let ranked = rank(self.embedder.as_ref(), &turn.task, &texts, |_| false, &self.options.rank).await?;
        let mut kept: Vec<ElementId> =
            ranked.into_iter().filter_map(|ranked| elements.get(ranked.index).map(|(id, _)| *id)).collect();
        kept.sort();
        let situation = Situation::after(&turn.steps);
        Ok(Actions::of_elements(observation, situation, &self.options.page, &kept, &BTreeMap::new()))
    }
}

impl Registered for Synapse {
    const NAME: &'static str = "synapse";
    const HELP: &'static str = "Asks with the trajectories of the most similar tasks before the question: a baseline";
    const NEEDS: Needs =
        Needs { roles: &[ModelRole::Reasoner, ModelRole::Grounder], embedder: Need::Required, ..Needs::NOTHING };
    const PRESETS: &'static [Preset] = &[Preset::Published, Preset::Ours];
    type Options = SynapseOptions;

    fn of_preset(preset: Preset) -> SynapseOptions {
        SynapseOptions::of(preset)
    }

    fn replies() -> Vec<ReplySchema> {
        [vec![ReplySchema::of::<NextActionWithContent>()], agent::replies()].concat()
    }

    fn build(options: SynapseOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        let method = Synapse { options, embedder: parts.embedder(Self::NAME)? };
        Ok(Arc::new(Agent::new(method, parts.model(Self::NAME)?)))
    }
}
