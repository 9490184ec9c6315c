//! The gate's side towards the sites.

use super::names::{Names, explain};
use super::tls;
use domain::scope::Scope;
use parking_lot::Mutex;
use platform::listeners;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::OnceLock;
use std::time::Duration;
use url::{Host, Url};

const CONNECT: Duration = Duration::from_secs(20);
/// Connections to one host that are kept while no page loads.
const IDLE: usize = 8;
/// Hosts of which it is remembered why they could not be reached.
const FAILURES: usize = 100;

/// What sends the requests of one profile.
pub(super) struct Upstream {
    client: reqwest::Client,
    /// For WebSockets, which HTTP/2 opens in another way. Made when the first is opened.
    sockets: OnceLock<reqwest::Client>,
    names: Option<Names>,
    proxy: Option<Url>,
    trusts_anyone: bool,
    failures: Mutex<HashMap<String, String>>,
}

impl Upstream {
    /// A client of one profile. Where a proxy lies beyond, names are looked up by it, and cannot be judged here.
    ///
    /// # Errors
    /// When the proxy's address makes no sense.
    pub(super) fn new(scope: &Scope, proxy: Option<Url>, trusts_anyone: bool) -> Result<Upstream, String> {
        let names = proxy.is_none().then(|| Names::of(scope.clone()));
        let client = builder(names.as_ref(), proxy.as_ref(), trusts_anyone)?;
        let client = client.build().map_err(|error| error.to_string())?;
        Ok(Upstream { client, sockets: OnceLock::new(), names, proxy, trusts_anyone, failures: Mutex::default() })
    }

    pub(super) fn client(&self) -> &reqwest::Client {
        &self.client
    }

    /// The client that opens WebSockets.
    pub(super) fn sockets(&self) -> io::Result<&reqwest::Client> {
        if let Some(client) = self.sockets.get() {
            return Ok(client);
        }
        let client = builder(self.names.as_ref(), self.proxy.as_ref(), self.trusts_anyone).map_err(io::Error::other)?;
        let client = client.http1_only().build().map_err(io::Error::other)?;
        Ok(self.sockets.get_or_init(|| client))
    }

    /// Whether an address may be asked, as far as the place shows to which its name leads.
    ///
    /// # Errors
    /// The reason, for people.
    pub(super) async fn may_reach(&self, url: &Url) -> Result<(), String> {
        let port = url.port_or_known_default().unwrap_or_default();
        let addresses = match url.host() {
            Some(Host::Ipv4(address)) => vec![IpAddr::from(address)],
            Some(Host::Ipv6(address)) => vec![IpAddr::from(address)],
            Some(Host::Domain(name)) => match &self.names {
                // A name that is unknown is no refusal: the request fails by itself.
                Some(names) => {
                    names.addresses(name).await.or_else(|cause| cause.refusal().map_or(Ok(Vec::new()), Err))?
                }
                None => Vec::new(),
            },
            None => Vec::new(),
        };
        match addresses.iter().any(|address| listeners::is_own(SocketAddr::new(*address, port))) {
            true => Err(format!("port {port} belongs to Rutter itself")),
            false => Ok(()),
        }
    }

    /// Sends a request. Why there was no answer is remembered for its host.
    pub(super) async fn answer(&self, url: &Url, request: reqwest::RequestBuilder) -> io::Result<reqwest::Response> {
        let answered = request.send().await;
        let mut failures = self.failures.lock();
        match answered {
            Ok(answer) => {
                failures.remove(url.authority());
                Ok(answer)
            }
            Err(error) => {
                if failures.len() >= FAILURES {
                    failures.clear();
                }
                failures.insert(url.authority().to_owned(), explain(&error));
                Err(io::Error::other(error))
            }
        }
    }

    pub(super) fn failure(&self, url: &Url) -> Option<String> {
        self.failures.lock().get(url.authority()).cloned()
    }
}

fn builder(names: Option<&Names>, proxy: Option<&Url>, trusts_anyone: bool) -> Result<reqwest::ClientBuilder, String> {
    let mut client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
    client = match trusts_anyone {
        true => client.tls_danger_accept_invalid_certs(true),
        // What is trusted takes long to read, and is the same for every profile.
        false => client.tls_backend_preconfigured(tls::client_config()?),
    };
    if let Some(proxy) = proxy {
        client = client.proxy(reqwest::Proxy::all(proxy.clone()).map_err(|error| error.to_string())?);
    }
    if let Some(names) = names {
        client = client.dns_resolver(names.clone());
    }
    Ok(client.http1_max_headers(super::HEADERS).connect_timeout(CONNECT).pool_max_idle_per_host(IDLE))
}
