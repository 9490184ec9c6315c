//! The thin shell around [`crate::episode`]: does what the machine says, and tells it what came of it.
//!
//! It decides nothing by itself. One action costs one call of the page, one question to the environment, and one record,
//! which is written while the attempt goes on.

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

/// The address of a tab that shows no site yet.
const BLANK: &str = "about:blank";

/// Pause between two looks at such a tab.
const AGAIN: Duration = Duration::from_millis(500);

/// Which pictures are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screenshots {
    /// None.
    None,
    /// The last page of an attempt that was no success.
    #[default]
    Failures,
    /// The page before every action, and the last one.
    All,
}

/// Everything that one attempt needs.
pub struct Attempt<'a> {
    /// The claim that it runs under.
    pub ticket: Ticket,
    /// The attempt.
    pub episode: EpisodeId,
    /// The site, for the record.
    pub site: SiteId,
    /// The task, for the record.
    pub task: TaskId,
    /// Who decides.
    pub decider: &'a mut dyn Decider,
    /// The page of this job, fresh.
    pub page: &'a mut dyn Page,
    /// What begins the task and says when it is over.
    pub environment: &'a dyn Environment,
    /// What is looked at before the first action, so that nothing passes for what held already; none where that is not asked.
    pub check: Option<&'a Check>,
    /// Whether it explores: then a page is of use whatever controls it has.
    pub explores: bool,
    /// When to stop by force.
    pub limits: Limits,
    /// Where steps go as they happen.
    pub recorder: &'a dyn Recorder,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// Which pictures are kept. The one of [`Screenshots::Failures`] is the caller's, who knows the verdict.
    pub screenshots: Screenshots,
    /// Seed for the decider's random choices.
    pub seed: u64,
    /// What planners are told beside the task.
    pub context: Arc<TaskContext>,
    /// Asks the attempt to end.
    pub interrupt: CancellationToken,
}

/// What is left of an attempt.
#[derive(Debug)]
pub struct Finished {
    /// What held before the first action, as far as the check asks for it.
    pub start: Option<Box<Facts>>,
    /// What was done, and why it ended.
    pub trajectory: Trajectory,
    /// The last observation; none when it ended before the first.
    pub observation: Option<Arc<Observation>>,
    /// The answer that the actor gave with its claim to be done.
    pub answer: Option<String>,
    /// Every request that was seen.
    pub requests: Vec<Request>,
    /// Every fault that was seen.
    pub faults: Vec<Fault>,
    /// The environment's own number.
    pub reward: Option<f64>,
    /// Survived troubles.
    pub incidents: Vec<String>,
    /// Locators that a replay healed.
    pub heals: Vec<Heal>,
    /// What failed, when it was the browser or the way to the planner, which another attempt may not meet.
    pub failure: Option<Failure>,
}

/// Runs one attempt to its end, whatever that is.
///
/// # Errors
/// Only of the recorder: an attempt that cannot be recorded is no attempt. All else is an [`Ending`].
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
        // Taken before the machine moves on, because the picture of a step is that of the page before its action.
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
        },
    })
}

/// What happens, unless the attempt is asked to end before.
async fn unless(interrupt: &CancellationToken, happens: impl Future<Output = Event>) -> Event {
    tokio::select! {
        biased;
        event = happens => event,
        () = interrupt.cancelled() => Event::Interrupted,
    }
}

/// Opens the page, for which there is no more time than for the whole attempt.
async fn begin(page: &mut dyn Page, environment: &dyn Environment, limit: Duration) -> Event {
    match timeout(limit, environment.begin(page)).await {
        Ok(Ok(instruction)) => Event::Began { instruction },
        Ok(Err(error)) => Event::NotBegun(error),
        Err(_) => Event::NotOpened,
    }
}

/// Begins the task again.
async fn reset(page: &mut dyn Page, environment: &dyn Environment) -> Event {
    let began = async {
        environment.prepare().await?;
        environment.begin(page).await
    };
    began.await.map_or_else(Event::NotBegun, |instruction| Event::Began { instruction })
}

/// The first look at a page, and what a check finds there before the first action. A site may take longer to answer than the
/// browser waits: until then its tab is blank.
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
    // An action is decided on the latest observation; what was told while the page opened is told only once.
    let mut latest = page.observe().await?;
    seen.requests.append(&mut start.requests);
    seen.faults.append(&mut start.faults);
    latest.requests.splice(0..0, seen.requests);
    latest.faults.splice(0..0, seen.faults);
    latest.downloads.splice(0..0, seen.downloads);
    Ok((latest, Some(Box::new(start))))
}

/// The record of a step on its way, if there is one.
#[derive(Default)]
struct Recording<'a>(Option<BoxFuture<'a, Result<(), StorageError>>>);

impl Recording<'_> {
    /// Waits for something while the record goes on its way.
    ///
    /// # Errors
    /// Of the record; what was waited for is over then as well.
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

    /// Waits until it is written.
    async fn end(self) -> Result<(), StorageError> {
        match self.0 {
            Some(record) => record.await,
            None => Ok(()),
        }
    }
}

/// Whether there is still a page that can be looked at.
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
