//! The ledger as callers meet it, decorated.

use super::Faulty;
use async_trait::async_trait;
use domain::CampaignId;
use domain::job::Outcome;
use domain::ledger::{After, PageVisit, Totals};
use domain::service::{AggregatorService, ServiceError};

#[async_trait]
impl<T: AggregatorService + ?Sized> AggregatorService for Faulty<T> {
    async fn totals(&self, campaign: &CampaignId) -> Result<Totals, ServiceError> {
        self.link.call("totals", || self.inner.totals(campaign)).await
    }

    async fn outcomes(&self, campaign: &CampaignId, after: After, limit: usize) -> Result<Vec<Outcome>, ServiceError> {
        self.link.call("outcomes", || self.inner.outcomes(campaign, after.clone(), limit)).await
    }

    async fn visits(
        &self,
        campaign: &CampaignId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PageVisit>, ServiceError> {
        self.link.call("visits", || self.inner.visits(campaign, after, limit)).await
    }
}
