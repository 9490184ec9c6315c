//! Works a run's jobs through and leaves its results, from the first session or from any later one.
//!
//! The job table alone says what is left to do; a second session differs from the first by nothing but that.

use super::artifacts::{self, Left};
use super::config::Config;
use super::directory::Directory;
use super::progress::Bar;
use crate::compose::{self, Store};
use crate::exit::{Exit, OrExit, Outcome};
use crawler::worker::{self, Options, Progress};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How a run stands after a session.
pub(crate) struct Ended {
    /// What it left behind.
    pub(crate) left: Left,
    /// Whether it was interrupted before all jobs were done.
    pub(crate) interrupted: bool,
}

/// Works through what is left of a run.
///
/// # Errors
/// No browser, no planner, or storage failed; what was done until then is kept.
pub(crate) async fn execute(
    directory: &Directory,
    config: &Config,
    pages: compose::Pages,
    interrupt: CancellationToken,
) -> Outcome<Ended> {
    let clock = compose::clock();
    let store = Store::open(directory.path(), clock.clone()).await?;
    store.jobs.submit(&config.jobs).await?;
    let before = store.jobs.outcomes(&config.campaign).await?;
    let elapsed_before = directory.elapsed_s();
    let started = clock.monotonic();
    let elapsed = || elapsed_before + clock.monotonic().saturating_sub(started).as_secs_f64();

    if before.len() < config.jobs.len() {
        let successes = before.iter().filter(|outcome| outcome.verdict.kind.is_success()).count();
        let mut bar = Bar::new(config.jobs.len(), before.len(), successes);
        let crew = compose::crew(config, &store, pages.clone(), clock.clone()).await?;
        let options = Options {
            workers: config.workers,
            screenshots: compose::screenshots(config.screenshots),
            ..Options::new(config.campaign.clone())
        };
        let (news, mut watched) = mpsc::unbounded_channel();
        let work = tokio::spawn(worker::work(crew, options, news, interrupt.clone()));
        let mut asked_to_end = false;
        loop {
            tokio::select! {
                heard = watched.recv() => {
                    let Some(heard) = heard else { break };
                    bar.tell(&heard);
                    if matches!(heard, Progress::Ended(_)) {
                        directory.set_elapsed_s(elapsed())?;
                    }
                }
                () = interrupt.cancelled(), if !asked_to_end => {
                    asked_to_end = true;
                    bar.say("interrupted: giving unfinished tasks back (once more to end at once)");
                }
            }
        }
        bar.finish();
        let worked = work.await.map_err(|panic| anyhow::anyhow!("the worker died: {panic}")).or_exit(Exit::Internal);
        pages.close().await;
        worked??;
        directory.set_elapsed_s(elapsed())?;
    } else {
        pages.close().await;
    }
    let left = artifacts::leave(directory, config, &store, elapsed()).await?;
    let interrupted = left.pending > 0 && interrupt.is_cancelled();
    store.close().await;
    Ok(Ended { left, interrupted })
}
