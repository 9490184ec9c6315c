//! What is the same in many states is tried in a few of them.

use super::graph;
use crate::suite::{Browser, Shown};
use backends::map::MemoryMaps;
use domain::Effect;
use domain::state::{FrontierRequest, LocateRequest, Located};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Addresses and own controls of pages that share the control of a header.
const PAGES: usize = 60;

fn page(number: usize) -> Shown {
    let word: String = number.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
    let next: String = (number + 1).to_string().bytes().map(|digit| char::from(digit + 49)).collect();
    let next = leak(format!("/part-{next}"));
    let controls = vec![("button", "Theme", ""), ("link", next, next)];
    Shown { path: leak(format!("/part-{word}")), title: leak(format!("Part {word}")), controls: controls.leak() }
}

#[tokio::test]
async fn a_control_of_the_header_is_not_tried_in_every_state() {
    let service = graph(Arc::new(MemoryMaps::default()));
    let mut browser = Browser::new(service.clone(), "run");
    let mut located: BTreeMap<u64, (usize, Located)> = BTreeMap::new();
    let first = browser.open(page(0)).await;
    located.insert(first.state.0, (0, first));
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    loop {
        let request = FrontierRequest { version: browser.version.clone(), crawler: "c".into(), at: None, count: 1 };
        let Some(grant) = service.claim_frontier(request).await.unwrap().pop() else { break };
        let name = grant.opportunity.action.element().unwrap().name.clone();
        let (number, from) = located[&grant.opportunity.state.0].clone();
        let is_theme = name == "Theme";
        let shown = if is_theme || number + 1 == PAGES { page(number) } else { page(number + 1) };
        let number = if is_theme || number + 1 == PAGES { number } else { number + 1 };
        *tried.entry(if is_theme { name.clone() } else { "links".to_owned() }).or_default() += 1;
        let effect = Effect::Changed { what: vec!["content".into()] };
        let request = browser.request(shown, Some((from.state, &name, effect)));
        let request = LocateRequest { ticket: Some(grant.ticket), ..request };
        let now = service.locate(request).await.unwrap();
        browser.saw(shown, &now);
        located.insert(now.state.0, (number, now));
    }
    assert_eq!(located.len(), PAGES, "every page is found");
    assert!(tried["Theme"] < PAGES / 2, "{tried:?}");
}

/// Records of a list: fewer than what one page offers of a kind at most.
const RECORDS: usize = 10;

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn order(number: usize) -> String {
    format!("/orders/{}", 1000 + number)
}

/// The list behind a page: more lists than there are tries of known outcome.
fn list(number: usize) -> Shown {
    let orders = number * RECORDS..(number + 1) * RECORDS;
    let links = orders.map(|number| ("link", leak(format!("Order {}", 1000 + number)), leak(order(number))));
    let next = page(number + 1).path;
    let controls: Vec<_> = links.chain([("link", next, next)]).collect();
    Shown { controls: controls.leak(), ..page(number) }
}

const LISTS: usize = 6;

/// A record; from each a link leads to one that nobody lists.
fn record(number: usize) -> Shown {
    let controls = vec![("link", "Later", leak(order(number + 1000)))];
    Shown { path: leak(order(number)), title: "Order", controls: controls.leak() }
}

#[tokio::test]
async fn the_rest_of_a_list_is_opened_in_the_end_and_what_has_no_end_is_not_followed() {
    let service = graph(Arc::new(MemoryMaps::default()));
    let mut browser = Browser::new(service.clone(), "run");
    let mut located: BTreeMap<u64, (usize, Located)> = BTreeMap::new();
    let first = browser.open(list(0)).await;
    located.insert(first.state.0, (0, first));
    let (mut records, mut later, mut steps) = (BTreeSet::new(), 0, 0);
    while steps < 10 * PAGES {
        steps += 1;
        let request = FrontierRequest { version: browser.version.clone(), crawler: "c".into(), at: None, count: 1 };
        let Some(grant) = service.claim_frontier(request).await.unwrap().pop() else { break };
        let name = grant.opportunity.action.element().unwrap().name.clone();
        let (number, from) = located[&grant.opportunity.state.0].clone();
        let (number, shown) = match name.strip_prefix("Order ") {
            Some(order) => {
                let order = order.parse::<usize>().unwrap() - 1000;
                records.insert(order);
                (order, record(order))
            }
            None if name == "Later" => {
                later += 1;
                (1000 * later, record(1000 * later))
            }
            None if number + 1 == LISTS => (number, list(number)),
            None => (number + 1, list(number + 1)),
        };
        let effect = Effect::Changed { what: vec!["url".into()] };
        let request = browser.request(shown, Some((from.state, &name, effect)));
        let request = LocateRequest { ticket: Some(grant.ticket), ..request };
        let now = service.locate(request).await.unwrap();
        browser.saw(shown, &now);
        located.insert(now.state.0, (number, now));
    }
    let of_lists: Vec<usize> =
        (0..LISTS).map(|list| records.iter().filter(|order| **order / RECORDS == list).count()).collect();
    assert!(of_lists.iter().all(|opened| [0, RECORDS].contains(opened)), "{of_lists:?}");
    assert!(later < RECORDS && steps < 10 * PAGES, "{later} of what has no end, {steps} steps");
}
