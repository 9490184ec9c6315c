//! Which addresses a job may visit.

use ipnet::IpNet;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr};
use url::{Host, Url};

/// An allow-list of origins. Anything else is refused at network level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Allowed origins, `[SCHEME://]HOST[:PORT]`. `example.org` is its default ports for http and https, and the port of the start
    /// address; `example.org:8080` is one port, `example.org:*` every port, `https://example.org` encrypted only, `*.example.org` its
    /// subdomains. A name may not lead to a private address, unless that address or its network stands here too: `10.0.0.0/8`.
    #[serde(default)]
    pub hosts: Vec<String>,
}

/// Why an address is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Neither http nor https.
    #[error("{url}: scheme `{scheme}` is not allowed; Rutter opens http and https only")]
    Scheme {
        /// The address.
        url: String,
        /// Its scheme.
        scheme: String,
    },
    /// Not on the list.
    #[error("{url}: host is outside the scope; add it to `scope.hosts` of the site if it belongs to the test")]
    Host {
        /// The address.
        url: String,
    },
}

impl Scope {
    /// The scope that holds one address' origin only. An address of `http` at its default port stands for both schemes: sites lead from
    /// there to their encrypted pages.
    pub fn of_origin(url: &Url) -> Scope {
        let open = url.scheme() == "http" && url.port().is_none();
        let entry = |authority| if open { authority } else { format!("{}://{authority}", url.scheme()) };
        Scope { hosts: authority(url).map(entry).into_iter().collect() }
    }

    /// The scope that holds one address' host and port only: without a port, the default ports. An address given by a person
    /// counts as listed.
    pub fn of(url: &Url) -> Scope {
        Scope { hosts: authority(url).into_iter().collect() }
    }

    /// The scope of a start address and what is listed beside it. Hosts that are listed without a port may be asked at the start
    /// address' port, too: sites under test often spread over hosts, seldom over ports.
    #[must_use]
    pub fn beside(&self, start: &Url) -> Scope {
        let mut scope = Scope::of(start);
        scope.hosts.extend(self.hosts.iter().cloned());
        if let Some(port) = start.port() {
            let has_no_port =
                |host: &&String| Entry::parse(host).is_some_and(|entry| matches!(entry.port, Ports::Default));
            let with_port = |host: &String| format!("{}:{port}", host.trim_end_matches('/'));
            scope.hosts.extend(self.hosts.iter().filter(has_no_port).map(with_port));
        }
        scope
    }

    /// Whether the address may be requested.
    ///
    /// # Errors
    /// [`Refused`] with the reason.
    pub fn check(&self, url: &Url) -> Result<(), Refused> {
        let encrypted = match url.scheme() {
            "http" | "ws" => false,
            "https" | "wss" => true,
            scheme => return Err(Refused::Scheme { url: url.to_string(), scheme: scheme.to_owned() }),
        };
        let refused = || Refused::Host { url: url.to_string() };
        let (host, port) = url.host_str().zip(url.port_or_known_default()).ok_or_else(refused)?;
        if self.entries().any(|entry| entry.covers(host, port, encrypted)) { Ok(()) } else { Err(refused()) }
    }

    /// Whether some address is covered that an entry of another scope covers, as far as its name, ports and scheme say.
    pub(crate) fn covers_entry(&self, entry: &str) -> bool {
        let Some(entry) = Entry::parse(entry) else { return false };
        let encrypted = entry.encrypted.map_or([true, false], |only| [only, only]);
        let ports = |encrypted: bool| match entry.port {
            Ports::Only(port) => port,
            Ports::Default | Ports::Any => {
                if encrypted {
                    443
                } else {
                    80
                }
            }
        };
        encrypted
            .iter()
            .any(|encrypted| self.entries().any(|own| own.covers(entry.host, ports(*encrypted), *encrypted)))
    }

    /// Whether a connection to a host may be opened, before it is known what is asked for through it.
    pub fn covers_connection(&self, host: &str, port: u16) -> bool {
        self.entries().any(|entry| entry.covers(host, port, true) || entry.covers(host, port, false))
    }

    /// Whether a name may lead to an address. To a public one it always may, to any other only if that, or its network, is
    /// listed by itself: otherwise whoever holds a name of the scope could point it into the network of whoever tests.
    pub fn allows_name_at(&self, name: &str, address: IpAddr) -> bool {
        let address = address.to_canonical();
        is_public(address)
            || address.is_loopback() && is_local_name(name)
            || self.hosts.iter().any(|host| network(host).is_some_and(|network| network.contains(&address)))
    }

    /// The first entry that makes no sense, with the reason.
    ///
    /// # Errors
    /// A text that names the entry and says what it may look like.
    pub fn validate(&self) -> Result<(), String> {
        let is_wrong = |host: &&String| network(host).is_none() && Entry::parse(host).is_none();
        match self.hosts.iter().find(is_wrong) {
            None => Ok(()),
            Some(host) => Err(format!(
                "`{host}` is no entry of a scope; use `example.org`, `example.org:8080`, `example.org:*`, \
                 `https://example.org`, `*.example.org`, or a network such as `10.0.0.0/8`"
            )),
        }
    }

    fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.hosts.iter().filter_map(|host| Entry::parse(host))
    }
}

fn authority(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

/// One entry of a scope.
struct Entry<'a> {
    /// Whether it is for encrypted addresses only, or for others only.
    encrypted: Option<bool>,
    /// A host, or `*.` and the name of a host.
    host: &'a str,
    port: Ports,
}

/// Ports of an entry.
#[derive(Clone, Copy)]
enum Ports {
    Default,
    Any,
    Only(u16),
}

impl<'a> Entry<'a> {
    fn parse(entry: &'a str) -> Option<Entry<'a>> {
        let (encrypted, rest) = match entry.split_once("://") {
            Some(("http", rest)) => (Some(false), rest),
            Some(("https", rest)) => (Some(true), rest),
            Some(_) => return None,
            None => (None, entry),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        // The colons of an IPv6 address stand in brackets.
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, Some(port)),
            _ => (rest, None),
        };
        let port = match port {
            None => Ports::Default,
            Some("*") => Ports::Any,
            Some(port) => Ports::Only(port.parse().ok()?),
        };
        let name = host.strip_prefix("*.").unwrap_or(host);
        let is_host =
            !name.contains('*') && Host::parse(name).is_ok_and(|parsed| parsed.to_string().eq_ignore_ascii_case(name));
        is_host.then_some(Entry { encrypted, host, port })
    }

    fn covers(&self, host: &str, port: u16, encrypted: bool) -> bool {
        let is_port = match self.port {
            Ports::Any => true,
            Ports::Only(only) => only == port,
            Ports::Default => port == if encrypted { 443 } else { 80 },
        };
        let ends_with = |host: &str, end: &str| {
            let start = host.len().checked_sub(end.len());
            start.and_then(|start| host.get(start..)).is_some_and(|rest| rest.eq_ignore_ascii_case(end))
        };
        let is_host = match self.host.strip_prefix('*') {
            Some(parent) => host.len() > parent.len() && ends_with(host, parent),
            None => host.eq_ignore_ascii_case(self.host),
        };
        is_port && is_host && self.encrypted.is_none_or(|only| only == encrypted)
    }
}

/// The network that an entry is: `10.0.0.0/8`, or a single address without a port.
fn network(entry: &str) -> Option<IpNet> {
    let bare = entry.strip_prefix('[').and_then(|entry| entry.strip_suffix(']')).unwrap_or(entry);
    entry.parse().ok().or_else(|| bare.parse::<IpAddr>().ok().map(IpNet::from))
}

/// Names that mean this machine wherever they are looked up (RFC 6761, section 6.3).
pub fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// Whether an address is reached over the internet: neither this machine nor its neighbourhood, nor what a cloud tells its machines
/// there.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            let shared = a == 100 && (64..128).contains(&b); // RFC 6598
            let benchmark = a == 198 && (18..20).contains(&b); // RFC 2544
            !(v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_broadcast() || v4.is_multicast())
                && !(a == 0 || a >= 240 || shared || benchmark)
        }
        IpAddr::V6(v6) => {
            let embedded = match v6.segments() {
                [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => Some((high, low)), // RFC 6052, RFC 3056
                _ => None,
            };
            let inner = |(high, low): (u16, u16)| {
                let [[a, b], [c, d]] = [high.to_be_bytes(), low.to_be_bytes()];
                IpAddr::V4(Ipv4Addr::new(a, b, c, d))
            };
            let local = v6.is_unique_local() || v6.is_unicast_link_local() || v6.is_loopback() || v6.is_unspecified();
            !local && !v6.is_multicast() && embedded.map(inner).is_none_or(is_public)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_one_scheme_host_and_port() {
        let covers = |of: &str, url: &str| Scope::of_origin(&of.parse().unwrap()).check(&url.parse().unwrap()).is_ok();
        assert!(covers("https://a.test/x", "https://a.test/y"));
        assert!(!covers("https://a.test/", "http://a.test/") && !covers("https://a.test/", "https://b.a.test/"));
        assert!(covers("http://a.test/", "https://a.test/") && !covers("http://a.test/", "http://a.test:8080/"));
        assert!(covers("http://a.test:81/", "http://a.test:81/") && !covers("http://a.test:81/", "https://a.test:81/"));
        assert!(covers("http://[::1]:81/", "http://[::1]:81/"));
    }

    fn scope(hosts: &[&str]) -> Scope {
        Scope { hosts: hosts.iter().map(|host| (*host).to_owned()).collect() }
    }

    fn allows(hosts: &[&str], url: &str) -> bool {
        scope(hosts).check(&Url::parse(url).unwrap()).is_ok()
    }

    #[test]
    fn a_host_without_a_port_is_its_default_ports() {
        for (url, allowed) in [
            ("http://a.org/x", true),
            ("https://A.org/", true),
            ("wss://a.org/feed", true),
            ("http://a.org:6379/", false),
            ("http://a.org:443/", false),
            ("https://a.org:80/", false),
            ("http://b.a.org/", false),
            ("ftp://a.org/", false),
        ] {
            assert_eq!(allows(&["a.org"], url), allowed, "{url}");
        }
        let of = |url: &str| Scope::of(&Url::parse(url).unwrap());
        assert!(of("http://127.0.0.1/").check(&Url::parse("http://127.0.0.1:9515/session").unwrap()).is_err());
        assert!(of("http://[::1]:81/").check(&Url::parse("http://[::1]:81/x").unwrap()).is_ok());
        assert!(of("http://[::1]/").check(&Url::parse("http://[::1]:81/x").unwrap()).is_err());
    }

    #[test]
    fn a_host_that_is_listed_without_a_port_has_the_port_of_the_start_address_as_well() {
        let start: Url = "http://shop.test:8080/".parse().unwrap();
        let listed = scope(&["127.0.0.2", "https://pay.test", "api.test:9000", "10.0.0.0/8"]).beside(&start);
        for (url, allowed) in [
            ("http://shop.test:8080/x", true),
            ("http://127.0.0.2:8080/x", true),
            ("http://127.0.0.2/x", true),
            ("http://127.0.0.2:6379/x", false),
            ("https://pay.test:8080/", true),
            ("http://pay.test:8080/", false),
            ("http://api.test:8080/", false),
            ("http://10.0.0.0:8080/", false),
        ] {
            assert_eq!(listed.check(&Url::parse(url).unwrap()).is_ok(), allowed, "{url}");
        }
    }

    #[test]
    fn wildcards_are_written_out() {
        for (entry, url, allowed) in [
            ("a.org:*", "http://a.org:6379/", true),
            ("a.org:8080", "https://a.org:8080/", true),
            ("https://a.org", "http://a.org/", false),
            ("https://a.org", "https://a.org/", true),
            ("http://a.org:8080", "https://a.org:8080/", false),
            ("http://a.org:8080", "ws://a.org:8080/", true),
            ("*.a.org", "http://x.y.a.org/", true),
            ("*.a.org", "http://a.org/", false),
            ("*.a.org", "http://evila.org/", false),
            ("*.a.org:*", "http://x.a.org:1/", true),
            ("127.0.0.0/8", "http://127.0.0.1/", false),
        ] {
            assert_eq!(allows(&[entry], url), allowed, "{entry} {url}");
        }
    }

    #[test]
    fn what_is_no_entry_is_named() {
        assert!(scope(&["a.org", "*.a.org:*", "http://[::1]:80", "10.0.0.0/8", "fc00::/7"]).validate().is_ok());
        for wrong in ["", "*", "a.org/path", "ftp://a.org", "a.org:port", "http://", "a b", "*.*.org"] {
            let cause = scope(&["a.org", wrong]).validate().unwrap_err();
            assert!(cause.contains(&format!("`{wrong}`")), "{cause}");
        }
    }

    #[test]
    fn a_name_leads_to_public_addresses_and_to_those_that_are_listed_by_themselves() {
        let listed = scope(&["intern.example.org", "10.1.0.0/16", "192.168.0.7"]);
        for (name, address, allowed) in [
            ("a.org", "93.184.215.14", true),
            ("a.org", "127.0.0.1", false),
            ("a.org", "169.254.169.254", false),
            ("a.org", "10.1.2.3", true),
            ("a.org", "10.2.2.3", false),
            ("a.org", "192.168.0.7", true),
            ("a.org", "100.100.100.200", false),
            ("a.org", "0.0.0.0", false),
            ("a.org", "::ffff:127.0.0.1", false),
            ("a.org", "64:ff9b::7f00:1", false),
            ("a.org", "fd00::1", false),
            ("a.org", "2606:4700::1111", true),
            ("localhost", "127.0.0.1", true),
            ("shop.localhost", "::1", true),
            ("localhost", "10.2.0.1", false),
        ] {
            assert_eq!(listed.allows_name_at(name, address.parse().unwrap()), allowed, "{name} {address}");
        }
    }
}
