//! The map in another process.

use super::{Caller, LARGE, QUESTION, client, plain};
use crate::v1::{self, graph_service_client::GraphServiceClient};
use async_trait::async_trait;
use domain::service::{GraphService, ServiceError};
use domain::state::{
    Difference, FrontierGrant, FrontierRequest, FrontierTicket, LocateRequest, Located, Map, MapStatus, Route, State,
    Version,
};
use domain::{RunId, SiteId, StateId};
use futures::StreamExt;
use futures::stream::BoxStream;
use std::sync::Arc;

/// Calls the map.
pub(super) struct Remote {
    pub(super) caller: Caller,
}

/// One call: what is being done, the method, its message, its deadline. Gives the answer's message.
macro_rules! call {
    ($remote:expr, $doing:expr, $method:ident, $message:expr, $deadline:expr) => {{
        let (request, compressed) = $remote.caller.request($doing, $message, $deadline)?;
        let called = client!(GraphServiceClient, $remote.caller, compressed).$method(request).await;
        called.map_err(|status| $remote.caller.failed($doing, &status))?.into_inner()
    }};
}

fn named(site: &SiteId) -> v1::SiteName {
    v1::SiteName { site: site.0.clone() }
}

fn held(tickets: &[FrontierTicket]) -> v1::FrontierTickets {
    v1::FrontierTickets { tickets: tickets.iter().map(Into::into).collect() }
}

#[async_trait]
impl GraphService for Remote {
    async fn locate(&self, request: LocateRequest) -> Result<Located, ServiceError> {
        let doing = "locate a page";
        let answer = call!(self, doing, locate, v1::LocateRequest::from(&request), QUESTION);
        answer.try_into().map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn claim_frontier(&self, request: FrontierRequest) -> Result<Vec<FrontierGrant>, ServiceError> {
        let doing = "claim what is to be explored";
        let answer = call!(self, doing, claim_frontier, v1::FrontierRequest::from(&request), QUESTION);
        let grants: Result<_, _> = answer.grants.into_iter().map(FrontierGrant::try_from).collect();
        grants.map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn renew_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<Vec<FrontierTicket>, ServiceError> {
        let doing = "renew what is being explored";
        let answer = call!(self, doing, renew_frontier, held(&tickets), QUESTION);
        let lost: Result<_, _> = answer.tickets.into_iter().map(FrontierTicket::try_from).collect();
        lost.map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn release_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<(), ServiceError> {
        call!(self, "give back what was being explored", release_frontier, held(&tickets), QUESTION);
        Ok(())
    }

    async fn shortest_path(
        &self,
        site: &SiteId,
        from: Option<StateId>,
        to: StateId,
    ) -> Result<Option<Route>, ServiceError> {
        let doing = "find a path";
        let message = v1::PathRequest { site: site.0.clone(), from: from.map(|state| state.0), to: to.0 };
        let answer = call!(self, doing, shortest_path, message, QUESTION);
        let path = answer.path.map(Route::try_from).transpose();
        path.map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn search(&self, site: &SiteId, words: &str, limit: usize) -> Result<Vec<(State, f64)>, ServiceError> {
        let doing = "search states";
        let message = v1::SearchRequest { site: site.0.clone(), words: words.to_owned(), limit: limit as u64 };
        let answer = call!(self, doing, search, message, LARGE);
        let found = |found: v1::Found| {
            let state = crate::error::required(found.state, "found.state")?;
            Ok((state.into(), found.likeness))
        };
        let found: Result<_, crate::Error> = answer.found.into_iter().map(found).collect();
        found.map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn map(&self, site: &SiteId, run: Option<&RunId>) -> Result<Map, ServiceError> {
        let doing = "read a map";
        let message = v1::MapRequest { site: site.0.clone(), run: run.map(|run| run.0.clone()) };
        let answer = call!(self, doing, read_map, message, LARGE);
        answer.try_into().map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn sites(&self) -> Result<Vec<SiteId>, ServiceError> {
        let answer = call!(self, "list the sites that have a map", sites, crate::convert::NOTHING, QUESTION);
        Ok(answer.sites.into_iter().map(SiteId).collect())
    }

    async fn versions(&self, site: &SiteId) -> Result<Vec<Version>, ServiceError> {
        let answer = call!(self, "read the versions of a map", versions, named(site), QUESTION);
        Ok(answer.versions.into_iter().map(Into::into).collect())
    }

    async fn diff(&self, site: &SiteId, before: &RunId, after: &RunId) -> Result<Difference, ServiceError> {
        let doing = "compare two versions of a map";
        let message = v1::DiffRequest { site: site.0.clone(), before: before.0.clone(), after: after.0.clone() };
        let answer = call!(self, doing, diff, message, LARGE);
        answer.try_into().map_err(|error| self.caller.unreadable(doing, &error))
    }

    async fn watch(&self, site: &SiteId) -> Result<BoxStream<'static, Result<MapStatus, ServiceError>>, ServiceError> {
        let doing = "watch a map";
        // The deadline is that of the first word; the connection's keepalive says when the other side is gone.
        let (request, _) = self.caller.request(doing, named(site), QUESTION)?;
        let called = plain!(GraphServiceClient, self.caller).watch(request).await;
        let messages = called.map_err(|status| self.caller.failed(doing, &status))?.into_inner();
        let caller = Arc::new(Caller(self.caller.0.clone()));
        let statuses =
            messages.map(move |message| message.map(Into::into).map_err(|status| caller.failed(doing, &status)));
        Ok(statuses.boxed())
    }
}
