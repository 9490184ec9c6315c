//! Rows of the queue's tables: jobs as entries, the counters of their lanes, and the outbox.

use super::entry::{AttemptHistory, JobEntry, JobState, LaneCounts};
use super::stages::Begins;
use crate::sql::{Row, Transaction, Value, json, values};
use domain::campaign::{Campaign, Closing, Wish};
use domain::storage::StorageError;
use domain::storage::jobs::Submission;
use domain::{CampaignId, JobId, SiteId};
use std::collections::BTreeMap;

/// The columns of an entry.
pub(super) const COLUMNS: &str = "queue.campaign, queue.position, queue.id, queue.site, queue.host, queue.state, \
                                  queue.fence, queue.due, queue.crawler, queue.lease_until, queue.history";

/// Reads a row with [`COLUMNS`].
pub(super) fn entry(row: &Row) -> Result<JobEntry, StorageError> {
    Ok(JobEntry {
        campaign: CampaignId(row.text("campaign")?),
        position: row.number("position")?,
        id: JobId(row.text("id")?),
        site: SiteId(row.text("site")?),
        host: row.text("host")?,
        state: row.word("state")?,
        fence: row.number("fence")?,
        due: row.number("due")?,
        crawler: row.text("crawler")?,
        lease_until: row.number("lease_until")?,
        history: row.json::<AttemptHistory>("history")?,
    })
}

/// Locked jobs, with their counts before the change.
#[derive(Default)]
pub(super) struct LockedJobs {
    pub(super) entries: Vec<JobEntry>,
    before: Vec<LaneCounts>,
}

impl LockedJobs {
    pub(super) fn new(rows: &[Row]) -> Result<Self, StorageError> {
        let entries = rows.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let before = entries.iter().map(JobEntry::counts).collect();
        Ok(Self { entries, before })
    }

    /// Locks the named jobs that exist, in key order.
    pub(super) async fn of(
        open: &mut Transaction,
        keys: impl IntoIterator<Item = (&CampaignId, &JobId)>,
    ) -> Result<Self, StorageError> {
        let mut keys: Vec<_> = keys.into_iter().collect();
        keys.sort();
        keys.dedup();
        let keys: Vec<Vec<Value<'_>>> =
            keys.iter().map(|(campaign, job)| values![campaign.as_str(), job.as_str()].to_vec()).collect();
        let rows = open
            .rows_with_rows(
                &format!(
                    "SELECT {COLUMNS} FROM queue
                     JOIN ({{rows}}) AS wanted ON queue.campaign = wanted.column1 AND queue.id = wanted.column2
                     ORDER BY queue.campaign, queue.id FOR UPDATE OF queue"
                ),
                &keys,
            )
            .await?;
        Self::new(&rows)
    }

    /// The jobs by name.
    pub(super) fn by_name(&mut self) -> BTreeMap<(CampaignId, JobId), &mut JobEntry> {
        self.entries.iter_mut().map(|entry| ((entry.campaign.clone(), entry.id.clone()), entry)).collect()
    }

    /// Writes the jobs back and updates the counts of their lanes.
    pub(super) async fn save(self, open: &mut Transaction) -> Result<(), StorageError> {
        self.write(open).await?.save(open).await
    }

    /// Writes the jobs back; returns the changes of their lanes, which are still to be saved.
    pub(super) async fn write(self, open: &mut Transaction) -> Result<LaneChanges, StorageError> {
        let histories =
            self.entries.iter().map(|entry| json(&entry.history)).collect::<Result<Vec<String>, StorageError>>()?;
        let rows: Vec<Vec<Value<'_>>> = self
            .entries
            .iter()
            .zip(&histories)
            .map(|(entry, history)| {
                values![
                    entry.campaign.as_str(),
                    entry.position,
                    <&str>::from(entry.state),
                    entry.fence,
                    entry.due,
                    &entry.crawler,
                    entry.lease_until,
                    history,
                ]
                .to_vec()
            })
            .collect();
        open.run_with_rows(
            "UPDATE queue SET state = changed.column3, fence = changed.column4, due = changed.column5,
                 crawler = changed.column6, lease_until = changed.column7, history = changed.column8
             FROM ({rows}) AS changed WHERE queue.campaign = changed.column1 AND queue.position = changed.column2",
            &rows,
        )
        .await?;
        let mut lanes = LaneChanges::default();
        for (entry, before) in self.entries.iter().zip(&self.before) {
            lanes.change(entry, before, &entry.counts());
        }
        Ok(lanes)
    }
}

/// Changes to the counts of lanes. Lanes are locked last, just before the outbox.
#[derive(Default)]
pub(super) struct LaneChanges(BTreeMap<(CampaignId, SiteId, String), LaneCounts>);

impl LaneChanges {
    /// Adds the change of a job.
    pub(super) fn change(&mut self, of: &JobEntry, before: &LaneCounts, after: &LaneCounts) {
        self.of(&of.campaign, &of.site, &of.host).change(before, after);
    }

    /// Adds new jobs.
    pub(super) fn add(&mut self, submission: &Submission) {
        let mut one = LaneCounts::default();
        *one.of(JobState::Waiting) = 1;
        self.of(&submission.job.campaign, &submission.site, &submission.host).change(&LaneCounts::default(), &one);
    }

    /// The change of one lane.
    pub(super) fn of(&mut self, campaign: &CampaignId, site: &SiteId, host: &str) -> &mut LaneCounts {
        self.0.entry((campaign.clone(), site.clone(), host.to_owned())).or_default()
    }

    /// Writes the changes to the table, in key order.
    pub(super) async fn save(self, open: &mut Transaction) -> Result<(), StorageError> {
        let changed: Vec<_> = self.0.iter().filter(|(_, counts)| **counts != LaneCounts::default()).collect();
        let rows: Vec<Vec<Value<'_>>> = changed
            .iter()
            .map(|((campaign, site, host), counts)| {
                values![
                    campaign.as_str(),
                    site.as_str(),
                    host,
                    counts.waiting,
                    counts.running,
                    counts.closing,
                    counts.judged,
                    counts.quarantined,
                    counts.cancelled,
                    counts.cost.prompt_tokens,
                    counts.cost.completion_tokens,
                    counts.cost.nano_usd,
                    counts.cost.calls,
                ]
                .to_vec()
            })
            .collect();
        open.run_with_rows(
            "INSERT INTO queue_lanes (campaign, site, host, waiting, running, closing, judged, quarantined, cancelled,
                 prompt_tokens, completion_tokens, nano_usd, calls) {rows}
             ON CONFLICT (campaign, site, host) DO UPDATE SET
                 waiting = queue_lanes.waiting + excluded.waiting,
                 running = queue_lanes.running + excluded.running,
                 closing = queue_lanes.closing + excluded.closing,
                 judged = queue_lanes.judged + excluded.judged,
                 quarantined = queue_lanes.quarantined + excluded.quarantined,
                 cancelled = queue_lanes.cancelled + excluded.cancelled,
                 prompt_tokens = queue_lanes.prompt_tokens + excluded.prompt_tokens,
                 completion_tokens = queue_lanes.completion_tokens + excluded.completion_tokens,
                 nano_usd = queue_lanes.nano_usd + excluded.nano_usd,
                 calls = queue_lanes.calls + excluded.calls",
            &rows,
        )
        .await?;
        Ok(())
    }
}

/// The columns of the counts of lanes, named as the fields of [`LaneCounts`].
pub(super) const COUNTS: &str = "waiting, running, closing, judged, quarantined, cancelled, prompt_tokens, \
                                 completion_tokens, nano_usd, calls";

/// Reserves `count` numbers of a kind; returns the first. The lock on the kind makes their order that of the commits.
pub(super) async fn numbers(open: &mut Transaction, kind: &str, count: usize) -> Result<i64, StorageError> {
    let row = open
        .row("UPDATE queue_numbers SET next = next + $2 WHERE name = $1 RETURNING next", &values![kind, count as i64])
        .await?
        .ok_or_else(|| StorageError::Corrupt(format!("take numbers: there are none of kind `{kind}`")))?;
    Ok(row.number("next")? - count as i64)
}

/// Puts records into the outbox.
pub(super) async fn send(open: &mut Transaction, records: &[Closing]) -> Result<(), StorageError> {
    if records.is_empty() {
        return Ok(());
    }
    let first = numbers(open, "outbox", records.len()).await?;
    let encoded = records.iter().map(json).collect::<Result<Vec<_>, _>>()?;
    let rows: Vec<Vec<Value<'_>>> =
        (first..).zip(&encoded).map(|(number, record)| values![number, record].to_vec()).collect();
    open.run_with_rows("INSERT INTO queue_outbox (number, record) {rows}", &rows).await?;
    Ok(())
}

/// Where the later stages of a campaign begin.
pub(super) fn begins(row: &Row) -> Result<Begins, StorageError> {
    if row.text("stages")?.is_empty() { Ok(Begins::new()) } else { row.json("stages") }
}

/// A campaign's settings and wish.
pub(super) fn campaign(row: &Row) -> Result<(Campaign, Wish), StorageError> {
    Ok((row.json("settings")?, row.word("wish")?))
}
