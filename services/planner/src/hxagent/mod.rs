//! HxAgent: history-aware planning, one step at a time, by a language model (METHODS section 1).
//!
//! Each decision shows the model three things: the page with its feasible actions, numbered; the sequence of states and
//! steps so far; and experience, where there is any. The model answers with a number. When the action it names reads
//! like another, it is asked again with a marked picture; when the action takes content, a second question gets it.
//!
//! The agent keeps no state, never acts by itself, and never lets a reply name anything but a listed number. *Done* is
//! its claim, never a verdict.

mod choices;
mod input;
mod look;
mod memory;
mod options;
mod outline;
mod plan;
mod replies;
#[cfg(test)]
mod tests;
mod turn;

pub use options::{Experience, HxAgentOptions, Window};

use crate::model::LanguageModel;
use async_trait::async_trait;
use domain::decision::{Level, PlannerError};
use domain::marks::Marker;
use domain::{Action, Choice, Decision, DecisionRequest, Planner};
use memory::Memory;
use std::sync::Arc;
use turn::{Halt, Turn};

/// A model's choices are not calibrated: every decision is reported as even.
const CONFIDENCE: f64 = 0.5;

/// The planner.
#[derive(Clone)]
pub struct HxAgent {
    model: Arc<dyn LanguageModel>,
    options: HxAgentOptions,
    experience: Experience,
    marker: Option<Arc<dyn Marker>>,
}

impl HxAgent {
    /// Plans by `model`, without experience and without marks on pictures.
    pub fn new(model: Arc<dyn LanguageModel>, options: HxAgentOptions) -> Self {
        Self { model, options, experience: Experience::default(), marker: None }
    }

    /// Shows this experience with every question.
    #[must_use]
    pub fn with_experience(self, experience: Experience) -> Self {
        Self { experience, ..self }
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
        let mut memory: Memory = serde_json::from_value(request.memory.clone()).unwrap_or_default();
        let mut turn = Turn::new(self, &request);
        let (choice, reason) = match turn.decide(&mut memory).await {
            Ok((action, reason)) => {
                memory.awaiting = None;
                (Choice::Act(action), reason)
            }
            Err(Halt::Screenshot { awaiting, reason }) => {
                memory.awaiting = Some(awaiting);
                (Choice::NeedScreenshot, reason)
            }
            Err(Halt::Invalid(cause)) => {
                memory.awaiting = None;
                (Choice::Invalid { cause: cause.clone() }, cause)
            }
            Err(Halt::Failed(error)) => return Err(error),
        };
        Ok(Decision {
            choice,
            reason,
            confidence: CONFIDENCE,
            level: Level::Reason,
            usage: turn.usage,
            incidents: turn.incidents,
            memory: serde_json::to_value(&memory).unwrap_or_default(),
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
