//! The ledger in another process.

use super::{Caller, LARGE, QUESTION, client};
use crate::v1;
use crate::v1::aggregator_service_client::AggregatorServiceClient;
use async_trait::async_trait;
use domain::job::Outcome;
use domain::ledger::{After, PageVisit, Totals};
use domain::service::{AggregatorService, ServiceError};
use domain::{CampaignId, JobId};

/// Calls the ledger.
pub(super) struct Remote {
    pub(super) caller: Caller,
}

#[async_trait]
impl AggregatorService for Remote {
    async fn totals(&self, campaign: &CampaignId) -> Result<Totals, ServiceError> {
        let doing = "read totals";
        let message = v1::TotalsRequest { campaign: campaign.0.clone() };
        let (request, compressed) = self.caller.request(doing, message, QUESTION)?;
        let called = client!(AggregatorServiceClient, self.caller, compressed).totals(request).await;
        let totals = called.map_err(|status| self.caller.failed(doing, &status))?.into_inner();
        totals.try_into().map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn outcomes(&self, campaign: &CampaignId, after: After, limit: usize) -> Result<Vec<Outcome>, ServiceError> {
        let doing = "read outcomes";
        let message =
            v1::OutcomesRequest { campaign: campaign.0.clone(), after: after.map(|job| job.0), limit: limit as u64 };
        let (request, compressed) = self.caller.request(doing, message, LARGE)?;
        let called = client!(AggregatorServiceClient, self.caller, compressed).outcomes(request).await;
        let answer = called.map_err(|status| self.caller.failed(doing, &status))?.into_inner();
        let outcomes: Result<_, _> = answer.outcomes.into_iter().map(Outcome::try_from).collect();
        outcomes.map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn visits(
        &self,
        campaign: &CampaignId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PageVisit>, ServiceError> {
        let message =
            v1::VisitsRequest { campaign: campaign.0.clone(), after: after.map(str::to_owned), limit: limit as u64 };
        let doing = "read what explorations saw";
        let (request, compressed) = self.caller.request(doing, message, LARGE)?;
        let called = client!(AggregatorServiceClient, self.caller, compressed).visits(request).await;
        let answer = called.map_err(|status| self.caller.failed(doing, &status))?.into_inner();
        let visit = |v1::Visit { id, job, record }| {
            let campaign = campaign.clone();
            PageVisit { campaign, job: JobId(job), id, record }
        };
        Ok(answer.visits.into_iter().map(visit).collect())
    }
}
