//! Log of a profile's requests and faults, in whatever order a protocol reports them. Pure except for the clock, which
//! measures how long requests are open.

use super::passages::Passages;
use super::{OfferedFile, PageActivity};
use crate::fault;
use domain::Fault;
use domain::observation::{OpenRequest, Request, RequestKind};
use domain::scope::Scope;
use platform::{Clock, SystemClock};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Most records kept between two observations.
const KEPT: usize = 2_000;

/// The status of an answer that the browser's cache has.
const NOT_MODIFIED: u16 = 304;

/// Longest address kept, in characters.
const LONGEST: usize = 8_000;

/// Activity since the last observation, and requests that are still open.
#[derive(Debug, Default)]
pub(crate) struct NetworkLog {
    scope: Scope,
    /// The gate's log, which completes what the browser reports.
    passages: Arc<Passages>,
    /// By method and address: the numbers of requests that the browser reported and that were not found in the gate's log so far.
    told: HashMap<(String, String), VecDeque<u64>>,
    /// By the gate's number: the number of the reported request, while the gate waits for the answer.
    matched: HashMap<u64, u64>,
    /// Requests that change something and that an observation has already reported with their answers.
    handed_out: VecDeque<Request>,
    /// By method and address: how many requests were taken over from the gate's log.
    taken_over: HashMap<(String, String), u32>,
    recent: Vec<(String, RequestRecord)>,
    /// Open requests that an observation has already reported.
    open: BTreeMap<String, RequestRecord>,
    /// The number of the latest request.
    number: u64,
    clock: SystemClock,
    activity: PageActivity,
    last_failure: Option<String>,
}

/// A request as reported so far.
#[derive(Clone, Debug, Default)]
struct RequestRecord {
    request: Request,
    /// When it began, by the clock.
    began: Duration,
    /// Whether it ended without a response.
    failed: bool,
}

impl RequestRecord {
    fn is_open(&self) -> bool {
        self.request.status.is_none() && !self.request.refused && !self.failed
    }
}

impl NetworkLog {
    /// An empty log for a profile with this scope.
    pub(crate) fn of(scope: Scope, passages: Arc<Passages>) -> NetworkLog {
        NetworkLog { scope, passages, ..NetworkLog::default() }
    }

    /// Records the start of a request. `navigates` if its response would replace a document; `resource` is DevTools'
    /// resource type.
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
        let number = self.record(id, method, url, navigates, resource, &address);
        self.told.entry(key).or_default().push_back(number);
    }

    /// Keeps a request and answers its number; 0 where there are too many to keep it.
    fn record(&mut self, id: &str, method: &str, url: &str, navigates: bool, resource: &str, address: &Url) -> u64 {
        let refused = self.scope.check(address).is_err();
        if refused && navigates {
            self.activity.left = Some(url.to_owned());
        }
        if self.recent.len() >= KEPT {
            return 0;
        }
        self.number += 1;
        let url = url.chars().take(LONGEST).collect();
        let (method, number) = (method.to_uppercase(), self.number);
        let request = Request { method, url, refused, number, kind: kind_of(resource, navigates), status: None };
        let told = RequestRecord { request, began: self.clock.monotonic(), failed: false };
        self.recent.push((id.to_owned(), told));
        number
    }

    /// Records a response with its content type. A redirect's response belongs to the latest request of that id.
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

    /// Records that a request ended without a response.
    pub(crate) fn failed(&mut self, id: &str, url: &str, cause: &str, page: &str) {
        self.last_failure = Some(fault::in_words(cause));
        // The end of a chain of redirects is told under a count that no request of it had.
        let chain = |id: &str| id.split('+').next().map(str::to_owned);
        self.open.retain(|other, _| chain(other) != chain(id));
        for (_, told) in self.recent.iter_mut().filter(|(other, _)| chain(other) == chain(id)) {
            if told.request.refused {
                return; // our own doing
            }
            told.failed |= told.request.status.is_none();
        }
        self.fault(fault::of_failure(url, cause, page));
    }

    /// The address of an open request.
    pub(crate) fn url_of(&self, id: &str) -> Option<String> {
        let recent = self.recent.iter().rev().find(|(other, _)| other == id).map(|(_, told)| told);
        recent.or_else(|| self.open.get(id)).map(|told| told.request.url.clone())
    }

    /// The cause of the latest failure.
    pub(crate) fn last_failure(&self) -> Option<&str> {
        self.last_failure.as_deref()
    }

    /// Records a download.
    pub(crate) fn download(&mut self, name: &str, url: &str) {
        self.activity.downloads.push(OfferedFile { name: name.to_owned(), url: url.to_owned() });
    }

    /// Records a fault.
    pub(crate) fn fault(&mut self, fault: Option<Fault>) {
        if let Some(fault) = fault
            && self.activity.faults.len() < KEPT
        {
            self.activity.faults.push(fault);
        }
    }

    /// Adds requests that passed the gate and that the browser did not report.
    fn complete(&mut self) {
        if self.matched.len() > KEPT {
            self.matched.clear(); // requests that were never answered
        }
        for passage in self.passages.clone().take() {
            let id = format!("gate {}", passage.number);
            let key = key(&passage.method, &passage.url);
            if !passage.is_known {
                match self.take_told(&key) {
                    Some(number) => _ = self.matched.insert(passage.number, number),
                    None => {
                        let Ok(address) = Url::parse(&passage.url) else { continue };
                        self.record(&id, &passage.method, &passage.url, false, "Fetch", &address);
                        *self.taken_over.entry(key).or_default() += 1;
                    }
                }
            }
            let Some(status) = passage.status else { continue };
            match self.matched.remove(&passage.number) {
                Some(number) => self.correct(number, status),
                None => self.answered(&id, Some(u64::from(status)), "", ""),
            }
        }
    }

    /// The number of the earliest reported request of this key that the gate's log has not confirmed.
    fn take_told(&mut self, key: &(String, String)) -> Option<u64> {
        let numbers = self.told.get_mut(key)?;
        let number = numbers.pop_front();
        if numbers.is_empty() {
            self.told.remove(key);
        }
        number
    }

    /// Corrects a request of which the browser told another request's answer: of a worker's request that was redirected, it may
    /// tell the last answer as the first. A refusal or a redirection that passed the gate is what that request was answered.
    ///
    /// Only for methods that change something: others may be answered from the browser's cache, past the gate.
    fn correct(&mut self, number: u64, status: u16) {
        let is_refusal = (300..400).contains(&status) && status != NOT_MODIFIED || status >= 400;
        if !is_refusal || status == fault::REFUSED {
            return;
        }
        let wrong = |request: &Request| request.number == number && request.status.is_some_and(|told| told != status);
        if let Some((_, told)) = self.recent.iter_mut().find(|(_, told)| wrong(&told.request)) {
            if !told.request.is_safe() {
                told.request.status = Some(status);
            }
        } else if let Some(request) = self.handed_out.iter().find(|request| wrong(request)) {
            let request = Request { status: Some(status), ..request.clone() };
            let again = RequestRecord { request, began: self.clock.monotonic(), failed: false };
            self.recent.push((format!("corrected {number}"), again));
        }
    }

    /// Takes the activity so far.
    pub(crate) fn take(&mut self) -> PageActivity {
        self.complete();
        let mut activity = std::mem::take(&mut self.activity);
        for (id, told) in self.recent.drain(..) {
            activity.requests.push(told.request.clone());
            if told.request.status.is_some() && !told.request.is_safe() {
                self.handed_out.push_back(told.request.clone());
            }
            if told.is_open() {
                self.open.insert(id, told);
            }
        }
        while self.open.len() > KEPT {
            self.open.pop_first();
        }
        while self.handed_out.len() > KEPT {
            self.handed_out.pop_front();
        }
        let now = self.clock.monotonic();
        let age = |told: &RequestRecord| now.saturating_sub(told.began).as_millis() as u64;
        let open = self.open.values().map(|told| OpenRequest { request: told.request.clone(), age_ms: age(told) });
        activity.open = open.collect();
        activity.open.sort_by_key(|open| open.request.number);
        activity
    }
}

/// The identity of a request: its method, and its address as servers see it.
fn key(method: &str, url: &str) -> (String, String) {
    (method.to_uppercase(), url.split('#').next().unwrap_or_default().to_owned())
}

/// Decrements a count, if there is one.
fn take_one(counts: &mut HashMap<(String, String), u32>, key: &(String, String)) -> bool {
    let Some(count) = counts.get_mut(key) else { return false };
    *count -= 1;
    if *count == 0 {
        counts.remove(key);
    }
    true
}

/// The kind of a request, by DevTools' resource type.
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

    fn network() -> NetworkLog {
        NetworkLog::of(Scope { hosts: vec!["a.org".into()] }, Arc::default())
    }

    #[test]
    fn an_answer_that_comes_after_its_request_was_handed_out_is_told_again_with_its_status() {
        let mut network = network();
        network.began("1", "post", "http://a.org/x", false, "Fetch");
        let first = network.take();
        assert_eq!((first.requests[0].status, first.requests[0].kind), (None, RequestKind::Script));
        assert_eq!(first.open[0].request, first.requests[0], "it is open");
        network.answered("1", Some(503), "", "http://a.org/");
        let activity = network.take();
        assert_eq!((activity.requests[0].number, activity.open.len()), (first.requests[0].number, 0));
        assert_eq!((activity.requests[0].method.as_str(), activity.requests[0].status), ("POST", Some(503)));
        assert_eq!(activity.faults.len(), 1);
    }

    #[tokio::test]
    async fn the_gate_corrects_an_answer_that_belongs_to_the_request_a_redirection_led_to() {
        for is_handed_out_before in [false, true] {
            let mut network = network();
            network.began("1", "PUT", "http://a.org/save", false, "Fetch");
            network.answered("1", Some(200), "", "http://a.org/");
            let told = is_handed_out_before.then(|| network.take());
            let passage = network.passages.began("PUT", "http://a.org/save");
            network.passages.answered(passage, 307);
            tokio::time::sleep(Passages::LAG).await;
            let activity = network.take();
            let [request] = activity.requests.as_slice() else { panic!("{activity:?}") };
            assert_eq!((request.status, request.number), (Some(307), 1));
            assert!(told.is_none_or(|told| told.requests[0].status == Some(200)));
        }
    }

    #[test]
    fn what_the_gate_refused_within_the_scope_is_said_so_and_is_no_fault() {
        let mut network = network();
        network.began("1", "post", "http://a.org/order", false, "");
        network.answered("1", Some(u64::from(fault::REFUSED)), "", "http://a.org/");
        let activity = network.take();
        assert!(activity.requests[0].refused && activity.requests[0].status.is_none());
        assert!(activity.faults.is_empty(), "{:?}", activity.faults);
    }

    #[test]
    fn a_navigation_outside_the_scope_is_refused_and_said_so() {
        let mut network = network();
        network.began("1", "GET", "http://b.org/", true, "Document");
        network.failed("1", "http://b.org/", "net::ERR_TUNNEL_CONNECTION_FAILED", "http://a.org/");
        let activity = network.take();
        assert_eq!(activity.left.as_deref(), Some("http://b.org/"));
        assert!(activity.requests[0].refused && activity.faults.is_empty() && activity.open.is_empty());
    }

    #[test]
    fn a_request_that_failed_is_not_open_and_an_answer_of_events_makes_a_stream() {
        let mut network = network();
        network.began("1", "GET", "http://a.org/gone", false, "XHR");
        network.failed("1", "http://a.org/gone", "net::ERR_CONNECTION_RESET", "http://a.org/");
        network.began("2", "GET", "http://a.org/news", false, "Fetch");
        network.answered("2", Some(200), "text/event-stream; charset=utf-8", "http://a.org/");
        let activity = network.take();
        assert!(activity.open.is_empty(), "{:?}", activity.open);
        assert_eq!(activity.requests[1].kind, RequestKind::Stream);
    }
}
