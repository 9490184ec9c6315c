//! The state machine of one job, without a database or a clock. Every implementation uses it. A lease is taken over
//! here: `claim` raises the fence, `expire` ends a lease that ran out.

use crate::exact::Cost;
use crate::sql::{FromColumns, Row};
use domain::campaign::{Campaign, Closing, Failure, Quarantined, Rate};
use domain::service::QuarantineVerdict;
use domain::stage::JobEnd;
use domain::storage::StorageError;
use domain::storage::jobs::Retry;
use domain::{CampaignId, EpisodeId, Fence, JobId, SiteId, Usage};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use strum::{EnumString, IntoStaticStr};

/// The state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum JobState {
    /// It can be claimed once it is due.
    Waiting,
    /// A crawler holds its lease.
    Running,
    /// A terminal record is in the outbox, or in the log but not applied yet.
    Closing,
    /// Ended with a verdict.
    Judged,
    /// Ended in quarantine.
    Quarantined,
    /// In quarantine until the record that reopens it comes back.
    Retrying,
    /// As `Retrying`, then cancelled.
    Dropping,
    /// Ended by cancellation.
    Cancelled,
}

/// A job as its state transitions see it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JobEntry {
    pub(super) campaign: CampaignId,
    pub(super) position: i64,
    pub(super) id: JobId,
    pub(super) site: SiteId,
    pub(super) host: String,
    pub(super) state: JobState,
    pub(super) fence: i64,
    /// Milliseconds since 1970.
    pub(super) due: i64,
    pub(super) crawler: String,
    /// Milliseconds since 1970.
    pub(super) lease_until: i64,
    pub(super) history: AttemptHistory,
}

/// The history of a job's attempts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct AttemptHistory {
    /// Losses since it was submitted or reopened, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    losses: Vec<Loss>,
    /// The attempts whose cost is counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    paid: Vec<EpisodeId>,
    /// Their total cost.
    #[serde(default)]
    cost: Cost,
    /// The record that quarantined it, while it is in quarantine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) quarantine: Option<Quarantined>,
    /// Fence of the last quarantine that was lifted.
    #[serde(default)]
    reopened: Fence,
    /// How it ended, where a later stage of its campaign may ask for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<JobEnd>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Loss {
    failure: Failure,
    cause: String,
}

impl JobEntry {
    /// Leases it to a crawler under the next fence.
    pub(super) fn claim(&mut self, crawler: &str, until: i64) {
        self.state = JobState::Running;
        self.fence += 1;
        self.crawler = crawler.to_owned();
        self.lease_until = until;
    }

    /// The number of the last claim.
    fn current_fence(&self) -> Fence {
        Fence(u64::try_from(self.fence).unwrap_or_default())
    }

    /// Whether the claim with this fence is current.
    pub(super) fn is_held_under(&self, fence: u64) -> bool {
        self.state == JobState::Running && u64::try_from(self.fence) == Ok(fence)
    }

    /// Puts it back into the queue as if it had not been claimed.
    pub(super) fn release(&mut self) {
        self.state = JobState::Waiting;
        self.clear_lease();
    }

    fn clear_lease(&mut self) {
        self.lease_until = 0;
        self.crawler.clear();
    }

    /// Ends an expired lease. May return a record for the outbox.
    pub(super) fn expire(&mut self, now: SystemTime, retry: &Retry) -> Option<Closing> {
        let cause = format!("crawler `{}` gave no sign of life until its lease ended", self.crawler);
        self.lose(Failure::WorkerLost, cause, now, retry)
    }

    fn lose(&mut self, failure: Failure, cause: String, now: SystemTime, retry: &Retry) -> Option<Closing> {
        self.clear_lease();
        self.history.losses.push(Loss { failure, cause });
        let losses = &self.history.losses;
        let alike = losses.iter().filter(|loss| loss.failure == failure).count();
        if !retry.gives_up(failure, u32::try_from(alike).unwrap_or(u32::MAX)) {
            let pause = retry.pause_after(u32::try_from(losses.len()).unwrap_or(u32::MAX));
            self.state = JobState::Waiting;
            self.due = milliseconds(now.checked_add(pause).unwrap_or(now));
            return None;
        }
        self.state = JobState::Closing;
        Some(Closing::Quarantined(Quarantined {
            campaign: self.campaign.clone(),
            job: self.id.clone(),
            site: self.site.clone(),
            failure,
            causes: losses.iter().map(|loss| loss.cause.clone()).collect(),
            fence: self.current_fence(),
        }))
    }

    /// Applies a record of topic `outcomes`. May return a record for the outbox.
    pub(super) fn close(
        &mut self,
        closing: &Closing,
        now: SystemTime,
        retry: &Retry,
        is_staged: bool,
    ) -> Option<Closing> {
        match closing {
            Closing::Judged(outcome) => {
                self.pay(outcome.episode, &outcome.usage);
                if self.end(JobState::Judged) && is_staged {
                    self.history.ended = Some(JobEnd::Judged {
                        episode: outcome.episode,
                        verdict: outcome.verdict.kind,
                        reason: outcome.verdict.reason.clone(),
                        trajectory: outcome.trajectory.clone(),
                    });
                }
            }
            Closing::Cancelled { .. } => {
                self.end(JobState::Cancelled);
            }
            Closing::Quarantined(quarantined) => {
                if quarantined.is_after(self.history.reopened) && self.end(JobState::Quarantined) {
                    self.history.quarantine = Some(quarantined.clone());
                }
            }
            Closing::Reopened { fence, .. } => self.reopen(*fence, now),
            Closing::Lost(lost) => {
                self.pay(lost.episode, &lost.usage);
                if self.is_held_under(lost.ticket.fence.0) {
                    return self.lose(lost.failure, lost.cause.clone(), now, retry);
                }
            }
        }
        None
    }

    /// Counts the cost of an attempt once.
    fn pay(&mut self, episode: EpisodeId, usage: &Usage) {
        if !self.history.paid.contains(&episode) {
            self.history.paid.push(episode);
            self.history.cost += Cost::from(usage);
        }
    }

    /// How it ended; none while it has not. What is about to come out of quarantine has not.
    pub(super) fn ended(&self) -> Option<JobEnd> {
        match self.state {
            JobState::Judged => Some(self.history.ended.clone().unwrap_or(JobEnd::Quarantined)),
            JobState::Quarantined => Some(JobEnd::Quarantined),
            JobState::Cancelled => Some(JobEnd::Cancelled),
            JobState::Waiting | JobState::Running | JobState::Closing | JobState::Retrying | JobState::Dropping => None,
        }
    }

    /// Ends it; false if it has already ended.
    fn end(&mut self, state: JobState) -> bool {
        let open = matches!(self.state, JobState::Waiting | JobState::Running | JobState::Closing);
        if open {
            self.state = state;
            self.clear_lease();
        }
        open
    }

    fn reopen(&mut self, fence: Fence, now: SystemTime) {
        let Some(quarantine) = self.history.quarantine.as_ref().filter(|it| it.fence.may_be(fence)) else { return };
        // Records written before fences existed carry 0; take the larger.
        self.history.reopened = quarantine.fence.max(fence);
        self.state = match self.state {
            JobState::Quarantined | JobState::Retrying => JobState::Waiting,
            JobState::Dropping => JobState::Closing,
            _ => return,
        };
        self.due = milliseconds(now);
        self.history.losses.clear();
        self.history.quarantine = None;
    }

    /// Requests cancellation: returns the record for the outbox, unless the job has ended or one is already there.
    pub(super) fn cancel(&mut self) -> Option<Closing> {
        match self.state {
            JobState::Waiting | JobState::Running => {
                self.state = JobState::Closing;
                self.clear_lease();
            }
            JobState::Retrying => self.state = JobState::Dropping,
            // The pending record may be a quarantine, which is an end too.
            JobState::Closing | JobState::Judged | JobState::Quarantined | JobState::Dropping | JobState::Cancelled => {
                return None;
            }
        }
        Some(self.cancelled())
    }

    /// Lifts its quarantine: returns the records for the outbox; none if it is not in quarantine.
    pub(super) fn settle(&mut self, verdict: QuarantineVerdict) -> Vec<Closing> {
        if self.state != JobState::Quarantined {
            return Vec::new();
        }
        // No claim happens during a quarantine, so its fence is current.
        let fence = self.current_fence();
        let reopened = Closing::Reopened { campaign: self.campaign.clone(), job: self.id.clone(), fence };
        match verdict {
            QuarantineVerdict::Retry => {
                self.state = JobState::Retrying;
                vec![reopened]
            }
            // Only the first terminal record counts, so the quarantine is lifted first.
            QuarantineVerdict::Drop => {
                self.state = JobState::Dropping;
                vec![reopened, self.cancelled()]
            }
        }
    }

    fn cancelled(&self) -> Closing {
        Closing::Cancelled { campaign: self.campaign.clone(), job: self.id.clone(), site: self.site.clone() }
    }

    /// Its share of its lane's counts.
    pub(super) fn counts(&self) -> LaneCounts {
        let mut counts = LaneCounts { cost: self.history.cost, ..LaneCounts::default() };
        *counts.of(self.state) = 1;
        counts
    }
}

/// Counts of a lane's jobs by state, and their cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LaneCounts {
    pub(super) waiting: i64,
    pub(super) running: i64,
    pub(super) closing: i64,
    pub(super) judged: i64,
    pub(super) quarantined: i64,
    pub(super) cancelled: i64,
    pub(super) cost: Cost,
}

impl FromColumns for LaneCounts {
    fn from_columns(row: &Row) -> Result<Self, StorageError> {
        Ok(Self {
            waiting: row.number("waiting")?,
            running: row.number("running")?,
            closing: row.number("closing")?,
            judged: row.number("judged")?,
            quarantined: row.number("quarantined")?,
            cancelled: row.number("cancelled")?,
            cost: row.read()?,
        })
    }
}

impl LaneCounts {
    /// The count of those in a state.
    pub(super) fn of(&mut self, state: JobState) -> &mut i64 {
        match state {
            JobState::Waiting => &mut self.waiting,
            JobState::Running => &mut self.running,
            JobState::Closing => &mut self.closing,
            JobState::Judged => &mut self.judged,
            // They count as quarantined until a record changes that.
            JobState::Quarantined | JobState::Retrying | JobState::Dropping => &mut self.quarantined,
            JobState::Cancelled => &mut self.cancelled,
        }
    }

    /// Adds the change between two versions of a job.
    pub(super) fn change(&mut self, before: &LaneCounts, after: &LaneCounts) {
        self.waiting += after.waiting - before.waiting;
        self.running += after.running - before.running;
        self.closing += after.closing - before.closing;
        self.judged += after.judged - before.judged;
        self.quarantined += after.quarantined - before.quarantined;
        self.cancelled += after.cancelled - before.cancelled;
        self.cost += after.cost;
        self.cost += -before.cost;
    }

    /// Converts to the published counts.
    pub(super) fn tally(&self) -> domain::campaign::Tally {
        let count = |number: i64| u64::try_from(number).unwrap_or_default();
        let waiting = self.waiting + self.closing;
        let ended = self.judged + self.quarantined + self.cancelled;
        domain::campaign::Tally {
            jobs: count(waiting + self.running + ended),
            waiting: count(waiting),
            running: count(self.running),
            judged: count(self.judged),
            quarantined: count(self.quarantined),
            cancelled: count(self.cancelled),
        }
    }
}

/// The campaign's rate for a host, which may be named with its port or without.
pub(super) fn rate_of(campaign: &Campaign, host: &str) -> Option<Rate> {
    let bare = host.rsplit_once(':').map_or(host, |(bare, _)| bare);
    campaign.rates.get(host).or_else(|| campaign.rates.get(bare)).copied()
}

/// Milliseconds since 1970, as tables have them.
pub(super) fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The moment of milliseconds since 1970.
pub(super) fn moment(milliseconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(milliseconds).unwrap_or_default())
}
