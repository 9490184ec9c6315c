//! What an attempt needs from outside: a browser profile and the job's assignment. `node` implements both.

use crate::destructive::Book;
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

    /// Closes it and waits until it is gone. `is_sound` is false when its browser failed.
    async fn close(self: Box<Self>, is_sound: bool);
}

/// Where fresh profiles come from.
#[async_trait]
pub trait PageSource: Send + Sync {
    /// Opens a fresh profile for a job.
    ///
    /// # Errors
    /// [`PageError::NoSlot`] when asking again later may succeed; else the failure.
    async fn profile(&self, job: &Job, campaign: &Campaign) -> Result<Box<dyn Profile>, PageError>;
}

/// Everything that determines one attempt at a job.
pub struct Assignment {
    /// Decides the actions. New for every attempt.
    pub decider: Box<dyn Decider>,
    /// Sets up the task and says when it is over.
    pub environment: Box<dyn Environment>,
    /// What must hold in the end.
    pub check: Option<Check>,
    /// Limits that end the attempt.
    pub limits: Limits,
    /// The site, for the record.
    pub site: SiteId,
    /// The task, for the record.
    pub task: TaskId,
    /// What an exploration must leave alone; none for tasks and replays, which may do anything.
    pub guards: Option<Guards>,
    /// What the browsers of the same exploration made.
    pub book: Book,
    /// What goes on beside the attempt.
    pub companion: Option<Box<dyn Companion>>,
    /// Whether this replays a test, so that a refuted check is the product's failure.
    pub is_test: bool,
}

/// What goes on beside an attempt, such as measuring coverage. To drop it is to stop it.
#[async_trait]
pub trait Companion: Send + Sync {
    /// Begins, before the first page is opened.
    async fn begin(&mut self);

    /// Ends it after the last step, before the attempt's end is recorded.
    async fn end(self: Box<Self>);
}

/// Resolves a job into an assignment.
#[async_trait]
pub trait AssignmentSource: Send + Sync {
    /// The assignment for one attempt at a job of a campaign.
    ///
    /// # Errors
    /// [`NoAssignment`].
    async fn assignment(&self, job: &Job, campaign: &Campaign) -> Result<Assignment, NoAssignment>;

    /// Succeeds when the planners can be reached. A crawler waits for this after it lost an attempt because of a
    /// planner.
    ///
    /// # Errors
    /// A sentence that names the planner that is away.
    async fn ready(&self) -> Result<(), String>;
}

/// Why there is no assignment for a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAssignment {
    /// The job is malformed; it ends as `INVALID_ENVIRONMENT`.
    Senseless(String),
    /// This crawler lacks something that another may have; the job is given back.
    NotHere(String),
}

/// The task and the site of a job, for tables.
pub fn names_of(job: &Job) -> (TaskId, SiteId) {
    job.names()
}

/// The site that a task names, else the origin of its start URL; without the project.
pub fn site_of(task: &Task) -> SiteId {
    task.site_name()
}

/// The context that planners get for an attempt that begins now. The browser has the time zone of its machine.
pub(crate) fn context_of(job: &Job, now: SystemTime) -> TaskContext {
    let (task, site) = names_of(job);
    let context = TaskContext {
        campaign: job.campaign.clone(),
        site,
        task: task.0,
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
        // Only the environment knows where the pages are; a study has none.
        Work::Benchmark(_) | Work::Study(_) => context,
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
            site: SiteId::new("http://shop.test"),
            task: "buy".into(),
            start_url: "http://shop.test/".into(),
            day: Some("1970-01-02".into()),
            locale: Some("de-DE".into()),
            ..TaskContext::default()
        };
        assert_eq!(context_of(&job, UNIX_EPOCH + Duration::from_secs(86_400)), expected);
    }
}
