//! An exploration outlives its browsers; a task does not.

use super::fakes::{CounterPage, MORE};
use crate::assignment::{PageSource, Profile};
use crate::failover::{FailoverPage, SPARE};
use async_trait::async_trait;
use domain::campaign::{Campaign, Grant, PlannerRef};
use domain::exploration::{Exploration, Guards};
use domain::job::{BenchmarkTask, Work};
use domain::page::{Page, PageError};
use domain::state::Version;
use domain::task::Site;
use domain::{Action, CampaignId, Effect, Fence, Job, JobId, RunId, SiteId, TaskId};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Gives pages of which each fails at the first action, and counts them.
#[derive(Default)]
struct Fragile {
    given: AtomicU32,
    sound: AtomicU32,
}

struct Lent(CounterPage);

#[async_trait]
impl Profile for Lent {
    fn page(&mut self) -> &mut dyn Page {
        &mut self.0
    }

    async fn close(self: Box<Self>, _: bool) {}
}

fn fragile(error: PageError) -> Box<dyn Profile> {
    Box::new(Lent(CounterPage { failures: VecDeque::from([("act", error)]), ..CounterPage::default() }))
}

#[async_trait]
impl PageSource for Fragile {
    async fn profile(&self, _: &Job, _: &Campaign) -> Result<Box<dyn Profile>, PageError> {
        let given = self.given.fetch_add(1, Ordering::SeqCst);
        if given < self.sound.load(Ordering::SeqCst) {
            return Ok(Box::new(Lent(CounterPage::default())));
        }
        Ok(fragile(PageError::BrowserCrashed("again".into())))
    }
}

fn grant(work: Work) -> Grant {
    let campaign = Campaign::new(CampaignId::new("c"), PlannerRef::named("none"));
    let job = Job { id: JobId::new("j"), campaign: campaign.id.clone(), work };
    Grant { job, fence: Fence(1), lease: Duration::from_secs(60), campaign, trace_parent: String::new() }
}

fn exploring() -> Grant {
    let exploration = Exploration {
        version: Version { site: SiteId::new("s"), run: RunId::new("r"), role: "guest".into() },
        start_url: "http://counter.test/".into(),
        strategy: "random".into(),
        seconds: 60,
        guards: Guards::default(),
        login: None,
        coverage: Default::default(),
    };
    grant(Work::Exploration { exploration: Box::new(exploration), site: Box::new(Site::default()) })
}

#[tokio::test]
async fn an_exploration_goes_on_in_another_browser_and_says_why() {
    let (pages, grant) = (Fragile::default(), exploring());
    pages.sound.store(1, Ordering::SeqCst);
    let mut page = FailoverPage::new(fragile(PageError::SessionLost("no answer".into())), &pages, &grant);
    let seen = page.observe().await.unwrap();
    let acted = page.act(&Action::click(MORE), &seen).await.unwrap();
    let Effect::Failed { cause } = acted.effect else { panic!("{:?}", acted.effect) };
    assert!(cause.contains("no answer") && cause.contains("another browser"), "{cause}");
    let again = page.act(&Action::click(MORE), &acted.observation).await.unwrap();
    assert!(matches!(again.effect, Effect::Changed { .. }));
    assert_eq!(pages.given.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn it_does_not_use_up_browsers_without_end() {
    let (pages, grant) = (Fragile::default(), exploring());
    let mut page = FailoverPage::new(fragile(PageError::BrowserCrashed("first".into())), &pages, &grant);
    let mut seen = page.observe().await.unwrap();
    for _ in 0..SPARE {
        seen = page.act(&Action::click(MORE), &seen).await.unwrap().observation;
    }
    let error = page.act(&Action::click(MORE), &seen).await.unwrap_err();
    assert!(matches!(&error, PageError::BrowserCrashed(cause) if cause == "again"), "{error}");
    assert_eq!(pages.given.load(Ordering::SeqCst), SPARE);
}

#[tokio::test]
async fn what_is_no_trouble_of_the_browser_ends_it() {
    let (pages, grant) = (Fragile::default(), exploring());
    let stale = PageError::Stale { given: 1, latest: 2 };
    let mut page = FailoverPage::new(fragile(stale), &pages, &grant);
    let seen = page.observe().await.unwrap();
    assert!(matches!(page.act(&Action::click(MORE), &seen).await, Err(PageError::Stale { .. })));
    assert_eq!(pages.given.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_task_ends_with_its_browser() {
    let task = BenchmarkTask { benchmark: "b".into(), task: TaskId::new("t"), seed: 0, relaxed: false };
    let (pages, grant) = (Fragile::default(), grant(Work::Benchmark(task)));
    let mut page = FailoverPage::new(fragile(PageError::SessionLost("no answer".into())), &pages, &grant);
    let seen = page.observe().await.unwrap();
    assert!(matches!(page.act(&Action::click(MORE), &seen).await, Err(PageError::SessionLost(_))));
    assert_eq!(pages.given.load(Ordering::SeqCst), 0);
}
