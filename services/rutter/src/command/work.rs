//! Works a run through on a node of this process, and writes down what it leaves.

use crate::exit::Outcome;
use crate::progress::Bar;
use domain::{Job, JobId};
use node::run::{self, Config};
use node::{Node, Pages};
use report::{Directory, Left, Sources, artifacts, explored};
use std::collections::HashSet;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long the roles may take to end.
const END: Duration = Duration::from_secs(10);

/// How a run stands after a session.
pub(super) struct Ended {
    /// What it left behind.
    pub(super) left: Left,
    /// Whether it was interrupted before all jobs were done.
    pub(super) interrupted: bool,
}

/// Works through what is left of a run.
///
/// # Errors
/// No browser, no planner, or storage failed; what was done until then is kept.
pub(super) async fn through(
    directory: &Directory,
    config: &Config,
    pages: Pages,
    interrupt: CancellationToken,
) -> Outcome<Ended> {
    let clock = node::clock();
    let node = run::start(directory, config).await?;
    let started = clock.monotonic();
    let elapsed_before = directory.elapsed_s();
    let elapsed = || elapsed_before + clock.monotonic().saturating_sub(started).as_secs_f64();
    let worked = run::work(&node, directory, config, pages, &interrupt, &elapsed, &mut Bar::default()).await;
    // Whatever stopped it: what was done is told, and of the rest that it was not.
    let left = leave(directory, config, &node, elapsed()).await;
    node.stop(END).await;
    worked?;
    let left = left?;
    let interrupted = left.pending > 0 && interrupt.is_cancelled();
    Ok(Ended { left, interrupted })
}

/// Writes down what a run left.
///
/// # Errors
/// What is stored cannot be read, or the directory not be written.
pub(super) async fn leave(directory: &Directory, config: &Config, node: &Node, wall_s: f64) -> Outcome<Left> {
    let sources = node.sources()?;
    let mut run = config.reported();
    let jobs = all_jobs(config, &sources).await?;
    run.jobs = &jobs;
    let report::Kind::Exploration(explore) = run.kind else {
        return Ok(artifacts::leave(directory, &run, &sources, wall_s).await?);
    };
    let coverage = node::coverage::read(directory);
    Ok(explored::leave(directory, &run, explore, &sources, coverage, wall_s).await?)
}

/// What was to be done, and what was tried again.
async fn all_jobs(config: &Config, sources: &Sources) -> Outcome<Vec<Job>> {
    let mut jobs = config.jobs.clone();
    if config.again > 0 {
        let there: HashSet<&JobId> = config.jobs.iter().map(|job| &job.id).collect();
        let later = sources.jobs(&config.campaign).await?;
        jobs.extend(later.into_iter().filter(|job| !there.contains(&job.id)));
    }
    Ok(jobs)
}
