//! What a run leaves behind beside its database: results, trajectories, tests, report. Made again whole each time.

use crate::directory::{Directory, file_name};
use crate::downloads::{self, Offered};
use crate::html::{self, Attempt, Heading};
use crate::run::{Kind, Run, Sources};
use crate::scores::Scores;
use crate::unjudged::{self, Unjudged};
use crate::{Error, courses, outcomes};
use domain::job;
use domain::{Job, JobId, Trajectory};
use evaluation::metrics;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Outcomes read at once.
const PAGE: usize = 1000;

/// What a run left behind.
pub struct Left {
    /// A row for every job, in order of submission.
    pub outcomes: Vec<job::Outcome>,
    /// The scores.
    pub scores: Scores,
    /// Jobs that have not ended.
    pub pending: usize,
    /// Jobs that no attempt was judged of.
    pub unjudged: BTreeSet<JobId>,
    /// The object that `results.json` holds and `--output json` prints.
    pub results: Value,
    /// The report.
    pub report: PathBuf,
    /// The tests that were recorded.
    pub tests: usize,
}

/// Writes everything that follows from the stored outcomes.
///
/// # Errors
/// A service or a store that cannot be read, a file that cannot be written.
pub async fn leave(directory: &Directory, run: &Run<'_>, sources: &Sources, wall_s: f64) -> Result<Left, Error> {
    let mut attempts = stored(run, sources).await?;
    let Unjudged { rows, pending } = unjudged(run, sources, attempts.iter().map(|attempt| &attempt.outcome)).await?;
    let unjudged = rows.iter().map(|row| row.job.clone()).collect();
    attempts.extend(rows.into_iter().map(|outcome| Attempt { outcome, trajectory: None }));
    let order: BTreeMap<&JobId, usize> = run.jobs.iter().enumerate().map(|(at, job)| (&job.id, at)).collect();
    attempts.sort_by_key(|attempt| order.get(&attempt.outcome.job).copied());
    let outcomes: Vec<job::Outcome> = attempts.iter().map(|attempt| attempt.outcome.clone()).collect();
    let scores = Scores::of(&outcomes, wall_s);
    let tests = write_tests(directory, run, sources, &attempts)?;
    write_trajectories(directory, &attempts)?;
    let downloads = downloads::write(directory, sources, &attempts).await?;
    let results = results(directory, run, &scores, &attempts, pending, &downloads)?;
    directory.write_json("results.json", &results)?;
    let report = write_report(directory, run, sources, &scores, &attempts, pending).await?;
    Ok(Left { outcomes, scores, pending, unjudged, results, report, tests })
}

/// The rows of the jobs that have none among these.
///
/// # Errors
/// Of the queue.
pub(crate) async fn unjudged<'a>(
    run: &Run<'_>,
    sources: &Sources,
    judged: impl Iterator<Item = &'a job::Outcome>,
) -> Result<Unjudged, Error> {
    let quarantined = sources.campaigns.quarantine(run.campaign).await?;
    let judged = judged.map(|outcome| outcome.job.clone()).collect();
    Ok(unjudged::of_run((run.jobs, &run.planner, run.unended), &judged, &quarantined))
}

async fn stored(run: &Run<'_>, sources: &Sources) -> Result<Vec<Attempt>, Error> {
    let mut attempts = Vec::new();
    let known: BTreeSet<&JobId> = run.jobs.iter().map(|job| &job.id).collect();
    for outcome in outcomes::all(sources.aggregator.as_ref(), run.campaign, PAGE).await? {
        if !known.contains(&outcome.job) {
            continue;
        }
        let trajectory = match sources.blobs.get(&outcome.trajectory).await? {
            Some(bytes) => {
                let read = serde_json::from_slice::<Trajectory>(&bytes);
                let action = || format!("read the trajectory of {}", outcome.job);
                Some(read.map_err(|source| Error::Stored { action: action(), source })?)
            }
            None => None,
        };
        attempts.push(Attempt { outcome, trajectory });
    }
    Ok(attempts)
}

/// A native test for each passed attempt of an agent.
fn write_tests(directory: &Directory, run: &Run<'_>, sources: &Sources, attempts: &[Attempt]) -> Result<usize, Error> {
    if matches!(run.kind, Kind::Replay) {
        return Ok(0);
    }
    let jobs: BTreeMap<&JobId, &Job> = run.jobs.iter().map(|job| (&job.id, job)).collect();
    let mut names = BTreeSet::new();
    for Attempt { outcome, trajectory } in attempts {
        let (Some(job), Some(trajectory)) = (jobs.get(&outcome.job), trajectory) else { continue };
        let Some(check) = (sources.check_of)(&job.work) else { continue };
        let Ok(test) = evaluation::record::record(job, trajectory, &outcome.verdict, &check) else { continue };
        let plain = file_name(&test.name);
        let name = (1..).map(|number| if number == 1 { plain.clone() } else { format!("{plain}-{number}") });
        let Some(name) = name.into_iter().find(|name| names.insert(name.clone())) else { continue };
        directory.write_json(&format!("tests/{name}.json"), &test)?;
    }
    Ok(names.len())
}

/// One trajectory a line, with its verdict.
fn write_trajectories(directory: &Directory, attempts: &[Attempt]) -> Result<(), Error> {
    #[derive(Serialize)]
    struct Line<'a> {
        #[serde(flatten)]
        trajectory: &'a Trajectory,
        verdict: &'a domain::Verdict,
        reward: Option<f64>,
    }
    let mut lines = Vec::new();
    for Attempt { outcome, trajectory } in attempts {
        let Some(trajectory) = trajectory else { continue };
        let line = Line { trajectory, verdict: &outcome.verdict, reward: outcome.reward };
        let written = serde_json::to_writer(&mut lines, &line);
        written.map_err(|source| Error::Encode { action: "encode a trajectory", source })?;
        lines.push(b'\n');
    }
    directory.write("trajectories.jsonl", &lines)
}

/// The scores, and what they were measured with.
fn results(
    directory: &Directory,
    run: &Run<'_>,
    scores: &Scores,
    attempts: &[Attempt],
    pending: usize,
    downloads: &[Offered<'_>],
) -> Result<Value, Error> {
    let encoded = serde_json::to_value(scores).map_err(|source| Error::Encode { action: "encode the scores", source });
    let mut fields = match encoded? {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("run", directory.path().display().to_string().into());
    put("pending", pending.into());
    for (name, value) in &run.settings {
        put(&name.replace(' ', "_"), value.clone().into());
    }
    if let Kind::Benchmark { root_seed } = run.kind {
        put("root_seed", root_seed.into());
    }
    if let Some((exact, prefix, of)) = matches(run, attempts) {
        put("exact_match", serde_json::json!({"matched": exact, "of": of}));
        put("prefix_match", serde_json::json!({"matched": prefix, "of": of}));
    }
    put("trajectory_metrics", courses::of(run, attempts));
    let deciding = || attempts.iter().filter_map(|attempt| Some(attempt.trajectory.as_ref()?.deciding));
    put("model_s", deciding().map(|deciding| deciding.model_ms / 1000.0).sum::<f64>().into());
    put("invalid_steps", deciding().map(|deciding| deciding.invalid).sum::<u32>().into());
    if !downloads.is_empty() {
        put("downloads", downloads.iter().map(|offered| serde_json::json!(offered)).collect());
    }
    put("outcomes", attempts.iter().map(|attempt| outcomes::json(&attempt.outcome)).collect());
    Ok(Value::Object(fields))
}

/// Over the tasks with a gold trajectory: how many attempts match it exactly, how many by prefix, out of how many.
fn matches(run: &Run<'_>, attempts: &[Attempt]) -> Option<(usize, usize, usize)> {
    let jobs: BTreeMap<&JobId, &Job> = run.jobs.iter().map(|job| (&job.id, job)).collect();
    let (mut exact, mut prefix, mut of) = (0, 0, 0);
    for Attempt { outcome, trajectory } in attempts {
        let Some(job::Work::Task { task, .. }) = jobs.get(&outcome.job).map(|job| &job.work) else { continue };
        let (Some(gold), Some(trajectory)) = (&task.gold, trajectory) else { continue };
        let gold: Vec<_> = gold.iter().map(|step| step.action.clone()).collect();
        let compared = metrics::compare(&gold, &trajectory.steps);
        exact += usize::from(compared.exact);
        prefix += usize::from(compared.prefix);
        of += 1;
    }
    (of > 0).then_some((exact, prefix, of))
}

async fn write_report(
    directory: &Directory,
    run: &Run<'_>,
    sources: &Sources,
    scores: &Scores,
    attempts: &[Attempt],
    pending: usize,
) -> Result<PathBuf, Error> {
    let (pictures, left_out) = html::make_pictures(sources.blobs.as_ref(), attempts, sources.draw_marks).await?;
    let note = match left_out {
        0 => String::new(),
        _ => format!(
            "{left_out} pictures are left out to keep this file's size sane; they are in the blob store of the run."
        ),
    };
    let heading = Heading {
        title: run.name.to_owned(),
        created: run.created.to_owned(),
        settings: run.settings.clone(),
        pending,
        note,
    };
    let html = html::render(&html::view(heading, scores, attempts, &pictures))?;
    directory.write("report.html", html.as_bytes())?;
    Ok(directory.join("report.html"))
}
