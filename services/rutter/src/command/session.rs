//! What the running commands share: a run is begun or resumed, worked through, and its results are said.

use super::{trust, work};
use crate::cli::{Output, RunArgs};
use crate::exit::{Exit, Failure, OrExit as _, Outcome, failure};
use crate::print::{self, note};
use anyhow::Context as _;
use chrono::{DateTime, Local};
use domain::campaign::AttemptLimits;
use domain::job::Outcome as JobOutcome;
use domain::verdict::VerdictKind;
use domain::{CampaignId, Ending, Job};
use node::Pages;
use node::compose::{NamedSecrets, missing_secrets, short_secrets};
use node::config::BrowserConfig;
use node::run::{Config, FORMAT, Kind, mark};
use platform::shutdown;
use report::directory::file_name;
use report::{Directory, Left, outcomes, tables};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The settings of a new run over these jobs.
pub(crate) fn config(
    name: String,
    kind: Kind,
    run: &RunArgs,
    browser: BrowserConfig,
    jobs: impl FnOnce(&CampaignId) -> Vec<Job>,
) -> Config {
    let now: DateTime<Local> = node::clock().wall().into();
    let campaign = CampaignId::new(format!("{}-{}", now.format("%Y%m%d-%H%M%S"), file_name(&name)));
    let jobs = jobs(&campaign);
    Config {
        format: FORMAT,
        name,
        created: now.format("%Y-%m-%d %H:%M:%S").to_string(),
        campaign,
        kind,
        workers: usize::from(run.workers),
        screenshots: run.screenshots.into(),
        browser,
        density: run.density(),
        limits: AttemptLimits::default(),
        again: 0,
        jobs,
    }
}

/// Begins a run: the browser first, then the directory.
///
/// # Errors
/// See [`run`].
pub(crate) async fn begin(config: Config, run: &RunArgs, output: Output, at_least: Option<f64>) -> Outcome {
    tasks::check_jobs(&config.jobs)?;
    check_secrets(&config)?;
    let pages = Pages::started(&config.browser, config.density, benchmark_of(&config.jobs)).await?;
    begin_with(config, pages, run, output, at_least).await
}

/// Begins a run in browsers that are there already.
///
/// # Errors
/// See [`run`].
pub(crate) async fn begin_with(
    config: Config,
    pages: Pages,
    args: &RunArgs,
    output: Output,
    at_least: Option<f64>,
) -> Outcome {
    let path = args.run_dir.clone().unwrap_or_else(|| PathBuf::from("runs").join(config.campaign.as_str()));
    let created = tasks::check_jobs(&config.jobs).map_err(Failure::from);
    match created.and_then(|()| Ok(config.create(&path)?)) {
        Ok(directory) => run(&directory, &config, pages, output, at_least).await,
        Err(failure) => {
            pages.close().await;
            Err(failure)
        }
    }
}

/// Goes on with a run.
///
/// # Errors
/// See [`run`], and what is wrong with the directory.
pub(crate) async fn resume(path: &Path, args: &RunArgs, output: Output, at_least: Option<f64>) -> Outcome {
    let (directory, config) = Config::open(path)?;
    trust::of_run(&directory, &config, args.trust)?;
    check_secrets(&config)?;
    let pages = Pages::started(&config.browser, config.density, benchmark_of(&config.jobs)).await?;
    run(&directory, &config, pages, output, at_least).await
}

/// The name of the benchmark whose pages the jobs need first; none where they are tasks.
pub(super) fn benchmark_of(jobs: &[Job]) -> Option<&str> {
    jobs.iter().find_map(|job| job.work.benchmark())
}

async fn run(directory: &Directory, config: &Config, pages: Pages, output: Output, at_least: Option<f64>) -> Outcome {
    say_what_is_run(config);
    warn_of_short_secrets(config);
    let result = match shutdown::on_signals() {
        Ok(interrupt) => work::through(directory, config, pages.clone(), interrupt).await,
        Err(error) => Err(error).context("listen to signals").or_exit(Exit::Internal),
    };
    // Whatever happened, no browser outlives the command.
    pages.close().await;
    let ended = result?;
    mark::put_on_tests(directory);
    let left = &ended.left;
    match (output, &config.kind) {
        (Output::Json, _) => print::json(&left.results)?,
        (Output::Table, Kind::Replay { controls, .. }) => {
            print::text_out(&tables::replays(&left.outcomes, controls))?;
        }
        (Output::Table, Kind::Tasks { .. }) => print::text_out(&tables::verdicts(&left.outcomes))?,
        (Output::Table, Kind::Explore(_)) => print::text_out(&tables::explored(&left.results))?,
        (Output::Table, Kind::Bench { .. }) => print::text_out(&tables::scores(&left.scores))?,
    }
    if matches!(config.kind, Kind::Bench { .. } | Kind::Explore(_)) {
        // Their tables show figures only.
        say_what_went_wrong(&left.outcomes);
    }
    say_what_is_left(directory, config, left);
    if ended.interrupted {
        let path = directory.path().display();
        note!("interrupted with {} of {} jobs to do; go on with --resume {path}", left.pending, config.jobs.len());
        return Ok(Exit::Interrupted);
    }
    Ok(exit(config, left, at_least))
}

/// Looks for secrets that this machine should keep and does not, before anything is started.
///
/// # Errors
/// [`Exit::Usage`] with what to do.
pub(super) fn check_secrets(config: &Config) -> Outcome<()> {
    let named = NamedSecrets::of(&config.crawler());
    match config.jobs.iter().find_map(|job| missing_secrets(&job.work, &named).pop()) {
        Some(cause) => failure(Exit::Usage, cause),
        None => Ok(()),
    }
}

/// Short secrets are found in much that is none, so that what is read from a page may lose more, or less, than it should.
pub(super) fn warn_of_short_secrets(config: &Config) {
    let named = NamedSecrets::of(&config.crawler());
    let short: BTreeSet<String> = config.jobs.iter().flat_map(|job| short_secrets(&job.work, &named)).collect();
    for name in short {
        note!(
            "the secret `{name}` has fewer than 8 characters: what pages show of it may not be kept out of results for certain"
        );
    }
}

fn say_what_is_run(config: &Config) {
    if let Kind::Bench { suite, seeds, relaxed, .. } = &config.kind {
        let limits = if *relaxed { "relaxed time limits" } else { "official time limits" };
        let planner = config.kind.planner_label();
        note!("{suite}: {} episodes, planner {planner}, seeds {seeds}, {limits}", config.jobs.len());
    }
}

/// Says of each job that could not be done why; many equal ones are cut short.
pub(crate) fn say_what_went_wrong(outcomes: &[JobOutcome]) {
    const SAID: usize = 20;
    let mut troubles = outcomes.iter().filter(|outcome| outcomes::is_trouble(outcome));
    for outcome in troubles.by_ref().take(SAID) {
        note!("{}", outcomes::trouble(outcome));
    }
    match troubles.count() {
        0 => {}
        more => note!("… and {more} more like these: the report has them all"),
    }
}

fn say_what_is_left(directory: &Directory, config: &Config, left: &Left) {
    let scores = &left.scores;
    if scores.episodes > 0 && !matches!(config.kind, Kind::Replay { .. }) {
        note!("{} of {} passed in {:.1} s, {} tokens", scores.successes, scores.episodes, scores.wall_s, scores.tokens);
    }
    if left.tests > 0 {
        note!("tests:  {} ({})", directory.join("tests").display(), left.tests);
    }
    note!("report: {}", left.report.display());
}

/// What the process says in the end.
fn exit(config: &Config, left: &Left, at_least: Option<f64>) -> Exit {
    match &config.kind {
        Kind::Bench { .. } => {
            let verdicts = left.outcomes.iter().map(verdict_exit);
            let (broken, sound): (Vec<Exit>, Vec<Exit>) = verdicts.partition(|exit| *exit > Exit::NotPassed);
            match (broken.first(), at_least) {
                (Some(exit), _) if sound.is_empty() => *exit,
                (_, Some(least)) if left.scores.success_rate < least => Exit::NotPassed,
                // What some jobs could not be judged by says nothing of them: the benchmark was not measured to its end.
                (Some(exit), None) => *exit,
                _ => unjudged_exit(left),
            }
        }
        Kind::Tasks { .. } => all_exit(&left.outcomes),
        Kind::Explore(_) => explored_exit(left),
        Kind::Replay { controls, .. } => super::replay::exit(&left.outcomes, controls),
    }
}

/// What an exploration amounts to: it was carried through, unless a browser could not begin its part or was lost, or none
/// saw anything.
pub(crate) fn explored_exit(left: &Left) -> Exit {
    let saw_nothing = left.results["states"] == 0;
    let trouble = left.outcomes.iter().find(|outcome| outcomes::is_trouble(outcome)).map(verdict_exit);
    trouble.unwrap_or(if saw_nothing { Exit::Environment } else { Exit::Success })
}

/// What the jobs amount to that no attempt was judged of: a benchmark with such jobs was not measured to its end.
fn unjudged_exit(left: &Left) -> Exit {
    let unjudged = left.outcomes.iter().find(|outcome| left.unjudged.contains(&outcome.job));
    unjudged.map_or(Exit::Success, verdict_exit)
}

/// What several outcomes amount to: something that did not pass says most, then what kept a task from being judged.
pub(crate) fn all_exit(outcomes: &[JobOutcome]) -> Exit {
    let exits: Vec<Exit> = outcomes.iter().map(verdict_exit).collect();
    [Exit::NotPassed, Exit::Model, Exit::Environment]
        .into_iter()
        .find(|exit| exits.contains(exit))
        .unwrap_or(Exit::Success)
}

/// What one outcome amounts to.
pub(crate) fn verdict_exit(outcome: &JobOutcome) -> Exit {
    match (outcome.verdict.kind, &outcome.ending) {
        (kind, _) if kind.is_success() => Exit::Success,
        (VerdictKind::Throttled, _) | (_, Ending::PlannerFailed { .. }) => Exit::Model,
        (VerdictKind::InvalidEnvironment, _) => Exit::Environment,
        _ => Exit::NotPassed,
    }
}
