//! Which addresses names lead to. Looked up once for a client, which a profile keeps to its end: a name that led to a public place
//! when it was judged cannot be pointed elsewhere afterwards.

use domain::scope::{Scope, is_local_name};
use parking_lot::Mutex;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// How long this machine is asked for a name that a proxy looks up.
const MOMENT: Duration = Duration::from_secs(2);

/// The names of profiles with one scope.
#[derive(Clone)]
pub(super) struct Names(Arc<Lookups>);

struct Lookups {
    scope: Scope,
    /// Whether a proxy lies beyond, which looks names up for itself.
    behind_proxy: bool,
    /// The addresses of each name. A lookup that failed is tried again.
    known: Mutex<HashMap<String, Arc<OnceCell<Vec<IpAddr>>>>>,
}

/// Why a name leads nowhere.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum NoAddress {
    #[error("unknown host {name}: {cause}")]
    Unknown { name: String, cause: String },
    #[error(
        "{name} leads to {address}, which is no public address; list `{address}` or its network in `scope.hosts` of the site if \
         it belongs to the test"
    )]
    Private { name: String, address: IpAddr },
}

impl NoAddress {
    /// The words of a refusal; none where the name is unknown.
    pub(super) fn refusal(&self) -> Option<String> {
        matches!(self, NoAddress::Private { .. }).then(|| self.to_string())
    }
}

impl Names {
    pub(super) fn of(scope: Scope) -> Names {
        Names(Arc::new(Lookups { scope, behind_proxy: false, known: Mutex::default() }))
    }

    /// The names of a profile whose requests a proxy takes on. The proxy looks names up, and may know more of them than this machine;
    /// what is known here to lead to a private address is refused all the same.
    pub(super) fn behind_proxy(scope: Scope) -> Names {
        Names(Arc::new(Lookups { scope, behind_proxy: true, known: Mutex::default() }))
    }

    /// The addresses of a name that a profile may visit.
    ///
    /// # Errors
    /// [`NoAddress`].
    pub(super) async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, NoAddress> {
        let known = self.0.known.lock().entry(name.to_owned()).or_default().clone();
        let found = known.get_or_try_init(|| self.look_up(name)).await?;
        Ok(found.clone())
    }

    /// Looks a name up, and leaves out the addresses that it may not lead to.
    async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, NoAddress> {
        let found = match self.0.behind_proxy {
            false => look_up(name).await?,
            // A name that is unknown here may be known there.
            true => timeout(MOMENT, look_up(name)).await.ok().and_then(Result::ok).unwrap_or_default(),
        };
        let may = |address: &&IpAddr| self.0.scope.allows_name_at(name, **address);
        let (allowed, refused): (Vec<&IpAddr>, Vec<&IpAddr>) = found.iter().partition(may);
        // Which of several addresses a proxy takes, nobody knows.
        match refused.first() {
            Some(address) if allowed.is_empty() || self.0.behind_proxy => {
                Err(NoAddress::Private { name: name.to_owned(), address: **address })
            }
            _ => Ok(allowed.into_iter().copied().collect()),
        }
    }
}

/// The addresses of a name.
///
/// # Errors
/// [`NoAddress::Unknown`].
pub(crate) async fn look_up(name: &str) -> Result<Vec<IpAddr>, NoAddress> {
    if is_local_name(name) {
        return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
    }
    let unknown = |cause: String| NoAddress::Unknown { name: name.to_owned(), cause };
    let found = tokio::net::lookup_host((name, 0)).await.map_err(|error| unknown(error.to_string()))?;
    let found: Vec<IpAddr> = found.map(|address| address.ip().to_canonical()).collect();
    if found.is_empty() { Err(unknown("no address".to_owned())) } else { Ok(found) }
}

/// The names, as a client asks for them.
impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let names = self.clone();
        Box::pin(async move {
            let addresses = names.addresses(name.as_str()).await?;
            let addresses: Addrs = Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)));
            Ok(addresses)
        })
    }
}

/// Why a request got no answer: the innermost cause, which says most.
pub(super) fn explain(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let said = cause.to_string();
    match said.contains("onnection refused") {
        true => "connection refused".to_owned(),
        false => said,
    }
}
