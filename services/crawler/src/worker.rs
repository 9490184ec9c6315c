//! Works a campaign's jobs through: claim → page → attempt → evidence → verdict → outcome, one after the other.
//!
//! Every claimed job ends in exactly one outcome, or is given back when the process is asked to end. An attempt whose
//! browser failed is made again; what it cost stays in the sum. Nothing is dropped in silence.

use crate::drive::{self, Attempt, Finished, Screenshots};
use crate::ending;
use crate::evidence;
use crate::recorder::Recorder;
use domain::job::{Claim, Outcome};
use domain::page::Page;
use domain::storage::{BlobStore, JobStore, StorageError};
use domain::{CampaignId, Ending, EpisodeId, Fence, JobId, Trajectory, Usage, Verdict};
use evaluation::{Actor, Facts, judge};
use platform::clock::Clock;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, info_span, warn};
use uuid::Builder;

pub use crate::assignment::{Assignment, AssignmentSource, PageSource, Profile, names_of, seed_of, site_of};

/// How a campaign is worked through.
#[derive(Clone, Debug)]
pub struct Options {
    /// The campaign.
    pub campaign: CampaignId,
    /// Jobs worked on at the same time.
    pub workers: usize,
    /// Attempts at a job whose browser fails.
    pub attempts: u32,
    /// For how long a claim holds without a sign of life; longer than any attempt may take.
    pub lease: Duration,
    /// Which pictures are kept.
    pub screenshots: Screenshots,
}

impl Options {
    /// The usual way to work a campaign through, one job at a time.
    pub fn new(campaign: CampaignId) -> Self {
        Self {
            campaign,
            workers: 1,
            attempts: 3,
            lease: Duration::from_secs(24 * 3600),
            screenshots: Screenshots::default(),
        }
    }
}

/// What the worker stands on.
#[derive(Clone)]
pub struct Crew {
    /// The table of jobs.
    pub jobs: Arc<dyn JobStore>,
    /// Where trajectories and pictures go.
    pub blobs: Arc<dyn BlobStore>,
    /// Where steps go.
    pub recorder: Arc<dyn Recorder>,
    /// Where profiles come from.
    pub pages: Arc<dyn PageSource>,
    /// What jobs ask for.
    pub assignments: Arc<dyn AssignmentSource>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

/// News for whoever watches.
#[derive(Clone, Debug)]
pub enum Progress {
    /// A job was claimed.
    Began(JobId),
    /// An attempt is made again because its browser failed.
    Retried {
        /// The job.
        job: JobId,
        /// Why.
        cause: String,
    },
    /// A job has its outcome.
    Ended(Box<Outcome>),
    /// A job was given back because the process is to end.
    Released(JobId),
}

/// Works the campaign's claimable jobs through, until none is left or `interrupt` is cancelled.
///
/// # Errors
/// The first failure of storage, after every worker has come to rest. Unfinished jobs stay claimable.
pub async fn work(
    crew: Crew,
    options: Options,
    progress: UnboundedSender<Progress>,
    interrupt: CancellationToken,
) -> Result<(), StorageError> {
    let mut workers = JoinSet::new();
    let stop = interrupt.child_token();
    for number in 0..options.workers.max(1) {
        let worker = Worker {
            crew: crew.clone(),
            options: options.clone(),
            progress: progress.clone(),
            interrupt: stop.clone(),
        };
        workers.spawn(async move { worker.run().await }.instrument(info_span!("worker", number)));
    }
    let mut result = Ok(());
    while let Some(ended) = workers.join_next().await {
        let ended = ended.unwrap_or_else(|panic| Err(StorageError::Unavailable(format!("a worker died: {panic}"))));
        if let Err(error) = ended {
            stop.cancel();
            if result.is_ok() {
                result = Err(error);
            }
        }
    }
    result
}

struct Worker {
    crew: Crew,
    options: Options,
    progress: UnboundedSender<Progress>,
    interrupt: CancellationToken,
}

/// How one attempt went.
enum Attempted {
    /// It is judged.
    Judged { finished: Box<Finished>, verdict: Verdict },
    /// The browser failed in a way that a new session may not meet.
    BrowserFailed { cause: String, finished: Option<Box<Finished>> },
    /// The process is to end.
    Interrupted,
}

impl Worker {
    async fn run(self) -> Result<(), StorageError> {
        let Options { campaign, lease, .. } = &self.options;
        while !self.interrupt.is_cancelled() {
            let claims = self.crew.jobs.claim(campaign, 1, self.crew.clock.wall(), *lease).await?;
            let Some(claim) = claims.into_iter().next() else { break };
            let span = info_span!("job", campaign = %campaign, job = %claim.job.id, fence = claim.fence.0);
            self.job(&claim).instrument(span).await?;
        }
        Ok(())
    }

    /// Works one claimed job to its one outcome.
    async fn job(&self, claim: &Claim) -> Result<(), StorageError> {
        let job = &claim.job;
        self.tell(Progress::Began(job.id.clone()));
        let mut lost = Lost::default();
        for attempt in 1..=self.options.attempts.max(1) {
            let assignment = match self.crew.assignments.assignment(job).await {
                Ok(assignment) => assignment,
                Err(cause) => return self.cannot_begin(claim, &lost, cause).await,
            };
            let episode = self.episode_id(claim, attempt);
            match self.attempt(claim, episode, assignment).await? {
                Attempted::Interrupted => {
                    self.crew.jobs.release(&job.campaign, &job.id).await?;
                    self.tell(Progress::Released(job.id.clone()));
                    return Ok(());
                }
                Attempted::Judged { finished, verdict } => return self.commit(claim, *finished, verdict, lost).await,
                Attempted::BrowserFailed { cause, finished } => {
                    lost.incidents.push(format!("attempt {attempt} lost: {cause}"));
                    if attempt < self.options.attempts {
                        warn!(attempt, cause, "browser failed, the job is attempted again");
                        self.tell(Progress::Retried { job: job.id.clone(), cause });
                        lost.add(finished.as_deref());
                        continue;
                    }
                    let finished = finished.map_or_else(|| self.unbegun(claim, episode, cause.clone()), |boxed| *boxed);
                    let verdict = judge(&Ending::BrowserFailed { cause }, None, &Facts::default(), &Actor::Agent);
                    return self.commit(claim, finished, verdict, lost).await;
                }
            }
        }
        Ok(())
    }

    /// One attempt in a profile of its own, which is closed in every case.
    async fn attempt(
        &self,
        claim: &Claim,
        episode: EpisodeId,
        assignment: Assignment,
    ) -> Result<Attempted, StorageError> {
        let opened = tokio::select! {
            opened = self.crew.pages.profile(&claim.job) => opened,
            () = self.interrupt.cancelled() => return Ok(Attempted::Interrupted),
        };
        let mut profile = match opened {
            Ok(profile) => profile,
            Err(error) => return Ok(Attempted::BrowserFailed { cause: error.to_string(), finished: None }),
        };
        let attempted = self.attempt_on(profile.page(), claim, episode, assignment).await;
        profile.close().await;
        attempted
    }

    async fn attempt_on(
        &self,
        page: &mut dyn Page,
        claim: &Claim,
        episode: EpisodeId,
        mut assignment: Assignment,
    ) -> Result<Attempted, StorageError> {
        let mut finished = drive::run(Attempt {
            job: claim.job.id.clone(),
            fence: claim.fence,
            episode,
            site: assignment.site,
            task: assignment.task,
            decider: assignment.decider.as_mut(),
            page: &mut *page,
            environment: assignment.environment.as_ref(),
            limits: assignment.limits,
            recorder: self.crew.recorder.as_ref(),
            clock: self.crew.clock.as_ref(),
            screenshots: self.options.screenshots,
            seed: seed_of(&claim.job.id),
            interrupt: self.interrupt.clone(),
        })
        .await?;
        if finished.trajectory.ending == Ending::Interrupted {
            return Ok(Attempted::Interrupted);
        }
        let facts = match evidence::gather(page, &finished, assignment.check.as_ref()).await {
            Ok(facts) => facts,
            Err(error) => {
                finished.retryable = error.is_retryable();
                finished.trajectory.ending = ending::of_page(&error);
                Facts::default()
            }
        };
        if let (true, Ending::BrowserFailed { cause }) = (finished.retryable, &finished.trajectory.ending) {
            return Ok(Attempted::BrowserFailed { cause: cause.clone(), finished: Some(Box::new(finished)) });
        }
        let actor = match assignment.is_test {
            true => Actor::Test { heals: finished.heals.clone() },
            false => Actor::Agent,
        };
        let verdict = judge(&finished.trajectory.ending, assignment.check.as_ref(), &facts, &actor);
        if self.wants_failure_picture(&finished, &verdict) {
            // A picture is a comfort; an attempt that is judged is not lost for want of one.
            match page.screenshot().await {
                Ok(picture) => finished.trajectory.screenshot = Some(self.crew.recorder.picture(&picture).await?),
                Err(error) => warn!(%error, "no picture of the last page"),
            }
        }
        Ok(Attempted::Judged { finished: Box::new(finished), verdict })
    }

    fn wants_failure_picture(&self, finished: &Finished, verdict: &Verdict) -> bool {
        self.options.screenshots == Screenshots::Failures
            && !verdict.kind.is_success()
            && drive::ends_with_a_page(&finished.trajectory.ending)
            && finished.observation.as_ref().is_some_and(|observation| observation.dialog.is_none())
    }

    /// Commits the one outcome of a job.
    async fn commit(
        &self,
        claim: &Claim,
        finished: Finished,
        verdict: Verdict,
        lost: Lost,
    ) -> Result<(), StorageError> {
        let trajectory = &finished.trajectory;
        let encoded = serde_json::to_vec(trajectory)
            .map_err(|error| StorageError::Corrupt(format!("encode the trajectory of {}: {error}", claim.job.id)))?;
        let blob = self.crew.blobs.put(&encoded).await?;
        let mut usage = lost.usage;
        usage += trajectory.usage;
        let mut incidents = lost.incidents;
        incidents.extend(finished.incidents);
        let outcome = Outcome {
            job: claim.job.id.clone(),
            campaign: claim.job.campaign.clone(),
            episode: trajectory.episode,
            fence: claim.fence,
            task: trajectory.task.clone(),
            site: trajectory.site.clone(),
            planner: trajectory.planner.clone(),
            verdict,
            ending: trajectory.ending.clone(),
            reward: finished.reward,
            steps: trajectory.steps.len() as u32,
            usage,
            wall_ms: trajectory.wall_ms,
            incidents,
            trajectory: blob,
        };
        if self.crew.jobs.complete(&outcome).await? {
            self.tell(Progress::Ended(Box::new(outcome)));
        } else {
            warn!("the job already had an outcome; this one is not counted");
        }
        Ok(())
    }

    async fn cannot_begin(&self, claim: &Claim, lost: &Lost, cause: String) -> Result<(), StorageError> {
        let mut finished = self.unbegun(claim, self.episode_id(claim, 0), String::new());
        finished.trajectory.ending = Ending::EnvironmentFailed { cause };
        let verdict = judge(&finished.trajectory.ending, None, &Facts::default(), &Actor::Agent);
        self.commit(claim, finished, verdict, lost.clone()).await
    }

    /// What is left of an attempt that never got a page.
    fn unbegun(&self, claim: &Claim, episode: EpisodeId, cause: String) -> Finished {
        let (task, site) = names_of(&claim.job);
        Finished {
            trajectory: Trajectory {
                episode,
                job: claim.job.id.clone(),
                fence: claim.fence,
                task,
                site,
                instruction: String::new(),
                planner: String::new(),
                steps: Vec::new(),
                ending: Ending::BrowserFailed { cause },
                screenshot: None,
                usage: Usage::default(),
                wall_ms: 0.0,
            },
            observation: None,
            answer: None,
            requests: Vec::new(),
            reward: None,
            incidents: Vec::new(),
            heals: Vec::new(),
            retryable: false,
        }
    }

    /// A time-ordered id whose random part is the claim's: unique without a source of randomness.
    fn episode_id(&self, claim: &Claim, attempt: u32) -> EpisodeId {
        let since = self.crew.clock.wall().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let mut hasher = blake3::Hasher::new();
        hasher.update(claim.job.campaign.as_str().as_bytes()).update(&[0]);
        hasher.update(claim.job.id.as_str().as_bytes()).update(&[0]);
        let Fence(fence) = claim.fence;
        hasher.update(&fence.to_le_bytes()).update(&attempt.to_le_bytes());
        let mut random = [0; 10];
        random.copy_from_slice(&hasher.finalize().as_bytes()[..10]);
        EpisodeId(Builder::from_unix_timestamp_millis(since.as_millis() as u64, &random).into_uuid())
    }

    fn tell(&self, news: Progress) {
        // Nobody may be watching.
        let _ = self.progress.send(news);
    }
}

/// What lost attempts at a job cost and said.
#[derive(Clone, Debug, Default)]
struct Lost {
    usage: Usage,
    incidents: Vec<String>,
}

impl Lost {
    fn add(&mut self, finished: Option<&Finished>) {
        if let Some(finished) = finished {
            self.usage += finished.trajectory.usage;
            self.incidents.extend(finished.incidents.iter().cloned());
        }
    }
}
