//! The ledger as gRPC.

use super::answer;
use crate::status::refuse;
use crate::v1;
use domain::ledger::PageVisit;
use domain::service::AggregatorService;
use domain::{CampaignId, JobId};
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// Hands calls to the service.
pub(super) struct Adapter {
    pub(super) service: Arc<dyn AggregatorService>,
    pub(super) limit: usize,
}

#[tonic::async_trait]
impl v1::aggregator_service_server::AggregatorService for Adapter {
    async fn totals(&self, request: Request<v1::TotalsRequest>) -> Result<Response<v1::Totals>, Status> {
        let campaign = CampaignId(request.into_inner().campaign);
        let totals = self.service.totals(&campaign).await.map_err(refuse)?;
        answer((&totals).into(), self.limit)
    }

    async fn outcomes(&self, request: Request<v1::OutcomesRequest>) -> Result<Response<v1::Outcomes>, Status> {
        let v1::OutcomesRequest { campaign, after, limit } = request.into_inner();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let outcomes = self.service.outcomes(&CampaignId(campaign), after.map(JobId), limit).await.map_err(refuse)?;
        answer(v1::Outcomes { outcomes: outcomes.iter().map(Into::into).collect() }, self.limit)
    }

    async fn visits(&self, request: Request<v1::VisitsRequest>) -> Result<Response<v1::Visits>, Status> {
        let v1::VisitsRequest { campaign, after, limit } = request.into_inner();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let visits = self.service.visits(&CampaignId(campaign), after.as_deref(), limit).await.map_err(refuse)?;
        let visit = |PageVisit { job, id, record, .. }| v1::Visit { id, job: job.0, record };
        answer(v1::Visits { visits: visits.into_iter().map(visit).collect() }, self.limit)
    }
}
