//! Goes the ways of one run again on the site of another, in a real browser, with that run's log-in and guards. What is seen
//! becomes one more version of the two maps put together; the run directories stay as they are.

use crate::Error;
use crate::compose::{self, NamedSecrets, Pages};
use crate::config::{BrowserConfig, CrawlerConfig, Density};
use crate::witness::MemoryWitness;
use async_trait::async_trait;
use backends::map::MemoryMaps;
use backends::shared::{SharedMemory, SharedServices};
use crawler::destructive::{Book, Books, DestructiveGuard};
use crawler::explore::{ExplorerServices, Guide};
use crawler::worker::Profile as _;
use crawler::{Explorer, NoRecorder, Screenshots};
use domain::campaign::Ticket;
use domain::exploration::Exploration;
use domain::job::Work;
use domain::privilege::{Allowed, Privilege};
use domain::service::ServiceError;
use domain::state::Route;
use domain::storage::graph::{Changes, GraphStore, Merged};
use domain::task::Site;
use domain::{CampaignId, Ending, EpisodeId, Fence, JobId, SiteId, TaskId};
use graph::combined::CombinedMap;
use graph::diff::PageVisit;
use graph::retrace::Retracing;
use graph::{Dependencies, Graph, Options};
use platform::clock::Clock;
use report::visits::VisitRecord;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Seconds after which a replay that does not end by itself is ended.
const GRACE: Duration = Duration::from_secs(60);

/// Whose ways are gone on whose site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Those of the earlier run on the later site.
    Onward,
    /// Those of the later run on the earlier site.
    Back,
}

/// What is to be gone again.
pub struct Retrace<'a> {
    /// The part of a browser in the exploration of the run whose site is gone to, once more.
    pub exploration: Exploration,
    /// The settings of its site.
    pub settings: Box<Site>,
    /// What that run is called.
    pub name: &'a str,
    /// How long it may take.
    pub budget: Duration,
    /// The browser.
    pub browser: &'a BrowserConfig,
    /// Whose ways are gone.
    pub direction: Direction,
}

/// What came of it, beside what is in the map.
pub struct Gone {
    /// Ways that were gone.
    pub walked: usize,
    /// Pages that were seen.
    pub seen: Vec<VisitRecord>,
}

impl Retrace<'_> {
    /// Goes, until asked to end.
    ///
    /// # Errors
    /// No browser; a site that cannot be reached; [`Error::Interrupted`].
    pub async fn go(&self, both: &mut CombinedMap, interrupt: CancellationToken) -> Result<Gone, Error> {
        let exploration = self.exploration.clone();
        let work = Work::Exploration { exploration: Box::new(exploration.clone()), site: self.settings.clone() };
        let clock = compose::clock();
        let (maps, site) = (Arc::new(MemoryMaps::default()), exploration.version.site.clone());
        seed(maps.as_ref(), both, clock.as_ref()).await?;
        let dependencies = Dependencies { store: maps.clone(), clock: clock.clone(), embedder: None, history: None };
        let options = Options { abstraction: both.all.abstraction.clone(), ..Options::default() };
        let graph = Graph::new(dependencies, options).map_err(Error::StoredMap)?;
        let place = both.all.versions.len();
        let (mut here, mut there) = (both.before.clone(), both.after.clone());
        if self.direction == Direction::Back {
            std::mem::swap(&mut here, &mut there);
        }
        there.versions.push(place);
        let walked = Arc::new(AtomicUsize::new(0));
        let retracing = Retracing::new(graph.clone(), site.clone(), here, there.clone());
        let guide = Box::new(RetraceGuide { retracing, walked: walked.clone() });
        let scope = compose::scope_of(&work).map_err(Error::Settings)?;
        let witness = Arc::new(MemoryWitness::new(scope));
        let services = ExplorerServices {
            map: Arc::new(graph),
            clock: clock.clone(),
            witness: witness.clone(),
            books: Books::default(),
        };
        let explorer =
            Explorer::guided(services, exploration, format!("{}/replay", self.exploration.version.role), guide);
        Box::pin(self.walk(&work, explorer, clock, interrupt)).await?;
        // The map knows the new version by now, unless nothing was seen.
        let all = maps.since(&site, 0).await?;
        if all.versions.len() > place {
            both.all = all;
            let seen = witness.take();
            there.arrived.extend(seen.iter().map(arrived));
            *(if self.direction == Direction::Onward { &mut both.after } else { &mut both.before }) = there;
            return Ok(Gone { walked: walked.load(Ordering::Relaxed), seen });
        }
        Ok(Gone { walked: 0, seen: Vec::new() })
    }

    async fn walk(
        &self,
        work: &Work,
        mut explorer: Explorer,
        clock: Arc<dyn Clock>,
        interrupt: CancellationToken,
    ) -> Result<(), Error> {
        let rates = SharedServices::of(SharedMemory::new(clock.clone())).rates;
        let pages = Pages::started(self.browser, Density::default(), None).await?;
        let allowed = Allowed::exactly(Privilege::of_work(work));
        let crawler = CrawlerConfig { allowed, ..CrawlerConfig::default() };
        let pages = pages.paced(rates, crawler.usual_rate).knowing(NamedSecrets::of(&crawler));
        let walked = async {
            let profile = pages.profile_for(work, &BTreeMap::new()).await;
            let mut profile = Box::new(profile.map_err(Error::Page)?);
            let environment = compose::environment(work, None).map_err(Error::Settings)?;
            let guards = compose::guards_of(work);
            let mut limits = compose::EXPLORATION_LIMITS;
            limits.seconds = (self.budget + GRACE).as_secs();
            let ended = crawler::run(crawler::Attempt {
                ticket: Ticket { campaign: CampaignId::new("replay"), job: JobId::new("replay"), fence: Fence(0) },
                episode: EpisodeId(uuid::Uuid::nil()),
                site: SiteId::new("replay"),
                task: TaskId::new("replay"),
                decider: &mut explorer,
                page: &mut DestructiveGuard::new(profile.page(), guards, Book::default()),
                environment: environment.as_ref(),
                check: None,
                explores: true,
                limits,
                recorder: &NoRecorder,
                clock: clock.as_ref(),
                screenshots: Screenshots::None,
                seed: 0,
                context: Arc::default(),
                interrupt,
            })
            .await;
            profile.close(ended.is_ok()).await;
            Ok(ended?.trajectory.ending)
        };
        let ended: Result<Ending, Error> = walked.await;
        pages.close().await;
        match ended? {
            Ending::Stopped { .. } | Ending::TimeLimit { .. } => Ok(()),
            Ending::Interrupted => Err(Error::Interrupted),
            ending => {
                let cause = evaluation::judge::describe(&ending);
                Err(Error::NotRetraced { name: self.name.to_owned(), cause })
            }
        }
    }
}

/// Where a page stood that was seen.
pub fn arrived(seen: &VisitRecord) -> PageVisit {
    let by = seen.deed.as_ref().map(|deed| (deed.from, deed.action.clone()));
    PageVisit { state: seen.state, by, url: seen.url.clone() }
}

/// Writes the two maps into an empty store.
async fn seed(maps: &MemoryMaps, both: &CombinedMap, clock: &dyn Clock) -> Result<(), Error> {
    let mut known = 0;
    for (version, changes) in both.seeds() {
        match maps.merge(&version, &Changes { known, ..changes }, clock.wall()).await? {
            Merged::Done { change, .. } => known = change,
            Merged::Behind | Merged::Repeated { .. } => {
                return Err(Error::MapChanged);
            }
        }
    }
    Ok(())
}

/// Tells a browser the ways that the map names.
struct RetraceGuide {
    retracing: Retracing,
    walked: Arc<AtomicUsize>,
}

#[async_trait]
impl Guide for RetraceGuide {
    async fn next(&mut self) -> Result<Option<Route>, ServiceError> {
        let next = self.retracing.next().await?;
        self.walked.store(self.retracing.walked(), Ordering::Relaxed);
        Ok(next)
    }
}
