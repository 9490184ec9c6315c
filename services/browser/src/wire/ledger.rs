//! The account of what a profile requested and what went wrong, in whatever order a protocol tells it. Pure.

use super::Noticed;
use crate::fault;
use domain::Fault;
use domain::observation::Request;
use domain::scope::Scope;
use std::collections::BTreeMap;
use url::Url;

/// Records kept between two observations; a page that does more is not worth more memory.
const KEPT: usize = 2_000;

/// Characters of an address that are kept.
const LONGEST: usize = 8_000;

/// What was noticed since the last observation, and the requests whose end is still to come.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    scope: Scope,
    recent: Vec<(String, Request)>,
    /// Requests without an answer that were handed out already.
    open: BTreeMap<String, Request>,
    noticed: Noticed,
    last_failure: Option<String>,
}

impl Ledger {
    /// An empty account of a profile with this scope.
    pub(crate) fn of(scope: Scope) -> Ledger {
        Ledger { scope, ..Ledger::default() }
    }

    /// A request began. `navigates` when its answer would replace a document.
    pub(crate) fn began(&mut self, id: &str, method: &str, url: &str, navigates: bool) {
        let Ok(address) = Url::parse(url) else { return };
        if !matches!(address.scheme(), "http" | "https" | "ws" | "wss" | "file" | "ftp") {
            return; // data:, blob: and the browser's own pages never leave it
        }
        let refused = self.scope.check(&address).is_err();
        if refused && navigates {
            self.noticed.left = Some(url.to_owned());
        }
        if self.recent.len() < KEPT {
            let url = url.chars().take(LONGEST).collect();
            let request = Request { method: method.to_uppercase(), url, refused, ..Request::default() };
            self.recent.push((id.to_owned(), request));
        }
    }

    /// A request was answered. A redirect's answer belongs to the latest request of that id.
    pub(crate) fn answered(&mut self, id: &str, status: Option<u64>, page: &str) {
        let status = status.and_then(|status| u16::try_from(status).ok()).filter(|status| *status > 0);
        let request = match self.recent.iter_mut().rev().find(|(other, _)| other == id) {
            Some((_, request)) => request,
            None => {
                let Some(request) = self.open.remove(id) else { return };
                self.recent.push((id.to_owned(), request));
                let Some((_, request)) = self.recent.last_mut() else { return };
                request
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
        let url = request.url.clone();
        self.fault(fault::of_response(&url, status, page));
    }

    /// A request ended without an answer.
    pub(crate) fn failed(&mut self, id: &str, url: &str, cause: &str, page: &str) {
        self.open.remove(id);
        self.last_failure = Some(fault::in_words(cause));
        if self.recent.iter().any(|(other, request)| other == id && request.refused) {
            return; // our own doing
        }
        self.fault(fault::of_failure(url, cause, page));
    }

    /// Address of a request whose end is still to come.
    pub(crate) fn url_of(&self, id: &str) -> Option<String> {
        let recent = self.recent.iter().rev().find(|(other, _)| other == id).map(|(_, request)| request);
        recent.or_else(|| self.open.get(id)).map(|request| request.url.clone())
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

    /// Hands out what was noticed.
    pub(crate) fn take(&mut self) -> Noticed {
        let mut noticed = std::mem::take(&mut self.noticed);
        for (id, request) in self.recent.drain(..) {
            if request.status.is_none() && !request.refused {
                self.open.insert(id, request.clone());
            }
            noticed.requests.push(request);
        }
        while self.open.len() > KEPT {
            self.open.pop_first();
        }
        noticed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger() -> Ledger {
        Ledger::of(Scope { hosts: vec!["a.org".into()] })
    }

    #[test]
    fn an_answer_that_comes_after_its_request_was_handed_out_is_told_again_with_its_status() {
        let mut ledger = ledger();
        ledger.began("1", "post", "http://a.org/x", false);
        assert_eq!(ledger.take().requests[0].status, None);
        ledger.answered("1", Some(503), "http://a.org/");
        let noticed = ledger.take();
        assert_eq!((noticed.requests[0].method.as_str(), noticed.requests[0].status), ("POST", Some(503)));
        assert_eq!(noticed.faults.len(), 1);
    }

    #[test]
    fn what_the_gate_refused_within_the_scope_is_said_so_and_is_no_fault() {
        let mut ledger = ledger();
        ledger.began("1", "post", "http://a.org/order", false);
        ledger.answered("1", Some(u64::from(fault::REFUSED)), "http://a.org/");
        let noticed = ledger.take();
        assert!(noticed.requests[0].refused && noticed.requests[0].status.is_none());
        assert!(noticed.faults.is_empty(), "{:?}", noticed.faults);
    }

    #[test]
    fn a_navigation_outside_the_scope_is_refused_and_said_so() {
        let mut ledger = ledger();
        ledger.began("1", "GET", "http://b.org/", true);
        ledger.failed("1", "http://b.org/", "net::ERR_TUNNEL_CONNECTION_FAILED", "http://a.org/");
        let noticed = ledger.take();
        assert_eq!(noticed.left.as_deref(), Some("http://b.org/"));
        assert!(noticed.requests[0].refused && noticed.faults.is_empty());
    }
}
