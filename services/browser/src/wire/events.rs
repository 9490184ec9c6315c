//! What BiDi events say about one profile: its tabs, its dialog, its requests, its faults. Pure: an event goes in, state
//! changes.

use super::{Noticed, TabState};
use crate::fault;
use domain::observation::{Dialog, Request};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

/// Events that a session subscribes to.
pub(crate) const SUBSCRIBED: [&str; 13] = [
    "browsingContext.contextCreated",
    "browsingContext.contextDestroyed",
    "browsingContext.navigationCommitted",
    "browsingContext.fragmentNavigated",
    "browsingContext.historyUpdated",
    "browsingContext.userPromptOpened",
    "browsingContext.userPromptClosed",
    "browsingContext.downloadWillBegin",
    "log.entryAdded",
    "network.beforeRequestSent",
    "network.responseStarted",
    "network.responseCompleted",
    "network.fetchError",
];

/// Records kept between two observations; a page that does more is not worth more memory.
const KEPT: usize = 2_000;

/// The state of one profile, as far as events tell.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    profile: String,
    contexts: HashSet<String>,
    /// Top-level contexts, oldest first.
    pub(crate) tabs: Vec<TabState>,
    /// The open dialog and the tab it belongs to.
    pub(crate) dialog: Option<(String, Dialog)>,
    requests: Vec<(String, Request)>,
    /// Requests by id whose end is still to come, so that later events find them after they were handed out.
    open: BTreeMap<String, Request>,
    noticed: Noticed,
}

impl Seen {
    /// Nothing seen yet of the profile with this user context.
    pub(crate) fn of(profile: &str) -> Seen {
        Seen { profile: profile.to_owned(), ..Seen::default() }
    }

    /// Adds a tab that we opened ourselves; its event may come before or after.
    pub(crate) fn add_tab(&mut self, context: &str, url: &str) {
        self.contexts.insert(context.to_owned());
        if !self.tabs.iter().any(|tab| tab.id == context) {
            self.tabs.push(TabState { id: context.to_owned(), url: url.to_owned() });
        }
    }

    /// Hands out what was noticed.
    pub(crate) fn take(&mut self) -> Noticed {
        let mut noticed = std::mem::take(&mut self.noticed);
        for (id, request) in self.requests.drain(..) {
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

    /// Takes an event in. Events of other profiles change nothing.
    pub(crate) fn apply(&mut self, method: &str, params: &Value) {
        let context = text(params, "context");
        if method == "browsingContext.contextCreated" {
            if text(params, "userContext") == self.profile {
                self.contexts.insert(context.to_owned());
                if params["parent"].is_null() {
                    self.add_tab(context, text(params, "url"));
                }
            }
            return;
        }
        let source = params["source"]["context"].as_str().unwrap_or(context);
        if !self.contexts.contains(source) {
            return;
        }
        match method {
            "browsingContext.contextDestroyed" => {
                self.contexts.remove(context);
                self.tabs.retain(|tab| tab.id != context);
                if self.dialog.as_ref().is_some_and(|(tab, _)| tab == context) {
                    self.dialog = None;
                }
            }
            "browsingContext.navigationCommitted"
            | "browsingContext.fragmentNavigated"
            | "browsingContext.historyUpdated" => {
                if let Some(tab) = self.tabs.iter_mut().find(|tab| tab.id == context) {
                    tab.url = text(params, "url").to_owned();
                }
            }
            "browsingContext.userPromptOpened" => {
                let dialog =
                    Dialog { kind: text(params, "type").to_owned(), message: text(params, "message").to_owned() };
                self.dialog = Some((context.to_owned(), dialog));
            }
            "browsingContext.userPromptClosed" => self.dialog = None,
            "browsingContext.downloadWillBegin" => {
                self.noticed.downloads.push(text(params, "suggestedFilename").to_owned());
            }
            "log.entryAdded" => self.fault(fault::of_log(params, &self.url_of(source))),
            _ => self.network(method, params),
        }
    }

    fn network(&mut self, method: &str, params: &Value) {
        let id = params["request"]["request"].as_str().unwrap_or_default();
        let url = params["request"]["url"].as_str().unwrap_or_default();
        if url.starts_with("data:") {
            return;
        }
        let page = self.url_of(text(params, "context"));
        match method {
            "network.beforeRequestSent" => {
                if self.requests.len() < KEPT {
                    let method = params["request"]["method"].as_str().unwrap_or_default().to_uppercase();
                    self.requests.push((id.to_owned(), Request { method, url: url.to_owned(), ..Request::default() }));
                }
            }
            "network.responseStarted" => self.answered(id, params["response"]["status"].as_u64()),
            "network.responseCompleted" => {
                let status = params["response"]["status"].as_u64();
                self.answered(id, status);
                self.fault(fault::of_response(url, status, &page));
            }
            "network.fetchError" => {
                let cause = text(params, "errorText");
                self.open.remove(id);
                self.fault(fault::of_failure(url, cause, &page));
            }
            _ => {}
        }
    }

    fn answered(&mut self, id: &str, status: Option<u64>) {
        let status = status.and_then(|status| u16::try_from(status).ok()).filter(|status| *status > 0);
        if let Some((_, request)) = self.requests.iter_mut().rev().find(|(other, _)| other == id) {
            request.status = status;
        } else if let Some(request) = self.open.remove(id) {
            self.requests.push((id.to_owned(), Request { status, ..request }));
        }
    }

    fn fault(&mut self, fault: Option<domain::Fault>) {
        if let Some(fault) = fault
            && self.noticed.faults.len() < KEPT
        {
            self.noticed.faults.push(fault);
        }
    }

    fn url_of(&self, context: &str) -> String {
        let tab = self.tabs.iter().find(|tab| tab.id == context).or_else(|| self.tabs.first());
        tab.map(|tab| tab.url.clone()).unwrap_or_default()
    }
}

fn text<'v>(params: &'v Value, name: &str) -> &'v str {
    params[name].as_str().unwrap_or_default()
}
