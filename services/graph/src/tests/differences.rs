//! What counts as a change, between maps that were made apart; and which ways are gone again to be sure.

use crate::abstraction::Layered;
use crate::combined::{CombinedMap, RunMap, combine};
use crate::diff::{Comparison, PageVisit};
use crate::retrace::Retracing;
use crate::suite::{Browser, CART, HOME, LIST, PRODUCT, Shown};
use crate::{Dependencies, Graph, Options};
use backends::map::MemoryMaps;
use domain::state::{Aspect, Change, Difference, Part, Route};
use domain::storage::graph::{Changes, GraphStore, Merged};
use domain::{Effect, SiteId};
use platform::SystemClock;
use std::sync::Arc;
use std::time::SystemTime;

fn graph(store: &Arc<MemoryMaps>) -> Graph {
    let clock = Arc::new(SystemClock::default());
    let dependencies = Dependencies { store: store.clone(), clock, embedder: None, history: None };
    Graph::new(dependencies, Options::default()).unwrap()
}

/// The map of somebody who walks through the shop, with the pages that were seen on the way.
async fn walked(run: &str, walk: impl AsyncFn(&mut Browser)) -> RunMap {
    let store = Arc::new(MemoryMaps::default());
    walk(&mut Browser::new(Arc::new(graph(&store)), run)).await;
    let map = store.since(&SiteId::new("shop"), 0).await.unwrap();
    let url = |state| map.states.iter().find(|known| known.id == state).map(|known| known.url.clone()).unwrap();
    let ways = map.transitions.iter().map(|(_, way)| (way.to, Some((way.from, way.action.clone()))));
    let arrived = ways.map(|(state, by)| PageVisit { state, by, url: url(state) }).collect();
    RunMap { map, version: 0, arrived }
}

fn difference(both: &CombinedMap) -> Difference {
    let site = both.site(&Layered).unwrap();
    Comparison::new(&site, &both.before, &both.after, &Layered).difference()
}

async fn compared(before: impl AsyncFn(&mut Browser), after: impl AsyncFn(&mut Browser)) -> Difference {
    let (before, after) = (walked("before", before).await, walked("after", after).await);
    difference(&combine(before, after, &Layered).unwrap())
}

fn control(role: &str, name: &str) -> Part {
    Part::Control { role: role.into(), name: name.into() }
}

/// What changed of which state.
fn changes(found: &Difference) -> Vec<(&str, &[Aspect])> {
    found.changed.iter().map(|Change { before, what, .. }| (before.title.as_str(), what.as_slice())).collect()
}

const HELP: Shown = Shown {
    path: "/help",
    title: "Help",
    controls: &[("link", "Home", "/"), ("link", "Talk to us", "/help/chat"), ("link", "Tides", "/services/tides")],
};
const RENAMED: Shown = Shown {
    controls: &[("link", "Home", "/"), ("link", "Ask us", "/help/chat"), ("link", "Tides", "/services/tides")],
    ..HELP
};
const LEADING_ELSEWHERE: Shown = Shown {
    controls: &[("link", "Home", "/"), ("link", "Talk to us", "/help/chat"), ("link", "Tides", "/services/water")],
    ..HELP
};
const TIDES: Shown =
    Shown { path: "/services/tides", title: "Tides", controls: &[("link", "Home", "/"), ("button", "Show", "")] };
const WATER: Shown = Shown { path: "/services/water", ..TIDES };
const EMPTY: Shown =
    Shown { path: "/cart", title: "Cart", controls: &[("link", "Home", "/"), ("link", "List", "/products")] };

#[tokio::test]
async fn a_control_with_another_name_is_told_although_it_leads_where_it_led() {
    let found =
        compared(async |browser| drop(browser.open(HELP).await), async |browser| drop(browser.open(RENAMED).await));
    let found = found.await;
    let what = [Aspect::Lost(control("link", "Talk to us")), Aspect::Won(control("link", "Ask us"))];
    assert_eq!(changes(&found), [("Help", &what[..])]);
    assert!(found.missing.is_empty() && found.appeared.is_empty());
}

#[tokio::test]
async fn a_page_that_stands_elsewhere_has_moved_and_what_links_to_it_is_the_same() {
    let walk = async |browser: &mut Browser, help: Shown, tides: Shown| {
        let help = browser.open(help).await;
        browser.click(&help, "Tides", tides).await;
    };
    let before = async |browser: &mut Browser| walk(browser, HELP, TIDES).await;
    let found = compared(before, async |browser: &mut Browser| walk(browser, LEADING_ELSEWHERE, WATER).await).await;
    let (before, after) = ("http://shop/services/tides".to_owned(), "http://shop/services/water".to_owned());
    assert_eq!(changes(&found), [("Tides", &[Aspect::Moved { before, after }][..])]);
    assert!(found.missing_transitions.is_empty() && found.appeared_transitions.is_empty(), "{found:?}");
}

/// What opens within a page stands where the page stands, of which there may be several.
#[tokio::test]
async fn what_opens_within_a_page_has_not_moved_with_the_thing_that_it_shows() {
    const OTHER: Shown = Shown { path: "/products/oar", ..PRODUCT };
    const LAMP: Shown = Shown { path: "/products/lamp", ..PRODUCT };
    const OPEN: Shown =
        Shown { controls: &[("link", "Home", "/"), ("button", "Close", ""), ("textbox", "Day", "")], ..LAMP };
    let walk = async |browser: &mut Browser, opened: Shown, within: Shown| {
        let list = browser.open(LIST).await;
        for (name, product) in [("Product 1", OTHER), ("Product 2", LAMP)] {
            browser.click(&list, name, product).await;
        }
        let product = browser.click(&list, "Product 3", opened).await;
        browser.click(&product, "Add to cart", within).await;
    };
    let before = async |browser: &mut Browser| walk(browser, LAMP, OPEN).await;
    let after = async |browser: &mut Browser| walk(browser, OTHER, Shown { path: OTHER.path, ..OPEN }).await;
    let found = compared(before, after).await;
    assert!(!found.is_change(), "{found:?}");
}

/// Of a list, what leads where only one of them leads was given another name.
#[tokio::test]
async fn one_of_a_list_that_leads_where_it_led_was_given_another_name() {
    const LINKS: Shown = Shown {
        path: "/help",
        title: "Help",
        controls: &[("link", "Talk", "/help/1"), ("link", "Prices", "/help/2"), ("link", "Films", "/help/3")],
    };
    const ASKED: Shown = Shown {
        controls: &[("link", "Ask", "/help/1"), ("link", "Prices", "/help/2"), ("link", "Films", "/help/3")],
        ..LINKS
    };
    const TALK: Shown = Shown { path: "/help/1", title: "Talk", controls: &[("button", "Say something", "")] };
    let walk = async |browser: &mut Browser, help: Shown, name: &str| {
        let help = browser.open(help).await;
        browser.click(&help, name, TALK).await;
    };
    let before = async |browser: &mut Browser| walk(browser, LINKS, "Talk").await;
    let found = compared(before, async |browser: &mut Browser| walk(browser, ASKED, "Ask").await).await;
    let what = [Aspect::Lost(control("link", "Talk")), Aspect::Won(control("link", "Ask"))];
    assert_eq!(changes(&found), [("Help", &what[..])]);
    // Nobody pressed it: it may be other data.
    let before = async |browser: &mut Browser| walk(browser, LINKS, "Talk").await;
    let found = compared(before, async |browser: &mut Browser| drop(browser.open(ASKED).await)).await;
    assert!(!found.is_change(), "{found:?}");
}

/// One run has something in its basket, the other has not.
#[tokio::test]
async fn a_way_that_led_to_both_before_is_no_change() {
    let found = compared(
        async |browser: &mut Browser| {
            let home = browser.open(HOME).await;
            browser.click(&home, "Cart", EMPTY).await;
            let list = browser.click(&home, "Products", LIST).await;
            let product = browser.click(&list, "Product 1", PRODUCT).await;
            let cart = browser.click(&product, "Add to cart", CART).await;
            let home = browser.click(&cart, "Home", HOME).await;
            browser.click(&home, "Cart", CART).await;
        },
        async |browser: &mut Browser| {
            let home = browser.open(HOME).await;
            browser.click(&home, "Cart", EMPTY).await;
        },
    );
    let found = found.await;
    assert!(!found.is_change(), "{found:?}");
    let unseen: Vec<&str> = found.missing.iter().map(|lone| lone.it.title.as_str()).collect();
    assert_eq!(unseen, ["Products", "Product", "Cart"]);
}

#[tokio::test]
async fn what_another_way_may_lead_to_has_not_vanished() {
    let before = async |browser: &mut Browser| {
        let home = browser.open(HOME).await;
        browser.click(&home, "Cart", CART).await;
        let list = browser.click(&home, "Products", LIST).await;
        browser.click(&list, "Search", CART).await;
    };
    let found = compared(before, async |browser: &mut Browser| {
        let home = browser.open(HOME).await;
        browser.act(&home, "Cart", Effect::NoChange, HOME).await;
        browser.act(&home, "Cart", Effect::NoChange, HOME).await;
    });
    let found = found.await;
    let missing: Vec<_> = found.missing.iter().map(|lone| (lone.it.title.as_str(), lone.is_sure)).collect();
    assert_eq!(missing, [("Cart", false), ("Products", false)], "the list may still lead there");
}

#[tokio::test]
async fn what_did_nothing_once_may_have_been_unlucky() {
    let before = async |browser: &mut Browser| {
        let home = browser.open(HOME).await;
        browser.click(&home, "Cart", CART).await;
    };
    for (times, is_sure) in [(1, false), (2, true)] {
        let after = async |browser: &mut Browser| {
            let home = browser.open(HOME).await;
            for _ in 0..times {
                browser.act(&home, "Cart", Effect::NoChange, HOME).await;
            }
        };
        assert_eq!(compared(before, after).await.missing[0].is_sure, is_sure, "{times} times");
    }
}

/// The two runs with a walker for the later one, who writes a version of its own.
async fn again(before: RunMap, after: RunMap) -> (CombinedMap, Arc<MemoryMaps>, Retracing, Browser) {
    let mut both = combine(before, after, &Layered).unwrap();
    let store = Arc::new(MemoryMaps::default());
    let mut known = 0;
    for (version, changes) in both.seeds() {
        let written = store.merge(&version, &Changes { known, ..changes }, SystemTime::UNIX_EPOCH).await.unwrap();
        let Merged::Done { change, .. } = written else { panic!("{written:?}") };
        known = change;
    }
    let graph = graph(&store);
    both.after.versions.push(2);
    let retracing = Retracing::new(graph.clone(), SiteId::new("shop"), both.before.clone(), both.after.clone());
    (both, store, retracing, Browser::new(Arc::new(graph), "again"))
}

fn names(route: &Route) -> Vec<String> {
    route.hops.iter().map(|hop| hop.action.element().unwrap().name.clone()).collect()
}

/// The walker finds that the cart is gone from home, and the list too.
#[tokio::test]
async fn ways_are_gone_again_until_what_is_missing_is_found_or_no_way_is_left() {
    let before = walked("before", async |browser: &mut Browser| {
        let home = browser.open(HOME).await;
        browser.click(&home, "Cart", CART).await;
        let list = browser.click(&home, "Products", LIST).await;
        browser.click(&list, "Product 1", PRODUCT).await;
    });
    let after = walked("after", async |browser: &mut Browser| drop(browser.open(HOME).await));
    let (mut both, store, mut retracing, mut browser) = again(before.await, after.await).await;
    let mut gone = Vec::new();
    while let Some(route) = retracing.next().await.unwrap() {
        let names = names(&route);
        let mut at = browser.open(HOME).await;
        for name in &names {
            at = match name.as_str() {
                "Cart" => browser.act(&at, "Cart", Effect::NoChange, HOME).await,
                "Products" => browser.click(&at, "Products", LIST).await,
                _ => browser.click(&at, name, PRODUCT).await,
            };
        }
        gone.push(names);
        assert!(gone.len() < 9, "it comes to an end: {gone:?}");
    }
    assert_eq!(retracing.walked(), gone.len());
    assert!(
        gone.contains(&vec!["Products".to_owned(), "Product 1".to_owned()]) && gone.contains(&vec!["Cart".to_owned()]),
        "{gone:?}"
    );
    both.all = store.since(&SiteId::new("shop"), 0).await.unwrap();
    let found = difference(&both);
    let missing: Vec<_> = found.missing.iter().map(|lone| (lone.it.title.as_str(), lone.is_sure)).collect();
    assert_eq!(missing, [("Cart", true)], "the list and the product are still there");
}

/// Of a list, what only the later side has, and never tried, is tried before it is taken for data.
#[tokio::test]
async fn what_is_new_in_a_list_is_tried_to_see_whether_it_leads_to_something_new() {
    const LINKS: Shown = Shown {
        path: "/help",
        title: "Help",
        controls: &[("link", "Prices", "/help/1"), ("link", "Films", "/help/2")],
    };
    const MORE: Shown = Shown {
        controls: &[
            ("link", "Prices", "/help/1"),
            ("link", "Lost", "/help/3"),
            ("link", "Found", "/help/4"),
            ("link", "Films", "/help/2"),
        ],
        ..LINKS
    };
    const PRICES: Shown = Shown { path: "/help/1", title: "Prices", controls: &[("button", "In crowns", "")] };
    const LOST: Shown =
        Shown { path: "/help/3", title: "Lost", controls: &[("textbox", "What?", ""), ("button", "Look", "")] };
    let seen = async |browser: &mut Browser, help: Shown| {
        let help = browser.open(help).await;
        browser.click(&help, "Prices", PRICES).await;
    };
    let before = walked("before", async |browser: &mut Browser| seen(browser, LINKS).await).await;
    let after = walked("after", async |browser: &mut Browser| seen(browser, MORE).await).await;
    let untold = difference(&combine(before.clone(), after.clone(), &Layered).unwrap());
    assert!(!untold.is_change(), "nobody knows where they lead: {untold:?}");
    let (mut both, store, mut retracing, mut browser) = again(before, after).await;
    let mut gone = Vec::new();
    while let Some(route) = retracing.next().await.unwrap() {
        let names = names(&route);
        let help = browser.open(MORE).await;
        let shown = if names == ["Lost"] { LOST } else { PRICES };
        let arrived = browser.click(&help, &names[0], shown).await.state;
        let url = format!("http://shop{}", shown.path);
        both.after.arrived.push(PageVisit {
            state: arrived,
            by: Some((help.state, route.hops[0].action.clone())),
            url,
        });
        gone.push(names);
        assert!(gone.len() < 9, "it comes to an end: {gone:?}");
    }
    assert_eq!(gone, [["Lost"], ["Found"]]);
    both.all = store.since(&SiteId::new("shop"), 0).await.unwrap();
    let found = difference(&both);
    let appeared: Vec<_> = found.appeared.iter().map(|lone| (lone.it.title.as_str(), lone.is_sure)).collect();
    assert_eq!(appeared, [("Lost", true)]);
    // What leads to what was there before is data.
    assert_eq!(changes(&found), [("Help", &[Aspect::Won(control("link", "Lost"))][..])]);
}
