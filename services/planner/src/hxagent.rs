//! HxAgent: history-aware planning, one step at a time, by a language model.
//!
//! Each decision shows the model three things: the page with its feasible actions, numbered; the sequence of states and
//! steps so far; and experience, where there is any. The model answers with a number. When the action it names reads
//! like another, it is asked again with a marked picture; when the action takes content, a second question gets it.
//!
//! Experience comes from a training phase ([`training`], [`teacher`]), in which trials are judged: right ones become examples, wrong
//! ones teach a rule each.
//!
//! The agent keeps no state, never acts by itself, and never lets a reply name anything but a listed number. *Done* is
//! its claim, never a verdict.

mod carried;
pub mod experience;
mod options;
mod plan;
mod replies;
pub mod teacher;
#[cfg(test)]
mod tests;
pub mod training;
mod turn;

pub use experience::{Experience, TaskLessons};
pub use options::{ContentBy, HxAgentOptions};

use crate::agent;
use crate::model::{LanguageModel, ModelRole};
use crate::registry::{BuildError, Need, Needs, Parts, Preset, Registered};
use crate::reply::{NextAction, NextActionWithContent, NextActionWithFields, ReplySchema};
use crate::template::Prompts;
use async_trait::async_trait;
use carried::Carried;
use domain::decision::{Level, PlannerError};
use domain::marks::Marker;
use domain::{Action, Choice, Decision, DecisionRequest, Planner};
use minijinja::Value;
use replies::{PageSummary, WholePlan};
use std::sync::{Arc, LazyLock};
use turn::{Halt, Turn};

static PROMPTS: LazyLock<Prompts> = LazyLock::new(|| {
    Prompts::new(&[
        ("system", include_str!("hxagent/prompts/system.j2")),
        ("context", include_str!("hxagent/prompts/context.j2")),
        ("next_action", include_str!("hxagent/prompts/next_action.j2")),
        ("next_action_with_content", include_str!("hxagent/prompts/next_action_with_content.j2")),
        ("next_action_with_fields", include_str!("hxagent/prompts/next_action_with_fields.j2")),
        ("disambiguate", include_str!("hxagent/prompts/disambiguate.j2")),
        ("input", include_str!("hxagent/prompts/input.j2")),
        ("summary", include_str!("hxagent/prompts/summary.j2")),
        ("plan", include_str!("hxagent/prompts/plan.j2")),
        ("teacher", include_str!("hxagent/prompts/teacher.j2")),
        ("rule", include_str!("hxagent/prompts/rule.j2")),
        ("judge", include_str!("hxagent/prompts/judge.j2")),
    ])
});

fn render(name: &str, values: Value) -> String {
    PROMPTS.render(name, values)
}

/// A model's choices are not calibrated: every decision is reported as even.
const CONFIDENCE: f64 = 0.5;

/// The planner.
#[derive(Clone)]
pub struct HxAgent {
    model: Arc<dyn LanguageModel>,
    options: HxAgentOptions,
    marker: Option<Arc<dyn Marker>>,
}

impl HxAgent {
    /// Plans by `model`, without marks on pictures.
    pub fn new(model: Arc<dyn LanguageModel>, options: HxAgentOptions) -> Self {
        Self { model, options, marker: None }
    }

    /// Draws the numbers of candidates on pictures by `marker`; without one, the model is told their boxes.
    #[must_use]
    pub fn with_marker(self, marker: Arc<dyn Marker>) -> Self {
        Self { marker: Some(marker), ..self }
    }
}

#[async_trait]
impl Planner for HxAgent {
    fn name(&self) -> &str {
        "hxagent"
    }

    async fn decide(&self, request: DecisionRequest) -> Result<Decision, PlannerError> {
        let mut carried: Carried = serde_json::from_value(request.memory.clone()).unwrap_or_default();
        let mut turn = Turn::new(self, &request);
        let (choice, reason) = match turn.decide(&mut carried).await {
            Ok((action, reason)) => {
                carried.awaiting = None;
                (Choice::Act(action), reason)
            }
            Err(Halt::Screenshot { awaiting, reason }) => {
                carried.awaiting = Some(awaiting);
                (Choice::NeedScreenshot, reason)
            }
            Err(Halt::Invalid(cause)) => {
                carried.awaiting = None;
                (Choice::Invalid { cause: cause.clone() }, cause)
            }
            Err(Halt::Failed(error)) => return Err(error),
        };
        let (usage, incidents) = turn.ask.into_account();
        Ok(Decision {
            choice,
            reason,
            confidence: CONFIDENCE,
            level: Level::Reason,
            usage,
            incidents,
            memory: serde_json::to_value(&carried).unwrap_or_default(),
        })
    }
}

impl HxAgent {
    /// The end by the method's own limit of steps.
    fn out_of_steps(&self, request: &DecisionRequest) -> Option<Action> {
        let done = request.history.len() >= self.options.steps as usize;
        done.then(|| Action::give_up(format!("HxAgent's limit of {} steps is reached", self.options.steps)))
    }
}

impl Registered for HxAgent {
    const NAME: &'static str = "hxagent";
    const HELP: &'static str = "Asks a language model at every step, with the history of the episode";
    const NEEDS: Needs = Needs {
        roles: &[ModelRole::Reasoner, ModelRole::Describer, ModelRole::Vision, ModelRole::Grounder],
        marks: Need::Useful,
        ..Needs::NOTHING
    };
    const PRESETS: &'static [Preset] = &[Preset::Published, Preset::Ours];
    type Options = HxAgentOptions;

    fn of_preset(preset: Preset) -> HxAgentOptions {
        HxAgentOptions::of(preset)
    }

    fn replies() -> Vec<ReplySchema> {
        let own = vec![
            ReplySchema::of::<NextAction>(),
            ReplySchema::of::<NextActionWithContent>(),
            ReplySchema::of::<NextActionWithFields>(),
            ReplySchema::of::<WholePlan>(),
            ReplySchema::of::<PageSummary>(),
            ReplySchema::of::<teacher::LearntRule>(),
            ReplySchema::of::<teacher::Judgement>(),
        ];
        [own, agent::replies()].concat()
    }

    fn build(options: HxAgentOptions, parts: &Parts) -> Result<Arc<dyn Planner>, BuildError> {
        let agent = HxAgent::new(parts.model(Self::NAME)?, options);
        Ok(Arc::new(HxAgent { marker: parts.marker.clone(), ..agent }))
    }
}
