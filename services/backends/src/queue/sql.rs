//! The table in a database, embedded or on a server. Locks are taken in the order that `crate::sql` says.

mod staged;
mod submit;
mod view;

use super::entry::{JobEntry, JobState, LaneCounts, milliseconds};
use super::memory::{no_campaign, was_cancelled};
use super::rows::{COLUMNS, LaneChanges, LockedJobs, campaign as campaign_of, send};
use crate::sql::{Pool, Transaction, Value, offsets, values};
use async_trait::async_trait;
use domain::campaign::{Campaign, Closing, Quarantined, Ticket, Wish};
use domain::service::QuarantineVerdict;
use domain::stage::NextStage;
use domain::storage::StorageError;
use domain::storage::jobs::{CampaignStanding, Claimed, Decoded, JobStore, Lane, Pick, Retry, Submission};
use domain::storage::log::{LogRecord, Offsets, Topic};
use domain::{CampaignId, Fence, Job, JobId};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

/// When a job that cannot be read is looked at again.
const LATER: Duration = Duration::from_secs(5);

/// Leases that one call ends in one transaction.
const EXPIRED_AT_ONCE: i64 = 500;

/// The table of jobs in a database.
#[derive(Clone, Debug)]
pub struct SqlJobs {
    pool: Pool,
}

impl SqlJobs {
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool }
    }

    /// Releases every claim as if it had not been made. Only for a process with exclusive use of the database: earlier
    /// holders of claims are dead.
    pub(crate) async fn release_all(&self) -> Result<u64, StorageError> {
        let mut open = self.pool.begin("take back the claims of a process that is gone").await?;
        let rows = open.rows(&format!("SELECT {COLUMNS} FROM queue WHERE state = 'running'"), &[]).await?;
        let mut held = LockedJobs::new(&rows)?;
        held.entries.iter_mut().for_each(JobEntry::release);
        held.save(&mut open).await?;
        open.commit().await?;
        Ok(rows.len() as u64)
    }
}

#[async_trait]
impl Offsets for SqlJobs {
    async fn offsets(&self, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
        offsets::stored(&self.pool, group, topic).await
    }
}

#[async_trait]
impl JobStore for SqlJobs {
    async fn create(&self, campaign: &Campaign, _now: SystemTime) -> Result<bool, StorageError> {
        submit::create(&self.pool, campaign).await
    }

    async fn submit(&self, jobs: &[Submission], now: SystemTime) -> Result<u64, StorageError> {
        let mut open = self.pool.begin("submit jobs").await?;
        let placed = submit::place(&mut open, &jobs.iter().collect::<Vec<_>>(), now).await?;
        let new = placed.into_iter().try_fold(0, |new, placed| Ok::<_, StorageError>(new + u64::from(placed?)))?;
        open.commit().await?;
        Ok(new)
    }

    async fn demand(&self, now: SystemTime) -> Result<Vec<Lane>, StorageError> {
        view::demand(&self.pool, now).await
    }

    async fn claim(
        &self,
        picks: &[Pick],
        crawler: &str,
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<Claimed>, StorageError> {
        let mut open = self.pool.begin("claim jobs").await?;
        let mut claimed = Vec::new();
        let mut lanes = LaneChanges::default();
        for pick in picks.iter().filter(|pick| pick.count > 0) {
            let settings = open
                .row("SELECT settings, wish FROM queue_campaigns WHERE id = $1", &values![pick.campaign.as_str()])
                .await?;
            let Some((settings, Wish::Run)) = settings.as_ref().map(campaign_of).transpose()? else { continue };
            let rows = open
                .rows(
                    // MATERIALIZED computes the picked rows once: otherwise a plan may compute, and lock, them again.
                    "WITH picked AS MATERIALIZED (
                         SELECT position FROM queue
                         WHERE campaign = $1 AND site = $2 AND host = $3 AND state = 'waiting' AND due <= $4
                         ORDER BY due, position LIMIT $5 FOR UPDATE SKIP LOCKED)
                     UPDATE queue SET state = 'running', fence = fence + 1, crawler = $6, lease_until = $7
                     WHERE campaign = $1 AND position IN (SELECT position FROM picked)
                     RETURNING due, position, job, fence, trace_parent",
                    &values![
                        pick.campaign.as_str(),
                        pick.site.as_str(),
                        &pick.host,
                        milliseconds(now),
                        i64::try_from(pick.count).unwrap_or(i64::MAX),
                        crawler,
                        milliseconds(now + lease),
                    ],
                )
                .await?;
            let mut of_pick = Vec::with_capacity(rows.len());
            let mut unknown = Vec::new();
            for row in &rows {
                let job = match row.json("job") {
                    Ok(job) => job,
                    Err(error) => {
                        tracing::warn!(%error, "a job that a newer version wrote is left for an instance of that version");
                        unknown.push(row.number("position")?);
                        continue;
                    }
                };
                let grant = Claimed {
                    job,
                    fence: Fence(row.number("fence")? as u64),
                    campaign: settings.clone(),
                    trace_parent: row.text("trace_parent")?,
                };
                of_pick.push(((row.number("due")?, row.number("position")?), grant));
            }
            give_back(&mut open, &pick.campaign, &unknown, milliseconds(now + LATER)).await?;
            let (mut before, mut after) = (LaneCounts::default(), LaneCounts::default());
            *before.of(JobState::Waiting) = of_pick.len() as i64;
            *after.of(JobState::Running) = of_pick.len() as i64;
            lanes.of(&pick.campaign, &pick.site, &pick.host).change(&before, &after);
            // An update returns rows in any order.
            of_pick.sort_by_key(|(order, _)| *order);
            claimed.extend(of_pick.into_iter().map(|(_, grant)| grant));
        }
        lanes.save(&mut open).await?;
        open.commit().await?;
        Ok(claimed)
    }

    async fn renew(&self, tickets: &[Ticket], now: SystemTime, lease: Duration) -> Result<Vec<Ticket>, StorageError> {
        let mut open = self.pool.begin("renew leases").await?;
        let mut held = LockedJobs::of(&mut open, tickets.iter().map(|ticket| (&ticket.campaign, &ticket.job))).await?;
        let mut jobs = held.by_name();
        let mut lost = Vec::new();
        let mut renewed: Vec<(&str, i64)> = Vec::new();
        for ticket in tickets {
            match jobs.get_mut(&(ticket.campaign.clone(), ticket.job.clone())) {
                Some(entry) if entry.is_held_under(ticket.fence.0) => {
                    renewed.push((ticket.campaign.as_str(), entry.position));
                }
                _ => lost.push(ticket.clone()),
            }
        }
        let until = milliseconds(now + lease);
        let rows: Vec<Vec<Value<'_>>> =
            renewed.iter().map(|(campaign, position)| values![*campaign, *position, until].to_vec()).collect();
        open.run_with_rows(
            "UPDATE queue SET lease_until = renewed.column3 FROM ({rows}) AS renewed
             WHERE queue.campaign = renewed.column1 AND queue.position = renewed.column2",
            &rows,
        )
        .await?;
        open.commit().await?;
        Ok(lost)
    }

    async fn release(&self, tickets: &[Ticket]) -> Result<(), StorageError> {
        let mut open = self.pool.begin("give claims back").await?;
        let mut held = LockedJobs::of(&mut open, tickets.iter().map(|ticket| (&ticket.campaign, &ticket.job))).await?;
        let mut jobs = held.by_name();
        for ticket in tickets {
            if let Some(entry) = jobs.get_mut(&(ticket.campaign.clone(), ticket.job.clone()))
                && entry.is_held_under(ticket.fence.0)
            {
                entry.release();
            }
        }
        held.save(&mut open).await?;
        open.commit().await
    }

    async fn expire(&self, now: SystemTime, retry: &Retry) -> Result<u64, StorageError> {
        let mut ended = 0;
        loop {
            let mut open = self.pool.begin("end leases that ran out").await?;
            let rows = open
                .rows(
                    &format!(
                        "SELECT {COLUMNS} FROM queue WHERE state = 'running' AND lease_until <= $1
                         ORDER BY campaign, position LIMIT $2 FOR UPDATE SKIP LOCKED"
                    ),
                    &values![milliseconds(now), EXPIRED_AT_ONCE],
                )
                .await?;
            if rows.is_empty() {
                return Ok(ended);
            }
            ended += rows.len() as u64;
            let mut held = LockedJobs::new(&rows)?;
            let records: Vec<Closing> = held.entries.iter_mut().filter_map(|entry| entry.expire(now, retry)).collect();
            finish(open, held, &records).await?;
        }
    }

    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), StorageError> {
        let mut open = self.pool.begin("change what is asked of a campaign").await?;
        let row = open
            .row("SELECT settings, wish FROM queue_campaigns WHERE id = $1 FOR UPDATE", &values![campaign.as_str()])
            .await?
            .ok_or_else(|| no_campaign(campaign))?;
        if campaign_of(&row)?.1 == Wish::Cancel {
            return if wish == Wish::Cancel { Ok(()) } else { Err(was_cancelled(campaign)) };
        }
        open.run("UPDATE queue_campaigns SET wish = $2 WHERE id = $1", &values![campaign.as_str(), <&str>::from(wish)])
            .await?;
        if wish != Wish::Cancel {
            return open.commit().await;
        }
        let rows = open
            .rows(
                &format!(
                    "SELECT {COLUMNS} FROM queue
                     WHERE campaign = $1 AND state IN ('waiting', 'running', 'retrying')
                     ORDER BY id FOR UPDATE"
                ),
                &values![campaign.as_str()],
            )
            .await?;
        let mut held = LockedJobs::new(&rows)?;
        let mut order: Vec<&mut JobEntry> = held.entries.iter_mut().collect();
        order.sort_by_key(|entry| entry.position);
        let records: Vec<Closing> = order.into_iter().filter_map(JobEntry::cancel).collect();
        finish(open, held, &records).await
    }

    async fn apply(
        &self,
        group: &str,
        records: &[Decoded<Closing>],
        now: SystemTime,
        retry: &Retry,
        rules: &dyn NextStage,
    ) -> Result<(), StorageError> {
        let mut open = self.pool.begin("close jobs").await?;
        let new = offsets::advance(&mut open, group, records).await?;
        let closings: Vec<&Closing> = new.into_iter().filter_map(|record| record.says.as_ref()).collect();
        let staged = staged::locked(&mut open, closings.iter().map(|closing| closing.campaign())).await?;
        let named = closings.iter().map(|closing| (closing.campaign(), closing.job()));
        let mut held = LockedJobs::of(&mut open, named).await?;
        let mut jobs = held.by_name();
        let mut answers = Vec::new();
        for closing in closings {
            match jobs.get_mut(&(closing.campaign().clone(), closing.job().clone())) {
                Some(entry) => {
                    answers.extend(entry.close(closing, now, retry, staged.contains_key(closing.campaign())));
                }
                None => tracing::warn!(
                    campaign = %closing.campaign(), job = %closing.job(), "a record of a job that is not here is passed over"
                ),
            }
        }
        let mut lanes = held.write(&mut open).await?;
        for campaign in staged.into_values() {
            campaign.go_on(&mut open, rules, now, &mut lanes).await?;
        }
        lanes.save(&mut open).await?;
        send(&mut open, &answers).await?;
        open.commit().await
    }

    async fn ingest(
        &self,
        group: &str,
        records: &[Decoded<Submission>],
        now: SystemTime,
    ) -> Result<Vec<(LogRecord, String)>, StorageError> {
        let mut open = self.pool.begin("take in submitted jobs").await?;
        let new = offsets::advance(&mut open, group, records).await?;
        let new: Vec<(&LogRecord, &Submission)> =
            new.into_iter().filter_map(|record| Some((&record.from, record.says.as_ref()?))).collect();
        let submissions: Vec<&Submission> = new.iter().map(|(_, submission)| *submission).collect();
        let placed = submit::place(&mut open, &submissions, now).await?;
        let results = new.into_iter().zip(placed);
        let refused: Vec<(LogRecord, String)> =
            results.filter_map(|((from, _), placed)| Some((from.clone(), placed.err()?.to_string()))).collect();
        if refused.is_empty() {
            open.commit().await?;
        }
        Ok(refused)
    }

    async fn campaigns(
        &self,
        only: Option<&CampaignId>,
        now: SystemTime,
    ) -> Result<Vec<CampaignStanding>, StorageError> {
        view::campaigns(&self.pool, only, now).await
    }

    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, StorageError> {
        view::jobs(&self.pool, campaign, skip, limit).await
    }

    async fn quarantined(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, StorageError> {
        view::quarantined(&self.pool, campaign).await
    }

    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: &[JobId],
        verdict: QuarantineVerdict,
    ) -> Result<u64, StorageError> {
        let mut open = self.pool.begin("take jobs out of quarantine").await?;
        let row = open
            .row("SELECT settings, wish FROM queue_campaigns WHERE id = $1 FOR UPDATE", &values![campaign.as_str()])
            .await?
            .ok_or_else(|| no_campaign(campaign))?;
        if campaign_of(&row)?.1 == Wish::Cancel && verdict == QuarantineVerdict::Retry {
            return Err(was_cancelled(campaign));
        }
        let mut held = LockedJobs::of(&mut open, jobs.iter().map(|job| (campaign, job))).await?;
        let mut order: Vec<&mut JobEntry> = held.entries.iter_mut().collect();
        order.sort_by_key(|entry| entry.position);
        let mut settled = 0;
        let mut records = Vec::new();
        for entry in order {
            let of_entry = entry.settle(verdict);
            settled += u64::from(!of_entry.is_empty());
            records.extend(of_entry);
        }
        finish(open, held, &records).await?;
        Ok(settled)
    }

    async fn outbox(&self, limit: usize) -> Result<Vec<(u64, Closing)>, StorageError> {
        view::outbox(&self.pool, limit).await
    }

    async fn sent(&self, numbers: &[u64]) -> Result<(), StorageError> {
        let mut open = self.pool.begin("take records off the outbox").await?;
        let rows: Vec<Vec<Value<'_>>> = numbers.iter().map(|number| values![*number as i64].to_vec()).collect();
        open.run_with_rows("DELETE FROM queue_outbox WHERE number IN ({rows})", &rows).await?;
        open.commit().await
    }
}

/// Gives claimed jobs back, which are due later.
async fn give_back(
    open: &mut Transaction,
    campaign: &CampaignId,
    positions: &[i64],
    due: i64,
) -> Result<(), StorageError> {
    let rows: Vec<Vec<Value<'_>>> =
        positions.iter().map(|position| values![campaign.as_str(), *position, due].to_vec()).collect();
    open.run_with_rows(
        "UPDATE queue SET state = 'waiting', crawler = '', lease_until = 0, due = given.column3 FROM ({rows}) AS given
         WHERE queue.campaign = given.column1 AND queue.position = given.column2",
        &rows,
    )
    .await?;
    Ok(())
}

/// Writes the jobs back, appends to the outbox, and commits.
async fn finish(mut open: Transaction, held: LockedJobs, records: &[Closing]) -> Result<(), StorageError> {
    held.save(&mut open).await?;
    send(&mut open, records).await?;
    open.commit().await
}
