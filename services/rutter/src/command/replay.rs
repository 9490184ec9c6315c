//! `rutter replay`: recorded tests without a planner, and where asked for with a control that must not pass.

use super::{session, trust};
use crate::cli::Replay;
use crate::exit::{Exit, Outcome};
use crate::print::note;
use domain::job::Outcome as JobOutcome;
use domain::{Job, JobId};
use node::Pages;
use node::config::Density;
use node::run::{self, Config, Kind};
use std::collections::BTreeMap;

/// Replays tests.
pub(crate) async fn execute(args: Replay) -> Outcome {
    if let Some(run) = &args.run.resume {
        return session::resume(run, &args.run, args.output.output, None).await;
    }
    let tests = tasks::load_tests(&args.tests)?;
    let mut work = Vec::new();
    let mut by_job = BTreeMap::new();
    for (name, test) in &tests {
        let job = tasks::job_of_test(name, test, args.seed)?;
        by_job.insert(job.0.to_string(), test.clone());
        work.push(job);
    }
    trust::of_tests(&args.tests, work.iter().map(|(_, work)| work), args.run.trust)?;
    let browser = args.browser.clone().into();
    let benchmark = work.iter().find_map(|(_, work)| work.benchmark());
    let pages = Pages::started(&browser, Density::default(), benchmark).await?;
    let mut controls = Vec::new();
    // A control that cannot be made proves nothing.
    let mut unproven = Exit::Success;
    if args.control {
        for (name, test) in &tests {
            match run::control(&pages, name, test).await {
                Ok(Some(job)) => {
                    by_job.insert(job.0.to_string(), test.clone());
                    controls.push(job.0.clone());
                    work.push(job);
                }
                Ok(None) => note!("{name}: no control, its goal is the same on every seed that was tried"),
                Err(cause) => {
                    note!("{name}: no control: {cause}");
                    unproven = Exit::Environment;
                }
            }
        }
    }
    let kind = Kind::Replay { tests: by_job, controls };
    let config = session::config("replay".into(), kind, &args.run, browser, |campaign| {
        work.into_iter().map(|(id, work)| Job { id, campaign: campaign.clone(), work }).collect()
    });
    let config = Config { again: args.again.again, ..config };
    match session::begin_with(config, pages, &args.run, args.output.output, None).await? {
        Exit::Success => Ok(unproven),
        exit => Ok(exit),
    }
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
