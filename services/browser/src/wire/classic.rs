//! One profile over classic WebDriver: a session of its own, asked instead of listened to.
//!
//! Scripts are run through DevTools (`goog/cdp/execute`): it is quicker than `execute`, and the driver's own script helpers,
//! which a page can break by replacing prototypes, are not needed. Faults, requests and dialogs come from the driver's logs.

use super::counting::{self, Ran};
use super::ledger::Ledger;
use super::passages::Passages;
use super::performance::{take_console, take_performance};
use super::{Noticed, Place, TabState, Trouble, Wire};
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

/// A profile's wire.
pub(crate) struct ClassicWire {
    session: Session,
    tabs: Vec<TabState>,
    tab: String,
    dialog: Option<Dialog>,
    ledger: Ledger,
    url: String,
    command_timeout: Duration,
    /// Whether the console may hold something new.
    console: bool,
    /// Whether there may be other tabs than those known.
    tabs_stale: bool,
    /// Tabs in which it is counted what runs.
    counting: HashSet<String>,
    ran: Vec<Ran>,
}

impl ClassicWire {
    /// Takes a fresh session over.
    pub(crate) async fn open(
        session: Session,
        scope: Scope,
        passages: Arc<Passages>,
        command_timeout: Duration,
    ) -> Result<ClassicWire, Trouble> {
        let mut wire = ClassicWire {
            session,
            tabs: Vec::new(),
            tab: String::new(),
            dialog: None,
            ledger: Ledger::of(scope, passages),
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

    /// Sets up what a session is not told at its start.
    pub(crate) async fn set_up(&mut self, options: &ProfileOptions, viewport: (u32, u32)) -> Result<(), Trouble> {
        let (width, height) = viewport;
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 0, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await?;
        // Told of, but not kept: what a page wants to store is no business of the machine that tests it.
        self.devtools("Browser.setDownloadBehavior", json!({"behavior": "deny", "eventsEnabled": true})).await?;
        if let Some(locale) = &options.locale {
            self.devtools("Emulation.setLocaleOverride", json!({"locale": locale})).await?;
            let header = json!({"headers": {"Accept-Language": locale}});
            self.devtools("Network.setExtraHTTPHeaders", header).await?;
        }
        Ok(())
    }

    /// Puts the probe before every script of every document of the current tab. In the document that is there already it
    /// comes late.
    async fn preload(&mut self) -> Result<(), Trouble> {
        let source = format!("({})()", probe::INSTALL);
        self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({"source": source})).await.map(drop)
    }

    async fn devtools(&mut self, method: &'static str, params: Value) -> Result<Value, Trouble> {
        let devtools = self.session.driver().cdp();
        match timeout(self.command_timeout, devtools.send_raw(method, params)).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(error)) => Err(self.trouble(&error)),
            Err(_) => Err(Trouble::Timeout(method)),
        }
    }

    async fn send(&mut self, doing: &'static str, command: Command) -> Result<Value, Trouble> {
        match timeout(self.command_timeout, self.session.handle().cmd(command)).await {
            Ok(Ok(answer)) => answer.value_json().map_err(|error| Trouble::Driver(error.to_string())),
            Ok(Err(error)) => Err(self.trouble(&error)),
            Err(_) => Err(Trouble::Timeout(doing)),
        }
    }

    /// Sorts the errors of a session by what they mean to a page. An open dialog is remembered.
    fn trouble(&mut self, error: &WebDriverError) -> Trouble {
        let text = error.to_string();
        let message = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match &**error {
            WebDriverErrorInner::UnexpectedAlertOpen(_) => {
                let shown = message.split("Alert text : ").nth(1).and_then(|rest| rest.split('}').next());
                let shown = shown.unwrap_or_default().to_owned();
                self.dialog.get_or_insert(Dialog { kind: "alert".to_owned(), message: shown });
                Trouble::Dialog
            }
            WebDriverErrorInner::NoSuchWindow(_) => {
                self.tabs_stale = true;
                Trouble::Closed
            }
            WebDriverErrorInner::ScriptTimeout(_) => Trouble::Timeout("a script"),
            WebDriverErrorInner::InvalidSessionId(_)
            | WebDriverErrorInner::HttpError(_)
            | WebDriverErrorInner::RequestFailed(_) => Trouble::Lost(message),
            _ if message.contains("net::ERR") => Trouble::Unreachable(net_error(&message)),
            _ if ["disconnected", "crashed", "not connected to DevTools"].iter().any(|mark| message.contains(mark)) => {
                Trouble::Lost(message)
            }
            _ if ["navigated", "context", "Promise was collected", "frame was detached", "aborted by navigation"]
                .iter()
                .any(|mark| message.contains(mark)) =>
            {
                Trouble::Replaced
            }
            _ => Trouble::Driver(message),
        }
    }

    /// Enters a frame by the keys of the frame elements on the way to it, and calls a function there.
    async fn call_in_frame(&mut self, frame: &str, function: &str, arguments: &[Value]) -> Result<String, Trouble> {
        let answer = match self.enter(frame).await {
            Ok(()) => self.call_here(function, arguments).await,
            Err(trouble) => Err(trouble),
        };
        self.send("leave the frame", Command::SwitchToFrameDefault).await?;
        answer
    }

    async fn enter(&mut self, frame: &str) -> Result<(), Trouble> {
        for key in frame.split('/') {
            let key = key.parse::<u64>().unwrap_or_default();
            let enter = format!("return {};", super::invocation(probe::ELEMENT, &[key.into()]));
            let element = self.send("find the frame", Command::ExecuteScript(enter.into(), Arc::new([]))).await?;
            let Some(id) = element[ELEMENT_KEY].as_str() else { return Err(Trouble::Replaced) };
            self.send("enter the frame", Command::SwitchToFrameElement(thirtyfour::ElementId::from(id))).await?;
        }
        Ok(())
    }

    async fn call_here(&mut self, function: &str, arguments: &[Value]) -> Result<String, Trouble> {
        let script = format!(
            "const done = arguments[arguments.length - 1]; \
             Promise.resolve({}).then((value) => done({{ value }}), (error) => done({{ error: '' + error }}));",
            super::invocation(function, arguments)
        );
        let answer = self.send("call in a frame", Command::ExecuteAsyncScript(script.into(), Arc::new([]))).await?;
        match (answer["value"].as_str(), answer["error"].as_str()) {
            (_, Some(error)) => Err(Trouble::Script(error.to_owned())),
            (Some(text), None) => Ok(text.to_owned()),
            (None, None) => Ok("null".to_owned()),
        }
    }

    /// Reads what the driver has written down. The console only where there may be something: each log is a round trip.
    async fn read_logs(&mut self) -> Result<(), Trouble> {
        let log = self.send("read the log", Command::GetLog("performance".into())).await?;
        let found = take_performance(&log, &mut self.ledger, &self.url);
        if self.dialog.is_some() && found.dialog.is_some() {
            self.dialog = found.dialog;
        }
        self.tabs_stale |= found.window;
        if self.console || found.document || found.withheld {
            let log = self.send("read the console", Command::GetLog("browser".into())).await?;
            take_console(&log, &mut self.ledger, &self.url);
            self.console = false;
        }
        Ok(())
    }
}

/// How often, and how far apart, it is looked whether a tab gets a document.
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
    async fn call(&mut self, place: &Place, function: &str, arguments: &[Value]) -> Result<String, Trouble> {
        if let Place::Frame(frame) = place {
            return self.call_in_frame(frame, function, arguments).await;
        }
        let params =
            json!({"expression": super::invocation(function, arguments), "awaitPromise": true, "returnByValue": true});
        let mut answer = self.devtools("Runtime.evaluate", params).await?;
        if let Some(details) = answer.get("exceptionDetails") {
            let text = details["exception"]["description"].as_str().or(details["text"].as_str());
            return Err(Trouble::Script(text.unwrap_or("an exception without text").to_owned()));
        }
        match answer["result"]["value"].take() {
            Value::String(text) => Ok(text),
            // The driver ends a call early, without a value, when a dialog opens under it.
            _ => match self.send("look for a dialog", Command::GetAlertText).await {
                Ok(message) => {
                    let message = message.as_str().unwrap_or_default().to_owned();
                    self.dialog = Some(Dialog { kind: "alert".to_owned(), message });
                    Err(Trouble::Dialog)
                }
                Err(_) => Ok("null".to_owned()),
            },
        }
    }

    async fn call_within(
        &mut self,
        place: &Place,
        function: &str,
        arguments: &[Value],
        patience: Duration,
    ) -> Result<String, Trouble> {
        // The driver does nothing else meanwhile, so it has to be the one that loses patience.
        let limits = thirtyfour::TimeoutConfiguration::new(Some(patience), None, None);
        self.send("limit a script", Command::SetTimeouts(limits)).await?;
        self.call(place, function, arguments).await
    }

    async fn devtools_at(&mut self, place: &Place, method: &'static str, params: Value) -> Result<Value, Trouble> {
        match place {
            Place::Page => self.devtools(method, params).await,
            Place::Frame(_) => Err(Trouble::Driver("classic WebDriver has no DevTools for frames".to_owned())),
        }
    }

    async fn perform(&mut self, actions: Value) -> Result<(), Trouble> {
        self.send("perform actions", Command::PerformActions(actions.into())).await.map(drop)
    }

    async fn navigate(&mut self, url: &str) -> Result<(), Trouble> {
        self.send("navigate", Command::NavigateTo(url.into())).await?;
        // Behind a proxy the driver takes the browser's error page for success.
        if self.call(&Place::Page, "() => document.URL", &[]).await?.starts_with("chrome-error:") {
            self.read_logs().await?;
            let cause = self.ledger.last_failure().unwrap_or("the browser shows an error page").to_owned();
            return Err(Trouble::Unreachable(cause));
        }
        Ok(())
    }

    async fn traverse(&mut self, by: i32) -> Result<(), Trouble> {
        let command = if by < 0 { Command::Back } else { Command::Forward };
        self.send("traverse history", command).await.map(drop)
    }

    async fn screenshot(&mut self) -> Result<Vec<u8>, Trouble> {
        let data = self.send("take a screenshot", Command::TakeScreenshot).await?;
        let data = data.as_str().unwrap_or_default();
        BASE64_STANDARD.decode(data).map_err(|error| Trouble::Driver(format!("decode screenshot: {error}")))
    }

    async fn tabs(&mut self) -> Result<Vec<TabState>, Trouble> {
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

    async fn add_script(&mut self, source: &str) -> Result<String, Trouble> {
        let params = json!({"source": format!("({source})()")});
        let added = self.devtools("Page.addScriptToEvaluateOnNewDocument", params).await?;
        Ok(added["identifier"].as_str().unwrap_or_default().to_owned())
    }

    async fn remove_script(&mut self, name: &str) -> Result<(), Trouble> {
        self.devtools("Page.removeScriptToEvaluateOnNewDocument", json!({"identifier": name})).await.map(drop)
    }

    async fn stays_empty(&mut self, tab: &str) -> Result<bool, Trouble> {
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

    async fn switch(&mut self, tab: &str) -> Result<(), Trouble> {
        self.send("switch to the window", Command::SwitchToWindow(WindowHandle::from(tab.to_owned()))).await?;
        self.tab = tab.to_owned();
        self.preload().await
    }

    async fn open_tab(&mut self) -> Result<(), Trouble> {
        let opened = self.send("open a tab", Command::NewTab).await?;
        let tab = opened["handle"].as_str().unwrap_or_default().to_owned();
        self.tabs.push(TabState { id: tab.clone(), url: "about:blank".to_owned() });
        self.switch(&tab).await
    }

    async fn close_tab(&mut self) -> Result<(), Trouble> {
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
            None => Err(Trouble::Closed),
        }
    }

    async fn dialog(&mut self) -> Result<Option<Dialog>, Trouble> {
        Ok(self.dialog.clone())
    }

    async fn answer(&mut self, accept: bool, text: Option<&str>) -> Result<(), Trouble> {
        if let Some(text) = text {
            self.send("fill the prompt", Command::SendAlertText(TypingData::from(text))).await?;
        }
        self.dialog = None;
        let command = if accept { Command::AcceptAlert } else { Command::DismissAlert };
        match self.send("answer the dialog", command).await {
            Ok(_) | Err(Trouble::Dialog) => Ok(()),
            Err(trouble) => Err(trouble),
        }
    }

    async fn upload(&mut self, place: &Place, key: u64, files: &[String]) -> Result<(), Trouble> {
        if *place != Place::Page {
            return Err(Trouble::Driver(
                "files cannot be put into a frame of another origin over classic WebDriver".to_owned(),
            ));
        }
        let find = format!("return {};", super::invocation(probe::ELEMENT, &[key.into()]));
        let element = self.send("find the field", Command::ExecuteScript(find.into(), Arc::new([]))).await?;
        let Some(id) = element[ELEMENT_KEY].as_str() else { return Err(Trouble::Replaced) };
        let files = TypingData::from(files.join("\n"));
        self.send("upload", Command::ElementSendKeys(thirtyfour::ElementId::from(id), files)).await.map(drop)
    }

    async fn frames(&mut self, outer: &Place, keys: &[u64]) -> Result<Vec<Option<Place>>, Trouble> {
        let path = |key: &u64| match outer {
            Place::Page => key.to_string(),
            Place::Frame(outer) => format!("{outer}/{key}"),
        };
        Ok(keys.iter().map(|key| Some(Place::Frame(path(key)))).collect())
    }

    async fn notice(&mut self) -> Result<Noticed, Trouble> {
        self.read_logs().await?;
        Ok(self.ledger.take())
    }

    async fn cookies(&mut self) -> Result<Vec<Value>, Trouble> {
        let mut answer = self.devtools("Storage.getCookies", json!({})).await?;
        let Value::Array(cookies) = answer["cookies"].take() else { return Ok(Vec::new()) };
        Ok(cookies.iter().map(super::cookie::from_devtools).collect())
    }

    async fn restore(&mut self, state: &LoginState) -> Result<(), Trouble> {
        let cookies: Vec<Value> = state.cookies.iter().map(super::cookie::to_devtools).collect();
        self.devtools("Storage.setCookies", json!({"cookies": cookies})).await.map(drop)
    }

    async fn ask_coverage(&mut self, _last: bool) -> Result<(), Trouble> {
        let tab = self.tab.clone();
        if !self.counting.contains(&tab) {
            for (method, params) in counting::first() {
                self.devtools(method, params).await?;
            }
            self.counting.insert(tab.clone());
        }
        let answer = self.devtools(counting::TAKE, json!({})).await?;
        self.ran.push(Ran { tab, answer });
        Ok(())
    }

    fn coverage(&mut self) -> Vec<Ran> {
        std::mem::take(&mut self.ran)
    }

    async fn close(self: Box<Self>) {
        self.session.quit().await;
    }
}
