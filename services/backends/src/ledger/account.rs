//! What is known of one job: how it ended, and what its attempts cost. All counts follow from the accounts.
//!
//! An attempt is *lost* when its outcome does not count: it was reported lost, its verdict came after the job's end, or it
//! was left behind – the job has ended, or a later attempt has begun.

use crate::exact::{Cost, from_microseconds, from_nano, microseconds, nano};
use crate::sql::{FromColumns, Row};
use domain::campaign::Closing;
use domain::job::Outcome;
use domain::ledger::{Cell, Count, Totals};
use domain::storage::StorageError;
use domain::storage::results::Spent;
use domain::verdict::VerdictKind;
use domain::{CampaignId, EpisodeId, Fence};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The account of one job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Account {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<End>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    attempts: Vec<Attempt>,
    #[serde(default)]
    redeliveries: i64,
    /// That of the last quarantine that counted.
    #[serde(default)]
    quarantined: Fence,
    /// That of the last quarantine that was taken back.
    #[serde(default)]
    reopened: Fence,
}

/// The terminal record that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum End {
    Judged(EpisodeId),
    Quarantined,
    Cancelled,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Attempt {
    episode: EpisodeId,
    fence: Fence,
    /// By its verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    judged: Option<Cost>,
    /// By the report of its loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lost: Option<Cost>,
    /// The steps that are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<u32>,
    /// What they cost.
    #[serde(default)]
    by_steps: Cost,
}

impl Attempt {
    fn cost(&self) -> Cost {
        self.judged.or(self.lost).unwrap_or(self.by_steps)
    }
}

impl Account {
    /// What a record of topic `outcomes` does; true when it is the outcome that counts.
    pub(super) fn close(&mut self, closing: &Closing) -> bool {
        match closing {
            Closing::Judged(outcome) => {
                let attempt = self.attempt(outcome.episode, outcome.fence);
                attempt.judged.get_or_insert(Cost::from(&outcome.usage));
                return self.end(End::Judged(outcome.episode));
            }
            Closing::Quarantined(quarantined) => {
                if !quarantined.is_after(self.reopened) {
                    self.redeliveries += 1;
                } else if self.end(End::Quarantined) {
                    self.quarantined = quarantined.fence;
                }
            }
            Closing::Cancelled { .. } => {
                self.end(End::Cancelled);
            }
            Closing::Reopened { fence, .. } if self.is_quarantined_under(*fence) => {
                self.end = None;
                // One of them may be from before they had it.
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

    /// What a step does: it is counted once.
    pub(super) fn spend(&mut self, spent: &Spent) {
        let attempt = self.attempt(spent.episode, spent.fence);
        if !attempt.steps.contains(&spent.step) {
            attempt.steps.push(spent.step);
            attempt.by_steps += Cost::from(&spent.usage);
        }
    }

    fn attempt(&mut self, episode: EpisodeId, fence: Fence) -> &mut Attempt {
        let known = self.attempts.iter().position(|attempt| attempt.episode == episode);
        let place = known.unwrap_or_else(|| {
            let (judged, lost, steps, by_steps) = Default::default();
            self.attempts.push(Attempt { episode, fence, judged, lost, steps, by_steps });
            self.attempts.len() - 1
        });
        &mut self.attempts[place]
    }

    fn is_quarantined_under(&self, fence: Fence) -> bool {
        self.end == Some(End::Quarantined) && self.quarantined.may_be(fence)
    }

    /// Ends the job unless it has ended: then the record is one too many.
    fn end(&mut self, end: End) -> bool {
        let first = self.end.is_none();
        if first {
            self.end = Some(end);
        } else {
            self.redeliveries += 1;
        }
        first
    }

    /// What it adds to the counts of its campaign that have no cell.
    pub(super) fn rest(&self) -> Rest {
        let mut rest = Rest {
            quarantined: i64::from(self.end == Some(End::Quarantined)),
            cancelled: i64::from(self.end == Some(End::Cancelled)),
            redeliveries: self.redeliveries,
            ..Rest::default()
        };
        let newest = self.attempts.iter().map(|attempt| attempt.fence).max();
        for attempt in &self.attempts {
            let is_left_behind = self.end.is_some() || newest.is_some_and(|newest| attempt.fence < newest);
            let is_closed = attempt.judged.is_some() || attempt.lost.is_some();
            if self.end == Some(End::Judged(attempt.episode)) || !(is_closed || is_left_behind) {
                continue;
            }
            rest.lost_attempts += i64::from(attempt.judged.is_none());
            rest.lost += attempt.cost();
        }
        rest
    }
}

/// The counts of a campaign that have no cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rest {
    pub(super) quarantined: i64,
    pub(super) cancelled: i64,
    pub(super) redeliveries: i64,
    pub(super) lost_attempts: i64,
    pub(super) lost: Cost,
}

impl FromColumns for Rest {
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

impl Rest {
    /// Adds what changed between two moments of an account.
    pub(super) fn change(&mut self, before: &Rest, after: &Rest) {
        self.quarantined += after.quarantined - before.quarantined;
        self.cancelled += after.cancelled - before.cancelled;
        self.redeliveries += after.redeliveries - before.redeliveries;
        self.lost_attempts += after.lost_attempts - before.lost_attempts;
        self.lost += after.lost;
        self.lost += -before.lost;
    }
}

/// What is counted of accepted outcomes, in whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Numbers {
    pub(super) outcomes: i64,
    pub(super) nano_reward: i64,
    pub(super) rewarded: i64,
    pub(super) steps: i64,
    pub(super) cost: Cost,
    pub(super) wall_us: i64,
}

impl FromColumns for Numbers {
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

impl Numbers {
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

    pub(super) fn add(&mut self, other: &Numbers) {
        self.outcomes += other.outcomes;
        self.nano_reward = self.nano_reward.saturating_add(other.nano_reward);
        self.rewarded += other.rewarded;
        self.steps += other.steps;
        self.cost += other.cost;
        self.wall_us = self.wall_us.saturating_add(other.wall_us);
    }
}

/// Where an outcome is counted.
pub(super) fn cell(outcome: &Outcome) -> (Cell, VerdictKind) {
    let cell = Cell { site: outcome.site.clone(), task: outcome.task.clone(), planner: outcome.planner.clone() };
    (cell, outcome.verdict.kind)
}

/// As it is published.
pub(super) fn totals(
    campaign: &CampaignId,
    numbers: impl IntoIterator<Item = ((Cell, VerdictKind), Numbers)>,
    rest: &Rest,
) -> Totals {
    let mut cells: BTreeMap<Cell, (BTreeMap<VerdictKind, u64>, Numbers)> = BTreeMap::new();
    for ((cell, verdict), numbers) in numbers {
        let (verdicts, sum) = cells.entry(cell).or_default();
        *verdicts.entry(verdict).or_default() += numbers.outcomes as u64;
        sum.add(&numbers);
    }
    let count = |(verdicts, sum): (BTreeMap<VerdictKind, u64>, Numbers)| Count {
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
