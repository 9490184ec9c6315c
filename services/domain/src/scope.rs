//! Which addresses a job may visit.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

/// An allow-list of origins. Anything else is refused at network level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// Allowed hosts: `example.org`, `*.example.org` for its subdomains, or `example.org:8080` for one port only.
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
    /// The scope that holds one address' host and port only. An address given by a person counts as listed.
    pub fn of(url: &Url) -> Scope {
        Scope { hosts: authority(url).into_iter().collect() }
    }

    /// Whether the address may be requested.
    ///
    /// # Errors
    /// [`Refused`] with the reason. Private addresses need no rule of their own: whatever is not listed is refused.
    pub fn check(&self, url: &Url) -> Result<(), Refused> {
        if !matches!(url.scheme(), "http" | "https" | "ws" | "wss") {
            return Err(Refused::Scheme { url: url.to_string(), scheme: url.scheme().to_owned() });
        }
        let Some(host) = url.host() else { return Err(Refused::Host { url: url.to_string() }) };
        if self.hosts.iter().any(|pattern| matches(pattern, &host, url.port_or_known_default())) {
            Ok(())
        } else {
            Err(Refused::Host { url: url.to_string() })
        }
    }
}

fn authority(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    Some(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

fn matches(pattern: &str, host: &Host<&str>, port: Option<u16>) -> bool {
    let host = host.to_string().to_ascii_lowercase();
    let pattern = pattern.to_ascii_lowercase();
    let (pattern_host, pattern_port) = match pattern.rsplit_once(':') {
        Some((name, digits)) if digits.parse::<u16>().is_ok() => (name, digits.parse().ok()),
        _ => (pattern.as_str(), None),
    };
    if pattern_port.is_some() && pattern_port != port {
        return false;
    }
    match pattern_host.strip_prefix("*.") {
        Some(parent) => host.strip_suffix(parent).is_some_and(|rest| rest.ends_with('.')),
        None => host == pattern_host,
    }
}
