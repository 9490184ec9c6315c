//! Whether a crawler can do its work, told by those that it stands on: the queue by how it answers what it is asked anyway, the
//! planners by being asked now and then.

use async_trait::async_trait;
use crawler::worker::{AssignmentSource, Dependencies};
use domain::campaign::{Campaign, CampaignStatus, ClaimRequest, Grant, Quarantined, Ticket, Wish};
use domain::service::{CampaignService, QuarantineVerdict, ServiceError};
use domain::{CampaignId, Job, JobId};
use futures::stream::BoxStream;
use platform::health::Latch;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Time between two questions to the planners.
const EVERY: Duration = Duration::from_secs(5);

/// The same crew, whose queue sets a latch when it answers a claim or a sign of life, also by nothing, and lets it wait when it
/// does not.
pub(crate) fn telling(crew: Dependencies, latch: Arc<Latch>) -> Dependencies {
    Dependencies { campaigns: Arc::new(ObservedQueue { queue: crew.campaigns, latch }), ..crew }
}

/// Says by a latch whether planners can be asked, until asked to end.
pub(crate) async fn tell_planners(assignments: Arc<dyn AssignmentSource>, latch: Latch, shutdown: CancellationToken) {
    loop {
        tokio::select! {
            ready = assignments.ready() => match ready {
                Ok(()) => latch.set(),
                Err(cause) => latch.wait(cause),
            },
            () = shutdown.cancelled() => return,
        }
        tokio::select! {
            () = tokio::time::sleep(EVERY) => {}
            () = shutdown.cancelled() => return,
        }
    }
}

struct ObservedQueue {
    queue: Arc<dyn CampaignService>,
    latch: Arc<Latch>,
}

/// An answer, also an empty one, says that the queue is there.
fn heard<T>(latch: &Latch, answer: Result<T, ServiceError>) -> Result<T, ServiceError> {
    match &answer {
        Ok(_) => latch.set(),
        Err(error) => latch.wait(error.to_string()),
    }
    answer
}

#[async_trait]
impl CampaignService for ObservedQueue {
    async fn create(&self, campaign: Campaign) -> Result<(), ServiceError> {
        self.queue.create(campaign).await
    }

    async fn submit(&self, jobs: Vec<Job>) -> Result<u64, ServiceError> {
        self.queue.submit(jobs).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Grant>, ServiceError> {
        heard(&self.latch, self.queue.claim(request).await)
    }

    async fn heartbeat(&self, tickets: Vec<Ticket>) -> Result<Vec<Ticket>, ServiceError> {
        heard(&self.latch, self.queue.heartbeat(tickets).await)
    }

    async fn release(&self, tickets: Vec<Ticket>) -> Result<(), ServiceError> {
        self.queue.release(tickets).await
    }

    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), ServiceError> {
        self.queue.wish(campaign, wish).await
    }

    async fn status(&self, campaign: &CampaignId) -> Result<CampaignStatus, ServiceError> {
        self.queue.status(campaign).await
    }

    async fn list(&self) -> Result<Vec<CampaignStatus>, ServiceError> {
        self.queue.list().await
    }

    async fn watch(
        &self,
        campaign: &CampaignId,
    ) -> Result<BoxStream<'static, Result<CampaignStatus, ServiceError>>, ServiceError> {
        self.queue.watch(campaign).await
    }

    async fn quarantine(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, ServiceError> {
        self.queue.quarantine(campaign).await
    }

    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, ServiceError> {
        self.queue.jobs(campaign, skip, limit).await
    }

    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: Vec<JobId>,
        verdict: QuarantineVerdict,
    ) -> Result<u64, ServiceError> {
        self.queue.settle(campaign, jobs, verdict).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::service::Code;
    use platform::health::Health;

    #[test]
    fn a_crawler_is_ready_from_the_first_answer_of_the_queue_and_waits_with_the_cause_while_it_gives_none() {
        let health = Health::default();
        let latch = health.latch("crawler");
        assert_eq!(health.standing().waiting_for, ["crawler: it has not begun"]);
        assert!(heard(&latch, Ok(Vec::<Grant>::new())).is_ok());
        assert!(health.standing().is_ready(), "nothing to do is an answer");
        let away = ServiceError::new(Code::Unavailable, "claim jobs: connection refused");
        assert!(heard::<Vec<Grant>>(&latch, Err(away)).is_err());
        let waiting = health.standing().waiting_for.join("\n");
        assert!(waiting.starts_with("crawler: ") && waiting.contains("connection refused"), "{waiting}");
        assert!(heard(&latch, Ok(())).is_ok());
        assert!(health.standing().is_ready());
    }
}
