//! What the report shows, as the template reads it. Pure: from stored outcomes and trajectories, pictures already made.

use crate::scores::{Scores, TaskScore};
use crate::words;
use domain::task::Check;
use domain::trajectory::DownloadedFile;
use domain::verdict::{Finding, VerdictKind};
use domain::{BlobRef, Evidence, Step, Trajectory, job};
use serde::Serialize;
use std::collections::BTreeMap;

/// One attempt as it was stored.
pub struct Attempt {
    /// Its outcome.
    pub outcome: job::Outcome,
    /// Its trajectory; none where the store lost it.
    pub trajectory: Option<Trajectory>,
}

/// Pictures as data URIs, by the step (or 0 for the last page) of an attempt, counted as in the list of attempts.
pub type Pictures = BTreeMap<(usize, u32), String>;

/// What is said of the run as a whole.
#[derive(Serialize)]
pub struct Heading {
    /// A name for people.
    pub title: String,
    /// When it was started.
    pub created: String,
    /// Settings worth knowing, as name and value.
    pub settings: Vec<(String, String)>,
    /// How many jobs have no outcome yet.
    pub pending: usize,
    /// Said when pictures were left out.
    pub note: String,
}

/// The whole report.
#[derive(Serialize)]
pub struct View {
    heading: Heading,
    totals: Totals,
    verdicts: Vec<VerdictCount>,
    tasks: Vec<TaskRow>,
    attempts: Vec<AttemptView>,
}

#[derive(Serialize)]
struct Totals {
    episodes: usize,
    successes: usize,
    percent: f64,
    low: f64,
    high: f64,
    mean_reward: Option<f64>,
    mean_steps: f64,
    tokens: u64,
    cost_usd: f64,
    time: String,
}

#[derive(Serialize)]
struct VerdictCount {
    name: &'static str,
    class: &'static str,
    count: usize,
    percent: f64,
}

#[derive(Serialize)]
struct TaskRow {
    name: String,
    episodes: usize,
    successes: usize,
    percent: f64,
    low: f64,
    high: f64,
    mean_reward: Option<f64>,
}

#[derive(Serialize)]
struct AttemptView {
    anchor: usize,
    job: String,
    task: String,
    instruction: String,
    verdict: &'static str,
    class: &'static str,
    reason: String,
    ending: String,
    evidence: Vec<EvidenceView>,
    incidents: Vec<String>,
    downloads: Vec<String>,
    steps: Vec<StepView>,
    step_count: u32,
    picture: Option<String>,
    reward: Option<f64>,
    tokens: u64,
    time: String,
}

#[derive(Serialize)]
struct EvidenceView {
    class: &'static str,
    finding: &'static str,
    check: String,
    observed: String,
}

#[derive(Serialize)]
struct StepView {
    number: u32,
    action: String,
    reason: String,
    effect: String,
    effect_class: &'static str,
    difference: Vec<String>,
    requests: Vec<String>,
    faults: Vec<String>,
    incidents: Vec<String>,
    decide: String,
    act: String,
    confidence: String,
    url: String,
    picture: Option<String>,
}

/// Puts everything together.
pub fn view(heading: Heading, scores: &Scores, attempts: &[Attempt], pictures: &Pictures) -> View {
    View {
        heading,
        totals: totals(scores),
        verdicts: verdicts(attempts),
        tasks: scores.tasks.iter().map(task_row).collect(),
        attempts: attempts.iter().enumerate().map(|(index, attempt)| attempt_view(index, attempt, pictures)).collect(),
    }
}

/// Every picture that the report could show: attempt, step (0 for the last page), and what the step acted on.
pub(super) fn wanted_pictures(attempts: &[Attempt]) -> Vec<(usize, Option<&Step>, &BlobRef)> {
    let mut wanted = Vec::new();
    for (index, attempt) in attempts.iter().enumerate() {
        let Some(trajectory) = &attempt.trajectory else { continue };
        wanted.extend(
            trajectory.steps.iter().filter_map(|step| step.screenshot.as_ref().map(|blob| (index, Some(step), blob))),
        );
        wanted.extend(trajectory.screenshot.as_ref().map(|blob| (index, None, blob)));
    }
    wanted
}

fn totals(scores: &Scores) -> Totals {
    Totals {
        episodes: scores.episodes,
        successes: scores.successes,
        percent: scores.success_rate * 100.0,
        low: scores.interval[0] * 100.0,
        high: scores.interval[1] * 100.0,
        mean_reward: scores.mean_raw_reward,
        mean_steps: scores.mean_steps,
        tokens: scores.tokens,
        cost_usd: scores.cost_usd,
        time: words::duration(scores.wall_s * 1_000.0),
    }
}

fn download(file: &DownloadedFile) -> String {
    match file.missing.is_empty() {
        true => format!("downloaded {} ({} bytes)", file.name, file.bytes),
        false => format!("the download {} was not kept: {}", file.name, file.missing),
    }
}

fn task_row(score: &TaskScore) -> TaskRow {
    TaskRow {
        name: score.task.clone(),
        episodes: score.episodes,
        successes: score.successes,
        percent: score.success_rate * 100.0,
        low: score.interval[0] * 100.0,
        high: score.interval[1] * 100.0,
        mean_reward: score.mean_raw_reward,
    }
}

fn verdicts(attempts: &[Attempt]) -> Vec<VerdictCount> {
    let mut counts: BTreeMap<VerdictKind, usize> = BTreeMap::new();
    for attempt in attempts {
        *counts.entry(attempt.outcome.verdict.kind).or_default() += 1;
    }
    let percent = |count: usize| count as f64 * 100.0 / attempts.len() as f64;
    counts
        .into_iter()
        .map(|(kind, count)| VerdictCount { name: kind.as_str(), class: class(kind), count, percent: percent(count) })
        .collect()
}

/// The colour of a verdict.
fn class(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Passed | VerdictKind::PassedHealed => "good",
        VerdictKind::Failed | VerdictKind::NotAchieved | VerdictKind::Drifted => "bad",
        VerdictKind::Infeasible | VerdictKind::Unverified => "unsure",
        VerdictKind::InvalidEnvironment | VerdictKind::Throttled => "dull",
    }
}

fn attempt_view(index: usize, attempt: &Attempt, pictures: &Pictures) -> AttemptView {
    let Attempt { outcome, trajectory } = attempt;
    let steps = trajectory.as_ref().map(|trajectory| trajectory.steps.as_slice()).unwrap_or_default();
    AttemptView {
        anchor: index + 1,
        job: outcome.job.to_string(),
        task: outcome.task.to_string(),
        instruction: trajectory.as_ref().map(|trajectory| trajectory.instruction.clone()).unwrap_or_default(),
        verdict: outcome.verdict.kind.as_str(),
        class: class(outcome.verdict.kind),
        reason: outcome.verdict.reason.clone(),
        ending: words::ending(&outcome.ending),
        evidence: outcome.verdict.evidence.iter().map(evidence_view).collect(),
        incidents: outcome.incidents.clone(),
        downloads: trajectory.iter().flat_map(|trajectory| &trajectory.downloads).map(download).collect(),
        steps: steps.iter().map(|step| step_view(step, pictures.get(&(index, step.number)).cloned())).collect(),
        step_count: outcome.steps,
        picture: pictures.get(&(index, 0)).cloned(),
        reward: outcome.reward,
        tokens: outcome.usage.prompt_tokens + outcome.usage.completion_tokens,
        time: words::duration(outcome.wall_ms),
    }
}

fn evidence_view(evidence: &Evidence) -> EvidenceView {
    let (class, finding) = match evidence.finding {
        Finding::Confirmed => ("good", "confirmed"),
        Finding::Refuted => ("bad", "refuted"),
        Finding::Undecided => ("unsure", "undecided"),
    };
    let observed =
        if matches!(evidence.check, Check::All(_) | Check::Any(_)) { "" } else { evidence.observed.as_str() };
    EvidenceView { class, finding, check: words::check(&evidence.check), observed: observed.to_owned() }
}

fn step_view(step: &Step, picture: Option<String>) -> StepView {
    let (effect_class, effect) = words::effect(&step.effect);
    StepView {
        number: step.number,
        action: words::action(&step.action),
        reason: step.reason.clone(),
        effect,
        effect_class,
        difference: words::difference(&step.difference),
        requests: step.requests.iter().map(words::request).collect(),
        faults: step.faults.iter().map(|fault| fault.message.clone()).collect(),
        incidents: step.incidents.clone(),
        decide: words::duration(step.decide_ms),
        act: words::duration(step.act_ms),
        confidence: format!("{:.0} %", step.confidence * 100.0),
        url: step.url.clone(),
        picture,
    }
}
