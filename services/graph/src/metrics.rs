//! Metrics of the maps, counted by a decorator over their service. They cover this instance only, without a label for
//! the site, of which there are too many.

use crate::service::Graph;
use async_trait::async_trait;
use domain::service::{GraphService, ServiceError};
use domain::state::{
    Difference, FrontierGrant, FrontierRequest, FrontierTicket, LocateRequest, Located, Map, MapStatus, Route, State,
    Version,
};
use domain::{RunId, SiteId, StateId};
use futures::stream::BoxStream;
use platform::clock::Clock;
use platform::metrics::{Counter, Histogram, Metric, Metrics, Unit};
use std::sync::Arc;

/// How long calls take.
pub const CALLS: Metric = Metric {
    name: "rutter_map_calls",
    unit: Unit::Seconds,
    help: "How long this instance took for what it was asked: locate, claim, path, search, or read",
    labels: &["call"],
};

/// States.
pub const NEW_STATES: Metric = Metric {
    name: "rutter_map_new_states",
    unit: Unit::Count,
    help: "States that this instance was the first to see",
    labels: &[],
};

/// Claims.
pub const CLAIMS: Metric = Metric {
    name: "rutter_map_claims",
    unit: Unit::Count,
    help: "Untried actions that this instance leased to crawlers",
    labels: &[],
};

/// Claims that were lost.
pub const LOST_CLAIMS: Metric = Metric {
    name: "rutter_map_lost_claims",
    unit: Unit::Count,
    help: "Leases of untried actions that had passed to somebody else when their holder came back",
    labels: &[],
};

/// All of them.
pub const ALL: [Metric; 4] = [CALLS, NEW_STATES, CLAIMS, LOST_CLAIMS];

/// The same maps, measured.
pub fn measured(maps: Graph, metrics: &Metrics) -> Measured {
    Measured {
        clock: maps.clock(),
        calls: metrics.histogram(&CALLS),
        new_states: metrics.counter(&NEW_STATES),
        claims: metrics.counter(&CLAIMS),
        lost_claims: metrics.counter(&LOST_CLAIMS),
        maps,
    }
}

/// Maps whose work is counted.
pub struct Measured {
    maps: Graph,
    clock: Arc<dyn Clock>,
    calls: Histogram,
    new_states: Counter,
    claims: Counter,
    lost_claims: Counter,
}

impl Measured {
    /// Awaits a call and records its duration if it succeeded.
    async fn timed<T>(
        &self,
        call: &'static str,
        answer: impl Future<Output = Result<T, ServiceError>>,
    ) -> Result<T, ServiceError> {
        let begun = self.clock.monotonic();
        let answer = answer.await?;
        self.calls.observe(&[call], self.clock.monotonic().saturating_sub(begun).as_secs_f64());
        Ok(answer)
    }
}

#[async_trait]
impl GraphService for Measured {
    async fn locate(&self, request: LocateRequest) -> Result<Located, ServiceError> {
        let located = self.timed("locate", self.maps.locate(request)).await?;
        self.new_states.add(&[], f64::from(u8::from(located.is_new)));
        self.lost_claims.add(&[], f64::from(u8::from(!located.ticket_held)));
        Ok(located)
    }

    async fn claim_frontier(&self, request: FrontierRequest) -> Result<Vec<FrontierGrant>, ServiceError> {
        let grants = self.timed("claim", self.maps.claim_frontier(request)).await?;
        self.claims.add(&[], grants.len() as f64);
        Ok(grants)
    }

    async fn renew_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<Vec<FrontierTicket>, ServiceError> {
        let lost = self.maps.renew_frontier(tickets).await?;
        self.lost_claims.add(&[], lost.len() as f64);
        Ok(lost)
    }

    async fn release_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<(), ServiceError> {
        self.maps.release_frontier(tickets).await
    }

    async fn shortest_path(
        &self,
        site: &SiteId,
        from: Option<StateId>,
        to: StateId,
    ) -> Result<Option<Route>, ServiceError> {
        self.timed("path", self.maps.shortest_path(site, from, to)).await
    }

    async fn search(&self, site: &SiteId, words: &str, limit: usize) -> Result<Vec<(State, f64)>, ServiceError> {
        self.timed("search", self.maps.search(site, words, limit)).await
    }

    async fn map(&self, site: &SiteId, run: Option<&RunId>) -> Result<Map, ServiceError> {
        self.timed("read", self.maps.map(site, run)).await
    }

    async fn sites(&self) -> Result<Vec<SiteId>, ServiceError> {
        self.maps.sites().await
    }

    async fn versions(&self, site: &SiteId) -> Result<Vec<Version>, ServiceError> {
        self.timed("read", self.maps.versions(site)).await
    }

    async fn diff(&self, site: &SiteId, before: &RunId, after: &RunId) -> Result<Difference, ServiceError> {
        self.timed("read", self.maps.diff(site, before, after)).await
    }

    async fn watch(&self, site: &SiteId) -> Result<BoxStream<'static, Result<MapStatus, ServiceError>>, ServiceError> {
        self.maps.watch(site).await
    }
}
