//! Runs compared with a first one, job by job, from the results that they left.

use crate::{Directory, Error};
use domain::JobId;
use domain::verdict::VerdictKind;
use evaluation::metrics::paired::Paired;
use evaluation::metrics::wilson;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// What a run left that is compared.
#[derive(Clone, Debug)]
pub struct Compared {
    /// Its directory, as it was named.
    pub run: String,
    /// Who decided.
    pub planner: String,
    /// The model behind it; none where none was asked.
    pub model: Option<String>,
    outcomes: BTreeMap<JobId, Ended>,
}

/// The part of `results.json` that is read.
#[derive(Deserialize)]
struct Results {
    #[serde(default)]
    model: Option<String>,
    outcomes: Vec<Ended>,
}

/// An outcome as `results.json` has it.
#[derive(Clone, Debug, Deserialize)]
struct Ended {
    job: JobId,
    planner: String,
    verdict: VerdictKind,
    steps: u32,
    wall_ms: f64,
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

/// A run beside the first one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its directory, as it was named.
    pub run: String,
    /// Who decided.
    pub planner: String,
    /// The model behind it; none where none was asked.
    pub model: Option<String>,
    /// Jobs that were judged in both.
    pub jobs: usize,
    /// Those that it did.
    pub successes: usize,
    /// Successes by jobs.
    pub success_rate: f64,
    /// Wilson interval of the success rate at 95 %.
    pub interval: [f64; 2],
    /// Its success rate less that of the first run on the same jobs.
    pub difference: f64,
    /// Interval of the difference at 95 % (Newcombe 1998).
    pub difference_interval: [f64; 2],
    /// Jobs that only the first run did.
    pub only_first: usize,
    /// Jobs that only this run did.
    pub only_this: usize,
    /// Of the exact McNemar test, two-sided.
    pub p_value: f64,
    /// Mean executed actions of these jobs.
    pub mean_steps: f64,
    /// Mean seconds of these jobs.
    pub mean_s: f64,
    /// Tokens sent for these jobs.
    pub prompt_tokens: u64,
    /// Tokens received for these jobs.
    pub completion_tokens: u64,
    /// Jobs of the first run that this one lacks.
    pub missing: Vec<JobId>,
    /// Jobs of this run that the first one lacks.
    pub additional: Vec<JobId>,
    /// Jobs that one of both could not judge: browser, site or model failed.
    pub unjudged: Vec<JobId>,
}

impl Row {
    /// What the interval of the difference carries.
    pub fn finding(&self) -> &'static str {
        match self.difference_interval {
            [low, _] if low > 0.0 => "better",
            [_, high] if high < 0.0 => "worse",
            _ => "not told apart",
        }
    }
}

impl Compared {
    /// Reads what a run left.
    ///
    /// # Errors
    /// Its results cannot be read.
    pub fn read(run: &Path) -> Result<Compared, Error> {
        let file = Directory::at(run).join("results.json");
        let action = || format!("read {}", file.display());
        let text = fs::read_to_string(&file).map_err(|source| Error::File { action: action(), source })?;
        let results: Results =
            serde_json::from_str(&text).map_err(|source| Error::Stored { action: action(), source })?;
        let planner = results.outcomes.first().map(|ended| ended.planner.clone()).unwrap_or_default();
        let outcomes = results.outcomes.into_iter().map(|ended| (ended.job.clone(), ended)).collect();
        Ok(Compared { run: run.display().to_string(), planner, model: results.model, outcomes })
    }

    /// This run beside a first one.
    pub fn beside(&self, first: &Compared) -> Row {
        let there = |jobs: &BTreeMap<JobId, Ended>, other: &BTreeMap<JobId, Ended>| -> Vec<JobId> {
            jobs.keys().filter(|job| !other.contains_key(job)).cloned().collect()
        };
        let both: Vec<(&Ended, &Ended)> =
            first.outcomes.iter().filter_map(|(job, before)| self.outcomes.get(job).map(|now| (before, now))).collect();
        let (judged, rest): (Vec<_>, Vec<_>) =
            both.into_iter().partition(|(before, now)| before.is_judged() && now.is_judged());
        let pairs =
            Paired::of(judged.iter().map(|(before, now)| (before.verdict.is_success(), now.verdict.is_success())));
        let (jobs, successes) = (pairs.jobs(), pairs.second());
        let (own, between) = (wilson(successes, jobs), pairs.interval());
        let mean = |sum: f64| sum / jobs.max(1) as f64;
        let own_jobs = || judged.iter().map(|(_, now)| now);
        Row {
            run: self.run.clone(),
            planner: self.planner.clone(),
            model: self.model.clone(),
            jobs,
            successes,
            success_rate: mean(successes as f64),
            interval: [own.low, own.high],
            difference: pairs.difference(),
            difference_interval: [between.low, between.high],
            only_first: pairs.only_first,
            only_this: pairs.only_second,
            p_value: pairs.p_value(),
            mean_steps: mean(own_jobs().map(|now| f64::from(now.steps)).sum()),
            mean_s: mean(own_jobs().map(|now| now.wall_ms / 1000.0).sum()),
            prompt_tokens: own_jobs().map(|now| now.prompt_tokens).sum(),
            completion_tokens: own_jobs().map(|now| now.completion_tokens).sum(),
            missing: there(&first.outcomes, &self.outcomes),
            additional: there(&self.outcomes, &first.outcomes),
            unjudged: rest.iter().map(|(before, _)| before.job.clone()).collect(),
        }
    }
}

impl Ended {
    fn is_judged(&self) -> bool {
        !self.verdict.is_trouble()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn run(folder: &Path, name: &str, verdicts: &[(&str, &str)]) -> Compared {
        let outcome = |(job, verdict): &(&str, &str)| {
            json!({"job": job, "task": "t", "planner": name, "verdict": verdict, "reason": "", "steps": 3,
                "wall_ms": 2000.0, "prompt_tokens": 10})
        };
        let results = json!({"outcomes": verdicts.iter().map(outcome).collect::<Vec<_>>()});
        Directory::at(&folder.join(name)).write_json("results.json", &results).expect("written");
        Compared::read(&folder.join(name)).expect("read")
    }

    #[test]
    fn only_jobs_that_both_judged_are_compared_and_the_others_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let first =
            run(folder.path(), "one", &[("a/1", "PASSED"), ("a/2", "FAILED"), ("a/3", "THROTTLED"), ("a/4", "PASSED")]);
        let second = run(
            folder.path(),
            "two",
            &[("a/1", "NOT_ACHIEVED"), ("a/2", "PASSED_HEALED"), ("a/3", "PASSED"), ("b/1", "PASSED")],
        );
        let row = second.beside(&first);
        assert_eq!((row.jobs, row.successes, row.only_first, row.only_this), (2, 1, 1, 1));
        assert_eq!((row.difference, row.p_value, row.finding()), (0.0, 1.0, "not told apart"));
        assert_eq!((row.mean_steps, row.mean_s, row.prompt_tokens), (3.0, 2.0, 20));
        assert_eq!(row.missing, [JobId::new("a/4")]);
        assert_eq!(row.additional, [JobId::new("b/1")]);
        assert_eq!(row.unjudged, [JobId::new("a/3")]);
    }

    #[test]
    fn a_difference_is_claimed_only_where_the_interval_carries_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let jobs: Vec<String> = (0..40).map(|seed| format!("a/{seed}")).collect();
        let all = |verdict: &'static str| jobs.iter().map(move |job| (job.as_str(), verdict)).collect::<Vec<_>>();
        let (worse, better) = (run(folder.path(), "bad", &all("FAILED")), run(folder.path(), "good", &all("PASSED")));
        assert_eq!((better.beside(&worse).finding(), worse.beside(&better).finding()), ("better", "worse"));
        assert_eq!(better.beside(&better).finding(), "not told apart");
    }
}
