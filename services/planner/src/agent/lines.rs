//! Plans in words, one line for each step, which are bound to the page when their turn comes.
//!
//! Which line is next follows from the number of steps that were taken since the plan was made: a step that was refused is not
//! passed over.

use super::turn::{Decided, Halt, PROMPTS, Turn, give_up};
use crate::model::ModelRole;
use crate::reply::{ANSWER, LINE, Meaning, NextActionWithContent, REASON, Reply, Status};
use domain::action::Claim;
use domain::{Action, Effect};
use minijinja::context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lines of a plan.
const MOST: u32 = 30;

/// A line of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// What is to be done.
    #[schemars(title = Meaning::NextStep.title(), length(max = LINE))]
    pub step: String,
    /// Why.
    #[schemars(title = Meaning::Reason.title(), length(max = 160))]
    pub reason: String,
}

/// A plan in words.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct PlanInWords {
    /// Its lines in order.
    #[schemars(title = Meaning::Steps.title(), length(max = MOST))]
    pub steps: Vec<Line>,
}

/// The end of a plan.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct Finish {
    /// The answer that the task asks for.
    #[schemars(title = Meaning::Answer.title(), length(max = ANSWER))]
    pub answer: Option<String>,
    /// Why it is done.
    #[schemars(title = Meaning::Reason.title(), length(max = REASON))]
    pub reason: String,
}

impl Reply for PlanInWords {
    const NAME: &'static str = "plan_in_words";
}

impl Reply for Finish {
    const NAME: &'static str = "finish";
}

/// The lines of a plan that is being carried out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Lines {
    /// What is to be done, in order.
    pub lines: Vec<String>,
    /// Steps that were taken before the plan was made.
    pub since: usize,
}

/// What carrying out a line comes to.
pub enum Carrying {
    /// Its action.
    Act(Decided),
    /// The page does not offer it, or the step before it did not happen.
    Diverged(String),
}

impl Lines {
    /// A plan that is made now.
    pub fn new(turn: &Turn<'_>, lines: impl IntoIterator<Item = String>) -> Self {
        Self { lines: lines.into_iter().collect(), since: turn.steps.len() }
    }

    /// How many of its lines were carried out.
    pub fn done(&self, turn: &Turn<'_>) -> usize {
        turn.steps.len().saturating_sub(self.since)
    }

    /// Why the last line was not what it should have been, where its action was rejected or failed.
    pub fn failed(&self, turn: &Turn<'_>) -> Option<String> {
        let last = turn.steps.last().filter(|_| self.done(turn) > 0)?;
        match &last.effect {
            Effect::Rejected { message } => Some(format!("rejected: {message}")),
            Effect::Failed { cause } => Some(format!("failed: {cause}")),
            _ => None,
        }
    }

    /// Whether a plan that failed may be made anew, which is counted; otherwise the end of the attempt.
    ///
    /// # Errors
    /// It was made anew `most` times.
    pub fn anew(&self, turn: &mut Turn<'_>, cause: &str, made: &mut u32, most: u32) -> Result<(), Decided> {
        if *made >= most {
            return Err(give_up(format!("the plan failed at step {}: {cause}", self.done(turn) + 1)));
        }
        *made += 1;
        turn.ask.note(format!("planned anew: {cause}"));
        Ok(())
    }

    /// The action of a line on the page at hand.
    ///
    /// # Errors
    /// [`Halt`].
    pub async fn carry_out(&self, turn: &mut Turn<'_>, line: &str) -> Result<Carrying, Halt> {
        let done = self.done(turn);
        let values = context! { line, number => done + 1, lines => self.lines.clone(), ..turn.values() };
        let reply: NextActionWithContent =
            turn.question(ModelRole::Grounder, PROMPTS.render("carry_out", values)).await?;
        if reply.next.status == Status::Infeasible {
            return Ok(Carrying::Diverged(format!("the page does not offer `{line}`: {}", reply.next.reason)));
        }
        Ok(Carrying::Act(turn.complete(reply).await?))
    }
}

impl Turn<'_> {
    /// The end of a plan whose lines are all carried out.
    ///
    /// # Errors
    /// [`Halt`].
    pub async fn finish(&mut self) -> Result<Decided, Halt> {
        let reply: Finish = self.question(ModelRole::Reasoner, PROMPTS.render("finish", self.values())).await?;
        Ok((Action::Stop { claim: Claim::Done, answer: reply.answer }, reply.reason))
    }
}
