//! RCI: recursive criticism and improvement (Kim et al. 2023). A plan in words is made, criticised and improved; then each of its
//! lines is bound to the page when its turn comes.

#[cfg(test)]
mod tests;

use crate::agent::{self, Agent, Carrying, Decided, Finish, Halt, Lines, Manner, Method, PlanInWords, Turn};
use crate::ask::Sampling;
use crate::memory::MemoryOptions;
use crate::model::ModelRole;
use crate::page::PageOptions;
use crate::registry::{BuildError, Needs, Parts, Preset, Registered};
use crate::reply::{Meaning, NextActionWithContent, Order, Reply, ReplySchema};
use crate::template::Prompts;
use async_trait::async_trait;
use domain::Planner;
use minijinja::context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, LazyLock};

static PROMPTS: LazyLock<Prompts> = LazyLock::new(|| {
    Prompts::new(&[
        ("system", include_str!("rci/prompts/system.j2")),
        ("plan", include_str!("rci/prompts/plan.j2")),
        ("criticise", include_str!("rci/prompts/criticise.j2")),
        ("improve", include_str!("rci/prompts/improve.j2")),
    ])
});

/// Parameters of the method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RciOptions {
    /// Where the values of all other options come from that are not set.
    pub preset: Preset,
    /// Steps after which the agent gives up.
    #[schemars(range(min = 1))]
    pub steps: u32,
    /// The order in which the model writes its reply.
    pub reply_order: Order,
    /// How often the plan is criticised and improved before it is carried out.
    #[schemars(range(max = 5))]
    pub critiques: u32,
    /// What of the page is shown.
    pub page: PageOptions,
    /// What of the steps so far is shown.
    pub memory: MemoryOptions,
    /// How the model draws its replies.
    pub sampling: Sampling,
}

impl Default for RciOptions {
    fn default() -> Self {
        Self::of(Preset::default())
    }
}

impl RciOptions {
    fn of(preset: Preset) -> Self {
        Self {
            preset,
            steps: 30,
            reply_order: if preset == Preset::Published { Order::ChoiceFirst } else { Order::ReasonFirst },
            critiques: 1,
            page: PageOptions::of(preset),
            memory: MemoryOptions::default(),
            sampling: Sampling::default(),
        }
    }
}

/// What is wrong with a plan.
#[derive(Debug, Deserialize, JsonSchema)]
struct Critique {
    #[schemars(title = Meaning::Critique.title(), length(max = 600))]
    problems: Option<String>,
}

impl Reply for Critique {
    const NAME: &'static str = "critique";
}

/// The method.
pub struct Rci(pub RciOptions);

/// What is handed from one decision to the next.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Carried {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<Lines>,
}

#[async_trait]
impl Method for Rci {
    type Carried = Carried;

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

    async fn turn(&self, turn: &mut Turn<'_>, carried: &mut Carried) -> Result<Decided, Halt> {
        let plan = match &carried.plan {
            Some(plan) => plan.clone(),
            None => carried.plan.insert(self.plan(turn).await?).clone(),
        };
        let Some(line) = plan.lines.get(plan.done(turn)).cloned() else { return turn.finish().await };
        Ok(match plan.carry_out(turn, &line).await? {
            Carrying::Act(decided) => decided,
            Carrying::Diverged(cause) => agent::give_up(cause),
        })
    }
}

impl Rci {
    /// A plan, criticised and improved. Where the critique finds nothing, it stays as it is.
    async fn plan(&self, turn: &mut Turn<'_>) -> Result<Lines, Halt> {
        let mut plan: PlanInWords = turn.question(ModelRole::Reasoner, PROMPTS.render("plan", turn.values())).await?;
        for _ in 0..self.0.critiques {
            let lines: Vec<String> = plan.steps.iter().map(|line| line.step.clone()).collect();
            let values = context! { lines => lines.clone(), ..turn.values() };
            let critique: Critique = turn.question(ModelRole::Reasoner, PROMPTS.render("criticise", values)).await?;
            let Some(problems) = critique.problems.filter(|problems| !problems.trim().is_empty()) else { break };
            let values = context! { lines, problems, ..turn.values() };
            plan = turn.question(ModelRole::Reasoner, PROMPTS.render("improve", values)).await?;
        }
        Ok(Lines::new(turn, plan.steps.into_iter().map(|line| line.step)))
    }
}

impl Registered for Rci {
    const NAME: &'static str = "rci";
    const HELP: &'static str =
        "Asks a language model for a plan, for what is wrong with it, and for a better one: a baseline";
    const NEEDS: Needs = Needs { roles: &[ModelRole::Reasoner, ModelRole::Grounder], ..Needs::NOTHING };
    const PRESETS: &'static [Preset] = &[Preset::Published, Preset::Ours];
    type Options = RciOptions;

    fn of_preset(preset: Preset) -> RciOptions {
        RciOptions::of(preset)
    }

    fn replies() -> Vec<ReplySchema> {
        let own = vec![
            ReplySchema::of::<PlanInWords>(),
            ReplySchema::of::<Critique>(),
            ReplySchema::of::<NextActionWithContent>(),
            ReplySchema::of::<Finish>(),
        ];
        [own, agent::replies()].concat()
    }

    fn build(options: RciOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        Ok(Arc::new(Agent::new(Rci(options), parts.model(Self::NAME)?)))
    }
}
