//! AdaPlanner: a plan with assertions that is refined while it is carried out (Sun et al. 2023).
//!
//! *In plan*: what a line leaves open is read from the page after an earlier line, and filled in. *Out of plan*: where the page
//! after a line is not what the plan expected, a new plan is made from the failing step. A plan is words, never code.

mod options;
mod replies;
#[cfg(test)]
mod tests;

pub use options::AdaPlannerOptions;

use crate::agent::{self, Agent, Carrying, Decided, Finish, Halt, Lines, Manner, Method, Turn};
use crate::model::ModelRole;
use crate::registry::{BuildError, Needs, Parts, Preset, Registered};
use crate::reply::{NextActionWithContent, ReplySchema};
use crate::template::Prompts;
use async_trait::async_trait;
use domain::Planner;
use minijinja::context;
use replies::{Asserted, PlanWithAssertions, PlannedLine, ReadFromPage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

static PROMPTS: LazyLock<Prompts> = LazyLock::new(|| {
    Prompts::new(&[
        ("system", include_str!("adaplanner/prompts/system.j2")),
        ("plan", include_str!("adaplanner/prompts/plan.j2")),
        ("refine", include_str!("adaplanner/prompts/refine.j2")),
        ("assert", include_str!("adaplanner/prompts/assert.j2")),
        ("read", include_str!("adaplanner/prompts/read.j2")),
    ])
});

/// The method.
pub struct AdaPlanner(pub AdaPlannerOptions);

/// What is handed from one decision to the next.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Carried {
    /// The lines of the plan, each with what is read and expected after it.
    #[serde(default)]
    lines: Vec<PlannedLine>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plan: Option<Lines>,
    /// What was read from pages, by the names that the plan uses.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    read: BTreeMap<String, String>,
    /// Lines after which the page was looked at.
    #[serde(default)]
    looked: usize,
    /// How often a plan was made anew.
    #[serde(default)]
    refined: u32,
}

#[async_trait]
impl Method for AdaPlanner {
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
        if carried.plan.is_none() {
            let prompt = PROMPTS.render("plan", turn.values());
            adopt(turn, carried, prompt).await?;
        }
        let mut failure = self.look(turn, carried).await?;
        loop {
            let plan = carried.plan.clone().unwrap_or_default();
            if failure.is_none() {
                let Some(line) = carried.lines.get(plan.done(turn)) else { return turn.finish().await };
                let line = filled(&line.step, &carried.read);
                match plan.carry_out(turn, &line).await? {
                    Carrying::Act(decided) => return Ok(decided),
                    Carrying::Diverged(cause) => failure = Some(cause),
                }
            }
            let cause = failure.take().unwrap_or_default();
            if let Err(end) = plan.anew(turn, &cause, &mut carried.refined, self.0.out_of_plan) {
                return Ok(end);
            }
            let read: Vec<String> = carried.read.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            let values = context! { lines => plan.lines, failed => cause, read, ..turn.values() };
            adopt(turn, carried, PROMPTS.render("refine", values)).await?;
        }
    }
}

impl AdaPlanner {
    /// Looks at the page after a line: whether it is as expected, and what is to be read from it. Says what failed.
    async fn look(&self, turn: &mut Turn<'_>, carried: &mut Carried) -> Result<Option<String>, Halt> {
        let plan = carried.plan.clone().unwrap_or_default();
        let done = plan.done(turn);
        if done == 0 || carried.looked >= done {
            return Ok(None);
        }
        carried.looked = done;
        if let Some(failure) = plan.failed(turn) {
            return Ok(Some(failure));
        }
        let Some(line) = carried.lines.get(done - 1).cloned() else { return Ok(None) };
        if let Some(expected) = line.expects.filter(|expected| self.0.assertions && !expected.trim().is_empty()) {
            let values = context! { expected => expected.clone(), words => turn.words(), ..turn.values() };
            let asserted: Asserted = turn.question(ModelRole::Judge, PROMPTS.render("assert", values)).await?;
            if !asserted.holds {
                return Ok(Some(format!("expected {expected}: {}", asserted.reason)));
            }
        }
        if let Some(wanted) = line.reads.filter(|wanted| self.0.in_plan && !wanted.trim().is_empty()) {
            let (name, what) = wanted.split_once(':').unwrap_or((&wanted, &wanted));
            let values = context! { what => what.trim(), words => turn.words(), ..turn.values() };
            let read: ReadFromPage = turn.question(ModelRole::Reasoner, PROMPTS.render("read", values)).await?;
            match read.value.filter(|value| !value.is_empty()) {
                Some(value) => drop(carried.read.insert(name.trim().to_owned(), value)),
                None => return Ok(Some(format!("{} is not on the page", what.trim()))),
            }
        }
        Ok(None)
    }
}

/// Asks for a plan, and takes it for the one to carry out from here.
async fn adopt(turn: &mut Turn<'_>, carried: &mut Carried, prompt: String) -> Result<(), Halt> {
    let plan: PlanWithAssertions = turn.question(ModelRole::Reasoner, prompt).await?;
    carried.plan = Some(Lines::new(turn, plan.steps.iter().map(|line| line.step.clone())));
    (carried.lines, carried.looked) = (plan.steps, 0);
    Ok(())
}

/// A line with what was read in the place of its names.
fn filled(line: &str, read: &BTreeMap<String, String>) -> String {
    read.iter().fold(line.to_owned(), |line, (name, value)| line.replace(&format!("{{{name}}}"), value))
}

impl Registered for AdaPlanner {
    const NAME: &'static str = "adaplanner";
    const HELP: &'static str =
        "Asks for a plan with gaps and assertions, fills the gaps and mends the plan on the way: a baseline";
    const NEEDS: Needs =
        Needs { roles: &[ModelRole::Reasoner, ModelRole::Grounder, ModelRole::Judge], ..Needs::NOTHING };
    const PRESETS: &'static [Preset] = &[Preset::Published, Preset::Ours];
    type Options = AdaPlannerOptions;

    fn of_preset(preset: Preset) -> AdaPlannerOptions {
        AdaPlannerOptions::of(preset)
    }

    fn replies() -> Vec<ReplySchema> {
        let own = vec![
            ReplySchema::of::<PlanWithAssertions>(),
            ReplySchema::of::<Asserted>(),
            ReplySchema::of::<ReadFromPage>(),
            ReplySchema::of::<NextActionWithContent>(),
            ReplySchema::of::<Finish>(),
        ];
        [own, agent::replies()].concat()
    }

    fn build(options: AdaPlannerOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        Ok(Arc::new(Agent::new(AdaPlanner(options), parts.model(Self::NAME)?)))
    }
}
