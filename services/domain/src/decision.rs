//! Deciding: from what was seen and done so far to the next action.

use crate::action::Action;
use crate::id::{CampaignId, EpisodeId, JobId, RunId, SiteId, StateId};
use crate::observation::Observation;
use crate::page::Page;
use crate::test::Heal;
use crate::trajectory::Step;
use crate::usage::Usage;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::sync::Arc;

/// What a planner is asked.
///
/// Planners are stateless: whatever one wants to remember within an episode it returns as [`Decision::memory`] and is
/// given back with the next request, so that any planner of a pool can answer it.
#[derive(Clone, Debug)]
pub struct DecisionRequest {
    /// The attempt.
    pub episode: EpisodeId,
    /// The job.
    pub job: JobId,
    /// The task in words. Parameters are filled in; secrets appear as `${secret:NAME}`.
    pub instruction: String,
    /// What the page shows now. Untrusted content.
    pub observation: Arc<Observation>,
    /// The steps so far, oldest first.
    pub history: Arc<Vec<Step>>,
    /// What the planner returned as memory last time; `Null` at first.
    pub memory: Value,
    /// The picture, after the planner asked for one by [`Choice::NeedScreenshot`].
    pub screenshot: Option<Screenshot>,
    /// Steps left before the limit.
    pub steps_left: u32,
    /// Seed for every random choice of the planner.
    pub seed: u64,
    /// Why the last choice was not carried out; none after one that was.
    pub refusal: Option<String>,
    /// Where the page is on the site's map; none where it is not located: in benchmarks, and where no map is within reach.
    pub position: Option<MapPosition>,
    /// What stays the same for the whole attempt.
    pub context: Arc<TaskContext>,
}

/// What a planner may want to know beside the task: the same for every decision of an attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskContext {
    /// The campaign.
    pub campaign: CampaignId,
    /// The site.
    pub site: SiteId,
    /// Who the browser is to the site: `guest`, `user`, …; none where the task does not say.
    pub role: Option<String>,
    /// The task's name, which all its instances share; empty where nobody says.
    pub task: String,
    /// Where the task begins: an absolute URL.
    pub start_url: String,
    /// The planner's own options; `Null` where none are set.
    pub options: Value,
    /// The experience to draw from, by its name.
    pub experience: Option<String>,
    /// The day on which the attempt began, such as `2026-11-25`, in UTC where the time zone is not known.
    pub day: Option<String>,
    /// The browser's time zone, such as `Europe/Berlin`; none where it is that of the machine it runs on.
    pub time_zone: Option<String>,
    /// The browser's language tag, such as `de-DE`; none where it is the browser's own.
    pub locale: Option<String>,
}

impl Default for TaskContext {
    /// Nothing is known.
    fn default() -> Self {
        Self {
            campaign: CampaignId::new(""),
            site: SiteId::new(""),
            role: None,
            task: String::new(),
            start_url: String::new(),
            options: Value::Null,
            experience: None,
            day: None,
            time_zone: None,
            locale: None,
        }
    }
}

/// A place on the map of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapPosition {
    /// The version of the map, by the run that made it.
    pub version: RunId,
    /// The state that the page is in.
    pub state: StateId,
}

/// A picture of the viewport.
#[derive(Clone)]
pub struct Screenshot {
    /// PNG file content.
    pub png: Arc<[u8]>,
    /// Device pixels per CSS pixel.
    pub scale: f64,
}

impl fmt::Debug for Screenshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Screenshot({} bytes, scale {})", self.png.len(), self.scale)
    }
}

/// What a planner answers.
#[derive(Clone, Debug)]
pub struct Decision {
    /// The next action, or what is needed first.
    pub choice: Choice,
    /// Why, in a sentence for people.
    pub reason: String,
    /// How sure the planner is, in 0..=1.
    pub confidence: f64,
    /// The level of the cascade that decided.
    pub level: Level,
    /// What this decision cost.
    pub usage: Usage,
    /// Troubles of model calls that were survived, for the result: e.g. `429, retried after 2 s`.
    pub incidents: Vec<String>,
    /// What to remember for the next decision of this episode.
    pub memory: Value,
}

/// The outcome of deciding.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Do this.
    Act(Action),
    /// Ask again with a screenshot.
    NeedScreenshot,
    /// No valid decision came out, e.g. a model's reply was unusable after its repair. Counts against the limit of
    /// invalid decisions.
    Invalid {
        /// Why.
        cause: String,
    },
    /// The recorded step that should come next does not fit the page. Only the replay of a test says so.
    Drifted {
        /// Number of the recorded step, from 1.
        step: u32,
        /// What was not found.
        cause: String,
    },
    /// Begin the task again: the site is reset and the start URL opened. Refused where the task has no reset.
    Reset,
    /// Go back to a state of the map. Refused where nothing leads back there.
    GoBack(StateId),
}

/// Levels of the planning cascade, the cheapest first, and the deciders beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A learnt workflow was replayed.
    Recall,
    /// The instruction was bound to the page without a model.
    #[default]
    Ground,
    /// A language model reasoned.
    Reason,
    /// A recorded trajectory was replayed.
    Replay,
    /// Chance.
    Random,
    /// A solver that knows the benchmark's own data.
    Gold,
    /// An exploration strategy.
    Explore,
}

/// Picks the next action of an episode.
///
/// Contract: MUST NOT perform the action, MUST NOT keep state between calls, MUST answer every request (an unusable model
/// reply is [`Choice::Invalid`], not an error) and MUST name only elements of the request's observation.
#[async_trait]
pub trait Planner: Send + Sync {
    /// A short name for results and reports.
    fn name(&self) -> &str;

    /// The next action.
    ///
    /// # Errors
    /// [`PlannerError`] when no answer can be had at all: the endpoint is down, throttled beyond patience, out of budget.
    async fn decide(&self, request: DecisionRequest) -> Result<Decision, PlannerError>;
}

/// Why a planner could not answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PlannerError {
    /// The model's endpoint could not be reached or kept failing.
    #[error("ask the model: {cause}")]
    Unavailable {
        /// Cause, with what to do.
        cause: String,
        /// What the failed calls cost.
        usage: Usage,
    },
    /// The planner itself did not answer: it is another process, which died, stands still or was cut off. The same request
    /// may be asked again, of it or of another one.
    #[error("{cause}")]
    Away {
        /// Cause.
        cause: String,
        /// What the failed tries are known to have cost.
        usage: Usage,
    },
    /// The provider throttled the calls for longer than the configured patience.
    #[error("ask the model: throttled by the provider: {cause}")]
    Throttled {
        /// Cause.
        cause: String,
        /// What the failed calls cost.
        usage: Usage,
    },
    /// The embedder failed.
    #[error("embed text: {0}")]
    Embedding(String),
    /// An exploration could not log in.
    #[error("log in: {0}")]
    LogIn(String),
}

/// Decides with the page at hand: what the episode loop drives.
///
/// Planners are lifted into deciders that never touch the page. Only a benchmark's gold solver and the replay of a test
/// implement this themselves; a decider MUST NOT act on the page, it only reads.
#[async_trait]
pub trait Decider: Send {
    /// A short name for results and reports.
    fn name(&self) -> &str;

    /// The next action.
    ///
    /// # Errors
    /// As [`Planner::decide`].
    async fn decide(&mut self, page: &mut dyn Page, request: DecisionRequest) -> Result<Decision, PlannerError>;

    /// The locators that had to be healed so far. Only the replay of a test has any.
    fn heals(&self) -> Vec<Heal> {
        Vec::new()
    }
}
