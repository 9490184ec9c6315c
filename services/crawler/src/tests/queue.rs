//! A queue and a recorder that keep everything in a few fields.

use crate::recorder::Recorder;
use async_trait::async_trait;
use domain::campaign::{
    Campaign, CampaignStatus, ClaimRequest, Closing, Failure, Grant, PlannerRef, Quarantined, Ticket, Wish,
};
use domain::decision::Screenshot;
use domain::service::{CampaignService, Code, QuarantineVerdict, ServiceError};
use domain::storage::StorageError;
use domain::{BlobRef, CampaignId, EpisodeId, Fence, Job, JobId, Step, Trajectory};
use futures::stream::BoxStream;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Hands jobs out in order, each with its next fence; asks for rest once every job has ended.
pub(crate) struct Queue {
    state: Mutex<State>,
    rest: CancellationToken,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Job, u64)>,
    under_way: BTreeMap<JobId, (Job, u64)>,
    lost: Vec<JobId>,
    is_away: bool,
    claims_left: Option<usize>,
}

impl Queue {
    pub(crate) fn of(jobs: impl Iterator<Item = Job>, rest: CancellationToken) -> Self {
        let state = State { waiting: jobs.map(|job| (job, 0)).collect(), ..State::default() };
        Self { state: Mutex::new(state), rest }
    }

    /// Names of the jobs that wait.
    pub(crate) fn waiting(&self) -> Vec<String> {
        self.state.lock().unwrap().waiting.iter().map(|(job, _)| job.id.to_string()).collect()
    }

    /// Says of a job's claims that they hold no more.
    pub(crate) fn lose(&self, job: &str) {
        self.state.lock().unwrap().lost.push(JobId::new(job));
    }

    /// Asks for rest after so many claims.
    pub(crate) fn drain_after_claims(&self, claims: usize) {
        self.state.lock().unwrap().claims_left = Some(claims);
    }

    pub(crate) fn go_away(&self) {
        self.state.lock().unwrap().is_away = true;
    }

    fn ended(&self, job: &JobId) {
        let mut state = self.state.lock().unwrap();
        state.under_way.remove(job);
        if state.waiting.is_empty() && state.under_way.is_empty() {
            self.rest.cancel();
        }
    }

    fn again(&self, job: &JobId) {
        let mut state = self.state.lock().unwrap();
        if let Some(entry) = state.under_way.remove(job) {
            state.waiting.push_back(entry);
        }
    }
}

fn unused<T>() -> Result<T, ServiceError> {
    Err(ServiceError::new(Code::Internal, "the crawler does not ask this"))
}

#[async_trait]
impl CampaignService for Queue {
    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Grant>, ServiceError> {
        let mut state = self.state.lock().unwrap();
        if state.is_away {
            return Err(ServiceError::new(Code::Unavailable, "the queue is away"));
        }
        let mut grants = Vec::new();
        while grants.len() < request.slots {
            let Some((job, fence)) = state.waiting.pop_front() else { break };
            let fence = fence + 1;
            state.under_way.insert(job.id.clone(), (job.clone(), fence));
            grants.push(Grant {
                campaign: Campaign::new(job.campaign.clone(), PlannerRef::named("told")),
                job,
                fence: Fence(fence),
                lease: Duration::from_secs(60),
                trace_parent: String::new(),
            });
            if let Some(left) = &mut state.claims_left {
                *left -= 1;
                if *left == 0 {
                    self.rest.cancel();
                    break;
                }
            }
        }
        Ok(grants)
    }

    async fn heartbeat(&self, tickets: Vec<Ticket>) -> Result<Vec<Ticket>, ServiceError> {
        let state = self.state.lock().unwrap();
        Ok(tickets.into_iter().filter(|ticket| state.lost.contains(&ticket.job)).collect())
    }

    async fn release(&self, tickets: Vec<Ticket>) -> Result<(), ServiceError> {
        tickets.iter().for_each(|ticket| self.again(&ticket.job));
        Ok(())
    }

    async fn create(&self, _: Campaign) -> Result<(), ServiceError> {
        unused()
    }

    async fn submit(&self, _: Vec<Job>) -> Result<u64, ServiceError> {
        unused()
    }

    async fn wish(&self, _: &CampaignId, _: Wish) -> Result<(), ServiceError> {
        unused()
    }

    async fn status(&self, _: &CampaignId) -> Result<CampaignStatus, ServiceError> {
        unused()
    }

    async fn list(&self) -> Result<Vec<CampaignStatus>, ServiceError> {
        unused()
    }

    async fn watch(
        &self,
        _: &CampaignId,
    ) -> Result<BoxStream<'static, Result<CampaignStatus, ServiceError>>, ServiceError> {
        unused()
    }

    async fn quarantine(&self, _: &CampaignId) -> Result<Vec<Quarantined>, ServiceError> {
        unused()
    }

    async fn jobs(&self, _: &CampaignId, _: u64, _: usize) -> Result<Vec<Job>, ServiceError> {
        unused()
    }

    async fn settle(&self, _: &CampaignId, _: Vec<JobId>, _: QuarantineVerdict) -> Result<u64, ServiceError> {
        unused()
    }
}

/// Takes everything down; a lost attempt puts its job back into the queue at once.
pub(crate) struct Written {
    queue: Arc<Queue>,
    kept: Mutex<Records>,
}

#[derive(Default)]
struct Records {
    steps: usize,
    trajectories: BTreeMap<BlobRef, Trajectory>,
    closings: Vec<Closing>,
    is_full: bool,
    /// The number of steps before one that is too large to be taken down.
    too_large_after: Option<usize>,
}

impl Written {
    pub(crate) fn new(queue: Arc<Queue>) -> Self {
        Self { queue, kept: Mutex::default() }
    }

    pub(crate) fn closings(&self) -> Vec<Closing> {
        self.kept.lock().unwrap().closings.clone()
    }

    pub(crate) fn steps(&self) -> usize {
        self.kept.lock().unwrap().steps
    }

    pub(crate) fn trajectory(&self, blob: &BlobRef) -> Option<Trajectory> {
        self.kept.lock().unwrap().trajectories.get(blob).cloned()
    }

    pub(crate) fn find_too_large_after(&self, steps: usize) {
        self.kept.lock().unwrap().too_large_after = Some(steps);
    }

    pub(crate) fn fill_the_disk(&self) {
        self.kept.lock().unwrap().is_full = true;
    }
}

#[async_trait]
impl Recorder for Written {
    async fn step(&self, _: &Ticket, _: EpisodeId, _: Step) -> Result<(), StorageError> {
        let mut kept = self.kept.lock().unwrap();
        if kept.is_full {
            return Err(StorageError::Unavailable("no space left on device".into()));
        }
        if kept.too_large_after == Some(kept.steps) {
            kept.too_large_after = None;
            return Err(StorageError::TooLarge("a record has 9 bytes, more than the 8 that are taken".into()));
        }
        kept.steps += 1;
        Ok(())
    }

    async fn picture(&self, picture: &Screenshot) -> Result<BlobRef, StorageError> {
        Ok(backends::blob::reference(&picture.png))
    }

    async fn file(&self, content: &[u8]) -> Result<BlobRef, StorageError> {
        Ok(backends::blob::reference(content))
    }

    async fn trajectory(&self, trajectory: &Trajectory) -> Result<BlobRef, StorageError> {
        let blob = backends::blob::reference(trajectory.episode.to_string().as_bytes());
        self.kept.lock().unwrap().trajectories.insert(blob.clone(), trajectory.clone());
        Ok(blob)
    }

    async fn close(&self, closing: Closing) -> Result<(), StorageError> {
        self.kept.lock().unwrap().closings.push(closing.clone());
        match &closing {
            Closing::Lost(lost) if lost.failure != Failure::Unusable => self.queue.again(&lost.ticket.job),
            other => self.queue.ended(other.job()),
        }
        Ok(())
    }
}
