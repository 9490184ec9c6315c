//! `rutter replay`: recorded tests without a planner, and where asked for with a control that must not pass.

use super::session;
use crate::cli::Replay;
use crate::compose::{self, Density, Pages};
use crate::exit::{Exit, OrExit, Outcome, failure};
use crate::print;
use crate::run::config::Kind;
use anyhow::Context as _;
use comfy_table::Cell;
use crawler::worker::Profile as _;
use domain::JobId;
use domain::job::{BenchmarkTask, Outcome as JobOutcome, Work};
use domain::test::{FORMAT, Start, Test};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How many seeds are looked at to find one whose goal is another.
const SEEDS_TRIED: u64 = 20;

/// Replays tests.
pub(crate) async fn execute(args: Replay) -> Outcome {
    if let Some(run) = &args.run.resume {
        return session::resume(run, args.output.output, None).await;
    }
    let tests = load(&args.tests)?;
    let mut work = Vec::new();
    let mut by_job = BTreeMap::new();
    for (name, test) in &tests {
        let job = place(name, test, args.seed)?;
        by_job.insert(job.0.to_string(), test.clone());
        work.push(job);
    }
    let browser = args.browser.clone().into();
    let serves = work.iter().any(|(_, work)| matches!(work, Work::Benchmark(_)));
    let pages = session::pages(&browser, Density::default(), serves).await?;
    let mut controls = Vec::new();
    // A control that cannot be made proves nothing.
    let mut unproven = Exit::Success;
    if args.control {
        for (name, test) in &tests {
            match control(&pages, name, test).await {
                Ok(Some(job)) => {
                    by_job.insert(job.0.to_string(), test.clone());
                    controls.push(job.0.clone());
                    work.push(job);
                }
                Ok(None) => eprintln!("{name}: no control, its goal is the same on every seed that was tried"),
                Err(cause) => {
                    eprintln!("{name}: no control: {cause}");
                    unproven = Exit::Environment;
                }
            }
        }
    }
    let kind = Kind::Replay { tests: by_job, controls };
    let config = session::config("replay".into(), kind, &args.run, browser, work);
    match session::begin_with(config, pages, &args.run, args.output.output, None).await? {
        Exit::Success => Ok(unproven),
        exit => Ok(exit),
    }
}

/// Reads tests from files and folders, in order of their names.
fn load(paths: &[PathBuf]) -> Outcome<BTreeMap<String, Test>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            let entries =
                std::fs::read_dir(path).with_context(|| format!("read {}", path.display())).or_exit(Exit::Usage)?;
            let entries: Vec<PathBuf> = entries
                .map(|entry| entry.map(|entry| entry.path()))
                .collect::<std::io::Result<_>>()
                .with_context(|| format!("read {}", path.display()))
                .or_exit(Exit::Usage)?;
            let found = files.len();
            files.extend(entries.into_iter().filter(|path| is_test(path)));
            if files.len() == found {
                return failure(Exit::Usage, format!("{}: there is no test in this folder", path.display()));
            }
        } else {
            files.push(path.clone());
        }
    }
    let mut tests = BTreeMap::new();
    for file in files {
        let test = read(&file).or_exit(Exit::Usage)?;
        let name = test.name.clone();
        if tests.insert(name.clone(), test).is_some() {
            return failure(Exit::Usage, format!("{}: two tests are named `{name}`", file.display()));
        }
    }
    if tests.is_empty() {
        return failure(Exit::Usage, "no test was found; name files or folders of tests in the native JSON format");
    }
    Ok(tests)
}

fn is_test(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "json")
}

fn read(file: &Path) -> anyhow::Result<Test> {
    let place = || format!("read the test {}", file.display());
    let text = std::fs::read_to_string(file).with_context(place)?;
    let test: Test = serde_json::from_str(&text).with_context(place)?;
    anyhow::ensure!(
        test.format == FORMAT,
        "{}: format {} of tests is not known here, this version reads {FORMAT}",
        file.display(),
        test.format
    );
    Ok(test)
}

/// The job that replays a test, on its own seed or another.
fn place(name: &str, test: &Test, seed: Option<u64>) -> Outcome<(JobId, Work)> {
    match (&test.start, seed) {
        (Start::Task { task, site }, None) => {
            Ok((JobId::new(name), Work::Task { task: task.clone(), site: site.clone() }))
        }
        (Start::Task { .. }, Some(_)) => failure(Exit::Usage, format!("{name}: --seed is for tests of a benchmark")),
        (Start::Benchmark(task), None) => Ok((JobId::new(name), Work::Benchmark(task.clone()))),
        (Start::Benchmark(task), Some(seed)) => {
            Ok((JobId::new(format!("{name}@{seed}")), Work::Benchmark(BenchmarkTask { seed, ..task.clone() })))
        }
    }
}

/// The job that replays a test of a benchmark where the goal is another; none where no such seed is near.
async fn control(pages: &Pages, name: &str, test: &Test) -> Result<Option<(JobId, Work)>, String> {
    let Start::Benchmark(task) = &test.start else { return Ok(None) };
    for seed in (1..=SEEDS_TRIED).map(|offset| task.seed + offset) {
        let work = Work::Benchmark(BenchmarkTask { seed, ..task.clone() });
        let environment = compose::environment(&work, Some(pages.benchmark().await?))?;
        let mut profile =
            Box::new(pages.profile_for(&work, &BTreeMap::new()).await.map_err(|error| error.to_string())?);
        let begun = environment.begin(profile.page()).await;
        profile.close(begun.is_ok()).await;
        if begun.map_err(|error| error.to_string())? != test.instruction {
            return Ok(Some((JobId::new(format!("{name}@{seed}")), work)));
        }
    }
    Ok(None)
}

/// One row a test: its verdict on its own instance, and on the one where it must not pass.
pub(crate) fn table(outcomes: &[JobOutcome], controls: &[JobId]) -> String {
    let mut header = vec!["test", "verdict"];
    if !controls.is_empty() {
        header.extend(["seed with another goal", "verdict there (must not pass)"]);
    }
    header.push("because");
    let mut table = print::empty_table(&header);
    for outcome in outcomes.iter().filter(|outcome| !controls.contains(&outcome.job)) {
        let mut row = vec![Cell::new(&outcome.job), print::verdict_cell(outcome, true)];
        let prefix = format!("{}@", outcome.job);
        let control = |other: &&JobOutcome| controls.contains(&other.job) && other.job.as_str().starts_with(&prefix);
        let mut because = print::because(outcome);
        match outcomes.iter().find(control) {
            Some(control) => {
                row.push(Cell::new(&control.job.as_str()[prefix.len()..]));
                row.push(print::verdict_cell(control, false));
                because.push_str(&format!("\nthere: {}", print::because(control)));
            }
            None if !controls.is_empty() => row.extend([Cell::new("none"), Cell::new("")]),
            None => {}
        }
        row.push(Cell::new(because));
        table.add_row(row);
    }
    let (own, other): (Vec<&JobOutcome>, Vec<&JobOutcome>) =
        outcomes.iter().partition(|outcome| !controls.contains(&outcome.job));
    let passed = |outcomes: &[&JobOutcome]| outcomes.iter().filter(|one| one.verdict.kind.is_success()).count();
    let mut text = format!("{table}\n{} of {} tests passed", passed(&own), own.len());
    if !other.is_empty() {
        text.push_str(&format!("; {} of {} passed where the goal is another", passed(&other), other.len()));
    }
    text
}

/// Every test must pass, and no control may; a control that could not be carried out proves nothing.
pub(crate) fn exit(outcomes: &[JobOutcome], controls: &[JobId]) -> Exit {
    let (other, own): (Vec<JobOutcome>, Vec<JobOutcome>) =
        outcomes.iter().cloned().partition(|outcome| controls.contains(&outcome.job));
    if other.iter().any(|control| control.verdict.kind.is_success()) {
        return Exit::NotPassed;
    }
    let unproven = other.iter().map(session::verdict_exit).find(|exit| *exit > Exit::NotPassed);
    session::all_exit(&own).max(unproven.unwrap_or(Exit::Success))
}
