//! Resolves a name to its servers, such as the instances of a role in a cluster. Each gets its own connection, so that
//! one that hangs can be identified and skipped.

use super::channel::{CurrentChannel, Encryption, Opener};
use super::client::{Connection, Outgoing, Transport};
use super::options::Error;
use crate::clock::{Clock, SystemClock};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::lookup_host;
use tokio::sync::Mutex;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Uri;

/// Time to live of a resolution: instances come and go.
const BELIEVED_FOR: Duration = Duration::from_secs(5);

/// A name, and the servers behind it.
pub(super) struct Peers {
    pub(super) uri: Uri,
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) encryption: Option<Encryption>,
    pub(super) outgoing: Outgoing,
    pub(super) max_message_bytes: usize,
    pub(super) clock: SystemClock,
    pub(super) known: Mutex<ResolvedName>,
}

/// The latest resolution.
#[derive(Default)]
pub(super) struct ResolvedName {
    until: Option<Duration>,
    transports: BTreeMap<SocketAddr, Transport>,
}

impl Peers {
    /// A connection to each server. While the name service does not answer, those of the last resolution.
    pub(super) async fn connections(&self) -> Vec<Connection> {
        let now = self.clock.monotonic();
        let mut known = self.known.lock().await;
        if known.until.is_none_or(|until| until <= now) {
            match lookup_host((self.host.as_str(), self.port)).await {
                Ok(addresses) => self.update(&mut known.transports, addresses.collect()),
                Err(error) => tracing::warn!(host = self.host, %error, "the name of a service is not resolved"),
            }
            known.until = Some(now + BELIEVED_FOR);
        }
        known.transports.iter().map(|(address, transport)| self.connection(*address, transport)).collect()
    }

    /// Keeps existing connections.
    fn update(&self, transports: &mut BTreeMap<SocketAddr, Transport>, addresses: Vec<SocketAddr>) {
        transports.retain(|address, _| addresses.contains(address));
        for address in addresses {
            if transports.contains_key(&address) {
                continue;
            }
            match self.transport(address) {
                Ok(transport) => {
                    transports.insert(address, transport);
                }
                Err(error) => tracing::warn!(%address, %error, "a server behind a name cannot be called"),
            }
        }
    }

    fn transport(&self, address: SocketAddr) -> Result<Transport, Error> {
        let scheme = self.uri.scheme_str().unwrap_or("http");
        let by_address: Uri = format!("{scheme}://{address}").parse().unwrap_or_else(|_| self.uri.clone());
        let opener = Opener { uri: by_address, origin: Some(self.uri.clone()), encryption: self.encryption.clone() };
        Ok(InterceptedService::new(CurrentChannel::new(opener)?, self.outgoing.clone()))
    }

    fn connection(&self, address: SocketAddr, transport: &Transport) -> Connection {
        Connection {
            transport: transport.clone(),
            endpoint: format!("{} ({address})", self.uri),
            max_message_bytes: self.max_message_bytes,
            peers: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Health;
    use crate::rpc::{Routes, Server, ServerOptions};
    use tokio_util::sync::CancellationToken;

    fn peers(port: u16) -> Peers {
        Peers {
            uri: format!("http://planner.test:{port}").parse().expect("an address"),
            host: "planner.test".into(),
            port,
            encryption: None,
            outgoing: Outgoing::default(),
            max_message_bytes: 1024,
            clock: SystemClock::default(),
            known: Mutex::default(),
        }
    }

    #[tokio::test]
    async fn each_server_behind_a_name_has_a_connection_of_its_own() {
        let server =
            Server::bind(&ServerOptions::at("127.0.0.1:0".parse().expect("an address"))).await.expect("a port");
        let here = server.address();
        let shutdown = CancellationToken::new();
        crate::spawn::detached("server", server.serve(Routes::default(), Health::default(), shutdown.clone()));
        let nowhere = SocketAddr::from(([127, 0, 0, 2], here.port()));
        let peers = peers(here.port());
        let mut transports = BTreeMap::new();
        peers.update(&mut transports, vec![here, nowhere]);
        let serves = async |address: SocketAddr, transports: &BTreeMap<_, _>| {
            let connection = peers.connection(address, &transports[&address]);
            assert!(connection.endpoint.contains(&address.to_string()), "{}", connection.endpoint);
            connection.is_serving(Duration::from_secs(5)).await.is_ok()
        };
        assert!(serves(here, &transports).await);
        assert!(!serves(nowhere, &transports).await);
        peers.update(&mut transports, vec![here]);
        assert_eq!(transports.keys().collect::<Vec<_>>(), [&here], "those that are gone are let go of");
        shutdown.cancel();
    }
}
