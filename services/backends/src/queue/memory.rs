//! The table in memory: plain data behind a lock, without counters or indexes. It scans every job. It is the model that
//! the databases are compared with, and what simulations use.

use super::entry::{AttemptHistory, JobEntry, JobState, LaneCounts, milliseconds, moment, rate_of};
use super::stages::{self, Begins};
use crate::sql::offsets::not_yet;
use async_trait::async_trait;
use domain::campaign::{Campaign, Closing, Quarantined, Ticket, Wish};
use domain::service::QuarantineVerdict;
use domain::stage::{JobEnd, NextStage, StageEnd};
use domain::storage::StorageError;
use domain::storage::jobs::{CampaignStanding, Claimed, Decoded, JobStore, Lane, Pick, Retry, Submission};
use domain::storage::log::{LogRecord, Offsets, Topic};
use domain::{CampaignId, Fence, Job, JobId, SiteId, Usage};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime};

/// A table of jobs that is gone with the process.
#[derive(Debug, Default)]
pub struct MemoryJobs {
    table: Mutex<JobTable>,
}

#[derive(Clone, Debug, Default)]
struct JobTable {
    campaigns: BTreeMap<CampaignId, CampaignRow>,
    outbox: BTreeMap<u64, Closing>,
    records_so_far: u64,
    offsets: BTreeMap<(String, &'static str, u32), u64>,
}

#[derive(Clone, Debug)]
struct CampaignRow {
    number: usize,
    settings: Campaign,
    wish: Wish,
    /// In order of submission.
    jobs: Vec<(JobEntry, Submission)>,
    places: BTreeMap<JobId, usize>,
    /// Where its later stages begin.
    begins: Begins,
}

impl MemoryJobs {
    fn table(&self) -> MutexGuard<'_, JobTable> {
        self.table.lock()
    }
}

impl JobTable {
    fn campaign(&mut self, id: &CampaignId) -> Result<&mut CampaignRow, StorageError> {
        self.campaigns.get_mut(id).ok_or_else(|| no_campaign(id))
    }

    fn entry(&mut self, campaign: &CampaignId, job: &JobId) -> Option<&mut JobEntry> {
        let row = self.campaigns.get_mut(campaign)?;
        let place = *row.places.get(job)?;
        Some(&mut row.jobs[place].0)
    }

    fn entries(&mut self) -> impl Iterator<Item = &mut JobEntry> {
        self.campaigns.values_mut().flat_map(|row| row.jobs.iter_mut().map(|(entry, _)| entry))
    }

    fn send(&mut self, records: impl IntoIterator<Item = Closing>) {
        for record in records {
            self.records_so_far += 1;
            self.outbox.insert(self.records_so_far, record);
        }
    }

    /// Adds a job; false if it already exists.
    fn add(&mut self, submission: &Submission, now: SystemTime) -> Result<bool, StorageError> {
        let job = &submission.job;
        let row = self.campaign(&job.campaign)?;
        if let Some(place) = row.places.get(&job.id) {
            let there = &row.jobs[*place].1;
            return if there.job == *job { Ok(false) } else { Err(other_work(job)) };
        }
        if row.wish == Wish::Cancel {
            return Err(was_cancelled(&job.campaign));
        }
        if let Some(refusal) = stages::refusal(&row.settings, &row.begins, row.jobs.len() as i64, job) {
            return Err(refusal);
        }
        row.push(submission.clone(), now);
        Ok(true)
    }

    /// Adds the jobs of the next stage of a campaign, once those of the one at hand have ended.
    fn go_on(&mut self, campaign: &CampaignId, rules: &dyn NextStage, now: SystemTime) {
        let Some(row) = self.campaigns.get_mut(campaign) else { return };
        while let Some(ended) = row.ended_stage() {
            row.begins.push(row.jobs.len() as i64);
            for submission in stages::new_ones(rules.next(&ended), &ended) {
                row.push(submission, now);
            }
        }
    }

    fn advance<'a, T>(&mut self, group: &str, records: &'a [Decoded<T>]) -> Vec<&'a Decoded<T>> {
        let before = self
            .offsets
            .iter()
            .filter(|((owner, _, _), _)| owner == group)
            .map(|((_, topic, partition), next)| ((*topic, *partition), *next))
            .collect();
        for record in records {
            let key = (group.to_owned(), record.from.topic.as_str(), record.from.place.partition);
            let next = self.offsets.entry(key).or_default();
            *next = (*next).max(record.from.place.offset + 1);
        }
        not_yet(records, &before)
    }
}

impl CampaignRow {
    fn push(&mut self, submission: Submission, now: SystemTime) {
        let job = &submission.job;
        let entry = JobEntry {
            campaign: job.campaign.clone(),
            position: self.jobs.len() as i64,
            id: job.id.clone(),
            site: submission.site.clone(),
            host: submission.host.clone(),
            state: JobState::Waiting,
            fence: 0,
            due: milliseconds(now),
            crawler: String::new(),
            lease_until: 0,
            history: AttemptHistory::default(),
        };
        self.places.insert(job.id.clone(), self.jobs.len());
        self.jobs.push((entry, submission));
    }

    /// The stage at hand, where it is over and another one follows.
    fn ended_stage(&self) -> Option<StageEnd> {
        let plan = self.settings.stages.as_ref()?;
        if !stages::may_go_on(plan, &self.begins, self.jobs.len() as i64, self.wish) {
            return None;
        }
        let begin = usize::try_from(stages::begin(&self.begins)).unwrap_or(usize::MAX);
        if self.jobs.iter().skip(begin).any(|(entry, _)| entry.ended().is_none()) {
            return None;
        }
        // Jobs of earlier stages may have come out of quarantine since.
        let ended = |(entry, submission): &(JobEntry, Submission)| {
            (entry.position, submission.clone(), entry.ended().unwrap_or(JobEnd::Quarantined))
        };
        Some(stages::over(&self.settings, &self.begins, self.jobs.iter().map(ended).collect()))
    }
}

pub(super) fn no_campaign(id: &CampaignId) -> StorageError {
    StorageError::NotFound(format!("there is no campaign `{id}`"))
}

pub(super) fn other_work(job: &domain::Job) -> StorageError {
    StorageError::Conflict(format!(
        "campaign `{}` has a job `{}` already, with other work; choose another id",
        job.campaign, job.id
    ))
}

pub(super) fn other_settings(campaign: &Campaign) -> StorageError {
    StorageError::Conflict(format!(
        "there is a campaign `{}` already, with other settings; choose another id",
        campaign.id
    ))
}

pub(super) fn was_cancelled(id: &CampaignId) -> StorageError {
    StorageError::Conflict(format!("campaign `{id}` was cancelled, nothing more is done for it"))
}

#[async_trait]
impl Offsets for MemoryJobs {
    async fn offsets(&self, group: &str, topic: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
        let table = self.table();
        let of_topic = table.offsets.iter().filter(|((owner, name, _), _)| owner == group && *name == topic.as_str());
        Ok(of_topic.map(|((_, _, partition), next)| (*partition, *next)).collect())
    }
}

#[async_trait]
impl JobStore for MemoryJobs {
    async fn create(&self, campaign: &Campaign, _now: SystemTime) -> Result<bool, StorageError> {
        let mut table = self.table();
        if let Some(row) = table.campaigns.get(&campaign.id) {
            return if row.settings == *campaign { Ok(false) } else { Err(other_settings(campaign)) };
        }
        let row = CampaignRow {
            number: table.campaigns.len(),
            settings: campaign.clone(),
            wish: Wish::Run,
            jobs: Vec::new(),
            places: BTreeMap::new(),
            begins: Begins::new(),
        };
        table.campaigns.insert(campaign.id.clone(), row);
        Ok(true)
    }

    async fn submit(&self, jobs: &[Submission], now: SystemTime) -> Result<u64, StorageError> {
        let mut table = self.table();
        let mut after = table.clone();
        let mut new = 0;
        for submission in jobs {
            new += u64::from(after.add(submission, now)?);
        }
        *table = after;
        Ok(new)
    }

    async fn demand(&self, now: SystemTime) -> Result<Vec<Lane>, StorageError> {
        let mut lanes = Vec::new();
        for row in self.table().campaigns.values() {
            let budget_spent = row.settings.budget.is_spent(&usage(row));
            let mut counts: BTreeMap<(&SiteId, &str), (u64, u64)> = BTreeMap::new();
            for (entry, _) in &row.jobs {
                let (claimable, running) = counts.entry((&entry.site, &entry.host)).or_default();
                *claimable += u64::from(row.wish == Wish::Run && is_due(entry, now));
                *running += u64::from(entry.state == JobState::Running);
            }
            lanes.extend(counts.into_iter().filter(|(_, counts)| *counts != (0, 0)).map(
                |((site, host), (claimable, running))| Lane {
                    campaign: row.settings.id.clone(),
                    labels: row.settings.labels.clone(),
                    priority: row.settings.priority,
                    share: row.settings.share,
                    site: site.clone(),
                    host: host.to_owned(),
                    rate: rate_of(&row.settings, host),
                    claimable,
                    running,
                    budget_spent,
                },
            ));
        }
        Ok(lanes)
    }

    async fn claim(
        &self,
        picks: &[Pick],
        crawler: &str,
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<Claimed>, StorageError> {
        let until = milliseconds(now + lease);
        let mut table = self.table();
        let mut claimed = Vec::new();
        for pick in picks {
            let Some(row) = table.campaigns.get_mut(&pick.campaign).filter(|row| row.wish == Wish::Run) else {
                continue;
            };
            let mut due: Vec<usize> = (0..row.jobs.len())
                .filter(|place| {
                    let entry = &row.jobs[*place].0;
                    entry.site == pick.site && entry.host == pick.host && is_due(entry, now)
                })
                .collect();
            due.sort_by_key(|place| (row.jobs[*place].0.due, *place));
            for place in due.into_iter().take(pick.count) {
                let (entry, submission) = &mut row.jobs[place];
                entry.claim(crawler, until);
                claimed.push(Claimed {
                    job: submission.job.clone(),
                    fence: Fence(entry.fence as u64),
                    campaign: row.settings.clone(),
                    trace_parent: submission.trace_parent.clone(),
                });
            }
        }
        Ok(claimed)
    }

    async fn renew(&self, tickets: &[Ticket], now: SystemTime, lease: Duration) -> Result<Vec<Ticket>, StorageError> {
        let mut table = self.table();
        let mut lost = Vec::new();
        for ticket in tickets {
            match table.entry(&ticket.campaign, &ticket.job) {
                Some(entry) if entry.is_held_under(ticket.fence.0) => entry.lease_until = milliseconds(now + lease),
                _ => lost.push(ticket.clone()),
            }
        }
        Ok(lost)
    }

    async fn release(&self, tickets: &[Ticket]) -> Result<(), StorageError> {
        let mut table = self.table();
        for ticket in tickets {
            if let Some(entry) = table.entry(&ticket.campaign, &ticket.job)
                && entry.is_held_under(ticket.fence.0)
            {
                entry.release();
            }
        }
        Ok(())
    }

    async fn expire(&self, now: SystemTime, retry: &Retry) -> Result<u64, StorageError> {
        let mut table = self.table();
        let mut ended = 0;
        let mut records = Vec::new();
        for entry in table.entries() {
            if entry.state == JobState::Running && entry.lease_until <= milliseconds(now) {
                records.extend(entry.expire(now, retry));
                ended += 1;
            }
        }
        table.send(records);
        Ok(ended)
    }

    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), StorageError> {
        let mut table = self.table();
        let row = table.campaign(campaign)?;
        if row.wish == Wish::Cancel {
            return if wish == Wish::Cancel { Ok(()) } else { Err(was_cancelled(campaign)) };
        }
        row.wish = wish;
        if wish == Wish::Cancel {
            let records: Vec<Closing> = row.jobs.iter_mut().filter_map(|(entry, _)| entry.cancel()).collect();
            table.send(records);
        }
        Ok(())
    }

    async fn apply(
        &self,
        group: &str,
        records: &[Decoded<Closing>],
        now: SystemTime,
        retry: &Retry,
        rules: &dyn NextStage,
    ) -> Result<(), StorageError> {
        let mut table = self.table();
        let mut told = BTreeSet::new();
        for record in table.advance(group, records) {
            let Some(closing) = &record.says else { continue };
            let Some(entry) = table.entry(closing.campaign(), closing.job()) else { continue };
            let answer = entry.close(closing, now, retry, true);
            table.send(answer);
            told.insert(closing.campaign());
        }
        for campaign in told {
            table.go_on(campaign, rules, now);
        }
        Ok(())
    }

    async fn ingest(
        &self,
        group: &str,
        records: &[Decoded<Submission>],
        now: SystemTime,
    ) -> Result<Vec<(LogRecord, String)>, StorageError> {
        let mut table = self.table();
        let mut after = table.clone();
        let mut refused = Vec::new();
        for record in after.advance(group, records) {
            let Some(submission) = &record.says else { continue };
            if let Err(cause) = after.add(submission, now) {
                refused.push((record.from.clone(), cause.to_string()));
            }
        }
        if refused.is_empty() {
            *table = after;
        }
        Ok(refused)
    }

    async fn campaigns(
        &self,
        only: Option<&CampaignId>,
        now: SystemTime,
    ) -> Result<Vec<CampaignStanding>, StorageError> {
        let table = self.table();
        let mut rows: Vec<&CampaignRow> = table.campaigns.values().collect();
        rows.retain(|row| only.is_none_or(|only| row.settings.id == *only));
        rows.sort_by_key(|row| std::cmp::Reverse(row.number));
        Ok(rows.into_iter().map(|row| standing(row, now)).collect())
    }

    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, StorageError> {
        let mut table = self.table();
        let submissions = table.campaign(campaign)?.jobs.iter().map(|(_, submission)| &submission.job);
        Ok(submissions.skip(usize::try_from(skip).unwrap_or(usize::MAX)).take(limit).cloned().collect())
    }

    async fn quarantined(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, StorageError> {
        let mut table = self.table();
        let entries = table.campaign(campaign)?.jobs.iter().map(|(entry, _)| entry);
        let there = entries.filter(|entry| entry.state == JobState::Quarantined);
        Ok(there.filter_map(|entry| entry.history.quarantine.clone()).collect())
    }

    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: &[JobId],
        verdict: QuarantineVerdict,
    ) -> Result<u64, StorageError> {
        let mut table = self.table();
        let row = table.campaign(campaign)?;
        if row.wish == Wish::Cancel && verdict == QuarantineVerdict::Retry {
            return Err(was_cancelled(campaign));
        }
        let mut settled = 0;
        let mut records = Vec::new();
        for (entry, _) in &mut row.jobs {
            if jobs.contains(&entry.id) {
                let of_entry = entry.settle(verdict);
                settled += u64::from(!of_entry.is_empty());
                records.extend(of_entry);
            }
        }
        table.send(records);
        Ok(settled)
    }

    async fn outbox(&self, limit: usize) -> Result<Vec<(u64, Closing)>, StorageError> {
        Ok(self.table().outbox.iter().take(limit).map(|(number, record)| (*number, record.clone())).collect())
    }

    async fn sent(&self, numbers: &[u64]) -> Result<(), StorageError> {
        let mut table = self.table();
        for number in numbers {
            table.outbox.remove(number);
        }
        Ok(())
    }
}

fn is_due(entry: &JobEntry, now: SystemTime) -> bool {
    entry.state == JobState::Waiting && entry.due <= milliseconds(now)
}

fn counts(row: &CampaignRow) -> LaneCounts {
    let mut counts = LaneCounts::default();
    for (entry, _) in &row.jobs {
        counts.change(&LaneCounts::default(), &entry.counts());
    }
    counts
}

fn usage(row: &CampaignRow) -> Usage {
    counts(row).cost.into()
}

fn standing(row: &CampaignRow, now: SystemTime) -> CampaignStanding {
    let waiting = || row.jobs.iter().map(|(entry, _)| entry).filter(|entry| entry.state == JobState::Waiting);
    let not_due = || waiting().filter(|entry| !is_due(entry, now));
    let mut due: BTreeMap<String, u64> = BTreeMap::new();
    for entry in waiting().filter(|entry| is_due(entry, now)) {
        *due.entry(entry.host.clone()).or_default() += 1;
    }
    CampaignStanding {
        campaign: row.settings.clone(),
        wish: row.wish,
        tally: counts(row).tally(),
        not_due: (not_due().count() as u64, not_due().map(|entry| entry.due).min().map(moment)),
        due: due.into_iter().collect(),
        usage: usage(row),
        stage: stages::number(&row.settings, &row.begins),
    }
}
