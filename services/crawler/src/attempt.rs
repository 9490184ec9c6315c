//! One attempt at a claimed job: page → loop → evidence → verdict → the one record that ends it.
//!
//! In every case the profile is closed and the attempt ends in exactly one variant of [`Attempted`].

use crate::assignment::{Assignment, NoAssignment, context_of, names_of, seed_of};
use crate::destructive::DestructiveGuard;
use crate::drive::{self, Finished, Screenshots};
use crate::ending;
use crate::evidence::{self, Watch};
use crate::failover::FailoverPage;
use crate::judging;
use crate::worker::Dependencies;
use domain::campaign::{Closing, Failure, Grant, LostAttempt};
use domain::job::{Outcome, Work};
use domain::page::{Download, Page, PageError};
use domain::stage::Study;
use domain::storage::StorageError;
use domain::text::shorten;
use domain::trajectory::DownloadedFile;
use domain::{Deciding, Ending, EpisodeId, Fence, Trajectory, Usage, Verdict};
use evaluation::{Actor, Facts, judge};
use std::time::UNIX_EPOCH;
use tokio_util::sync::CancellationToken;
use tracing::warn;
use uuid::Builder;

/// Longest recorded cause of a loss, in characters: it may quote a page.
const LONGEST_CAUSE: usize = 2_000;

/// How an attempt ended.
#[derive(Debug)]
pub(crate) enum Attempted {
    /// A verdict was recorded.
    Judged(Box<Outcome>),
    /// A loss was recorded: the browser or the planner failed.
    Lost(LostAttempt),
    /// A required resource is missing and nothing was attempted; the job goes back to the queue.
    NoSlot(String),
    /// It was asked to stop; only its steps are recorded.
    Interrupted,
}

/// Attempts a claimed job.
///
/// # Errors
/// Of storage; then the end of the attempt is not recorded.
pub(crate) async fn attempt(
    dependencies: &Dependencies,
    grant: &Grant,
    screenshots: Screenshots,
    interrupt: &CancellationToken,
) -> Result<Attempted, StorageError> {
    let attempt = AttemptRun { dependencies, grant, screenshots, interrupt, episode: episode_id(dependencies, grant) };
    if let Work::Study(study) = &grant.job.work {
        return attempt.study(study).await;
    }
    let assignment = match dependencies.assignments.assignment(&grant.job, &grant.campaign).await {
        Ok(assignment) => assignment,
        Err(NoAssignment::Senseless(cause)) => return attempt.cannot_begin(cause).await,
        Err(NoAssignment::NotHere(cause)) => return Ok(Attempted::NoSlot(cause)),
    };
    let opened = tokio::select! {
        biased;
        opened = dependencies.pages.profile(&grant.job, &grant.campaign) => opened,
        () = interrupt.cancelled() => return Ok(Attempted::Interrupted),
    };
    let profile = match opened {
        Ok(profile) => profile,
        Err(PageError::NoSlot(cause)) => return Ok(Attempted::NoSlot(cause)),
        Err(error) => {
            let failure = error.failure().unwrap_or(Failure::SessionLost);
            return attempt.lost(failure, error.to_string(), Usage::default(), 0.0).await;
        }
    };
    let mut page = FailoverPage::new(profile, dependencies.pages.as_ref(), grant);
    let attempted = match attempt.on(&mut page, assignment).await {
        // Another attempt would be as large, so the job is not retried.
        Err(StorageError::TooLarge(cause)) => {
            attempt.lost(Failure::Unusable, format!("it cannot be recorded: {cause}"), Usage::default(), 0.0).await
        }
        attempted => attempted,
    };
    let is_fine = |failure| matches!(failure, Failure::PlannerAway | Failure::Unusable);
    let browser_failed = matches!(&attempted, Ok(Attempted::Lost(lost)) if !is_fine(lost.failure));
    page.close(!browser_failed).await;
    attempted
}

struct AttemptRun<'a> {
    dependencies: &'a Dependencies,
    grant: &'a Grant,
    screenshots: Screenshots,
    interrupt: &'a CancellationToken,
    episode: EpisodeId,
}

impl AttemptRun<'_> {
    async fn on(&self, page: &mut dyn Page, mut assignment: Assignment) -> Result<Attempted, StorageError> {
        let mut guarded = DestructiveGuard::new(page, assignment.guards.clone(), assignment.book.clone());
        let page: &mut dyn Page = &mut guarded;
        // A benchmark page judges itself and starts unsolved, so one look at the end is enough.
        let watch = match &self.grant.job.work {
            Work::Benchmark(_) | Work::Study(_) => Watch::Once,
            Work::Task { .. } | Work::Exploration { .. } => Watch::Closely,
        };
        if let Some(companion) = &mut assignment.companion {
            tokio::select! {
                biased;
                () = companion.begin() => {}
                () = self.interrupt.cancelled() => return Ok(Attempted::Interrupted),
            }
        }
        let mut finished = drive::run(drive::Attempt {
            ticket: self.grant.ticket(),
            episode: self.episode,
            site: assignment.site,
            task: assignment.task,
            decider: assignment.decider.as_mut(),
            page: &mut *page,
            environment: assignment.environment.as_ref(),
            check: assignment.check.as_ref().filter(|_| watch == Watch::Closely),
            explores: assignment.guards.is_some(),
            limits: assignment.limits,
            recorder: self.dependencies.recorder.as_ref(),
            clock: self.dependencies.clock.as_ref(),
            screenshots: self.screenshots,
            seed: seed_of(&self.grant.job.id),
            context: context_of(&self.grant.job, self.dependencies.clock.wall()).into(),
            interrupt: self.interrupt.clone(),
        })
        .await?;
        if finished.trajectory.ending == Ending::Interrupted {
            return Ok(Attempted::Interrupted);
        }
        if let Some(companion) = assignment.companion.take() {
            companion.end().await;
        }
        let gathered = tokio::select! {
            biased;
            gathered = evidence::gather(&mut *page, &finished, assignment.check.as_ref(), watch) => gathered,
            () = self.interrupt.cancelled() => return Ok(Attempted::Interrupted),
        };
        let mut facts = match gathered {
            Ok(facts) => facts,
            Err(error) => {
                finished.failure = error.failure();
                finished.trajectory.ending = ending::of_page(&error);
                Facts::default()
            }
        };
        if let (Some(failure), Ending::BrowserFailed { cause } | Ending::PlannerFailed { cause }) =
            (finished.failure, &finished.trajectory.ending)
        {
            let Trajectory { usage, wall_ms, .. } = finished.trajectory;
            return self.lost(failure, cause.clone(), usage, wall_ms).await;
        }
        facts.may_hold_at_start = matches!(&self.grant.job.work, Work::Task { task, .. } if task.may_hold_at_start);
        let actor = match assignment.is_test {
            true => Actor::Test { heals: finished.heals.clone() },
            false => Actor::Agent,
        };
        let (ending, check) = (&finished.trajectory.ending, assignment.check.as_ref());
        let verdict = judging::verdict(&mut *page, ending, check, &facts, &actor).await;
        let offered = tokio::select! {
            biased;
            offered = page.take_downloads() => offered,
            () = self.interrupt.cancelled() => return Ok(Attempted::Interrupted),
        };
        finished.trajectory.downloads = self.kept(offered).await?;
        if self.wants_failure_picture(&finished, &verdict) {
            // A missing picture does not void a judged attempt.
            match page.screenshot().await {
                Ok(picture) => {
                    finished.trajectory.screenshot = Some(self.dependencies.recorder.picture(&picture).await?)
                }
                Err(error) => warn!(%error, "no picture of the last page"),
            }
        }
        self.judged(finished.trajectory, finished.reward, finished.incidents, verdict).await
    }

    /// Stores what pages offered for download.
    async fn kept(&self, offered: Vec<Download>) -> Result<Vec<DownloadedFile>, StorageError> {
        let mut kept = Vec::new();
        for Download { name, url, content } in offered {
            let (bytes, content, missing) = match content {
                Ok(content) => {
                    (content.len() as u64, Some(self.dependencies.recorder.file(&content).await?), String::new())
                }
                Err(cause) => (0, None, cause),
            };
            kept.push(DownloadedFile { name, url, bytes, content, missing });
        }
        Ok(kept)
    }

    fn wants_failure_picture(&self, finished: &Finished, verdict: &Verdict) -> bool {
        self.screenshots == Screenshots::Failures
            && !verdict.kind.is_success()
            && drive::ends_with_a_page(&finished.trajectory.ending)
            && finished.observation.as_ref().is_some_and(|observation| observation.dialog.is_none())
    }

    /// Records the outcome.
    async fn judged(
        &self,
        trajectory: Trajectory,
        reward: Option<f64>,
        incidents: Vec<String>,
        verdict: Verdict,
    ) -> Result<Attempted, StorageError> {
        let blob = self.dependencies.recorder.trajectory(&trajectory).await?;
        let outcome = Outcome {
            job: self.grant.job.id.clone(),
            campaign: self.grant.job.campaign.clone(),
            episode: trajectory.episode,
            fence: self.grant.fence,
            task: trajectory.task,
            site: trajectory.site,
            planner: trajectory.planner,
            verdict,
            ending: trajectory.ending,
            reward,
            steps: trajectory.steps.len() as u32,
            usage: trajectory.usage,
            wall_ms: trajectory.wall_ms,
            incidents,
            trajectory: blob,
        };
        self.dependencies.recorder.close(Closing::Judged(Box::new(outcome.clone()))).await?;
        Ok(Attempted::Judged(Box::new(outcome)))
    }

    /// Records a lost attempt.
    async fn lost(
        &self,
        failure: Failure,
        cause: String,
        usage: Usage,
        wall_ms: f64,
    ) -> Result<Attempted, StorageError> {
        let ticket = self.grant.ticket();
        let cause = shorten(&cause, LONGEST_CAUSE);
        let lost = LostAttempt { ticket, episode: self.episode, failure, cause, usage, wall_ms };
        self.dependencies.recorder.close(Closing::Lost(lost.clone())).await?;
        Ok(Attempted::Lost(lost))
    }

    /// Ends a malformed job at once, with the reason.
    async fn cannot_begin(&self, cause: String) -> Result<Attempted, StorageError> {
        let trajectory = self.without_steps(String::new(), Ending::EnvironmentFailed { cause });
        let verdict = judge(&trajectory.ending, None, &Facts::default(), &Actor::Agent);
        self.judged(trajectory, None, Vec::new(), verdict).await
    }

    /// Finds out what a study asks: no page is opened.
    async fn study(&self, study: &Study) -> Result<Attempted, StorageError> {
        let verdict = evaluation::study(study);
        let instruction = format!("{} of {} jobs that have ended", study.kind.as_str(), study.of.len());
        self.judged(self.without_steps(instruction, Ending::EnvironmentOver), None, Vec::new(), verdict).await
    }

    /// What is recorded of an attempt that opened no page.
    fn without_steps(&self, instruction: String, ending: Ending) -> Trajectory {
        let (task, site) = names_of(&self.grant.job);
        Trajectory {
            episode: self.episode,
            job: self.grant.job.id.clone(),
            fence: self.grant.fence,
            task,
            site,
            instruction,
            planner: self.grant.campaign.planner.name.clone(),
            steps: Vec::new(),
            ending,
            screenshot: None,
            usage: Usage::default(),
            wall_ms: 0.0,
            downloads: Vec::new(),
            deciding: Deciding::default(),
        }
    }
}

/// A time-ordered id whose random part is derived from the claim. It is unique without a random source, since no fence
/// is given twice.
fn episode_id(dependencies: &Dependencies, grant: &Grant) -> EpisodeId {
    let since = dependencies.clock.wall().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(grant.job.campaign.as_str().as_bytes()).update(&[0]);
    hasher.update(grant.job.id.as_str().as_bytes()).update(&[0]);
    let Fence(fence) = grant.fence;
    hasher.update(&fence.to_le_bytes());
    let mut random = [0; 10];
    random.copy_from_slice(&hasher.finalize().as_bytes()[..10]);
    EpisodeId(Builder::from_unix_timestamp_millis(since.as_millis() as u64, &random).into_uuid())
}
