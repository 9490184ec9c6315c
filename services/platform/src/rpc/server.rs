//! A server: binds early, checks who calls, drains with a deadline.

use super::admission::{ANSWERED, Admission, pass};
use super::health::OfProcess;
use super::options::{Error, ServerOptions, ServerTls, Tokens, pem};
use crate::health::Health;
use crate::listeners::{self, OwnPort};
use crate::metrics::Metrics;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Certificate, Identity, ServerTlsConfig};

/// Interval and timeout of keep-alive pings on idle connections.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(20), Duration::from_secs(10));

/// Most concurrent calls per connection: a crawler has one connection, and each of its sessions may be waiting for a
/// model.
const CALLS: u32 = 8_192;

/// Frame size and flow-control windows in bytes: the observation of a page with some hundred elements fits one frame,
/// and a crawler's sessions send theirs concurrently.
const FRAME: u32 = 256 * 1024;
const WINDOW: u32 = 16 * 1024 * 1024;

/// A server that holds its address and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    _own: OwnPort,
    tls: Option<ServerTlsConfig>,
    admission: Admission,
    drain: Duration,
}

impl Server {
    /// Reads files and tokens and takes the address.
    ///
    /// # Errors
    /// [`Error`]: unusable options, or a server open to anybody.
    pub async fn bind(options: &ServerOptions) -> Result<Self, Error> {
        options.refuse_open()?;
        let tls = options.tls.as_ref().map(tls).transpose()?;
        let bound = |cause| Error::Bind { address: options.bind, cause };
        let listener = TcpListener::bind(options.bind).await.map_err(bound)?;
        let address = listener.local_addr().map_err(bound)?;
        let Tokens { whole, projects } = options.tokens(address.port())?;
        let drain = Duration::from_secs(options.drain_seconds);
        let _own = listeners::claim(address.port());
        Ok(Self {
            listener,
            address,
            _own,
            tls,
            admission: Admission { token: whole, projects, ..Admission::default() },
            drain,
        })
    }

    /// Measures how long calls take.
    #[must_use]
    pub fn measured(mut self, metrics: &Metrics) -> Self {
        self.admission.answered = Some(metrics.histogram(&ANSWERED));
        self
    }

    /// Where it listens; with the port that the machine chose where 0 was asked for.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves calls until asked to stop, then drains within the deadline. Serves health beside the given services.
    ///
    /// # Errors
    /// [`Error::Tls`], [`Error::Serve`].
    pub async fn serve(self, routes: Routes, health: Health, shutdown: CancellationToken) -> Result<(), Error> {
        let guarded = axum::middleware::from_fn_with_state(Arc::new(self.admission), pass);
        let router = routes.add_service(OfProcess::service(health)).into_axum_router().layer(guarded);
        let (interval, timeout) = KEEPALIVE;
        let mut server = tonic::transport::Server::builder()
            .max_concurrent_streams(Some(CALLS))
            .max_frame_size(Some(FRAME))
            .initial_connection_window_size(Some(WINDOW))
            .initial_stream_window_size(Some(WINDOW))
            .http2_keepalive_interval(Some(interval))
            .http2_keepalive_timeout(Some(timeout));
        if let Some(tls) = self.tls {
            server = server.tls_config(tls).map_err(|error| Error::Tls(super::client::chain(&error)))?;
        }
        let incoming = TcpIncoming::from(self.listener).with_nodelay(Some(true));
        let asked = shutdown.clone().cancelled_owned();
        let serving = server.add_routes(Routes::from(router).prepare()).serve_with_incoming_shutdown(incoming, asked);
        let overdue = async {
            shutdown.cancelled().await;
            tokio::time::sleep(self.drain).await;
        };
        tokio::select! {
            served = serving => served.map_err(|error| Error::Serve(super::client::chain(&error))),
            () = overdue => {
                tracing::warn!(address = %self.address, "calls were still under way when the time to drain was over");
                Ok(())
            }
        }
    }
}

fn tls(files: &ServerTls) -> Result<ServerTlsConfig, Error> {
    let certificate = pem("the server's certificate", &files.certificate)?;
    let key = pem("the server's private key", &files.key)?;
    let config = ServerTlsConfig::new().identity(Identity::from_pem(certificate, key));
    Ok(match &files.client_authority {
        Some(path) => config.client_ca_root(Certificate::from_pem(pem("the authority of client certificates", path)?)),
        None => config,
    })
}
