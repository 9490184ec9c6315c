//! What is the same in many states is tried in a few of them.

use super::graph;
use crate::suite::{Browser, Shown};
use backends::map::MemoryMaps;
use domain::Effect;
use domain::state::{FrontierRequest, LocateRequest, Located};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Addresses and own controls of pages that share the control of a header.
const PAGES: usize = 60;

fn page(number: usize) -> Shown {
    let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
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
