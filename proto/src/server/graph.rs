//! The map as gRPC.

use super::answer;
use crate::convert::NOTHING;
use crate::error::Error;
use crate::status::refuse;
use crate::v1;
use domain::service::GraphService;
use domain::state::FrontierTicket;
use domain::{RunId, SiteId, StateId};
use futures::StreamExt;
use futures::stream::BoxStream;
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// Hands calls to the service.
pub(super) struct Adapter {
    pub(super) service: Arc<dyn GraphService>,
    pub(super) limit: usize,
}

type Answer<M> = Result<Response<M>, Status>;

fn tickets(message: v1::FrontierTickets) -> Result<Vec<FrontierTicket>, Status> {
    message.tickets.into_iter().map(TryInto::try_into).collect::<Result<_, Error>>().map_err(refuse)
}

#[tonic::async_trait]
impl v1::graph_service_server::GraphService for Adapter {
    async fn locate(&self, request: Request<v1::LocateRequest>) -> Answer<v1::Located> {
        let request = request.into_inner().try_into().map_err(|error: Error| refuse(error))?;
        let located = self.service.locate(request).await.map_err(refuse)?;
        answer((&located).into(), self.limit)
    }

    async fn claim_frontier(&self, request: Request<v1::FrontierRequest>) -> Answer<v1::FrontierGrants> {
        let request = request.into_inner().try_into().map_err(|error: Error| refuse(error))?;
        let grants = self.service.claim_frontier(request).await.map_err(refuse)?;
        answer(v1::FrontierGrants { grants: grants.iter().map(Into::into).collect() }, self.limit)
    }

    async fn renew_frontier(&self, request: Request<v1::FrontierTickets>) -> Answer<v1::FrontierTickets> {
        let lost = self.service.renew_frontier(tickets(request.into_inner())?).await.map_err(refuse)?;
        answer(v1::FrontierTickets { tickets: lost.iter().map(Into::into).collect() }, self.limit)
    }

    async fn release_frontier(&self, request: Request<v1::FrontierTickets>) -> Answer<v1::Nothing> {
        self.service.release_frontier(tickets(request.into_inner())?).await.map_err(refuse)?;
        answer(NOTHING, self.limit)
    }

    async fn shortest_path(&self, request: Request<v1::PathRequest>) -> Answer<v1::PathAnswer> {
        let v1::PathRequest { site, from, to } = request.into_inner();
        let path = self.service.shortest_path(&SiteId(site), from.map(StateId), StateId(to)).await.map_err(refuse)?;
        answer(v1::PathAnswer { path: path.as_ref().map(Into::into) }, self.limit)
    }

    async fn search(&self, request: Request<v1::SearchRequest>) -> Answer<v1::SearchAnswer> {
        let v1::SearchRequest { site, words, limit } = request.into_inner();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let found = self.service.search(&SiteId(site), &words, limit).await.map_err(refuse)?;
        let found = found.iter().map(|(state, likeness)| v1::Found { state: Some(state.into()), likeness: *likeness });
        answer(v1::SearchAnswer { found: found.collect() }, self.limit)
    }

    async fn read_map(&self, request: Request<v1::MapRequest>) -> Answer<v1::Map> {
        let v1::MapRequest { site, run } = request.into_inner();
        let map = self.service.map(&SiteId(site), run.map(RunId).as_ref()).await.map_err(refuse)?;
        answer((&map).into(), self.limit)
    }

    async fn sites(&self, _request: Request<v1::Nothing>) -> Answer<v1::SiteList> {
        let sites = self.service.sites().await.map_err(refuse)?;
        answer(v1::SiteList { sites: sites.into_iter().map(|site| site.0).collect() }, self.limit)
    }

    async fn versions(&self, request: Request<v1::SiteName>) -> Answer<v1::VersionList> {
        let versions = self.service.versions(&SiteId(request.into_inner().site)).await.map_err(refuse)?;
        answer(v1::VersionList { versions: versions.iter().map(Into::into).collect() }, self.limit)
    }

    async fn diff(&self, request: Request<v1::DiffRequest>) -> Answer<v1::Difference> {
        let v1::DiffRequest { site, before, after } = request.into_inner();
        let difference = self.service.diff(&SiteId(site), &RunId(before), &RunId(after)).await.map_err(refuse)?;
        answer((&difference).into(), self.limit)
    }

    type WatchStream = BoxStream<'static, Result<v1::MapStatus, Status>>;

    async fn watch(&self, request: Request<v1::SiteName>) -> Answer<Self::WatchStream> {
        let statuses = self.service.watch(&SiteId(request.into_inner().site)).await.map_err(refuse)?;
        let messages = statuses.map(|status| status.map(|status| (&status).into()).map_err(refuse));
        Ok(Response::new(messages.boxed()))
    }
}
