//! Reads the table without scanning every job: counts come from the lanes, and only jobs not yet due are read one by
//! one.

use crate::queue::entry::{AttemptHistory, LaneCounts, milliseconds, moment, rate_of};
use crate::queue::memory::no_campaign;
use crate::queue::rows::{COUNTS, begins, campaign as campaign_of};
use crate::queue::stages;
use crate::sql::{Pool, Row, Transaction, values};
use domain::campaign::{Campaign, Closing, Quarantined, Wish};
use domain::storage::StorageError;
use domain::storage::jobs::{CampaignStanding, Lane};
use domain::{CampaignId, Job, SiteId};
use std::collections::BTreeMap;
use std::time::SystemTime;

type LaneKey = (CampaignId, SiteId, String);

fn lane(row: &Row) -> Result<LaneKey, StorageError> {
    Ok((CampaignId(row.text("campaign")?), SiteId(row.text("site")?), row.text("host")?))
}

/// For each lane, how many waiting jobs are not due yet, and when the first is.
async fn not_due(open: &mut Transaction, now: SystemTime) -> Result<BTreeMap<LaneKey, (i64, i64)>, StorageError> {
    let rows = open
        .rows(
            "SELECT campaign, site, host, count(*) AS jobs, min(due) AS first_due FROM queue
             WHERE state = 'waiting' AND due > $1 GROUP BY campaign, site, host",
            &values![milliseconds(now)],
        )
        .await?;
    rows.iter().map(|row| Ok((lane(row)?, (row.number("jobs")?, row.number("first_due")?)))).collect()
}

/// A campaign whose settings this version knows. One with settings of a newer version is left to instances of that version.
fn known(row: &Row) -> Option<(Campaign, Wish)> {
    campaign_of(row).inspect_err(|error| tracing::debug!(%error, "no job of this campaign is handed out here")).ok()
}

pub(super) async fn demand(pool: &Pool, now: SystemTime) -> Result<Vec<Lane>, StorageError> {
    let mut open = pool.begin("look for jobs to be claimed").await?;
    let later = not_due(&mut open, now).await?;
    let campaigns = open
        .rows(
            &format!(
                "SELECT settings, wish, {} FROM queue_campaigns JOIN queue_lanes ON queue_lanes.campaign = id
                 WHERE id IN (SELECT campaign FROM queue_lanes WHERE waiting > 0 OR running > 0)
                 GROUP BY id, settings, wish ORDER BY id",
                sums()
            ),
            &[],
        )
        .await?;
    let mut of_campaign: BTreeMap<CampaignId, (Campaign, Wish, bool)> = BTreeMap::new();
    for row in &campaigns {
        let Some((campaign, wish)) = known(row) else { continue };
        let spent = campaign.budget.is_spent(&row.read::<LaneCounts>()?.cost.into());
        of_campaign.insert(campaign.id.clone(), (campaign, wish, spent));
    }
    let rows = open
        .rows(
            "SELECT campaign, site, host, waiting, running FROM queue_lanes WHERE waiting > 0 OR running > 0
             ORDER BY campaign, site, host",
            &[],
        )
        .await?;
    let mut lanes = Vec::with_capacity(rows.len());
    for row in &rows {
        let key = lane(row)?;
        // A lane created between the two queries is included next time.
        let Some((campaign, wish, budget_spent)) = of_campaign.get(&key.0) else { continue };
        let (waiting, running) = (row.number("waiting")?, row.number("running")?);
        let due = waiting - later.get(&key).map_or(0, |(count, _)| *count);
        let claimable = if *wish == Wish::Run { u64::try_from(due).unwrap_or_default() } else { 0 };
        if (claimable, running) == (0, 0) {
            continue;
        }
        let (id, site, host) = key;
        lanes.push(Lane {
            campaign: id,
            labels: campaign.labels.clone(),
            priority: campaign.priority,
            share: campaign.share,
            site,
            rate: rate_of(campaign, &host),
            host,
            claimable,
            running: u64::try_from(running).unwrap_or_default(),
            budget_spent: *budget_spent,
        });
    }
    Ok(lanes)
}

/// The counts of lanes, added up.
fn sums() -> String {
    let sums: Vec<String> =
        COUNTS.split(", ").map(|column| format!("CAST(sum({column}) AS BIGINT) AS {column}")).collect();
    sums.join(", ")
}

pub(super) async fn campaigns(
    pool: &Pool,
    only: Option<&CampaignId>,
    now: SystemTime,
) -> Result<Vec<CampaignStanding>, StorageError> {
    let mut open = pool.begin("look how campaigns stand").await?;
    let later = not_due(&mut open, now).await?;
    let wanted = only.map(CampaignId::as_str).unwrap_or_default();
    let rows = open
        .rows(
            "SELECT settings, wish, stages FROM queue_campaigns WHERE $1 = '' OR id = $1 ORDER BY number DESC",
            &values![wanted],
        )
        .await?;
    let lanes = open
        .rows(
            &format!(
                "SELECT campaign, site, host, {COUNTS} FROM queue_lanes WHERE $1 = '' OR campaign = $1
                 ORDER BY campaign, site, host"
            ),
            &values![wanted],
        )
        .await?;
    let mut of_campaign: BTreeMap<CampaignId, Vec<(LaneKey, LaneCounts)>> = BTreeMap::new();
    for row in &lanes {
        let key = lane(row)?;
        of_campaign.entry(key.0.clone()).or_default().push((key, row.read()?));
    }
    let mut standings = Vec::with_capacity(rows.len());
    for row in &rows {
        let (campaign, wish) = match (campaign_of(row), only) {
            (Ok(known), _) => known,
            (Err(error), Some(_)) => return Err(error),
            (Err(error), None) => {
                tracing::warn!(%error, "a campaign whose settings a newer version wrote is left out");
                continue;
            }
        };
        let lanes = of_campaign.remove(&campaign.id).unwrap_or_default();
        let stage = stages::number(&campaign, &begins(row)?);
        standings.push(standing((campaign, wish, stage), &lanes, &later));
    }
    Ok(standings)
}

fn standing(
    (campaign, wish, stage): (Campaign, Wish, u32),
    lanes: &[(LaneKey, LaneCounts)],
    later: &BTreeMap<LaneKey, (i64, i64)>,
) -> CampaignStanding {
    let mut sum = LaneCounts::default();
    let mut due: BTreeMap<String, u64> = BTreeMap::new();
    let (mut not_due, mut first) = (0, None::<i64>);
    for (key, counts) in lanes {
        sum.change(&LaneCounts::default(), counts);
        let (count, earliest) = later.get(key).copied().unwrap_or_default();
        if count > 0 {
            not_due += count;
            first = Some(first.map_or(earliest, |first| first.min(earliest)));
        }
        let now = u64::try_from(counts.waiting - count).unwrap_or_default();
        if now > 0 {
            *due.entry(key.2.clone()).or_default() += now;
        }
    }
    CampaignStanding {
        campaign,
        wish,
        tally: sum.tally(),
        not_due: (u64::try_from(not_due).unwrap_or_default(), first.map(moment)),
        due: due.into_iter().collect(),
        usage: sum.cost.into(),
        stage,
    }
}

async fn has_campaign(open: &mut Transaction, campaign: &CampaignId) -> Result<(), StorageError> {
    let found = open.row("SELECT id FROM queue_campaigns WHERE id = $1", &values![campaign.as_str()]).await?;
    found.map(drop).ok_or_else(|| no_campaign(campaign))
}

pub(super) async fn jobs(
    pool: &Pool,
    campaign: &CampaignId,
    skip: u64,
    limit: usize,
) -> Result<Vec<Job>, StorageError> {
    let mut open = pool.begin("list jobs").await?;
    has_campaign(&mut open, campaign).await?;
    let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let rows = open
        .rows(
            "SELECT job FROM queue WHERE campaign = $1 ORDER BY position LIMIT $2 OFFSET $3",
            &values![campaign.as_str(), whole(limit as u64), whole(skip)],
        )
        .await?;
    rows.iter().map(|row| row.json("job")).collect()
}

pub(super) async fn quarantined(pool: &Pool, campaign: &CampaignId) -> Result<Vec<Quarantined>, StorageError> {
    let mut open = pool.begin("list jobs in quarantine").await?;
    let id = campaign.as_str();
    has_campaign(&mut open, campaign).await?;
    let rows = open
        .rows("SELECT history FROM queue WHERE campaign = $1 AND state = 'quarantined' ORDER BY position", &values![id])
        .await?;
    let mut found = Vec::with_capacity(rows.len());
    for row in &rows {
        found.extend(row.json::<AttemptHistory>("history")?.quarantine);
    }
    Ok(found)
}

pub(super) async fn outbox(pool: &Pool, limit: usize) -> Result<Vec<(u64, Closing)>, StorageError> {
    let mut open = pool.begin("read the outbox").await?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = open.rows("SELECT number, record FROM queue_outbox ORDER BY number LIMIT $1", &values![limit]).await?;
    rows.iter().map(|row| Ok((row.number("number")? as u64, row.json("record")?))).collect()
}
