//! The queue as callers meet it, decorated.

use super::Faulty;
use async_trait::async_trait;
use domain::campaign::{Campaign, CampaignStatus, ClaimRequest, Grant, Quarantined, Ticket, Wish};
use domain::service::{CampaignService, QuarantineVerdict, ServiceError};
use domain::{CampaignId, Job, JobId};
use futures::stream::BoxStream;

#[async_trait]
impl<T: CampaignService + ?Sized> CampaignService for Faulty<T> {
    async fn create(&self, campaign: Campaign) -> Result<(), ServiceError> {
        self.link.call("create", || self.inner.create(campaign.clone())).await
    }

    async fn submit(&self, jobs: Vec<Job>) -> Result<u64, ServiceError> {
        self.link.call("submit", || self.inner.submit(jobs.clone())).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Grant>, ServiceError> {
        self.link.call("claim", || self.inner.claim(request.clone())).await
    }

    async fn heartbeat(&self, tickets: Vec<Ticket>) -> Result<Vec<Ticket>, ServiceError> {
        self.link.call("heartbeat", || self.inner.heartbeat(tickets.clone())).await
    }

    async fn release(&self, tickets: Vec<Ticket>) -> Result<(), ServiceError> {
        self.link.call("release", || self.inner.release(tickets.clone())).await
    }

    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), ServiceError> {
        self.link.call("wish", || self.inner.wish(campaign, wish)).await
    }

    async fn status(&self, campaign: &CampaignId) -> Result<CampaignStatus, ServiceError> {
        self.link.call("status", || self.inner.status(campaign)).await
    }

    async fn list(&self) -> Result<Vec<CampaignStatus>, ServiceError> {
        self.link.call("list", || self.inner.list()).await
    }

    async fn watch(
        &self,
        campaign: &CampaignId,
    ) -> Result<BoxStream<'static, Result<CampaignStatus, ServiceError>>, ServiceError> {
        self.link.call("watch", || self.inner.watch(campaign)).await
    }

    async fn quarantine(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, ServiceError> {
        self.link.call("quarantine", || self.inner.quarantine(campaign)).await
    }

    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, ServiceError> {
        self.link.call("jobs", || self.inner.jobs(campaign, skip, limit)).await
    }

    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: Vec<JobId>,
        verdict: QuarantineVerdict,
    ) -> Result<u64, ServiceError> {
        self.link.call("settle", || self.inner.settle(campaign, jobs.clone(), verdict)).await
    }
}
