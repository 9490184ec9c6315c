//! A browser: starting it, asking it for profiles, ending it.

use crate::driver_process::DriverProcess;
use crate::error::Error;
use crate::footprint;
use crate::gate::Gate;
use crate::gate::admission::Admission;
use crate::install;
use crate::options::{Capabilities, Options, ProfileOptions, Protocol, ScopeEnforcement};
use crate::probe;
use crate::profile::{Profile, files};
use crate::remote::{self, Carrier};
use crate::session::{self, Session};
use crate::wire::Wire;
use crate::wire::bidi::BidiWire;
use crate::wire::classic::ClassicWire;
use crate::wire::credential;
use crate::wire::mapper::{self, Mapper};
use crate::wire::socket::Socket;
use platform::listeners::{self, OwnPort};
use platform::network::is_this_machine;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use url::Url;

/// A started browser. [`Browser::stop`] waits until its processes have ended. Dropping it, or killing this process,
/// also ends them, a moment later.
pub struct Browser {
    options: Options,
    capabilities: Capabilities,
    driver: String,
    driver_process: Option<DriverProcess>,
    sessions: SessionMode,
    profiles: AtomicU64,
    client: reqwest::Client,
    /// The port of an endpoint on this machine.
    _endpoint: Option<OwnPort>,
}

/// The client that sends commands to drivers and Grids. It loads the machine's certificate authorities and pools
/// connections, so all browsers share it.
///
/// # Errors
/// [`Error::Session`] when the machine's authorities cannot be read.
pub(crate) fn driver_client() -> Result<reqwest::Client, Error> {
    // No redirects: a driver answers at the address it has.
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let client = client.timeout(ANSWER).pool_max_idle_per_host(IDLE).build();
    client.map_err(|error| failed("make a client", error))
}

/// Deadline for a driver's answer. It is long because a full Grid keeps session requests waiting.
const ANSWER: Duration = Duration::from_secs(120);

/// Idle connections kept per driver or Grid. A BiDi session needs one only twice: to begin and to end.
const IDLE: usize = 100;

/// How profiles map to WebDriver sessions.
enum SessionMode {
    /// BiDi: one session with a user context per profile. This gate refuses everything; it serves requests that the
    /// browser makes outside of any profile.
    Shared {
        session: Session,
        socket: Socket,
        /// None where the browser's DevTools cannot be reached.
        mapper: Option<Mapper>,
        _gate: Gate,
    },
    /// Classic: a session for each profile.
    Separate,
}

impl Browser {
    /// Starts a browser, or connects to an endpoint.
    ///
    /// # Errors
    /// See [`Error`]; nothing is left behind.
    pub async fn start(options: Options) -> Result<Browser, Error> {
        Browser::start_with(options, driver_client()?).await
    }

    /// As [`Browser::start`], with an HTTP client shared between browsers.
    pub(crate) async fn start_with(options: Options, client: reqwest::Client) -> Result<Browser, Error> {
        check(&options)?;
        let driver_process = match &options.endpoint {
            Some(_) => None,
            None => {
                install::browser(&options)?;
                Some(DriverProcess::start(&install::driver(&options)?).await?)
            }
        };
        let driver = match (&driver_process, &options.endpoint) {
            (Some(driver_process), _) => driver_process.url(),
            (None, Some(endpoint)) => endpoint.to_string(),
            (None, None) => String::new(),
        };
        let is_here = |url: &&Url| url.host_str().is_some_and(is_this_machine);
        let _endpoint =
            options.endpoint.as_ref().filter(is_here).and_then(Url::port_or_known_default).map(listeners::claim);
        let mut browser = Browser {
            options,
            capabilities: Capabilities::default(),
            driver,
            driver_process,
            sessions: SessionMode::Separate,
            profiles: AtomicU64::new(0),
            client,
            _endpoint,
        };
        match Box::pin(browser.connect()).await {
            Ok(()) => Ok(browser),
            Err(error) => {
                browser.stop().await;
                Err(error)
            }
        }
    }

    /// Starts the first session and reads its capabilities.
    async fn connect(&mut self) -> Result<(), Error> {
        let nobody = if self.options.gate.is_local() { Admission::default() } else { Admission::by_address() };
        let closed = self.gate(&ProfileOptions::default(), nobody).await?;
        let wants_bidi = self.options.wire != Protocol::Classic;
        let session = self.session(wants_bidi, &closed).await?;
        self.capabilities = read_capabilities(&session, &self.options);
        if wants_bidi && !session.capability("webSocketUrl").is_empty() {
            let socket = Socket::connect(session.capability("webSocketUrl")).await;
            let socket = socket.map_err(|error| failed("connect BiDi", error))?;
            let patience = self.options.command_timeout;
            let mapper = match self.devtools(&session).await {
                Some(devtools) => Mapper::quiet(devtools).await,
                None => None,
            };
            let subscribed = BidiWire::subscribe(&socket, patience).await;
            subscribed.map_err(|error| failed("subscribe to events", error))?;
            let installed = BidiWire::preload(&socket, probe::INSTALL, patience).await;
            installed.map_err(|error| failed("install the probe", error))?;
            self.capabilities.bidi = true;
            self.capabilities.shared_profiles = true;
            self.sessions = SessionMode::Shared { session, socket, mapper, _gate: closed };
            return Ok(());
        }
        session.quit().await;
        if self.options.wire == Protocol::Bidi {
            let hint = "the endpoint offers no BiDi socket; use wire `auto` or `classic`, or another endpoint";
            return Err(Error::Unsupported { what: "BiDi", hint });
        }
        Ok(())
    }

    async fn session(&self, bidi: bool, gate: &Gate) -> Result<Session, Error> {
        let number = self.profiles.fetch_add(1, Ordering::Relaxed);
        let directory = self
            .driver_process
            .as_ref()
            .map(|driver_process| driver_process.directory().join(format!("profile-{number}")));
        let wanted = session::wanted(&self.options, bidi, directory.as_deref(), &gate.authority())?;
        // The browser opens its port of DevTools long before its driver tells us of it.
        let _expected = directory.map(|directory| listeners::expect(&directory.join("DevToolsActivePort")));
        Session::start(&self.driver, wanted, self.client.clone()).await
    }

    /// The DevTools address of a session's browser. A Grid reports it; our own driver is asked for it. Other endpoints
    /// report an address on their own machine, which we cannot reach.
    async fn devtools(&self, session: &Session) -> Option<String> {
        let named = session.capability("se:cdp");
        if !named.is_empty() {
            return Some(named.to_owned());
        }
        self.driver_process.as_ref()?;
        let version = format!("http://{}/json/version", session.debugger_address()?);
        let answer =
            self.client.get(version).timeout(mapper::PATIENCE).send().await.ok()?.json::<Value>().await.ok()?;
        answer["webSocketDebuggerUrl"].as_str().map(str::to_owned)
    }

    /// What the session can do.
    pub fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Memory in MiB of the browser's and the driver's processes, shared pages in proportion; none of an endpoint's browser.
    pub fn memory_mib(&self) -> Option<u64> {
        footprint::session_mib(self.driver_process.as_ref()?.session()?)
    }

    /// Opens a profile that shares nothing with others, with one empty tab.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the session cannot do what is asked, [`Error::Session`] when it fails.
    pub async fn profile(&self, options: ProfileOptions) -> Result<Profile, Error> {
        // Its future is large, and whoever opens a profile would have it within their own.
        Box::pin(self.open(options)).await
    }

    async fn open(&self, options: ProfileOptions) -> Result<Profile, Error> {
        if self.capabilities.scope == ScopeEnforcement::None {
            let hint = "the gates of this process listen on loopback, where no browser of another machine reaches them; \
                        let them listen on an address that it reaches (`crawler.browser.gate` of the settings, `--gate` of commands)";
            return Err(Error::Unsupported { what: "enforcing the scope", hint });
        }
        let gate = self.gate(&options, self.admission()?).await?;
        let timeout = self.options.command_timeout;
        let (mut wire, session): (Box<dyn Wire>, String) = match &self.sessions {
            SessionMode::Shared { socket, session, mapper, .. } => {
                if let Some(mapper) = mapper {
                    mapper.sweep(socket.bytes()).await;
                }
                let context = user_context(&gate);
                let (scope, passages) = (options.scope.clone(), gate.passages());
                let (password, viewport) = (gate.admission().password(), self.options.viewport);
                let opened = BidiWire::open(socket.clone(), &context, password, scope, passages, viewport, timeout);
                let mut wire = opened.await.map_err(|error| failed("open profile", error))?;
                self.expect_at(&gate)?;
                if let Some(locale) = &options.locale {
                    wire.set_locale(locale).await.map_err(|error| failed("set the locale", error))?;
                }
                (Box::new(wire), session.id())
            }
            SessionMode::Separate => {
                let session = self.session(false, &gate).await?;
                let id = session.id();
                if let Some(endpoint) = self.endpoint_elsewhere() {
                    let found = remote::addresses_of(endpoint, &id, self.client.clone());
                    gate.admission().let_in(Box::pin(found).await?);
                }
                let opened = ClassicWire::open(session, options.scope.clone(), gate.passages(), timeout);
                let mut wire = opened.await.map_err(|error| failed("open profile", error))?;
                wire.set_up(&options, self.options.viewport).await.map_err(|error| failed("set up profile", error))?;
                if self.endpoint_elsewhere().is_some() {
                    // Nothing is there: what counts is whether the browser comes to the gate to ask.
                    let _ = wire.navigate(credential::NOWHERE).await;
                    self.expect_at(&gate)?;
                }
                (Box::new(wire), id)
            }
        };
        if options.downloads {
            wire.add_script(files::REMEMBER).await.map_err(|error| failed("set up downloads", error))?;
        }
        if let Some(state) = &options.login_state {
            wire.restore(state).await.map_err(|error| failed("restore login state", error))?;
        }
        // Observations are identified by this name across processes and machines, so a driver's address is not unique
        // enough.
        let name = format!("{session}#{}", self.profiles.fetch_add(1, Ordering::Relaxed));
        let carrier = self.options.endpoint.as_ref().map(|at| Carrier::to(at, &session, self.client.clone()));
        let mut profile = Profile::new(wire, gate, name, options, self.options.settle, self.options.max_nodes, carrier);
        profile.begin_coverage().await;
        Ok(profile)
    }

    /// The endpoint, where its browsers come to their gates from other machines.
    fn endpoint_elsewhere(&self) -> Option<&Url> {
        self.options.endpoint.as_ref().filter(|_| !self.options.gate.is_local())
    }

    /// Whom the gate of a profile lets in.
    fn admission(&self) -> Result<Admission, Error> {
        match (&self.sessions, self.options.gate.is_local()) {
            (_, true) => Ok(Admission::default()),
            (SessionMode::Shared { .. }, false) => {
                Admission::by_password().map_err(|cause| Error::Session { doing: "open the gate", cause })
            }
            (SessionMode::Separate, false) => Ok(Admission::by_address()),
        }
    }

    async fn gate(&self, options: &ProfileOptions, admission: Admission) -> Result<Gate, Error> {
        let proxy = options.proxy.as_deref().map(Url::parse).transpose();
        let proxy = proxy.map_err(|error| Error::Option { option: "proxy", cause: error.to_string() })?;
        let opened = Gate::open(options, proxy, &self.options.gate, admission).await;
        opened.map_err(|cause| Error::Session { doing: "open the gate", cause })
    }

    /// Whether a browser of another machine has come to its gate.
    fn expect_at(&self, gate: &Gate) -> Result<(), Error> {
        if self.options.gate.is_local() || gate.admission().has_come() {
            return Ok(());
        }
        let others = gate.admission().strangers().iter().map(ToString::to_string).collect::<Vec<_>>();
        Err(Error::GateUnreached { gate: gate.authority(), others: others.join(", ") })
    }

    /// Ends the browser and waits until its processes are gone.
    pub async fn stop(self) {
        if let SessionMode::Shared { session, .. } = self.sessions {
            session.quit().await;
        }
        if let Some(driver_process) = self.driver_process {
            driver_process.stop().await;
        }
    }
}

fn check(options: &Options) -> Result<(), Error> {
    if options.headed && options.engine == crate::options::Engine::HeadlessShell {
        let cause = "the headless shell has no window; choose the engine `chromium` or `chrome`".to_owned();
        return Err(Error::Option { option: "headed", cause });
    }
    options.gate.check()
}

/// Reads the capabilities that a session reports.
fn read_capabilities(session: &Session, options: &Options) -> Capabilities {
    let is_here = |endpoint: &Url| endpoint.host_str().is_some_and(is_this_machine);
    let reaches_us = !options.gate.is_local() || options.endpoint.as_ref().is_none_or(is_here);
    Capabilities {
        browser: session.capability("browserName").to_owned(),
        browser_version: session.capability("browserVersion").to_owned(),
        driver_version: session.driver_version(),
        bidi: false,
        shared_profiles: false,
        early_probe: true,
        scope: if reaches_us { ScopeEnforcement::Proxy } else { ScopeEnforcement::None },
    }
}

fn user_context(gate: &Gate) -> Value {
    let address = gate.authority();
    json!({
        "proxy": {"proxyType": "manual", "httpProxy": address, "sslProxy": address, "noProxy": ["<-loopback>"]},
    })
}

fn failed(doing: &'static str, error: impl std::fmt::Display) -> Error {
    Error::Session { doing, cause: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::mapper::SWEEP_AFTER;
    use crate::wire::mapper::tests::{kept, swept_at};
    use domain::Page as _;

    #[tokio::test]
    async fn the_drivers_page_keeps_no_message_and_is_swept() {
        let browser = Browser::start(Options { wire: Protocol::Bidi, ..Options::default() }).await.unwrap();
        let SessionMode::Shared { mapper: Some(mapper), socket, .. } = &browser.sessions else { panic!("a page") };
        let mut profile = browser.profile(ProfileOptions::default()).await.unwrap();
        for _ in 0..4 * SWEEP_AFTER / 4096 {
            profile.evaluate("'-'.repeat(4096)").await.unwrap();
        }
        let (lines, before) = kept(mapper).await;
        assert!(socket.bytes() > SWEEP_AFTER, "{}", socket.bytes());
        browser.profile(ProfileOptions::default()).await.unwrap().close().await;
        let (_, after) = kept(mapper).await;
        assert_eq!(lines, 0);
        assert!(swept_at(mapper) > 0 && after < before, "{before} {after}");
        profile.close().await;
        browser.stop().await;
    }
}
