//! What explorations send, judged before it leaves: the rules of [`domain::harm`] over method, address and fields, under the licence
//! of the action that is under way. What is refused is counted by its rule.

use domain::exploration::Guards;
use domain::harm::{Licence, Opens, RefusedRequest, Rule, Sent, fields_of, refused, refused_message};
use futures::stream::{self, StreamExt as _};
use http_body_util::{BodyDataStream, BodyExt as _};
use hyper::Request;
use hyper::body::{Bytes, Incoming};
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, LOCATION, REFERER};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use url::Url;

/// Bytes of a body that are read for its fields; the rest passes unread.
const READ: usize = 1 << 20;
/// Refused requests that are kept until they are asked for.
const KEPT: usize = 1_000;
/// Addresses that answers led to, and that are remembered.
const LED_TO: usize = 64;
/// What a message over a WebSocket is called where requests have a method.
const MESSAGE: &str = "MESSAGE";
/// Headers that name the method which is meant.
const INSTEAD: [&str; 3] = ["x-http-method-override", "x-http-method", "x-method-override"];

/// The rules for what a profile sends, where it explores. Shared by the gate and the profile.
#[derive(Debug, Default)]
pub(crate) struct Safety {
    guards: Option<Guards>,
    licence: Mutex<Licence>,
    refusals: Mutex<Vec<RefusedRequest>>,
    led_to: Mutex<VecDeque<Url>>,
}

/// A request's body: what was read of it, and the rest.
pub(super) struct Body {
    read: Vec<Bytes>,
    rest: Incoming,
}

impl Safety {
    pub(super) fn new(guards: Option<Guards>) -> Arc<Self> {
        Arc::new(Self { guards, ..Self::default() })
    }

    /// Says what requests may do from now on.
    pub(crate) fn license(&self, licence: Licence) {
        *self.licence.lock() = licence;
    }

    /// The requests that were refused since this was last asked.
    pub(crate) fn take_refusals(&self) -> Vec<RefusedRequest> {
        std::mem::take(&mut *self.refusals.lock())
    }

    /// The site answered: where its answer leads, it leads by itself.
    pub(super) fn answered(&self, url: &Url, headers: &HeaderMap) {
        let location = headers.get(LOCATION).and_then(|location| location.to_str().ok());
        let target = location.filter(|_| self.guards.is_some()).and_then(|location| url.join(location).ok());
        if let Some(mut target) = target {
            target.set_fragment(None);
            let mut led_to = self.led_to.lock();
            led_to.truncate(LED_TO - 1);
            led_to.push_front(target);
        }
    }

    /// What the page asks to have opened: neither the one who explores does, nor an answer of the site.
    fn opens(&self, headers: &HeaderMap, url: &Url, navigates: bool) -> Opens {
        let accepted = headers.get(ACCEPT).map(|accepted| accepted.as_bytes()).unwrap_or_default();
        if accepted.eq_ignore_ascii_case(b"text/event-stream") {
            return Opens::Stream;
        }
        let is_of_page = match headers.get("sec-fetch-site") {
            Some(site) => site != "none",
            // Browsers say so to origins that they trust.
            None => headers.contains_key(REFERER),
        };
        let opens = navigates && is_of_page && !self.led_to.lock().contains(url);
        if opens { Opens::Page } else { Opens::Nothing }
    }

    /// The rule that a request breaks, and its body as it is to be sent on.
    pub(super) async fn judge(
        &self,
        request: Request<Incoming>,
        url: &Url,
        navigates: bool,
    ) -> (Option<Rule>, Request<Body>) {
        let (parts, rest) = request.into_parts();
        let mut body = Body { read: Vec::new(), rest };
        let Some(guards) = &self.guards else { return (None, Request::from_parts(parts, body)) };
        if !parts.method.is_safe() {
            body.read().await;
        }
        let head = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let kind = head(CONTENT_TYPE.as_str()).unwrap_or_default();
        let sent = Sent {
            method: parts.method.as_str(),
            url,
            instead: INSTEAD.iter().find_map(|name| head(name)),
            fields: fields_of(kind, &body.read.concat()),
            opens: self.opens(&parts.headers, url, navigates),
        };
        (self.rule_of(&sent, guards), Request::from_parts(parts, body))
    }

    /// The rule that the opening of a WebSocket breaks.
    pub(super) fn judge_socket(&self, url: &Url) -> Option<Rule> {
        let guards = self.guards.as_ref()?;
        self.rule_of(&Sent { method: "GET", url, instead: None, fields: Vec::new(), opens: Opens::Stream }, guards)
    }

    /// Whether what is sent is judged at all.
    pub(super) fn judges(&self) -> bool {
        self.guards.is_some()
    }

    /// The rule that a message breaks which a page sends over a WebSocket.
    pub(super) fn judge_message(&self, text: &str, path: &str) -> Option<Rule> {
        let rule = refused_message(text, path, *self.licence.lock(), self.guards.as_ref()?)?;
        self.count(rule, MESSAGE, path);
        Some(rule)
    }

    /// The rule that a request breaks; it is counted then.
    fn rule_of(&self, sent: &Sent<'_>, guards: &Guards) -> Option<Rule> {
        let rule = refused(sent, *self.licence.lock(), guards)?;
        self.count(rule, sent.method, sent.url.path());
        Some(rule)
    }

    fn count(&self, rule: Rule, method: &str, path: &str) {
        tracing::info!(%rule, method, path, "refused a request of an exploration");
        let mut refusals = self.refusals.lock();
        if refusals.len() < KEPT {
            refusals.push(RefusedRequest { rule, method: method.to_owned(), path: path.to_owned() });
        }
    }
}

impl Body {
    async fn read(&mut self) {
        let mut size = 0;
        while size < READ
            && let Some(Ok(frame)) = self.rest.frame().await
        {
            if let Ok(data) = frame.into_data() {
                size += data.len();
                self.read.push(data);
            }
        }
    }

    /// All of it, as it came.
    pub(super) fn whole(self) -> reqwest::Body {
        let read = stream::iter(self.read.into_iter().map(Ok));
        reqwest::Body::wrap_stream(read.chain(BodyDataStream::new(self.rest)))
    }
}
