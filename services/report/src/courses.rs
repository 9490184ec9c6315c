//! How well the attempts of a run went their way: the metrics of trajectories as means, each over the attempts that it is defined for.

use crate::html::Attempt;
use crate::run::Run;
use domain::job::Work;
use domain::{Action, Descriptor, Job, JobId};
use evaluation::metrics::course::{self, Exact, Matcher, WINDOW};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A mean over the attempts that have a value.
#[derive(Default)]
struct Mean {
    sum: f64,
    of: usize,
}

impl Mean {
    fn add(&mut self, value: Option<f64>) {
        if let Some(value) = value {
            self.sum += value;
            self.of += 1;
        }
    }

    fn json(&self) -> Value {
        let mean = (self.of > 0).then(|| self.sum / self.of as f64);
        json!({"mean": mean, "of": self.of})
    }
}

/// The metrics under the matcher `exact`. What needs a gold trajectory is over the tasks that have one.
pub(crate) fn of(run: &Run<'_>, attempts: &[Attempt]) -> Value {
    let jobs: BTreeMap<&JobId, &Job> = run.jobs.iter().map(|job| (&job.id, job)).collect();
    let mut means: BTreeMap<&str, Mean> = BTreeMap::new();
    let mut add = |name: &'static str, value: Option<f64>| means.entry(name).or_default().add(value);
    for Attempt { outcome, trajectory } in attempts {
        add("partial_success", course::partial_success(&outcome.verdict));
        let Some(trajectory) = trajectory else { continue };
        let own: Vec<Action<Descriptor>> = trajectory.steps.iter().map(|step| step.action.clone()).collect();
        add("repetitiveness", course::repetitiveness(&own, &Exact));
        let Some(Work::Task { task, .. }) = jobs.get(&outcome.job).map(|job| &job.work) else { continue };
        let Some(gold) = &task.gold else { continue };
        let gold = gold.iter().map(|step| step.action.clone());
        let gold: Vec<Action<Descriptor>> = gold.filter(|action| !matches!(action, Action::Stop { .. })).collect();
        add("step_success", course::step_success(&gold, &own, &Exact));
        add("recovery_rate", course::recovery(&gold, &own, &Exact, WINDOW));
        let is_success = outcome.verdict.kind.is_success();
        add("optimisation", course::optimisation(gold.len(), own.len(), is_success));
    }
    let mut fields: Map<String, Value> = means.iter().map(|(name, mean)| ((*name).to_owned(), mean.json())).collect();
    fields.insert("matcher".to_owned(), Exact.name().into());
    Value::Object(fields)
}
