//! The gate's side towards the sites.

use super::clients::{Clients, Reach};
use super::names::explain;
use domain::scope::Scope;
use hyper::header::HeaderMap;
use parking_lot::Mutex;
use platform::listeners;
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use url::{Host, Url};

/// Hosts of which it is remembered why they could not be reached.
const FAILURES: usize = 100;

/// What sends the requests of one profile.
pub(super) struct Upstream {
    clients: Clients,
    failures: Mutex<HashMap<String, String>>,
}

impl Upstream {
    /// The side of one profile. Where a proxy lies beyond, it looks names up, and they are judged by what they lead to here.
    ///
    /// # Errors
    /// When the proxy's address makes no sense.
    pub(super) fn new(scope: &Scope, proxy: Option<Url>, trusts_anyone: bool) -> Result<Upstream, String> {
        let clients = Clients::of(Reach { scope: scope.clone(), proxy, trusts_anyone })?;
        Ok(Upstream { clients, failures: Mutex::default() })
    }

    pub(super) fn client(&self) -> &reqwest::Client {
        self.clients.http()
    }

    /// The client of a request with these headers.
    pub(super) fn client_for(&self, headers: &HeaderMap) -> io::Result<&reqwest::Client> {
        self.clients.http_for(headers)
    }

    /// The client that opens WebSockets.
    pub(super) fn sockets(&self) -> io::Result<&reqwest::Client> {
        self.clients.sockets()
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
            Some(Host::Domain(name)) => {
                let found = self.clients.names().addresses(name).await;
                // A name that is unknown is no refusal: the request fails by itself.
                found.or_else(|cause| cause.refusal().map_or(Ok(Vec::new()), Err))?
            }
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
