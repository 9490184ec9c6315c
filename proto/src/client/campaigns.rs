//! The queue in another process.

use super::{Caller, LARGE, QUESTION, client, plain};
use crate::convert::NOTHING;
use crate::v1::campaign_service_client::CampaignServiceClient;
use crate::v1::{self};
use async_trait::async_trait;
use domain::campaign::{Campaign, CampaignStatus, ClaimRequest, Grant, Quarantined, Ticket, Wish};
use domain::service::{CampaignService, QuarantineVerdict, ServiceError};
use domain::{CampaignId, Job, JobId};
use futures::StreamExt;
use futures::stream::BoxStream;
use std::sync::Arc;

/// Calls the queue.
pub(super) struct Remote {
    pub(super) caller: Caller,
}

/// One call: what is being done, the method, its message, its deadline. Gives the answer's message.
macro_rules! call {
    ($remote:expr, $doing:expr, $method:ident, $message:expr, $deadline:expr) => {{
        let (request, compressed) = $remote.caller.request($doing, $message, $deadline)?;
        let called = client!(CampaignServiceClient, $remote.caller, compressed).$method(request).await;
        called.map_err(|status| $remote.caller.failed($doing, &status))?.into_inner()
    }};
}

fn named(campaign: &CampaignId) -> v1::CampaignName {
    v1::CampaignName { campaign: campaign.0.clone() }
}

fn held(tickets: &[Ticket]) -> v1::Tickets {
    v1::Tickets { tickets: tickets.iter().map(Into::into).collect() }
}

#[async_trait]
impl CampaignService for Remote {
    async fn create(&self, campaign: Campaign) -> Result<(), ServiceError> {
        call!(self, "create campaign", create, v1::Campaign::from(&campaign), QUESTION);
        Ok(())
    }

    async fn submit(&self, jobs: Vec<Job>) -> Result<u64, ServiceError> {
        let message = v1::SubmitRequest { jobs: jobs.iter().map(Into::into).collect() };
        Ok(call!(self, "submit jobs", submit, message, LARGE).count)
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Grant>, ServiceError> {
        let doing = "claim jobs";
        let answer = call!(self, doing, claim, v1::ClaimRequest::from(&request), QUESTION);
        let grants: Result<_, _> = answer.grants.into_iter().map(Grant::try_from).collect();
        grants.map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn heartbeat(&self, tickets: Vec<Ticket>) -> Result<Vec<Ticket>, ServiceError> {
        let answer = call!(self, "renew claims", heartbeat, held(&tickets), QUESTION);
        Ok(answer.tickets.into_iter().map(Into::into).collect())
    }

    async fn release(&self, tickets: Vec<Ticket>) -> Result<(), ServiceError> {
        call!(self, "release claims", release, held(&tickets), QUESTION);
        Ok(())
    }

    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), ServiceError> {
        let message = v1::WishRequest { campaign: campaign.0.clone(), wish: v1::Wish::from(wish).into() };
        call!(self, "change campaign", wish, message, LARGE);
        Ok(())
    }

    async fn status(&self, campaign: &CampaignId) -> Result<CampaignStatus, ServiceError> {
        let doing = "read campaign";
        let answer = call!(self, doing, status, named(campaign), QUESTION);
        answer.try_into().map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn list(&self) -> Result<Vec<CampaignStatus>, ServiceError> {
        let doing = "list campaigns";
        let answer = call!(self, doing, list, NOTHING, QUESTION);
        let campaigns: Result<_, _> = answer.campaigns.into_iter().map(CampaignStatus::try_from).collect();
        campaigns.map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn watch(
        &self,
        campaign: &CampaignId,
    ) -> Result<BoxStream<'static, Result<CampaignStatus, ServiceError>>, ServiceError> {
        let doing = "watch campaign";
        // The deadline is that of the first word; the connection's keepalive says when the other side is gone.
        let (request, _) = self.caller.request(doing, named(campaign), QUESTION)?;
        let called = plain!(CampaignServiceClient, self.caller).watch(request).await;
        let messages = called.map_err(|status| self.caller.failed(doing, &status))?.into_inner();
        let caller = Arc::new(Caller(self.caller.0.clone()));
        let statuses = messages.map(move |message| match message {
            Ok(status) => status.try_into().map_err(|error| caller.unreadable(doing, &error)),
            Err(status) => Err(caller.failed(doing, &status)),
        });
        Ok(statuses.boxed())
    }

    async fn quarantine(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, ServiceError> {
        let doing = "read quarantine";
        let answer = call!(self, doing, quarantine, named(campaign), QUESTION);
        let jobs: Result<_, _> = answer.jobs.into_iter().map(Quarantined::try_from).collect();
        jobs.map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, ServiceError> {
        let doing = "read jobs";
        let message = v1::JobsRequest { campaign: campaign.0.clone(), skip, limit: limit as u64 };
        let answer = call!(self, doing, jobs, message, LARGE);
        let jobs: Result<_, _> = answer.jobs.into_iter().map(Job::try_from).collect();
        jobs.map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: Vec<JobId>,
        verdict: QuarantineVerdict,
    ) -> Result<u64, ServiceError> {
        let message = v1::SettleRequest {
            campaign: campaign.0.clone(),
            jobs: jobs.into_iter().map(|job| job.0).collect(),
            verdict: v1::QuarantineVerdict::from(verdict).into(),
        };
        Ok(call!(self, "settle quarantine", settle, message, LARGE).count)
    }
}
