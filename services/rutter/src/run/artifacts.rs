//! What a run leaves behind beside its database: results, trajectories, tests, report. Made again whole each time.

use super::config::{Config, Kind};
use super::directory::{Directory, file_name};
use super::scores::Scores;
use crate::accounts::{self, Unjudged};
use crate::command::refused;
use crate::compose;
use crate::exit::{Exit, OrExit, Outcome};
use crate::node::{self, Node};
use crate::print;
use crate::report::{self, Attempt, Heading};
use anyhow::Context as _;
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
pub(crate) struct Left {
    /// A row for every job, in order of submission.
    pub(crate) outcomes: Vec<job::Outcome>,
    /// The scores.
    pub(crate) scores: Scores,
    /// Jobs that have not ended.
    pub(crate) pending: usize,
    /// Jobs that no attempt was judged of.
    pub(crate) unjudged: BTreeSet<JobId>,
    /// The object that `results.json` holds and `--output json` prints.
    pub(crate) results: Value,
    /// The report.
    pub(crate) report: PathBuf,
    /// The tests that were recorded.
    pub(crate) tests: usize,
}

/// Writes everything that follows from the stored outcomes.
pub(crate) async fn leave(directory: &Directory, config: &Config, node: &Node, wall_s: f64) -> Outcome<Left> {
    let mut attempts = stored(config, node).await?;
    let Unjudged { rows, pending } = unjudged(config, node, attempts.iter().map(|attempt| &attempt.outcome)).await?;
    let unjudged = rows.iter().map(|row| row.job.clone()).collect();
    attempts.extend(rows.into_iter().map(|outcome| Attempt { outcome, trajectory: None }));
    let order: BTreeMap<&JobId, usize> = config.jobs.iter().enumerate().map(|(at, job)| (&job.id, at)).collect();
    attempts.sort_by_key(|attempt| order.get(&attempt.outcome.job).copied());
    let outcomes: Vec<job::Outcome> = attempts.iter().map(|attempt| attempt.outcome.clone()).collect();
    let scores = Scores::of(&outcomes, wall_s);
    let tests = write_tests(directory, config, &attempts)?;
    write_trajectories(directory, &attempts)?;
    let results = results(directory, config, &scores, &attempts, pending)?;
    directory.write_json("results.json", &results)?;
    let report = write_report(directory, config, node, &scores, &attempts, pending).await?;
    Ok(Left { outcomes, scores, pending, unjudged, results, report, tests })
}

/// The rows of the jobs that have none among these.
///
/// # Errors
/// Of the queue.
pub(crate) async fn unjudged<'a>(
    config: &Config,
    node: &Node,
    judged: impl Iterator<Item = &'a job::Outcome>,
) -> Outcome<Unjudged> {
    let (campaigns, _) = node.services()?;
    let quarantined = campaigns.quarantine(&config.campaign).await.map_err(refused)?;
    let judged = judged.map(|outcome| outcome.job.clone()).collect();
    Ok(accounts::of_run(&config.jobs, &config.kind.planner_ref().name, &judged, &quarantined))
}

async fn stored(config: &Config, node: &Node) -> Outcome<Vec<Attempt>> {
    let mut attempts = Vec::new();
    let (_, aggregator) = node.services()?;
    for outcome in node::all_outcomes(aggregator.as_ref(), &config.campaign, PAGE).await.map_err(refused)? {
        let trajectory = match node.storage.blobs.get(&outcome.trajectory).await? {
            Some(bytes) => {
                let read = serde_json::from_slice::<Trajectory>(&bytes);
                Some(read.with_context(|| format!("read the trajectory of {}", outcome.job)).or_exit(Exit::Storage)?)
            }
            None => None,
        };
        attempts.push(Attempt { outcome, trajectory });
    }
    Ok(attempts)
}

/// A native test for each passed attempt of an agent.
fn write_tests(directory: &Directory, config: &Config, attempts: &[Attempt]) -> Outcome<usize> {
    if matches!(config.kind, Kind::Replay { .. }) {
        return Ok(0);
    }
    let jobs: BTreeMap<&JobId, &Job> = config.jobs.iter().map(|job| (&job.id, job)).collect();
    let mut names = BTreeSet::new();
    for Attempt { outcome, trajectory } in attempts {
        let (Some(job), Some(trajectory)) = (jobs.get(&outcome.job), trajectory) else { continue };
        let Some(check) = compose::check_of(&job.work) else { continue };
        let Ok(test) = evaluation::record::record(job, trajectory, &outcome.verdict, &check) else { continue };
        let plain = file_name(&test.name);
        let name = (1..).map(|number| if number == 1 { plain.clone() } else { format!("{plain}-{number}") });
        let Some(name) = name.into_iter().find(|name| names.insert(name.clone())) else { continue };
        directory.write_json(&format!("tests/{name}.json"), &test)?;
    }
    Ok(names.len())
}

/// One trajectory a line, with its verdict.
fn write_trajectories(directory: &Directory, attempts: &[Attempt]) -> Outcome<()> {
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
        serde_json::to_writer(&mut lines, &line).context("encode a trajectory").or_exit(Exit::Internal)?;
        lines.push(b'\n');
    }
    directory.write("trajectories.jsonl", &lines)
}

/// The scores, and what they were measured with.
fn results(
    directory: &Directory,
    config: &Config,
    scores: &Scores,
    attempts: &[Attempt],
    pending: usize,
) -> Outcome<Value> {
    let mut fields = match serde_json::to_value(scores).context("encode the scores").or_exit(Exit::Internal)? {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("run", directory.path().display().to_string().into());
    put("pending", pending.into());
    for (name, value) in settings(config) {
        put(&name.replace(' ', "_"), value.into());
    }
    if let Kind::Bench { root_seed, .. } = &config.kind {
        put("root_seed", (*root_seed).into());
    }
    if let Some((exact, prefix, of)) = matches(config, attempts) {
        put("exact_match", serde_json::json!({"matched": exact, "of": of}));
        put("prefix_match", serde_json::json!({"matched": prefix, "of": of}));
    }
    put("outcomes", attempts.iter().map(|attempt| print::outcome_json(&attempt.outcome)).collect());
    Ok(Value::Object(fields))
}

/// Over the tasks with a gold trajectory: how many attempts match it exactly, how many by prefix, out of how many.
fn matches(config: &Config, attempts: &[Attempt]) -> Option<(usize, usize, usize)> {
    let jobs: BTreeMap<&JobId, &Job> = config.jobs.iter().map(|job| (&job.id, job)).collect();
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

/// Settings worth knowing when reading a result.
fn settings(config: &Config) -> Vec<(String, String)> {
    let mut settings = Vec::new();
    let mut add = |name: &str, value: String| settings.push((name.to_owned(), value));
    match &config.kind {
        Kind::Bench { suite, seeds, relaxed, .. } => {
            add("suite", suite.clone());
            add("seeds", seeds.clone());
            add("limits", if *relaxed { "relaxed" } else { "official" }.into());
        }
        Kind::Replay { .. } => add("planner", "none (recorded tests)".into()),
        Kind::Tasks { .. } | Kind::Explore(_) => {}
    }
    if let Some(planner) = config.kind.planner() {
        add("planner", compose::planner_name(planner.name).to_owned());
        if let Some(model) = &planner.model {
            add("model", model.model.clone());
        }
    }
    add("workers", config.workers.to_string());
    settings
}

async fn write_report(
    directory: &Directory,
    config: &Config,
    node: &Node,
    scores: &Scores,
    attempts: &[Attempt],
    pending: usize,
) -> Outcome<PathBuf> {
    let (pictures, left_out) = report::make_pictures(node.storage.blobs.as_ref(), attempts).await?;
    let note = match left_out {
        0 => String::new(),
        _ => format!(
            "{left_out} pictures are left out to keep this file's size sane; they are in the blob store of the run."
        ),
    };
    let heading = Heading {
        title: config.name.clone(),
        created: config.created.clone(),
        settings: settings(config),
        pending,
        note,
    };
    let html = report::render(&report::view(heading, scores, attempts, &pictures)).or_exit(Exit::Internal)?;
    directory.write("report.html", html.as_bytes())?;
    Ok(directory.join("report.html"))
}
