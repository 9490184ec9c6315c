//! The gate: a forward proxy on loopback, one per profile, through which every byte of the profile goes. What is outside the
//! scope is refused here, so redirects, frames, pop-ups, workers and WebSockets need no rules of their own, and a request
//! costs no round trip through the driver. (Interception by the browser was the alternative: it costs one round trip per
//! request and does not see WebSocket handshakes.)
//!
//! Encrypted connections end here, with certificates that only the browsers of this process trust, so that every rule holds for
//! them too; towards the site the gate encrypts again and checks the site's certificate.

mod calls;
mod clients;
mod forward;
mod harm;
mod names;
mod tls;
mod upstream;

use crate::options::{Pace, ProfileOptions};
use crate::robots::Robots;
use crate::wire::passages::Passages;
use domain::scope::Scope;
use harm::Safety;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use platform::listeners::{self, OwnPort};
use platform::spawn;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::task::AbortOnDropHandle;
use upstream::Upstream;
use url::Url;

pub use calls::{Route, post, read};
pub(crate) use tls::trusted_key;

type Body = BoxBody<Bytes, reqwest::Error>;

/// Bytes of a request's head that are taken, and its headers.
const HEAD: usize = 4 << 20;
const HEADERS: usize = 1_000;
/// The first byte of every TLS connection (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;

/// A running gate. Dropping it closes it.
pub(crate) struct Gate {
    port: OwnPort,
    rules: Arc<Rules>,
    _task: AbortOnDropHandle<()>,
}

struct Rules {
    scope: Scope,
    pace: Option<Arc<dyn Pace>>,
    robots: Option<Arc<Robots>>,
    safety: Arc<Safety>,
    upstream: Upstream,
    passages: Arc<Passages>,
}

impl Rules {
    async fn admit(&self, authority: &str) {
        if let Some(pace) = &self.pace {
            pace.admit(authority).await;
        }
    }
}

impl Gate {
    /// Opens a gate for a profile; `proxy` is the forward proxy behind it.
    ///
    /// # Errors
    /// When there is no port, or the proxy's address makes no sense.
    pub(crate) async fn open(options: &ProfileOptions, proxy: Option<Url>) -> Result<Gate, String> {
        let upstream = Upstream::new(&options.scope, proxy, options.accept_self_signed_certificates)?;
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| error.to_string())?;
        let port = listeners::claim(listener.local_addr().map_err(|error| error.to_string())?.port());
        let ProfileOptions { scope, pace, robots, guards, .. } = options.clone();
        let safety = Safety::new(guards);
        let rules = Arc::new(Rules { scope, pace, robots, safety, upstream, passages: Arc::default() });
        let _task = spawn::owned("gate", accept(listener, rules.clone()));
        Ok(Gate { port, rules, _task })
    }

    /// What sends its requests.
    pub(crate) fn client(&self) -> &reqwest::Client {
        self.rules.upstream.client()
    }

    /// The rules for what is sent.
    pub(crate) fn safety(&self) -> &Safety {
        &self.rules.safety
    }

    /// Its record of what passed.
    pub(crate) fn passages(&self) -> Arc<Passages> {
        self.rules.passages.clone()
    }

    /// Why the latest request to an address' host and port got no answer, in the words of the connection to it.
    pub(crate) fn failure(&self, url: &Url) -> Option<String> {
        self.rules.upstream.failure(url)
    }

    /// Its address as `HOST:PORT`, the form that browsers take.
    pub(crate) fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port.number())
    }
}

async fn accept(listener: TcpListener, rules: Arc<Rules>) {
    // The connections end with the gate.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok((stream, _)) = listener.accept().await else { continue };
        let _ = stream.set_nodelay(true);
        connections.spawn(serve(stream, None, rules.clone()));
    }
}

/// Answers the requests of a connection. `origin` is whom it was opened to, where it is no longer the proxy's own.
async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    origin: Option<String>,
    rules: Arc<Rules>,
) {
    let service = service_fn(move |request| {
        let (origin, rules) = (origin.clone(), rules.clone());
        async move { pass(request, origin.as_deref(), rules).await }
    });
    let mut server = hyper::server::conn::http1::Builder::new();
    let server = server.preserve_header_case(true).max_buf_size(HEAD).max_headers(HEADERS);
    if let Err(error) = server.serve_connection(TokioIo::new(stream), service).with_upgrades().await {
        tracing::trace!(%error, "connection through the gate ended");
    }
}

async fn pass(
    request: Request<Incoming>,
    origin: Option<&str>,
    rules: Arc<Rules>,
) -> Result<Response<Body>, io::Error> {
    match origin {
        None if request.method() == Method::CONNECT => Ok(connect(request, rules)),
        _ => forward::pass(request, origin, &rules).await,
    }
}

/// A connection that is encrypted, or for a WebSocket. What is asked for through it is judged like every other request.
fn connect(request: Request<Incoming>, rules: Arc<Rules>) -> Response<Body> {
    let target =
        request.uri().authority().and_then(|authority| Some((authority.host().to_owned(), authority.port_u16()?)));
    let Some((host, port)) = target.filter(|(host, port)| rules.scope.covers_connection(host, *port)) else {
        let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        tracing::debug!(authority, "refused a connection outside the scope");
        return text_response(StatusCode::FORBIDDEN, "outside the scope");
    };
    spawn::detached("connection through the gate", async move {
        let Ok(upgraded) = hyper::upgrade::on(request).await else { return };
        let mut stream = BufReader::new(TokioIo::new(upgraded));
        let Ok([first, ..]) = stream.fill_buf().await else { return };
        if *first != HANDSHAKE {
            return serve(stream, Some(format!("http://{host}:{port}")), rules).await;
        }
        let Some(config) = tls::server_config(&host) else { return };
        match TlsAcceptor::from(config).accept(stream).await {
            Ok(stream) => serve(stream, Some(format!("https://{host}:{port}")), rules).await,
            Err(error) => tracing::debug!(%error, host, "the browser took no encrypted connection from the gate"),
        }
    });
    text_response(StatusCode::OK, "")
}

fn text_response(status: StatusCode, text: &str) -> Response<Body> {
    let body = Full::new(Bytes::from(text.to_owned())).map_err(|never| match never {}).boxed();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod heads;

#[cfg(test)]
mod tests;
