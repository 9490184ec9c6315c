//! The cheapest way is never dearer than any other.

use crate::abstraction::{Fingerprint, Layered};
use crate::encoding::encode;
use crate::path::ShortestPaths;
use crate::site::Site;
use domain::state::{ActionKey, EdgeTally, State, Transition, Version};
use domain::storage::graph::SiteDelta;
use domain::{Action, RunId, SiteId, StateId};
use proptest::prelude::*;
use std::time::SystemTime;

/// A map of a few states, with transitions as (from, key, to, succeeded of ten, latency).
fn site(edges: &[(u64, u64, u64, u64, u64)]) -> Site {
    let fingerprint = encode("a fingerprint", &Fingerprint::Hash(0)).unwrap();
    let state = |id| State {
        id: StateId(id),
        url: String::new(),
        template: String::new(),
        title: String::new(),
        summary: String::new(),
        forms: Vec::new(),
        fingerprint: fingerprint.clone(),
        screenshot: None,
    };
    let transition = |(from, key, to, succeeded, latency): &(u64, u64, u64, u64, u64)| {
        let tally = EdgeTally { count: 10, succeeded: *succeeded, latency_ms: latency * 10 };
        let (from, key, to) = (StateId(*from), ActionKey(*key), StateId(*to));
        (0, Transition { from, key, action: Action::Back, to, tally, last_seen: SystemTime::UNIX_EPOCH })
    };
    let version = Version { site: SiteId::new("s"), run: RunId::new("r"), role: String::new() };
    let mut site = Site::default();
    let changed = SiteDelta {
        change: 1,
        states: (1..=STATES).map(state).collect(),
        transitions: edges.iter().map(transition).collect(),
        versions: vec![version],
        ..SiteDelta::default()
    };
    site.apply(changed, &Layered).unwrap();
    site
}

const STATES: u64 = 6;

/// What it costs, by relaxing every transition as often as there are states.
fn costs(edges: &[(u64, u64, u64, u64, u64)]) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; STATES as usize + 1];
    best[1] = 0.0;
    for _ in 0..STATES {
        for (from, key, to, succeeded, latency) in edges {
            let tried: f64 = edges.iter().filter(|other| (other.0, other.1) == (*from, *key)).count() as f64 * 10.0;
            let cost = *latency as f64 - 5_000.0 * (*succeeded as f64 / tried).ln();
            best[*to as usize] = best[*to as usize].min(best[*from as usize] + cost);
        }
    }
    best
}

proptest! {
    #[test]
    fn the_cheapest_way_is_found_and_leads_where_it_should(
        edges in prop::collection::btree_map((1..=STATES, 0..3u64, 1..=STATES), (0..=10u64, 0..2_000u64), 0..25)
    ) {
        let edges: Vec<_> = edges.into_iter().map(|((from, key, to), (succeeded, latency))| (from, key, to, succeeded, latency)).collect();
        let site = site(&edges);
        let all = ShortestPaths::from(&site, StateId(1), None);
        for (to, expected) in costs(&edges).into_iter().enumerate().skip(1) {
            let to = StateId(to as u64);
            let ways = ShortestPaths::from(&site, StateId(1), Some(to));
            prop_assert_eq!(ways.cost(to).is_some(), expected.is_finite());
            prop_assert_eq!(ways.cost(to), all.cost(to));
            let Some(route) = ways.route(&site, to) else { continue };
            let ends: Vec<StateId> = std::iter::once(StateId(1)).chain(route.hops.iter().map(|hop| hop.to)).collect();
            prop_assert_eq!(*ends.last().unwrap(), to);
            prop_assert!(route.hops.iter().zip(&ends).all(|(hop, at)| hop.from == *at));
            let cost = route.latency_ms - 5_000.0 * route.reliability.ln();
            prop_assert!((cost - expected).abs() < 1e-6 * (1.0 + expected), "{cost} instead of {expected}");
        }
    }
}
