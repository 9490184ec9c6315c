//! The thin shell around [`crate::episode`]: executes its commands and feeds the results back.
//!
//! It decides nothing. An action costs one call of the page, one call of the environment, and one record, which is
//! written in the background.

use crate::ending;
use crate::episode::{Command, Config, Episode, Event, answer_of};
use crate::evidence;
use crate::recorder::Recorder;
use domain::campaign::{Failure, Ticket};
use domain::decision::{PlannerError, Screenshot, TaskContext};
use domain::environment::{Environment, EnvironmentError};
use domain::observation::Request;
use domain::page::{Page, PageError};
use domain::storage::StorageError;
use domain::task::{Check, Limits};
use domain::test::Heal;
use domain::{Decider, Ending, EpisodeId, Fault, Observation, SiteId, Step, TaskId, Trajectory};
use evaluation::Facts;
use futures::future::{BoxFuture, Either, select};
use platform::clock::Clock;
use std::mem;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// The address of an empty tab.
const BLANK: &str = "about:blank";

/// Pause before looking at an empty tab again.
const AGAIN: Duration = Duration::from_millis(500);

/// Which pictures are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screenshots {
    /// None.
    None,
    /// The last page of an unsuccessful attempt.
    #[default]
    Failures,
    /// The page before every action, and the last one.
    All,
}

/// Everything that one attempt at a job needs.
pub struct Attempt<'a> {
    /// The claim that it runs under.
    pub ticket: Ticket,
    /// The attempt's id.
    pub episode: EpisodeId,
    /// The site, for the record.
    pub site: SiteId,
    /// The task, for the record.
    pub task: TaskId,
    /// Decides the actions.
    pub decider: &'a mut dyn Decider,
    /// The page of this job, fresh.
    pub page: &'a mut dyn Page,
    /// Sets up the task and says when it is over.
    pub environment: &'a dyn Environment,
    /// Evaluated before the first action, to find what held already; none where that is not needed.
    pub check: Option<&'a Check>,
    /// Whether it explores: then any page with controls is usable.
    pub explores: bool,
    /// Limits that end the attempt.
    pub limits: Limits,
    /// Records steps as they happen.
    pub recorder: &'a dyn Recorder,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// Which pictures are kept. For [`Screenshots::Failures`] the caller takes it, since it knows the verdict.
    pub screenshots: Screenshots,
    /// Seed for the decider's random choices.
    pub seed: u64,
    /// Context for planners beside the task.
    pub context: Arc<TaskContext>,
    /// Ends the attempt when cancelled.
    pub interrupt: CancellationToken,
}

/// The result of an attempt, before it is judged.
#[derive(Debug)]
pub struct Finished {
    /// The facts before the first action that the check needs.
    pub start: Option<Box<Facts>>,
    /// What was done, and why it ended.
    pub trajectory: Trajectory,
    /// The last observation; none when it ended before the first.
    pub observation: Option<Arc<Observation>>,
    /// The answer in the actor's claim to be done.
    pub answer: Option<String>,
    /// Every observed request.
    pub requests: Vec<Request>,
    /// Every observed fault.
    pub faults: Vec<Fault>,
    /// The environment's reward.
    pub reward: Option<f64>,
    /// Problems that did not end the attempt.
    pub incidents: Vec<String>,
    /// Locators that a replay healed.
    pub heals: Vec<Heal>,
    /// The failure of the browser or of the connection to the planner, which another attempt may not meet.
    pub failure: Option<Failure>,
}

/// Runs one attempt to its end, whatever that is.
///
/// # Errors
/// Only of the recorder. All other failures become an [`Ending`].
pub async fn run(attempt: Attempt<'_>) -> Result<Finished, StorageError> {
    let Attempt { decider, page, environment, recorder, clock, screenshots, interrupt, .. } = attempt;
    let prepared = tokio::select! {
        biased;
        prepared = environment.prepare() => prepared.map_err(Event::NotBegun),
        () = interrupt.cancelled() => Err(Event::Interrupted),
    };
    let started = clock.monotonic();
    let elapsed = || clock.monotonic().saturating_sub(started);
    let mut episode = Episode::new(Config {
        job: attempt.ticket.job.clone(),
        episode: attempt.episode,
        limits: attempt.limits,
        explores: attempt.explores,
        picture_every_step: screenshots == Screenshots::All,
        seed: attempt.seed,
        can_reset: environment.can_reset(),
        context: attempt.context,
    });
    let mut steps: Vec<Step> = Vec::new();
    let mut recording = Recording::default();
    let mut failure = None;
    let mut event = match prepared {
        Ok(()) => unless(&interrupt, begin(page, environment, Duration::from_secs(attempt.limits.seconds))).await,
        Err(event) => event,
    };
    if let Event::NotBegun(EnvironmentError::Page(page)) = &event {
        failure = page.failure();
    }
    let mut start = None;
    let mut ending = loop {
        // Taken before the next command, because a step's picture shows the page before its action.
        let picture = episode.picture().cloned();
        event = match episode.next(event, elapsed()) {
            Command::Finish(ending) => break ending,
            _ if interrupt.is_cancelled() => Event::Interrupted,
            Command::Look => {
                let left = episode.time_left(elapsed());
                let check = attempt.check.filter(|_| !episode.has_observed());
                let look = async {
                    match timeout(left, first_look(page, check)).await {
                        Err(_) => Event::NotOpened,
                        Ok(Err(error)) => Event::PageFailed(error),
                        Ok(Ok((observed, facts))) => {
                            start = start.take().or(facts);
                            Event::Observed(observed)
                        }
                    }
                };
                recording.beside(unless(&interrupt, look)).await?
            }
            Command::Observe => told(recording.beside(page.observe()).await?, Event::Observed),
            Command::Picture => told(recording.beside(page.screenshot()).await?, Event::Pictured),
            Command::Act(action, before) => told(recording.beside(page.act(&action, &before)).await?, Event::Acted),
            Command::Poll => told(recording.beside(environment.is_over(page)).await?, over_or_not),
            Command::Decide(request) => {
                let left = episode.time_left(elapsed());
                let deciding = async {
                    match timeout(left, decider.decide(page, *request)).await {
                        Ok(Ok(decision)) => Event::Decided(decision),
                        Ok(Err(error)) => Event::PlannerFailed(error),
                        Err(_) => Event::TimeRanOut,
                    }
                };
                recording.beside(unless(&interrupt, deciding)).await?
            }
            Command::Pause(pause) => {
                let pausing = async {
                    sleep(pause).await;
                    Event::Paused
                };
                recording.beside(unless(&interrupt, pausing)).await?
            }
            Command::Reset => {
                let left = episode.time_left(elapsed());
                let resetting = async { timeout(left, reset(page, environment)).await.unwrap_or(Event::TimeRanOut) };
                recording.beside(unless(&interrupt, resetting)).await?
            }
            Command::Record(mut step) => {
                if let Some(picture) = picture.filter(|_| screenshots == Screenshots::All) {
                    step.screenshot = Some(recorder.picture(&picture).await?);
                }
                mem::take(&mut recording).end().await?;
                steps.push(Step::clone(&step));
                recording = Recording(Some(recorder.step(&attempt.ticket, attempt.episode, *step)));
                Event::Recorded
            }
        };
        match &event {
            Event::PageFailed(error) => failure = error.failure(),
            Event::NotBegun(EnvironmentError::Page(error)) => failure = error.failure(),
            Event::PlannerFailed(error) => {
                failure = matches!(error, PlannerError::Away { .. }).then_some(Failure::PlannerAway);
            }
            _ => {}
        }
    };
    let parts = episode.into_parts(elapsed());
    let mut reward = None;
    let mut last_picture = None;
    if ends_with_a_page(&ending) {
        match last_look(page, environment, screenshots).await {
            Ok((number, picture)) => (reward, last_picture) = (number, picture),
            Err(error) => {
                failure = error.failure();
                ending = ending::of_page(&error);
            }
        }
    }
    recording.end().await?;
    let screenshot = match &last_picture {
        Some(picture) => Some(recorder.picture(picture).await?),
        None => None,
    };
    Ok(Finished {
        start,
        answer: answer_of(&ending),
        heals: decider.heals(),
        failure: failure.filter(|failure| match ending {
            Ending::BrowserFailed { .. } => true,
            Ending::PlannerFailed { .. } => *failure == Failure::PlannerAway,
            _ => false,
        }),
        observation: parts.observation,
        requests: parts.requests,
        faults: parts.faults,
        reward,
        incidents: parts.incidents,
        trajectory: Trajectory {
            episode: attempt.episode,
            job: attempt.ticket.job,
            fence: attempt.ticket.fence,
            task: attempt.task,
            site: attempt.site,
            instruction: parts.instruction,
            planner: decider.name().to_owned(),
            steps,
            ending,
            screenshot,
            usage: parts.usage,
            wall_ms: parts.wall_ms,
            downloads: Vec::new(),
            deciding: parts.deciding,
        },
    })
}

/// Awaits an event unless the attempt is interrupted first.
async fn unless(interrupt: &CancellationToken, happens: impl Future<Output = Event>) -> Event {
    tokio::select! {
        biased;
        event = happens => event,
        () = interrupt.cancelled() => Event::Interrupted,
    }
}

/// Sets up the task within the time limit of the whole attempt.
async fn begin(page: &mut dyn Page, environment: &dyn Environment, limit: Duration) -> Event {
    match timeout(limit, environment.begin(page)).await {
        Ok(Ok(instruction)) => Event::Began { instruction },
        Ok(Err(error)) => Event::NotBegun(error),
        Err(_) => Event::NotOpened,
    }
}

/// Resets the task.
async fn reset(page: &mut dyn Page, environment: &dyn Environment) -> Event {
    let began = async {
        environment.prepare().await?;
        environment.begin(page).await
    };
    began.await.map_or_else(Event::NotBegun, |instruction| Event::Began { instruction })
}

/// The first observation, with the check's facts before the first action. Repeats while the tab is blank: a site may
/// answer later than the browser waits.
async fn first_look(
    page: &mut dyn Page,
    check: Option<&Check>,
) -> Result<(Observation, Option<Box<Facts>>), PageError> {
    let mut seen = page.observe().await?;
    while seen.url == BLANK {
        sleep(AGAIN).await;
        seen = page.observe().await?;
    }
    let Some(check) = check else { return Ok((seen, None)) };
    let Some(mut start) = evidence::at_start(page, check).await? else { return Ok((seen, None)) };
    // Actions need the latest observation; activity during the opening is reported only once, so it is kept from the
    // first.
    let mut latest = page.observe().await?;
    seen.requests.append(&mut start.requests);
    seen.faults.append(&mut start.faults);
    latest.requests.splice(0..0, seen.requests);
    latest.faults.splice(0..0, seen.faults);
    latest.downloads.splice(0..0, seen.downloads);
    Ok((latest, Some(Box::new(start))))
}

/// The pending write of a step's record, if any.
#[derive(Default)]
struct Recording<'a>(Option<BoxFuture<'a, Result<(), StorageError>>>);

impl Recording<'_> {
    /// Awaits work while the record is being written.
    ///
    /// # Errors
    /// Of the record; the work is dropped then.
    async fn beside<T>(&mut self, work: impl Future<Output = T>) -> Result<T, StorageError> {
        let Some(record) = &mut self.0 else { return Ok(work.await) };
        match select(record, pin!(work)).await {
            Either::Right((done, _)) => Ok(done),
            Either::Left((recorded, work)) => {
                self.0 = None;
                let done = work.await;
                recorded.map(|()| done)
            }
        }
    }

    /// Waits until the record is written.
    async fn end(self) -> Result<(), StorageError> {
        match self.0 {
            Some(record) => record.await,
            None => Ok(()),
        }
    }
}

/// Whether a page can still be observed after this ending.
pub fn ends_with_a_page(ending: &Ending) -> bool {
    !matches!(
        ending,
        Ending::BrowserFailed { .. }
            | Ending::SiteUnreachable { .. }
            | Ending::EnvironmentFailed { .. }
            | Ending::DialogLoop { .. }
            | Ending::Interrupted
    )
}

async fn last_look(
    page: &mut dyn Page,
    environment: &dyn Environment,
    screenshots: Screenshots,
) -> Result<(Option<f64>, Option<Screenshot>), PageError> {
    let reward = environment.reward(page).await?;
    let picture = if screenshots == Screenshots::All { Some(page.screenshot().await?) } else { None };
    Ok((reward, picture))
}

fn told<T>(result: Result<T, PageError>, event: impl FnOnce(T) -> Event) -> Event {
    match result {
        Ok(value) => event(value),
        Err(error) => Event::PageFailed(error),
    }
}

fn over_or_not(over: bool) -> Event {
    if over { Event::EnvironmentOver } else { Event::Ongoing }
}
