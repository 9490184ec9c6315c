//! The cheapest way through a map. A transition costs the time it takes, and what it costs to begin anew for as often as
//! it leads elsewhere: `latency − RETRY · ln(reliability)`.

use crate::site::Site;
use domain::StateId;
use domain::state::{ActionKey, Route, Transition};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

/// Milliseconds that a failed way costs: opening the site again and going back.
pub(crate) const RETRY_MS: f64 = 5_000.0;

/// What it takes to take a transition.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hop {
    from: StateId,
    key: ActionKey,
    reliability: f64,
    latency_ms: f64,
}

impl Hop {
    fn cost(&self) -> f64 {
        self.latency_ms - RETRY_MS * self.reliability.ln()
    }
}

/// The cheapest ways from one state to those that can be reached from it.
pub struct Ways {
    from: StateId,
    last: HashMap<StateId, (f64, Option<Hop>)>,
}

impl Ways {
    /// The ways from a state, until the one to `to` is found; to all states when there is no such.
    pub fn from(site: &Site, from: StateId, to: Option<StateId>) -> Self {
        let mut last: HashMap<StateId, (f64, Option<Hop>)> = HashMap::from([(from, (0.0, None))]);
        let mut waiting = BinaryHeap::from([Waiting { cost: 0.0, state: from }]);
        while let Some(Waiting { cost, state }) = waiting.pop() {
            if Some(state) == to {
                break;
            }
            if last.get(&state).is_some_and(|(best, _)| cost > *best) {
                continue;
            }
            for (next, hop) in hops(site, state) {
                let cost = cost + hop.cost();
                if last.get(&next).is_none_or(|(best, _)| cost < *best) {
                    last.insert(next, (cost, Some(hop)));
                    waiting.push(Waiting { cost, state: next });
                }
            }
        }
        Self { from, last }
    }

    /// What it costs to get to a state, in milliseconds; `None` when no way is known.
    pub fn cost(&self, to: StateId) -> Option<f64> {
        self.last.get(&to).map(|(cost, _)| *cost)
    }

    /// The way to a state.
    pub fn route(&self, site: &Site, to: StateId) -> Option<Route> {
        let mut route = Route { reliability: 1.0, ..Route::default() };
        let mut at = to;
        while let (_, Some(hop)) = self.last.get(&at)? {
            let edge = site.edge(hop.from, hop.key, at)?;
            route.reliability *= hop.reliability;
            route.latency_ms += hop.latency_ms;
            let last_seen = edge.by_version.values().map(|(_, seen)| *seen).max()?;
            let (from, key, action, tally) = (hop.from, hop.key, edge.action.clone(), edge.tally());
            route.hops.push(Transition { from, key, action, to: at, tally, last_seen });
            at = hop.from;
        }
        route.hops.reverse();
        (at == self.from).then_some(route)
    }
}

/// The cheapest transition from a state to each of its neighbours.
fn hops(site: &Site, from: StateId) -> Vec<(StateId, Hop)> {
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
        let hop = Hop { from, key, reliability, latency_ms: tally.latency_ms as f64 / tally.count as f64 };
        if best.get(&to).is_none_or(|known| hop.cost() < known.cost()) {
            best.insert(to, hop);
        }
    }
    best.into_iter().collect()
}

/// A state to go on from, the cheapest first.
#[derive(PartialEq)]
struct Waiting {
    cost: f64,
    state: StateId,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then_with(|| other.state.cmp(&self.state))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
