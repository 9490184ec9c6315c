//! Drives one profile over WebDriver BiDi: a user context of a browser that other profiles may share, with its events.

use super::coverage::{self, CoverageQueries, TabCoverage};
use super::credential;
use super::events::{ProfileState, SUBSCRIBED};
use super::feed::Feed;
use super::passages::Passages;
use super::socket::{CommandError, Socket};
use super::{DocumentTarget, PageActivity, TabState, Wire, WireError};
use crate::options::LoginState;
use crate::probe;
use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::observation::Dialog;
use domain::scope::Scope;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Deadline for a screenshot; a page that never stops navigating yields none.
const PICTURE: Duration = Duration::from_secs(10);
/// Tries to load an address when navigations of the page itself abort ours.
const NAVIGATIONS: u32 = 8;

/// A profile's BiDi connection.
pub(crate) struct BidiWire {
    socket: Socket,
    profile: String,
    tab: String,
    feed: Arc<Feed>,
    command_timeout: Duration,
    /// Whether the user context still has to be removed.
    open: bool,
    /// Why the session was lost.
    lost: Option<String>,
    counting: CoverageQueries,
}

impl BidiWire {
    /// Opens the first tab of a new user context. Where its gate asks for a password, the browser is told it before.
    pub(crate) async fn open(
        socket: Socket,
        user_context: &Value,
        password: Option<&str>,
        scope: Scope,
        passages: Arc<Passages>,
        viewport: (u32, u32),
        command_timeout: Duration,
    ) -> Result<BidiWire, WireError> {
        let created = ask(&socket, "browser.createUserContext", user_context.clone(), command_timeout).await?;
        let profile = created["userContext"].as_str().unwrap_or_default().to_owned();
        if let Some(password) = password {
            Box::pin(credential::tell(&socket, &profile, password, command_timeout)).await?;
        }
        let feed = Feed::of(&socket, ProfileState::of(&profile, scope, passages), command_timeout);
        let mut wire = BidiWire {
            socket,
            profile,
            tab: String::new(),
            feed,
            command_timeout,
            open: true,
            lost: None,
            counting: CoverageQueries::default(),
        };
        let (width, height) = viewport;
        let viewport = json!({"viewport": {"width": width, "height": height}, "userContexts": [wire.profile]});
        wire.send("browsingContext.setViewport", viewport).await?;
        // Downloads are reported but not stored on this machine.
        let deny = json!({"downloadBehavior": {"type": "denied"}, "userContexts": [wire.profile]});
        wire.send("browser.setDownloadBehavior", deny).await?;
        wire.open_tab().await?;
        Ok(wire)
    }

    /// Sets the language that the profile's pages see.
    pub(crate) async fn set_locale(&mut self, locale: &str) -> Result<(), WireError> {
        let params = json!({"locale": locale, "userContexts": [self.profile]});
        self.send("emulation.setLocaleOverride", params).await.map(drop)
    }

    /// Subscribes a session to all events that profiles need; once per session.
    pub(crate) async fn subscribe(socket: &Socket, patience: Duration) -> Result<(), WireError> {
        ask(socket, "session.subscribe", json!({"events": SUBSCRIBED}), patience).await.map(drop)
    }

    /// Installs a script that runs before every script of every document, current and later; once per session.
    pub(crate) async fn preload(socket: &Socket, function: &str, patience: Duration) -> Result<(), WireError> {
        ask(socket, "script.addPreloadScript", json!({"functionDeclaration": function}), patience).await.map(drop)
    }

    /// Sends a command whose failure makes the session useless.
    async fn send(&mut self, method: &'static str, params: Value) -> Result<Value, WireError> {
        let answer = self.try_send(method, params, self.command_timeout).await;
        self.or_lost(answer)
    }

    /// Marks the session as lost after a timeout, since every later command would time out as well.
    fn or_lost(&mut self, answer: Result<Value, WireError>) -> Result<Value, WireError> {
        if let Err(silent @ WireError::Timeout(_)) = &answer {
            self.lost = Some(silent.to_string());
        }
        answer
    }

    /// Sends a command that the page may legitimately delay.
    async fn try_send(&mut self, method: &'static str, params: Value, patience: Duration) -> Result<Value, WireError> {
        if let Some(cause) = &self.lost {
            return Err(WireError::Lost(cause.clone()));
        }
        let asked = ask(&self.socket, method, params, patience);
        tokio::pin!(asked);
        let answer = loop {
            tokio::select! {
                biased;
                answer = &mut asked => break answer,
                () = self.feed.dialog_opens(&self.tab) => return Err(WireError::Dialog),
                () = self.feed.document_stays(&self.tab) => {
                    let expression = super::invocation(probe::STAYS, &[]);
                    let target = json!({"context": self.tab});
                    let params = json!({"expression": expression, "target": target, "awaitPromise": false});
                    // If this fails, the probe waits until its deadline.
                    let _ = ask(&self.socket, "script.evaluate", params, self.command_timeout).await;
                }
            }
        };
        if let Err(WireError::Lost(cause)) = &answer {
            self.lost = Some(cause.clone());
        }
        answer
    }

    fn context<'a>(&'a self, place: &'a DocumentTarget) -> &'a str {
        match place {
            DocumentTarget::Page => &self.tab,
            DocumentTarget::Frame(context) => context,
        }
    }

    /// Chromium's BiDi (seen in 156) loses the realm of a pop-up that keeps its opener, and every script call into it waits
    /// for ever. Switching the runtime domain off and on makes it learn the realm again.
    async fn revive(&mut self) -> Result<(), WireError> {
        let context = json!({"context": self.tab});
        let Ok(answer) = self.send("goog:cdp.getSession", context).await else { return Ok(()) };
        for method in ["Runtime.disable", "Runtime.enable"] {
            let params = json!({"method": method, "params": {}, "session": answer["session"]});
            self.send("goog:cdp.sendCommand", params).await?;
        }
        Ok(())
    }

    /// Starts V8's coverage in a tab; returns the tab's DevTools session.
    async fn begin_counting(&mut self, tab: &str) -> Result<String, WireError> {
        let answer = self.send("goog:cdp.getSession", json!({"context": tab})).await?;
        let session = answer["session"].as_str().unwrap_or_default().to_owned();
        for (method, params) in coverage::first() {
            self.send("goog:cdp.sendCommand", json!({"method": method, "params": params, "session": session})).await?;
        }
        self.counting.begin(tab, &session);
        Ok(session)
    }

    async fn call_raw(
        &mut self,
        place: &DocumentTarget,
        function: &str,
        arguments: &[Value],
    ) -> Result<Value, WireError> {
        let answer = self.try_call(place, function, arguments, self.command_timeout).await;
        self.or_lost(answer)
    }

    async fn try_call(
        &mut self,
        place: &DocumentTarget,
        function: &str,
        arguments: &[Value],
        patience: Duration,
    ) -> Result<Value, WireError> {
        if self.feed.state().is_new_popup(&self.tab) {
            self.revive().await?;
        }
        // Uses `evaluate`, since BiDi's helper for calls runs in the page and relies on built-ins that the page may
        // have replaced.
        let params = json!({
            "expression": super::invocation(function, arguments),
            "target": {"context": self.context(place)},
            "awaitPromise": true,
            "serializationOptions": {"maxDomDepth": 0},
        });
        let mut reply = self.try_send("script.evaluate", params, patience).await?;
        if reply["type"] == "exception" {
            let text = reply["exceptionDetails"]["text"].as_str().unwrap_or("an exception without text");
            return Err(WireError::Script(text.to_owned()));
        }
        Ok(reply["result"].take())
    }
}

/// The string result of a call.
fn string(mut result: Value) -> String {
    match result["value"].take() {
        Value::String(text) => text,
        _ => "null".to_owned(),
    }
}

/// Sends one command with a deadline.
pub(super) async fn ask(
    socket: &Socket,
    method: &'static str,
    params: Value,
    patience: Duration,
) -> Result<Value, WireError> {
    match timeout(patience, socket.ask(method, &params)).await {
        Ok(answer) => answer.map_err(|error| wire_error(&error)),
        Err(_) => Err(WireError::Timeout(method)),
    }
}

/// Converts a session's error by what it means for the page.
fn wire_error(error: &CommandError) -> WireError {
    let message = format!("{}: {}", error.error, error.message);
    let says = |marks: &[&str]| marks.iter().any(|mark| message.contains(mark));
    if error.error == "no such frame" {
        WireError::Closed
    } else if says(&["canceled by concurrent navigation"]) {
        WireError::Replaced
    } else if error.error == "no such history entry" {
        WireError::NoHistory
    } else if error.is_final() || says(&["WebSocket", "disconnected", "crashed"]) {
        WireError::Lost(message)
    } else if says(&["net::ERR", "navigation"]) {
        WireError::Unreachable(crate::fault::in_words(&error.message))
    } else if says(&["navigated", "context", "realm", "Promise was collected", "destroyed", "Target closed"]) {
        WireError::Replaced
    } else {
        WireError::Driver(message)
    }
}

#[async_trait]
impl Wire for BidiWire {
    async fn call(&mut self, place: &DocumentTarget, function: &str, arguments: &[Value]) -> Result<String, WireError> {
        Ok(string(self.call_raw(place, function, arguments).await?))
    }

    async fn call_within(
        &mut self,
        place: &DocumentTarget,
        function: &str,
        arguments: &[Value],
        patience: Duration,
    ) -> Result<String, WireError> {
        let patience = patience.min(self.command_timeout);
        Ok(string(self.try_call(place, function, arguments, patience).await?))
    }

    async fn devtools_at(
        &mut self,
        place: &DocumentTarget,
        method: &'static str,
        params: Value,
    ) -> Result<Value, WireError> {
        let context = json!({"context": self.context(place)});
        let patience = self.command_timeout.min(PICTURE);
        let answer = self.try_send("goog:cdp.getSession", context, patience).await?;
        let command = json!({"method": method, "params": params, "session": answer["session"]});
        let mut answer = self.try_send("goog:cdp.sendCommand", command, patience).await?;
        Ok(answer["result"].take())
    }

    async fn perform(&mut self, actions: Value) -> Result<(), WireError> {
        let params = json!({"context": self.tab, "actions": actions});
        self.send("input.performActions", params).await.map(drop)
    }

    async fn navigate(&mut self, url: &str) -> Result<(), WireError> {
        for _ in 0..NAVIGATIONS {
            let params = json!({"context": self.tab, "url": url, "wait": "interactive"});
            self.feed.state().begin_navigation(&self.tab, url);
            let answer = self.try_send("browsingContext.navigate", params, self.command_timeout).await;
            match answer {
                // It is still loading. Whether the page answers by now is for the observation to find out.
                Err(WireError::Timeout(_)) => return Err(WireError::Replaced),
                Err(WireError::Replaced) if self.feed.is_overtaken().await => {}
                answer => return answer.map(drop),
            }
        }
        Err(WireError::Unreachable("the page there before always went elsewhere first".to_owned()))
    }

    async fn traverse(&mut self, by: i32) -> Result<(), WireError> {
        let params = json!({"context": self.tab, "delta": by});
        self.send("browsingContext.traverseHistory", params).await.map(drop)
    }

    async fn screenshot(&mut self) -> Result<Vec<u8>, WireError> {
        let patience = self.command_timeout.min(PICTURE);
        let answer = self.try_send("browsingContext.captureScreenshot", json!({"context": self.tab}), patience).await?;
        let data = answer["data"].as_str().unwrap_or_default();
        BASE64_STANDARD.decode(data).map_err(|error| WireError::Driver(format!("decode screenshot: {error}")))
    }

    async fn tabs(&mut self) -> Result<Vec<TabState>, WireError> {
        Ok(self.feed.state().tabs.clone())
    }

    fn current(&self) -> &str {
        &self.tab
    }

    fn is_navigating(&self) -> bool {
        self.feed.state().is_navigating(&self.tab)
    }

    async fn arrival(&mut self) {
        self.feed.wait_for(|state| (!state.is_navigating(&self.tab) || state.dialog.is_some()).then_some(())).await;
    }

    async fn arrival_in(&mut self, frame: &DocumentTarget) {
        let context = self.context(frame);
        self.feed.wait_for(|state| (!state.is_navigating(context) || state.dialog.is_some()).then_some(())).await;
    }

    async fn add_script(&mut self, source: &str) -> Result<String, WireError> {
        let params = json!({"functionDeclaration": source, "userContexts": [self.profile]});
        let added = self.send("script.addPreloadScript", params).await?;
        Ok(added["script"].as_str().unwrap_or_default().to_owned())
    }

    async fn remove_script(&mut self, name: &str) -> Result<(), WireError> {
        self.send("script.removePreloadScript", json!({"script": name})).await.map(drop)
    }

    async fn switch(&mut self, tab: &str) -> Result<(), WireError> {
        self.tab = tab.to_owned();
        self.send("browsingContext.activate", json!({"context": tab})).await.map(drop)
    }

    async fn open_tab(&mut self) -> Result<(), WireError> {
        let params = json!({"type": "tab", "userContext": self.profile});
        let created = self.send("browsingContext.create", params).await?;
        let tab = created["context"].as_str().unwrap_or_default().to_owned();
        self.feed.state().add_tab(&tab, "about:blank");
        self.tab = tab;
        Ok(())
    }

    async fn close_tab(&mut self) -> Result<(), WireError> {
        let closing = self.tab.clone();
        self.feed.state().dialog = None;
        // Bypasses dialog handling: a dialog that opens meanwhile closes with its tab.
        ask(&self.socket, "browsingContext.close", json!({"context": closing}), self.command_timeout).await?;
        self.feed.state().apply("browsingContext.contextDestroyed", &json!({"context": closing}));
        let next = self.feed.state().tabs.last().map(|tab| tab.id.clone());
        match next {
            Some(tab) => self.switch(&tab).await,
            None => self.open_tab().await,
        }
    }

    async fn dialog(&mut self) -> Result<Option<Dialog>, WireError> {
        let state = self.feed.state();
        Ok(state.dialog.as_ref().filter(|(tab, _)| *tab == self.tab).map(|(_, dialog)| dialog.clone()))
    }

    async fn answer(&mut self, accept: bool, text: Option<&str>) -> Result<(), WireError> {
        let mut params = json!({"context": self.tab, "accept": accept});
        if let Some(text) = text {
            params["userText"] = text.into();
        }
        self.feed.state().dialog = None;
        match self.send("browsingContext.handleUserPrompt", params).await {
            Ok(_) | Err(WireError::Dialog) => Ok(()), // the next dialog may be open before the answer is confirmed
            Err(trouble) => Err(trouble),
        }
    }

    async fn upload(&mut self, place: &DocumentTarget, key: u64, files: &[String]) -> Result<(), WireError> {
        let found = self.call_raw(place, crate::probe::ELEMENT, &[key.into()]).await?;
        let Some(node) = found["sharedId"].as_str() else { return Err(WireError::Replaced) };
        let params = json!({"context": self.context(place), "element": {"sharedId": node}, "files": files});
        self.send("input.setFiles", params).await.map(drop)
    }

    async fn frames(&mut self, outer: &DocumentTarget, keys: &[u64]) -> Result<Vec<Option<DocumentTarget>>, WireError> {
        let found = self.call_raw(outer, crate::probe::FRAMES, &[keys.into()]).await?;
        let windows = found["value"].as_array().cloned().unwrap_or_default();
        Ok(windows
            .iter()
            .map(|window| window["value"]["context"].as_str().map(|id| DocumentTarget::Frame(id.to_owned())))
            .collect())
    }

    async fn take_activity(&mut self) -> Result<PageActivity, WireError> {
        Ok(self.feed.state().take())
    }

    async fn cookies(&mut self) -> Result<Vec<Value>, WireError> {
        let partition = json!({"partition": {"type": "storageKey", "userContext": self.profile}});
        let mut answer = self.send("storage.getCookies", partition).await?;
        Ok(match answer["cookies"].take() {
            Value::Array(cookies) => cookies,
            _ => Vec::new(),
        })
    }

    async fn restore(&mut self, state: &LoginState) -> Result<(), WireError> {
        let partition = json!({"type": "storageKey", "userContext": self.profile});
        for cookie in &state.cookies {
            let cookie = super::cookie::to_partial(cookie);
            self.send("storage.setCookie", json!({"cookie": cookie, "partition": partition})).await?;
        }
        Ok(())
    }

    async fn ask_coverage(&mut self, last: bool) -> Result<(), WireError> {
        let tab = self.tab.clone();
        let session = match self.counting.session(&tab) {
            Some(session) => session,
            None => self.begin_counting(&tab).await?,
        };
        let (socket, patience) = (self.socket.clone(), self.command_timeout);
        let params = json!({"method": coverage::TAKE, "params": {}, "session": session});
        self.counting.ask(tab, async move {
            let answer = ask(&socket, "goog:cdp.sendCommand", params, patience).await;
            answer.map(|mut answer| answer["result"].take())
        });
        if last {
            self.counting.wait().await;
        }
        Ok(())
    }

    fn coverage(&mut self) -> Vec<TabCoverage> {
        self.counting.answers()
    }

    async fn close(mut self: Box<Self>) {
        self.open = false;
        if self.lost.is_some() {
            return;
        }
        remove(self.socket.clone(), self.profile.clone(), self.command_timeout).await;
    }
}

impl Drop for BidiWire {
    fn drop(&mut self) {
        if self.open
            && self.lost.is_none()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(remove(self.socket.clone(), self.profile.clone(), self.command_timeout));
        }
    }
}

async fn remove(socket: Socket, profile: String, patience: Duration) {
    let profile = json!({"userContext": profile});
    if let Err(error) = ask(&socket, "browser.removeUserContext", profile, patience).await {
        tracing::debug!(%error, "remove profile");
    }
}
