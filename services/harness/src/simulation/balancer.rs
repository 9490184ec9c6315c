//! Load balancing over the running instances of a service.

use super::witness::Witness;
use crate::faults::{Life, Schedule};
use async_trait::async_trait;
use domain::campaign::{Campaign, CampaignStatus, ClaimRequest, Grant, PlannerRef, Quarantined, Ticket, Wish};
use domain::decision::{Decision, DecisionRequest};
use domain::service::{CampaignService, Code, PlannerService, QuarantineVerdict, ServiceError};
use domain::{CampaignId, Job, JobId};
use futures::stream::BoxStream;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::error::Elapsed;
use tokio::time::{sleep, timeout};

/// How long pings take to detect a frozen instance.
const PINGS: Duration = Duration::from_millis(800);

/// Polling interval of a frozen instance.
const LOOK: Duration = Duration::from_millis(50);

/// The balancers of all called services.
pub(super) struct Balancers {
    pub(super) queue: Arc<Balancer<dyn CampaignService>>,
    pub(super) planner: Arc<Balancer<dyn PlannerService>>,
}

/// Balances calls over the instances of a service.
pub(super) struct Balancer<T: ?Sized> {
    instances: Mutex<Vec<Option<Instance<T>>>>,
    schedule: Schedule,
    witness: Witness,
    unanswered: AtomicU64,
}

struct Instance<T: ?Sized> {
    name: String,
    service: Arc<T>,
    life: Life,
}

impl<T: ?Sized> Balancer<T> {
    pub(super) fn new(instances: usize, schedule: Schedule, witness: Witness) -> Self {
        let instances = Mutex::new((0..instances).map(|_| None).collect());
        Self { instances, schedule, witness, unanswered: AtomicU64::new(0) }
    }

    /// An instance is there.
    pub(super) fn open(&self, index: usize, name: &str, service: Arc<T>, life: Life) {
        self.instances()[index] = Some(Instance { name: name.to_owned(), service, life });
    }

    /// An instance is gone.
    pub(super) fn close(&self, index: usize) {
        self.instances()[index] = None;
    }

    /// Questions that were not answered.
    pub(super) fn unanswered(&self) -> u64 {
        self.unanswered.load(Ordering::Relaxed)
    }

    /// Calls one of the instances. If it dies, is cut off, or stays frozen before it answers, the connection is lost.
    async fn ask<R, F>(&self, question: impl FnOnce(Arc<T>) -> F) -> Result<R, ServiceError>
    where
        F: Future<Output = Result<R, ServiceError>>,
    {
        let away = |cause: &str| {
            self.unanswered.fetch_add(1, Ordering::Relaxed);
            Err(ServiceError::new(Code::Unavailable, cause))
        };
        let Some((name, service, life)) = self.one_of_them() else {
            return away("no instance of the service is there");
        };
        if self.schedule.is_cut_off(&name) {
            return away("the instance cannot be reached");
        }
        let answering = async {
            self.goes_on(&name).await?;
            let answer = question(service).await;
            self.goes_on(&name).await?;
            Ok::<_, Elapsed>(answer)
        };
        let answer = tokio::select! {
            biased;
            () = life.ended() => return away("the instance died before it answered"),
            answered = answering => match answered {
                Ok(answer) => answer,
                Err(_) => return away("the instance answers no ping"),
            },
        };
        if self.schedule.is_cut_off(&name) { away("the instance was cut off before it answered") } else { answer }
    }

    /// Waits while an instance stands still, until pings find it.
    async fn goes_on(&self, name: &str) -> Result<(), Elapsed> {
        let standing_still = async {
            while self.schedule.is_frozen(name) {
                sleep(LOOK).await;
            }
        };
        timeout(PINGS, standing_still).await
    }

    fn one_of_them(&self) -> Option<(String, Arc<T>, Life)> {
        let instances = self.instances();
        let there: Vec<&Instance<T>> = instances.iter().flatten().collect();
        if there.is_empty() {
            return None;
        }
        let Instance { name, service, life } = there[self.schedule.pick(0..there.len() as u64) as usize];
        Some((name.clone(), Arc::clone(service), life.clone()))
    }

    fn instances(&self) -> MutexGuard<'_, Vec<Option<Instance<T>>>> {
        self.instances.lock()
    }
}

#[async_trait]
impl CampaignService for Balancer<dyn CampaignService> {
    async fn create(&self, campaign: Campaign) -> Result<(), ServiceError> {
        self.ask(|queue| async move { queue.create(campaign).await }).await
    }

    async fn submit(&self, jobs: Vec<Job>) -> Result<u64, ServiceError> {
        self.ask(|queue| async move { queue.submit(jobs).await }).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Grant>, ServiceError> {
        let grants = self.ask(|queue| async move { queue.claim(request).await }).await?;
        self.witness.granted(&grants);
        Ok(grants)
    }

    async fn heartbeat(&self, tickets: Vec<Ticket>) -> Result<Vec<Ticket>, ServiceError> {
        self.ask(|queue| async move { queue.heartbeat(tickets).await }).await
    }

    async fn release(&self, tickets: Vec<Ticket>) -> Result<(), ServiceError> {
        self.ask(|queue| async move { queue.release(tickets).await }).await
    }

    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), ServiceError> {
        self.ask(|queue| async move { queue.wish(campaign, wish).await }).await
    }

    async fn status(&self, campaign: &CampaignId) -> Result<CampaignStatus, ServiceError> {
        self.ask(|queue| async move { queue.status(campaign).await }).await
    }

    async fn list(&self) -> Result<Vec<CampaignStatus>, ServiceError> {
        self.ask(|queue| async move { queue.list().await }).await
    }

    async fn watch(
        &self,
        campaign: &CampaignId,
    ) -> Result<BoxStream<'static, Result<CampaignStatus, ServiceError>>, ServiceError> {
        self.ask(|queue| async move { queue.watch(campaign).await }).await
    }

    async fn quarantine(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, ServiceError> {
        self.ask(|queue| async move { queue.quarantine(campaign).await }).await
    }

    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, ServiceError> {
        self.ask(|queue| async move { queue.jobs(campaign, skip, limit).await }).await
    }

    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: Vec<JobId>,
        verdict: QuarantineVerdict,
    ) -> Result<u64, ServiceError> {
        self.ask(|queue| async move { queue.settle(campaign, jobs, verdict).await }).await
    }
}

#[async_trait]
impl PlannerService for Balancer<dyn PlannerService> {
    async fn decide(&self, planner: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError> {
        self.ask(|instance| async move { instance.decide(planner, request).await }).await
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        self.ask(|instance| async move { instance.ready().await }).await
    }
}
