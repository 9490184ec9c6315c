//! The services in which rooms and processes meet. Callers hold `Arc<dyn …>` and do not see whether the room itself or a
//! connection stands behind it.

use crate::campaign::{Campaign, CampaignStatus, ClaimRequest, Grant, PlannerRef, Quarantined, Ticket, Wish};
use crate::decision::{Decision, DecisionRequest};
use crate::id::{CampaignId, JobId, RunId, SiteId, StateId};
use crate::job::{Job, Outcome};
use crate::ledger::{After, PageVisit, Totals};
use crate::state::{
    Difference, FrontierGrant, FrontierRequest, FrontierTicket, LocateRequest, Located, Map, MapStatus, Route, State,
    Version,
};
use crate::storage::StorageError;
use crate::usage::Usage;
use async_trait::async_trait;
use futures_core::stream::BoxStream;
use std::time::Duration;

/// The queue: campaigns and their jobs.
///
/// Contract: whatever was answered `Ok` survives the death of any process; every call may be repeated.
#[async_trait]
pub trait CampaignService: Send + Sync {
    /// Creates a campaign, or finds it as it is.
    ///
    /// # Errors
    /// [`Code::Conflict`] when it exists with other settings.
    async fn create(&self, campaign: Campaign) -> Result<(), ServiceError>;

    /// Adds the jobs that are not there yet; returns how many were new. All belong to campaigns that exist.
    ///
    /// # Errors
    /// [`Code::NotFound`]: no such campaign. [`Code::Conflict`]: a job of this id has other work; none was added.
    async fn submit(&self, jobs: Vec<Job>) -> Result<u64, ServiceError>;

    /// Claims jobs, at most as many as there are slots; possibly none.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Grant>, ServiceError>;

    /// Renews the leases of claims; returns those that no longer hold: their attempts must stop.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn heartbeat(&self, tickets: Vec<Ticket>) -> Result<Vec<Ticket>, ServiceError>;

    /// Gives unattempted claims back, so that they can be claimed at once.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn release(&self, tickets: Vec<Ticket>) -> Result<(), ServiceError>;

    /// Pauses, resumes or cancels.
    ///
    /// # Errors
    /// [`Code::NotFound`]; [`Code::Conflict`] when it was cancelled before.
    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), ServiceError>;

    /// The status of a campaign.
    ///
    /// # Errors
    /// [`Code::NotFound`].
    async fn status(&self, campaign: &CampaignId) -> Result<CampaignStatus, ServiceError>;

    /// Every campaign, the newest first.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn list(&self) -> Result<Vec<CampaignStatus>, ServiceError>;

    /// The status now and after every change, until all jobs have ended.
    ///
    /// # Errors
    /// [`Code::NotFound`].
    async fn watch(
        &self,
        campaign: &CampaignId,
    ) -> Result<BoxStream<'static, Result<CampaignStatus, ServiceError>>, ServiceError>;

    /// Jobs in quarantine.
    ///
    /// # Errors
    /// [`Code::NotFound`].
    async fn quarantine(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, ServiceError>;

    /// Up to `limit` jobs of a campaign in order of submission, without the first `skip`.
    ///
    /// # Errors
    /// [`Code::NotFound`]; [`Code::Invalid`]: a limit that is none or too large.
    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, ServiceError>;

    /// Takes jobs out of quarantine: to be tried again, or to be cancelled. Returns how many were there.
    ///
    /// # Errors
    /// [`Code::NotFound`].
    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: Vec<JobId>,
        verdict: QuarantineVerdict,
    ) -> Result<u64, ServiceError>;
}

/// What becomes of a job in quarantine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuarantineVerdict {
    /// It is tried again.
    Retry,
    /// It ends as cancelled.
    Drop,
}

/// The planner role: planners by name.
///
/// Contract: stateless, as [`crate::Planner`]; any instance answers any request.
#[async_trait]
pub trait PlannerService: Send + Sync {
    /// The next action.
    ///
    /// # Errors
    /// [`Code::NotFound`]: no such planner or model. [`Code::Upstream`], [`Code::Throttled`]: as a planner has it, with what
    /// the failed calls cost in [`ServiceError::usage`]. [`Code::Unavailable`], [`Code::Deadline`]: no planner answered; the
    /// same request may be asked again.
    async fn decide(&self, planner: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError>;

    /// Whether there is a planner that can be asked: whoever met [`Code::Unavailable`] waits for this.
    ///
    /// # Errors
    /// [`Code::Unavailable`].
    async fn ready(&self) -> Result<(), ServiceError>;
}

/// The ledger: exact totals.
#[async_trait]
pub trait AggregatorService: Send + Sync {
    /// Everything counted of a campaign; nothing when it is unknown.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn totals(&self, campaign: &CampaignId) -> Result<Totals, ServiceError>;

    /// Up to `limit` accepted outcomes in order of their job's id.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn outcomes(&self, campaign: &CampaignId, after: After, limit: usize) -> Result<Vec<Outcome>, ServiceError>;

    /// Up to `limit` pages that the campaign's explorations saw, in order of their ids, after one of them. The first call waits
    /// until everything counts that was written before it.
    ///
    /// # Errors
    /// [`Code::Deadline`]: it does not count in time.
    async fn visits(
        &self,
        campaign: &CampaignId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PageVisit>, ServiceError>;
}

/// The map: states of sites and what leads from one to another.
///
/// Contract: what was answered `Ok` survives the death of any process; every call may be repeated: an observation is
/// counted once, by its stamp. Any instance answers any request.
#[async_trait]
pub trait GraphService: Send + Sync {
    /// Finds or creates the state that a page shows, and records how the browser got there.
    ///
    /// # Errors
    /// [`Code::Invalid`]: the request names a state that is not there.
    async fn locate(&self, request: LocateRequest) -> Result<Located, ServiceError>;

    /// Leases untried actions, the most promising first; possibly none.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn claim_frontier(&self, request: FrontierRequest) -> Result<Vec<FrontierGrant>, ServiceError>;

    /// Renews leases; returns the tickets that hold no more.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn renew_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<Vec<FrontierTicket>, ServiceError>;

    /// Gives claims back, so that somebody else can have them at once.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn release_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<(), ServiceError>;

    /// The cheapest way to a state, by reliability and latency, from a state or from the start of the site; `None` when no
    /// way is known.
    ///
    /// # Errors
    /// [`Code::NotFound`]: no such site or state.
    async fn shortest_path(
        &self,
        site: &SiteId,
        from: Option<StateId>,
        to: StateId,
    ) -> Result<Option<Route>, ServiceError>;

    /// The states whose description is nearest to some words, best first, each with its likeness in -1..=1.
    ///
    /// # Errors
    /// [`Code::NotFound`]: no such site.
    async fn search(&self, site: &SiteId, words: &str, limit: usize) -> Result<Vec<(State, f64)>, ServiceError>;

    /// The map, or one version of it.
    ///
    /// # Errors
    /// [`Code::NotFound`]: no such site or run.
    async fn map(&self, site: &SiteId, run: Option<&RunId>) -> Result<Map, ServiceError>;

    /// The sites that have a map, in order of their names.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn sites(&self) -> Result<Vec<SiteId>, ServiceError>;

    /// The versions of a map, oldest first.
    ///
    /// # Errors
    /// [`Code::NotFound`]: no such site.
    async fn versions(&self, site: &SiteId) -> Result<Vec<Version>, ServiceError>;

    /// How two versions differ.
    ///
    /// # Errors
    /// [`Code::NotFound`]: no such site or run.
    async fn diff(&self, site: &SiteId, before: &RunId, after: &RunId) -> Result<Difference, ServiceError>;

    /// The status of a site's map, now and after every change, until the stream is dropped.
    ///
    /// # Errors
    /// [`ServiceError`].
    async fn watch(&self, site: &SiteId) -> Result<BoxStream<'static, Result<MapStatus, ServiceError>>, ServiceError>;
}

/// Why a service did not do what it was asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ServiceError {
    /// What kind of failure.
    pub code: Code,
    /// Verb, object and cause, for people.
    pub message: String,
    /// When it is worth trying again, where that is known.
    pub retry_after: Option<Duration>,
    /// What the failed work cost.
    pub usage: Usage,
}

impl ServiceError {
    /// An error that cost nothing.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry_after: None, usage: Usage::default() }
    }

    /// Whether the same call may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self.code, Code::Unavailable | Code::Throttled | Code::Deadline)
    }
}

/// The closed set of failures. They survive the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Code {
    /// The request is invalid: the message names the field.
    Invalid,
    /// There is no such thing.
    NotFound,
    /// It contradicts what is stored.
    Conflict,
    /// The caller did not show who it is, or may not do this.
    Unauthenticated,
    /// Too large.
    TooLarge,
    /// Too many requests now.
    Throttled,
    /// A dependency is away. It may or may not have happened.
    Unavailable,
    /// No answer in time. It may or may not have happened.
    Deadline,
    /// An upstream service, such as a model's endpoint, is away or failing.
    Upstream,
    /// Stored bytes cannot be read.
    Corrupt,
    /// A mistake of ours.
    Internal,
}

impl From<StorageError> for ServiceError {
    fn from(error: StorageError) -> Self {
        let code = match &error {
            StorageError::Locked(_) | StorageError::Unavailable(_) => Code::Unavailable,
            StorageError::Conflict(_) => Code::Conflict,
            StorageError::NotFound(_) => Code::NotFound,
            StorageError::Corrupt(_) => Code::Corrupt,
            StorageError::TooLarge(_) => Code::TooLarge,
        };
        Self::new(code, error.to_string())
    }
}
