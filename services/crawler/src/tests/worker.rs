//! Jobs in, records out: each claim ends in exactly one, whatever the browser does.

use super::fakes::{CountTo, CounterPage, HeldClock, MORE, PausedClock, Silent, Told, act};
use super::queue::{Queue, Written};
use crate::assignment::seed_of;
use crate::drive::Screenshots;
use crate::worker::{
    Assignment, AssignmentSource, Dependencies, JobEvent, NoAssignment, Options, PageSource, Profile, StopSignals, work,
};
use async_trait::async_trait;
use domain::campaign::{Campaign, Closing, Failure as Kind};
use domain::decision::PlannerError;
use domain::job::{BenchmarkTask, Outcome, Work};
use domain::page::{Page, PageError};
use domain::task::{Check, Limits, PageStateCheck};
use domain::verdict::VerdictKind;
use domain::{Action, CampaignId, Decider, Ending, Job, JobId, SiteId, TaskId, Usage};
use serde_json::json;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Gives pages, and counts those that are open.
#[derive(Default)]
struct Pages {
    open: Arc<AtomicUsize>,
    given: AtomicUsize,
    /// What the next pages fail with: no page at all, or at the named call.
    failures: Mutex<VecDeque<Failure>>,
}

enum Failure {
    NoSlot,
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

    async fn close(self: Box<Self>, _: bool) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl PageSource for Pages {
    async fn profile(&self, _: &Job, _: &Campaign) -> Result<Box<dyn Profile>, PageError> {
        let mut page = CounterPage::default();
        let lost = PageError::SessionLost("tab crashed".into());
        match self.failures.lock().unwrap().pop_front() {
            Some(Failure::NoSlot) => return Err(PageError::NoSlot("the Grid is full".into())),
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
    async fn assignment(&self, job: &Job, _: &Campaign) -> Result<Assignment, NoAssignment> {
        if job.id.as_str() == "nonsense" {
            return Err(NoAssignment::Senseless("unknown benchmark `nothing`; there are: some".into()));
        }
        let decider: Box<dyn Decider> =
            if self.silent { Box::new(Silent) } else { Box::new(Told(|_: &_| Ok(act(Action::click(MORE))))) };
        let equals = json!(self.expected);
        Ok(Assignment {
            decider,
            environment: Box::new(CountTo { over_at: Some(2), ..CountTo::default() }),
            check: Some(Check::PageState(PageStateCheck { expression: "count".into(), equals })),
            limits: Limits::default(),
            site: SiteId::new("counter.test"),
            task: TaskId::new("count"),
            guards: None,
            book: Default::default(),
            companion: None,
            is_test: false,
        })
    }

    async fn ready(&self) -> Result<(), String> {
        Ok(())
    }
}

/// As [`CountToTwo`], but at first something is missing.
struct MissingAtFirst {
    assignment: Mutex<Option<NoAssignment>>,
    planner: AtomicBool,
    /// How often the planner is still away when it is asked whether it is ready.
    away: AtomicUsize,
}

#[async_trait]
impl AssignmentSource for MissingAtFirst {
    async fn assignment(&self, job: &Job, campaign: &Campaign) -> Result<Assignment, NoAssignment> {
        if let Some(missing) = self.assignment.lock().unwrap().take() {
            return Err(missing);
        }
        let mut assignment = CountToTwo { silent: false, expected: 2 }.assignment(job, campaign).await?;
        if self.planner.swap(false, Ordering::SeqCst) {
            let away = || PlannerError::Away { cause: "decide: connection refused".into(), usage: Usage::default() };
            assignment.decider = Box::new(Told(move |_: &_| Err(away())));
        }
        Ok(assignment)
    }

    async fn ready(&self) -> Result<(), String> {
        let left = self.away.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        left.map_or(Ok(()), |_| Err("connection refused".into()))
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
    queue: Arc<Queue>,
    written: Arc<Written>,
    pages: Arc<Pages>,
    dependencies: Dependencies,
    options: Options,
    rest: StopSignals,
}

impl Site {
    fn new(jobs: &[&str]) -> Self {
        let rest = StopSignals::default();
        let queue = Arc::new(Queue::of(jobs.iter().map(|id| job(id)), rest.drain.clone()));
        let written = Arc::new(Written::new(Arc::clone(&queue)));
        let pages = Arc::new(Pages::default());
        let dependencies = Dependencies {
            campaigns: Arc::clone(&queue) as _,
            recorder: Arc::clone(&written) as _,
            pages: Arc::clone(&pages) as _,
            assignments: Arc::new(CountToTwo { silent: false, expected: 2 }),
            clock: Arc::new(HeldClock::default()),
        };
        let options = Options { idle: Duration::from_millis(1), ..Options::new("crawler") };
        Self { queue, written, pages, dependencies, options, rest }
    }

    /// Works until every job has a terminal record, or until asked to rest.
    async fn work(&self) -> Vec<JobEvent> {
        let (sender, receiver) = unbounded_channel();
        work(self.dependencies.clone(), self.options.clone(), sender, self.rest.clone()).await.unwrap();
        assert_eq!(self.pages.open.load(Ordering::SeqCst), 0, "a profile was left open");
        news(receiver)
    }

    fn fail(&self, failures: impl IntoIterator<Item = Failure>) {
        self.pages.failures.lock().unwrap().extend(failures);
    }

    fn outcomes(&self) -> Vec<Outcome> {
        let judged = |closing| match closing {
            Closing::Judged(outcome) => Some(*outcome),
            _ => None,
        };
        self.written.closings().into_iter().filter_map(judged).collect()
    }
}

fn news(mut receiver: UnboundedReceiver<JobEvent>) -> Vec<JobEvent> {
    std::iter::from_fn(|| receiver.try_recv().ok()).collect()
}

#[tokio::test]
async fn each_job_has_one_outcome_and_its_steps_and_trajectory_are_taken_down() {
    let mut site = Site::new(&["a", "b", "c", "d", "e"]);
    site.options.slots = 3;
    let news = site.work().await;
    let outcomes = site.outcomes();
    let mut jobs: Vec<&str> = outcomes.iter().map(|outcome| outcome.job.as_str()).collect();
    jobs.sort_unstable();
    assert_eq!(jobs, ["a", "b", "c", "d", "e"]);
    for outcome in &outcomes {
        assert_eq!((outcome.verdict.kind, outcome.steps, outcome.reward), (VerdictKind::Passed, 2, Some(2.0)));
        let trajectory = site.written.trajectory(&outcome.trajectory).expect("the trajectory is stored");
        assert_eq!((trajectory.episode, trajectory.steps.len()), (outcome.episode, 2));
    }
    assert_eq!(site.written.steps(), 10);
    assert_eq!(news.iter().filter(|news| matches!(news, JobEvent::Ended(_))).count(), 5);
    let episodes: std::collections::BTreeSet<_> = outcomes.iter().map(|outcome| outcome.episode).collect();
    assert_eq!(episodes.len(), 5, "every attempt has an id of its own");
}

#[tokio::test]
async fn an_attempt_that_the_browser_loses_is_recorded_with_its_kind_and_cost_and_is_not_judged() {
    let site = Site::new(&["a"]);
    site.fail([Failure::At("act"), Failure::NoSession, Failure::At("evaluate")]);
    let news = site.work().await;
    let closings = site.written.closings();
    let lost: Vec<(Kind, u64, u64)> = closings
        .iter()
        .filter_map(|closing| match closing {
            Closing::Lost(lost) => Some((lost.failure, lost.ticket.fence.0, lost.usage.prompt_tokens)),
            _ => None,
        })
        .collect();
    assert_eq!(lost[..2], [(Kind::SessionLost, 1, 10), (Kind::SessionLost, 2, 0)]);
    assert_eq!((lost.len(), closings.len()), (3, 4), "three losses and one outcome");
    assert_eq!(site.outcomes()[0].fence.0, 4);
    assert_eq!(news.iter().filter(|news| matches!(news, JobEvent::Lost { .. })).count(), 3);
}

#[tokio::test]
async fn an_attempt_that_is_too_large_to_be_recorded_is_not_tried_again_and_harms_no_other() {
    let site = Site::new(&["a", "b"]);
    site.written.find_too_large_after(1);
    site.work().await;
    let closings = site.written.closings();
    let [Closing::Lost(lost), Closing::Judged(outcome)] = closings.as_slice() else { panic!("{closings:?}") };
    assert_eq!((lost.failure, lost.ticket.job.as_str()), (Kind::Unusable, "a"));
    assert!(lost.cause.starts_with("it cannot be recorded") && lost.cause.contains("9 bytes"), "{}", lost.cause);
    assert_eq!((outcome.job.as_str(), outcome.verdict.kind), ("b", VerdictKind::Passed));
}

#[tokio::test]
async fn a_job_that_finds_no_browser_free_is_given_back_and_no_attempt_is_counted() {
    let mut site = Site::new(&["a"]);
    site.fail([Failure::NoSlot, Failure::NoSlot]);
    let metrics = platform::metrics::Metrics::default();
    site.dependencies = crate::metrics::measured(site.dependencies, 1, &metrics);
    assert!(metrics.render().contains("rutter_no_slots_total{} 0.0"), "told from the start");
    let news = site.work().await;
    assert_eq!(site.written.closings().len(), 1);
    assert_eq!(news.iter().filter(|news| matches!(news, JobEvent::Released(_))).count(), 2);
    assert_eq!(site.outcomes()[0].verdict.kind, VerdictKind::Passed);
    let told = metrics.render();
    assert!(told.contains("rutter_no_slots_total{} 2.0") && !told.contains("no_slot\""), "{told}");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_without_a_planner_for_all_of_its_time_is_not_judged_and_nothing_is_claimed_before_one_answers() {
    let mut site = Site::new(&["a", "b"]);
    site.dependencies.clock = Arc::new(PausedClock::default());
    let missing = Arc::new(MissingAtFirst {
        assignment: Mutex::new(None),
        planner: AtomicBool::new(true),
        away: AtomicUsize::new(3),
    });
    site.dependencies.assignments = Arc::clone(&missing) as _;
    site.work().await;
    let closings = site.written.closings();
    assert!(
        matches!(&closings[0], Closing::Lost(lost) if lost.failure == Kind::PlannerAway && lost.cause.contains("refused")),
        "{closings:?}"
    );
    assert_eq!(closings.len(), 3, "one loss and two outcomes: {closings:?}");
    assert!(site.outcomes().iter().all(|outcome| outcome.verdict.kind == VerdictKind::Passed));
    assert_eq!(missing.away.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_job_for_which_this_crawler_lacks_something_is_given_back() {
    let mut site = Site::new(&["a"]);
    let missing = NoAssignment::NotHere("the benchmark's pages are not on this machine".into());
    site.dependencies.assignments = Arc::new(MissingAtFirst {
        assignment: Mutex::new(Some(missing)),
        planner: AtomicBool::new(false),
        away: AtomicUsize::new(0),
    });
    let news = site.work().await;
    assert!(matches!(news[1], JobEvent::Released(_)), "{news:?}");
    assert_eq!(site.written.closings().len(), 1);
    assert_eq!(site.outcomes()[0].verdict.kind, VerdictKind::Passed);
}

#[tokio::test]
async fn a_job_that_nobody_understands_ends_with_the_reason() {
    let site = Site::new(&["nonsense", "a"]);
    site.work().await;
    let outcomes = site.outcomes();
    assert_eq!(outcomes[0].verdict.kind, VerdictKind::InvalidEnvironment);
    assert!(outcomes[0].verdict.reason.contains("there are: some"));
    assert_eq!(outcomes[1].verdict.kind, VerdictKind::Passed);
}

#[tokio::test]
async fn a_refuted_check_keeps_a_picture_and_a_confirmed_one_does_not() {
    let mut site = Site::new(&["a"]);
    assert_eq!(site.options.screenshots, Screenshots::Failures);
    site.dependencies.assignments = Arc::new(CountToTwo { silent: false, expected: 7 });
    site.work().await;
    let outcome = site.outcomes().remove(0);
    assert_eq!((outcome.verdict.kind, &outcome.ending), (VerdictKind::NotAchieved, &Ending::EnvironmentOver));
    let trajectory = site.written.trajectory(&outcome.trajectory).unwrap();
    assert_eq!(trajectory.screenshot, Some(backends::blob::reference(b"picture of 2")));
}

#[tokio::test]
async fn an_interrupted_job_is_given_back_without_a_record() {
    let mut site = Site::new(&["a", "b"]);
    site.dependencies.assignments = Arc::new(CountToTwo { silent: true, expected: 2 });
    let interrupt = site.rest.interrupt.clone();
    let (news, ()) = tokio::join!(site.work(), async {
        tokio::time::sleep(Duration::from_millis(30)).await;
        interrupt.cancel();
    });
    assert!(matches!(news.last(), Some(JobEvent::Released(job)) if job.as_str() == "a"), "{news:?}");
    assert!(site.written.closings().is_empty());
    assert_eq!(site.queue.waiting(), ["b", "a"]);
}

#[tokio::test(start_paused = true)]
async fn no_more_jobs_are_claimed_than_there_is_room_for() {
    let mut site = Site::new(&["a", "b", "c"]);
    site.dependencies.assignments = Arc::new(CountToTwo { silent: true, expected: 2 });
    let (room, at_most) = tokio::sync::watch::channel(0);
    (site.options.slots, site.options.at_most) = (3, at_most);
    let interrupt = site.rest.interrupt.clone();
    tokio::join!(site.work(), async {
        for (now, waiting) in [(0, 3), (1, 2), (2, 1), (9, 0)] {
            room.send_replace(now);
            tokio::time::sleep(Duration::from_millis(110)).await;
            assert_eq!(site.queue.waiting().len(), waiting, "with room for {now}");
        }
        interrupt.cancel();
    });
    assert_eq!(site.queue.waiting().len(), 3, "they are given back");
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_had_too_little_is_left_alone_for_a_while_whatever_ends() {
    let mut site = Site::new(&["a"]);
    (site.options.slots, site.options.idle) = (2, Duration::from_secs(1));
    site.fail([Failure::NoSession, Failure::NoSession]);
    tokio::join!(site.work(), async {
        for lost in 1..=2 {
            tokio::time::sleep(Duration::from_millis(900)).await;
            assert_eq!(site.written.closings().len(), lost);
        }
    });
    assert_eq!(site.written.closings().len(), 3, "two losses and one outcome");
}

#[tokio::test]
async fn a_draining_crawler_ends_what_it_has_and_claims_nothing_more() {
    let site = Site::new(&["a", "b"]);
    site.queue.drain_after_claims(1);
    site.work().await;
    assert_eq!(site.outcomes().len(), 1);
    assert_eq!(site.queue.waiting(), ["b"]);
}

#[tokio::test]
async fn an_attempt_whose_claim_holds_no_more_stops_and_records_nothing() {
    let mut site = Site::new(&["a"]);
    site.dependencies.assignments = Arc::new(CountToTwo { silent: true, expected: 2 });
    site.options.heartbeat = Duration::from_millis(10);
    site.queue.lose("a");
    let drain = site.rest.drain.clone();
    let (news, ()) = tokio::join!(site.work(), async {
        tokio::time::sleep(Duration::from_millis(60)).await;
        drain.cancel();
    });
    assert!(site.written.closings().is_empty());
    assert!(!news.iter().any(|news| matches!(news, JobEvent::Released(_))), "it is not ours to give back: {news:?}");
}

#[tokio::test]
async fn a_full_disk_ends_the_work_with_its_cause_and_no_outcome_is_made_up() {
    let site = Site::new(&["a"]);
    site.written.fill_the_disk();
    let (sender, _receiver) = unbounded_channel();
    let result = work(site.dependencies.clone(), site.options.clone(), sender, site.rest.clone()).await;
    assert!(result.unwrap_err().to_string().contains("no space left"));
    assert_eq!(site.pages.open.load(Ordering::SeqCst), 0, "the profile is closed all the same");
    assert!(site.written.closings().is_empty());
    assert_eq!(site.queue.waiting(), ["a"], "the job is given back");
}

#[tokio::test]
async fn a_queue_that_stays_away_is_given_up_after_the_crawlers_patience() {
    let mut site = Site::new(&["a"]);
    site.options.patience = Duration::from_millis(20);
    site.queue.go_away();
    let (sender, _receiver) = unbounded_channel();
    let error = work(site.dependencies.clone(), site.options.clone(), sender, site.rest.clone()).await.unwrap_err();
    assert!(error.to_string().contains("the queue is away"), "{error}");
}

#[test]
fn a_jobs_seed_is_the_same_every_time_and_differs_between_jobs() {
    assert_eq!(seed_of(&JobId::new("click-test/3")), seed_of(&JobId::new("click-test/3")));
    assert_ne!(seed_of(&JobId::new("click-test/3")), seed_of(&JobId::new("click-test/4")));
}
