//! The gate: a forward proxy, one per profile, through which every byte of the profile goes. What is outside the
//! scope is refused here, so redirects, frames, pop-ups, workers and WebSockets need no rules of their own, and a request
//! costs no round trip through the driver. (Interception by the browser was the alternative: it costs one round trip per
//! request and does not see WebSocket handshakes.)
//!
//! Encrypted connections end here, with certificates that only the browsers of this process trust, so that every rule holds for
//! them too; towards the site the gate encrypts again and checks the site's certificate.

pub(crate) mod admission;
mod calls;
mod clients;
mod forward;
mod harm;
pub(crate) mod keeping;
mod names;
mod sockets;
mod tls;
mod upstream;

use crate::options::{GatePlace, Pace, ProfileOptions};
use crate::robots::Robots;
use crate::wire::passages::Passages;
use admission::{Admission, Entry};
use domain::scope::Scope;
use harm::Safety;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderValue, PROXY_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use keeping::Keeper;
use platform::listeners::{self, OwnPort};
use platform::spawn;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::task::AbortOnDropHandle;
use upstream::Upstream;
use url::Url;

pub use calls::{Route, post, read};
pub(crate) use names::look_up;
pub(crate) use tls::trusted_key;

type Body = BoxBody<Bytes, reqwest::Error>;

/// Bytes of a request's head that are taken, and its headers.
const HEAD: usize = 4 << 20;
const HEADERS: usize = 1_000;
/// Connections at a time to a gate that other machines reach.
const CONNECTIONS: usize = 256;
/// How long a head may take to arrive, and the pause after a connection that could not be taken.
const PATIENCE: Duration = Duration::from_secs(30);
const BREATH: Duration = Duration::from_millis(50);
/// The first byte of every TLS connection (RFC 8446, section 5.1).
const HANDSHAKE: u8 = 22;

/// A running gate. Dropping it closes it.
pub(crate) struct Gate {
    port: OwnPort,
    /// The host by which browsers reach it.
    host: String,
    rules: Arc<Rules>,
    _task: AbortOnDropHandle<()>,
}

struct Rules {
    admission: Admission,
    scope: Scope,
    pace: Option<Arc<dyn Pace>>,
    robots: Option<Arc<Robots>>,
    safety: Arc<Safety>,
    upstream: Upstream,
    passages: Arc<Passages>,
    /// Where downloads are kept.
    keeper: Option<Keeper>,
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
    pub(crate) async fn open(
        options: &ProfileOptions,
        proxy: Option<Url>,
        place: &GatePlace,
        admission: Admission,
    ) -> Result<Gate, String> {
        let upstream = Upstream::new(&options.scope, proxy, options.accept_self_signed_certificates)?;
        let listener = TcpListener::bind((place.bind, 0)).await;
        let listener = listener.map_err(|error| format!("listen on {}: {error}", place.bind))?;
        let port = listeners::claim(listener.local_addr().map_err(|error| error.to_string())?.port());
        let ProfileOptions { scope, pace, robots, guards, .. } = options.clone();
        let safety = Safety::new(guards);
        let keeper = options.downloads.then(Keeper::default);
        let passages = Arc::default();
        let rules = Arc::new(Rules { admission, scope, pace, robots, safety, upstream, passages, keeper });
        let _task = spawn::owned("gate", accept(listener, rules.clone()));
        Ok(Gate { port, host: place.host(), rules, _task })
    }

    #[cfg(test)]
    async fn local(options: &ProfileOptions, proxy: Option<Url>) -> Result<Gate, String> {
        Gate::open(options, proxy, &GatePlace::default(), Admission::default()).await
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

    /// What it keeps of downloads.
    pub(crate) fn keeper(&self) -> Option<&Keeper> {
        self.rules.keeper.as_ref()
    }

    /// Whom it lets in.
    pub(crate) fn admission(&self) -> &Admission {
        &self.rules.admission
    }

    /// Its address as `HOST:PORT`, the form that browsers take.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port.number())
    }
}

async fn accept(listener: TcpListener, rules: Arc<Rules>) {
    // The connections end with the gate.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok((stream, from)) = listener.accept().await else {
            // No descriptor is free: others have to end first.
            tokio::time::sleep(BREATH).await;
            continue;
        };
        // A browser needs far fewer; others may want to take them all.
        let has_room = rules.admission.is_open() || connections.len() < CONNECTIONS;
        if has_room && rules.admission.may_connect(from.ip()) {
            let _ = stream.set_nodelay(true);
            connections.spawn(serve(stream, Party::Browser(from.ip()), rules.clone()));
        }
    }
}

/// Whose requests a connection carries.
#[derive(Clone)]
enum Party {
    /// Those to the proxy itself, of a browser at this address.
    Browser(IpAddr),
    /// Those to this origin, which the proxy has opened a connection to.
    Origin(String),
}

/// Answers the requests of a connection.
async fn serve(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, party: Party, rules: Arc<Rules>) {
    let service = service_fn(move |request| pass(request, party.clone(), rules.clone()));
    let mut server = hyper::server::conn::http1::Builder::new();
    let server = server.preserve_header_case(true).max_buf_size(HEAD).max_headers(HEADERS);
    let server = server.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    if let Err(error) = server.serve_connection(TokioIo::new(stream), service).with_upgrades().await {
        tracing::trace!(%error, "connection through the gate ended");
    }
}

async fn pass(request: Request<Incoming>, party: Party, rules: Arc<Rules>) -> Result<Response<Body>, io::Error> {
    match party {
        Party::Browser(from) if rules.admission.judge(request.headers(), from) == Entry::Challenged => Ok(challenge()),
        Party::Browser(_) if request.method() == Method::CONNECT => Ok(connect(request, rules)),
        Party::Browser(_) => forward::pass(request, None, &rules).await,
        Party::Origin(origin) => forward::pass(request, Some(&origin), &rules).await,
    }
}

/// Asks for the credential.
fn challenge() -> Response<Body> {
    let mut response =
        text_response(StatusCode::PROXY_AUTHENTICATION_REQUIRED, "this gate is open to one browser only");
    response.headers_mut().insert(PROXY_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"Rutter\""));
    response
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
            return serve(stream, Party::Origin(format!("http://{host}:{port}")), rules).await;
        }
        let Some(config) = tls::server_config(&host) else { return };
        match TlsAcceptor::from(config).accept(stream).await {
            Ok(stream) => serve(stream, Party::Origin(format!("https://{host}:{port}")), rules).await,
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
