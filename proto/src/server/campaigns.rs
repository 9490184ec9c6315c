//! The queue as gRPC.

use super::answer;
use crate::convert::NOTHING;
use crate::convert::campaign::{quarantine_verdict, wish};
use crate::status::refuse;
use crate::v1;
use domain::campaign::Campaign;
use domain::service::CampaignService;
use domain::{CampaignId, Job, JobId};
use futures::StreamExt;
use futures::stream::BoxStream;
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// Hands calls to the service.
pub(super) struct Adapter {
    pub(super) service: Arc<dyn CampaignService>,
    pub(super) limit: usize,
}

type Answer<M> = Result<Response<M>, Status>;

#[tonic::async_trait]
impl v1::campaign_service_server::CampaignService for Adapter {
    async fn create(&self, request: Request<v1::Campaign>) -> Answer<v1::Nothing> {
        let campaign = Campaign::try_from(request.into_inner()).map_err(refuse)?;
        self.service.create(campaign).await.map_err(refuse)?;
        answer(NOTHING, self.limit)
    }

    async fn submit(&self, request: Request<v1::SubmitRequest>) -> Answer<v1::Counted> {
        let jobs =
            request.into_inner().jobs.into_iter().map(Job::try_from).collect::<Result<_, _>>().map_err(refuse)?;
        let count = self.service.submit(jobs).await.map_err(refuse)?;
        answer(v1::Counted { count }, self.limit)
    }

    async fn claim(&self, request: Request<v1::ClaimRequest>) -> Answer<v1::Grants> {
        let grants = self.service.claim(request.into_inner().into()).await.map_err(refuse)?;
        answer(v1::Grants { grants: grants.iter().map(Into::into).collect() }, self.limit)
    }

    async fn heartbeat(&self, request: Request<v1::Tickets>) -> Answer<v1::Tickets> {
        let tickets = request.into_inner().tickets.into_iter().map(Into::into).collect();
        let lost = self.service.heartbeat(tickets).await.map_err(refuse)?;
        answer(v1::Tickets { tickets: lost.iter().map(Into::into).collect() }, self.limit)
    }

    async fn release(&self, request: Request<v1::Tickets>) -> Answer<v1::Nothing> {
        let tickets = request.into_inner().tickets.into_iter().map(Into::into).collect();
        self.service.release(tickets).await.map_err(refuse)?;
        answer(NOTHING, self.limit)
    }

    async fn wish(&self, request: Request<v1::WishRequest>) -> Answer<v1::Nothing> {
        let message = request.into_inner();
        let wish = wish(message.wish()).map_err(refuse)?;
        self.service.wish(&CampaignId(message.campaign), wish).await.map_err(refuse)?;
        answer(NOTHING, self.limit)
    }

    async fn status(&self, request: Request<v1::CampaignName>) -> Answer<v1::CampaignStatus> {
        let campaign = CampaignId(request.into_inner().campaign);
        let status = self.service.status(&campaign).await.map_err(refuse)?;
        answer((&status).into(), self.limit)
    }

    async fn list(&self, _: Request<v1::Nothing>) -> Answer<v1::CampaignStatuses> {
        let campaigns = self.service.list().await.map_err(refuse)?;
        answer(v1::CampaignStatuses { campaigns: campaigns.iter().map(Into::into).collect() }, self.limit)
    }

    type WatchStream = BoxStream<'static, Result<v1::CampaignStatus, Status>>;

    async fn watch(&self, request: Request<v1::CampaignName>) -> Answer<Self::WatchStream> {
        let campaign = CampaignId(request.into_inner().campaign);
        let statuses = self.service.watch(&campaign).await.map_err(refuse)?;
        let messages = statuses.map(|status| status.map(|status| (&status).into()).map_err(refuse));
        Ok(Response::new(messages.boxed()))
    }

    async fn quarantine(&self, request: Request<v1::CampaignName>) -> Answer<v1::QuarantinedJobs> {
        let campaign = CampaignId(request.into_inner().campaign);
        let jobs = self.service.quarantine(&campaign).await.map_err(refuse)?;
        answer(v1::QuarantinedJobs { jobs: jobs.iter().map(Into::into).collect() }, self.limit)
    }

    async fn jobs(&self, request: Request<v1::JobsRequest>) -> Answer<v1::Jobs> {
        let v1::JobsRequest { campaign, skip, limit } = request.into_inner();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let jobs = self.service.jobs(&CampaignId(campaign), skip, limit).await.map_err(refuse)?;
        answer(v1::Jobs { jobs: jobs.iter().map(Into::into).collect() }, self.limit)
    }

    async fn settle(&self, request: Request<v1::SettleRequest>) -> Answer<v1::Counted> {
        let message = request.into_inner();
        let verdict = quarantine_verdict(message.verdict()).map_err(refuse)?;
        let jobs = message.jobs.into_iter().map(JobId).collect();
        let count = self.service.settle(&CampaignId(message.campaign), jobs, verdict).await.map_err(refuse)?;
        answer(v1::Counted { count }, self.limit)
    }
}
