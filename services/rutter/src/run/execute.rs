//! Works a run's jobs through and leaves its results, from the first session or from any later one.
//!
//! A run is a campaign on a node of this process: its jobs are submitted, worked through by one crawler, and watched to
//! their end. Submitting again changes nothing, so that a second session differs from the first by nothing but what is left.

use super::artifacts::{self, Left};
use super::config::{Config, Kind};
use super::coverage::Sampler;
use super::directory::Directory;
use super::explored;
use super::progress::Bar;
use crate::cli::WhichPictures;
use crate::command::refused;
use crate::compose::witness::FileWitness;
use crate::compose::{self, Pages};
use crate::exit::{Exit, OrExit, Outcome};
use crate::node::{self, Node, Role};
use anyhow::Context as _;
use crawler::explore::{NoWitness, Witness};
use crawler::worker::{self, Options, Progress, Rest};
use domain::campaign::{Campaign, PlannerRef};
use domain::service::{CampaignService, Code, QuarantineVerdict, ServiceError};
use domain::{CampaignId, Job};
use futures::StreamExt as _;
use platform::health::Health;
use platform::tasks::Tasks;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Jobs handed in with one call.
const AT_ONCE: usize = 1000;

/// How often the time that an exploration took is kept.
const SAVE: Duration = Duration::from_secs(1);

/// How long the roles may take to end.
const END: Duration = Duration::from_secs(10);

/// How long jobs may take to come out of quarantine, and how often it is looked for.
const REOPEN: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(20);

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
    pages: Pages,
    interrupt: CancellationToken,
) -> Outcome<Ended> {
    let clock = compose::clock();
    let node = open(directory, config).await?;
    let started = clock.monotonic();
    let elapsed_before = directory.elapsed_s();
    let elapsed = || elapsed_before + clock.monotonic().saturating_sub(started).as_secs_f64();
    let worked = work(&node, directory, config, pages, &interrupt, &elapsed).await;
    // Whatever stopped it: what was done is told, and of the rest that it was not.
    let left = match &config.kind {
        Kind::Explore(explore) => explored::leave(directory, config, explore, &node, elapsed()).await,
        _ => artifacts::leave(directory, config, &node, elapsed()).await,
    };
    let left = worked.and(left);
    node.stop(END).await;
    let left = left?;
    let interrupted = left.pending > 0 && interrupt.is_cancelled();
    Ok(Ended { left, interrupted })
}

/// A node with every role over the directory of a run.
///
/// # Errors
/// Another process holds the directory, or a planner cannot be made.
pub(crate) async fn open(directory: &Directory, config: &Config) -> Outcome<Node> {
    let settings = config.node(directory.path());
    let roles = BTreeSet::from(Role::ALL);
    let tasks = Tasks::new(CancellationToken::new());
    Node::start(&settings, &roles, compose::clock(), Health::default(), tasks, None).await
}

async fn work(
    node: &Node,
    directory: &Directory,
    config: &Config,
    pages: Pages,
    interrupt: &CancellationToken,
    elapsed: &impl Fn() -> f64,
) -> Outcome<()> {
    let (campaigns, aggregator) = node.services()?;
    let id = &config.campaign;
    submit(campaigns.as_ref(), id, config.kind.planner_ref(), &config.jobs).await.map_err(refused)?;
    // The queue says what is left: the ledger hears later of jobs that were taken out of quarantine.
    let tally = campaigns.status(id).await.map_err(refused)?.tally;
    if tally.ended() == tally.jobs {
        return node::hear_everything(campaigns.as_ref(), aggregator.as_ref(), id).await.map_err(refused);
    }
    let before = aggregator.totals(id).await.map_err(refused)?;
    let mut bar = Bar::new(config.jobs.len(), tally.ended() as usize, before.sum().successes() as usize);
    let tests = match &config.kind {
        Kind::Replay { tests, .. } => tests.clone(),
        Kind::Tasks { .. } | Kind::Bench { .. } | Kind::Explore(_) => BTreeMap::new(),
    };
    let witness = witness(directory, config)?;
    let (tell, mut told) = mpsc::unbounded_channel();
    let mut sampler = sampler(directory, config, elapsed(), tell)?;
    let pages = pages.covering(sampler.as_ref().and_then(Sampler::scripts));
    let crew = node.crew(&config.crawler(), pages.clone(), tests, witness)?;
    let options = Options {
        slots: config.workers,
        campaign: Some(id.clone()),
        screenshots: compose::screenshots(config.screenshots),
        ..Options::new("run")
    };
    let rest = Rest { drain: CancellationToken::new(), interrupt: interrupt.child_token() };
    let (news, mut watched) = mpsc::unbounded_channel();
    if let Some(sampler) = &mut sampler {
        tokio::select! {
            () = sampler.look_first() => {}
            () = interrupt.cancelled() => {}
        }
    }
    let explored = CancellationToken::new();
    let sampling = sampler.map(|sampler| tokio::spawn(sampler.run(explored.clone())));
    let working = tokio::spawn(worker::work(crew, options, news, rest.clone()));
    let mut statuses = campaigns.watch(id).await.map_err(refused)?;
    let mut failed = Ok(());
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
            status = statuses.next(), if !rest.drain.is_cancelled() => match status {
                Some(Ok(status)) if status.tally.ended() < status.tally.jobs => {}
                Some(Ok(_)) | None => rest.drain.cancel(),
                Some(Err(error)) => {
                    failed = Err(refused(error));
                    rest.interrupt.cancel();
                    rest.drain.cancel();
                }
            },
            // What a browser explores has a budget of time, of which nothing is lost with the process.
            () = sleep(SAVE), if matches!(config.kind, Kind::Explore(_)) => directory.set_elapsed_s(elapsed())?,
            Some(news) = told.recv() => bar.say(&news),
            () = interrupt.cancelled(), if !asked_to_end => {
                asked_to_end = true;
                bar.say("interrupted: giving unfinished tasks back (once more to end at once)");
            }
            () = node.tasks.shutdown().cancelled(), if !rest.interrupt.is_cancelled() => rest.interrupt.cancel(),
        }
    }
    bar.finish();
    // A stream that nobody polls may hold the one connection to the database, for which everything else would wait.
    drop(statuses);
    let worked = working.await.map_err(|panic| anyhow::anyhow!("the crawler died: {panic}")).or_exit(Exit::Internal);
    pages.close().await;
    if let Some(sampling) = sampling {
        explored.cancel();
        sampling.await.map_err(|panic| anyhow::anyhow!("measuring coverage died: {panic}")).or_exit(Exit::Internal)?;
        while let Ok(news) = told.try_recv() {
            eprintln!("{news}");
        }
    }
    worked??;
    failed?;
    node::hear_everything(campaigns.as_ref(), aggregator.as_ref(), id).await.map_err(refused)?;
    directory.set_elapsed_s(elapsed())
}

/// Who writes down what an exploration sees.
fn witness(directory: &Directory, config: &Config) -> Outcome<Arc<dyn Witness>> {
    let Kind::Explore(explore) = &config.kind else { return Ok(Arc::new(NoWitness)) };
    let scope = config.jobs.first().map(|job| compose::scope_of(&job.work)).transpose();
    let scope = scope.map_err(anyhow::Error::msg).or_exit(Exit::Usage)?.unwrap_or_default();
    let pictures = config.screenshots != WhichPictures::None;
    let opened = FileWitness::open(directory.path(), scope, explore.keep_observations, pictures);
    Ok(Arc::new(opened.context("open the files of the exploration").or_exit(Exit::Storage)?))
}

/// Who looks at coverage beside an exploration, where its settings ask for that.
fn sampler(
    directory: &Directory,
    config: &Config,
    elapsed_s: f64,
    news: mpsc::UnboundedSender<String>,
) -> Outcome<Option<Sampler>> {
    let Kind::Explore(explore) = &config.kind else { return Ok(None) };
    let elapsed = Duration::try_from_secs_f64(elapsed_s).unwrap_or_default();
    Sampler::open(directory, explore, compose::clock(), elapsed, news)
}

/// Creates the campaign and hands its jobs in; jobs that an earlier session left in quarantine are tried again.
async fn submit(
    campaigns: &dyn CampaignService,
    id: &CampaignId,
    planner: PlannerRef,
    jobs: &[Job],
) -> Result<(), ServiceError> {
    campaigns.create(Campaign::new(id.clone(), planner)).await?;
    for jobs in jobs.chunks(AT_ONCE) {
        campaigns.submit(jobs.to_vec()).await?;
    }
    let quarantined: Vec<_> = campaigns.quarantine(id).await?.into_iter().map(|job| job.job).collect();
    if !quarantined.is_empty() {
        campaigns.settle(id, quarantined, QuarantineVerdict::Retry).await?;
        // They count as ended until the record that reopens them has come back by the log.
        let reopened = async {
            while campaigns.status(id).await?.tally.quarantined > 0 {
                sleep(LOOK).await;
            }
            Ok(())
        };
        let late =
            || ServiceError::new(Code::Deadline, "the queue does not take jobs out of quarantine; try once more");
        timeout(REOPEN, reopened).await.unwrap_or_else(|_| Err(late()))?;
    }
    Ok(())
}
