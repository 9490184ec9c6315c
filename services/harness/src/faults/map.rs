//! The map, decorated: the service, and the tables that it stands on.

use super::Faulty;
use async_trait::async_trait;
use domain::service::{GraphService, ServiceError};
use domain::state::{
    ActionKey, Difference, FrontierGrant, FrontierRequest, FrontierTicket, LocateRequest, Located, Map, MapStatus,
    Route, State, Version,
};
use domain::storage::StorageError;
use domain::storage::graph::{Changes, GraphStore, Merged, SiteDelta};
use domain::{RunId, SiteId, StateId};
use futures::stream::BoxStream;
use std::time::{Duration, SystemTime};

#[async_trait]
impl<T: GraphService + ?Sized> GraphService for Faulty<T> {
    async fn locate(&self, request: LocateRequest) -> Result<Located, ServiceError> {
        self.link.call("locate", || self.inner.locate(request.clone())).await
    }

    async fn claim_frontier(&self, request: FrontierRequest) -> Result<Vec<FrontierGrant>, ServiceError> {
        self.link.call("claim_frontier", || self.inner.claim_frontier(request.clone())).await
    }

    async fn renew_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<Vec<FrontierTicket>, ServiceError> {
        self.link.call("renew_frontier", || self.inner.renew_frontier(tickets.clone())).await
    }

    async fn release_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<(), ServiceError> {
        self.link.call("release_frontier", || self.inner.release_frontier(tickets.clone())).await
    }

    async fn shortest_path(
        &self,
        site: &SiteId,
        from: Option<StateId>,
        to: StateId,
    ) -> Result<Option<Route>, ServiceError> {
        self.link.call("shortest_path", || self.inner.shortest_path(site, from, to)).await
    }

    async fn search(&self, site: &SiteId, words: &str, limit: usize) -> Result<Vec<(State, f64)>, ServiceError> {
        self.link.call("search", || self.inner.search(site, words, limit)).await
    }

    async fn map(&self, site: &SiteId, run: Option<&RunId>) -> Result<Map, ServiceError> {
        self.link.call("map", || self.inner.map(site, run)).await
    }

    async fn sites(&self) -> Result<Vec<SiteId>, ServiceError> {
        self.link.call("sites", || self.inner.sites()).await
    }

    async fn versions(&self, site: &SiteId) -> Result<Vec<Version>, ServiceError> {
        self.link.call("versions", || self.inner.versions(site)).await
    }

    async fn diff(&self, site: &SiteId, before: &RunId, after: &RunId) -> Result<Difference, ServiceError> {
        self.link.call("diff", || self.inner.diff(site, before, after)).await
    }

    async fn watch(&self, site: &SiteId) -> Result<BoxStream<'static, Result<MapStatus, ServiceError>>, ServiceError> {
        self.link.call("watch", || self.inner.watch(site)).await
    }
}

#[async_trait]
impl<T: GraphStore + ?Sized> GraphStore for Faulty<T> {
    async fn since(&self, site: &SiteId, change: u64) -> Result<SiteDelta, StorageError> {
        self.link.call("since", || self.inner.since(site, change)).await
    }

    async fn merge(&self, version: &Version, changes: &Changes, now: SystemTime) -> Result<Merged, StorageError> {
        self.link.call("merge", || self.inner.merge(version, changes, now)).await
    }

    async fn claim(
        &self,
        version: &Version,
        wanted: &[(StateId, ActionKey)],
        crawler: &str,
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<FrontierTicket>, StorageError> {
        self.link.call("claim", || self.inner.claim(version, wanted, crawler, now, lease)).await
    }

    async fn renew(
        &self,
        tickets: &[FrontierTicket],
        now: SystemTime,
        lease: Duration,
    ) -> Result<Vec<FrontierTicket>, StorageError> {
        self.link.call("renew", || self.inner.renew(tickets, now, lease)).await
    }

    async fn release(&self, tickets: &[FrontierTicket]) -> Result<(), StorageError> {
        self.link.call("release", || self.inner.release(tickets)).await
    }

    async fn claimed(&self, site: &SiteId, now: SystemTime) -> Result<u64, StorageError> {
        self.link.call("claimed", || self.inner.claimed(site, now)).await
    }

    async fn versions(&self, site: &SiteId) -> Result<Vec<Version>, StorageError> {
        self.link.call("versions", || self.inner.versions(site)).await
    }

    async fn sites(&self) -> Result<Vec<SiteId>, StorageError> {
        self.link.call("sites", || self.inner.sites()).await
    }
}
