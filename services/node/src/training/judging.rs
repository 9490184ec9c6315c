//! From the trials of a round to what they teach.

use super::{JudgedBy, JudgedTrial, Round, TrainingRun};
use crate::Error;
use domain::job::Outcome;
use domain::verdict::VerdictKind;
use domain::{JobId, Trajectory};
use planner::LanguageModel;
use planner::hxagent::HxAgentOptions;
use planner::hxagent::teacher::{ShownTrial, Teacher};
use planner::hxagent::training::Trial;
use planner::memory::{MemoryOptions, Window, sequence};
use planner::registry::options;
use report::words;
use std::collections::BTreeMap;
use std::fs;

/// A person who is asked whether a trial was right.
pub trait Reviewer: Send {
    /// Asks; none where they do not know.
    ///
    /// # Errors
    /// [`Error::Interrupted`] where nobody answers any more: the trial can be judged later.
    fn is_right(&mut self, job: &JobId, task: &str, steps: &[String], end: &str) -> Result<Option<bool>, Error>;
}

/// What is known of a trial: nothing where it could not be made.
struct TrialText {
    task: String,
    steps: Vec<String>,
    end: String,
}

impl TrainingRun {
    /// What the trials of a round teach. Checks decide where they can; the rest is judged as the settings say.
    ///
    /// # Errors
    /// Trials that cannot be read; a model that cannot be asked: nothing is kept then, and the round can be judged again.
    pub async fn judge(
        &self,
        round: &Round,
        outcomes: &[Outcome],
        model: &dyn LanguageModel,
        reviewer: &mut dyn Reviewer,
    ) -> Result<Vec<JudgedTrial>, Error> {
        let options = self.agent_options()?;
        let teacher = Teacher::new(model, &options);
        let trials = texts_of(round, options.memory.state_characters)?;
        let mut judged_trials = Vec::new();
        for outcome in outcomes {
            let mut judged = JudgedTrial {
                job: outcome.job.clone(),
                trial: Trial::Unjudged { cause: outcome.verdict.reason.clone() },
                usage: outcome.usage,
                incidents: Vec::new(),
            };
            if let Some(trial) = trials.get(&outcome.job)
                && let Some((is_right, cause)) = self.is_right(outcome, trial, &teacher, reviewer, &mut judged).await?
            {
                judged.trial = match is_right {
                    true => Trial::Right { example: example(trial) },
                    false => {
                        let rule = self.rule(outcome, trial, &cause, &teacher, &mut judged).await?;
                        Trial::Wrong { rule }
                    }
                };
            }
            judged_trials.push(judged);
        }
        Ok(judged_trials)
    }

    /// Whether a trial was right, and why; none where nobody can say.
    async fn is_right(
        &self,
        outcome: &Outcome,
        trial: &TrialText,
        teacher: &Teacher<'_>,
        reviewer: &mut dyn Reviewer,
        judged: &mut JudgedTrial,
    ) -> Result<Option<(bool, String)>, Error> {
        let reason = || outcome.verdict.reason.clone();
        match outcome.verdict.kind {
            VerdictKind::Passed | VerdictKind::PassedHealed => return Ok(Some((true, reason()))),
            VerdictKind::Failed | VerdictKind::NotAchieved => return Ok(Some((false, reason()))),
            VerdictKind::InvalidEnvironment | VerdictKind::Throttled | VerdictKind::Drifted => return Ok(None),
            VerdictKind::Unverified | VerdictKind::Infeasible => {}
        }
        match self.config.judged_by {
            JudgedBy::Checks => Ok(None),
            JudgedBy::Person => {
                let said = reviewer.is_right(&outcome.job, &trial.task, &trial.steps, &trial.end)?;
                Ok(said.map(|is_right| (is_right, "a person says so".to_owned())))
            }
            JudgedBy::Model => {
                let reply = teacher.judge(trial.told(&outcome.job)).await.map_err(Error::Teacher)?;
                judged.usage += reply.usage;
                judged.incidents.extend(reply.incidents);
                Ok(reply.answer)
            }
        }
    }

    /// The rule that a wrong trial teaches, unlike those of its task.
    async fn rule(
        &self,
        outcome: &Outcome,
        trial: &TrialText,
        cause: &str,
        teacher: &Teacher<'_>,
        judged: &mut JudgedTrial,
    ) -> Result<Option<String>, Error> {
        if !self.config.options.rules {
            return Ok(None);
        }
        let task = self.tasks.iter().find(|task| task.jobs.iter().any(|job| job.id == outcome.job));
        let kept = task.map(|task| task.training.lessons().rules.clone()).unwrap_or_default();
        let learnt = teacher.rule(trial.told(&outcome.job), cause, &kept).await.map_err(Error::Teacher)?;
        judged.usage += learnt.usage;
        judged.incidents.extend(learnt.incidents);
        Ok(learnt.answer)
    }

    /// The agent's options, as they are set for the training.
    fn agent_options(&self) -> Result<HxAgentOptions, Error> {
        let given = self.template.kind.planner().map(|planner| planner.options.to_value()).unwrap_or_default();
        let registry = planner::Registry::default();
        let wrong = |cause: String| Error::Settings(cause);
        let entry = registry.entry("hxagent").map_err(|error| wrong(error.to_string()))?;
        let all = entry.complete(&given).map_err(|error| wrong(error.to_string()))?;
        options::read(&all).map_err(|mistake| wrong(mistake.to_string()))
    }
}

impl TrialText {
    fn told<'a>(&'a self, job: &'a JobId) -> ShownTrial<'a> {
        ShownTrial { job, task: &self.task, steps: &self.steps, end: &self.end }
    }
}

/// The trials that were made, by their jobs.
fn texts_of(round: &Round, state_characters: usize) -> Result<BTreeMap<JobId, TrialText>, Error> {
    let file = round.directory.join("trajectories.jsonl");
    let text = fs::read_to_string(&file)
        .map_err(|source| Error::File { action: format!("read {}", file.display()), source })?;
    let mut texts = BTreeMap::new();
    for line in text.lines() {
        let read = serde_json::from_str::<Trajectory>(line);
        let trajectory = read.map_err(|source| Error::RunSettings { file: file.clone(), source })?;
        let memory = MemoryOptions { window: Window::All, state_characters, reasons: false };
        let steps = sequence(&trajectory.steps, &memory);
        let end = words::ending(&trajectory.ending);
        texts.insert(trajectory.job, TrialText { task: trajectory.instruction, steps, end });
    }
    Ok(texts)
}

/// A right trial as it is shown at later ones.
fn example(trial: &TrialText) -> String {
    format!("TASK: {}\n{}\nEND: {}", trial.task, trial.steps.join("\n"), trial.end)
}
