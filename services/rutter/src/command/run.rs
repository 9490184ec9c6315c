//! `rutter run`: tasks in a real browser, each with a verdict.

use super::{door, guide, session};
use crate::cli::{Run, SettingsArgs};
use crate::exit::{Exit, OrExit, Outcome, failure};
use domain::task::{Check, Limits, Site};
use domain::{Task, TaskId};
use node::compose::GOLD;
use node::run::{Config, Kind};
use std::collections::BTreeMap;
use tasks::Loaded;
use url::Url;

/// Runs tasks.
pub(crate) async fn execute(args: Run) -> Outcome {
    if let Some(run) = &args.run.resume {
        return session::resume(run, &args.run, args.output.output, None).await;
    }
    let mut loaded = match &args.site {
        Some(site) => vec![from_command_line(&args, site)?],
        None => tasks::load(&args.files)?,
    };
    door::keep_passwords(&mut loaded)?;
    let mut planner = args.planner.config()?;
    if let Some(map) = &args.map {
        let start = loaded.first().map(|loaded| loaded.task.start_url.as_str());
        planner.options = guide::add(&planner.options, &planner.name, map, &SettingsArgs::default(), start).await?;
    }
    if args.planner.planner == GOLD {
        return failure(Exit::Usage, "`gold` solves benchmarks only; choose another planner");
    }
    let browser = args.browser.clone().into();
    let config = session::config(name_of(&args), Kind::Tasks { planner }, &args.run, browser, |campaign| {
        tasks::jobs_of_tasks(loaded, campaign)
    });
    let config = Config { again: args.again.again, ..config };
    args.planner.options.check_unseen(&config.jobs)?;
    session::begin(config, &args.run, args.output.output, None).await
}

fn name_of(args: &Run) -> String {
    let site = args.site.as_deref().and_then(|site| Url::parse(site).ok());
    let host = site.as_ref().and_then(Url::host_str);
    let file = args.files.first().and_then(|file| file.file_stem()).and_then(|stem| stem.to_str());
    host.or(file).unwrap_or("run").to_owned()
}

fn from_command_line(args: &Run, site: &str) -> Outcome<Loaded> {
    let url = tasks::start_url(site)?;
    let start = match args.start.as_deref().map(|start| url.join(start)) {
        None => url.clone(),
        Some(Err(error)) => return failure(Exit::Usage, format!("--start: {error}")),
        Some(Ok(start)) => start,
    };
    let scope = domain::scope::Scope::of(&url);
    scope.check(&start).or_exit(Exit::Usage)?;
    let limits = Limits {
        steps: args.max_steps.unwrap_or(Limits::default().steps),
        seconds: args.max_seconds.unwrap_or(Limits::default().seconds),
        ..Limits::default()
    };
    let check = match args.check.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(Check::All(several.to_vec())),
    };
    let task = Task {
        id: TaskId::new("task"),
        site: None,
        start_url: start.into(),
        instruction: args.task.clone().unwrap_or_default(),
        parameters: BTreeMap::new(),
        check,
        gold: None,
        limits,
        downloads: false,
        may_hold_at_start: false,
    };
    if task.instruction.trim().is_empty() {
        return failure(Exit::Usage, "--task is empty: say in words what is to be done");
    }
    let site = Site { accept_self_signed_certificates: args.accept_self_signed_certificates, ..Site::default() };
    Ok(Loaded { task, site })
}
