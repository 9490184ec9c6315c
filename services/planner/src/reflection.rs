//! Staged planning with structured reflection (Li et al. 2023).
//!
//! All actions of the screen at hand are planned at once and carried out; then the next screen is planned. Where that fails, the
//! agent reflects to the first step that was wrong, the task is begun again, and that action is not taken at that step any more.
//! A success after several trials is *pass at that many trials*, and is no success at the first.

mod options;
mod replies;
#[cfg(test)]
mod tests;

pub use options::ReflectionOptions;

use crate::agent::{self, Agent, Decided, Halt, Manner, Method, Turn};
use crate::model::ModelRole;
use crate::page::complete;
use crate::registry::{BuildError, Needs, Parts, Preset, Registered};
use crate::reply::{ReplySchema, Status};
use crate::template::Prompts;
use async_trait::async_trait;
use domain::action::Claim;
use domain::words::{self, Detail};
use domain::{Action, Descriptor, Effect, Planner};
use minijinja::{Value, context};
use replies::{Reflected, Stage};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock};

static PROMPTS: LazyLock<Prompts> = LazyLock::new(|| {
    Prompts::new(&[
        ("system", include_str!("reflection/prompts/system.j2")),
        ("stage", include_str!("reflection/prompts/stage.j2")),
        ("reflect", include_str!("reflection/prompts/reflect.j2")),
    ])
});

/// The method.
pub struct Reflection(pub ReflectionOptions);

/// What is handed from one decision to the next.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Carried {
    /// What is left of the stage.
    #[serde(default)]
    stage: VecDeque<Action<Descriptor>>,
    /// Trials that failed.
    #[serde(default)]
    failed: u32,
    /// What was found wrong in them.
    #[serde(default)]
    mistakes: Vec<Mistake>,
}

/// A step that was wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Mistake {
    /// Its number within the trial, from 1.
    step: usize,
    /// What was done, in words.
    action: String,
    /// What to do instead.
    instead: String,
}

#[async_trait]
impl Method for Reflection {
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
        if let Some(Err(cause)) = &turn.came_back {
            turn.ask.note(format!("the next trial goes on where the last one ended: {cause}"));
        }
        if turn.request.refusal.is_some() {
            carried.stage.clear();
        }
        if let Some(cause) = failure(turn) {
            self.end_trial(turn, carried, cause).await?;
        }
        if let Some(decided) = staged(turn, carried) {
            return Ok(decided);
        }
        self.plan(turn, carried).await
    }
}

/// Why the last step shows that the trial failed.
fn failure(turn: &Turn<'_>) -> Option<String> {
    // Right after a reset, or a refusal of it, the last step is one of the trial before.
    let last = turn.steps.last().filter(|_| turn.came_back.is_none())?;
    match &last.effect {
        Effect::Rejected { message } => Some(format!("step {} was rejected: {message}", last.number)),
        Effect::Failed { cause } => Some(format!("step {} failed: {cause}", last.number)),
        _ => None,
    }
}

/// The next action of the stage, where it is still on the page.
fn staged(turn: &Turn<'_>, carried: &mut Carried) -> Option<Decided> {
    let described = carried.stage.pop_front()?;
    let told = words::action(&described, &Detail::BRIEF);
    let Some(action) = turn.on_this_page(&described) else {
        carried.stage.clear();
        return None;
    };
    Some((action, format!("as planned for this screen: {told}")))
}

impl Reflection {
    /// Plans the screen at hand, and takes the first of its actions.
    async fn plan(&self, turn: &mut Turn<'_>, carried: &mut Carried) -> Result<Decided, Halt> {
        let mistakes: Vec<Value> = carried.mistakes.iter().map(Mistake::values).collect();
        let values = context! { mistakes, most => self.0.stage, trial => carried.failed + 1, ..turn.values() };
        let stage: Stage = turn.question(ModelRole::Reasoner, PROMPTS.render("stage", values)).await?;
        match stage.status {
            Status::Done => return Ok((Action::Stop { claim: Claim::Done, answer: stage.answer }, stage.reason)),
            Status::Infeasible => {
                self.end_trial(turn, carried, stage.reason.clone()).await?;
                let claim = Claim::Infeasible { reason: stage.reason.clone() };
                return Ok((Action::Stop { claim, answer: stage.answer }, stage.reason));
            }
            Status::Act => {}
        }
        let mut planned = Vec::new();
        for step in stage.steps.into_iter().take(self.0.stage) {
            let act = complete::chosen(&turn.actions, Some(step.chosen_action)).map_err(Halt::Invalid)?;
            planned.push(turn.with_content(act, step.text, step.press_enter, "a step of the stage").await?);
        }
        let describe = |action: &Action| {
            let observation = &turn.request.observation;
            action.try_map(|element| Descriptor::of(observation, *element).ok_or(())).ok()
        };
        let described: Vec<Action<Descriptor>> = planned.iter().filter_map(describe).collect();
        for (number, action) in (turn.steps.len() + 1..).zip(&described) {
            let told = words::action(action, &Detail::BRIEF);
            if carried.mistakes.iter().any(|mistake| mistake.step == number && mistake.action == told) {
                return Err(Halt::Invalid(format!("step {number}, {told}, was found wrong in an earlier trial")));
            }
        }
        let Some(first) = planned.into_iter().next() else {
            return Err(Halt::Invalid("status `act` without a step".to_owned()));
        };
        carried.stage = described.into_iter().skip(1).collect();
        Ok((first, stage.reason))
    }

    /// Reflects on a trial that failed, and begins the task again while there are trials left.
    async fn end_trial(&self, turn: &mut Turn<'_>, carried: &mut Carried, cause: String) -> Result<(), Halt> {
        carried.stage.clear();
        carried.failed += 1;
        if carried.failed >= self.0.trials {
            return Ok(());
        }
        if self.0.reflect && !turn.steps.is_empty() {
            let values = context! { cause => cause.clone(), words => turn.words(), ..turn.values() };
            let reflected: Reflected = turn.question(ModelRole::Reasoner, PROMPTS.render("reflect", values)).await?;
            let step = usize::try_from(reflected.wrong_step).unwrap_or_default();
            if let Some(wrong) = step.checked_sub(1).and_then(|index| turn.steps.get(index)) {
                let action = words::action(&wrong.action, &Detail::BRIEF);
                carried.mistakes.push(Mistake { step, action, instead: reflected.instead });
            }
        }
        Err(Halt::Reset(format!("trial {} failed: {cause}", carried.failed)))
    }
}

impl Mistake {
    fn values(&self) -> Value {
        context! { step => self.step, action => self.action.clone(), instead => self.instead.clone() }
    }
}

impl Registered for Reflection {
    const NAME: &'static str = "reflection";
    const HELP: &'static str =
        "Plans a screen at a time, reflects on failures and begins again (pass at several trials): a baseline";
    const NEEDS: Needs = Needs { roles: &[ModelRole::Reasoner, ModelRole::Grounder], ..Needs::NOTHING };
    const PRESETS: &'static [Preset] = &[Preset::Published, Preset::Ours];
    type Options = ReflectionOptions;

    fn of_preset(preset: Preset) -> ReflectionOptions {
        ReflectionOptions::of(preset)
    }

    fn replies() -> Vec<ReplySchema> {
        let own = vec![ReplySchema::of::<Stage>(), ReplySchema::of::<Reflected>()];
        [own, agent::replies()].concat()
    }

    fn build(options: ReflectionOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        Ok(Arc::new(Agent::new(Reflection(options), parts.model(Self::NAME)?)))
    }
}
