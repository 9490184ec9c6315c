//! Requests: each once with its answer, those that a page waits for, and those that our own gate refused.

use crate::checks::finding;
use crate::facts::{Facts, PageLook};
use crate::requests::{RequestHistory, in_flight, is_unfinished, merge};
use domain::fault::FaultCategory;
use domain::observation::{Node, OpenRequest, Request, RequestKind, Settled};
use domain::task::{Check, FaultCheck, RequestCheck, TextMatch};
use domain::verdict::Finding::{Confirmed, Refuted, Undecided};
use domain::{Fault, Observation};

fn request(number: u64, method: &str, url: &str, status: Option<u16>) -> Request {
    Request { number, method: method.into(), url: format!("http://a.test{url}"), status, ..Request::default() }
}

fn open(request: Request, age_ms: u64) -> Observation {
    Observation { open_requests: vec![OpenRequest { request, age_ms }], ..Observation::default() }
}

#[test]
fn a_request_that_is_told_again_with_its_answer_is_one_request() {
    let first = [request(1, "GET", "/", Some(200)), request(2, "POST", "/apply", None), request(3, "GET", "/x", None)];
    let again = [request(2, "POST", "/apply", Some(500))];
    let merged = merge(first.into_iter().chain(again));
    assert_eq!(merged.iter().map(|request| request.status).collect::<Vec<_>>(), [Some(200), Some(500), None]);

    let unnumbered = [request(0, "POST", "/apply", None), request(0, "POST", "/apply", Some(500))];
    assert_eq!(merge(unnumbered), [request(0, "POST", "/apply", Some(500))]);
    let twice = [request(0, "POST", "/apply", Some(200)), request(0, "POST", "/apply", Some(500))];
    assert_eq!(merge(twice).len(), 2);
}

#[test]
fn a_refused_answer_refutes_and_a_missing_one_decides_nothing() {
    let sent =
        |status| Facts { requests: vec![request(2, "POST", "/apply", status)], ..Facts::of_look(PageLook::default()) };
    let check = |status| {
        let url = TextMatch::Contains("/apply".into());
        Check::Request(RequestCheck { method: Some("POST".into()), url, status })
    };
    assert_eq!(finding(&check(Some(200)), &sent(Some(500))), Refuted);
    assert_eq!(finding(&check(Some(200)), &sent(None)), Undecided);
    assert_eq!(finding(&check(None), &sent(None)), Confirmed);
    let mut refused = sent(None);
    refused.requests[0].refused = true;
    assert_eq!(finding(&check(None), &refused), Refuted, "it was never sent");
}

#[test]
fn a_young_request_is_waited_for_and_streams_old_ones_and_polls_are_not() {
    let history = [
        request(1, "GET", "/", Some(200)),
        request(2, "GET", "/poll", Some(200)),
        request(3, "GET", "/poll", Some(200)),
        request(5, "GET", "/poll", Some(200)),
    ];
    let since = |last_action| RequestHistory { requests: &history, last_action, ended: 9, start: None };
    let is_awaited = |request: Request, age| !in_flight(&open(request, age), &since(4)).is_empty();
    assert!(is_awaited(request(5, "POST", "/apply", None), 3_000));
    assert!(!is_awaited(request(5, "POST", "/apply", None), 12_000), "it is old");
    let stream = Request { kind: RequestKind::Stream, ..request(5, "GET", "/events", None) };
    assert!(!is_awaited(stream, 100));
    assert!(!is_awaited(request(6, "GET", "/poll", None), 100), "it was asked for again and again");
    let list_fetched_anew = open(request(7, "GET", "/poll", None), 100);
    assert!(!in_flight(&list_fetched_anew, &since(6)).is_empty(), "each action may have asked for it once");
    assert!(is_awaited(request(5, "GET", "/items", None), 100));
    assert!(is_awaited(request(5, "GET", "/", None), 100), "the last action may well have asked for it anew");
    assert!(!is_awaited(request(9, "GET", "/poll?since=7", None), 100), "nobody acted any more");
}

#[test]
fn a_page_that_never_came_to_rest_waits_only_if_it_navigates_or_waits_for_requests() {
    let never = |pending: &str| Observation {
        settled: Settled::Never { pending: vec![pending.to_owned()] },
        ..Observation::default()
    };
    let kinds = [("timers", false), ("animations", false), ("navigation", true), ("requests", true), ("refresh", true)];
    for (pending, is_awaited) in kinds {
        assert_eq!(!in_flight(&never(pending), &RequestHistory::default()).is_empty(), is_awaited, "{pending}");
    }
}

#[test]
fn what_says_that_it_is_busy_is_waited_for_unless_it_was_so_from_the_start() {
    let page = |role: &str, busy: &str, value: Option<&str>| {
        let node = Node {
            role: role.into(),
            text: "Casting off".into(),
            xpath: "/p[1]".into(),
            value: value.map(str::to_owned),
            attributes: [("aria-busy".to_owned(), busy.to_owned())].into_iter().collect(),
            ..Node::default()
        };
        Observation { nodes: vec![node].into(), ..Observation::default() }
    };
    let said = |page: &Observation, start: Option<&Observation>| {
        in_flight(page, &RequestHistory { start, ..RequestHistory::default() })
    };
    let busy = page("status", "true", None);
    assert_eq!(said(&busy, None), ["status \"Casting off\" says that it is busy"]);
    assert_eq!(said(&busy, Some(&Observation::default())).len(), 1);
    assert!(said(&busy, Some(&busy)).is_empty(), "it was busy before anything was done");
    let without_place = |count: usize, role: &str| {
        let node = Node { role: role.into(), xpath: String::new(), ..page(role, "true", None).nodes[0].clone() };
        Observation { nodes: vec![node; count].into(), ..Observation::default() }
    };
    let spinner = without_place(1, "progressbar");
    assert!(said(&spinner, Some(&spinner)).is_empty(), "it turned before anything was done");
    assert_eq!(said(&without_place(1, "status"), Some(&spinner)).len(), 1, "another part is busy");
    assert_eq!(said(&without_place(2, "progressbar"), Some(&spinner)).len(), 1, "a second one turns");
    assert!(said(&page("status", "false", None), None).is_empty());
    assert_eq!(said(&page("progressbar", "", None), None).len(), 1);
    assert!(said(&page("progressbar", "", Some("40")), None).is_empty(), "how full a ship is");
}

#[test]
fn a_fault_that_our_own_gate_caused_is_not_the_sites() {
    let refused = Request { url: "http://cdn.test/lib.js".into(), refused: true, ..request(2, "GET", "", None) };
    let fault = |category, message: &str, source: &str| Fault {
        category,
        message: message.into(),
        source: source.into(),
        line: None,
        first_party: source.starts_with("http://a.test"),
    };
    let with = |faults: Vec<Fault>| {
        let requests = vec![request(1, "GET", "/", Some(200)), refused.clone()];
        Facts { requests, faults, ..Facts::of_look(PageLook::default()) }
    };
    let none = Check::Not(Box::new(Check::Fault(FaultCheck::default())));
    let ours = fault(FaultCategory::Network, "Failed to load resource: net::ERR_FAILED", "http://cdn.test/lib.js");
    assert_eq!(finding(&none, &with(vec![ours.clone()])), Confirmed);
    let follows = fault(FaultCategory::JavaScript, "ReferenceError: lib is not defined", "http://a.test/");
    assert_eq!(finding(&none, &with(vec![ours.clone(), follows])), Undecided);
    let own = fault(FaultCategory::Network, "500 http://a.test/apply", "http://a.test/apply");
    assert_eq!(finding(&none, &with(vec![ours, own])), Refuted);
}

#[test]
fn what_the_page_says_to_be_under_way_or_to_be_taken_back_is_unfinished_unless_it_said_so_at_the_start() {
    let page = |role: &str, text: &str| {
        let operations = if role == "button" { vec![domain::action::ActionKind::Click] } else { Vec::new() };
        let node = Node { role: role.into(), text: text.into(), operations, ..Node::default() };
        Observation { nodes: vec![node].into(), ..Observation::default() }
    };
    for (role, text) in [("status", "Sending\u{2026}"), ("text", "on its way\u{2026}"), ("button", "Undo")] {
        let now = page(role, text);
        assert!(is_unfinished(&now, Some(&page("status", "Ready"))), "{text}");
        assert!(!is_unfinished(&now, Some(&now)), "{text} was there before");
    }
    assert!(!is_unfinished(&page("status", "Sent"), None));
    assert!(!is_unfinished(&page("button", "Saving\u{2026}"), None), "it is the name of a control");
}
