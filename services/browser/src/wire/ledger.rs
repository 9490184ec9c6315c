//! The account of what a profile requested and what went wrong, in whatever order a protocol tells it. Pure but for the clock,
//! which says how long requests are open.

use super::Noticed;
use super::passages::Passages;
use crate::fault;
use domain::Fault;
use domain::observation::{OpenRequest, Request, RequestKind};
use domain::scope::Scope;
use platform::{Clock, SystemClock};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Records kept between two observations; a page that does more is not worth more memory.
const KEPT: usize = 2_000;

/// Characters of an address that are kept.
const LONGEST: usize = 8_000;

/// What was noticed since the last observation, and the requests whose end is still to come.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    scope: Scope,
    /// What passed the gate, by which the browser's account is completed.
    passages: Arc<Passages>,
    /// How many requests of a method to an address the browser told more of than passed the gate so far.
    told: HashMap<(String, String), u32>,
    /// The same of requests that were taken over from the gate's record.
    taken_over: HashMap<(String, String), u32>,
    recent: Vec<(String, Told)>,
    /// Requests without an answer that were handed out already.
    open: BTreeMap<String, Told>,
    /// The number of the latest request.
    number: u64,
    clock: SystemClock,
    noticed: Noticed,
    last_failure: Option<String>,
}

/// A request as far as it was told of.
#[derive(Clone, Debug, Default)]
struct Told {
    request: Request,
    /// When it began, by the clock.
    began: Duration,
    /// Whether it ended without an answer.
    failed: bool,
}

impl Told {
    fn is_open(&self) -> bool {
        self.request.status.is_none() && !self.request.refused && !self.failed
    }
}

impl Ledger {
    /// An empty account of a profile with this scope.
    pub(crate) fn of(scope: Scope, passages: Arc<Passages>) -> Ledger {
        Ledger { scope, passages, ..Ledger::default() }
    }

    /// A request began. `navigates` when its answer would replace a document; `resource` is what DevTools call its type.
    pub(crate) fn began(&mut self, id: &str, method: &str, url: &str, navigates: bool, resource: &str) {
        let Ok(address) = Url::parse(url) else { return };
        if !matches!(address.scheme(), "http" | "https" | "ws" | "wss" | "file" | "ftp") {
            return; // data:, blob: and the browser's own pages never leave it
        }
        let key = key(method, url);
        if take_one(&mut self.taken_over, &key) {
            return; // the gate's record was quicker
        }
        if self.told.len() > KEPT {
            self.told.clear();
        }
        *self.told.entry(key).or_default() += 1;
        self.record(id, method, url, navigates, resource, &address);
    }

    fn record(&mut self, id: &str, method: &str, url: &str, navigates: bool, resource: &str, address: &Url) {
        let refused = self.scope.check(address).is_err();
        if refused && navigates {
            self.noticed.left = Some(url.to_owned());
        }
        if self.recent.len() < KEPT {
            let url = url.chars().take(LONGEST).collect();
            self.number += 1;
            let (method, number) = (method.to_uppercase(), self.number);
            let request = Request { method, url, refused, number, kind: kind_of(resource, navigates), status: None };
            let told = Told { request, began: self.clock.monotonic(), failed: false };
            self.recent.push((id.to_owned(), told));
        }
    }

    /// A request was answered, with content of a type. A redirect's answer belongs to the latest request of that id.
    pub(crate) fn answered(&mut self, id: &str, status: Option<u64>, content_type: &str, page: &str) {
        let status = status.and_then(|status| u16::try_from(status).ok()).filter(|status| *status > 0);
        let request = match self.recent.iter_mut().rev().find(|(other, _)| other == id) {
            Some((_, told)) => &mut told.request,
            None => {
                let Some(told) = self.open.remove(id) else { return };
                self.recent.push((id.to_owned(), told));
                let Some((_, told)) = self.recent.last_mut() else { return };
                &mut told.request
            }
        };
        if request.status.is_some() || request.refused {
            return;
        }
        if status == Some(fault::REFUSED) {
            request.refused = true;
            return;
        }
        request.status = status;
        if content_type.starts_with("text/event-stream") {
            request.kind = RequestKind::Stream;
        }
        let url = request.url.clone();
        self.fault(fault::of_response(&url, status, page));
    }

    /// A request ended without an answer.
    pub(crate) fn failed(&mut self, id: &str, url: &str, cause: &str, page: &str) {
        self.open.remove(id);
        self.last_failure = Some(fault::in_words(cause));
        for (_, told) in self.recent.iter_mut().filter(|(other, _)| other == id) {
            if told.request.refused {
                return; // our own doing
            }
            told.failed = true;
        }
        self.fault(fault::of_failure(url, cause, page));
    }

    /// Address of a request whose end is still to come.
    pub(crate) fn url_of(&self, id: &str) -> Option<String> {
        let recent = self.recent.iter().rev().find(|(other, _)| other == id).map(|(_, told)| told);
        recent.or_else(|| self.open.get(id)).map(|told| told.request.url.clone())
    }

    /// The cause of the latest failure.
    pub(crate) fn last_failure(&self) -> Option<&str> {
        self.last_failure.as_deref()
    }

    /// A download began.
    pub(crate) fn download(&mut self, name: &str) {
        self.noticed.downloads.push(name.to_owned());
    }

    /// A fault was reported.
    pub(crate) fn fault(&mut self, fault: Option<Fault>) {
        if let Some(fault) = fault
            && self.noticed.faults.len() < KEPT
        {
            self.noticed.faults.push(fault);
        }
    }

    /// Adds what passed the gate and the browser did not tell of.
    fn complete(&mut self) {
        for passage in self.passages.clone().take() {
            let id = format!("gate {}", passage.number);
            let key = key(&passage.method, &passage.url);
            if !passage.is_known && !take_one(&mut self.told, &key) {
                let Ok(address) = Url::parse(&passage.url) else { continue };
                self.record(&id, &passage.method, &passage.url, false, "Fetch", &address);
                *self.taken_over.entry(key).or_default() += 1;
            }
            if passage.status.is_some() {
                self.answered(&id, passage.status.map(u64::from), "", "");
            }
        }
    }

    /// Hands out what was noticed.
    pub(crate) fn take(&mut self) -> Noticed {
        self.complete();
        let mut noticed = std::mem::take(&mut self.noticed);
        for (id, told) in self.recent.drain(..) {
            noticed.requests.push(told.request.clone());
            if told.is_open() {
                self.open.insert(id, told);
            }
        }
        while self.open.len() > KEPT {
            self.open.pop_first();
        }
        let now = self.clock.monotonic();
        let age = |told: &Told| now.saturating_sub(told.began).as_millis() as u64;
        let open = self.open.values().map(|told| OpenRequest { request: told.request.clone(), age_ms: age(told) });
        noticed.open = open.collect();
        noticed.open.sort_by_key(|open| open.request.number);
        noticed
    }
}

/// What tells a request again: its method, and its address as servers see it.
fn key(method: &str, url: &str) -> (String, String) {
    (method.to_uppercase(), url.split('#').next().unwrap_or_default().to_owned())
}

/// Takes one away, if there is one.
fn take_one(counts: &mut HashMap<(String, String), u32>, key: &(String, String)) -> bool {
    let Some(count) = counts.get_mut(key) else { return false };
    *count -= 1;
    if *count == 0 {
        counts.remove(key);
    }
    true
}

/// What a request is for, by the type that DevTools give it.
fn kind_of(resource: &str, navigates: bool) -> RequestKind {
    match resource {
        "Document" => RequestKind::Document,
        "XHR" | "Fetch" => RequestKind::Script,
        "Ping" | "CSPViolationReport" => RequestKind::Beacon,
        "EventSource" | "WebSocket" => RequestKind::Stream,
        "Stylesheet" | "Image" | "Media" | "Font" | "Script" | "TextTrack" | "Manifest" | "Prefetch" => {
            RequestKind::Resource
        }
        _ if navigates => RequestKind::Document,
        _ => RequestKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger() -> Ledger {
        Ledger::of(Scope { hosts: vec!["a.org".into()] }, Arc::default())
    }

    #[test]
    fn an_answer_that_comes_after_its_request_was_handed_out_is_told_again_with_its_status() {
        let mut ledger = ledger();
        ledger.began("1", "post", "http://a.org/x", false, "Fetch");
        let first = ledger.take();
        assert_eq!((first.requests[0].status, first.requests[0].kind), (None, RequestKind::Script));
        assert_eq!(first.open[0].request, first.requests[0], "it is open");
        ledger.answered("1", Some(503), "", "http://a.org/");
        let noticed = ledger.take();
        assert_eq!((noticed.requests[0].number, noticed.open.len()), (first.requests[0].number, 0));
        assert_eq!((noticed.requests[0].method.as_str(), noticed.requests[0].status), ("POST", Some(503)));
        assert_eq!(noticed.faults.len(), 1);
    }

    #[test]
    fn what_the_gate_refused_within_the_scope_is_said_so_and_is_no_fault() {
        let mut ledger = ledger();
        ledger.began("1", "post", "http://a.org/order", false, "");
        ledger.answered("1", Some(u64::from(fault::REFUSED)), "", "http://a.org/");
        let noticed = ledger.take();
        assert!(noticed.requests[0].refused && noticed.requests[0].status.is_none());
        assert!(noticed.faults.is_empty(), "{:?}", noticed.faults);
    }

    #[test]
    fn a_navigation_outside_the_scope_is_refused_and_said_so() {
        let mut ledger = ledger();
        ledger.began("1", "GET", "http://b.org/", true, "Document");
        ledger.failed("1", "http://b.org/", "net::ERR_TUNNEL_CONNECTION_FAILED", "http://a.org/");
        let noticed = ledger.take();
        assert_eq!(noticed.left.as_deref(), Some("http://b.org/"));
        assert!(noticed.requests[0].refused && noticed.faults.is_empty() && noticed.open.is_empty());
    }

    #[test]
    fn a_request_that_failed_is_not_open_and_an_answer_of_events_makes_a_stream() {
        let mut ledger = ledger();
        ledger.began("1", "GET", "http://a.org/gone", false, "XHR");
        ledger.failed("1", "http://a.org/gone", "net::ERR_CONNECTION_RESET", "http://a.org/");
        ledger.began("2", "GET", "http://a.org/news", false, "Fetch");
        ledger.answered("2", Some(200), "text/event-stream; charset=utf-8", "http://a.org/");
        let noticed = ledger.take();
        assert!(noticed.open.is_empty(), "{:?}", noticed.open);
        assert_eq!(noticed.requests[1].kind, RequestKind::Stream);
    }
}
