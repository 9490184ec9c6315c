//! One job in the table: what may happen to it, without a database or a clock. Every column does what is said here.

use crate::exact::Cost;
use crate::sql::{FromColumns, Row};
use domain::campaign::{Campaign, Closing, Failure, Quarantined, Rate};
use domain::service::QuarantineVerdict;
use domain::storage::StorageError;
use domain::storage::jobs::Retry;
use domain::{CampaignId, EpisodeId, Fence, JobId, SiteId, Usage};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use strum::{EnumString, IntoStaticStr};

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum State {
    /// It can be claimed once it is due.
    Waiting,
    /// Somebody holds it.
    Running,
    /// A record that ends it is in the outbox or on its way back.
    Closing,
    /// Ended with a verdict.
    Judged,
    /// Ended in quarantine.
    Quarantined,
    /// In quarantine until the record that reopens it comes back.
    Retrying,
    /// As retrying, and it will be cancelled then.
    Dropping,
    /// Ended by cancellation.
    Cancelled,
}

/// What a transition of a job works with.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) campaign: CampaignId,
    pub(super) position: i64,
    pub(super) id: JobId,
    pub(super) site: SiteId,
    pub(super) host: String,
    pub(super) state: State,
    pub(super) fence: i64,
    /// Milliseconds since 1970.
    pub(super) due: i64,
    pub(super) crawler: String,
    /// Milliseconds since 1970.
    pub(super) lease_until: i64,
    pub(super) history: History,
}

/// What is remembered of a job's attempts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct History {
    /// Since it was submitted or reopened, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    losses: Vec<Loss>,
    /// The attempts whose cost is counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    paid: Vec<EpisodeId>,
    /// What they cost together.
    #[serde(default)]
    cost: Cost,
    /// The record that put it into quarantine, while it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) quarantine: Option<Quarantined>,
    /// That of the last quarantine that was taken back.
    #[serde(default)]
    reopened: Fence,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Loss {
    failure: Failure,
    cause: String,
}

impl Entry {
    /// Gives it to a crawler.
    pub(super) fn claim(&mut self, crawler: &str, until: i64) {
        self.state = State::Running;
        self.fence += 1;
        self.crawler = crawler.to_owned();
        self.lease_until = until;
    }

    /// The number of the last claim.
    fn current_fence(&self) -> Fence {
        Fence(u64::try_from(self.fence).unwrap_or_default())
    }

    /// Whether the claim of this number holds.
    pub(super) fn is_held_under(&self, fence: u64) -> bool {
        self.state == State::Running && u64::try_from(self.fence) == Ok(fence)
    }

    /// Takes it back as if nothing had been attempted.
    pub(super) fn release(&mut self) {
        self.state = State::Waiting;
        self.unhand();
    }

    fn unhand(&mut self) {
        self.lease_until = 0;
        self.crawler.clear();
    }

    /// Ends a lease that ran out. May give a record for the outbox.
    pub(super) fn expire(&mut self, now: SystemTime, retry: &Retry) -> Option<Closing> {
        let cause = format!("crawler `{}` gave no sign of life until its lease ended", self.crawler);
        self.lose(Failure::WorkerLost, cause, now, retry)
    }

    fn lose(&mut self, failure: Failure, cause: String, now: SystemTime, retry: &Retry) -> Option<Closing> {
        self.unhand();
        self.history.losses.push(Loss { failure, cause });
        let losses = &self.history.losses;
        let alike = losses.iter().filter(|loss| loss.failure == failure).count();
        if !retry.gives_up(failure, u32::try_from(alike).unwrap_or(u32::MAX)) {
            let pause = retry.pause_after(u32::try_from(losses.len()).unwrap_or(u32::MAX));
            self.state = State::Waiting;
            self.due = milliseconds(now.checked_add(pause).unwrap_or(now));
            return None;
        }
        self.state = State::Closing;
        Some(Closing::Quarantined(Quarantined {
            campaign: self.campaign.clone(),
            job: self.id.clone(),
            site: self.site.clone(),
            failure,
            causes: losses.iter().map(|loss| loss.cause.clone()).collect(),
            fence: self.current_fence(),
        }))
    }

    /// What a record of topic `outcomes` does to it. May give a record for the outbox.
    pub(super) fn close(&mut self, closing: &Closing, now: SystemTime, retry: &Retry) -> Option<Closing> {
        match closing {
            Closing::Judged(outcome) => {
                self.pay(outcome.episode, &outcome.usage);
                self.end(State::Judged);
            }
            Closing::Cancelled { .. } => {
                self.end(State::Cancelled);
            }
            Closing::Quarantined(quarantined) => {
                if quarantined.is_after(self.history.reopened) && self.end(State::Quarantined) {
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

    /// Ends it; false when it has ended before.
    fn end(&mut self, state: State) -> bool {
        let open = matches!(self.state, State::Waiting | State::Running | State::Closing);
        if open {
            self.state = state;
            self.unhand();
        }
        open
    }

    fn reopen(&mut self, fence: Fence, now: SystemTime) {
        let Some(quarantine) = self.history.quarantine.as_ref().filter(|it| it.fence.may_be(fence)) else { return };
        // One of them may be from before they had it.
        self.history.reopened = quarantine.fence.max(fence);
        self.state = match self.state {
            State::Quarantined | State::Retrying => State::Waiting,
            State::Dropping => State::Closing,
            _ => return,
        };
        self.due = milliseconds(now);
        self.history.losses.clear();
        self.history.quarantine = None;
    }

    /// Asks for its cancellation: the record for the outbox, unless it has ended or there is one already.
    pub(super) fn cancel(&mut self) -> Option<Closing> {
        match self.state {
            State::Waiting | State::Running => {
                self.state = State::Closing;
                self.unhand();
            }
            State::Retrying => self.state = State::Dropping,
            // The record on its way may be one that puts it into quarantine; that, too, is an end.
            State::Closing | State::Judged | State::Quarantined | State::Dropping | State::Cancelled => return None,
        }
        Some(self.cancelled())
    }

    /// Takes it out of quarantine: the records for the outbox; none when it is not there.
    pub(super) fn settle(&mut self, verdict: QuarantineVerdict) -> Vec<Closing> {
        if self.state != State::Quarantined {
            return Vec::new();
        }
        // There is no claim between a quarantine and its end.
        let fence = self.current_fence();
        let reopened = Closing::Reopened { campaign: self.campaign.clone(), job: self.id.clone(), fence };
        match verdict {
            QuarantineVerdict::Retry => {
                self.state = State::Retrying;
                vec![reopened]
            }
            // Only the first terminal record counts, so that the quarantine is taken back before.
            QuarantineVerdict::Drop => {
                self.state = State::Dropping;
                vec![reopened, self.cancelled()]
            }
        }
    }

    fn cancelled(&self) -> Closing {
        Closing::Cancelled { campaign: self.campaign.clone(), job: self.id.clone(), site: self.site.clone() }
    }

    /// What it adds to the counts of its lane.
    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts { cost: self.history.cost, ..Counts::default() };
        *counts.of(self.state) = 1;
        counts
    }
}

/// The jobs of a lane by where they stand, and what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) waiting: i64,
    pub(super) running: i64,
    pub(super) closing: i64,
    pub(super) judged: i64,
    pub(super) quarantined: i64,
    pub(super) cancelled: i64,
    pub(super) cost: Cost,
}

impl FromColumns for Counts {
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

impl Counts {
    /// The count of those in a state.
    pub(super) fn of(&mut self, state: State) -> &mut i64 {
        match state {
            State::Waiting => &mut self.waiting,
            State::Running => &mut self.running,
            State::Closing => &mut self.closing,
            State::Judged => &mut self.judged,
            // They are in quarantine until a record says otherwise.
            State::Quarantined | State::Retrying | State::Dropping => &mut self.quarantined,
            State::Cancelled => &mut self.cancelled,
        }
    }

    /// Adds what changed between two moments of a job.
    pub(super) fn change(&mut self, before: &Counts, after: &Counts) {
        self.waiting += after.waiting - before.waiting;
        self.running += after.running - before.running;
        self.closing += after.closing - before.closing;
        self.judged += after.judged - before.judged;
        self.quarantined += after.quarantined - before.quarantined;
        self.cancelled += after.cancelled - before.cancelled;
        self.cost += after.cost;
        self.cost += -before.cost;
    }

    /// As it is published.
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
