//! The submitting client: creates campaigns, submits their jobs in both ways, pauses and cancels, and settles
//! quarantines.

use super::planners::CLICKER;
use super::site::FAILING;
use super::world::World;
use crate::faults::{Faulty, Life, Link, Schedule};
use backends::Journal;
use domain::campaign::{Campaign, PlannerRef, Rate, Wish};
use domain::job::Work;
use domain::service::{CampaignService, QuarantineVerdict};
use domain::stage::Stages;
use domain::storage::jobs::Submission;
use domain::task::{Limits, Site, Task};
use domain::{CampaignId, Job, JobId, SiteId, TaskId};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// The host that may not be visited faster than its rate.
const SLOW: &str = "slow.test";

/// The campaigns, and how many jobs are handed in with each.
pub(super) const CAMPAIGNS: [(&str, u32); 3] = [("main", 14), ("other", 6), (STAGED, 20)];

/// The campaign with stages: what does not pass, half of it, is tried again, and all of it is studied.
pub(super) const STAGED: &str = "staged";

pub(super) struct Client {
    queue: Arc<dyn CampaignService>,
    journal: Journal,
    schedule: Schedule,
}

impl Client {
    pub(super) fn of(world: &World) -> Self {
        let life = Life::default();
        let log = Arc::new(world.column.log.clone());
        let log = Arc::new(Faulty::new(log, Link::new(world.schedule.clone(), "client", life.clone())));
        Self {
            queue: world.queue_of("client", &life),
            journal: Journal::new(log, Arc::new(world.clock.clone())),
            schedule: world.schedule.clone(),
        }
    }

    /// Submits everything, and repeats every call until it is answered.
    pub(super) async fn hand_in(self) {
        for (id, _) in CAMPAIGNS {
            self.until_done(|| self.queue.create(campaign(id))).await;
        }
        for (id, count) in CAMPAIGNS {
            let mut jobs: Vec<Job> = (0..count).map(|number| job(id, number)).collect();
            // Half of the first campaign comes by the log; a campaign that is cancelled takes none from there.
            let by_log = if id == "main" { jobs.split_off(jobs.len() / 2) } else { Vec::new() };
            self.until_done(|| self.queue.submit(jobs.clone())).await;
            for job in by_log {
                self.until_done(|| self.journal.submit(submission(job.clone()))).await;
            }
        }
        self.change_its_mind().await;
        for _ in 0..3 {
            sleep(Duration::from_millis(self.schedule.pick(1000..4000))).await;
            // In the other one a job that is taken back would come after the stage that it is of.
            for (id, _) in CAMPAIGNS.iter().filter(|(id, _)| *id != STAGED) {
                self.settle(&CampaignId::new(*id)).await;
            }
        }
    }

    async fn change_its_mind(&self) {
        let (main, other) = (CampaignId::new("main"), CampaignId::new("other"));
        for wish in [Wish::Pause, Wish::Run] {
            sleep(Duration::from_millis(self.schedule.pick(100..2000))).await;
            self.until_done(|| self.queue.wish(&main, wish)).await;
        }
        if self.schedule.happens(0.5) {
            self.until_done(|| self.queue.wish(&other, Wish::Cancel)).await;
        }
    }

    /// Settles some quarantined jobs. A cancelled campaign retries none, so some calls may be refused.
    async fn settle(&self, campaign: &CampaignId) {
        let Ok(quarantined) = self.queue.quarantine(campaign).await else { return };
        for job in quarantined.into_iter().map(|quarantined| quarantined.job) {
            let verdict = if self.schedule.happens(0.5) { QuarantineVerdict::Retry } else { QuarantineVerdict::Drop };
            // A person would see the failure and decide.
            let _ = self.queue.settle(campaign, vec![job], verdict).await;
        }
    }

    async fn until_done<R, E: Display, F>(&self, call: impl Fn() -> F)
    where
        F: Future<Output = Result<R, E>>,
    {
        while call().await.is_err() {
            sleep(Duration::from_millis(200)).await;
        }
    }
}

fn campaign(id: &str) -> Campaign {
    let rates = BTreeMap::from([(SLOW.to_owned(), Rate { per_second: 4.0, burst: 2 })]);
    let stages = (id == STAGED).then(|| Stages::again(u64::from(CAMPAIGNS[2].1), 1)).flatten();
    Campaign { rates, stages, ..Campaign::new(CampaignId::new(id), PlannerRef::named(CLICKER)) }
}

fn job(campaign: &str, number: u32) -> Job {
    // Stages follow each other while things fail: few of their jobs wait for the slow host.
    let host = if number.is_multiple_of(if campaign == STAGED { 10 } else { 2 }) { SLOW } else { "fast.test" };
    let task = Task {
        id: TaskId::new(if does_not_pass(campaign, number) {
            FAILING.to_owned()
        } else {
            format!("task-{}", number % 3)
        }),
        site: None,
        start_url: format!("http://{host}/"),
        instruction: "count up".into(),
        parameters: BTreeMap::new(),
        check: None,
        gold: None,
        limits: Limits::default(),
        downloads: false,
        may_hold_at_start: false,
    };
    let work = Work::Task { task: Box::new(task), site: Box::new(Site::default()) };
    Job { id: JobId::new(format!("job-{number:02}")), campaign: CampaignId::new(campaign), work }
}

/// Whether a job's check is refuted.
fn does_not_pass(campaign: &str, number: u32) -> bool {
    campaign == STAGED && number % 4 < 2
}

fn submission(job: Job) -> Submission {
    let host = match &job.work {
        Work::Task { task, .. } if task.start_url.contains(SLOW) => SLOW,
        _ => "fast.test",
    };
    Submission { job, site: SiteId::new(host), host: host.to_owned(), trace_parent: String::new() }
}
