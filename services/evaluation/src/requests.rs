//! Merges records of requests, and finds those that may still change the page. Pure.

use domain::observation::{Node, OpenRequest, Request, RequestKind, Settled};
use domain::unfinished::{is_under_way, takes_back, trails_off};
use domain::{Fault, Observation, fault::FaultCategory};
use std::collections::HashSet;
use url::Url;

/// Milliseconds after which a request without an answer is no longer waited for.
pub const YOUNG_MS: u64 = 10_000;

/// Merges records of the same request, in order of their start. A request is reported when it is sent and again with
/// its response.
pub fn merge(records: impl IntoIterator<Item = Request>) -> Vec<Request> {
    let mut merged: Vec<Request> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for record in records {
        let known = match record.number {
            0 => merged.iter().rposition(|known| known.number == 0 && is_told_again(known, &record)),
            number => places.get(&number).copied(),
        };
        match known.and_then(|place: usize| merged.get_mut(place)) {
            Some(known) => {
                known.status = record.status.or(known.status);
                known.refused |= record.refused;
            }
            None => {
                if record.number > 0 {
                    places.insert(record.number, merged.len());
                }
                merged.push(record);
            }
        }
    }
    merged
}

fn is_told_again(known: &Request, record: &Request) -> bool {
    known.status.is_none() && record.status.is_some() && known.method == record.method && known.url == record.url
}

/// Earlier requests of the attempt, to distinguish polls from requests that the page waits for.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestHistory<'a> {
    /// Every request of the attempt.
    pub requests: &'a [Request],
    /// Number of the first request caused by the last action; 0 where unknown.
    pub last_action: u64,
    /// Number of the first request after the end of the attempt; 0 where unknown.
    pub ended: u64,
    /// The page before the first action: what is busy there is always busy.
    pub start: Option<&'a Observation>,
}

/// What may still change a page, in words: navigations, announced ones included; busy indicators; and requests younger
/// than [`YOUNG_MS`]. Streams, sockets and polls never end and are not waited for.
pub fn in_flight(observation: &Observation, history: &RequestHistory<'_>) -> Vec<String> {
    let is_awaited = |open: &&OpenRequest| {
        open.age_ms < YOUNG_MS && open.request.kind != RequestKind::Stream && !is_poll(&open.request, history)
    };
    let mut found: Vec<String> = observation.open_requests.iter().filter(is_awaited).map(describe_open).collect();
    if let Settled::Never { pending } = &observation.settled {
        let is_pending = |kind: &str| pending.iter().any(|pending| pending == kind);
        if is_pending("navigation") {
            found.push("the page is still navigating".to_owned());
        }
        if is_pending("refresh") {
            found.push("the page says that another takes its place in a moment".to_owned());
        }
        // An observation without a list of open requests.
        if is_pending("requests") && observation.open_requests.is_empty() {
            found.push("the page still waits for requests".to_owned());
        }
    }
    let at_start: Vec<&Node> =
        history.start.iter().flat_map(|start| start.nodes.iter()).filter(|node| node.is_busy()).collect();
    let now: Vec<&Node> = observation.nodes.iter().filter(|node| node.is_busy()).collect();
    let like = |node: &Node, others: &[&Node]| others.iter().filter(|other| is_same_part(other, node)).count();
    // Of several alike, as many as were busy at the start are nothing new.
    let is_new = |at: usize, node: &Node| like(node, now.get(..at).unwrap_or_default()) >= like(node, &at_start);
    let busy = now.iter().enumerate().filter(|(at, node)| is_new(*at, node)).map(|(_, node)| node);
    found.extend(busy.map(|node| format!("{} \"{}\" says that it is busy", node.role, node.label())));
    found
}

/// Whether two descriptions are of one part of the page. Most parts that are only busy are described without their position.
fn is_same_part(a: &Node, b: &Node) -> bool {
    let looks_alike = || {
        (a.frame, &a.tag, &a.role, &a.name, a.attribute("id")) == (b.frame, &b.tag, &b.role, &b.name, b.attribute("id"))
    };
    a.xpath == b.xpath && (!a.xpath.is_empty() || looks_alike())
}

/// Whether the page says that what was done is not through yet: a new text that tells of work, such as `Sending…`, or a new control
/// that takes it back. Either may also stay for good, so that it is waited for and decides nothing.
pub fn is_unfinished(observation: &Observation, start: Option<&Observation>) -> bool {
    let takes_it_back = |node: &Node| node.is_interactive() && takes_back(node.label()) && is_new(node, start);
    // `on its way…`: a few words that trail off, in whatever language.
    let trails_off = |node: &Node| !node.is_interactive() && trails_off(&node.text) && is_new(node, start);
    let is_open = |node: &Node| takes_it_back(node) || trails_off(node);
    tells_of_work(observation, start) || observation.nodes.iter().any(is_open)
}

/// Whether a text that was not there at the start tells of work that goes on.
pub fn tells_of_work(observation: &Observation, start: Option<&Observation>) -> bool {
    let tells = |node: &Node| !node.is_interactive() && is_under_way(&node.text) && is_new(node, start);
    observation.nodes.iter().any(tells)
}

fn is_new(node: &Node, start: Option<&Observation>) -> bool {
    !start.is_some_and(|start| start.nodes.iter().any(|old| old.role == node.role && old.label() == node.label()))
}

/// Whether the page shows a percentage below 100 that it did not show a moment ago.
pub fn counts_on(before: &Observation, now: &Observation) -> bool {
    let percent = |text: &str| {
        let number = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        number.is_some_and(|percent| (0.0..100.0).contains(&percent))
    };
    now.nodes.iter().any(|node| percent(&node.text) && !before.nodes.iter().any(|old| old.text == node.text))
}

fn describe_open(open: &OpenRequest) -> String {
    let OpenRequest { request, age_ms } = open;
    let seconds = *age_ms as f64 / 1000.0;
    format!("{} {} has no answer after {seconds:.1} s", request.method, request.url)
}

/// Whether a request is a poll: the page requested its address before, and not because of the last action; or often, and by itself since
/// that action; or it repeats its path after the end of the attempt. What an action makes the page fetch anew is none, however often
/// earlier actions did.
fn is_poll(open: &Request, history: &RequestHistory<'_>) -> bool {
    if open.method != "GET" {
        return false;
    }
    let earlier = history.requests.iter().filter(|request| request.number != open.number || open.number == 0);
    let is_since = |request: &Request| history.last_action == 0 || request.number >= history.last_action;
    let (mut same, mut again) = (0, false);
    let mut same_path = false;
    for request in earlier.filter(|request| request.method == "GET" && !request.refused && request.status.is_some()) {
        let is_same = request.url == open.url;
        same += u32::from(is_same);
        again |= is_same && is_since(request);
        same_path |= path(&request.url) == path(&open.url) && is_since(request);
    }
    let is_after_end = history.ended > 0 && open.number >= history.ended;
    same >= 2 && again || same >= 1 && !is_since(open) || same_path && is_after_end
}

/// The status of the document at an address: the last response for it, after redirects.
pub fn document_status(address: &str, requests: &[Request]) -> Option<u16> {
    statuses(address, requests).last()
}

/// The status of the document at an address when it was opened first.
pub fn first_status(address: &str, requests: &[Request]) -> Option<u16> {
    statuses(address, requests).next()
}

fn statuses(address: &str, requests: &[Request]) -> impl Iterator<Item = u16> {
    let without_fragment = |url: &str| url.split('#').next().unwrap_or_default().to_owned();
    let page = without_fragment(address);
    let is_document = |kind| matches!(kind, RequestKind::Document | RequestKind::Other);
    let is_its = move |request: &&Request| {
        !request.refused && is_document(request.kind) && without_fragment(&request.url) == page
    };
    requests.iter().filter(is_its).filter_map(|request| request.status)
}

/// The first request, from one number on, by which a page's own script changes the site or tries to.
pub fn first_change(requests: &[Request], from: u64) -> Option<&Request> {
    let is_change = |request: &&Request| request.kind == RequestKind::Script && !request.is_safe() && !request.refused;
    requests.iter().filter(is_change).find(|request| request.number >= from)
}

/// Whether a page, which began to ask for the same again and again after a request, did so since another one: it may wait for a job that
/// was begun.
pub fn asks_again(requests: &[Request], begun: u64, since: u64) -> bool {
    let questions = || requests.iter().filter(|request| request.kind == RequestKind::Script && request.method == "GET");
    questions().filter(|request| request.number > since.max(begun)).any(|request| {
        let mut same = questions().filter(|other| path(&other.url) == path(&request.url));
        same.next().is_some_and(|first| first.number > begun && first.number < request.number)
    })
}

fn path(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}

/// Requests that our own gate refused.
pub fn refused(requests: &[Request]) -> Vec<&Request> {
    requests.iter().filter(|request| request.refused).collect()
}

/// Whether a fault is caused by our gate, which refuses out-of-scope requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The site's own.
    Site,
    /// A refused request, reported as a fault.
    Gate,
    /// It may be a consequence of a refused request, such as a missing script or a failed call.
    Unclear,
}

/// Determines the cause of a fault.
pub fn blame(fault: &Fault, requests: &[Request]) -> Blame {
    let refused = refused(requests);
    if refused.is_empty() {
        return Blame::Site;
    }
    let addresses: HashSet<&str> = refused.iter().map(|request| request.url.as_str()).collect();
    let names = |url: &&str| fault.source == **url || fault.message.contains(*url);
    match fault.category {
        FaultCategory::JavaScript => {
            let signs = [
                "is not defined",
                "Failed to fetch",
                "NetworkError",
                "Load failed",
                "Failed to load",
                "dynamically imported module",
            ];
            if signs.iter().any(|sign| fault.message.contains(sign)) { Blame::Unclear } else { Blame::Site }
        }
        _ if addresses.iter().any(names) || is_of_refused_host(fault, &refused) => Blame::Gate,
        _ => Blame::Site,
    }
}

/// Browsers report some refusals with the connection's address only.
fn is_of_refused_host(fault: &Fault, refused: &[&Request]) -> bool {
    let origin = |address: &str| Url::parse(address).ok().map(|url| url.origin());
    let source = origin(&fault.source);
    fault.category == FaultCategory::Network
        && !fault.first_party
        && source.is_some()
        && refused.iter().any(|request| origin(&request.url) == source)
}
