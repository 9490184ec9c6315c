//! The suite on the room itself, over every store that needs no server; and what several instances do.

mod differences;
mod export;
mod known;
mod paths;
mod role;

use crate::merge::Caps;
use crate::suite::{self, BagOfWords, Browser};
use crate::{Dependencies, Graph, Options};
use backends::map::MemoryMaps;
use domain::SiteId;
use domain::service::GraphService;
use domain::state::FrontierRequest;
use domain::storage::graph::GraphStore;
use futures::StreamExt;
use platform::SystemClock;
use std::collections::BTreeSet;
use std::sync::Arc;

fn graph(store: Arc<dyn GraphStore>) -> Arc<dyn GraphService> {
    let (clock, embedder) = (Arc::new(SystemClock::default()), Some(Arc::new(BagOfWords) as _));
    Arc::new(Graph::new(Dependencies { store, clock, embedder, history: None }, Options::default()).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_room_passes_the_suite_on_maps_in_memory() {
    assert_eq!(suite::run(|| async { graph(Arc::new(MemoryMaps::default())) }).await, 18);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_room_passes_the_suite_on_embedded_maps() {
    let fresh = || async { graph(backends::in_memory().await.expect("a database").maps) };
    assert_eq!(suite::run(fresh).await, 18);
}

/// What an instance writes down for itself is what the store tells the others.
#[tokio::test(flavor = "multi_thread")]
async fn instances_over_one_store_make_one_map_and_share_its_frontier() {
    let store: Arc<dyn GraphStore> = Arc::new(MemoryMaps::default());
    let (one, other) = (graph(store.clone()), graph(store.clone()));
    let mut browsers = [Browser::new(one.clone(), "run"), Browser::new(other.clone(), "run")];
    browsers[1].session = "another browser".into();
    let mut states = Vec::new();
    for shown in [suite::HOME, suite::LIST, suite::PRODUCT, suite::CART] {
        for browser in &mut browsers {
            let home = browser.open(suite::HOME).await;
            states.push(browser.click(&home, "Products", shown).await);
        }
    }
    assert_eq!(states.iter().filter(|located| located.is_new).count(), 3, "home is there already");
    for pair in states.chunks(2) {
        assert_eq!(pair[0].state, pair[1].state);
    }
    let site = SiteId::new("shop");
    let map = one.map(&site, None).await.unwrap();
    assert_eq!(map, other.map(&site, None).await.unwrap());
    assert_eq!(map, graph(store).map(&site, None).await.unwrap());
    assert_eq!(map.transitions.iter().map(|transition| transition.tally.count).sum::<u64>(), 8);

    let claim = async |browser: &Browser, count| {
        let request = FrontierRequest { version: browser.version.clone(), crawler: "c".into(), at: None, count };
        browser.service.claim_frontier(request).await.unwrap()
    };
    let mut keys = BTreeSet::new();
    let mut grants = 0;
    for turn in 0..20 {
        let claimed = claim(&browsers[turn % 2], 2).await;
        grants += claimed.len();
        keys.extend(claimed.into_iter().map(|grant| (grant.ticket.state, grant.ticket.key)));
    }
    let offered: usize = one
        .watch(&site)
        .await
        .unwrap()
        .next()
        .await
        .unwrap()
        .map(|status| (status.open + status.claimed) as usize)
        .unwrap();
    assert_eq!((keys.len(), grants), (offered, offered), "every opportunity once");
}

#[tokio::test]
async fn a_map_that_was_forgotten_is_read_again() {
    let store: Arc<dyn GraphStore> = Arc::new(MemoryMaps::default());
    let (clock, options) = (Arc::new(SystemClock::default()), Options { maps_in_memory: 1, ..Options::default() });
    let graph = Arc::new(Graph::new(Dependencies { store, clock, embedder: None, history: None }, options).unwrap());
    let mut browser = Browser::new(graph.clone(), "run");
    let home = browser.open(suite::HOME).await;
    browser.version.site = SiteId::new("elsewhere");
    assert!(browser.open(suite::HOME).await.is_new, "another site has a map of its own");
    browser.version.site = SiteId::new("shop");
    let again = browser.open(suite::HOME).await;
    assert_eq!((again.state, again.is_new), (home.state, false));
}

#[test]
fn an_abstraction_that_there_is_not_is_refused_with_those_that_there_are() {
    let store: Arc<dyn GraphStore> = Arc::new(MemoryMaps::default());
    let options = Options { abstraction: "magic".to_owned(), ..Options::default() };
    let dependencies = Dependencies { store, clock: Arc::new(SystemClock::default()), embedder: None, history: None };
    let refused = Graph::new(dependencies, options).err().unwrap().to_string();
    assert!(refused.starts_with("abstraction: there is no `magic`; there are: layered, exact,"), "{refused}");
}

#[tokio::test]
async fn a_site_may_have_only_so_many_states_of_one_template() {
    let store: Arc<dyn GraphStore> = Arc::new(MemoryMaps::default());
    let caps = Caps { states_per_template: 2, ..Caps::default() };
    let options = Options { caps, ..Options::default() };
    let graph = Graph::new(
        Dependencies { store, clock: Arc::new(SystemClock::default()), embedder: None, history: None },
        options,
    );
    let mut browser = Browser::new(Arc::new(graph.unwrap()), "run");
    let (one, two) = (browser.open(suite::PRODUCT).await, browser.open(suite::WISHED).await);
    let third = browser.open(suite::DISCOUNTED).await;
    assert_ne!(one.state, two.state);
    assert!(!third.is_new && [one.state, two.state].contains(&third.state));
}
