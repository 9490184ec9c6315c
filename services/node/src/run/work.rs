//! Works a run's jobs through, from the first session or from any later one.
//!
//! A run is a campaign on a node of this process: its jobs are submitted, worked through by one crawler, and watched to
//! their end. Submitting again changes nothing, so that a second session differs from the first by nothing but what is left.

use super::settings::{Config, Kind, WhichPictures};
use crate::compose::{self, Pages};
use crate::coverage::{self, Files, Sampler};
use crate::{Error, Kept, Node, Role, hear_everything};
use browser::Route;
use crawler::worker::{self, JobEvent, Options, StopSignals};
use domain::campaign::Campaign;
use domain::job::Work;
use domain::service::{AggregatorService, CampaignService, Code, QuarantineVerdict, ServiceError};
use domain::{Job, JobId};
use futures::StreamExt as _;
use platform::health::Health;
use platform::spawn;
use platform::tasks::Tasks;
use report::visits::{self, VisitRecord};
use report::{Directory, Progress};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Jobs handed in with one call.
const AT_ONCE: usize = 1000;

/// How often the time that an exploration took is kept.
const SAVE: Duration = Duration::from_secs(1);

/// How often is told what an exploration found so far.
const SHOW: Duration = Duration::from_secs(2);

/// How long jobs may take to come out of quarantine, and how often it is looked for.
const REOPEN: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(20);

/// Who hears how a run goes on.
pub trait Observer: Send {
    /// So many jobs are to be done, some of which ended in an earlier session.
    fn begins(&mut self, jobs: usize, ended: usize, successes: usize);

    /// Something became of a job.
    fn progress(&mut self, news: &JobEvent);

    /// So many jobs are to be done by now: a later stage has begun.
    fn grows(&mut self, jobs: usize);

    /// What an exploration found so far, in a few words.
    fn found(&mut self, so_far: &str);

    /// Something is worth saying beside it, also after the end.
    fn says(&mut self, line: &str);

    /// The run was asked to end: what is not done is given back.
    fn interrupted(&mut self);

    /// Nothing more becomes of jobs.
    fn ends(&mut self);
}

/// A node with every role over the directory of a run.
///
/// # Errors
/// Another process holds the directory, or a planner cannot be made.
pub async fn start(directory: &Directory, config: &Config) -> Result<Node, Error> {
    let settings = config.node(directory.path());
    let roles = Role::ALL.iter().copied().collect();
    let tasks = Tasks::new(CancellationToken::new());
    Node::start(&settings, &roles, compose::clock(), Health::default(), tasks, None).await
}

/// Works through what is left of a run. `elapsed` tells the seconds that the run has taken, over all its sessions.
///
/// # Errors
/// A service or storage failed; what was done until then is kept.
pub async fn work(
    node: &Node,
    directory: &Directory,
    config: &Config,
    pages: Pages,
    interrupt: &CancellationToken,
    elapsed: &impl Fn() -> f64,
    observer: &mut dyn Observer,
) -> Result<(), Error> {
    let (campaigns, aggregator) = node.services()?;
    let id = &config.campaign;
    submit(campaigns.as_ref(), config.campaign(), &config.jobs).await?;
    // The queue says what is left: the ledger hears later of jobs that were taken out of quarantine.
    let tally = campaigns.status(id).await?.tally;
    if tally.ended() == tally.jobs {
        return Ok(hear_everything(campaigns.as_ref(), aggregator.as_ref(), id).await?);
    }
    let before = aggregator.totals(id).await?;
    observer.begins(config.jobs.len(), tally.ended() as usize, before.sum().successes() as usize);
    let tests = match &config.kind {
        Kind::Replay { tests, .. } => tests.clone(),
        Kind::Tasks { .. } | Kind::Bench { .. } | Kind::Explore(_) => BTreeMap::new(),
    };
    let kept = kept(directory, config, aggregator.as_ref()).await?;
    let (tell, mut told) = mpsc::unbounded_channel();
    let mut sampler = sampler(directory, config, elapsed(), tell)?;
    let pages = pages.covering(sampler.as_ref().and_then(Sampler::scripts));
    let crew = node.crew(&config.crawler(), pages.clone(), tests, kept)?;
    let options = Options {
        slots: config.workers,
        campaign: Some(id.clone()),
        screenshots: compose::screenshots(config.screenshots),
        ..Options::new("run")
    };
    let rest = StopSignals { drain: CancellationToken::new(), interrupt: interrupt.child_token() };
    let (news, mut watched) = mpsc::unbounded_channel();
    if let Some(sampler) = &mut sampler {
        tokio::select! {
            () = sampler.look_first() => {}
            () = interrupt.cancelled() => {}
        }
    }
    let explored = CancellationToken::new();
    let mut found = progress(config, directory, aggregator.clone(), explored.clone());
    let sampling = sampler.map(|sampler| spawn::detached("sampler of coverage", sampler.run(explored.clone())));
    let studying = (config.again > 0).then(|| {
        spawn::detached("studies", worker::work(crew.clone(), options.of_studies(), news.clone(), rest.clone()))
    });
    let working = spawn::detached("crawler", worker::work(crew, options, news, rest.clone()));
    let mut statuses = campaigns.watch(id).await?;
    let mut failed = Ok(());
    let mut asked_to_end = false;
    loop {
        tokio::select! {
            heard = watched.recv() => {
                let Some(heard) = heard else { break };
                observer.progress(&heard);
                if matches!(heard, JobEvent::Ended(_)) {
                    directory.set_elapsed_s(elapsed())?;
                }
            }
            status = statuses.next(), if !rest.drain.is_cancelled() => match status {
                Some(Ok(status)) if status.tally.ended() < status.tally.jobs => {
                    observer.grows(status.tally.jobs as usize);
                }
                Some(Ok(_)) | None => rest.drain.cancel(),
                Some(Err(error)) => {
                    failed = Err(error);
                    rest.interrupt.cancel();
                    rest.drain.cancel();
                }
            },
            // What a browser explores has a budget of time, of which nothing is lost with the process.
            () = sleep(SAVE), if matches!(config.kind, Kind::Explore(_)) => directory.set_elapsed_s(elapsed())?,
            Some(news) = told.recv() => observer.says(&news),
            Some(so_far) = found.recv() => observer.found(&so_far),
            () = interrupt.cancelled(), if !asked_to_end => {
                asked_to_end = true;
                observer.interrupted();
            }
            () = node.tasks.shutdown().cancelled(), if !rest.interrupt.is_cancelled() => rest.interrupt.cancel(),
        }
    }
    observer.ends();
    // A stream that nobody polls may hold the one connection to the database, for which everything else would wait.
    drop(statuses);
    let worked = working.await.map_err(|cause| Error::Died { part: "the crawler", cause });
    let studied = match studying {
        Some(studying) => studying.await.map_err(|cause| Error::Died { part: "the crawler of studies", cause })?,
        None => Ok(()),
    };
    pages.close().await;
    explored.cancel();
    if let Some(sampling) = sampling {
        sampling.await.map_err(|cause| Error::Died { part: "measuring coverage", cause })?;
        while let Ok(news) = told.try_recv() {
            observer.says(&news);
        }
    }
    worked??;
    studied?;
    failed?;
    hear_everything(campaigns.as_ref(), aggregator.as_ref(), id).await?;
    Ok(directory.set_elapsed_s(elapsed())?)
}

/// Tells what an exploration found so far, again and again, until it is `done`. It asks in a task of its own: whoever polls the
/// stream of statuses must not wait for the database meanwhile.
fn progress(
    config: &Config,
    directory: &Directory,
    ledger: Arc<dyn AggregatorService>,
    done: CancellationToken,
) -> mpsc::UnboundedReceiver<String> {
    let (tell, told) = mpsc::unbounded_channel();
    if !matches!(config.kind, Kind::Explore(_)) {
        return told;
    }
    let (campaign, directory) = (config.campaign.clone(), directory.clone());
    let telling = async move {
        let mut found = Progress::default();
        while timeout(SHOW, done.cancelled()).await.is_err() {
            if let Err(error) = found.hear(ledger.as_ref(), &campaign).await {
                tracing::debug!(%error, "not asked what was found so far");
            }
            found.measured(&report::coverage::read(&directory, None));
            if tell.send(found.told()).is_err() {
                return;
            }
        }
    };
    drop(spawn::detached("progress of the exploration", telling));
    told
}

/// What is written down beside the pages that an exploration sees. What its browsers' parts took in earlier sessions counts.
async fn kept(directory: &Directory, config: &Config, ledger: &dyn AggregatorService) -> Result<Kept, Error> {
    let Kind::Explore(explore) = &config.kind else { return Ok(Kept::default()) };
    let kept = Kept::pictures(config.screenshots != WhichPictures::None);
    let file = |source| Error::File { action: "open the files of the exploration".to_owned(), source };
    let earlier = visits::read(directory.path()).map_err(file)?;
    let told: Vec<VisitRecord> = visits::of_campaign(ledger, &config.campaign).await?;
    for visit in earlier.into_iter().chain(told) {
        let job = JobId::new(visit.crawler);
        kept.spent(config.campaign.clone(), job, Duration::try_from_secs_f64(visit.at_s).unwrap_or_default());
    }
    match explore.keep_observations {
        true => kept.observations(directory.path()).map_err(file),
        false => Ok(kept),
    }
}

/// Who looks at coverage beside an exploration, where its settings ask for that.
fn sampler(
    directory: &Directory,
    config: &Config,
    elapsed_s: f64,
    news: mpsc::UnboundedSender<String>,
) -> Result<Option<Sampler>, Error> {
    let Kind::Explore(explore) = &config.kind else { return Ok(None) };
    let options = explore.coverage.options().map_err(Error::Settings)?;
    let Some(work) = config.jobs.first().map(|job| &job.work).filter(|_| !options.is_nothing()) else {
        return Ok(None);
    };
    let Work::Exploration { site, .. } = work else { return Ok(None) };
    let route = Route::to(site, compose::scope_of(work).map_err(Error::Settings)?);
    let files = Files::open(directory, options.javascript, news)?;
    let scripts = options.javascript.then(|| coverage::ledger(directory).unwrap_or_default());
    let elapsed = Duration::try_from_secs_f64(elapsed_s).unwrap_or_default().max(coverage::looked_last(directory));
    Ok(Some(Sampler::new(options, route, scripts, Box::new(files), compose::clock(), elapsed)))
}

/// Creates the campaign and hands its jobs in; jobs that an earlier session left in quarantine are tried again.
async fn submit(campaigns: &dyn CampaignService, campaign: Campaign, jobs: &[Job]) -> Result<(), ServiceError> {
    let id = &campaign.id.clone();
    campaigns.create(campaign).await?;
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
