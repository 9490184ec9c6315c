//! What was done in one attempt: steps as they happened, and why it ended.

use crate::action::{Action, Claim};
use crate::decision::Level;
use crate::effect::{Effect, PageDifference};
use crate::id::{BlobRef, EpisodeId, Fence, JobId, SiteId, TaskId};
use crate::locator::Descriptor;
use crate::observation::{Request, Stamp};
use crate::usage::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the incident begins that a step has when the task was reset and begun again right before it.
pub const BEGUN_AGAIN: &str = "the task was begun again";

/// One executed action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Number within the attempt, from 1.
    pub number: u32,
    /// The observation that it was decided on.
    pub stamp: Stamp,
    /// Address before the action.
    pub url: String,
    /// Title before the action.
    pub title: String,
    /// A line of text that sums up the page before the action, at most 400 characters.
    pub summary: String,
    /// The action with its element described so that it can be found again.
    pub action: Action<Descriptor>,
    /// Why, in a sentence.
    pub reason: String,
    /// How sure the decider was, in 0..=1.
    pub confidence: f64,
    /// Who decided.
    pub level: Level,
    /// What the action did.
    pub effect: Effect,
    /// What differs on the page after it.
    #[serde(default, skip_serializing_if = "PageDifference::is_empty")]
    pub difference: PageDifference,
    /// The requests that it caused, with their answers; those for pictures, styles and scripts are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<Request>,
    /// Cost of deciding.
    pub usage: Usage,
    /// Milliseconds of deciding.
    pub decide_ms: f64,
    /// Milliseconds of acting, settling and observing.
    pub act_ms: f64,
    /// Milliseconds since the attempt began.
    pub at_ms: f64,
    /// Faults that followed the action: the first hundred.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<crate::fault::Fault>,
    /// Survived troubles of model calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<String>,
    /// The picture of the page before the action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<BlobRef>,
}

impl Step {
    /// Whether the task was reset and begun again right before it: what was done until then was undone.
    pub fn begins_again(&self) -> bool {
        self.incidents.iter().any(|incident| incident.starts_with(BEGUN_AGAIN))
    }
}

/// An attempt: its steps and its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Trajectory {
    /// The attempt.
    pub episode: EpisodeId,
    /// The job.
    pub job: JobId,
    /// The fence that the attempt ran under.
    pub fence: Fence,
    /// The task.
    pub task: TaskId,
    /// The site.
    pub site: SiteId,
    /// The instruction as the decider got it.
    pub instruction: String,
    /// Name of the decider.
    pub planner: String,
    /// The steps, oldest first.
    pub steps: Vec<Step>,
    /// Why it ended.
    pub ending: Ending,
    /// The picture of the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<BlobRef>,
    /// The files that pages offered for download, of a task that keeps them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<DownloadedFile>,
    /// Sum over all decisions, those that led to no action included.
    pub usage: Usage,
    /// Wall time in milliseconds, from the first observation to the end.
    pub wall_ms: f64,
    /// What deciding took beside its cost.
    #[serde(default)]
    pub deciding: Deciding,
}

/// A file that a page offered for download.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DownloadedFile {
    /// The name that the page gave it: a text, not to be trusted as a path.
    pub name: String,
    /// Where it came from; empty for what the page made itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// Its size.
    pub bytes: u64,
    /// Its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<BlobRef>,
    /// Why there is no content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub missing: String,
}

/// What deciding took in an attempt, decisions that led to no action included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Deciding {
    /// Milliseconds of the decisions that a model was asked for.
    pub model_ms: f64,
    /// Decisions that could not be carried out: a reply that cannot be used, an element that is not there, a reset that is refused.
    pub invalid: u32,
}

/// Why an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "because", rename_all = "snake_case")]
pub enum Ending {
    /// The actor stopped by itself.
    Stopped {
        /// What it claims.
        claim: Claim,
        /// Its answer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<String>,
    },
    /// The environment said that the episode is over (a benchmark page's own end).
    EnvironmentOver,
    /// The limit of steps was reached.
    StepLimit {
        /// The limit.
        steps: u32,
    },
    /// The limit of wall time was reached.
    TimeLimit {
        /// The limit in seconds.
        seconds: u64,
    },
    /// The same action was tried too often on an unchanged observation.
    RepeatedAction {
        /// How often.
        times: u32,
    },
    /// Too many consecutive invalid decisions.
    InvalidDecisions {
        /// The last cause.
        cause: String,
    },
    /// The start URL, the page or an action led out of scope and could not be brought back.
    LeftScope {
        /// Where to.
        url: String,
    },
    /// The planner could not answer.
    PlannerFailed {
        /// Cause.
        cause: String,
    },
    /// The model's provider throttled the planner.
    Throttled {
        /// Cause.
        cause: String,
    },
    /// The site could not be opened.
    SiteUnreachable {
        /// Cause.
        cause: String,
    },
    /// The environment could not be set up: reset hook, log-in state, benchmark page.
    EnvironmentFailed {
        /// Cause.
        cause: String,
    },
    /// The browser or its driver failed.
    BrowserFailed {
        /// Cause.
        cause: String,
    },
    /// A page kept opening dialogs.
    DialogLoop {
        /// How many in a row.
        dialogs: u32,
    },
    /// A replayed step no longer fits the page.
    Drifted {
        /// Number of the recorded step, from 1.
        step: u32,
        /// What was not found.
        cause: String,
    },
    /// The process was asked to end.
    Interrupted,
}
