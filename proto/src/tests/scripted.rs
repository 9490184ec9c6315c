//! Services that write down what they are asked and answer as they are told; and what it takes to call them.

use crate::server::Services;
use async_trait::async_trait;
use domain::campaign::{Campaign, CampaignStatus, ClaimRequest, Grant, PlannerRef, Quarantined, Ticket, Wish};
use domain::job::Outcome;
use domain::ledger::{After, PageVisit, Totals};
use domain::service::{AggregatorService, CampaignService, PlannerService, QuarantineVerdict, ServiceError};
use domain::{CampaignId, Decision, DecisionRequest, Job, JobId};
use futures::StreamExt;
use futures::stream::BoxStream;
use platform::Health;
use platform::rpc::{ClientOptions, Connection, Routes, Server, ServerOptions, connect};
use platform::telemetry::current_trace_parent;
use std::sync::Mutex;
use std::time::Duration;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The queue as told.
pub(super) struct Queue {
    pub(super) asked: Mutex<Vec<String>>,
    pub(super) failing: Mutex<Option<ServiceError>>,
    pub(super) grants: Vec<Grant>,
    pub(super) status: CampaignStatus,
    pub(super) quarantined: Vec<Quarantined>,
}

impl Queue {
    fn asked(&self, what: String) -> Result<(), ServiceError> {
        self.asked.lock().unwrap().push(what);
        self.failing.lock().unwrap().clone().map_or(Ok(()), Err)
    }
}

#[async_trait]
impl CampaignService for Queue {
    async fn create(&self, campaign: Campaign) -> Result<(), ServiceError> {
        self.asked(format!("create {campaign:?}"))
    }

    async fn submit(&self, jobs: Vec<Job>) -> Result<u64, ServiceError> {
        self.asked(format!("submit {jobs:?}"))?;
        Ok(jobs.len() as u64)
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Grant>, ServiceError> {
        self.asked(format!("claim {request:?}"))?;
        Ok(self.grants.clone())
    }

    async fn heartbeat(&self, tickets: Vec<Ticket>) -> Result<Vec<Ticket>, ServiceError> {
        self.asked(format!("heartbeat {tickets:?}"))?;
        Ok(tickets.into_iter().take(1).collect())
    }

    async fn release(&self, tickets: Vec<Ticket>) -> Result<(), ServiceError> {
        self.asked(format!("release {tickets:?}"))
    }

    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), ServiceError> {
        self.asked(format!("wish {campaign:?} {wish:?}"))
    }

    async fn status(&self, campaign: &CampaignId) -> Result<CampaignStatus, ServiceError> {
        self.asked(format!("status {campaign:?}"))?;
        Ok(self.status.clone())
    }

    async fn list(&self) -> Result<Vec<CampaignStatus>, ServiceError> {
        self.asked("list".to_owned())?;
        Ok(vec![self.status.clone(); 2])
    }

    async fn watch(
        &self,
        campaign: &CampaignId,
    ) -> Result<BoxStream<'static, Result<CampaignStatus, ServiceError>>, ServiceError> {
        self.asked(format!("watch {campaign:?}"))?;
        let gone = ServiceError::new(domain::service::Code::Conflict, "watch campaign: it was cancelled");
        Ok(futures::stream::iter([Ok(self.status.clone()), Ok(self.status.clone()), Err(gone)]).boxed())
    }

    async fn quarantine(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, ServiceError> {
        self.asked(format!("quarantine {campaign:?}"))?;
        Ok(self.quarantined.clone())
    }

    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, ServiceError> {
        self.asked(format!("jobs {campaign:?} {skip} {limit}"))?;
        Ok(self.grants.iter().map(|grant| grant.job.clone()).collect())
    }

    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: Vec<JobId>,
        verdict: QuarantineVerdict,
    ) -> Result<u64, ServiceError> {
        self.asked(format!("settle {campaign:?} {jobs:?} {verdict:?}"))?;
        Ok(jobs.len() as u64)
    }
}

/// The ledger as told.
pub(super) struct Ledger {
    pub(super) totals: Totals,
    pub(super) outcomes: Vec<Outcome>,
}

#[async_trait]
impl AggregatorService for Ledger {
    async fn totals(&self, campaign: &CampaignId) -> Result<Totals, ServiceError> {
        Ok(Totals { campaign: campaign.clone(), ..self.totals.clone() })
    }

    async fn outcomes(&self, _: &CampaignId, after: After, limit: usize) -> Result<Vec<Outcome>, ServiceError> {
        let job = after.unwrap_or_else(|| JobId::new("first"));
        Ok(self.outcomes.iter().take(limit).map(|outcome| Outcome { job: job.clone(), ..outcome.clone() }).collect())
    }

    async fn visits(
        &self,
        campaign: &CampaignId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PageVisit>, ServiceError> {
        let (job, id) = (JobId::new("guest/1"), format!("{}/{limit}", after.unwrap_or("first")));
        Ok(vec![PageVisit { campaign: campaign.clone(), job, id, record: "{}".to_owned() }])
    }
}

/// A planner that answers after a while, and writes down what came.
pub(super) struct Mind {
    pub(super) asked: Mutex<Vec<(PlannerRef, DecisionRequest)>>,
    pub(super) answer: Decision,
    pub(super) after: Duration,
    pub(super) traces: Mutex<Vec<String>>,
}

#[async_trait]
impl PlannerService for Mind {
    async fn decide(&self, planner: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError> {
        self.asked.lock().unwrap().push((planner.clone(), request));
        self.traces.lock().unwrap().push(current_trace_parent());
        tokio::time::sleep(self.after).await;
        Ok(self.answer.clone())
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        Ok(())
    }
}

/// A planner that answers nobody until so many are asking.
pub(super) struct Crowd {
    pub(super) complete: tokio::sync::Barrier,
    pub(super) answer: Decision,
}

#[async_trait]
impl PlannerService for Crowd {
    async fn decide(&self, _: &PlannerRef, _: DecisionRequest) -> Result<Decision, ServiceError> {
        self.complete.wait().await;
        Ok(self.answer.clone())
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        Ok(())
    }
}

/// A server on loopback; it ends with this value.
pub(super) struct Running {
    pub(super) connection: Connection,
    pub(super) endpoint: String,
    _end: DropGuard,
}

/// Serves on a port of loopback that the machine chooses.
pub(super) async fn serve(services: Services) -> Running {
    serve_routes(services.routes().unwrap()).await
}

pub(super) async fn serve_routes(routes: Routes) -> Running {
    let server = Server::bind(&ServerOptions::at("127.0.0.1:0".parse().unwrap())).await.unwrap();
    let endpoint = format!("http://{}", server.address());
    let shutdown = CancellationToken::new();
    platform::spawn::detached("served", server.serve(routes, Health::default(), shutdown.clone()));
    let connection = connect(&ClientOptions::to(&endpoint)).unwrap();
    Running { connection, endpoint, _end: shutdown.drop_guard() }
}
