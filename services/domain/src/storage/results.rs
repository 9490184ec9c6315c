//! The durable ledger behind the aggregator.

use super::StorageError;
use super::jobs::Decoded;
use super::log::Offsets;
use crate::campaign::Closing;
use crate::id::{CampaignId, EpisodeId, Fence, JobId};
use crate::job::Outcome;
use crate::ledger::{After, PageVisit, Totals};
use crate::usage::Usage;
use async_trait::async_trait;

/// Exact totals, and the outcomes that they are made of.
///
/// Contract: effects and the offsets after them are stored in one transaction; records below the stored offset of their
/// partition change nothing, not even the count of redeliveries. The first terminal closing of a job counts; what comes
/// after it is a redelivery. After [`Closing::Reopened`] of a quarantined job the next terminal closing counts,
/// unless it is the record of the quarantine that was taken back, once more. What an attempt cost is known from its closing,
/// else from its steps, and counted once: as cost of the accepted attempt, or as cost of a lost one.
#[async_trait]
pub trait ResultStore: Offsets {
    /// Stores the effects of records of topic `outcomes`.
    ///
    /// # Errors
    /// [`StorageError`]; nothing was stored then.
    async fn close(&self, group: &str, records: &[Decoded<Closing>]) -> Result<(), StorageError>;

    /// Stores what steps cost, from records of topic `trajectories`.
    ///
    /// # Errors
    /// [`StorageError`]; nothing was stored then.
    async fn spend(&self, group: &str, records: &[Decoded<StepCost>]) -> Result<(), StorageError>;

    /// Stores pages that explorations saw, from records of topic `visits`; one that is there already is passed over.
    ///
    /// # Errors
    /// [`StorageError`]; nothing was stored then.
    async fn keep_visits(&self, group: &str, records: &[Decoded<PageVisit>]) -> Result<(), StorageError>;

    /// Up to `limit` of them in order of their ids, after one of them.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn visits(
        &self,
        campaign: &CampaignId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PageVisit>, StorageError>;

    /// Everything counted of a campaign.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn totals(&self, campaign: &CampaignId) -> Result<Totals, StorageError>;

    /// Up to `limit` accepted outcomes in order of their job's id.
    ///
    /// # Errors
    /// [`StorageError`].
    async fn outcomes(&self, campaign: &CampaignId, after: After, limit: usize) -> Result<Vec<Outcome>, StorageError>;
}

/// What one step of an attempt cost.
#[derive(Clone, Debug, PartialEq)]
pub struct StepCost {
    /// The campaign.
    pub campaign: CampaignId,
    /// The job.
    pub job: JobId,
    /// The attempt.
    pub episode: EpisodeId,
    /// The fence that it ran under.
    pub fence: Fence,
    /// The step's number.
    pub step: u32,
    /// Its cost.
    pub usage: Usage,
}
