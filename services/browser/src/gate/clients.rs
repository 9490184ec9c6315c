//! The clients of the gates' side towards the sites. A crawler has a thousand profiles, most of them of a few sites: profiles that
//! may reach the same places share a client and its idle connections, each of which holds the better part of a hundred kilobytes.
//!
//! A connection belongs to whoever authenticated on it where a site uses NTLM or Negotiate (RFC 4559, section 6): such requests
//! never go through a shared client.

use super::names::Names;
use super::tls;
use domain::scope::Scope;
use hyper::header::{AUTHORIZATION, HeaderMap};
use parking_lot::Mutex;
use platform::{Clock as _, SystemClock};
use std::io;
use std::sync::{Arc, LazyLock, OnceLock, Weak};
use std::time::Duration;
use url::Url;

const CONNECT: Duration = Duration::from_secs(20);
/// Connections to one host that are kept while no page loads.
const IDLE: usize = 32;
/// Profiles that share a client. A browser opens at most six connections to a host, so that these stay below the hundred streams
/// that servers allow on one connection of HTTP/2.
const PROFILES: usize = 16;
/// Bytes that may wait to be read: of one stream of HTTP/2, and of a connection. All streams together fit into the connection's, so
/// that a page which reads nothing stops no other one.
const STREAM: u32 = 256 << 10;
const CONNECTION: u32 = STREAM * 6 * PROFILES as u32;
/// How long a client takes further profiles. What names lead to is looked up once for a client, and is at most this old when a
/// profile is opened.
const OPEN_FOR: Duration = Duration::from_secs(60);

/// Clients that profiles have, and the time by which their age is told.
static CLIENTS: Mutex<Vec<Weak<SharedClient>>> = Mutex::new(Vec::new());
static CLOCK: LazyLock<SystemClock> = LazyLock::new(SystemClock::default);

/// Where the requests of a profile may lead, and by which way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) scope: Scope,
    pub(super) proxy: Option<Url>,
    pub(super) trusts_anyone: bool,
}

/// A client of several profiles with the same reach.
struct SharedClient {
    reach: Reach,
    /// When it was made.
    made: Duration,
    names: Names,
    http: reqwest::Client,
    /// For WebSockets, which HTTP/2 opens in another way. Made when the first is opened.
    sockets: OnceLock<reqwest::Client>,
}

/// What sends the requests of one profile.
pub(super) struct Clients {
    shared: Arc<SharedClient>,
    /// The profile's own client, once it has authenticated a connection.
    own: OnceLock<reqwest::Client>,
}

impl Clients {
    /// The clients of a profile.
    ///
    /// # Errors
    /// When the proxy's address makes no sense.
    pub(super) fn of(reach: Reach) -> Result<Clients, String> {
        let now = CLOCK.monotonic();
        let mut clients = CLIENTS.lock();
        clients.retain(|client| client.strong_count() > 0);
        let mut free = clients.iter().filter(|client| client.strong_count() < PROFILES).filter_map(Weak::upgrade);
        let shared = match free.find(|client| client.is_open_to(&reach, now)) {
            Some(shared) => shared,
            None => {
                let shared = Arc::new(SharedClient::of(reach, now)?);
                clients.push(Arc::downgrade(&shared));
                shared
            }
        };
        Ok(Clients { shared, own: OnceLock::new() })
    }

    /// What its names lead to, as far as this machine knows.
    pub(super) fn names(&self) -> &Names {
        &self.shared.names
    }

    /// The client of requests that authenticate no connection.
    pub(super) fn http(&self) -> &reqwest::Client {
        self.own.get().unwrap_or(&self.shared.http)
    }

    /// The client of a request with these headers.
    ///
    /// # Errors
    /// When no client can be made.
    pub(super) fn http_for(&self, headers: &HeaderMap) -> io::Result<&reqwest::Client> {
        if self.own.get().is_none() && authenticates_connection(headers) {
            let own =
                self.shared.builder().map_err(io::Error::other)?.http1_only().build().map_err(io::Error::other)?;
            return Ok(self.own.get_or_init(|| own));
        }
        Ok(self.http())
    }

    /// The client that opens WebSockets.
    ///
    /// # Errors
    /// When no client can be made.
    pub(super) fn sockets(&self) -> io::Result<&reqwest::Client> {
        if let Some(client) = self.shared.sockets.get() {
            return Ok(client);
        }
        let client = self.shared.builder().map_err(io::Error::other)?.http1_only().build().map_err(io::Error::other)?;
        Ok(self.shared.sockets.get_or_init(|| client))
    }
}

impl SharedClient {
    fn of(reach: Reach, made: Duration) -> Result<SharedClient, String> {
        let names = match reach.proxy {
            None => Names::of(reach.scope.clone()),
            Some(_) => Names::behind_proxy(reach.scope.clone()),
        };
        let http = builder(&reach, &names)?.build().map_err(|error| error.to_string())?;
        Ok(SharedClient { reach, made, names, http, sockets: OnceLock::new() })
    }

    /// Whether it takes a further profile with this reach.
    fn is_open_to(&self, reach: &Reach, now: Duration) -> bool {
        self.reach == *reach && now.saturating_sub(self.made) < OPEN_FOR
    }

    fn builder(&self) -> Result<reqwest::ClientBuilder, String> {
        builder(&self.reach, &self.names)
    }
}

fn builder(reach: &Reach, names: &Names) -> Result<reqwest::ClientBuilder, String> {
    let mut client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
    client = match reach.trusts_anyone {
        true => client.tls_danger_accept_invalid_certs(true),
        // What is trusted takes long to read, and is the same for every client.
        false => client.tls_backend_preconfigured(tls::client_config()?),
    };
    client = match &reach.proxy {
        Some(proxy) => client.proxy(reqwest::Proxy::all(proxy.clone()).map_err(|error| error.to_string())?),
        None => client.dns_resolver(names.clone()),
    };
    let client = client.http2_initial_stream_window_size(STREAM).http2_initial_connection_window_size(CONNECTION);
    Ok(client.http1_max_headers(super::HEADERS).connect_timeout(CONNECT).pool_max_idle_per_host(IDLE))
}

/// Whether what follows on the connection is asked for in the name that these headers prove.
fn authenticates_connection(headers: &HeaderMap) -> bool {
    let scheme = |value: &[u8]| {
        let end = value.iter().position(|byte| *byte == b' ').unwrap_or(value.len());
        [b"ntlm".as_slice(), b"negotiate"].iter().any(|bound| value[..end].eq_ignore_ascii_case(bound))
    };
    headers.get_all(AUTHORIZATION).iter().any(|value| scheme(value.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(host: &str) -> Clients {
        let scope = Scope { hosts: vec![host.to_owned()] };
        Clients::of(Reach { scope, proxy: None, trusts_anyone: false }).unwrap()
    }

    #[test]
    fn profiles_of_one_reach_share_a_client_until_it_has_enough_of_them_or_is_old() {
        let several: Vec<Clients> = (0..=PROFILES).map(|_| of("a.test")).collect();
        let first = &several[0].shared;
        let shared = several.iter().filter(|clients| Arc::ptr_eq(&clients.shared, first)).count();
        assert_eq!(shared, PROFILES);
        assert!(!Arc::ptr_eq(&of("b.test").shared, first), "another scope leads elsewhere");
        let (reach, made) = (first.reach.clone(), first.made);
        let trusting = Reach { trusts_anyone: true, ..reach.clone() };
        let is_open = [(&reach, made), (&reach, made + OPEN_FOR), (&trusting, made)]
            .map(|(reach, now)| first.is_open_to(reach, now));
        assert_eq!(is_open, [true, false, false]);
        drop(several);
        assert_eq!(Arc::strong_count(&of("a.test").shared), 1, "a client ends with the last of its profiles");
    }

    #[test]
    fn who_authenticates_a_connection_has_it_alone_from_then_on() {
        let (one, other) = (of("d.test"), of("d.test"));
        let with = |value: &str| HeaderMap::from_iter([(AUTHORIZATION, value.parse().unwrap())]);
        let is_shared = |clients: &Clients, client: &reqwest::Client| std::ptr::eq(client, &clients.shared.http);
        for open in ["Basic dTpw", "Bearer negotiate", "Digest username=\"ntlm\""] {
            assert!(is_shared(&one, one.http_for(&with(open)).unwrap()), "{open}");
        }
        assert!(!is_shared(&one, one.http_for(&with("NTLM TlRMTVNTUAAB")).unwrap()));
        assert!(!is_shared(&one, one.http_for(&HeaderMap::new()).unwrap()), "later requests say nothing of it");
        assert!(is_shared(&other, other.http_for(&HeaderMap::new()).unwrap()));
        assert!(!is_shared(&other, other.http_for(&with("negotiate YII=")).unwrap()));
    }
}
