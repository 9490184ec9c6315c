//! What every test here needs: served pages, a browser, and attempts at instances.

use benchmarks::Pages;
use benchmarks::miniwob::{self, BROWSER_ARGUMENTS};
use browser::{Browser, Options, Profile, ProfileOptions};
use crawler::evidence::Watch;
use crawler::{Attempt, NoRecorder, Screenshots, gather};
use domain::campaign::Ticket;
use domain::job::BenchmarkTask;
use domain::task::Limits;
use domain::{CampaignId, Decider, Ending, EpisodeId, Fence, JobId, SiteId, TaskId, Trajectory, Verdict};
use evaluation::{Actor, judge};
use platform::clock::SystemClock;
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Pages and a browser.
pub(crate) struct Rig {
    pub(crate) pages: Pages,
    browser: Browser,
}

/// An ended attempt.
pub(crate) struct Ended {
    pub(crate) trajectory: Trajectory,
    pub(crate) verdict: Verdict,
    pub(crate) reward: Option<f64>,
}

impl Rig {
    pub(crate) async fn start() -> Rig {
        let pages = Pages::start(&folder()).await.expect("serve the pages");
        let arguments = BROWSER_ARGUMENTS.map(str::to_owned).to_vec();
        let browser = Browser::start(Options { arguments, ..Options::default() }).await.expect("start a browser");
        Rig { pages, browser }
    }

    /// A profile that may visit the pages.
    pub(crate) async fn profile(&self) -> Profile {
        let scope = domain::scope::Scope::of(self.pages.base());
        self.browser.profile(ProfileOptions { scope, ..ProfileOptions::default() }).await.expect("open a profile")
    }

    pub(crate) fn environment(&self, task: &BenchmarkTask) -> miniwob::Instance {
        miniwob::instance(task, self.pages.base()).expect("an address")
    }

    /// One attempt in a profile of its own, judged by the suite's check.
    pub(crate) async fn attempt(&self, task: &BenchmarkTask, decider: &mut dyn Decider) -> Ended {
        let mut page = self.profile().await;
        let finished = crawler::run(Attempt {
            ticket: Ticket {
                campaign: CampaignId::new("rig"),
                job: JobId::new(format!("{}/{}", task.task, task.seed)),
                fence: Fence(1),
            },
            episode: EpisodeId(uuid::Uuid::now_v7()),
            site: SiteId::new("miniwob"),
            task: task.task.clone(),
            check: None,
            decider,
            page: &mut page,
            environment: &self.environment(task),
            explores: false,
            limits: Limits { steps: 20, seconds: 60, ..Limits::default() },
            recorder: &NoRecorder,
            clock: &SystemClock::default(),
            screenshots: Screenshots::None,
            seed: task.seed,
            context: Default::default(),
            interrupt: CancellationToken::new(),
        })
        .await
        .expect("nothing is recorded");
        let check = miniwob::check();
        let facts = gather(&mut page, &finished, Some(&check), Watch::Once).await.expect("look at the page");
        let verdict = judge(&finished.trajectory.ending, Some(&check), &facts, &Actor::Agent);
        page.close().await;
        Ended { reward: finished.reward, trajectory: finished.trajectory, verdict }
    }

    pub(crate) async fn stop(self) {
        self.browser.stop().await;
    }
}

impl Ended {
    /// A line for the message of a failed test.
    pub(crate) fn line(&self) -> String {
        let steps: Vec<String> = self
            .trajectory
            .steps
            .iter()
            .map(|step| {
                let element = step.action.element().map(domain::Descriptor::title).unwrap_or_default();
                format!("{:?} {element} → {:?}", step.action.kind(), step.effect)
            })
            .collect();
        let Ended { trajectory: Trajectory { job, instruction, ending, .. }, verdict, reward } = self;
        format!("{job} {} (reward {reward:?}, {ending:?}) {instruction}\n    {}", verdict.kind, steps.join("\n    "))
    }

    pub(crate) fn was_ended_by_the_page(&self) -> bool {
        self.trajectory.ending == Ending::EnvironmentOver
    }
}

pub(crate) fn folder() -> PathBuf {
    miniwob::folder::find().expect("the pages")
}

pub(crate) fn instance(task: &str, seed: u64) -> BenchmarkTask {
    BenchmarkTask { benchmark: miniwob::BENCHMARK.to_owned(), task: TaskId::new(task), seed, relaxed: false }
}

/// Long enough for a slow machine, short enough that a hung test is noticed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(240);
