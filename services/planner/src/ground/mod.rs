//! `ground`: does what an instruction says without a language model, where the instruction names what it means.
//!
//! The instruction is read into goals (`parse`), each goal is bound to the page by text, kind, order and place (`bind`),
//! what is not visible is sought by opening, switching and turning over (`seek`), and meaning is compared by embeddings
//! where words differ. It never guesses beyond a threshold: where nothing fits it gives up and says what it missed.

mod bind;
mod clause;
mod color;
mod goal;
mod lexicon;
mod measure;
mod memory;
mod parse;
mod pursue;
mod record;
mod region;
mod score;
mod seek;
mod slots;
mod target;
mod words;

#[cfg(test)]
mod tests;

use self::bind::Scene;
use self::goal::{Goal, Plan};
use self::memory::Memory;
use self::pursue::{Pursuer, Pursuit};
use async_trait::async_trait;
use domain::action::{Action, ActionKind};
use domain::decision::{Choice, Decision, DecisionRequest, Level, Planner, PlannerError};
use domain::effect::Effect;
use domain::language::Embedder;
use domain::usage::Usage;
use std::sync::Arc;

/// The planner without a model.
pub struct Ground {
    embedder: Arc<dyn Embedder>,
    options: GroundOptions,
}

/// Parameters of the planner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundOptions {
    /// The least cosine between a label and the wanted text to act on when no words agree.
    pub similarity: f64,
}

impl Default for GroundOptions {
    fn default() -> Self {
        Self { similarity: 0.45 }
    }
}

impl Ground {
    /// A planner that compares meaning by this embedder.
    pub fn new(embedder: Arc<dyn Embedder>, options: GroundOptions) -> Self {
        Self { embedder, options }
    }
}

#[async_trait]
impl Planner for Ground {
    fn name(&self) -> &str {
        "ground"
    }

    async fn decide(&self, request: DecisionRequest) -> Result<Decision, PlannerError> {
        let mut memory = Memory::from_value(&request.memory);
        let plan = plan(&request.instruction);
        if plan.goals.is_empty() {
            let reason = "the instruction names nothing to do that could be bound to the page";
            return Ok(decision(Action::give_up(reason), reason.to_owned(), 0.0, &memory));
        }
        take_back_failure(&mut memory, &request);
        let echoes = region::echoes(&request.observation, &request.instruction);
        let scene = Scene { observation: &request.observation, echoes: &echoes };
        if let Some(dialog) = &request.observation.dialog {
            let reason = format!("a {} dialog is open", dialog.kind);
            return Ok(decision(Action::AcceptDialog { text: None }, reason, 0.8, &memory));
        }
        while let Some(goal) = plan.goals.get(memory.goal) {
            let mut pursuer =
                Pursuer { scene, memory: &mut memory, embedder: self.embedder.as_ref(), options: self.options };
            match pursuer.pursue(goal).await? {
                Pursuit::Act(step) => {
                    memory.last = step.key;
                    memory.reaching = step.reaches;
                    if step.reaches {
                        memory.next_goal();
                    }
                    return Ok(decision(step.action, step.reason, step.confidence, &memory));
                }
                Pursuit::Reached => memory.next_goal(),
                Pursuit::Stuck(reason) => {
                    return Ok(decision(Action::give_up(reason.clone()), reason, 0.0, &memory));
                }
            }
        }
        Ok(decision(Action::done(), "every part of the instruction was carried out".to_owned(), 0.9, &memory))
    }
}

/// Reads an instruction, and puts what follows from handling a record behind it.
fn plan(instruction: &str) -> Plan {
    let mut goals = Vec::new();
    for goal in parse::parse(instruction).goals {
        let follow_ups = match &goal {
            Goal::Handle(record) => record.follow_ups(),
            _ => Vec::new(),
        };
        goals.push(goal);
        goals.extend(follow_ups);
    }
    Plan { goals }
}

/// An action that could not be carried out did not reach its goal: the goal is pursued again without that element. A click
/// that changed nothing is tried once more, unless it may have sent something all the same.
fn take_back_failure(memory: &mut Memory, request: &DecisionRequest) {
    let Some(step) = request.history.last() else { return };
    let name = step.action.element().map(|descriptor| descriptor.name.clone()).unwrap_or_default();
    let again = match step.effect {
        Effect::Failed { .. } => {
            memory.failed.extend(memory.last.take());
            true
        }
        Effect::NoChange => {
            let is_click = step.action.kind() == ActionKind::Click;
            is_click && !words::is_consequential(&name) && !std::mem::replace(&mut memory.repeated, true)
        }
        _ => {
            memory.repeated = false;
            false
        }
    };
    if again && std::mem::take(&mut memory.reaching) && memory.goal > 0 {
        memory.goal -= 1;
    }
}

fn decision(action: Action, reason: String, confidence: f64, memory: &Memory) -> Decision {
    Decision {
        choice: Choice::Act(action),
        reason,
        confidence,
        level: Level::Ground,
        usage: Usage::default(),
        incidents: Vec::new(),
        memory: memory.to_value(),
    }
}
