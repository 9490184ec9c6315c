//! The map service: runs the pure modules of this crate over a store.

mod maps;
mod watching;

use crate::abstraction::{Abstraction, Embedded, Page, named};
use crate::diff::{Comparison, Side};
use crate::error::Error;
use crate::merge::{self, Decision};
use crate::options::Options;
use crate::path::ShortestPaths;
use crate::site::Site;
use crate::{frontier, search};
use async_trait::async_trait;
use backends::Journal;
use backends::journal::TransitionTaken;
use domain::language::Embedder;
use domain::service::{GraphService, ServiceError};
use domain::state::{
    Difference, FrontierGrant, FrontierRequest, FrontierTicket, LocateRequest, Located, Map, MapStatus, Offer, Route,
    State, Version,
};
use domain::storage::graph::{GraphStore, Merged};
use domain::{RunId, SiteId, StateId};
use futures::stream::BoxStream;
use maps::{LockedMap, Maps};
use platform::clock::Clock;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use watching::MapWatcher;

/// How long an opportunity claimed by another is skipped.
const TAKEN: Duration = Duration::from_secs(1);

/// Retries of a claim when others took the opportunities first.
const ROUNDS: usize = 4;

/// What the map service works with.
#[derive(Clone)]
pub struct Dependencies {
    /// The store of maps.
    pub store: Arc<dyn GraphStore>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Turns descriptions of states into vectors; without one, states cannot be searched.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Log of every single transition; the map itself keeps only counts.
    pub history: Option<Journal>,
}

/// The maps of sites. Clones share them.
#[derive(Clone)]
pub struct Graph {
    store: Arc<dyn GraphStore>,
    clock: Arc<dyn Clock>,
    embedder: Option<Arc<dyn Embedder>>,
    history: Option<Journal>,
    abstraction: Arc<dyn Abstraction>,
    options: Arc<Options>,
    maps: Arc<Maps>,
    /// Counts the changes that this instance made.
    changes: watch::Sender<u64>,
}

impl Graph {
    /// Maps over a store.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the options name no abstraction.
    pub fn new(dependencies: Dependencies, options: Options) -> Result<Self, Error> {
        let Dependencies { store, clock, embedder, history } = dependencies;
        let abstraction: Arc<dyn Abstraction> = named(&options.abstraction)
            .ok_or_else(|| {
                let known: Vec<&str> = crate::abstraction::all().iter().map(|known| known.name()).collect();
                let known = known.join(", ");
                Error::Invalid(format!("abstraction: there is no `{}`; there are: {known}", options.abstraction))
            })?
            .into();
        let maps = Arc::new(Maps::new(store.clone(), abstraction.clone(), options.maps_in_memory));
        let (changes, _) = watch::channel(0);
        Ok(Self { store, clock, embedder, history, abstraction, options: Arc::new(options), maps, changes })
    }

    /// The state abstraction.
    pub(crate) fn abstraction(&self) -> Arc<dyn Abstraction> {
        self.abstraction.clone()
    }

    /// The clock.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        self.clock.clone()
    }

    /// The up-to-date map of a site.
    pub(crate) async fn fresh(&self, site: &SiteId) -> Result<LockedMap, Error> {
        let mut held = self.maps.lock(site).await;
        held.refresh().await?;
        Ok(held)
    }

    /// As [`fresh`](Graph::fresh), for a site that must exist.
    async fn existing(&self, site: &SiteId) -> Result<LockedMap, Error> {
        let held = self.fresh(site).await?;
        if held.site.versions.is_empty() {
            return Err(Error::NotFound(format!("there is no map of site `{site}`")));
        }
        Ok(held)
    }

    /// Adds the embedding that the abstraction wants to a request.
    async fn with_vector(&self, request: LocateRequest) -> Result<LocateRequest, Error> {
        let Some(embedder) = self.embedder.as_ref().filter(|_| self.abstraction.wants_vector()) else {
            return Ok(request);
        };
        if request.vector.is_some() {
            return Ok(request);
        }
        let sentence = Embedded::sentence(&Page::from(request.observation.as_ref()));
        let vectors = embedder.embed(&[sentence]).await.map_err(|cause| Error::Embedding(cause.to_string()))?;
        Ok(LocateRequest { vector: vectors.into_iter().next(), ..request })
    }

    async fn located(&self, request: LocateRequest) -> Result<Located, Error> {
        let request = self.with_vector(request).await?;
        let read = merge::read(&request, self.abstraction.as_ref())?;
        let version = &request.version;
        // The map stays locked until its change is written and applied: requests of one site queue up here, where they would
        // otherwise all decide on the same map and all but one would be told by the store that they are behind.
        let mut held = self.maps.lock(&version.site).await;
        if held.site.change == 0 {
            held.refresh().await?;
        }
        loop {
            let now = self.clock.wall();
            let decided =
                merge::decide(&held.site, &request, &read, self.abstraction.as_ref(), &self.options.caps, now);
            let decision = match decided {
                // Another instance may have just created the state.
                Err(Error::NotFound(_)) if held.refresh().await? => continue,
                decided => decided?,
            };
            match self.store.merge(version, &decision.changes, now).await? {
                Merged::Behind => {
                    held.refresh().await?;
                }
                Merged::Repeated { state } => {
                    held.refresh().await?;
                    let mut decision = Decision { state, is_new: false, ..decision };
                    decision.changes.transitions.iter_mut().for_each(|transition| transition.to = state);
                    let answer = self.answer(&held.site, version, &decision, true);
                    drop(held);
                    // A repeated request may mean that the first was cut off before the history was written.
                    self.write_down(request, decision, true).await?;
                    return Ok(answer);
                }
                Merged::Done { change, ticket_held } => {
                    let changed = held.site.written(version, &decision.changes, change, ticket_held);
                    held.site.apply(changed, self.abstraction.as_ref())?;
                    if let Some(url) = &request.opened {
                        held.site.opened(url, decision.state);
                    }
                    self.changes.send_modify(|changes| *changes += 1);
                    let answer = self.answer(&held.site, version, &decision, ticket_held);
                    drop(held);
                    self.write_down(request, decision, ticket_held).await?;
                    return Ok(answer);
                }
            }
        }
    }

    fn answer(&self, site: &Site, version: &Version, decision: &Decision, ticket_held: bool) -> Located {
        let place = site.place_of(version);
        let offer = |offered: merge::OfferedAction| Offer {
            key: offered.key,
            element: offered.element,
            kind: offered.kind,
            progress: place.and_then(|place| site.progress(place, decision.state, offered.key)),
        };
        Located {
            state: decision.state,
            is_new: decision.is_new,
            actions: decision.offered.iter().copied().map(offer).collect(),
            ticket_held,
        }
    }

    /// Appends the transition of an observation to the log. The record has the observation's id, so that duplicates
    /// count once.
    async fn write_down(&self, request: LocateRequest, decision: Decision, ticket_held: bool) -> Result<(), Error> {
        let Some(history) = &self.history else { return Ok(()) };
        let stamp = &request.observation.stamp;
        let settled = request.ticket.filter(|_| ticket_held);
        for transition in decision.changes.transitions {
            let (version, session, number) = (request.version.clone(), stamp.session.clone(), stamp.number);
            let settled = settled.clone();
            history.transition(TransitionTaken { version, session, number, transition, settled }).await?;
        }
        Ok(())
    }

    async fn claimed(&self, request: &FrontierRequest) -> Result<Vec<FrontierGrant>, Error> {
        if request.crawler.is_empty() {
            return Err(Error::Invalid("crawler: it is empty".to_owned()));
        }
        let mut held = self.fresh(&request.version.site).await?;
        let Some(version) = held.site.place_of(&request.version) else { return Ok(Vec::new()) };
        if let Some(at) = request.at.filter(|at| held.site.state(*at).is_none()) {
            return Err(Error::NotFound(format!("claim what is to be explored: the map has no state {at}")));
        }
        let mut grants = Vec::new();
        for _ in 0..ROUNDS {
            let now = self.clock.wall();
            held.busy.retain(|_, until| *until > now);
            let (busy, limit) = (&held.busy, request.count - grants.len());
            let is_free = |state, key| !busy.contains_key(&(version, state, key));
            let prospects = frontier::prospects(&held.site, version, request.at, limit, is_free);
            if prospects.is_empty() {
                break;
            }
            let wanted: Vec<_> =
                prospects.iter().map(|prospect| (prospect.opportunity.state, prospect.opportunity.key)).collect();
            let lease = self.options.lease();
            let tickets = self.store.claim(&request.version, &wanted, &request.crawler, now, lease).await?;
            for prospect in prospects {
                let opportunity = prospect.opportunity;
                let ticket =
                    tickets.iter().find(|ticket| (ticket.state, ticket.key) == (opportunity.state, opportunity.key));
                let taken = if ticket.is_some() { lease } else { TAKEN.min(lease) };
                held.busy.insert((version, opportunity.state, opportunity.key), now + taken);
                if let Some(ticket) = ticket {
                    let (ticket, path) = (ticket.clone(), prospect.path);
                    grants.push(FrontierGrant { ticket, opportunity, path, lease });
                }
            }
            if grants.len() >= request.count {
                break;
            }
        }
        Ok(grants)
    }

    async fn status(&self, site: &SiteId) -> Result<MapStatus, ServiceError> {
        let status = self.fresh(site).await?.site.status();
        // Only the store knows leases given by other instances.
        let claimed = self.store.claimed(site, self.clock.wall()).await?.min(status.open);
        Ok(MapStatus { open: status.open - claimed, claimed, ..status })
    }
}

#[async_trait]
impl GraphService for Graph {
    async fn locate(&self, request: LocateRequest) -> Result<Located, ServiceError> {
        Ok(self.located(request).await?)
    }

    async fn claim_frontier(&self, request: FrontierRequest) -> Result<Vec<FrontierGrant>, ServiceError> {
        let grants = self.claimed(&request).await?;
        self.changes.send_modify(|changes| *changes += 1);
        Ok(grants)
    }

    async fn renew_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<Vec<FrontierTicket>, ServiceError> {
        if tickets.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.store.renew(&tickets, self.clock.wall(), self.options.lease()).await?)
    }

    async fn release_frontier(&self, tickets: Vec<FrontierTicket>) -> Result<(), ServiceError> {
        self.store.release(&tickets).await?;
        for ticket in &tickets {
            let mut held = self.maps.lock(&ticket.version.site).await;
            if let Some(version) = held.site.place_of(&ticket.version) {
                held.busy.remove(&(version, ticket.state, ticket.key));
            }
        }
        self.changes.send_modify(|changes| *changes += 1);
        Ok(())
    }

    async fn shortest_path(
        &self,
        site: &SiteId,
        from: Option<StateId>,
        to: StateId,
    ) -> Result<Option<Route>, ServiceError> {
        let held = self.existing(site).await?;
        for named in from.into_iter().chain([to]) {
            if held.site.state(named).is_none() {
                return Err(Error::NotFound(format!("the map of site `{site}` has no state {named}")).into());
            }
        }
        let site = &held.site;
        Ok(match from {
            Some(from) => ShortestPaths::from(site, from, Some(to)).route(site, to),
            None => ShortestPaths::by_opening(site, None, 1.0, Some(to)).opened_route(site, to),
        })
    }

    async fn search(&self, site: &SiteId, words: &str, limit: usize) -> Result<Vec<(State, f64)>, ServiceError> {
        let states: Vec<Arc<State>> = self.existing(site).await?.site.states().cloned().collect();
        let embedder = self.embedder.as_ref();
        let embedder =
            embedder.ok_or_else(|| Error::Invalid("search states: this process has no embedder".to_owned()))?;
        Ok(search::search(&states, embedder.as_ref(), words, limit).await?)
    }

    async fn map(&self, site: &SiteId, run: Option<&RunId>) -> Result<Map, ServiceError> {
        let held = self.existing(site).await?;
        let version = run.map(|run| held.site.version_of(run)).transpose()?;
        Ok(held.site.map(version))
    }

    async fn sites(&self) -> Result<Vec<SiteId>, ServiceError> {
        Ok(self.store.sites().await?)
    }

    async fn versions(&self, site: &SiteId) -> Result<Vec<Version>, ServiceError> {
        Ok(self.existing(site).await?.site.versions.clone())
    }

    async fn diff(&self, site: &SiteId, before: &RunId, after: &RunId) -> Result<Difference, ServiceError> {
        let held = self.existing(site).await?;
        let side = |run: &RunId| Ok::<_, Error>(Side { versions: vec![held.site.version_of(run)?], ..Side::default() });
        let (before, after) = (side(before)?, side(after)?);
        Ok(Comparison::new(&held.site, &before, &after, self.abstraction.as_ref()).difference())
    }

    async fn watch(&self, site: &SiteId) -> Result<BoxStream<'static, Result<MapStatus, ServiceError>>, ServiceError> {
        let mut changes = self.changes.subscribe();
        changes.mark_unchanged();
        let last = self.status(site).await?;
        let watching = MapWatcher { graph: self.clone(), site: site.clone(), changes, last, is_over: false };
        Ok(watching.statuses())
    }
}
