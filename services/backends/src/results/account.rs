//! The account of one job: how it ended, and what its attempts cost. All counts are derived from accounts.
//!
//! An attempt is *lost* when its outcome does not count: its loss was reported, its verdict came after the job's end,
//! or the job ended or was attempted again without a word from it.

use crate::exact::{Cost, from_microseconds, from_nano, microseconds, nano};
use crate::sql::{FromColumns, Row};
use domain::campaign::Closing;
use domain::job::Outcome;
use domain::ledger::{Cell, Count, Totals};
use domain::storage::StorageError;
use domain::storage::results::StepCost;
use domain::verdict::VerdictKind;
use domain::{CampaignId, EpisodeId, Fence};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The account of one job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Account {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<TerminalRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attempts: Vec<AttemptCost>,
    #[serde(default)]
    redeliveries: i64,
    /// Fence of the last quarantine that counted.
    #[serde(default)]
    quarantined: Fence,
    /// Fence of the last quarantine that was lifted.
    #[serde(default)]
    reopened: Fence,
}

/// The terminal record that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TerminalRecord {
    Judged(EpisodeId),
    Quarantined,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct AttemptCost {
    episode: EpisodeId,
    fence: Fence,
    /// Cost reported with its verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judged: Option<Cost>,
    /// Cost reported with its loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lost: Option<Cost>,
    /// Numbers of the counted steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<u32>,
    /// Their cost.
    #[serde(default)]
    by_steps: Cost,
}

impl AttemptCost {
    fn cost(&self) -> Cost {
        self.judged.or(self.lost).unwrap_or(self.by_steps)
    }
}

impl Account {
    /// Applies a record of topic `outcomes`; true when it is the outcome that counts.
    pub(super) fn close(&mut self, closing: &Closing) -> bool {
        match closing {
            Closing::Judged(outcome) => {
                let attempt = self.attempt(outcome.episode, outcome.fence);
                attempt.judged.get_or_insert(Cost::from(&outcome.usage));
                return self.end(TerminalRecord::Judged(outcome.episode));
            }
            Closing::Quarantined(quarantined) => {
                if !quarantined.is_after(self.reopened) {
                    self.redeliveries += 1;
                } else if self.end(TerminalRecord::Quarantined) {
                    self.quarantined = quarantined.fence;
                }
            }
            Closing::Cancelled { .. } => {
                self.end(TerminalRecord::Cancelled);
            }
            Closing::Reopened { fence, .. } if self.is_quarantined_under(*fence) => {
                self.end = None;
                // Records written before fences existed carry 0; take the larger.
                self.reopened = self.quarantined.max(*fence);
            }
            Closing::Reopened { .. } => self.redeliveries += 1,
            Closing::Lost(lost) => {
                let attempt = self.attempt(lost.episode, lost.ticket.fence);
                let again = attempt.lost.is_some();
                attempt.lost.get_or_insert(Cost::from(&lost.usage));
                self.redeliveries += i64::from(again);
            }
        }
        false
    }

    /// Applies the cost of a step, once.
    pub(super) fn spend(&mut self, spent: &StepCost) {
        let attempt = self.attempt(spent.episode, spent.fence);
        if !attempt.steps.contains(&spent.step) {
            attempt.steps.push(spent.step);
            attempt.by_steps += Cost::from(&spent.usage);
        }
    }

    fn attempt(&mut self, episode: EpisodeId, fence: Fence) -> &mut AttemptCost {
        let known = self.attempts.iter().position(|attempt| attempt.episode == episode);
        let place = known.unwrap_or_else(|| {
            let (judged, lost, steps, by_steps) = Default::default();
            self.attempts.push(AttemptCost { episode, fence, judged, lost, steps, by_steps });
            self.attempts.len() - 1
        });
        &mut self.attempts[place]
    }

    fn is_quarantined_under(&self, fence: Fence) -> bool {
        self.end == Some(TerminalRecord::Quarantined) && self.quarantined.may_be(fence)
    }

    /// Ends the job; if it has already ended, counts the record as a redelivery.
    fn end(&mut self, end: TerminalRecord) -> bool {
        let first = self.end.is_none();
        if first {
            self.end = Some(end);
        } else {
            self.redeliveries += 1;
        }
        first
    }

    /// Its share of the campaign's counts without a cell.
    pub(super) fn counts(&self) -> CampaignCounts {
        let mut rest = CampaignCounts {
            quarantined: i64::from(self.end == Some(TerminalRecord::Quarantined)),
            cancelled: i64::from(self.end == Some(TerminalRecord::Cancelled)),
            redeliveries: self.redeliveries,
            ..CampaignCounts::default()
        };
        let newest = self.attempts.iter().map(|attempt| attempt.fence).max();
        for attempt in &self.attempts {
            let is_left_behind = self.end.is_some() || newest.is_some_and(|newest| attempt.fence < newest);
            let is_closed = attempt.judged.is_some() || attempt.lost.is_some();
            if self.end == Some(TerminalRecord::Judged(attempt.episode)) || !(is_closed || is_left_behind) {
                continue;
            }
            rest.lost_attempts += i64::from(attempt.judged.is_none());
            rest.lost += attempt.cost();
        }
        rest
    }
}

/// Counts of a campaign that belong to no cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CampaignCounts {
    pub(super) quarantined: i64,
    pub(super) cancelled: i64,
    pub(super) redeliveries: i64,
    pub(super) lost_attempts: i64,
    pub(super) lost: Cost,
}

impl FromColumns for CampaignCounts {
    fn from_columns(row: &Row) -> Result<Self, StorageError> {
        Ok(Self {
            quarantined: row.number("quarantined")?,
            cancelled: row.number("cancelled")?,
            redeliveries: row.number("redeliveries")?,
            lost_attempts: row.number("lost_attempts")?,
            lost: row.read()?,
        })
    }
}

impl CampaignCounts {
    /// Adds the change between two versions of an account.
    pub(super) fn change(&mut self, before: &CampaignCounts, after: &CampaignCounts) {
        self.quarantined += after.quarantined - before.quarantined;
        self.cancelled += after.cancelled - before.cancelled;
        self.redeliveries += after.redeliveries - before.redeliveries;
        self.lost_attempts += after.lost_attempts - before.lost_attempts;
        self.lost += after.lost;
        self.lost += -before.lost;
    }
}

/// Sums over accepted outcomes, in whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OutcomeSums {
    pub(super) outcomes: i64,
    pub(super) nano_reward: i64,
    pub(super) rewarded: i64,
    pub(super) steps: i64,
    pub(super) cost: Cost,
    pub(super) wall_us: i64,
}

impl FromColumns for OutcomeSums {
    fn from_columns(row: &Row) -> Result<Self, StorageError> {
        Ok(Self {
            outcomes: row.number("outcomes")?,
            nano_reward: row.number("nano_reward")?,
            rewarded: row.number("rewarded")?,
            steps: row.number("steps")?,
            cost: row.read()?,
            wall_us: row.number("wall_us")?,
        })
    }
}

impl OutcomeSums {
    pub(super) fn of(outcome: &Outcome) -> Self {
        Self {
            outcomes: 1,
            nano_reward: outcome.reward.map_or(0, nano),
            rewarded: i64::from(outcome.reward.is_some()),
            steps: i64::from(outcome.steps),
            cost: Cost::from(&outcome.usage),
            wall_us: microseconds(outcome.wall_ms),
        }
    }

    pub(super) fn add(&mut self, other: &OutcomeSums) {
        self.outcomes += other.outcomes;
        self.nano_reward = self.nano_reward.saturating_add(other.nano_reward);
        self.rewarded += other.rewarded;
        self.steps += other.steps;
        self.cost += other.cost;
        self.wall_us = self.wall_us.saturating_add(other.wall_us);
    }
}

/// The cell and verdict under which an outcome is counted.
pub(super) fn cell(outcome: &Outcome) -> (Cell, VerdictKind) {
    let cell = Cell { site: outcome.site.clone(), task: outcome.task.clone(), planner: outcome.planner.clone() };
    (cell, outcome.verdict.kind)
}

/// Converts to the published totals.
pub(super) fn totals(
    campaign: &CampaignId,
    numbers: impl IntoIterator<Item = ((Cell, VerdictKind), OutcomeSums)>,
    rest: &CampaignCounts,
) -> Totals {
    let mut cells: BTreeMap<Cell, (BTreeMap<VerdictKind, u64>, OutcomeSums)> = BTreeMap::new();
    for ((cell, verdict), numbers) in numbers {
        let (verdicts, sum) = cells.entry(cell).or_default();
        *verdicts.entry(verdict).or_default() += numbers.outcomes as u64;
        sum.add(&numbers);
    }
    let count = |(verdicts, sum): (BTreeMap<VerdictKind, u64>, OutcomeSums)| Count {
        verdicts,
        reward_sum: from_nano(sum.nano_reward),
        rewarded: sum.rewarded as u64,
        steps: sum.steps as u64,
        usage: sum.cost.into(),
        wall_ms: from_microseconds(sum.wall_us),
    };
    Totals {
        campaign: campaign.clone(),
        cells: cells.into_iter().map(|(cell, sums)| (cell, count(sums))).collect(),
        quarantined: rest.quarantined as u64,
        cancelled: rest.cancelled as u64,
        redeliveries: rest.redeliveries as u64,
        lost_attempts: rest.lost_attempts as u64,
        lost_usage: rest.lost.into(),
    }
}
