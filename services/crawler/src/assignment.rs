//! What a worker asks for before it can attempt a job: a page of its own, and what the job wants. `node` wires both.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use domain::campaign::Campaign;
use domain::decision::TaskContext;
use domain::environment::Environment;
use domain::exploration::Guards;
use domain::job::Work;
use domain::page::{Page, PageError};
use domain::task::{Check, Limits};
use domain::{Decider, Job, JobId, SiteId, Task, TaskId};
use std::time::SystemTime;

/// A browser profile that belongs to one job.
#[async_trait]
pub trait Profile: Send {
    /// Its page.
    fn page(&mut self) -> &mut dyn Page;

    /// Ends it, and waits until nothing of it is left. `is_sound` is false when its browser failed.
    async fn close(self: Box<Self>, is_sound: bool);
}

/// Where fresh profiles come from.
#[async_trait]
pub trait PageSource: Send + Sync {
    /// A profile for a job, which nobody has used before.
    ///
    /// # Errors
    /// [`PageError::NoSlot`] when it is worth asking again later; else what failed.
    async fn profile(&self, job: &Job, campaign: &Campaign) -> Result<Box<dyn Profile>, PageError>;
}

/// What a job asks for.
pub struct Assignment {
    /// Who decides. A new one for every attempt.
    pub decider: Box<dyn Decider>,
    /// How it begins and whether it is over.
    pub environment: Box<dyn Environment>,
    /// What must hold in the end.
    pub check: Option<Check>,
    /// When to stop by force.
    pub limits: Limits,
    /// The site, for the record.
    pub site: SiteId,
    /// The task, for the record.
    pub task: TaskId,
    /// What must be left alone; nothing is kept from whoever does a task or replays a test.
    pub guards: Option<Guards>,
    /// Whether this replays a test, so that a refuted check is the product's failure.
    pub is_test: bool,
}

/// Knows what each job asks for.
#[async_trait]
pub trait AssignmentSource: Send + Sync {
    /// The assignment for one attempt at a job of a campaign.
    ///
    /// # Errors
    /// [`NoAssignment`].
    async fn assignment(&self, job: &Job, campaign: &Campaign) -> Result<Assignment, NoAssignment>;

    /// Whether those who decide can be asked: what a crawler waits for after an attempt was lost with a planner.
    ///
    /// # Errors
    /// A sentence about who is away.
    async fn ready(&self) -> Result<(), String>;
}

/// Why there is no assignment for a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAssignment {
    /// Nobody can make sense of the job; it ends as `INVALID_ENVIRONMENT`.
    Senseless(String),
    /// This crawler lacks something that others may have; the job is given back.
    NotHere(String),
}

/// The task and the site of a job, for tables.
pub fn names_of(job: &Job) -> (TaskId, SiteId) {
    job.names()
}

/// The site that a task names, else the host of its start URL.
pub fn site_of(task: &Task) -> SiteId {
    task.site_name()
}

/// What planners are told of an attempt that begins now. Nothing else is known yet of a task: no map is looked at, and the
/// browser has the time zone of the machine that it runs on.
pub(crate) fn context_of(job: &Job, now: SystemTime) -> TaskContext {
    let (_, site) = names_of(job);
    let context = TaskContext {
        campaign: job.campaign.clone(),
        site,
        day: Some(DateTime::<Utc>::from(now).date_naive().to_string()),
        ..TaskContext::default()
    };
    match &job.work {
        Work::Task { task, site } => {
            TaskContext { start_url: task.start_url.clone(), locale: site.locale.clone(), ..context }
        }
        Work::Exploration { exploration, site } => TaskContext {
            start_url: exploration.start_url.clone(),
            role: Some(exploration.version.role.clone()),
            locale: site.locale.clone(),
            ..context
        },
        // Only the environment knows where the pages are.
        Work::Benchmark(_) => context,
    }
}

/// The seed of a job's random choices: the same whenever the job is run.
pub fn seed_of(job: &JobId) -> u64 {
    let hash = blake3::hash(job.as_str().as_bytes());
    let mut seed = [0; 8];
    seed.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::CampaignId;
    use domain::task::Site;
    use serde_json::json;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn planners_are_told_what_is_known_of_a_task() {
        let task = json!({"id": "buy", "start_url": "http://shop.test/", "instruction": "Buy it."});
        let task: Task = serde_json::from_value(task).unwrap();
        let site = Site { locale: Some("de-DE".into()), ..Site::default() };
        let work = Work::Task { task: Box::new(task), site: Box::new(site) };
        let job = Job { id: JobId::new("buy/0"), campaign: CampaignId::new("nightly"), work };
        let expected = TaskContext {
            campaign: CampaignId::new("nightly"),
            site: SiteId::new("shop.test"),
            start_url: "http://shop.test/".into(),
            day: Some("1970-01-02".into()),
            locale: Some("de-DE".into()),
            ..TaskContext::default()
        };
        assert_eq!(context_of(&job, UNIX_EPOCH + Duration::from_secs(86_400)), expected);
    }
}
