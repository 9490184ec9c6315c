//! Full plan in advance: the depth-oriented paradigm. One numbered plan is made from the first page and stands in every prompt.
//!
//! *Adaptive*: the agent follows it and may depart from it. *Strict*: each line is bound to the page as it is; where the page does not
//! offer it, or its action did not happen, the plan failed, and a new one is made from there.

mod options;
#[cfg(test)]
mod tests;

pub use options::{Following, FullPlanOptions};

use crate::agent::{self, Agent, Carrying, Decided, Finish, Halt, Lines, Manner, Method, PlanInWords, Turn};
use crate::model::ModelRole;
use crate::registry::{BuildError, Needs, Parts, Preset, Registered};
use crate::reply::{NextActionWithContent, ReplySchema};
use crate::template::Prompts;
use async_trait::async_trait;
use domain::Planner;
use minijinja::context;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, LazyLock};

static PROMPTS: LazyLock<Prompts> = LazyLock::new(|| {
    Prompts::new(&[
        ("system", include_str!("full_plan/prompts/system.j2")),
        ("plan", include_str!("full_plan/prompts/plan.j2")),
        ("replan", include_str!("full_plan/prompts/replan.j2")),
        ("follow", include_str!("full_plan/prompts/follow.j2")),
    ])
});

/// The method.
pub struct FullPlan(pub FullPlanOptions);

/// What is handed from one decision to the next.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Carried {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<Lines>,
    /// How often it was made anew.
    #[serde(default)]
    replanned: u32,
}

#[async_trait]
impl Method for FullPlan {
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
            None => {
                let plan = planned(turn, PROMPTS.render("plan", turn.values())).await?;
                carried.plan.insert(plan).clone()
            }
        };
        match self.0.following {
            Following::Adaptive => {
                let prompt = PROMPTS.render("follow", context! { lines => plan.lines, ..turn.values() });
                turn.next_action(prompt).await
            }
            Following::Strict => self.carry_out(turn, carried, plan).await,
        }
    }
}

impl FullPlan {
    /// The next line's action, of this plan or of a new one where this one failed.
    async fn carry_out(&self, turn: &mut Turn<'_>, carried: &mut Carried, mut plan: Lines) -> Result<Decided, Halt> {
        let mut failure = plan.failed(turn);
        loop {
            if failure.is_none() {
                let Some(line) = plan.lines.get(plan.done(turn)).cloned() else { return turn.finish().await };
                match plan.carry_out(turn, &line).await? {
                    Carrying::Act(decided) => return Ok(decided),
                    Carrying::Diverged(cause) => failure = Some(cause),
                }
            }
            let cause = failure.take().unwrap_or_default();
            if let Err(end) = plan.anew(turn, &cause, &mut carried.replanned, self.0.replans) {
                return Ok(end);
            }
            let values = context! { lines => plan.lines.clone(), failed => cause, ..turn.values() };
            plan = planned(turn, PROMPTS.render("replan", values)).await?;
            carried.plan = Some(plan.clone());
        }
    }
}

async fn planned(turn: &mut Turn<'_>, prompt: String) -> Result<Lines, Halt> {
    let plan: PlanInWords = turn.question(ModelRole::Reasoner, prompt).await?;
    Ok(Lines::new(turn, plan.steps.into_iter().map(|line| line.step)))
}

impl Registered for FullPlan {
    const NAME: &'static str = "full-plan";
    const HELP: &'static str = "Asks a language model for a whole plan on the first page, and follows it";
    const NEEDS: Needs = Needs { roles: &[ModelRole::Reasoner, ModelRole::Grounder], ..Needs::NOTHING };
    const PRESETS: &'static [Preset] = &[Preset::Published, Preset::Ours];
    type Options = FullPlanOptions;

    fn of_preset(preset: Preset) -> FullPlanOptions {
        FullPlanOptions::of(preset)
    }

    fn replies() -> Vec<ReplySchema> {
        let own = vec![
            ReplySchema::of::<PlanInWords>(),
            ReplySchema::of::<NextActionWithContent>(),
            ReplySchema::of::<Finish>(),
        ];
        [own, agent::replies()].concat()
    }

    fn build(options: FullPlanOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        Ok(Arc::new(Agent::new(FullPlan(options), parts.model(Self::NAME)?)))
    }
}
