//! Jobs in, outcomes out: each exactly once, whatever the browser does.

use super::fakes::{CountTo, CounterPage, HeldClock, MORE, Silent, Told, act};
use crate::assignment::seed_of;
use crate::drive::Screenshots;
use crate::recorder::JournalRecorder;
use crate::worker::{Assignment, AssignmentSource, Crew, Options, PageSource, Profile, Progress, work};
use async_trait::async_trait;
use backends::{Embedded, Journal};
use domain::job::{BenchmarkTask, Work};
use domain::page::{Page, PageError};
use domain::storage::{EventLog, StorageError, Topic};
use domain::task::{Check, Limits, PageStateCheck};
use domain::verdict::VerdictKind;
use domain::{Action, CampaignId, Decider, Ending, Job, JobId, SiteId, TaskId, Trajectory};
use platform::clock::Clock;
use serde_json::json;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

/// Gives pages, and counts those that are open.
#[derive(Default)]
struct Pages {
    open: Arc<AtomicUsize>,
    given: AtomicUsize,
    /// What the next pages fail with: no page at all, or at the named call.
    failures: Mutex<VecDeque<Failure>>,
}

enum Failure {
    NoSession,
    At(&'static str),
}

struct Lent {
    page: CounterPage,
    open: Arc<AtomicUsize>,
}

#[async_trait]
impl Profile for Lent {
    fn page(&mut self) -> &mut dyn Page {
        &mut self.page
    }

    async fn close(self: Box<Self>) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl PageSource for Pages {
    async fn profile(&self, _job: &Job) -> Result<Box<dyn Profile>, PageError> {
        let mut page = CounterPage::default();
        let lost = PageError::SessionLost("tab crashed".into());
        match self.failures.lock().unwrap().pop_front() {
            Some(Failure::NoSession) => return Err(lost),
            Some(Failure::At(call)) => page.failures.push_back((call, lost)),
            None => {}
        }
        self.open.fetch_add(1, Ordering::SeqCst);
        self.given.fetch_add(1, Ordering::SeqCst);
        Ok(Box::new(Lent { page, open: Arc::clone(&self.open) }))
    }
}

/// Every job: count to two, which the check confirms.
#[derive(Clone, Copy, Default)]
struct CountToTwo {
    silent: bool,
    expected: u32,
}

#[async_trait]
impl AssignmentSource for CountToTwo {
    async fn assignment(&self, job: &Job) -> Result<Assignment, String> {
        if job.id.as_str() == "nonsense" {
            return Err("benchmark `nothing` is not known; known: `miniwob`".into());
        }
        let decider: Box<dyn Decider> =
            if self.silent { Box::new(Silent) } else { Box::new(Told(|_: &_| Ok(act(Action::click(MORE))))) };
        let equals = json!(self.expected);
        Ok(Assignment {
            decider,
            environment: Box::new(CountTo { over_at: Some(2) }),
            check: Some(Check::PageState(PageStateCheck { expression: "count".into(), equals })),
            limits: Limits::default(),
            site: SiteId::new("counter.test"),
            task: TaskId::new("count"),
            is_test: false,
        })
    }
}

fn campaign() -> CampaignId {
    CampaignId::new("run")
}

fn job(id: &str) -> Job {
    let task = BenchmarkTask { benchmark: "counter".into(), task: TaskId::new("count"), seed: 0, relaxed: false };
    Job { id: JobId::new(id), campaign: campaign(), work: Work::Benchmark(task) }
}

struct Site {
    store: Embedded,
    pages: Arc<Pages>,
    crew: Crew,
    options: Options,
    interrupt: CancellationToken,
}

impl Site {
    async fn new(jobs: &[&str]) -> Self {
        let clock: Arc<dyn Clock> = Arc::new(HeldClock::default());
        let store = backends::in_memory(Arc::clone(&clock)).await.unwrap();
        let jobs: Vec<Job> = jobs.iter().map(|id| job(id)).collect();
        store.jobs.submit(&jobs).await.unwrap();
        let pages = Arc::new(Pages::default());
        let journal = Journal::new(Arc::clone(&store.log), Arc::clone(&clock));
        let crew = Crew {
            jobs: Arc::clone(&store.jobs),
            blobs: Arc::clone(&store.blobs),
            recorder: Arc::new(JournalRecorder::new(journal, Arc::clone(&store.blobs))),
            pages: Arc::clone(&pages) as Arc<dyn PageSource>,
            assignments: Arc::new(CountToTwo { silent: false, expected: 2 }),
            clock,
        };
        Self { store, pages, crew, options: Options::new(campaign()), interrupt: CancellationToken::new() }
    }

    async fn work(&self) -> Vec<Progress> {
        let (sender, receiver) = unbounded_channel();
        work(self.crew.clone(), self.options.clone(), sender, self.interrupt.clone()).await.unwrap();
        assert_eq!(self.pages.open.load(Ordering::SeqCst), 0, "a profile was left open");
        news(receiver)
    }
}

fn news(mut receiver: UnboundedReceiver<Progress>) -> Vec<Progress> {
    std::iter::from_fn(|| receiver.try_recv().ok()).collect()
}

#[tokio::test]
async fn each_job_has_one_outcome_in_order_of_submission_and_its_steps_are_in_the_log() {
    let mut site = Site::new(&["a", "b", "c", "d", "e"]).await;
    site.options.workers = 3;
    let news = site.work().await;
    let outcomes = site.store.jobs.outcomes(&campaign()).await.unwrap();
    assert_eq!(outcomes.iter().map(|outcome| outcome.job.as_str()).collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
    for outcome in &outcomes {
        assert_eq!((outcome.verdict.kind, outcome.steps, outcome.reward), (VerdictKind::Passed, 2, Some(2.0)));
        let stored = site.store.blobs.get(&outcome.trajectory).await.unwrap().expect("the trajectory is stored");
        let trajectory: Trajectory = serde_json::from_slice(&stored).unwrap();
        assert_eq!((trajectory.episode, trajectory.steps.len()), (outcome.episode, 2));
    }
    assert_eq!(site.store.log.read(Topic::Trajectories, 0, 100).await.unwrap().len(), 10);
    assert_eq!(site.store.log.read(Topic::Outcomes, 0, 100).await.unwrap().len(), 5);
    assert_eq!(news.iter().filter(|news| matches!(news, Progress::Ended(_))).count(), 5);
    let episodes: std::collections::BTreeSet<_> = outcomes.iter().map(|outcome| outcome.episode).collect();
    assert_eq!(episodes.len(), 5, "every attempt has an id of its own");
}

#[tokio::test]
async fn working_a_finished_campaign_again_does_nothing() {
    let site = Site::new(&["a"]).await;
    site.work().await;
    assert!(site.work().await.is_empty());
    assert_eq!(site.store.jobs.outcomes(&campaign()).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_lost_browser_is_retried_and_what_it_cost_stays_in_the_sum() {
    let site = Site::new(&["a"]).await;
    site.pages.failures.lock().unwrap().extend([Failure::At("act"), Failure::NoSession]);
    let news = site.work().await;
    let outcomes = site.store.jobs.outcomes(&campaign()).await.unwrap();
    let [outcome] = outcomes.as_slice() else { panic!("{} outcomes", outcomes.len()) };
    assert_eq!(outcome.verdict.kind, VerdictKind::Passed);
    assert_eq!(outcome.usage.prompt_tokens, 30, "ten of the lost attempt, twenty of the last");
    assert_eq!(outcome.incidents.len(), 2, "{:?}", outcome.incidents);
    assert!(outcome.incidents[0].contains("attempt 1 lost: browser session lost: tab crashed"));
    assert_eq!(news.iter().filter(|news| matches!(news, Progress::Retried { .. })).count(), 2);
}

#[tokio::test]
async fn a_browser_that_fails_three_times_is_an_invalid_environment_with_every_cause() {
    let site = Site::new(&["a", "b"]).await;
    let failures = [Failure::At("evaluate"), Failure::NoSession, Failure::At("observe")];
    site.pages.failures.lock().unwrap().extend(failures);
    site.work().await;
    let outcomes = site.store.jobs.outcomes(&campaign()).await.unwrap();
    assert_eq!(outcomes[0].verdict.kind, VerdictKind::InvalidEnvironment);
    assert!(outcomes[0].verdict.reason.contains("tab crashed"), "{}", outcomes[0].verdict.reason);
    assert_eq!(outcomes[0].incidents.len(), 3);
    assert_eq!(outcomes[1].verdict.kind, VerdictKind::Passed, "the next job is not affected");
}

#[tokio::test]
async fn a_job_that_nobody_understands_ends_with_the_reason() {
    let site = Site::new(&["nonsense", "a"]).await;
    site.work().await;
    let outcomes = site.store.jobs.outcomes(&campaign()).await.unwrap();
    assert_eq!(outcomes[0].verdict.kind, VerdictKind::InvalidEnvironment);
    assert!(outcomes[0].verdict.reason.contains("known: `miniwob`"));
    assert_eq!(outcomes[1].verdict.kind, VerdictKind::Passed);
}

#[tokio::test]
async fn a_refuted_check_keeps_a_picture_and_a_confirmed_one_does_not() {
    let mut site = Site::new(&["a"]).await;
    assert_eq!(site.options.screenshots, Screenshots::Failures);
    site.crew.assignments = Arc::new(CountToTwo { silent: false, expected: 7 });
    site.work().await;
    let outcome = site.store.jobs.outcomes(&campaign()).await.unwrap().remove(0);
    assert_eq!((outcome.verdict.kind, &outcome.ending), (VerdictKind::NotAchieved, &Ending::EnvironmentOver));
    let stored = site.store.blobs.get(&outcome.trajectory).await.unwrap().unwrap();
    let trajectory: Trajectory = serde_json::from_slice(&stored).unwrap();
    let picture = site.store.blobs.get(&trajectory.screenshot.expect("a picture")).await.unwrap();
    assert_eq!(picture.as_deref(), Some(b"picture of 2".as_slice()));
}

#[tokio::test]
async fn an_interrupted_job_is_given_back_without_outcome_and_finished_by_the_next_run() {
    let mut site = Site::new(&["a", "b"]).await;
    site.crew.assignments = Arc::new(CountToTwo { silent: true, expected: 2 });
    let interrupt = site.interrupt.clone();
    let (news, ()) = tokio::join!(site.work(), async {
        tokio::time::sleep(Duration::from_millis(30)).await;
        interrupt.cancel();
    });
    assert!(matches!(news.last(), Some(Progress::Released(job)) if job.as_str() == "a"), "{news:?}");
    assert_eq!(site.store.jobs.progress(&campaign()).await.unwrap().complete, 0);

    site.crew.assignments = Arc::new(CountToTwo { silent: false, expected: 2 });
    site.interrupt = CancellationToken::new();
    site.work().await;
    let outcomes = site.store.jobs.outcomes(&campaign()).await.unwrap();
    assert_eq!(outcomes.len(), 2);
    assert_eq!((outcomes[0].fence.0, outcomes[1].fence.0), (2, 1), "the second claim has the next fence");
}

/// A log that takes no record.
struct Full;

#[async_trait]
impl EventLog for Full {
    async fn append(&self, _: Topic, _: &str, _: &[u8]) -> Result<u64, StorageError> {
        Err(StorageError::Unavailable("no space left on device".into()))
    }

    async fn read(&self, _: Topic, _: u64, _: usize) -> Result<Vec<domain::storage::LogRecord>, StorageError> {
        Ok(Vec::new())
    }
}

#[tokio::test]
async fn a_full_disk_ends_the_run_with_its_cause_and_no_outcome_is_made_up() {
    let mut site = Site::new(&["a"]).await;
    let journal = Journal::new(Arc::new(Full), Arc::clone(&site.crew.clock));
    site.crew.recorder = Arc::new(JournalRecorder::new(journal, Arc::clone(&site.store.blobs)));
    let (sender, _receiver) = unbounded_channel();
    let result = work(site.crew.clone(), site.options.clone(), sender, site.interrupt.clone()).await;
    assert!(result.unwrap_err().to_string().contains("no space left"));
    assert_eq!(site.pages.open.load(Ordering::SeqCst), 0, "the profile is closed all the same");
    assert!(site.store.jobs.outcomes(&campaign()).await.unwrap().is_empty());
}

#[test]
fn a_jobs_seed_is_the_same_every_time_and_differs_between_jobs() {
    assert_eq!(seed_of(&JobId::new("click-test/3")), seed_of(&JobId::new("click-test/3")));
    assert_ne!(seed_of(&JobId::new("click-test/3")), seed_of(&JobId::new("click-test/4")));
}
