//! A server: binds early, checks who calls, drains with a deadline.

use super::admission::{ANSWERED, Admission, pass};
use super::health::OfProcess;
use super::options::{Error, ServerOptions};
use super::rotation::{self, CurrentTokens, LOOK};
use crate::clock::{Clock, SystemClock};
use crate::health::Health;
use crate::listeners::{self, OwnPort};
use crate::metrics::Metrics;
use crate::spawn;
use parking_lot::RwLock;
use rustls::ServerConfig;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::server::{Connected, TcpIncoming};

/// Interval and timeout of keep-alive pings on idle connections.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(20), Duration::from_secs(10));

/// Most concurrent calls per connection: a crawler has one connection, and each of its sessions may be waiting for a
/// model.
const CALLS: u32 = 8_192;

/// How long a caller may take to agree on encryption, and how many may be about to.
const HANDSHAKE: Duration = Duration::from_secs(10);
const HANDSHAKES: usize = 256;

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
    options: ServerOptions,
    tls: Option<Arc<RwLock<Arc<ServerConfig>>>>,
    admission: Admission,
    /// How often tokens and certificates are read again.
    pub(super) look: Duration,
}

impl Server {
    /// Reads files and tokens and takes the address.
    ///
    /// # Errors
    /// [`Error`]: unusable options, or a server open to anybody.
    pub async fn bind(options: &ServerOptions) -> Result<Self, Error> {
        options.refuse_open()?;
        let tls = options.tls.as_ref().map(rotation::server_config).transpose()?;
        let tls = tls.map(|config| Arc::new(RwLock::new(Arc::new(config))));
        let bound = |cause| Error::Bind { address: options.bind, cause };
        let listener = TcpListener::bind(options.bind).await.map_err(bound)?;
        let address = listener.local_addr().map_err(bound)?;
        let tokens = Arc::new(CurrentTokens::new(options.tokens(address.port())?));
        let _own = listeners::claim(address.port());
        let admission = Admission { tokens, ..Admission::default() };
        Ok(Self { listener, address, _own, options: options.clone(), tls, admission, look: LOOK })
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
    /// [`Error::Serve`].
    pub async fn serve(self, routes: Routes, health: Health, shutdown: CancellationToken) -> Result<(), Error> {
        let (options, address, tls) = (self.options, self.address, self.tls);
        let tokens = Arc::clone(&self.admission.tokens);
        let guarded = axum::middleware::from_fn_with_state(Arc::new(self.admission), pass);
        let router = routes.add_service(OfProcess::service(health)).into_axum_router().layer(guarded);
        let routes = Routes::from(router).prepare();
        let asked = shutdown.clone();
        let listener = self.listener;
        let serving = async {
            match &tls {
                Some(tls) => answer(routes, encrypted(listener, Arc::clone(tls), asked.clone()), asked).await,
                None => answer(routes, TcpIncoming::from(listener).with_nodelay(Some(true)), asked).await,
            }
        };
        let overdue = async {
            shutdown.cancelled().await;
            sleep(Duration::from_secs(options.drain_seconds)).await;
        };
        tokio::select! {
            served = serving => served.map_err(|error| Error::Serve(super::client::chain(&error))),
            () = overdue => {
                tracing::warn!(%address, "calls were still under way when the time to drain was over");
                Ok(())
            }
            () = follow(&options, address.port(), &tokens, tls.as_deref(), self.look) => Ok(()),
        }
    }
}

/// Answers the calls of what comes in.
async fn answer<I, S>(routes: Routes, incoming: I, asked: CancellationToken) -> Result<(), tonic::transport::Error>
where
    I: Stream<Item = io::Result<S>>,
    S: AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static,
{
    let (interval, timeout) = KEEPALIVE;
    tonic::transport::Server::builder()
        .max_concurrent_streams(Some(CALLS))
        .max_frame_size(Some(FRAME))
        .initial_connection_window_size(Some(WINDOW))
        .initial_stream_window_size(Some(WINDOW))
        .http2_keepalive_interval(Some(interval))
        .http2_keepalive_timeout(Some(timeout))
        .add_routes(routes)
        .serve_with_incoming_shutdown(incoming, asked.cancelled_owned())
        .await
}

/// Connections that agreed on encryption, by the certificates that hold when they come in.
fn encrypted(
    listener: TcpListener,
    tls: Arc<RwLock<Arc<ServerConfig>>>,
    asked: CancellationToken,
) -> ReceiverStream<io::Result<TlsStream<TcpStream>>> {
    let (ready, incoming) = mpsc::channel(HANDSHAKES);
    spawn::detached("accepts encrypted connections", async move {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = asked.cancelled() => return,
            };
            let Ok((stream, _)) = accepted else {
                // No more files, or a caller that is gone: both pass.
                sleep(Duration::from_millis(50)).await;
                continue;
            };
            let Ok(place) = ready.clone().reserve_owned().await else { return };
            let acceptor = TlsAcceptor::from(Arc::clone(&tls.read()));
            spawn::detached("agrees on encryption", async move {
                let _ = stream.set_nodelay(true);
                match timeout(HANDSHAKE, acceptor.accept(stream)).await {
                    Ok(Ok(stream)) => drop(place.send(Ok(stream))),
                    Ok(Err(cause)) => tracing::debug!(%cause, "a caller did not agree on encryption"),
                    Err(_) => tracing::debug!("a caller took too long to agree on encryption"),
                }
            });
        }
    });
    ReceiverStream::new(incoming)
}

/// Reads tokens and certificates again, for ever. What cannot be read leaves what was read before, and is said once.
async fn follow(
    options: &ServerOptions,
    port: u16,
    tokens: &CurrentTokens,
    tls: Option<&RwLock<Arc<ServerConfig>>>,
    look: Duration,
) {
    let clock = SystemClock::default();
    let read =
        || options.tls.as_ref().map(|files| [&files.certificate, &files.key].map(|path| std::fs::read(path).ok()));
    let (mut known, mut told) = (read(), false);
    loop {
        sleep(look).await;
        let mut failed = None;
        match options.tokens(port) {
            Ok(now) => {
                if tokens.replace(now, clock.monotonic()) {
                    tracing::info!("other tokens are asked for from now on");
                }
            }
            Err(error) => failed = Some(error),
        }
        let now = read();
        if let (Some(tls), Some(files)) = (tls, options.tls.as_ref().filter(|_| now != known)) {
            match rotation::server_config(files) {
                Ok(config) => {
                    *tls.write() = Arc::new(config);
                    known = now;
                    tracing::info!("another certificate is shown from now on");
                }
                // Certificate and key are two files: one may be there before the other.
                Err(error) => failed = Some(error),
            }
        }
        if let Some(error) = &failed
            && !told
        {
            tracing::warn!(%error, "a token or a certificate cannot be read again; what was read before holds");
        }
        told = failed.is_some();
    }
}
