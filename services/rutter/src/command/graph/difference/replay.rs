//! Goes the ways of one run again on the site of the other, in a real browser, with that run's log-in and guards. What is seen
//! becomes one more version of the two maps put together; the run directories stay as they are.

use super::sides::{Recorded, arrived};
use crate::command::session;
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use anyhow::Context as _;
use async_trait::async_trait;
use backends::map::MemoryMaps;
use backends::shared::{Shared, SharedMemory};
use crawler::explore::{Footing, Guide};
use crawler::guard::Guarded;
use crawler::worker::Profile as _;
use crawler::{Explorer, NoRecorder, Screenshots};
use domain::campaign::Ticket;
use domain::exploration::Exploration;
use domain::job::Work;
use domain::service::ServiceError;
use domain::state::{Route, Version};
use domain::storage::graph::{Changes, GraphStore, Merged};
use domain::{CampaignId, Ending, EpisodeId, Fence, Job, JobId, RunId, SiteId, TaskId};
use graph::retrace::Retracing;
use graph::together::Together;
use graph::{Dependencies, Graph, Options};
use node::config::{BrowserConfig, CrawlerConfig, Density};
use node::run::MemoryWitness;
use node::{Pages, compose};
use platform::{clock::Clock, shutdown};
use report::visits::Seen;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Seconds after which a replay that does not end by itself is ended.
const GRACE: Duration = Duration::from_secs(60);

/// Whose ways are gone on whose site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Those of the earlier run on the later site.
    Onward,
    /// Those of the later run on the earlier site.
    Back,
}

/// What is to be gone again.
pub(super) struct Replay<'a> {
    pub(super) role: &'a str,
    /// The run whose site is gone to.
    pub(super) recorded: &'a Recorded,
    /// Where that is now; empty where it was explored.
    pub(super) url: &'a str,
    /// Further hosts that belong to it.
    pub(super) scope: &'a [String],
    pub(super) budget: Duration,
    pub(super) browser: &'a BrowserConfig,
    pub(super) way: Way,
}

/// What came of it, beside what is in the map.
pub(super) struct Gone {
    pub(super) walked: usize,
    pub(super) seen: Vec<Seen>,
}

impl Replay<'_> {
    /// Goes.
    ///
    /// # Errors
    /// The run directory does not say how it was explored; no browser; a site that cannot be reached.
    pub(super) async fn go(&self, both: &mut Together) -> Outcome<Gone> {
        let (exploration, mut work) = self.work(both)?;
        let clock = node::clock();
        let (maps, site) = (Arc::new(MemoryMaps::default()), exploration.version.site.clone());
        seed(maps.as_ref(), both, clock.as_ref()).await?;
        let dependencies = Dependencies { store: maps.clone(), clock: clock.clone(), embedder: None, history: None };
        let options = Options { abstraction: both.all.abstraction.clone(), ..Options::default() };
        let graph = Graph::new(dependencies, options).or_exit(Exit::Storage)?;
        let place = both.all.versions.len();
        let (mut here, mut there) = (both.before.clone(), both.after.clone());
        if self.way == Way::Back {
            std::mem::swap(&mut here, &mut there);
        }
        there.versions.push(place);
        let walked = Arc::new(AtomicUsize::new(0));
        let retracing = Retracing::new(graph.clone(), site.clone(), here, there.clone());
        let guide = Box::new(Retrace { retracing, walked: walked.clone() });
        let scope = compose::scope_of(&work).map_err(anyhow::Error::msg).or_exit(Exit::Usage)?;
        let witness = Arc::new(MemoryWitness::new(scope));
        let footing = Footing { map: Arc::new(graph), clock: clock.clone(), witness: witness.clone() };
        let explorer = Explorer::guided(footing, exploration, format!("{}/replay", self.role), guide);
        self.walk(&mut work, explorer, clock).await?;
        // The map knows the new version by now, unless nothing was seen.
        let all = maps.since(&site, 0).await?;
        if all.versions.len() > place {
            both.all = all;
            let seen = witness.take();
            there.arrived.extend(seen.iter().map(arrived));
            *(if self.way == Way::Onward { &mut both.after } else { &mut both.before }) = there;
            return Ok(Gone { walked: walked.load(Ordering::Relaxed), seen });
        }
        Ok(Gone { walked: 0, seen: Vec::new() })
    }

    /// The part of a browser in that run's exploration, once more.
    fn work(&self, both: &Together) -> Outcome<(Exploration, Work)> {
        let name = &self.recorded.name;
        let jobs = self.recorded.config.iter().flat_map(|config| &config.jobs);
        let found = jobs.filter_map(|job: &Job| match &job.work {
            Work::Exploration { exploration, site } if exploration.version.role == self.role => {
                Some((exploration, site))
            }
            _ => None,
        });
        let Some((explored, settings)) = found.into_iter().next() else {
            let cause =
                format!("{name} does not say how it was explored as {}: it cannot be replayed there", self.role);
            return failure(Exit::Usage, cause);
        };
        let mut exploration = explored.as_ref().clone();
        if !self.url.is_empty() {
            exploration.start_url = tasks::start_url(self.url)?.to_string();
        }
        let site = both.name().cloned().unwrap_or_else(|| explored.version.site.clone());
        let run = RunId::new(format!("{}, gone again", explored.version.run));
        exploration.version = Version { site, run, role: self.role.to_owned() };
        exploration.seconds = self.budget.as_secs().max(1);
        let mut settings = settings.clone();
        settings.scope.hosts.extend(self.scope.iter().cloned());
        let work = Work::Exploration { exploration: Box::new(exploration.clone()), site: settings };
        Ok((exploration, work))
    }

    async fn walk(&self, work: &mut Work, mut explorer: Explorer, clock: Arc<dyn Clock>) -> Outcome<()> {
        let interrupt = shutdown::on_signals().context("listen to signals").or_exit(Exit::Internal)?;
        let rates = Shared::of(SharedMemory::new(clock.clone())).rates;
        let pages = session::pages(self.browser, Density::default(), false).await?;
        let pages: Pages = pages.paced(rates, CrawlerConfig::default().usual_rate);
        let walked = async {
            let profile = pages.profile_for(work, &BTreeMap::new()).await;
            let mut profile = Box::new(profile.context("open a page").or_exit(Exit::Environment)?);
            let environment = compose::environment(work, None).map_err(anyhow::Error::msg).or_exit(Exit::Usage)?;
            let guards = compose::guards_of(work);
            let mut limits = compose::EXPLORATION_LIMITS;
            limits.seconds = (self.budget + GRACE).as_secs();
            let ended = crawler::run(crawler::Attempt {
                ticket: Ticket { campaign: CampaignId::new("replay"), job: JobId::new("replay"), fence: Fence(0) },
                episode: EpisodeId(uuid::Uuid::nil()),
                site: SiteId::new("replay"),
                task: TaskId::new("replay"),
                decider: &mut explorer,
                page: &mut Guarded::new(profile.page(), guards),
                environment: environment.as_ref(),
                check: None,
                explores: true,
                limits,
                recorder: &NoRecorder,
                clock: clock.as_ref(),
                screenshots: Screenshots::None,
                seed: 0,
                interrupt,
            })
            .await;
            profile.close(ended.is_ok()).await;
            Ok(ended?.trajectory.ending)
        };
        let ended: Outcome<Ending> = walked.await;
        pages.close().await;
        match ended? {
            Ending::Stopped { .. } | Ending::TimeLimit { .. } => Ok(()),
            Ending::Interrupted => failure(Exit::Interrupted, "interrupted: nothing is said of what was gone again"),
            ending => {
                let cause = evaluation::judge::describe(&ending);
                failure(
                    Exit::Environment,
                    format!("the ways could not be gone again on the site of {}: {cause}", self.recorded.name),
                )
            }
        }
    }
}

/// Writes the two maps into an empty store.
async fn seed(maps: &MemoryMaps, both: &Together, clock: &dyn Clock) -> Outcome<()> {
    let mut known = 0;
    for (version, changes) in both.seeds() {
        match maps.merge(&version, &Changes { known, ..changes }, clock.wall()).await? {
            Merged::Done { change, .. } => known = change,
            Merged::Behind | Merged::Repeated { .. } => {
                return failure(Exit::Internal, "a map of its own was changed by somebody else");
            }
        }
    }
    Ok(())
}

/// Tells a browser the ways that the map names.
struct Retrace {
    retracing: Retracing,
    walked: Arc<AtomicUsize>,
}

#[async_trait]
impl Guide for Retrace {
    async fn next(&mut self) -> Result<Option<Route>, ServiceError> {
        let next = self.retracing.next().await?;
        self.walked.store(self.retracing.walked(), Ordering::Relaxed);
        Ok(next)
    }
}
