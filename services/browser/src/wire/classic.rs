//! Drives one profile over classic WebDriver: a session of its own, polled because there are no events.
//!
//! Scripts run through DevTools (`goog/cdp/execute`): it is faster than `execute` and avoids the driver's script
//! helpers, which a page can break by replacing prototypes. Faults, requests and dialogs come from the driver's logs.

use super::coverage::{self, TabCoverage};
use super::network_log::NetworkLog;
use super::passages::Passages;
use super::performance::{take_console, take_performance};
use super::{DocumentTarget, PageActivity, TabState, Wire, WireError};
use crate::options::{LoginState, ProfileOptions};
use crate::probe;
use crate::session::Session;
use async_trait::async_trait;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use domain::observation::Dialog;
use domain::scope::Scope;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use thirtyfour::common::command::Command;
use thirtyfour::error::{WebDriverError, WebDriverErrorInner};
use thirtyfour::{TypingData, WindowHandle};
use tokio::time::sleep;
use tokio::time::timeout;

/// A profile's classic WebDriver session.
pub(crate) struct ClassicWire {
    session: Session,
    tabs: Vec<TabState>,
    tab: String,
    dialog: Option<Dialog>,
    network: NetworkLog,
    url: String,
    command_timeout: Duration,
    /// Whether the console log may have new entries.
    console: bool,
    /// Whether the list of tabs may be out of date.
    tabs_stale: bool,
    /// Tabs that collect coverage.
    counting: HashSet<String>,
    ran: Vec<TabCoverage>,
}

impl ClassicWire {
    /// Takes over a fresh session.
    pub(crate) async fn open(
        session: Session,
        scope: Scope,
        passages: Arc<Passages>,
        command_timeout: Duration,
    ) -> Result<ClassicWire, WireError> {
        let mut wire = ClassicWire {
            session,
            tabs: Vec::new(),
            tab: String::new(),
            dialog: None,
            network: NetworkLog::of(scope, passages),
            url: String::new(),
            command_timeout,
            console: true,
            tabs_stale: true,
            counting: HashSet::new(),
            ran: Vec::new(),
        };
        wire.tab = wire.send("get the window", Command::GetWindowHandle).await?.as_str().unwrap_or_default().to_owned();
        wire.tabs().await?;
        wire.preload().await?;
        Ok(wire)
    }

    /// Applies options that cannot be set when the session starts.
    pub(crate) async fn set_up(&mut self, options: &ProfileOptions, viewport: (u32, u32)) -> Result<(), WireError> {
        let (width, height) = viewport;
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 0, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await?;
        // Downloads are reported but not stored on this machine.
        self.devtools("Browser.setDownloadBehavior", json!({"behavior": "deny", "eventsEnabled": true})).await?;
        if let Some(locale) = &options.locale {
            self.devtools("Emulation.setLocaleOverride", json!({"locale": locale})).await?;
            let header = json!({"headers": {"Accept-Language": locale}});
            self.devtools("Network.setExtraHTTPHeaders", header).await?;
        }
        Ok(())
    }

    /// Installs the probe before every script of the current tab's documents. In the document that is already there it
    /// comes late.
    async fn preload(&mut self) -> Result<(), WireError> {
        let source = format!("({})()", probe::INSTALL);
        self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": source})).await.map(drop)
    }

    async fn devtools(&mut self, method: &'static str, params: Value) -> Result<Value, WireError> {
        let devtools = self.session.driver().cdp();
        match timeout(self.command_timeout, devtools.send_raw(method, params)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(self.wire_error(&error)),
            Err(_) => Err(WireError::Timeout(method)),
        }
    }

    async fn send(&mut self, doing: &'static str, command: Command) -> Result<Value, WireError> {
        match timeout(self.command_timeout, self.session.handle().cmd(command)).await {
            Ok(Ok(answer)) => answer.value_json().map_err(|error| WireError::Driver(error.to_string())),
            Ok(Err(error)) => Err(self.wire_error(&error)),
            Err(_) => Err(WireError::Timeout(doing)),
        }
    }

    /// Converts a session's error by what it means for the page. Remembers an open dialog.
    fn wire_error(&mut self, error: &WebDriverError) -> WireError {
        let text = error.to_string();
        let message = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match &**error {
            WebDriverErrorInner::UnexpectedAlertOpen(_) => {
                let shown = message.split("Alert text : ").nth(1).and_then(|rest| rest.split('}').next());
                let shown = shown.unwrap_or_default().to_owned();
                self.dialog.get_or_insert(Dialog { kind: "alert".to_owned(), message: shown });
                WireError::Dialog
            }
            WebDriverErrorInner::NoSuchWindow(_) => {
                self.tabs_stale = true;
                WireError::Closed
            }
            WebDriverErrorInner::ScriptTimeout(_) => WireError::Timeout("a script"),
            WebDriverErrorInner::InvalidSessionId(_)
            | WebDriverErrorInner::HttpError(_)
            | WebDriverErrorInner::RequestFailed(_) => WireError::Lost(message),
            _ if message.contains("net::ERR") => WireError::Unreachable(net_error(&message)),
            _ if ["disconnected", "crashed", "not connected to DevTools"].iter().any(|mark| message.contains(mark)) => {
                WireError::Lost(message)
            }
            _ if ["navigated", "context", "Promise was collected", "frame was detached", "aborted by navigation"]
                .iter()
                .any(|mark| message.contains(mark)) =>
            {
                WireError::Replaced
            }
            _ => WireError::Driver(message),
        }
    }

    /// Enters a frame along the keys of its frame elements, and calls a function there.
    async fn call_in_frame(&mut self, frame: &str, function: &str, arguments: &[Value]) -> Result<String, WireError> {
        let answer = match self.enter(frame).await {
            Ok(()) => self.call_here(function, arguments).await,
            Err(trouble) => Err(trouble),
        };
        self.send("leave the frame", Command::SwitchToFrameDefault).await?;
        answer
    }

    async fn enter(&mut self, frame: &str) -> Result<(), WireError> {
        for key in frame.split('/') {
            let key = key.parse::<u64>().unwrap_or_default();
            let enter = format!("return {};", super::invocation(probe::ELEMENT, &[key.into()]));
            let element = self.send("find the frame", Command::ExecuteScript(enter.into(), Arc::new([]))).await?;
            let Some(id) = element[ELEMENT_KEY].as_str() else { return Err(WireError::Replaced) };
            self.send("enter the frame", Command::SwitchToFrameElement(thirtyfour::ElementId::from(id))).await?;
        }
        Ok(())
    }

    async fn call_here(&mut self, function: &str, arguments: &[Value]) -> Result<String, WireError> {
        let script = format!(
            "const done = arguments[arguments.length - 1]; \
             Promise.resolve({}).then((value) => done({{ value }}), (error) => done({{ error: '' + error }}));",
            super::invocation(function, arguments)
        );
        let answer = self.send("call in a frame", Command::ExecuteAsyncScript(script.into(), Arc::new([]))).await?;
        match (answer["value"].as_str(), answer["error"].as_str()) {
            (_, Some(error)) => Err(WireError::Script(error.to_owned())),
            (Some(text), None) => Ok(text.to_owned()),
            (None, None) => Ok("null".to_owned()),
        }
    }

    /// Reads the driver's logs. Reads the console log only if it may have new entries, since each log costs a round
    /// trip.
    async fn read_logs(&mut self) -> Result<(), WireError> {
        let log = self.send("read the log", Command::GetLog("performance".into())).await?;
        let found = take_performance(&log, &mut self.network, &self.url);
        if self.dialog.is_some() && found.dialog.is_some() {
            self.dialog = found.dialog;
        }
        self.tabs_stale |= found.window;
        if self.console || found.document || found.withheld {
            let log = self.send("read the console", Command::GetLog("browser".into())).await?;
            take_console(&log, &mut self.network, &self.url);
            self.console = false;
        }
        Ok(())
    }
}

/// Checks, and the pause between them, for whether a new tab gets a document.
const OPENING_LOOKS: u32 = 20;
const OPENING_PAUSE: Duration = Duration::from_millis(50);

/// W3C WebDriver's name for an element reference.
const ELEMENT_KEY: &str = "element-6066-11e4-a52e-4f735466cecf";

fn net_error(message: &str) -> String {
    let rest = message.split("net::").nth(1).unwrap_or_default();
    format!(
        "net::{}",
        rest.split(|c: char| !(c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())).next().unwrap_or_default()
    )
}

#[async_trait]
impl Wire for ClassicWire {
    async fn call(&mut self, place: &DocumentTarget, function: &str, arguments: &[Value]) -> Result<String, WireError> {
        if let DocumentTarget::Frame(frame) = place {
            return self.call_in_frame(frame, function, arguments).await;
        }
        let params =
            json!({"expression": super::invocation(function, arguments), "awaitPromise": true, "returnByValue": true});
        let mut answer = self.devtools("Runtime.evaluate", params).await?;
        if let Some(details) = answer.get("exceptionDetails") {
            let text = details["exception"]["description"].as_str().or(details["text"].as_str());
            return Err(WireError::Script(text.unwrap_or("an exception without text").to_owned()));
        }
        match answer["result"]["value"].take() {
            Value::String(text) => Ok(text),
            // The driver returns from a call without a value when a dialog opens meanwhile.
            _ => match self.send("look for a dialog", Command::GetAlertText).await {
                Ok(message) => {
                    let message = message.as_str().unwrap_or_default().to_owned();
                    self.dialog = Some(Dialog { kind: "alert".to_owned(), message });
                    Err(WireError::Dialog)
                }
                Err(_) => Ok("null".to_owned()),
            },
        }
    }

    async fn call_within(
        &mut self,
        place: &DocumentTarget,
        function: &str,
        arguments: &[Value],
        patience: Duration,
    ) -> Result<String, WireError> {
        // The driver handles one command at a time, so it must apply the timeout itself.
        let limits = thirtyfour::TimeoutConfiguration::new(Some(patience), None, None);
        self.send("limit a script", Command::SetTimeouts(limits)).await?;
        self.call(place, function, arguments).await
    }

    async fn devtools_at(
        &mut self,
        place: &DocumentTarget,
        method: &'static str,
        params: Value,
    ) -> Result<Value, WireError> {
        match place {
            DocumentTarget::Page => self.devtools(method, params).await,
            DocumentTarget::Frame(_) => {
                Err(WireError::Driver("classic WebDriver has no DevTools for frames".to_owned()))
            }
        }
    }

    async fn perform(&mut self, actions: Value) -> Result<(), WireError> {
        self.send("perform actions", Command::PerformActions(actions.into())).await.map(drop)
    }

    async fn navigate(&mut self, url: &str) -> Result<(), WireError> {
        self.send("navigate", Command::NavigateTo(url.into())).await?;
        // Behind a proxy the driver reports the browser's error page as success.
        if self.call(&DocumentTarget::Page, "() => document.URL", &[]).await?.starts_with("chrome-error:") {
            self.read_logs().await?;
            let cause = self.network.last_failure().unwrap_or("the browser shows an error page").to_owned();
            return Err(WireError::Unreachable(cause));
        }
        Ok(())
    }

    async fn traverse(&mut self, by: i32) -> Result<(), WireError> {
        let command = if by < 0 { Command::Back } else { Command::Forward };
        self.send("traverse history", command).await.map(drop)
    }

    async fn screenshot(&mut self) -> Result<Vec<u8>, WireError> {
        let data = self.send("take a screenshot", Command::TakeScreenshot).await?;
        let data = data.as_str().unwrap_or_default();
        BASE64_STANDARD.decode(data).map_err(|error| WireError::Driver(format!("decode screenshot: {error}")))
    }

    async fn tabs(&mut self) -> Result<Vec<TabState>, WireError> {
        if !self.tabs_stale && self.tabs.len() == 1 {
            return Ok(self.tabs.clone()); // a second one would have been told of
        }
        self.tabs_stale = false;
        let handles = self.send("list windows", Command::GetWindowHandles).await?;
        let handles: Vec<&str> = handles.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        self.tabs.retain(|tab| handles.contains(&tab.id.as_str()));
        for handle in handles {
            if !self.tabs.iter().any(|tab| tab.id == handle) {
                self.tabs.push(TabState { id: handle.to_owned(), url: String::new() });
            }
        }
        Ok(self.tabs.clone())
    }

    fn current(&self) -> &str {
        &self.tab
    }

    fn arrived(&mut self, url: &str, errors: u32) {
        self.console |= errors > 0 || self.url != url;
        url.clone_into(&mut self.url);
        if let Some(tab) = self.tabs.iter_mut().find(|tab| tab.id == self.tab) {
            url.clone_into(&mut tab.url);
        }
    }

    async fn add_script(&mut self, source: &str) -> Result<String, WireError> {
        let params = json!({"source": format!("({source})()")});
        let added = self.devtools("Page.addScriptToEvaluateOnNewDocument", params).await?;
        Ok(added["identifier"].as_str().unwrap_or_default().to_owned())
    }

    async fn remove_script(&mut self, name: &str) -> Result<(), WireError> {
        self.devtools("Page.removeScriptToEvaluateOnNewDocument", json!({"identifier": name})).await.map(drop)
    }

    async fn stays_empty(&mut self, tab: &str) -> Result<bool, WireError> {
        for _ in 0..OPENING_LOOKS {
            let answer = self.devtools("Target.getTargets", json!({})).await?;
            let targets = answer["targetInfos"].as_array().map(Vec::as_slice).unwrap_or_default();
            let Some(target) = targets.iter().find(|target| target["targetId"] == tab) else { return Ok(false) };
            if !matches!(target["url"].as_str(), None | Some("" | ":" | "about:blank")) {
                return Ok(false);
            }
            sleep(OPENING_PAUSE).await;
        }
        Ok(true)
    }

    async fn switch(&mut self, tab: &str) -> Result<(), WireError> {
        self.send("switch to the window", Command::SwitchToWindow(WindowHandle::from(tab.to_owned()))).await?;
        self.tab = tab.to_owned();
        self.preload().await
    }

    async fn open_tab(&mut self) -> Result<(), WireError> {
        let opened = self.send("open a tab", Command::NewTab).await?;
        let tab = opened["handle"].as_str().unwrap_or_default().to_owned();
        self.tabs.push(TabState { id: tab.clone(), url: "about:blank".to_owned() });
        self.switch(&tab).await
    }

    async fn close_tab(&mut self) -> Result<(), WireError> {
        if self.tabs().await?.len() == 1 {
            // Closing the last window would end the session.
            let closing = self.tab.clone();
            self.open_tab().await?;
            let opened = self.tab.clone();
            self.switch(&closing).await?;
            self.send("close the tab", Command::CloseWindow).await?;
            self.tabs_stale = true;
            return self.switch(&opened).await;
        }
        self.send("close the tab", Command::CloseWindow).await?;
        self.tabs_stale = true;
        match self.tabs().await?.last().map(|tab| tab.id.clone()) {
            Some(tab) => self.switch(&tab).await,
            None => Err(WireError::Closed),
        }
    }

    async fn dialog(&mut self) -> Result<Option<Dialog>, WireError> {
        Ok(self.dialog.clone())
    }

    async fn answer(&mut self, accept: bool, text: Option<&str>) -> Result<(), WireError> {
        if let Some(text) = text {
            self.send("fill the prompt", Command::SendAlertText(TypingData::from(text))).await?;
        }
        self.dialog = None;
        let command = if accept { Command::AcceptAlert } else { Command::DismissAlert };
        match self.send("answer the dialog", command).await {
            Ok(_) | Err(WireError::Dialog) => Ok(()),
            Err(trouble) => Err(trouble),
        }
    }

    async fn upload(&mut self, place: &DocumentTarget, key: u64, files: &[String]) -> Result<(), WireError> {
        if *place != DocumentTarget::Page {
            return Err(WireError::Driver(
                "files cannot be put into a frame of another origin over classic WebDriver".to_owned(),
            ));
        }
        let find = format!("return {};", super::invocation(probe::ELEMENT, &[key.into()]));
        let element = self.send("find the field", Command::ExecuteScript(find.into(), Arc::new([]))).await?;
        let Some(id) = element[ELEMENT_KEY].as_str() else { return Err(WireError::Replaced) };
        let files = TypingData::from(files.join("\n"));
        self.send("upload", Command::ElementSendKeys(thirtyfour::ElementId::from(id), files)).await.map(drop)
    }

    async fn frames(&mut self, outer: &DocumentTarget, keys: &[u64]) -> Result<Vec<Option<DocumentTarget>>, WireError> {
        let path = |key: &u64| match outer {
            DocumentTarget::Page => key.to_string(),
            DocumentTarget::Frame(outer) => format!("{outer}/{key}"),
        };
        Ok(keys.iter().map(|key| Some(DocumentTarget::Frame(path(key)))).collect())
    }

    async fn take_activity(&mut self) -> Result<PageActivity, WireError> {
        self.read_logs().await?;
        Ok(self.network.take())
    }

    async fn cookies(&mut self) -> Result<Vec<Value>, WireError> {
        let mut answer = self.devtools("Storage.getCookies", json!({})).await?;
        let Value::Array(cookies) = answer["cookies"].take() else { return Ok(Vec::new()) };
        Ok(cookies.iter().map(super::cookie::from_devtools).collect())
    }

    async fn restore(&mut self, state: &LoginState) -> Result<(), WireError> {
        let cookies: Vec<Value> = state.cookies.iter().map(super::cookie::to_devtools).collect();
        self.devtools("Storage.setCookies", json!({"cookies": cookies})).await.map(drop)
    }

    async fn ask_coverage(&mut self, _last: bool) -> Result<(), WireError> {
        let tab = self.tab.clone();
        if !self.counting.contains(&tab) {
            for (method, params) in coverage::first() {
                self.devtools(method, params).await?;
            }
            self.counting.insert(tab.clone());
        }
        let answer = self.devtools(coverage::TAKE, json!({})).await?;
        self.ran.push(TabCoverage { tab, answer });
        Ok(())
    }

    fn coverage(&mut self) -> Vec<TabCoverage> {
        std::mem::take(&mut self.ran)
    }

    async fn close(self: Box<Self>) {
        self.session.quit().await;
    }
}
