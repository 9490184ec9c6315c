//! The queue's service.

use crate::options::Options;
use crate::{fair, valid, waiting};
use async_trait::async_trait;
use domain::campaign::{Campaign, CampaignStatus, ClaimRequest, Grant, Quarantined, Ticket, Wish};
use domain::service::{CampaignService, Code, QuarantineVerdict, ServiceError};
use domain::storage::jobs::{CampaignStanding, Claimed, JobStore, Lane};
use domain::storage::shared::Presence;
use domain::upgrade;
use domain::{CampaignId, Job, JobId};
use futures::stream::{self, BoxStream, StreamExt};
use platform::clock::Clock;
use platform::metrics::{Counter, Metrics};
use platform::spawn;
use platform::telemetry::{self, current_trace_parent};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tracing::Instrument;

/// Changes within this time are reported together. The more jobs are left, the longer it is: an observer needs exact
/// progress only near the end.
const TOGETHER: RangeInclusive<Duration> = Duration::from_millis(50)..=Duration::from_millis(500);

/// Jobs that are read at once at most.
const PAGE: usize = 1000;

/// Extension of this time per remaining job.
const TOGETHER_PER_JOB: Duration = Duration::from_millis(1);

/// The queue over a table. Clones share it.
#[derive(Clone)]
pub struct Campaigns {
    pub(crate) store: Arc<dyn JobStore>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) options: Arc<Options>,
    /// Counts the changes that this instance made.
    changes: watch::Sender<u64>,
    /// Serializes claims: two concurrent ones would pick the same jobs.
    claiming: Arc<Mutex<()>>,
    /// Counts the jobs handed out.
    claims: Counter,
    /// The processes that share the table, where there may be others.
    presence: Option<Arc<dyn Presence>>,
}

impl Campaigns {
    /// The queue over a table, without its background tasks; [`crate::start`] starts them too.
    pub fn new(store: Arc<dyn JobStore>, clock: Arc<dyn Clock>, options: Options) -> Self {
        let (changes, _) = watch::channel(0);
        let claims = Metrics::default().counter(&crate::metrics::CLAIMS);
        Self { store, clock, options: Arc::new(options), changes, claiming: Arc::default(), claims, presence: None }
    }

    /// The queue with a counter of claimed jobs.
    #[must_use]
    pub(crate) fn counting(self, claims: Counter) -> Self {
        Self { claims, ..self }
    }

    /// The queue among others of other versions, perhaps.
    #[must_use]
    pub(crate) fn among(self, presence: Option<Arc<dyn Presence>>) -> Self {
        Self { presence, ..self }
    }

    /// Refuses a campaign with settings that somebody who is present does not know: they would pass over them.
    async fn check_that_all_know(&self, campaign: &Campaign) -> Result<(), ServiceError> {
        let (Some((level, field)), Some(presence)) = (upgrade::needed(campaign), &self.presence) else { return Ok(()) };
        let members = presence.members(upgrade::PROCESSES).await?;
        match members.iter().find(|(_, told)| upgrade::reads(told) < level) {
            None => Ok(()),
            Some((member, _)) => Err(ServiceError::new(
                Code::Conflict,
                format!(
                    "{field}: the process `{member}` is of a version that does not know this; upgrade it and try again \
                     (docs/upgrading.md)"
                ),
            )),
        }
    }

    /// Notifies observers of a change.
    pub(crate) fn changed(&self) {
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Follows the changes.
    pub(crate) fn follow(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    async fn standing(&self, campaign: &CampaignId) -> Result<CampaignStatus, ServiceError> {
        let now = self.clock.wall();
        let lanes = self.store.demand(now).await?;
        let standing = self.store.campaigns(Some(campaign), now).await?.pop();
        standing.map(|standing| self.status_of(standing, &lanes)).ok_or_else(|| no_campaign(campaign))
    }

    fn status_of(&self, standing: CampaignStanding, lanes: &[Lane]) -> CampaignStatus {
        let waiting = waiting::reasons(&standing, &fair::full_hosts(lanes, &self.options));
        let CampaignStanding { campaign, wish, tally, usage, stage, .. } = standing;
        let room = fair::room(lanes, &self.options).remove(&campaign.id).unwrap_or_default();
        CampaignStatus { campaign, wish, tally, waiting, room, stage, usage }
    }
}

/// Adds a span for the claim to the trace of the job's submission; returns the context for the attempt.
fn traced(claimed: &Claimed, crawler: &str) -> String {
    let (job, fence) = (&claimed.job, claimed.fence.0);
    let span = tracing::info_span!("claim", campaign = %job.campaign, job = %job.id, fence, crawler);
    telemetry::set_parent(&span, &claimed.trace_parent);
    let here = span.in_scope(current_trace_parent);
    if here.is_empty() { claimed.trace_parent.clone() } else { here }
}

fn no_campaign(campaign: &CampaignId) -> ServiceError {
    ServiceError::new(Code::NotFound, format!("there is no campaign `{campaign}`"))
}

#[async_trait]
impl CampaignService for Campaigns {
    async fn create(&self, campaign: Campaign) -> Result<(), ServiceError> {
        valid::campaign(&campaign, &self.options.projects)?;
        self.check_that_all_know(&campaign).await?;
        self.store.create(&campaign, self.clock.wall()).await?;
        self.changed();
        Ok(())
    }

    async fn submit(&self, jobs: Vec<Job>) -> Result<u64, ServiceError> {
        let trace_parent = current_trace_parent();
        let jobs = jobs
            .into_iter()
            .map(|job| valid::submission(job, trace_parent.clone()))
            .collect::<Result<Vec<_>, ServiceError>>()?;
        let new = self.store.submit(&jobs, self.clock.wall()).await?;
        self.changed();
        Ok(new)
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Grant>, ServiceError> {
        if request.crawler.is_empty() {
            return Err(ServiceError::new(Code::Invalid, "crawler: it is empty"));
        }
        let _claiming = self.claiming.lock().await;
        let now = self.clock.wall();
        let lanes = self.store.demand(now).await?;
        let picks = fair::picks(&lanes, &request, &self.options);
        if picks.is_empty() {
            return Ok(Vec::new());
        }
        let lease = self.options.lease();
        let claimed = self.store.claim(&picks, &request.crawler, now, lease).await?;
        self.changed();
        self.claims.add(&[], claimed.len() as f64);
        let grants = claimed.into_iter().map(|claimed| Grant {
            trace_parent: traced(&claimed, &request.crawler),
            job: claimed.job,
            fence: claimed.fence,
            lease,
            campaign: claimed.campaign,
        });
        Ok(grants.collect())
    }

    async fn heartbeat(&self, tickets: Vec<Ticket>) -> Result<Vec<Ticket>, ServiceError> {
        if tickets.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.store.renew(&tickets, self.clock.wall(), self.options.lease()).await?)
    }

    async fn release(&self, tickets: Vec<Ticket>) -> Result<(), ServiceError> {
        self.store.release(&tickets).await?;
        self.changed();
        Ok(())
    }

    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), ServiceError> {
        self.store.wish(campaign, wish).await?;
        self.changed();
        Ok(())
    }

    async fn status(&self, campaign: &CampaignId) -> Result<CampaignStatus, ServiceError> {
        self.standing(campaign).await
    }

    async fn list(&self) -> Result<Vec<CampaignStatus>, ServiceError> {
        let now = self.clock.wall();
        let lanes = self.store.demand(now).await?;
        let standings = self.store.campaigns(None, now).await?;
        Ok(standings.into_iter().map(|standing| self.status_of(standing, &lanes)).collect())
    }

    async fn watch(
        &self,
        campaign: &CampaignId,
    ) -> Result<BoxStream<'static, Result<CampaignStatus, ServiceError>>, ServiceError> {
        let mut changes = self.follow();
        changes.mark_unchanged();
        let first = self.standing(campaign).await?;
        let watching =
            CampaignWatcher { campaigns: self.clone(), changes, last: first.clone(), is_over: is_over(&first) };
        Ok(stream::once(async { Ok(first) }).chain(stream::unfold(watching, CampaignWatcher::next)).boxed())
    }

    async fn quarantine(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, ServiceError> {
        Ok(self.store.quarantined(campaign).await?)
    }

    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, ServiceError> {
        if !(1..=PAGE).contains(&limit) {
            let cause = format!("read jobs: limit is {limit}, at least 1 and at most {PAGE} are read at once");
            return Err(ServiceError::new(Code::Invalid, cause));
        }
        Ok(self.store.jobs(campaign, skip, limit).await?)
    }

    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: Vec<JobId>,
        verdict: QuarantineVerdict,
    ) -> Result<u64, ServiceError> {
        let settled = self.store.settle(campaign, &jobs, verdict).await?;
        self.changed();
        Ok(settled)
    }
}

/// An observer of a campaign.
struct CampaignWatcher {
    campaigns: Campaigns,
    changes: watch::Receiver<u64>,
    last: CampaignStatus,
    is_over: bool,
}

impl CampaignWatcher {
    /// The next status that differs from the last one; none after the end.
    async fn next(mut self) -> Option<(Result<CampaignStatus, ServiceError>, Self)> {
        while !self.is_over {
            tokio::time::sleep(together(left(&self.last))).await;
            // Other instances also change the table, without notifying us.
            let _ = tokio::time::timeout(self.campaigns.options.look(), self.changes.changed()).await;
            match self.look().await {
                Ok(status) if status == self.last => {}
                Ok(status) => {
                    self.is_over = is_over(&status);
                    self.last = status.clone();
                    return Some((Ok(status), self));
                }
                Err(error) => {
                    self.is_over = true;
                    return Some((Err(error), self));
                }
            }
        }
        None
    }

    /// Reads the status in a task of its own: a stream that is not polled must not hold a connection that others wait
    /// for.
    async fn look(&self) -> Result<CampaignStatus, ServiceError> {
        let (campaigns, campaign) = (self.campaigns.clone(), self.last.campaign.id.clone());
        let look =
            spawn::detached("look at a campaign", async move { campaigns.standing(&campaign).await }.in_current_span());
        look.await.unwrap_or_else(|error| Err(ServiceError::new(Code::Internal, error.to_string())))
    }
}

/// How long changes are gathered, given the number of remaining jobs.
fn together(left: u64) -> Duration {
    let wanted = TOGETHER_PER_JOB.saturating_mul(u32::try_from(left).unwrap_or(u32::MAX));
    wanted.clamp(*TOGETHER.start(), *TOGETHER.end())
}

fn left(status: &CampaignStatus) -> u64 {
    status.tally.jobs.saturating_sub(status.tally.ended())
}

/// Whether the campaign is finished. One without jobs may still get some, unless it was cancelled.
fn is_over(status: &CampaignStatus) -> bool {
    let tally = &status.tally;
    let at_least = status.campaign.stages.as_ref().map_or(1, |stages| stages.jobs);
    tally.ended() == tally.jobs && (tally.jobs >= at_least || status.wish == Wish::Cancel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_watches_is_told_the_sooner_the_less_is_left() {
        let milliseconds = [0, 1, 50, 51, 300, 10_000, u64::MAX].map(|left| together(left).as_millis());
        assert_eq!(milliseconds, [50, 50, 50, 51, 300, 500, 500]);
    }
}
