//! What a model says about trials in training: the rule that a failure teaches (HxAgent, Algorithm 2), and, where nothing else
//! judges them, whether a trial was right.

use super::options::HxAgentOptions;
use super::render;
use super::training::says_the_same;
use crate::ask::{Ask, NoReply};
use crate::model::{LanguageModel, ModelRole, Part};
use crate::reply::{LINE, Meaning, Progress, REASON, Reply};
use domain::decision::PlannerError;
use domain::{JobId, Usage};
use minijinja::context;
use schemars::JsonSchema;
use serde::Deserialize;

/// A trial as it is shown.
#[derive(Clone, Copy, Debug)]
pub struct ShownTrial<'a> {
    /// The job, for the account of the model.
    pub job: &'a JobId,
    /// The task in words.
    pub task: &'a str,
    /// Its steps, a line each.
    pub steps: &'a [String],
    /// Why it ended.
    pub end: &'a str,
}

/// What was answered, and what it cost.
#[derive(Clone, Debug)]
pub struct Answered<T> {
    /// The answer; none where no usable one could be had.
    pub answer: Option<T>,
    /// The cost.
    pub usage: Usage,
    /// Troubles that were survived, and why there is no usable answer.
    pub incidents: Vec<String>,
}

/// The rule that a failure teaches.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct LearntRule {
    #[schemars(title = Meaning::Reason.title(), length(max = REASON))]
    #[expect(dead_code, reason = "a model that says why first writes a better rule")]
    reason: String,
    #[schemars(title = Meaning::Rule.title(), length(max = LINE))]
    rule: String,
}

/// How much of a task was done in a trial.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Judgement {
    #[schemars(title = Meaning::Reason.title(), length(max = REASON))]
    reason: String,
    #[schemars(title = Meaning::Progress.title())]
    progress: Progress,
}

impl Reply for LearntRule {
    const NAME: &'static str = "learnt_rule";
}

impl Reply for Judgement {
    const NAME: &'static str = "judgement";
}

/// Asks a model about trials.
pub struct Teacher<'a> {
    model: &'a dyn LanguageModel,
    options: &'a HxAgentOptions,
}

impl<'a> Teacher<'a> {
    /// Asks this model, in the order of replies and with the sampling of the agent's options.
    pub fn new(model: &'a dyn LanguageModel, options: &'a HxAgentOptions) -> Self {
        Self { model, options }
    }

    /// One rule that a failed trial teaches, unlike those that are kept. Asked once more where it repeats one.
    ///
    /// # Errors
    /// The model cannot be asked.
    pub async fn rule(
        &self,
        trial: ShownTrial<'_>,
        cause: &str,
        kept: &[String],
    ) -> Result<Answered<String>, PlannerError> {
        let mut ask = self.ask(trial.job);
        let mut again = None;
        for _ in 0..2 {
            let values = context! { cause, kept => kept.to_vec(), again => again.clone(), ..values(trial) };
            match ask.reply::<LearntRule>(ModelRole::Reasoner, text("rule", values)).await {
                Ok(reply) if reply.rule.trim().is_empty() => ask.note("the rule of a failed trial was empty"),
                Ok(reply) if kept.iter().any(|rule| says_the_same(rule, &reply.rule)) => {
                    ask.note("the rule of a failed trial was one that is kept already");
                    again = Some(reply.rule);
                }
                Ok(reply) => return Ok(answered(Some(reply.rule.trim().to_owned()), ask)),
                Err(NoReply::Invalid(cause)) => {
                    ask.note(cause);
                    break;
                }
                Err(NoReply::Failed(error)) => return Err(error),
            }
        }
        Ok(answered(None, ask))
    }

    /// Whether a trial was right, with the reason.
    ///
    /// # Errors
    /// The model cannot be asked.
    pub async fn judge(&self, trial: ShownTrial<'_>) -> Result<Answered<(bool, String)>, PlannerError> {
        let mut ask = self.ask(trial.job);
        match ask.reply::<Judgement>(ModelRole::Judge, text("judge", values(trial))).await {
            Ok(reply) => Ok(answered(Some((reply.progress == Progress::Reached, reply.reason)), ask)),
            Err(NoReply::Invalid(cause)) => {
                ask.note(cause);
                Ok(answered(None, ask))
            }
            Err(NoReply::Failed(error)) => Err(error),
        }
    }

    fn ask<'b>(&'b self, job: &'b JobId) -> Ask<'b> {
        let options = self.options;
        Ask::new(self.model, job, render("teacher", context! {}), options.sampling, options.reply_order)
    }
}

fn values(trial: ShownTrial<'_>) -> minijinja::Value {
    context! { task => trial.task, steps => trial.steps.to_vec(), end => trial.end }
}

fn text(template: &str, values: minijinja::Value) -> Vec<Part> {
    vec![Part::Text(render(template, values))]
}

fn answered<T>(answer: Option<T>, ask: Ask<'_>) -> Answered<T> {
    let (usage, incidents) = ask.into_account();
    Answered { answer, usage, incidents }
}

#[cfg(test)]
mod tests;
