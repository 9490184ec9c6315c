//! A campaign: a set of jobs that share a planner, limits, rates, a budget and a priority.

mod planner;

pub use planner::{PlannerOptions, PlannerRef};

use crate::id::{CampaignId, Fence, JobId, SiteId};
use crate::job::Outcome;
use crate::stage::Stages;
use crate::task::Limits;
use crate::usage::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};
use strum::{EnumString, IntoStaticStr};

/// The settings of a campaign. They are fixed when it is created. A version passes over settings that it does
/// not know: a newer one writes them only once all processes that are present know them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Campaign {
    /// Unique.
    pub id: CampaignId,
    /// Who decides in its jobs.
    pub planner: PlannerRef,
    /// Campaigns of a higher priority are served first.
    #[serde(default)]
    pub priority: i32,
    /// Its part of the slots among campaigns of the same priority, relative to theirs; at least 1.
    #[serde(default = "one")]
    pub share: u32,
    /// Page loads per host; hosts that are not named have the default of the node.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rates: BTreeMap<String, Rate>,
    /// What an attempt at any of its jobs may take.
    #[serde(default, skip_serializing_if = "AttemptLimits::is_none")]
    pub limits: AttemptLimits,
    /// What it may cost.
    #[serde(default)]
    pub budget: Budget,
    /// Words for people and filters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// What is done after the jobs that are handed in; nothing when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stages: Option<Stages>,
}

fn one() -> u32 {
    1
}

impl Campaign {
    /// A campaign with the usual settings.
    pub fn new(id: CampaignId, planner: PlannerRef) -> Self {
        Self {
            id,
            planner,
            priority: 0,
            share: one(),
            rates: BTreeMap::new(),
            limits: AttemptLimits::default(),
            budget: Budget::default(),
            labels: BTreeMap::new(),
            stages: None,
        }
    }
}

/// How fast a host may be visited, over all workers together: a token bucket that starts empty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Page loads per second; above 0.
    pub per_second: f64,
    /// Page loads that may follow each other at once; at least 1.
    pub burst: u32,
}

/// What an attempt at a job of a campaign may take at most, whatever its task allows. Absent means as much as the task says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AttemptLimits {
    /// Executed actions; at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<u32>,
    /// Wall time in seconds; at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}

impl AttemptLimits {
    /// Whether it limits nothing.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// What holds for an attempt whose task allows this much.
    pub fn of(&self, task: Limits) -> Limits {
        Limits {
            steps: self.steps.map_or(task.steps, |steps| steps.min(task.steps)),
            seconds: self.seconds.map_or(task.seconds, |seconds| seconds.min(task.seconds)),
            ..task
        }
    }
}

/// What a campaign may cost; reaching any of these stops its claims. Absent means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Budget {
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Prompt and completion tokens together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

impl Budget {
    /// Whether what was spent reaches a limit.
    pub fn is_spent(&self, usage: &Usage) -> bool {
        self.usd.is_some_and(|limit| usage.cost_usd >= limit)
            || self.tokens.is_some_and(|limit| usage.prompt_tokens + usage.completion_tokens >= limit)
    }
}

/// What a person asked of a campaign.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, EnumString, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Wish {
    /// Its jobs are claimed.
    #[default]
    Run,
    /// No further job is claimed; attempts under way go on to their end.
    Pause,
    /// What has not ended ends as cancelled.
    Cancel,
}

/// Why jobs of a campaign are not being worked on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum Waiting {
    /// A free slot.
    Capacity,
    /// The rate of a host.
    HostRate {
        /// The host.
        host: String,
    },
    /// Somebody to resume the campaign.
    Resume,
    /// A larger budget.
    Budget,
    /// The time of their next attempt.
    RetryAt {
        /// When.
        at: SystemTime,
    },
}

/// How far a campaign is: each of its jobs is counted in exactly one of these.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tally {
    /// All jobs.
    pub jobs: u64,
    /// Not under way and not ended.
    pub waiting: u64,
    /// Under way: claimed, with a lease that holds.
    pub running: u64,
    /// Ended with a verdict.
    pub judged: u64,
    /// Ended in quarantine.
    pub quarantined: u64,
    /// Ended by cancellation.
    pub cancelled: u64,
}

impl Tally {
    /// Jobs that have ended, in whatever way.
    pub fn ended(&self) -> u64 {
        self.judged + self.quarantined + self.cancelled
    }
}

/// A campaign as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CampaignStatus {
    /// Its settings.
    pub campaign: Campaign,
    /// What was last asked of it.
    pub wish: Wish,
    /// Its jobs.
    pub tally: Tally,
    /// Why those that wait do, with how many each; empty when none waits.
    pub waiting: Vec<(Waiting, u64)>,
    /// How many of its jobs could begin now if there were slots: what the rates of their hosts leave it, beside what is under way
    /// and what campaigns of a higher priority could begin. 0 where the queue is of a version that did not tell.
    #[serde(default)]
    pub room: u64,
    /// The stage at hand, from 1; 0 in a campaign without stages.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stage: u32,
    /// What its attempts have cost that came to an end of their own, lost ones included. Those whose crawler was killed told
    /// nobody: what they cost is known to the ledger, by their steps.
    pub usage: Usage,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The right to attempt a job until the lease ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Ticket {
    /// The campaign.
    pub campaign: CampaignId,
    /// The job.
    pub job: JobId,
    /// The claim's number.
    pub fence: Fence,
}

/// What a crawler asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimRequest {
    /// Who asks; unique among the crawlers alive.
    pub crawler: String,
    /// How many jobs it can begin now.
    pub slots: usize,
    /// Only jobs of this campaign; any when absent.
    pub campaign: Option<CampaignId>,
    /// Only jobs of campaigns that carry all these labels.
    pub labels: BTreeMap<String, String>,
    /// What kind of work it can do.
    pub kind: WorkKind,
}

/// Kinds of work, by what they need. Nobody gets a kind that they did not ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkKind {
    /// In a browser.
    #[default]
    Pages,
    /// Without one.
    Studies,
}

impl ClaimRequest {
    /// Asks for any jobs.
    pub fn new(crawler: impl Into<String>, slots: usize) -> Self {
        Self { crawler: crawler.into(), slots, campaign: None, labels: BTreeMap::new(), kind: WorkKind::Pages }
    }
}

/// A job to attempt, with what its campaign says about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    /// The job.
    pub job: crate::job::Job,
    /// The claim's number, stamped on everything the attempt records.
    pub fence: Fence,
    /// For how long the claim holds without a sign of life, from now.
    pub lease: Duration,
    /// The campaign's settings.
    pub campaign: Campaign,
    /// W3C trace context of the submission; empty where it was not traced.
    pub trace_parent: String,
}

impl Grant {
    /// What names the claim.
    pub fn ticket(&self) -> Ticket {
        Ticket { campaign: self.job.campaign.clone(), job: self.job.id.clone(), fence: self.fence }
    }
}

/// An attempt that ended without an outcome: its browser, its Grid node or its worker failed. The job is tried again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LostAttempt {
    /// The claim.
    pub ticket: Ticket,
    /// The attempt.
    pub episode: crate::id::EpisodeId,
    /// What kind of failure: equal kinds are counted together.
    pub failure: Failure,
    /// The cause, in a sentence.
    pub cause: String,
    /// What it cost.
    pub usage: Usage,
    /// Wall time in milliseconds.
    pub wall_ms: f64,
}

/// Failures of an attempt that say nothing about the product or the agent.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Failure {
    /// No session could be had: the Grid is full or away, or the browser does not start.
    NoSlot,
    /// The session ended under the attempt.
    SessionLost,
    /// The browser crashed.
    BrowserCrashed,
    /// The worker gave no sign of life until its lease ended.
    WorkerLost,
    /// No planner could be asked any more.
    PlannerAway,
    /// The job's record cannot be worked with, or what comes of it cannot be recorded. It is not tried again.
    Unusable,
}

impl Failure {
    /// The published spelling, e.g. `session_lost`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A job that is not tried again by itself, with the evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quarantined {
    /// The campaign.
    pub campaign: CampaignId,
    /// The job.
    pub job: JobId,
    /// The site.
    pub site: SiteId,
    /// The failure that kept happening.
    pub failure: Failure,
    /// The causes of its attempts, oldest first.
    pub causes: Vec<String>,
    /// The last claim of the job before it; 0 in records that were written before they had it.
    #[serde(default)]
    pub fence: Fence,
}

impl Quarantined {
    /// Whether it can end a job that was last reopened under this fence: the record of a quarantine that was taken back may
    /// come again, and must not end the job once more.
    pub fn is_after(&self, reopened: Fence) -> bool {
        self.fence.0 == 0 || self.fence > reopened
    }
}

/// What topic `outcomes` holds: everything that ends an attempt or a job. The first terminal record of a job in the order
/// of the log is the one that counts, for everyone who reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Closing {
    /// Terminal: an attempt was judged.
    Judged(Box<Outcome>),
    /// Terminal until reopened: the same failure happened too often.
    Quarantined(Quarantined),
    /// Terminal: the campaign was cancelled, or the quarantined job dropped.
    Cancelled {
        /// The campaign.
        campaign: CampaignId,
        /// The job.
        job: JobId,
        /// The site.
        site: SiteId,
    },
    /// A quarantined job is tried again: its terminal record counts no more.
    Reopened {
        /// The campaign.
        campaign: CampaignId,
        /// The job.
        job: JobId,
        /// That of the quarantine that is taken back, so that no later one is when the record comes again; 0 in records that
        /// were written before they had it.
        #[serde(default)]
        fence: Fence,
    },
    /// Not terminal: an attempt was lost.
    Lost(LostAttempt),
}

impl Closing {
    /// The campaign that it belongs to.
    pub fn campaign(&self) -> &CampaignId {
        match self {
            Closing::Judged(outcome) => &outcome.campaign,
            Closing::Quarantined(quarantined) => &quarantined.campaign,
            Closing::Cancelled { campaign, .. } | Closing::Reopened { campaign, .. } => campaign,
            Closing::Lost(lost) => &lost.ticket.campaign,
        }
    }

    /// The job that it belongs to.
    pub fn job(&self) -> &JobId {
        match self {
            Closing::Judged(outcome) => &outcome.job,
            Closing::Quarantined(quarantined) => &quarantined.job,
            Closing::Cancelled { job, .. } | Closing::Reopened { job, .. } => job,
            Closing::Lost(lost) => &lost.ticket.job,
        }
    }
}
