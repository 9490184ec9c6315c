//! State of one profile, derived from BiDi events: its tabs, dialog, requests and faults. Pure: an event goes in, state
//! changes.

use super::network_log::NetworkLog;
use super::passages::Passages;
use super::{PageActivity, TabState};
use crate::fault;
use domain::observation::Dialog;
use domain::scope::Scope;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Events that a session subscribes to.
pub(crate) const SUBSCRIBED: [&str; 17] = [
    "browsingContext.contextCreated",
    "browsingContext.contextDestroyed",
    "browsingContext.navigationStarted",
    "browsingContext.navigationCommitted",
    "browsingContext.domContentLoaded",
    "browsingContext.navigationAborted",
    "browsingContext.navigationFailed",
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

/// Most tabs of a profile; further pop-ups are closed as they open.
const TABS: usize = 16;
/// Longest dialog message kept, in characters.
const MESSAGE: usize = 2_000;

/// The state of one profile, as far as events report it.
#[derive(Debug, Default)]
pub(crate) struct ProfileState {
    profile: String,
    contexts: HashSet<String>,
    /// The parent of each frame.
    parents: HashMap<String, String>,
    /// Top-level contexts, oldest first.
    pub(crate) tabs: Vec<TabState>,
    /// Pop-ups above the limit, to be closed; they do not count as tabs.
    pub(crate) surplus: Vec<String>,
    /// Whether a fault reported them since the last observation.
    is_surplus_told: bool,
    /// The open dialog and the tab it belongs to.
    pub(crate) dialog: Option<(String, Dialog)>,
    /// Contexts that are navigating to another document.
    navigating: HashMap<String, String>,
    /// The navigation that we requested last.
    own_navigation: OwnNavigation,
    /// Contexts whose navigation was answered without content or by a file, so that the document stays; their probes are still
    /// to be told.
    staying: HashSet<String>,
    /// Pop-ups in which no script was called so far.
    popups: HashSet<String>,
    network: NetworkLog,
}

impl ProfileState {
    /// The initial state of the profile with this user context.
    pub(crate) fn of(profile: &str, scope: Scope, passages: Arc<Passages>) -> ProfileState {
        ProfileState {
            profile: profile.to_owned(),
            network: NetworkLog::of(scope, passages),
            ..ProfileState::default()
        }
    }

    /// Adds a tab that we opened; its event may come before or after.
    pub(crate) fn add_tab(&mut self, context: &str, url: &str) {
        self.contexts.insert(context.to_owned());
        if !self.tabs.iter().any(|tab| tab.id == context) {
            self.tabs.push(TabState { id: context.to_owned(), url: url.to_owned() });
        }
    }

    /// Whether a context is navigating.
    pub(crate) fn is_navigating(&self, context: &str) -> bool {
        self.navigating.contains_key(context)
    }

    /// Registers a navigation that we request.
    pub(crate) fn begin_navigation(&mut self, context: &str, url: &str) {
        self.own_navigation =
            OwnNavigation { context: context.to_owned(), url: url.to_owned(), ..OwnNavigation::default() };
    }

    /// How the navigation that we requested last ended, once known.
    pub(crate) fn navigation_end(&self) -> Option<NavigationEnd> {
        self.own_navigation.end
    }

    /// Takes the flag that a context's document stays.
    pub(crate) fn stays(&mut self, context: &str) -> bool {
        self.staying.remove(context)
    }

    /// Takes the flag that a context is a pop-up whose document has loaded and that no script was called in.
    pub(crate) fn is_new_popup(&mut self, context: &str) -> bool {
        !self.is_navigating(context) && self.popups.remove(context)
    }

    /// The tab that a context is in.
    fn tab_of<'a>(&'a self, context: &'a str) -> &'a str {
        let mut at = context;
        while let Some(parent) = self.parents.get(at) {
            at = parent;
        }
        at
    }

    /// Takes the activity so far.
    pub(crate) fn take(&mut self) -> PageActivity {
        self.is_surplus_told = false;
        self.network.take()
    }

    /// Applies an event. Events of other profiles are ignored.
    pub(crate) fn apply(&mut self, method: &str, params: &Value) {
        let context = text(params, "context");
        if method == "browsingContext.contextCreated" {
            if text(params, "userContext") == self.profile {
                self.contexts.insert(context.to_owned());
                if let Some(parent) = params["parent"].as_str() {
                    self.parents.insert(context.to_owned(), parent.to_owned());
                }
                if params["parent"].is_null() {
                    let is_popup = !params["originalOpener"].is_null();
                    if is_popup && self.tabs.len() >= TABS {
                        self.contexts.remove(context);
                        self.surplus.push(context.to_owned());
                        if !std::mem::replace(&mut self.is_surplus_told, true) {
                            let page = self.url_of(text(params, "originalOpener"));
                            self.network.fault(Some(fault::of_windows(&page, TABS)));
                        }
                        return;
                    }
                    if is_popup {
                        self.popups.insert(context.to_owned());
                    }
                    self.add_tab(context, text(params, "url"));
                }
            }
            return;
        }
        let source = params["source"]["context"].as_str().unwrap_or(context);
        // Requests of workers have no context.
        let is_of_worker = method.starts_with("network.")
            && params["context"].is_null()
            && text(params, "userContext") == self.profile;
        if !(is_of_worker || self.contexts.contains(source)) {
            return;
        }
        self.own_navigation.apply(method, params);
        if method == "browsingContext.navigationStarted" {
            self.navigating.insert(context.to_owned(), text(params, "navigation").to_owned());
        } else if method.starts_with("browsingContext.navigation") || method == "browsingContext.fragmentNavigated" {
            self.navigating.remove(context);
        }
        match method {
            // For a window without an opener this is the only event that its document has loaded.
            "browsingContext.domContentLoaded" if self.navigates(context, text(params, "navigation")) => {
                self.navigating.remove(context);
                self.moved(context, text(params, "url"));
            }
            "browsingContext.contextDestroyed" => {
                self.navigating.remove(context);
                self.contexts.remove(context);
                self.parents.remove(context);
                self.tabs.retain(|tab| tab.id != context);
                if self.dialog.as_ref().is_some_and(|(tab, _)| tab == context) {
                    self.dialog = None;
                }
            }
            "browsingContext.navigationCommitted"
            | "browsingContext.fragmentNavigated"
            | "browsingContext.historyUpdated" => self.moved(context, text(params, "url")),
            "browsingContext.userPromptOpened" => {
                let message = text(params, "message").chars().take(MESSAGE).collect();
                let dialog = Dialog { kind: text(params, "type").to_owned(), message };
                // A frame's dialog stops the tab that it is in.
                self.dialog = Some((self.tab_of(context).to_owned(), dialog));
            }
            "browsingContext.userPromptClosed" => self.dialog = None,
            "browsingContext.downloadWillBegin" => {
                // Not where it navigates elsewhere by now.
                if self.navigates(context, text(params, "navigation")) {
                    self.remains(context);
                }
                self.network.download(text(params, "suggestedFilename"), text(params, "url"));
            }
            "log.entryAdded" => self.network.fault(fault::of_log(params, &self.url_of(source))),
            _ => self.network(method, params),
        }
    }

    /// Whether this is the navigation that a context is in.
    fn navigates(&self, context: &str, navigation: &str) -> bool {
        self.navigating.get(context).is_some_and(|latest| latest == navigation)
    }

    /// Records that what a context navigated to is no document: the one that it has stays.
    fn remains(&mut self, context: &str) {
        self.navigating.remove(context);
        self.staying.insert(context.to_owned());
    }

    /// Records that a context has another address.
    fn moved(&mut self, context: &str, url: &str) {
        if let Some(tab) = self.tabs.iter_mut().find(|tab| tab.id == context) {
            tab.url = url.to_owned();
        }
    }

    fn network(&mut self, method: &str, params: &Value) {
        // All requests of a chain of redirects have one id.
        let id = format!("{}+{}", text(&params["request"], "request"), params["redirectCount"]);
        let id = id.as_str();
        let url = params["request"]["url"].as_str().unwrap_or_default();
        let page = self.url_of(text(params, "context"));
        let status = params["response"]["status"].as_u64();
        match method {
            "network.beforeRequestSent" => {
                let verb = params["request"]["method"].as_str().unwrap_or_default();
                let resource = params["request"]["goog:resourceType"].as_str().unwrap_or_default();
                self.network.began(id, verb, url, !params["navigation"].is_null(), resource);
            }
            "network.responseStarted" | "network.responseCompleted" => {
                let is_started = method == "network.responseStarted";
                if is_started && matches!(status, Some(204 | 205)) && !params["navigation"].is_null() {
                    self.remains(text(params, "context"));
                }
                let content_type = params["response"]["mimeType"].as_str().unwrap_or_default();
                self.network.answered(id, status, content_type, &page);
            }
            // A request that was blocked before it began has no address; the page tells of it by itself.
            "network.fetchError" if url == "UNKNOWN" => {}
            "network.fetchError" => self.network.failed(id, url, text(params, "errorText"), &page),
            _ => {}
        }
    }

    fn url_of(&self, context: &str) -> String {
        let tab = self.tabs.iter().find(|tab| tab.id == context).or_else(|| self.tabs.first());
        tab.map(|tab| tab.url.clone()).unwrap_or_default()
    }
}

/// A navigation that we requested.
#[derive(Debug, Default)]
struct OwnNavigation {
    context: String,
    url: String,
    /// Its id in events, once it has begun.
    navigation: Option<String>,
    end: Option<NavigationEnd>,
}

/// How a navigation that we requested ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NavigationEnd {
    /// It was committed.
    Arrived,
    /// Another navigation replaced it before that.
    Overtaken,
}

impl OwnNavigation {
    fn apply(&mut self, method: &str, params: &Value) {
        let navigation = text(params, "navigation");
        let is_ours = || text(params, "context") == self.context && text(params, "url") == self.url;
        if method == "browsingContext.navigationStarted" && self.navigation.is_none() && is_ours() {
            self.navigation = Some(navigation.to_owned());
        }
        if self.navigation.as_deref() != Some(navigation) {
            return;
        }
        let end = match method {
            "browsingContext.navigationCommitted" | "browsingContext.fragmentNavigated" => NavigationEnd::Arrived,
            "browsingContext.navigationFailed" | "browsingContext.navigationAborted" => NavigationEnd::Overtaken,
            _ => return,
        };
        self.end.get_or_insert(end);
    }
}

fn text<'v>(params: &'v Value, name: &str) -> &'v str {
    params[name].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Takes in events of a tab: what happened to which navigation, to which address.
    fn after(events: &[(&str, &str, &str)]) -> Option<NavigationEnd> {
        let mut state = ProfileState::of("profile", Scope::default(), Arc::default());
        state.add_tab("tab", "http://site/before");
        state.begin_navigation("tab", "http://site/asked");
        for (what, navigation, url) in events {
            let method = format!("browsingContext.navigation{what}");
            state.apply(&method, &json!({"context": "tab", "navigation": navigation, "url": url}));
        }
        state.navigation_end()
    }

    #[test]
    fn a_navigation_is_overtaken_until_it_has_a_document() {
        let (asked, other) = ("http://site/asked", "http://site/other");
        assert_eq!(after(&[("Started", "1", other), ("Failed", "1", other), ("Started", "2", asked)]), None);
        // Seen in Chromium 156: committed once more, with our address, although it shows another.
        let overtaken =
            [("Started", "2", asked), ("Failed", "2", asked), ("Started", "3", other), ("Committed", "2", asked)];
        assert_eq!(after(&overtaken), Some(NavigationEnd::Overtaken));
        let left =
            [("Started", "2", asked), ("Committed", "2", asked), ("Started", "3", other), ("Aborted", "2", asked)];
        assert_eq!(after(&left), Some(NavigationEnd::Arrived), "the page sent the browser on");
        let redirected = [("Started", "2", asked), ("Committed", "2", other), ("Started", "3", asked)];
        assert_eq!(after(&redirected), Some(NavigationEnd::Arrived));
    }
}
