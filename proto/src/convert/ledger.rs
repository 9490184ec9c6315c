//! Exact totals.

use super::outcome;
use crate::error::{Error, required};
use crate::v1;
use domain::ledger::{Cell, Count, Totals};
use domain::verdict::VerdictKind;
use domain::{CampaignId, SiteId, TaskId};

impl From<&Totals> for v1::Totals {
    fn from(totals: &Totals) -> Self {
        Self {
            campaign: totals.campaign.0.clone(),
            cells: totals.cells.iter().map(|(cell, count)| counted(cell, count)).collect(),
            quarantined: totals.quarantined,
            cancelled: totals.cancelled,
            redeliveries: totals.redeliveries,
            lost_attempts: totals.lost_attempts,
            lost_usage: Some(totals.lost_usage.into()),
        }
    }
}

impl TryFrom<v1::Totals> for Totals {
    type Error = Error;

    fn try_from(message: v1::Totals) -> Result<Self, Error> {
        Ok(Self {
            campaign: CampaignId(message.campaign),
            cells: message.cells.into_iter().map(cell).collect::<Result<_, _>>()?,
            quarantined: message.quarantined,
            cancelled: message.cancelled,
            redeliveries: message.redeliveries,
            lost_attempts: message.lost_attempts,
            lost_usage: required(message.lost_usage, "totals.lost_usage")?.into(),
        })
    }
}

fn counted(cell: &Cell, count: &Count) -> v1::Cell {
    let of_kind = |(kind, count): (&VerdictKind, &u64)| v1::VerdictCount {
        kind: v1::VerdictKind::from(*kind).into(),
        count: *count,
    };
    let count = v1::Count {
        verdicts: count.verdicts.iter().map(of_kind).collect(),
        reward_sum: count.reward_sum,
        rewarded: count.rewarded,
        steps: count.steps,
        usage: Some(count.usage.into()),
        wall_ms: count.wall_ms,
    };
    v1::Cell { site: cell.site.0.clone(), task: cell.task.0.clone(), planner: cell.planner.clone(), count: Some(count) }
}

fn cell(message: v1::Cell) -> Result<(Cell, Count), Error> {
    let count = required(message.count, "cell.count")?;
    let of_kind = |counted: v1::VerdictCount| Ok((outcome::kind(counted.kind())?, counted.count));
    let count = Count {
        verdicts: count.verdicts.into_iter().map(of_kind).collect::<Result<_, Error>>()?,
        reward_sum: count.reward_sum,
        rewarded: count.rewarded,
        steps: count.steps,
        usage: required(count.usage, "count.usage")?.into(),
        wall_ms: count.wall_ms,
    };
    Ok((Cell { site: SiteId(message.site), task: TaskId(message.task), planner: message.planner }, count))
}
