//! Owns a WebDriver session.
//!
//! thirtyfour blocks the thread when a session is dropped without having been quit, so each session is owned by a task that
//! quits it as soon as the last of its users is gone.

use crate::error::Error;
use crate::gate;
use crate::install;
use crate::options::{Engine, Options};
use platform::listeners;
use platform::network::is_this_machine;
use platform::spawn;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use thirtyfour::error::WebDriverErrorInner;
use thirtyfour::session::handle::SessionHandle;
use thirtyfour::{Capabilities, WebDriver};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long a driver may take to end a session.
const QUIT: Duration = Duration::from_secs(20);

/// A session. Dropping it quits it in the background; [`Session::quit`] also waits for that.
pub(crate) struct Session {
    handle: Arc<SessionHandle>,
    driver: WebDriver,
    release: oneshot::Sender<()>,
    owner: JoinHandle<()>,
}

impl Session {
    /// Requests a session from a driver.
    ///
    /// # Errors
    /// [`Error::VersionMismatch`], [`Error::EndpointDown`] or [`Error::SessionRefused`].
    pub(crate) async fn start(
        url: &str,
        capabilities: Capabilities,
        client: reqwest::Client,
    ) -> Result<Session, Error> {
        let asked = WebDriver::builder(url, capabilities).client(client);
        let driver = asked.await.map_err(|error| refusal(url, &error))?;
        let handle = driver.handle().clone();
        let (release, released) = oneshot::channel::<()>();
        let owned = Owned(driver.clone());
        // Where the driver reaches the browser, if that is on this machine.
        let devtools = devtools_port(&handle).map(listeners::claim);
        let owner = spawn::detached("owner of a session", async move {
            let _ = released.await;
            match timeout(QUIT, owned.0.clone().quit()).await {
                Ok(Ok(())) => return drop(devtools),
                Ok(Err(error)) => tracing::debug!(%error, "quit session"),
                Err(_) => tracing::debug!("quit session: no answer in time"),
            }
            // The browser may live on until its driver ends: its port stays ours.
            std::mem::forget(devtools);
        });
        Ok(Session { handle, driver, release, owner })
    }

    /// The session's id, unique at its driver.
    pub(crate) fn id(&self) -> String {
        self.handle.session_id().to_string()
    }

    /// The handle for commands.
    pub(crate) fn handle(&self) -> &Arc<SessionHandle> {
        &self.handle
    }

    /// The driver's client, for BiDi and DevTools.
    pub(crate) fn driver(&self) -> &WebDriver {
        &self.driver
    }

    /// A capability as reported by the driver.
    pub(crate) fn capability(&self, name: &str) -> &str {
        self.handle.capabilities().get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The driver's version; empty where it does not say.
    pub(crate) fn driver_version(&self) -> String {
        let said = self.handle.capabilities().get("chrome").and_then(|chrome| chrome["chromedriverVersion"].as_str());
        said.and_then(|said| said.split_whitespace().next()).unwrap_or_default().to_owned()
    }

    /// Where the driver reaches its browser, host and port.
    pub(crate) fn debugger_address(&self) -> Option<&str> {
        debugger_address(&self.handle)
    }

    /// Quits and waits for it.
    pub(crate) async fn quit(self) {
        let Session { handle, driver, release, owner } = self;
        drop(release);
        let _ = owner.await;
        drop((handle, driver));
    }
}

fn debugger_address(handle: &SessionHandle) -> Option<&str> {
    handle.capabilities().get("goog:chromeOptions")?["debuggerAddress"].as_str()
}

fn devtools_port(handle: &SessionHandle) -> Option<u16> {
    let (host, port) = debugger_address(handle)?.rsplit_once(':')?;
    is_this_machine(host).then(|| port.parse().ok()).flatten()
}

/// Leaks a session that could not be quit, because its driver is gone or the runtime ended first, since dropping it
/// would block. The process guard then ends our own browser; the Grid's reaper ends one of a Grid.
struct Owned(WebDriver);

impl Drop for Owned {
    fn drop(&mut self) {
        // Fails if it was quit.
        let _ = self.0.clone().leak();
    }
}

fn refusal(url: &str, error: &thirtyfour::error::WebDriverError) -> Error {
    let text = error.to_string();
    let cause = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(6).collect::<Vec<_>>().join(" ");
    if text.contains("only supports") || text.contains("Current browser version") {
        return Error::VersionMismatch { cause };
    }
    match &**error {
        WebDriverErrorInner::HttpError(_) | WebDriverErrorInner::RequestFailed(_) => {
            Error::EndpointDown { url: without_credentials(url), cause }
        }
        _ => Error::SessionRefused { url: without_credentials(url), cause },
    }
}

pub(crate) fn without_credentials(url: &str) -> String {
    url::Url::parse(url).map_or_else(
        |_| url.to_owned(),
        |mut url| {
            let _ = url.set_password(None);
            let _ = url.set_username("");
            url.to_string()
        },
    )
}

/// The capabilities to request. `profile` is the user data directory of a browser that we start ourselves; `proxy` is
/// that of all traffic that has none of its own.
///
/// # Errors
/// [`Error::NoBrowser`].
pub(crate) fn wanted(
    options: &Options,
    bidi: bool,
    profile: Option<&Path>,
    proxy: &str,
) -> Result<Capabilities, Error> {
    wanted_by(rustix::process::geteuid().is_root(), options, bidi, profile, proxy)
}

fn wanted_by(
    is_root: bool,
    options: &Options,
    bidi: bool,
    profile: Option<&Path>,
    proxy: &str,
) -> Result<Capabilities, Error> {
    let (width, height) = options.viewport;
    let mut arguments: Vec<String> = [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-default-apps",
        "--disable-sync",
        "--disable-breakpad",
        "--disable-crash-reporter",
        "--metrics-recording-only",
        "--no-default-browser-check",
        "--no-first-run",
        "--password-store=basic",
        // Jobs run in background tabs, whose timers must not be throttled.
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        // Keeps all frames of a page in one process: half the memory, and DevTools reaches cross-origin frames.
        "--disable-site-isolation-trials",
        "--disable-features=IsolateOrigins,site-per-process,Translate,MediaRouter,OptimizationHints",
        // Closes WebRTC's way around the gate.
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--proxy-bypass-list=<-loopback>",
    ]
    .map(str::to_owned)
    .into();
    arguments.push(format!("--window-size={width},{height}"));
    if !options.headed && options.engine != Engine::HeadlessShell {
        arguments.push("--headless=new".to_owned());
    }
    if let Some(profile) = profile {
        arguments.push(format!("--user-data-dir={}", profile.display()));
        if is_root {
            arguments.push("--no-sandbox".to_owned()); // Chromium's sandbox refuses to work for root
        }
    }
    arguments.push(format!("--proxy-server=http://{proxy}"));
    // The gate stands for every encrypted site, with certificates by a key of this process.
    arguments.extend(gate::trusted_key().map(|key| format!("--ignore-certificate-errors-spki-list={key}")));
    arguments.extend_from_slice(&options.arguments);
    let mut chrome = json!({"args": arguments});
    if options.endpoint.is_none() {
        chrome["binary"] = json!(install::browser(options)?);
    }
    let mut wanted = Capabilities::new();
    let mut set = |name: &str, value: Value| {
        let _ = wanted.set(name, value); // fails only for values that are not JSON
    };
    // Under this name the driver expects pages but no tabs, as the shell has; under `chrome` it would wait for a tab in
    // vain.
    let shell = options.engine == Engine::HeadlessShell && options.endpoint.is_none();
    set("browserName", json!(if shell { "chrome-headless-shell" } else { "chrome" }));
    set("goog:chromeOptions", chrome);
    if let Some(owner) = &options.owner {
        set(crate::grid::OWNER, json!(owner));
        set("se:name", json!(owner));
    }
    if bidi {
        set("webSocketUrl", json!(true));
        set("unhandledPromptBehavior", json!({"default": "ignore"}));
    } else {
        set("unhandledPromptBehavior", json!("ignore"));
        set("goog:loggingPrefs", json!({"browser": "ALL", "performance": "ALL"}));
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thirtyfour::error::{WebDriverError, WebDriverErrorInfo};

    #[test]
    fn a_driver_of_another_version_is_told_from_other_refusals() {
        let refused = |text: &str| {
            let error = WebDriverError::SessionNotCreated(WebDriverErrorInfo::new(text.to_owned()));
            refusal("http://127.0.0.1:1/", &error).code()
        };
        let mismatch = "session not created: This version of ChromeDriver only supports Chrome version 120\n\
                        Current browser version is 156.0.8078.79";
        assert_eq!(refused(mismatch), "version_mismatch");
        assert_eq!(refused("session not created: the queue is full"), "session_refused");
    }

    #[test]
    fn credentials_of_an_endpoint_are_not_repeated() {
        assert_eq!(without_credentials("http://me:secret@grid.example.org/wd"), "http://grid.example.org/wd");
    }

    #[test]
    fn the_sandbox_is_given_up_for_root_only_and_a_window_opened_on_request() {
        let options = Options {
            engine: Engine::Chromium,
            headed: true,
            endpoint: "http://g/".parse().ok(),
            ..Options::default()
        };
        let arguments = |is_root: bool, profile: Option<&str>, options: &Options| {
            let wanted = wanted_by(is_root, options, true, profile.map(Path::new), "127.0.0.1:1").unwrap();
            wanted.get("goog:chromeOptions").unwrap()["args"].to_string()
        };
        let of_a_grid = arguments(true, None, &options);
        assert!(!of_a_grid.contains("--headless") && !of_a_grid.contains("--no-sandbox"), "{of_a_grid}");
        assert!(arguments(true, Some("/profile"), &options).contains("--no-sandbox"));
        assert!(!arguments(false, Some("/profile"), &options).contains("--no-sandbox"));
        assert!(arguments(false, None, &Options { headed: false, ..options }).contains("--headless=new"));
    }
}
