//! One profile over WebDriver BiDi: a user context of a browser that others may share, with its events.

use super::counting::{self, Counting, Ran};
use super::events::{SUBSCRIBED, Seen};
use super::feed::Feed;
use super::passages::Passages;
use super::socket::{Refused, Socket};
use super::{Noticed, Place, TabState, Trouble, Wire};
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

/// How long a picture may take: of a page that never stops navigating there is none.
const PICTURE: Duration = Duration::from_secs(10);
/// How often an address is asked for when a navigation by the page itself ends ours before it has a document.
const NAVIGATIONS: u32 = 8;

/// A profile's wire.
pub(crate) struct BidiWire {
    socket: Socket,
    profile: String,
    tab: String,
    feed: Arc<Feed>,
    command_timeout: Duration,
    /// Whether the user context is still to be removed.
    open: bool,
    /// Why the session is gone.
    lost: Option<String>,
    counting: Counting,
}

impl BidiWire {
    /// Opens the first tab of a new user context.
    pub(crate) async fn open(
        socket: Socket,
        user_context: &Value,
        scope: Scope,
        passages: Arc<Passages>,
        viewport: (u32, u32),
        command_timeout: Duration,
    ) -> Result<BidiWire, Trouble> {
        let created = ask(&socket, "browser.createUserContext", user_context.clone(), command_timeout).await?;
        let profile = created["userContext"].as_str().unwrap_or_default().to_owned();
        let feed = Feed::of(&socket, Seen::of(&profile, scope, passages), command_timeout);
        let mut wire = BidiWire {
            socket,
            profile,
            tab: String::new(),
            feed,
            command_timeout,
            open: true,
            lost: None,
            counting: Counting::default(),
        };
        let (width, height) = viewport;
        let viewport = json!({"viewport": {"width": width, "height": height}, "userContexts": [wire.profile]});
        wire.send("browsingContext.setViewport", viewport).await?;
        // Told of, but not kept: what a page wants to store is no business of the machine that tests it.
        let deny = json!({"downloadBehavior": {"type": "denied"}, "userContexts": [wire.profile]});
        wire.send("browser.setDownloadBehavior", deny).await?;
        wire.open_tab().await?;
        Ok(wire)
    }

    /// Makes the profile's pages see a language.
    pub(crate) async fn set_locale(&mut self, locale: &str) -> Result<(), Trouble> {
        let params = json!({"locale": locale, "userContexts": [self.profile]});
        self.send("emulation.setLocaleOverride", params).await.map(drop)
    }

    /// Subscribes a session to all events that profiles need; once per session.
    pub(crate) async fn subscribe(socket: &Socket, patience: Duration) -> Result<(), Trouble> {
        ask(socket, "session.subscribe", json!({"events": SUBSCRIBED}), patience).await.map(drop)
    }

    /// Puts a script before every script of every document, now and later; once per session.
    pub(crate) async fn preload(socket: &Socket, function: &str, patience: Duration) -> Result<(), Trouble> {
        ask(socket, "script.addPreloadScript", json!({"functionDeclaration": function}), patience).await.map(drop)
    }

    /// A command without whose answer the session is of no use any more.
    async fn send(&mut self, method: &'static str, params: Value) -> Result<Value, Trouble> {
        let answer = self.try_send(method, params, self.command_timeout).await;
        self.or_lost(answer)
    }

    /// Gives the session up where no answer came: whatever is asked next would wait as long.
    fn or_lost(&mut self, answer: Result<Value, Trouble>) -> Result<Value, Trouble> {
        if let Err(silent @ Trouble::Timeout(_)) = &answer {
            self.lost = Some(silent.to_string());
        }
        answer
    }

    /// A command that the page may delay for its own reasons.
    async fn try_send(&mut self, method: &'static str, params: Value, patience: Duration) -> Result<Value, Trouble> {
        if let Some(cause) = &self.lost {
            return Err(Trouble::Lost(cause.clone()));
        }
        let asked = ask(&self.socket, method, params, patience);
        tokio::pin!(asked);
        let answer = loop {
            tokio::select! {
                biased;
                answer = &mut asked => break answer,
                () = self.feed.dialog_opens(&self.tab) => return Err(Trouble::Dialog),
                () = self.feed.document_stays(&self.tab) => {
                    let expression = super::invocation(probe::STAYS, &[]);
                    let target = json!({"context": self.tab});
                    let params = json!({"expression": expression, "target": target, "awaitPromise": false});
                    // Who cannot be told waits until the deadline.
                    let _ = ask(&self.socket, "script.evaluate", params, self.command_timeout).await;
                }
            }
        };
        if let Err(Trouble::Lost(cause)) = &answer {
            self.lost = Some(cause.clone());
        }
        answer
    }

    fn context<'a>(&'a self, place: &'a Place) -> &'a str {
        match place {
            Place::Page => &self.tab,
            Place::Frame(context) => context,
        }
    }

    /// Chromium's BiDi (seen in 156) loses the realm of a pop-up that keeps its opener, and every script call into it waits
    /// for ever. Switching the runtime domain off and on makes it learn the realm again.
    async fn revive(&mut self) -> Result<(), Trouble> {
        let context = json!({"context": self.tab});
        let Ok(answer) = self.send("goog:cdp.getSession", context).await else { return Ok(()) };
        for method in ["Runtime.disable", "Runtime.enable"] {
            let params = json!({"method": method, "params": {}, "session": answer["session"]});
            self.send("goog:cdp.sendCommand", params).await?;
        }
        Ok(())
    }

    /// Lets V8 count in a tab; answers the tab's DevTools session.
    async fn begin_counting(&mut self, tab: &str) -> Result<String, Trouble> {
        let answer = self.send("goog:cdp.getSession", json!({"context": tab})).await?;
        let session = answer["session"].as_str().unwrap_or_default().to_owned();
        for (method, params) in counting::first() {
            self.send("goog:cdp.sendCommand", json!({"method": method, "params": params, "session": session})).await?;
        }
        self.counting.begin(tab, &session);
        Ok(session)
    }

    async fn call_raw(&mut self, place: &Place, function: &str, arguments: &[Value]) -> Result<Value, Trouble> {
        let answer = self.try_call(place, function, arguments, self.command_timeout).await;
        self.or_lost(answer)
    }

    async fn try_call(
        &mut self,
        place: &Place,
        function: &str,
        arguments: &[Value],
        patience: Duration,
    ) -> Result<Value, Trouble> {
        if self.feed.seen().is_new_popup(&self.tab) {
            self.revive().await?;
        }
        // Evaluated, not called: BiDi's own helper for calls runs in the page and uses what the page may have replaced.
        let params = json!({
            "expression": super::invocation(function, arguments),
            "target": {"context": self.context(place)},
            "awaitPromise": true,
            "serializationOptions": {"maxDomDepth": 0},
        });
        let mut reply = self.try_send("script.evaluate", params, patience).await?;
        if reply["type"] == "exception" {
            let text = reply["exceptionDetails"]["text"].as_str().unwrap_or("an exception without text");
            return Err(Trouble::Script(text.to_owned()));
        }
        Ok(reply["result"].take())
    }
}

/// The string that a call answered.
fn string(mut result: Value) -> String {
    match result["value"].take() {
        Value::String(text) => text,
        _ => "null".to_owned(),
    }
}

/// One command, which must be answered in time.
pub(super) async fn ask(
    socket: &Socket,
    method: &'static str,
    params: Value,
    patience: Duration,
) -> Result<Value, Trouble> {
    match timeout(patience, socket.ask(method, &params)).await {
        Ok(answer) => answer.map_err(|error| trouble(&error)),
        Err(_) => Err(Trouble::Timeout(method)),
    }
}

/// Sorts the errors of a session by what they mean to a page.
fn trouble(error: &Refused) -> Trouble {
    let message = format!("{}: {}", error.error, error.message);
    let says = |marks: &[&str]| marks.iter().any(|mark| message.contains(mark));
    if error.error == "no such frame" {
        Trouble::Closed
    } else if says(&["canceled by concurrent navigation"]) {
        Trouble::Replaced
    } else if error.error == "no such history entry" {
        Trouble::Driver("there is no such entry in the tab's history".to_owned())
    } else if error.is_final() || says(&["WebSocket", "disconnected", "crashed"]) {
        Trouble::Lost(message)
    } else if says(&["net::ERR", "navigation"]) {
        Trouble::Unreachable(crate::fault::in_words(&error.message))
    } else if says(&["navigated", "context", "realm", "Promise was collected", "destroyed", "Target closed"]) {
        Trouble::Replaced
    } else {
        Trouble::Driver(message)
    }
}

#[async_trait]
impl Wire for BidiWire {
    async fn call(&mut self, place: &Place, function: &str, arguments: &[Value]) -> Result<String, Trouble> {
        Ok(string(self.call_raw(place, function, arguments).await?))
    }

    async fn call_within(
        &mut self,
        place: &Place,
        function: &str,
        arguments: &[Value],
        patience: Duration,
    ) -> Result<String, Trouble> {
        let patience = patience.min(self.command_timeout);
        Ok(string(self.try_call(place, function, arguments, patience).await?))
    }

    async fn devtools_at(&mut self, place: &Place, method: &'static str, params: Value) -> Result<Value, Trouble> {
        let context = json!({"context": self.context(place)});
        let patience = self.command_timeout.min(PICTURE);
        let answer = self.try_send("goog:cdp.getSession", context, patience).await?;
        let command = json!({"method": method, "params": params, "session": answer["session"]});
        let mut answer = self.try_send("goog:cdp.sendCommand", command, patience).await?;
        Ok(answer["result"].take())
    }

    async fn perform(&mut self, actions: Value) -> Result<(), Trouble> {
        let params = json!({"context": self.tab, "actions": actions});
        self.send("input.performActions", params).await.map(drop)
    }

    async fn navigate(&mut self, url: &str) -> Result<(), Trouble> {
        for _ in 0..NAVIGATIONS {
            let params = json!({"context": self.tab, "url": url, "wait": "interactive"});
            self.feed.seen().send_to(&self.tab, url);
            let answer = self.try_send("browsingContext.navigate", params, self.command_timeout).await;
            match answer {
                // It is on its way still. Whether the page answers by now is for whoever observes it to find out.
                Err(Trouble::Timeout(_)) => return Err(Trouble::Replaced),
                Err(Trouble::Replaced) if self.feed.is_overtaken().await => {}
                answer => return answer.map(drop),
            }
        }
        Err(Trouble::Unreachable("the page there before always went elsewhere first".to_owned()))
    }

    async fn traverse(&mut self, by: i32) -> Result<(), Trouble> {
        let params = json!({"context": self.tab, "delta": by});
        self.send("browsingContext.traverseHistory", params).await.map(drop)
    }

    async fn screenshot(&mut self) -> Result<Vec<u8>, Trouble> {
        let patience = self.command_timeout.min(PICTURE);
        let answer = self.try_send("browsingContext.captureScreenshot", json!({"context": self.tab}), patience).await?;
        let data = answer["data"].as_str().unwrap_or_default();
        BASE64_STANDARD.decode(data).map_err(|error| Trouble::Driver(format!("decode screenshot: {error}")))
    }

    async fn tabs(&mut self) -> Result<Vec<TabState>, Trouble> {
        Ok(self.feed.seen().tabs.clone())
    }

    fn current(&self) -> &str {
        &self.tab
    }

    fn is_navigating(&self) -> bool {
        self.feed.seen().is_navigating(&self.tab)
    }

    async fn arrival(&mut self) {
        self.feed.told(|seen| (!seen.is_navigating(&self.tab) || seen.dialog.is_some()).then_some(())).await;
    }

    async fn arrival_in(&mut self, frame: &Place) {
        let context = self.context(frame);
        self.feed.told(|seen| (!seen.is_navigating(context) || seen.dialog.is_some()).then_some(())).await;
    }

    async fn add_script(&mut self, source: &str) -> Result<String, Trouble> {
        let params = json!({"functionDeclaration": source, "userContexts": [self.profile]});
        let added = self.send("script.addPreloadScript", params).await?;
        Ok(added["script"].as_str().unwrap_or_default().to_owned())
    }

    async fn remove_script(&mut self, name: &str) -> Result<(), Trouble> {
        self.send("script.removePreloadScript", json!({"script": name})).await.map(drop)
    }

    async fn switch(&mut self, tab: &str) -> Result<(), Trouble> {
        self.tab = tab.to_owned();
        self.send("browsingContext.activate", json!({"context": tab})).await.map(drop)
    }

    async fn open_tab(&mut self) -> Result<(), Trouble> {
        let params = json!({"type": "tab", "userContext": self.profile});
        let created = self.send("browsingContext.create", params).await?;
        let tab = created["context"].as_str().unwrap_or_default().to_owned();
        self.feed.seen().add_tab(&tab, "about:blank");
        self.tab = tab;
        Ok(())
    }

    async fn close_tab(&mut self) -> Result<(), Trouble> {
        let closing = self.tab.clone();
        self.feed.seen().dialog = None;
        // Asked past the page's dialogs: one that opens meanwhile goes with its tab.
        ask(&self.socket, "browsingContext.close", json!({"context": closing}), self.command_timeout).await?;
        self.feed.seen().apply("browsingContext.contextDestroyed", &json!({"context": closing}));
        let next = self.feed.seen().tabs.last().map(|tab| tab.id.clone());
        match next {
            Some(tab) => self.switch(&tab).await,
            None => self.open_tab().await,
        }
    }

    async fn dialog(&mut self) -> Result<Option<Dialog>, Trouble> {
        let seen = self.feed.seen();
        Ok(seen.dialog.as_ref().filter(|(tab, _)| *tab == self.tab).map(|(_, dialog)| dialog.clone()))
    }

    async fn answer(&mut self, accept: bool, text: Option<&str>) -> Result<(), Trouble> {
        let mut params = json!({"context": self.tab, "accept": accept});
        if let Some(text) = text {
            params["userText"] = text.into();
        }
        self.feed.seen().dialog = None;
        match self.send("browsingContext.handleUserPrompt", params).await {
            Ok(_) | Err(Trouble::Dialog) => Ok(()), // the next dialog may be open before the answer is confirmed
            Err(trouble) => Err(trouble),
        }
    }

    async fn upload(&mut self, place: &Place, key: u64, files: &[String]) -> Result<(), Trouble> {
        let found = self.call_raw(place, crate::probe::ELEMENT, &[key.into()]).await?;
        let Some(node) = found["sharedId"].as_str() else { return Err(Trouble::Replaced) };
        let params = json!({"context": self.context(place), "element": {"sharedId": node}, "files": files});
        self.send("input.setFiles", params).await.map(drop)
    }

    async fn frames(&mut self, outer: &Place, keys: &[u64]) -> Result<Vec<Option<Place>>, Trouble> {
        let found = self.call_raw(outer, crate::probe::FRAMES, &[keys.into()]).await?;
        let windows = found["value"].as_array().cloned().unwrap_or_default();
        Ok(windows
            .iter()
            .map(|window| window["value"]["context"].as_str().map(|id| Place::Frame(id.to_owned())))
            .collect())
    }

    async fn notice(&mut self) -> Result<Noticed, Trouble> {
        Ok(self.feed.seen().take())
    }

    async fn cookies(&mut self) -> Result<Vec<Value>, Trouble> {
        let partition = json!({"partition": {"type": "storageKey", "userContext": self.profile}});
        let mut answer = self.send("storage.getCookies", partition).await?;
        Ok(match answer["cookies"].take() {
            Value::Array(cookies) => cookies,
            _ => Vec::new(),
        })
    }

    async fn restore(&mut self, state: &LoginState) -> Result<(), Trouble> {
        let partition = json!({"type": "storageKey", "userContext": self.profile});
        for cookie in &state.cookies {
            let cookie = super::cookie::to_partial(cookie);
            self.send("storage.setCookie", json!({"cookie": cookie, "partition": partition})).await?;
        }
        Ok(())
    }

    async fn ask_coverage(&mut self, last: bool) -> Result<(), Trouble> {
        let tab = self.tab.clone();
        let session = match self.counting.session(&tab) {
            Some(session) => session,
            None => self.begin_counting(&tab).await?,
        };
        let (socket, patience) = (self.socket.clone(), self.command_timeout);
        let params = json!({"method": counting::TAKE, "params": {}, "session": session});
        self.counting.ask(tab, async move {
            let answer = ask(&socket, "goog:cdp.sendCommand", params, patience).await;
            answer.map(|mut answer| answer["result"].take())
        });
        if last {
            self.counting.wait().await;
        }
        Ok(())
    }

    fn coverage(&mut self) -> Vec<Ran> {
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
