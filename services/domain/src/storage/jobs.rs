//! The durable table of jobs: who may attempt what, and how each job ended.

use super::StorageError;
use super::log::{LogRecord, Offsets};
use crate::campaign::{Campaign, Closing, Failure, Quarantined, Rate, Tally, Ticket, Wish, WorkKind};
use crate::id::{CampaignId, Fence, JobId, SiteId};
use crate::job::Job;
use crate::service::QuarantineVerdict;
use crate::stage::{NO_HOST, NextStage};
use crate::usage::Usage;
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

/// The table of campaigns and jobs. It knows no policy: who is served first is said by the caller, in [`Pick`]s.
///
/// Contract:
/// - Creating and submitting again changes nothing; with other content it is refused and changes nothing either.
/// - A claim gives the job's next fence and a lease: a fence is given once. A job is claimable when its campaign is to
///   run, it has not ended, its due time has come and nobody holds a lease on it.
/// - A lease that ran out still holds until [`expire`](JobStore::expire) ends it.
/// - Sums of money are kept in billionths of a dollar, so that they do not depend on the order of what is added.
/// - [`apply`](JobStore::apply) stores the effects of records and the offsets after them in one transaction. Records below
///   the stored offset of their partition change nothing. The first terminal closing of a job counts, whatever its fence.
/// - Records that the table itself wants written ([`Closing::Quarantined`], [`Closing::Cancelled`],
///   [`Closing::Reopened`]) stand in its outbox, from the transaction that decided them until they are reported sent. A
///   job that such a record is about is not claimable, and ends when the record comes back through the log.
/// - The jobs of a campaign's next stage are added once, whatever dies, and not by a campaign that was cancelled. A stage that is
///   over stays over when one of its jobs is taken back. A campaign with stages takes as many jobs as its settings say.
#[async_trait]
pub trait JobStore: Offsets {
    /// Creates a campaign; false when it was there.
    ///
    /// # Errors
    /// [`StorageError::Conflict`] when it is there with other settings.
    async fn create(&self, campaign: &Campaign, now: SystemTime) -> Result<bool, StorageError>;

    /// Adds jobs in order; returns how many were new.
    ///
    /// # Errors
    /// [`StorageError::NotFound`]: no such campaign; [`StorageError::Conflict`]: a job of this id has other work. None
    /// was added then.
    async fn submit(&self, jobs: &[Submission], now: SystemTime) -> Result<u64, StorageError>;

    /// The campaigns that have claimable jobs or jobs under way, lane by lane.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn demand(&self, now: SystemTime) -> Result<Vec<Lane>, StorageError>;

    /// Claims jobs of the picked lanes, of each in order of due time and submission.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn claim(
        &self,
        picks: &[Pick],
        crawler: &str,
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<Claimed>, StorageError>;

    /// Renews leases; returns the tickets that hold no more.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn renew(&self, tickets: &[Ticket], now: SystemTime, lease: Duration) -> Result<Vec<Ticket>, StorageError>;

    /// Gives claims back; tickets that hold no more are passed over.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn release(&self, tickets: &[Ticket]) -> Result<(), StorageError>;

    /// Ends leases that ran out: each is a lost attempt of kind [`Failure::WorkerLost`]. Returns how many.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn expire(&self, now: SystemTime, retry: &Retry) -> Result<u64, StorageError>;

    /// Sets what is asked of a campaign; asking the same again changes nothing. Cancelling writes a [`Closing::Cancelled`] of every job that has not ended to
    /// the outbox.
    ///
    /// # Errors
    /// [`StorageError::NotFound`]; [`StorageError::Conflict`] when it was cancelled before.
    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), StorageError>;

    /// Stores the effects of records of topic `outcomes`, and the offsets after them. Where the last job of a campaign's stage ends by
    /// them, the jobs of its next stage are added in the same transaction.
    ///
    /// # Errors
    /// [`StorageError`]; nothing was stored then.
    async fn apply(
        &self,
        group: &str,
        records: &[Decoded<Closing>],
        now: SystemTime,
        retry: &Retry,
        stages: &dyn NextStage,
    ) -> Result<(), StorageError>;

    /// Stores submissions that came by topic `jobs`, and the offsets after them. When some cannot be submitted, nothing is
    /// stored and these are returned with the cause: the caller puts them aside, and comes again with nothing said by them.
    ///
    /// # Errors
    /// [`StorageError`]; nothing was stored then.
    async fn ingest(
        &self,
        group: &str,
        records: &[Decoded<Submission>],
        now: SystemTime,
    ) -> Result<Vec<(LogRecord, String)>, StorageError>;

    /// How every campaign, or one, stands. The newest first.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn campaigns(
        &self,
        only: Option<&CampaignId>,
        now: SystemTime,
    ) -> Result<Vec<CampaignStanding>, StorageError>;

    /// Up to `limit` jobs in order of submission, without the first `skip`.
    ///
    /// # Errors
    /// [`StorageError::NotFound`]: no such campaign.
    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, StorageError>;

    /// Jobs in quarantine, in order of submission.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn quarantined(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, StorageError>;

    /// Takes jobs out of quarantine by way of the outbox; returns how many were there.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: &[JobId],
        verdict: QuarantineVerdict,
    ) -> Result<u64, StorageError>;

    /// Up to `limit` records of the outbox, oldest first, each with its number.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn outbox(&self, limit: usize) -> Result<Vec<(u64, Closing)>, StorageError>;

    /// Takes records off the outbox.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn sent(&self, numbers: &[u64]) -> Result<(), StorageError>;
}

/// A job as it is handed in.
#[derive(Clone, Debug, PartialEq)]
pub struct Submission {
    /// The job.
    pub job: Job,
    /// Its site.
    pub site: SiteId,
    /// The host of its start URL, which its rate belongs to.
    pub host: String,
    /// W3C trace context of the submission; empty where it was not traced.
    pub trace_parent: String,
}

/// A record of the log with what it says.
#[derive(Clone, Debug)]
pub struct Decoded<T> {
    /// The record.
    pub from: LogRecord,
    /// What it says; none when it cannot be read: then only its offset is stored.
    pub says: Option<T>,
}

/// The jobs of one campaign on one site and host.
#[derive(Clone, Debug, PartialEq)]
pub struct Lane {
    /// The campaign.
    pub campaign: CampaignId,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// Its priority.
    pub priority: i32,
    /// Its share.
    pub share: u32,
    /// The site.
    pub site: SiteId,
    /// The host.
    pub host: String,
    /// The campaign's rate for the host, where it has one.
    pub rate: Option<Rate>,
    /// Jobs that can be claimed now.
    pub claimable: u64,
    /// Jobs under way.
    pub running: u64,
    /// Whether the campaign's budget is spent.
    pub budget_spent: bool,
}

impl Lane {
    /// What its jobs need.
    pub fn kind(&self) -> WorkKind {
        if self.host.starts_with(NO_HOST) { WorkKind::Studies } else { WorkKind::Pages }
    }
}

/// How many jobs of a lane to claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pick {
    /// The campaign.
    pub campaign: CampaignId,
    /// The site.
    pub site: SiteId,
    /// The host.
    pub host: String,
    /// How many at most.
    pub count: usize,
}

/// A claimed job.
#[derive(Clone, Debug, PartialEq)]
pub struct Claimed {
    /// The job.
    pub job: Job,
    /// The claim's number.
    pub fence: Fence,
    /// The campaign's settings.
    pub campaign: Campaign,
    /// W3C trace context of the submission.
    pub trace_parent: String,
}

/// What happens to a job whose attempt was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Losses of the same kind that put the job into quarantine.
    pub failures: u32,
    /// Pause before the second attempt; it doubles with every further loss.
    pub pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { failures: 3, pause: Duration::from_millis(500), longest_pause: Duration::from_secs(60) }
    }
}

impl Retry {
    /// The pause after so many losses of any kind, from 1 on.
    pub fn pause_after(&self, losses: u32) -> Duration {
        let doublings = losses.saturating_sub(1).min(16);
        self.longest_pause.min(self.pause.saturating_mul(1 << doublings))
    }

    /// Whether so many losses of one kind are too many.
    pub fn gives_up(&self, failure: Failure, losses_of_this_kind: u32) -> bool {
        failure == Failure::Unusable || losses_of_this_kind >= self.failures
    }
}

/// How a campaign stands.
#[derive(Clone, Debug, PartialEq)]
pub struct CampaignStanding {
    /// Its settings.
    pub campaign: Campaign,
    /// What was last asked of it.
    pub wish: Wish,
    /// Its jobs.
    pub tally: Tally,
    /// Of those that wait, how many are not due yet, and when the first of them is.
    pub not_due: (u64, Option<SystemTime>),
    /// Of those that wait and are due, how many there are for each host.
    pub due: Vec<(String, u64)>,
    /// What its attempts have cost, lost ones included.
    pub usage: Usage,
    /// The stage at hand, from 1; 0 in a campaign without stages.
    pub stage: u32,
}
