//! One attempt at a claimed job: page → loop → evidence → verdict → the one record that ends it.
//!
//! Whatever happens, the profile is closed, and the attempt ends in exactly one of the ways of [`Attempted`].

use crate::assignment::{Assignment, NoAssignment, context_of, names_of, seed_of};
use crate::drive::{self, Finished, Screenshots};
use crate::ending;
use crate::evidence::{self, Watch};
use crate::guard::Guarded;
use crate::lasting::Lasting;
use crate::worker::Crew;
use domain::campaign::{Closing, Failure, Grant, LostAttempt};
use domain::job::{Outcome, Work};
use domain::page::{Page, PageError};
use domain::storage::StorageError;
use domain::text::shorten;
use domain::{Ending, EpisodeId, Fence, Trajectory, Usage, Verdict};
use evaluation::{Actor, Facts, judge};
use std::time::UNIX_EPOCH;
use tokio_util::sync::CancellationToken;
use tracing::warn;
use uuid::Builder;

/// Characters of the cause of a loss that are recorded: it may quote a page.
const LONGEST_CAUSE: usize = 2_000;

/// How an attempt ended.
#[derive(Debug)]
pub(crate) enum Attempted {
    /// It was judged, and that is recorded.
    Judged(Box<Outcome>),
    /// It was lost to the browser, or with the planner, and that is recorded.
    Lost(LostAttempt),
    /// No browser was to be had, or nothing else that it needs: nothing was attempted.
    NoSlot(String),
    /// It was asked to stop: nothing is recorded but its steps.
    Interrupted,
}

/// Attempts a claimed job.
///
/// # Errors
/// Of storage; then nobody was told how it ended.
pub(crate) async fn attempt(
    crew: &Crew,
    grant: &Grant,
    screenshots: Screenshots,
    interrupt: &CancellationToken,
) -> Result<Attempted, StorageError> {
    let attempt = One { crew, grant, screenshots, interrupt, episode: episode_id(crew, grant) };
    let assignment = match crew.assignments.assignment(&grant.job, &grant.campaign).await {
        Ok(assignment) => assignment,
        Err(NoAssignment::Senseless(cause)) => return attempt.cannot_begin(cause).await,
        Err(NoAssignment::NotHere(cause)) => return Ok(Attempted::NoSlot(cause)),
    };
    let opened = tokio::select! {
        biased;
        opened = crew.pages.profile(&grant.job, &grant.campaign) => opened,
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
    let mut page = Lasting::new(profile, crew.pages.as_ref(), grant);
    let attempted = match attempt.on(&mut page, assignment).await {
        // Another attempt would say as much: there is no use in trying again.
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

struct One<'a> {
    crew: &'a Crew,
    grant: &'a Grant,
    screenshots: Screenshots,
    interrupt: &'a CancellationToken,
    episode: EpisodeId,
}

impl One<'_> {
    async fn on(&self, page: &mut dyn Page, mut assignment: Assignment) -> Result<Attempted, StorageError> {
        let mut guarded = Guarded::new(page, assignment.guards);
        let page: &mut dyn Page = &mut guarded;
        // A benchmark's page judges itself, and begins with an instance that is not solved.
        let watch = match &self.grant.job.work {
            Work::Benchmark(_) => Watch::Once,
            Work::Task { .. } | Work::Exploration { .. } => Watch::Closely,
        };
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
            recorder: self.crew.recorder.as_ref(),
            clock: self.crew.clock.as_ref(),
            screenshots: self.screenshots,
            seed: seed_of(&self.grant.job.id),
            context: context_of(&self.grant.job, self.crew.clock.wall()).into(),
            interrupt: self.interrupt.clone(),
        })
        .await?;
        if finished.trajectory.ending == Ending::Interrupted {
            return Ok(Attempted::Interrupted);
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
        let verdict = judge(&finished.trajectory.ending, assignment.check.as_ref(), &facts, &actor);
        if self.wants_failure_picture(&finished, &verdict) {
            // A picture is a comfort; an attempt that is judged is not lost for want of one.
            match page.screenshot().await {
                Ok(picture) => finished.trajectory.screenshot = Some(self.crew.recorder.picture(&picture).await?),
                Err(error) => warn!(%error, "no picture of the last page"),
            }
        }
        self.judged(finished.trajectory, finished.reward, finished.incidents, verdict).await
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
        let blob = self.crew.recorder.trajectory(&trajectory).await?;
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
        self.crew.recorder.close(Closing::Judged(Box::new(outcome.clone()))).await?;
        Ok(Attempted::Judged(Box::new(outcome)))
    }

    /// Records that the attempt came to nothing.
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
        self.crew.recorder.close(Closing::Lost(lost.clone())).await?;
        Ok(Attempted::Lost(lost))
    }

    /// A job that nobody can make sense of ends at once, with the reason.
    async fn cannot_begin(&self, cause: String) -> Result<Attempted, StorageError> {
        let (task, site) = names_of(&self.grant.job);
        let trajectory = Trajectory {
            episode: self.episode,
            job: self.grant.job.id.clone(),
            fence: self.grant.fence,
            task,
            site,
            instruction: String::new(),
            planner: self.grant.campaign.planner.name.clone(),
            steps: Vec::new(),
            ending: Ending::EnvironmentFailed { cause },
            screenshot: None,
            usage: Usage::default(),
            wall_ms: 0.0,
        };
        let verdict = judge(&trajectory.ending, None, &Facts::default(), &Actor::Agent);
        self.judged(trajectory, None, Vec::new(), verdict).await
    }
}

/// A time-ordered id whose random part is the claim's: unique without a source of randomness, since a fence is given once.
fn episode_id(crew: &Crew, grant: &Grant) -> EpisodeId {
    let since = crew.clock.wall().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(grant.job.campaign.as_str().as_bytes()).update(&[0]);
    hasher.update(grant.job.id.as_str().as_bytes()).update(&[0]);
    let Fence(fence) = grant.fence;
    hasher.update(&fence.to_le_bytes());
    let mut random = [0; 10];
    random.copy_from_slice(&hasher.finalize().as_bytes()[..10]);
    EpisodeId(Builder::from_unix_timestamp_millis(since.as_millis() as u64, &random).into_uuid())
}
