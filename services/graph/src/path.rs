//! Cheapest paths through a map. A transition costs its latency, plus the cost of starting over weighted by its
//! failures: `latency − RETRY · ln(reliability)`.
//!
//! Dijkstra is written out here: libraries return costs without paths and need the whole map converted first, while
//! this visits only what it reaches.

use crate::site::Site;
use domain::state::{ActionKey, Route, Transition};
use domain::{Action, StateId};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// Milliseconds lost by a failed path: opening the site again and walking back.
pub(crate) const RETRY_MS: f64 = 5_000.0;

/// Approximate milliseconds of opening an address; only its ratio to measured latencies matters.
const OPEN_MS: f64 = 250.0;

/// The cheapest transition from a state to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hop {
    from: StateId,
    key: ActionKey,
    to: StateId,
    reliability: f64,
    latency_ms: f64,
    cost: f64,
}

/// The cheapest paths from the starting states.
pub struct ShortestPaths {
    /// By state number: the cost, and the last hop.
    last: Vec<(f64, Option<Hop>)>,
}

impl ShortestPaths {
    /// Paths from a state; stops when `to` is reached, and covers all states without it.
    pub fn from(site: &Site, from: StateId, to: Option<StateId>) -> Self {
        Self::among(site, [(from, 0.0)], to)
    }

    /// Paths that begin by opening an address at which a state of a version, or of any, was found: each costs its chance. So does
    /// the site's start, with a chance of its own.
    pub(crate) fn by_opening(site: &Site, version: Option<usize>, start: f64, to: Option<StateId>) -> Self {
        let opening = site.openable(version).chain(site.start().map(|state| (state, start)));
        Self::among(site, opening.map(|(state, chance)| (state, OPEN_MS - RETRY_MS * chance.ln())), to)
    }

    /// The path to a state, of paths that begin by opening an address.
    pub(crate) fn opened_route(&self, site: &Site, to: StateId) -> Option<Route> {
        let route = self.route(site, to)?;
        let begin = route.hops.first().map_or(to, |hop| hop.from);
        let is_start = site.start() == Some(begin);
        let address = site.state(begin).filter(|_| !is_start).map(|begin| begin.url.clone());
        let chance = if is_start { 1.0 } else { ((OPEN_MS - self.cost(begin)?) / RETRY_MS).exp().min(1.0) };
        Some(Route { from_start: true, address, reliability: route.reliability * chance, ..route })
    }

    /// Paths from any of several states, each with its own starting cost.
    pub(crate) fn among(site: &Site, begin: impl IntoIterator<Item = (StateId, f64)>, to: Option<StateId>) -> Self {
        let mut last: Vec<(f64, Option<Hop>)> = vec![(f64::INFINITY, None); site.next().0 as usize];
        let mut waiting = BinaryHeap::new();
        for (state, cost) in begin {
            if let Some(first) = last.get_mut(state.0 as usize).filter(|first| cost < first.0) {
                first.0 = cost;
                waiting.push(QueuedState { cost, state });
            }
        }
        while let Some(QueuedState { cost, state }) = waiting.pop() {
            if Some(state) == to {
                break;
            }
            if cost > last[state.0 as usize].0 {
                continue;
            }
            for hop in site.hops(state) {
                let cost = cost + hop.cost;
                if let Some(known) = last.get_mut(hop.to.0 as usize).filter(|known| cost < known.0) {
                    *known = (cost, Some(*hop));
                    waiting.push(QueuedState { cost, state: hop.to });
                }
            }
        }
        Self { last }
    }

    /// The cost of a state in milliseconds; `None` if it is unreachable.
    pub fn cost(&self, to: StateId) -> Option<f64> {
        self.last.get(to.0 as usize).map(|(cost, _)| *cost).filter(|cost| cost.is_finite())
    }

    /// The path to a state.
    pub fn route(&self, site: &Site, to: StateId) -> Option<Route> {
        self.cost(to)?;
        let mut route = Route { reliability: 1.0, ..Route::default() };
        let mut at = to;
        while let (_, Some(hop)) = self.last.get(at.0 as usize)? {
            let edge = site.edge(hop.from, hop.key, at)?;
            route.reliability *= hop.reliability;
            route.latency_ms += hop.latency_ms;
            let last_seen = edge.last_seen()?;
            let (from, key, action, tally) = (hop.from, hop.key, Action::clone(&edge.action), edge.tally());
            route.hops.push(Transition { from, key, action, to: at, tally, last_seen });
            at = hop.from;
        }
        route.hops.reverse();
        Some(route)
    }
}

/// The cheapest transition from a state to each of its neighbours.
pub(crate) fn hops(site: &Site, from: StateId) -> Vec<Hop> {
    let mut tried: HashMap<ActionKey, u64> = HashMap::new();
    for (key, _, edge) in site.edges_from(from) {
        *tried.entry(key).or_default() += edge.tally().count;
    }
    let mut best: BTreeMap<StateId, Hop> = BTreeMap::new();
    for (key, to, edge) in site.edges_from(from).filter(|(_, to, _)| *to != from) {
        let tally = edge.tally();
        if tally.succeeded == 0 {
            continue;
        }
        let reliability = tally.succeeded as f64 / tried[&key] as f64;
        let latency_ms = tally.latency_ms as f64 / tally.count as f64;
        let cost = latency_ms - RETRY_MS * reliability.ln();
        if best.get(&to).is_none_or(|known| cost < known.cost) {
            best.insert(to, Hop { from, key, to, reliability, latency_ms, cost });
        }
    }
    best.into_values().collect()
}

/// A state in the queue, cheapest first.
#[derive(PartialEq)]
struct QueuedState {
    cost: f64,
    state: StateId,
}

impl Eq for QueuedState {}

impl Ord for QueuedState {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then_with(|| other.state.cmp(&self.state))
    }
}

impl PartialOrd for QueuedState {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
