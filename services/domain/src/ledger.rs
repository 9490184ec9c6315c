//! Exact totals: what the aggregator keeps of every campaign.

use crate::id::{CampaignId, JobId, SiteId, TaskId};
use crate::usage::Usage;
use crate::verdict::VerdictKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Key of a count.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The site.
    pub site: SiteId,
    /// The task.
    pub task: TaskId,
    /// Name of the decider.
    pub planner: String,
}

/// The totals of one cell, or of several added up.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Count {
    /// Accepted outcomes by verdict.
    pub verdicts: BTreeMap<VerdictKind, u64>,
    /// Sum of raw rewards, over those that have one.
    pub reward_sum: f64,
    /// Outcomes that have a raw reward.
    pub rewarded: u64,
    /// Executed actions of accepted attempts.
    pub steps: u64,
    /// Cost of accepted attempts.
    pub usage: Usage,
    /// Wall time of accepted attempts in milliseconds.
    pub wall_ms: f64,
}

impl Count {
    /// Accepted outcomes.
    pub fn outcomes(&self) -> u64 {
        self.verdicts.values().sum()
    }

    /// Those that count as successes.
    pub fn successes(&self) -> u64 {
        self.verdicts.iter().filter(|(kind, _)| kind.is_success()).map(|(_, count)| count).sum()
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Count) {
        for (kind, count) in &other.verdicts {
            *self.verdicts.entry(*kind).or_default() += count;
        }
        self.reward_sum += other.reward_sum;
        self.rewarded += other.rewarded;
        self.steps += other.steps;
        self.usage += other.usage;
        self.wall_ms += other.wall_ms;
    }
}

/// Everything counted of one campaign.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// The campaign.
    pub campaign: CampaignId,
    /// Accepted outcomes, cell by cell.
    pub cells: Vec<(Cell, Count)>,
    /// Jobs in quarantine.
    pub quarantined: u64,
    /// Jobs that were cancelled.
    pub cancelled: u64,
    /// Duplicate records, and records after the job's terminal one: counted here and nowhere else.
    pub redeliveries: u64,
    /// Attempts that came to no outcome.
    pub lost_attempts: u64,
    /// What attempts cost whose outcome does not count.
    pub lost_usage: Usage,
}

impl Totals {
    /// Nothing counted yet.
    pub fn empty(campaign: CampaignId) -> Self {
        Self {
            campaign,
            cells: Vec::new(),
            quarantined: 0,
            cancelled: 0,
            redeliveries: 0,
            lost_attempts: 0,
            lost_usage: Usage::default(),
        }
    }

    /// All cells added up.
    pub fn sum(&self) -> Count {
        let mut sum = Count::default();
        self.cells.iter().for_each(|(_, count)| sum.add(count));
        sum
    }

    /// Jobs that have ended, in whatever way.
    pub fn ended(&self) -> u64 {
        self.sum().outcomes() + self.quarantined + self.cancelled
    }
}

/// The place to go on reading a list from: after this job; none at its beginning.
pub type After = Option<JobId>;

/// A page that an exploration saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageVisit {
    /// The campaign.
    pub campaign: CampaignId,
    /// The job whose browser saw it.
    pub job: JobId,
    /// Unique within the campaign; ids of one process grow with time.
    pub id: String,
    /// What was seen: a JSON object, one line of a run directory's `visits.jsonl`.
    pub record: String,
}
