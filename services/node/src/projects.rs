//! What a caller with the token of a project may do: everything with what belongs to that project, nothing with anything else, and no
//! work of the cluster itself. Decorators around the services that other processes call.

use async_trait::async_trait;
use domain::campaign::{Campaign, CampaignStatus, ClaimRequest, Grant, PlannerRef, Quarantined, Ticket, Wish};
use domain::decision::{Decision, DecisionRequest};
use domain::job::Outcome;
use domain::ledger::{After, PageVisit, Totals};
use domain::project::ProjectId;
use domain::service::{
    AggregatorService, CampaignService, Code, GraphService, PlannerService, QuarantineVerdict, ServiceError,
};
use domain::state::{
    Difference, FrontierGrant, FrontierRequest, FrontierTicket, LocateRequest, Located, Map, MapStatus, Route, State,
    Version,
};
use domain::{CampaignId, Job, JobId, RunId, SiteId, StateId};
use futures::stream::BoxStream;
use planner::registry::Registered as _;
use planner::remote::Remote;
use platform::rpc::calling_project;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// A service, as callers with tokens of projects may use it.
pub(crate) struct Limited<S: ?Sized>(pub(crate) Arc<S>);

/// The project that the call under way is limited to.
fn limit() -> Result<Option<ProjectId>, ServiceError> {
    let named = calling_project().map(|name| ProjectId::parse(&name));
    named.transpose().map_err(|cause| ServiceError::new(Code::Internal, format!("call: {cause}")))
}

fn refused(project: &ProjectId, what: &str) -> ServiceError {
    ServiceError::new(Code::Unauthenticated, format!("call: the token is that of project `{project}`: {what}"))
}

/// That a caller may use what belongs to this project.
fn check(owner: ProjectId, thing: &dyn std::fmt::Display) -> Result<(), ServiceError> {
    match limit()? {
        Some(own) if own != owner => Err(refused(&own, &format!("`{thing}` belongs to `{owner}`"))),
        _ => Ok(()),
    }
}

fn check_campaign(campaign: &CampaignId) -> Result<(), ServiceError> {
    check(campaign.project(), campaign)
}

fn check_site(site: &SiteId) -> Result<(), ServiceError> {
    check(site.project(), site)
}

/// That the caller is no project: what the roles of the cluster ask of each other is about the work of all.
fn check_role() -> Result<(), ServiceError> {
    match limit()? {
        Some(own) => Err(refused(&own, "this is for the roles of the cluster, with the token of the cluster")),
        None => Ok(()),
    }
}

#[async_trait]
impl CampaignService for Limited<dyn CampaignService> {
    async fn create(&self, campaign: Campaign) -> Result<(), ServiceError> {
        check_campaign(&campaign.id)?;
        // It would have the planner role call any address in the network of the cluster.
        if let (Some(own), Remote::NAME) = (limit()?, campaign.planner.name.as_str()) {
            return Err(refused(&own, "a planner at an address is for who has the token of the cluster"));
        }
        self.0.create(campaign).await
    }

    async fn submit(&self, jobs: Vec<Job>) -> Result<u64, ServiceError> {
        // That the site of a job is of its campaign's project is for the queue to say.
        jobs.iter().try_for_each(|job| check_campaign(&job.campaign))?;
        self.0.submit(jobs).await
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Grant>, ServiceError> {
        check_role()?;
        self.0.claim(request).await
    }

    async fn heartbeat(&self, tickets: Vec<Ticket>) -> Result<Vec<Ticket>, ServiceError> {
        check_role()?;
        self.0.heartbeat(tickets).await
    }

    async fn release(&self, tickets: Vec<Ticket>) -> Result<(), ServiceError> {
        check_role()?;
        self.0.release(tickets).await
    }

    async fn wish(&self, campaign: &CampaignId, wish: Wish) -> Result<(), ServiceError> {
        check_campaign(campaign)?;
        self.0.wish(campaign, wish).await
    }

    async fn status(&self, campaign: &CampaignId) -> Result<CampaignStatus, ServiceError> {
        check_campaign(campaign)?;
        self.0.status(campaign).await
    }

    async fn list(&self) -> Result<Vec<CampaignStatus>, ServiceError> {
        let own = limit()?;
        let mut all = self.0.list().await?;
        all.retain(|status| own.as_ref().is_none_or(|own| status.campaign.id.project() == *own));
        Ok(all)
    }

    async fn watch(
        &self,
        campaign: &CampaignId,
    ) -> Result<BoxStream<'static, Result<CampaignStatus, ServiceError>>, ServiceError> {
        check_campaign(campaign)?;
        self.0.watch(campaign).await
    }

    async fn quarantine(&self, campaign: &CampaignId) -> Result<Vec<Quarantined>, ServiceError> {
        check_campaign(campaign)?;
        self.0.quarantine(campaign).await
    }

    async fn jobs(&self, campaign: &CampaignId, skip: u64, limit: usize) -> Result<Vec<Job>, ServiceError> {
        check_campaign(campaign)?;
        self.0.jobs(campaign, skip, limit).await
    }

    async fn settle(
        &self,
        campaign: &CampaignId,
        jobs: Vec<JobId>,
        verdict: QuarantineVerdict,
    ) -> Result<u64, ServiceError> {
        check_campaign(campaign)?;
        self.0.settle(campaign, jobs, verdict).await
    }
}

#[async_trait]
impl PlannerService for Limited<dyn PlannerService> {
    async fn decide(&self, planner: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError> {
        check_role()?;
        self.0.decide(planner, request).await
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        self.0.ready().await
    }
}

#[async_trait]
impl AggregatorService for Limited<dyn AggregatorService> {
    async fn totals(&self, campaign: &CampaignId) -> Result<Totals, ServiceError> {
        check_campaign(campaign)?;
        self.0.totals(campaign).await
    }

    async fn outcomes(&self, campaign: &CampaignId, after: After, limit: usize) -> Result<Vec<Outcome>, ServiceError> {
        check_campaign(campaign)?;
        self.0.outcomes(campaign, after, limit).await
    }

    async fn visits(
        &self,
        campaign: &CampaignId,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<PageVisit>, ServiceError> {
        check_campaign(campaign)?;
        self.0.visits(campaign, after, limit).await
    }
}

#[async_trait]
impl GraphService for Limited<dyn GraphService> {
    async fn locate(&self, request: LocateRequest) -> Result<Located, ServiceError> {
        check_role()?;
        self.0.locate(request).await
    }

    async fn claim_frontier(&self, request: FrontierRequest) -> Result<Vec<FrontierGrant>, ServiceError> {
        check_role()?;
        self.0.claim_frontier(request).await
    }

    async fn renew_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<Vec<FrontierTicket>, ServiceError> {
        check_role()?;
        self.0.renew_frontier(tickets).await
    }

    async fn release_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<(), ServiceError> {
        check_role()?;
        self.0.release_frontier(tickets).await
    }

    async fn shortest_path(
        &self,
        site: &SiteId,
        from: Option<StateId>,
        to: StateId,
    ) -> Result<Option<Route>, ServiceError> {
        check_site(site)?;
        self.0.shortest_path(site, from, to).await
    }

    async fn search(&self, site: &SiteId, words: &str, limit: usize) -> Result<Vec<(State, f64)>, ServiceError> {
        check_site(site)?;
        self.0.search(site, words, limit).await
    }

    async fn map(&self, site: &SiteId, run: Option<&RunId>) -> Result<Map, ServiceError> {
        check_site(site)?;
        self.0.map(site, run).await
    }

    async fn sites(&self) -> Result<Vec<SiteId>, ServiceError> {
        let own = limit()?;
        let mut all = self.0.sites().await?;
        all.retain(|site| own.as_ref().is_none_or(|own| site.project() == *own));
        Ok(all)
    }

    async fn versions(&self, site: &SiteId) -> Result<Vec<Version>, ServiceError> {
        check_site(site)?;
        self.0.versions(site).await
    }

    async fn diff(&self, site: &SiteId, before: &RunId, after: &RunId) -> Result<Difference, ServiceError> {
        check_site(site)?;
        self.0.diff(site, before, after).await
    }

    async fn watch(&self, site: &SiteId) -> Result<BoxStream<'static, Result<MapStatus, ServiceError>>, ServiceError> {
        check_site(site)?;
        self.0.watch(site).await
    }
}
