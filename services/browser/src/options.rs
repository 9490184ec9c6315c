//! Options of browsers and profiles. Plain data; nothing here starts anything.

use crate::coverage::JsCoverage;
use crate::error::Error;
use crate::robots::Robots;
use async_trait::async_trait;
use domain::exploration::Guards;
use domain::scope::Scope;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use url::{Host, Url};

/// Which browser is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// `chromium-headless-shell`: half the memory and start time of the full browser, no window.
    #[default]
    HeadlessShell,
    /// Chromium.
    Chromium,
    /// Google Chrome.
    Chrome,
}

/// Which protocol drives the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// BiDi where the session offers it, classic WebDriver otherwise.
    #[default]
    Auto,
    /// WebDriver BiDi; a session without it is refused.
    Bidi,
    /// Classic WebDriver only.
    Classic,
}

/// How a browser is started or reached.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which browser.
    pub engine: Engine,
    /// Whether it has a window. Not possible with [`Engine::HeadlessShell`].
    pub headed: bool,
    /// The browser's program; found by itself when absent.
    pub binary: Option<PathBuf>,
    /// The driver's program; found by itself when absent.
    pub driver: Option<PathBuf>,
    /// A WebDriver endpoint, e.g. a Grid, instead of a driver of our own.
    pub endpoint: Option<Url>,
    /// Where the gates of its profiles are, through which it reaches every site.
    pub gate: GatePlace,
    /// Owner label on each session, by which orphaned sessions of a dead owner are found and ended.
    pub owner: Option<String>,
    /// Which protocol.
    pub wire: Protocol,
    /// How long a page may take to come to rest.
    pub settle: SettleOptions,
    /// Width and height of the viewport in CSS pixels.
    pub viewport: (u32, u32),
    /// Nodes beyond this number are left out of an observation.
    pub max_nodes: usize,
    /// Longest wait for the answer to one command, beyond any settle deadline.
    pub command_timeout: Duration,
    /// Additional command-line arguments of the browser.
    pub arguments: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            engine: Engine::default(),
            headed: false,
            binary: None,
            driver: None,
            endpoint: None,
            gate: GatePlace::default(),
            owner: None,
            wire: Protocol::default(),
            settle: SettleOptions::default(),
            viewport: (1280, 900),
            max_nodes: 20_000,
            command_timeout: Duration::from_secs(30),
            arguments: Vec::new(),
        }
    }
}

/// Where gates are: on loopback for browsers of this machine, else where browsers of other machines reach them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatePlace {
    /// The address of this machine on which they listen.
    pub bind: IpAddr,
    /// The host by which browsers reach them; the address on which they listen when absent.
    pub advertised: Option<String>,
}

impl Default for GatePlace {
    fn default() -> Self {
        Self { bind: Ipv4Addr::LOCALHOST.into(), advertised: None }
    }
}

impl GatePlace {
    /// Whether they are for the processes of this machine, all of which they let in.
    pub fn is_local(&self) -> bool {
        self.bind.is_loopback() && self.advertised.is_none()
    }

    /// The host by which browsers reach them.
    pub(crate) fn host(&self) -> String {
        let is_v6 = |host: &str| host.parse::<Ipv6Addr>().is_ok();
        match &self.advertised {
            Some(host) if is_v6(host) => format!("[{host}]"),
            Some(host) => host.clone(),
            None if self.bind.is_ipv6() => format!("[{}]", self.bind),
            None => self.bind.to_string(),
        }
    }

    /// Checks that browsers could reach what it names.
    ///
    /// # Errors
    /// [`Error::Option`].
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |cause: String| Err(Error::Option { option: "gate", cause });
        let host = self.advertised.clone().unwrap_or_else(|| self.bind.to_string());
        match host.parse::<IpAddr>() {
            Ok(address) if address.is_unspecified() => {
                wrong(format!("browsers cannot reach {address}; name the host by which they reach this machine"))
            }
            Err(_) if Host::parse(&host).is_err() => wrong(format!(
                "`{host}` is no host: name one without scheme and port, such as `10.0.0.5` or `crawler-0.crawlers`"
            )),
            _ => Ok(()),
        }
    }
}

/// When a page counts as settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettleOptions {
    /// The longest wait. A page that is not quiet by then is observed as it is and said to be so.
    pub deadline: Duration,
    /// One-shot timers due later than this are not waited for.
    pub horizon: Duration,
}

impl Default for SettleOptions {
    fn default() -> Self {
        Self { deadline: Duration::from_secs(5), horizon: Duration::from_millis(1000) }
    }
}

/// What a session can do, as found when it was started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// The browser's name as the driver gives it.
    pub browser: String,
    /// The browser's version.
    pub browser_version: String,
    /// The driver's version; empty where it does not say.
    pub driver_version: String,
    /// Whether BiDi drives the session.
    pub bidi: bool,
    /// Whether one browser holds several profiles at once; otherwise each profile is a session of its own.
    pub shared_profiles: bool,
    /// Whether the probe is in every document before its scripts. Otherwise settling falls back to a time without changes.
    pub early_probe: bool,
    /// What keeps requests within the scope.
    pub scope: ScopeEnforcement,
}

/// What keeps a profile's requests within its scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScopeEnforcement {
    /// A forward proxy of our own, one per profile: nothing else can reach the network, sockets and workers included.
    #[default]
    Proxy,
    /// Interception by the browser. WebSocket handshakes are not seen by it and are refused in the page instead.
    Interception,
    /// Nothing: profiles are refused.
    None,
}

/// Where a secret's value comes from.
pub trait SecretSource: Send + Sync {
    /// The names of all secrets. Their values are redacted from everything observed, typed or not.
    fn names(&self) -> Vec<String>;

    /// The value of a secret.
    ///
    /// # Errors
    /// Why it has no value, as a sentence; never the value itself.
    fn secret(&self, name: &str) -> Result<String, String>;

    /// Whether a secret may be typed on a page: whether it is for the page's origin.
    ///
    /// # Errors
    /// Why not, as a sentence that says what to do.
    fn allows(&self, name: &str, page: &Url) -> Result<(), String> {
        let _ = (name, page);
        Ok(())
    }
}

/// A source without secrets.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSecrets;

impl SecretSource for NoSecrets {
    fn names(&self) -> Vec<String> {
        Vec::new()
    }

    fn secret(&self, _name: &str) -> Result<String, String> {
        Err("no secrets were given to this profile".to_owned())
    }
}

impl SecretSource for BTreeMap<String, String> {
    fn names(&self) -> Vec<String> {
        self.keys().cloned().collect()
    }

    fn secret(&self, name: &str) -> Result<String, String> {
        self.get(name).cloned().ok_or_else(|| "no such secret was given to this profile".to_owned())
    }
}

/// Rate limit on page loads per host, shared by all visitors.
#[async_trait]
pub trait Pace: Send + Sync {
    /// Returns when one page of a host may be loaded. `authority` is the host, with its port where that is not the usual one.
    async fn admit(&self, authority: &str);
}

/// How a profile is set up.
#[derive(Clone)]
pub struct ProfileOptions {
    /// Which addresses may be requested.
    pub scope: Scope,
    /// Values of `${secret:NAME}`.
    pub secrets: Arc<dyn SecretSource>,
    /// Where the files of `${file:NAME}` stand on this machine; a recorded test names them by their paths. Others are put into no field, but
    /// for those that an exploration makes.
    pub files: BTreeMap<String, PathBuf>,
    /// Whether what pages offer for download is kept. Otherwise it is told of, and nothing is stored.
    pub downloads: bool,
    /// Awaited before every page load, frames included. None: no
    /// waiting.
    pub pace: Option<Arc<dyn Pace>>,
    /// Checked before every page load, frames included, and before links and addresses are followed. None:
    /// robots.txt is ignored.
    pub robots: Option<Arc<Robots>>,
    /// Collects JavaScript coverage. None: not collected.
    pub coverage: Option<JsCoverage>,
    /// What an exploration must leave alone: the gate refuses requests by it. None: nothing is refused.
    pub guards: Option<Guards>,
    /// How long to wait for an element that is disabled or covered for now. Longer only while the page shows progress.
    pub patience: Duration,
    /// Language tag, e.g. `de-DE`.
    pub locale: Option<String>,
    /// Forward proxy, e.g. `http://127.0.0.1:3128`.
    pub proxy: Option<String>,
    /// Whether certificates that nobody signed are accepted.
    pub accept_self_signed_certificates: bool,
    /// Cookies and local storage to begin with.
    pub login_state: Option<LoginState>,
}

impl Default for ProfileOptions {
    fn default() -> Self {
        Self {
            scope: Scope::default(),
            secrets: Arc::new(NoSecrets),
            files: BTreeMap::new(),
            downloads: false,
            pace: None,
            robots: None,
            coverage: None,
            guards: None,
            patience: Duration::from_secs(10),
            locale: None,
            proxy: None,
            accept_self_signed_certificates: false,
            login_state: None,
        }
    }
}

impl fmt::Debug for ProfileOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProfileOptions")
            .field("scope", &self.scope)
            .field("locale", &self.locale)
            .field("proxy", &self.proxy)
            .field("accept_self_signed_certificates", &self.accept_self_signed_certificates)
            .field("login_state", &self.login_state.is_some())
            .finish_non_exhaustive()
    }
}

/// Cookies and local storage of a profile, as saved after a log-in. Holds credentials: never logged, `Debug` shows sizes.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LoginState {
    /// Cookies in the session's own form (`storage.Cookie` of WebDriver BiDi).
    #[serde(default)]
    pub cookies: Vec<Value>,
    /// Local storage by origin.
    #[serde(default)]
    pub local_storage: BTreeMap<String, BTreeMap<String, String>>,
}

impl fmt::Debug for LoginState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LoginState({} cookies, {} origins)", self.cookies.len(), self.local_storage.len())
    }
}
