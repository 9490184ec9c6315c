//! The ledger in a database. Locks accounts in key order, then counts in key order.

use super::account::{Account, CampaignCounts, OutcomeSums, cell, totals};
use crate::sql::{Pool, Row, Transaction, Value, json, offsets, values};
use async_trait::async_trait;
use domain::campaign::Closing;
use domain::job::Outcome;
use domain::ledger::{After, Cell, PageVisit, Totals};
use domain::storage::StorageError;
use domain::storage::jobs::Decoded;
use domain::storage::log::{Offsets, Topic};
use domain::storage::results::{ResultStore, StepCost};
use domain::verdict::VerdictKind;
use domain::{CampaignId, JobId, SiteId, TaskId};
use proto::{Envelope, Record};
use std::collections::BTreeMap;
use std::time::SystemTime;

type Key = (CampaignId, JobId);

/// The ledger in a database.
#[derive(Clone, Debug)]
pub struct SqlResults {
    pool: Pool,
}

impl SqlResults {
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool }
    }
}

#[async_trait]
impl Offsets for SqlResults {
    async fn offsets(&self, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
        offsets::stored(&self.pool, group, topic).await
    }
}

#[async_trait]
impl ResultStore for SqlResults {
    async fn close(&self, group: &str, records: &[Decoded<Closing>]) -> Result<(), StorageError> {
        let mut open = self.pool.begin("count how jobs ended").await?;
        let new = offsets::advance(&mut open, group, records).await?;
        let closings: Vec<&Closing> = new.into_iter().filter_map(|record| record.says.as_ref()).collect();
        let named = closings.iter().map(|closing| (closing.campaign().clone(), closing.job().clone()));
        let mut accounts = LockedAccounts::lock(&mut open, named).await?;
        let mut accepted: Vec<&Outcome> = Vec::new();
        for closing in closings {
            let counts = accounts.change(closing.campaign(), closing.job(), |account| account.close(closing));
            if let (true, Closing::Judged(outcome)) = (counts, closing) {
                accepted.push(outcome);
            }
        }
        let rests = accounts.save(&mut open).await?;
        accept(&mut open, &accepted).await?;
        count(&mut open, &accepted).await?;
        count_rests(&mut open, &rests).await?;
        open.commit().await
    }

    async fn spend(&self, group: &str, records: &[Decoded<StepCost>]) -> Result<(), StorageError> {
        let mut open = self.pool.begin("count what steps cost").await?;
        let new = offsets::advance(&mut open, group, records).await?;
        let spent: Vec<&StepCost> = new.into_iter().filter_map(|record| record.says.as_ref()).collect();
        let named = spent.iter().map(|spent| (spent.campaign.clone(), spent.job.clone()));
        let mut accounts = LockedAccounts::lock(&mut open, named).await?;
        for spent in spent {
            accounts.change(&spent.campaign, &spent.job, |account| account.spend(spent));
        }
        let rests = accounts.save(&mut open).await?;
        count_rests(&mut open, &rests).await?;
        open.commit().await
    }

    async fn keep_visits(&self, group: &str, records: &[Decoded<PageVisit>]) -> Result<(), StorageError> {
        let mut open = self.pool.begin("keep what explorations saw").await?;
        let new = offsets::advance(&mut open, group, records).await?;
        let mut visits: Vec<&PageVisit> = new.into_iter().filter_map(|record| record.says.as_ref()).collect();
        visits.sort_by_key(|visit| (&visit.campaign, &visit.id));
        let rows: Vec<Vec<Value<'_>>> = visits
            .iter()
            .map(|visit| values![visit.campaign.as_str(), &visit.id, visit.job.as_str(), &visit.record].to_vec())
            .collect();
        open.run_with_rows(
            "INSERT INTO ledger_visits (campaign, id, job, record) {rows} ON CONFLICT (campaign, id) DO NOTHING",
            &rows,
        )
        .await?;
        open.commit().await
    }

    async fn visits(
        &self,
        campaign: &CampaignId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PageVisit>, StorageError> {
        let mut open = self.pool.begin("read what explorations saw").await?;
        let (after, limit) = (after.unwrap_or_default(), i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = open
            .rows(
                "SELECT id, job, record FROM ledger_visits WHERE campaign = $1 AND id > $2 ORDER BY id LIMIT $3",
                &values![campaign.as_str(), after, limit],
            )
            .await?;
        let visit = |row: &Row| {
            let (campaign, job) = (campaign.clone(), JobId(row.text("job")?));
            Ok(PageVisit { campaign, job, id: row.text("id")?, record: row.text("record")? })
        };
        rows.iter().map(visit).collect()
    }

    async fn totals(&self, campaign: &CampaignId) -> Result<Totals, StorageError> {
        let mut open = self.pool.begin("read totals").await?;
        let id = campaign.as_str();
        let rows = open
            .rows(
                "SELECT site, task, planner, verdict, outcomes, nano_reward, rewarded, steps, wall_us, prompt_tokens,
                     completion_tokens, nano_usd, calls
                 FROM ledger_cells WHERE campaign = $1",
                &values![id],
            )
            .await?;
        let numbers = rows.iter().map(numbers).collect::<Result<Vec<_>, _>>()?;
        let rest = open
            .row(
                "SELECT quarantined, cancelled, redeliveries, lost_attempts, prompt_tokens, completion_tokens, nano_usd,
                     calls
                 FROM ledger_campaigns WHERE campaign = $1",
                &values![id],
            )
            .await?;
        let rest = rest.map(|row| row.read::<CampaignCounts>()).transpose()?.unwrap_or_default();
        Ok(totals(campaign, numbers, &rest))
    }

    async fn outcomes(&self, campaign: &CampaignId, after: After, limit: usize) -> Result<Vec<Outcome>, StorageError> {
        let mut open = self.pool.begin("read outcomes").await?;
        let after = after.map(|job| job.0).unwrap_or_default();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = open
            .rows(
                "SELECT outcome FROM ledger_jobs WHERE campaign = $1 AND id > $2 AND judged = 1 ORDER BY id LIMIT $3",
                &values![campaign.as_str(), &after, limit],
            )
            .await?;
        rows.iter().map(|row| decode(&row.bytes("outcome")?)).collect()
    }
}

/// Locked accounts, with what they contributed to the counts before the change.
struct LockedAccounts(BTreeMap<Key, (Account, CampaignCounts)>);

impl LockedAccounts {
    async fn lock(open: &mut Transaction, named: impl Iterator<Item = Key>) -> Result<Self, StorageError> {
        let mut keys: Vec<Key> = named.collect();
        keys.sort();
        keys.dedup();
        let new: Vec<Vec<Value<'_>>> = keys
            .iter()
            .map(|(campaign, job)| values![campaign.as_str(), job.as_str(), "{}", 0, &[][..]].to_vec())
            .collect();
        open.run_with_rows(
            "INSERT INTO ledger_jobs (campaign, id, account, judged, outcome) {rows}
             ON CONFLICT (campaign, id) DO NOTHING",
            &new,
        )
        .await?;
        let wanted: Vec<Vec<Value<'_>>> =
            keys.iter().map(|(campaign, job)| values![campaign.as_str(), job.as_str()].to_vec()).collect();
        let rows = open
            .rows_with_rows(
                "SELECT ledger_jobs.campaign, ledger_jobs.id, ledger_jobs.account FROM ledger_jobs
                 JOIN ({rows}) AS wanted ON ledger_jobs.campaign = wanted.column1 AND ledger_jobs.id = wanted.column2
                 ORDER BY ledger_jobs.campaign, ledger_jobs.id FOR UPDATE OF ledger_jobs",
                &wanted,
            )
            .await?;
        let mut accounts = BTreeMap::new();
        for row in &rows {
            let account: Account = row.json("account")?;
            let before = account.counts();
            accounts.insert((CampaignId(row.text("campaign")?), JobId(row.text("id")?)), (account, before));
        }
        Ok(Self(accounts))
    }

    fn change<T>(&mut self, campaign: &CampaignId, job: &JobId, change: impl FnOnce(&mut Account) -> T) -> T {
        change(&mut self.0.entry((campaign.clone(), job.clone())).or_default().0)
    }

    /// Writes the accounts back; returns how the counts of their campaigns changed.
    async fn save(self, open: &mut Transaction) -> Result<BTreeMap<CampaignId, CampaignCounts>, StorageError> {
        let mut rests: BTreeMap<CampaignId, CampaignCounts> = BTreeMap::new();
        let mut encoded = Vec::with_capacity(self.0.len());
        for ((campaign, job), (account, before)) in &self.0 {
            rests.entry(campaign.clone()).or_default().change(before, &account.counts());
            encoded.push((campaign, job, json(account)?));
        }
        let rows: Vec<Vec<Value<'_>>> = encoded
            .iter()
            .map(|(campaign, job, account)| values![campaign.as_str(), job.as_str(), account].to_vec())
            .collect();
        open.run_with_rows(
            "UPDATE ledger_jobs SET account = changed.column3 FROM ({rows}) AS changed
             WHERE ledger_jobs.campaign = changed.column1 AND ledger_jobs.id = changed.column2",
            &rows,
        )
        .await?;
        Ok(rests)
    }
}

/// Stores the outcomes that count.
async fn accept(open: &mut Transaction, accepted: &[&Outcome]) -> Result<(), StorageError> {
    let records: Vec<Vec<u8>> = accepted.iter().map(|outcome| encode(outcome)).collect();
    let rows: Vec<Vec<Value<'_>>> = accepted
        .iter()
        .zip(&records)
        .map(|(outcome, record)| values![outcome.campaign.as_str(), outcome.job.as_str(), record.as_slice()].to_vec())
        .collect();
    open.run_with_rows(
        "UPDATE ledger_jobs SET judged = 1, outcome = accepted.column3 FROM ({rows}) AS accepted
         WHERE ledger_jobs.campaign = accepted.column1 AND ledger_jobs.id = accepted.column2",
        &rows,
    )
    .await?;
    Ok(())
}

/// Counts the outcomes that count.
async fn count(open: &mut Transaction, accepted: &[&Outcome]) -> Result<(), StorageError> {
    let mut cells: BTreeMap<(&CampaignId, Cell, &'static str), OutcomeSums> = BTreeMap::new();
    for outcome in accepted {
        let (cell, verdict) = cell(outcome);
        cells.entry((&outcome.campaign, cell, verdict.as_str())).or_default().add(&OutcomeSums::of(outcome));
    }
    let rows: Vec<Vec<Value<'_>>> = cells
        .iter()
        .map(|((campaign, cell, verdict), numbers)| {
            values![
                campaign.as_str(),
                cell.site.as_str(),
                cell.task.as_str(),
                &cell.planner,
                *verdict,
                numbers.outcomes,
                numbers.nano_reward,
                numbers.rewarded,
                numbers.steps,
                numbers.wall_us,
                numbers.cost.prompt_tokens,
                numbers.cost.completion_tokens,
                numbers.cost.nano_usd,
                numbers.cost.calls,
            ]
            .to_vec()
        })
        .collect();
    open.run_with_rows(
        "INSERT INTO ledger_cells (campaign, site, task, planner, verdict, outcomes, nano_reward, rewarded, steps,
             wall_us, prompt_tokens, completion_tokens, nano_usd, calls) {rows}
         ON CONFLICT (campaign, site, task, planner, verdict) DO UPDATE SET
             outcomes = ledger_cells.outcomes + excluded.outcomes,
             nano_reward = ledger_cells.nano_reward + excluded.nano_reward,
             rewarded = ledger_cells.rewarded + excluded.rewarded,
             steps = ledger_cells.steps + excluded.steps,
             wall_us = ledger_cells.wall_us + excluded.wall_us,
             prompt_tokens = ledger_cells.prompt_tokens + excluded.prompt_tokens,
             completion_tokens = ledger_cells.completion_tokens + excluded.completion_tokens,
             nano_usd = ledger_cells.nano_usd + excluded.nano_usd,
             calls = ledger_cells.calls + excluded.calls",
        &rows,
    )
    .await?;
    Ok(())
}

/// Changes the counts of campaigns.
async fn count_rests(open: &mut Transaction, rests: &BTreeMap<CampaignId, CampaignCounts>) -> Result<(), StorageError> {
    let rows: Vec<Vec<Value<'_>>> = rests
        .iter()
        .filter(|(_, rest)| **rest != CampaignCounts::default())
        .map(|(campaign, rest)| {
            values![
                campaign.as_str(),
                rest.quarantined,
                rest.cancelled,
                rest.redeliveries,
                rest.lost_attempts,
                rest.lost.prompt_tokens,
                rest.lost.completion_tokens,
                rest.lost.nano_usd,
                rest.lost.calls,
            ]
            .to_vec()
        })
        .collect();
    open.run_with_rows(
        "INSERT INTO ledger_campaigns (campaign, quarantined, cancelled, redeliveries, lost_attempts, prompt_tokens,
             completion_tokens, nano_usd, calls) {rows}
         ON CONFLICT (campaign) DO UPDATE SET
             quarantined = ledger_campaigns.quarantined + excluded.quarantined,
             cancelled = ledger_campaigns.cancelled + excluded.cancelled,
             redeliveries = ledger_campaigns.redeliveries + excluded.redeliveries,
             lost_attempts = ledger_campaigns.lost_attempts + excluded.lost_attempts,
             prompt_tokens = ledger_campaigns.prompt_tokens + excluded.prompt_tokens,
             completion_tokens = ledger_campaigns.completion_tokens + excluded.completion_tokens,
             nano_usd = ledger_campaigns.nano_usd + excluded.nano_usd,
             calls = ledger_campaigns.calls + excluded.calls",
        &rows,
    )
    .await?;
    Ok(())
}

fn numbers(row: &Row) -> Result<((Cell, VerdictKind), OutcomeSums), StorageError> {
    let cell = Cell { site: SiteId(row.text("site")?), task: TaskId(row.text("task")?), planner: row.text("planner")? };
    Ok(((cell, row.word("verdict")?), row.read()?))
}

/// Encodes as a log record, which preserves numbers to the last bit.
fn encode(outcome: &Outcome) -> Vec<u8> {
    proto::encode(&Envelope::of_outcome(outcome.clone(), SystemTime::UNIX_EPOCH))
}

fn decode(record: &[u8]) -> Result<Outcome, StorageError> {
    let envelope = proto::decode(record).map_err(|error| StorageError::Corrupt(format!("read an outcome: {error}")))?;
    if let Record::Closing(closing) = envelope.record
        && let Closing::Judged(outcome) = *closing
    {
        return Ok(*outcome);
    }
    Err(StorageError::Corrupt("read an outcome: the record is of another kind".to_owned()))
}
