//! The gate: a forward proxy on loopback, one per profile, through which every byte of the profile goes. What is outside the
//! scope is refused here, so redirects, frames, pop-ups, workers and WebSockets need no rules of their own, and a request
//! costs no round trip through the driver. (Interception by the browser was the alternative: it costs one round trip per
//! request and does not see WebSocket handshakes.)
//!
//! Never looks into TLS: an encrypted connection is judged by host and port.

use crate::fault;
use crate::options::{Pace, ProfileOptions};
use crate::robots::Robots;
use domain::scope::Scope;
use futures::TryStreamExt;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyDataStream, BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{CONNECTION, HeaderMap, HeaderName, TRANSFER_ENCODING, UPGRADE_INSECURE_REQUESTS};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::AbortHandle;
use url::Url;

type Body = BoxBody<Bytes, reqwest::Error>;

/// Longest head of an upstream proxy's answer.
const HEAD: usize = 8 * 1024;
const CONNECT: Duration = Duration::from_secs(20);
/// Connections to one host that are kept while no page loads.
const IDLE: usize = 8;
/// Headers that concern one connection only (RFC 9110, section 7.6.1).
const HOP_BY_HOP: [HeaderName; 3] = [CONNECTION, TRANSFER_ENCODING, HeaderName::from_static("keep-alive")];

impl Rules {
    async fn admit(&self, authority: &str) {
        if let Some(pace) = &self.pace {
            pace.admit(authority).await;
        }
    }
}

/// A running gate. Dropping it closes it.
pub(crate) struct Gate {
    port: u16,
    rules: Arc<Rules>,
    task: AbortHandle,
}

struct Rules {
    scope: Scope,
    pace: Option<Arc<dyn Pace>>,
    robots: Option<Arc<Robots>>,
    read_only: bool,
    deletes_nothing: bool,
    upstream: Option<Url>,
    client: reqwest::Client,
}

impl Gate {
    /// Opens a gate for what a profile may visit; `upstream` is the forward proxy that lies beyond it. Where there is none, requests go out
    /// by `direct`, which the gates of a browser share: a client is large, and keeps nothing of one profile for another.
    ///
    /// # Errors
    /// When there is no port, or the upstream proxy's address makes no sense.
    pub(crate) async fn open(
        options: &ProfileOptions,
        upstream: Option<Url>,
        direct: &reqwest::Client,
    ) -> Result<Gate, String> {
        let client = match &upstream {
            Some(_) => client(upstream.as_ref())?,
            None => direct.clone(),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|error| error.to_string())?;
        let port = listener.local_addr().map_err(|error| error.to_string())?.port();
        let ProfileOptions { scope, pace, robots, read_only, deletes_nothing, .. } = options.clone();
        let rules = Arc::new(Rules { scope, pace, robots, read_only, deletes_nothing, upstream, client });
        let task = tokio::spawn(accept(listener, rules.clone())).abort_handle();
        Ok(Gate { port, rules, task })
    }

    /// What sends its requests.
    pub(crate) fn client(&self) -> &reqwest::Client {
        &self.rules.client
    }

    /// Its address, as browsers take it.
    pub(crate) fn authority(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What sends the requests of gates.
///
/// # Errors
/// When the upstream proxy's address makes no sense.
pub(crate) fn client(upstream: Option<&Url>) -> Result<reqwest::Client, String> {
    let mut client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
    if let Some(proxy) = upstream {
        client = client.proxy(reqwest::Proxy::http(proxy.clone()).map_err(|error| error.to_string())?);
    }
    client.connect_timeout(CONNECT).pool_max_idle_per_host(IDLE).build().map_err(|error| error.to_string())
}

async fn accept(listener: TcpListener, rules: Arc<Rules>) {
    // The connections end with the gate.
    let mut connections = tokio::task::JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok((stream, _)) = listener.accept().await else { continue };
        let _ = stream.set_nodelay(true);
        let rules = rules.clone();
        connections.spawn(async move {
            let service = service_fn(move |request| pass(request, rules.clone()));
            let connection = hyper::server::conn::http1::Builder::new()
                .preserve_header_case(true)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades();
            if let Err(error) = connection.await {
                tracing::trace!(%error, "connection through the gate ended");
            }
        });
    }
}

async fn pass(request: Request<Incoming>, rules: Arc<Rules>) -> Result<Response<Body>, io::Error> {
    if request.method() == Method::CONNECT { tunnel(request, &rules).await } else { forward(request, &rules).await }
}

/// An encrypted connection, or a WebSocket.
async fn tunnel(request: Request<Incoming>, rules: &Rules) -> Result<Response<Body>, io::Error> {
    let authority = request.uri().authority().map(ToString::to_string).unwrap_or_default();
    let allowed = Url::parse(&format!("https://{authority}/")).is_ok_and(|url| rules.scope.check(&url).is_ok());
    if !allowed {
        tracing::debug!(authority, "refused a connection outside the scope");
        return Ok(said(StatusCode::FORBIDDEN, "outside the scope"));
    }
    // What is loaded through it cannot be seen: a new connection stands for a page.
    rules.admit(&authority).await;
    let mut server = match connect(&authority, rules.upstream.as_ref()).await {
        Ok(server) => server,
        Err(error) => return Ok(said(StatusCode::BAD_GATEWAY, &error.to_string())),
    };
    tokio::spawn(async move {
        if let Ok(client) = hyper::upgrade::on(request).await {
            let _ = copy_bidirectional(&mut TokioIo::new(client), &mut server).await;
        }
    });
    Ok(said(StatusCode::OK, ""))
}

async fn connect(authority: &str, upstream: Option<&Url>) -> io::Result<TcpStream> {
    let first = match upstream {
        Some(proxy) => {
            let host = proxy.host_str().unwrap_or_default();
            format!("{host}:{}", proxy.port_or_known_default().unwrap_or(80))
        }
        None => authority.to_owned(),
    };
    let mut stream = tokio::time::timeout(CONNECT, TcpStream::connect(&first)).await??;
    let _ = stream.set_nodelay(true);
    if upstream.is_some() {
        stream.write_all(format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n\r\n").as_bytes()).await?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") && head.len() < HEAD {
            head.push(stream.read_u8().await?);
        }
        if head.split(|byte| *byte == b' ').nth(1) != Some(b"200") {
            return Err(io::Error::other("the upstream proxy refused the connection"));
        }
    }
    Ok(stream)
}

/// Whether a request deletes what it names.
fn deletes(method: &Method, headers: &HeaderMap) -> bool {
    let instead = ["x-http-method-override", "x-http-method", "x-method-override"];
    let mut named = instead.iter().filter_map(|name| headers.get(*name)).filter_map(|value| value.to_str().ok());
    *method == Method::DELETE || named.any(|method| method.trim().eq_ignore_ascii_case("delete"))
}

/// A plain request.
async fn forward(request: Request<Incoming>, rules: &Rules) -> Result<Response<Body>, io::Error> {
    let (mut parts, body) = request.into_parts();
    let url = Url::parse(&parts.uri.to_string()).ok().filter(|url| rules.scope.check(url).is_ok());
    let navigates = parts.headers.contains_key(UPGRADE_INSECURE_REQUESTS);
    let Some(url) = url else {
        // Only its host: the rest may hold anything that the page knows.
        let host = parts.uri.host().unwrap_or_default();
        tracing::debug!(host, "refused a request outside the scope");
        return Ok(refused(navigates, "outside the scope"));
    };
    if rules.read_only && !parts.method.is_safe() {
        tracing::debug!(method = %parts.method, "refused a request that is no plain reading");
        return Ok(refused(navigates, "only reading is allowed"));
    }
    if rules.deletes_nothing && deletes(&parts.method, &parts.headers) {
        tracing::debug!(path = url.path(), "refused a request that deletes");
        return Ok(said(if navigates { StatusCode::NO_CONTENT } else { StatusCode::FORBIDDEN }, ""));
    }
    if let Some(robots) = rules.robots.as_ref().filter(|_| navigates)
        && !robots.allow(&url, &rules.client).await
    {
        tracing::debug!(path = url.path(), "not loaded, since robots.txt disallows it");
        return Ok(said(StatusCode::NO_CONTENT, ""));
    }
    if navigates {
        rules.admit(url.authority()).await;
    }
    strip(&mut parts.headers);
    let body = reqwest::Body::wrap_stream(BodyDataStream::new(body));
    let has_body = parts.headers.contains_key("content-length") || parts.method != Method::GET;
    let mut outgoing = rules.client.request(parts.method, url).headers(parts.headers);
    if has_body {
        outgoing = outgoing.body(body);
    }
    // Without an answer the browser's connection is closed without one, so that the page sees a network error.
    let answer = outgoing.send().await.map_err(io::Error::other)?;
    let mut response = Response::builder().status(answer.status());
    if let Some(headers) = response.headers_mut() {
        headers.clone_from(answer.headers());
        strip(headers);
    }
    let frames = StreamBody::new(answer.bytes_stream().map_ok(Frame::data));
    response.body(frames.boxed()).map_err(io::Error::other)
}

/// Our own answer to what is not let through: 204 leaves a page where it is; a subresource is told that it failed, by a
/// status that is not taken for the site's.
fn refused(navigates: bool, why: &str) -> Response<Body> {
    match StatusCode::from_u16(fault::REFUSED) {
        Ok(status) if !navigates => said(status, why),
        _ => said(StatusCode::NO_CONTENT, ""),
    }
}

fn strip(headers: &mut HeaderMap) {
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
    for name in ["proxy-connection", "proxy-authorization", "te", "upgrade"] {
        headers.remove(name);
    }
}

fn said(status: StatusCode, text: &str) -> Response<Body> {
    let body = Full::new(Bytes::from(text.to_owned())).map_err(|never| match never {}).boxed();
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn through(gate: &Gate, url: &str) -> reqwest::Result<reqwest::Response> {
        let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
        reqwest::Client::builder().proxy(proxy).build().unwrap().get(url).send().await
    }

    async fn opened(scope: Scope, pace: Option<Arc<dyn Pace>>) -> Gate {
        let options = ProfileOptions { scope, pace, ..ProfileOptions::default() };
        Gate::open(&options, None, &client(None).unwrap()).await.unwrap()
    }

    #[tokio::test]
    async fn an_address_outside_the_scope_is_refused_without_being_asked() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let gate = opened(Scope { hosts: vec!["example.org".into()] }, None).await;
        let answer = through(&gate, &format!("http://127.0.0.1:{port}/")).await.unwrap();
        assert_eq!(answer.status().as_u16(), fault::REFUSED);
        assert!(through(&gate, &format!("https://127.0.0.1:{port}/")).await.is_err());
        let nobody = tokio::time::timeout(Duration::from_millis(50), listener.accept()).await;
        assert!(nobody.is_err(), "something arrived");
    }

    /// Counts who asks, and lets pass what it has been told to.
    struct Counting {
        asked: std::sync::Mutex<Vec<String>>,
        passes: tokio::sync::Semaphore,
    }

    #[async_trait::async_trait]
    impl Pace for Counting {
        async fn admit(&self, authority: &str) {
            self.asked.lock().unwrap().push(authority.to_owned());
            self.passes.acquire().await.unwrap().forget();
        }
    }

    #[tokio::test]
    async fn a_page_load_waits_for_its_permission_and_a_subresource_does_not() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut buffer = [0; 1024];
                let _ = stream.read(&mut buffer).await.unwrap();
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok").await;
            }
        });
        let pace = Arc::new(Counting { asked: Default::default(), passes: tokio::sync::Semaphore::new(0) });
        let scope = Scope { hosts: vec![address.to_string()] };
        let gate = opened(scope, Some(pace.clone())).await;
        let url = format!("http://{address}/");
        assert_eq!(through(&gate, &url).await.unwrap().status(), StatusCode::OK, "a subresource");
        let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
        let visitor = reqwest::Client::builder().proxy(proxy).build().unwrap();
        let page = tokio::spawn(visitor.get(&url).header("upgrade-insecure-requests", "1").send());
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(!page.is_finished(), "loaded without permission");
        pace.passes.add_permits(1);
        assert_eq!(page.await.unwrap().unwrap().status(), StatusCode::OK);
        assert_eq!(*pace.asked.lock().unwrap(), [address.to_string()]);
    }

    #[tokio::test]
    async fn an_address_within_the_scope_is_passed_on() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut buffer = [0; 1024];
            let read = stream.read(&mut buffer).await.unwrap();
            let path_only = buffer[..read].starts_with(b"GET /x HTTP/1.1");
            let body = if path_only { "good" } else { "bad!" };
            stream.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{body}").as_bytes()).await.unwrap();
        });
        let gate = opened(Scope { hosts: vec![address.to_string()] }, None).await;
        let answer = through(&gate, &format!("http://{address}/x")).await.unwrap();
        assert_eq!(answer.text().await.unwrap(), "good");
    }

    /// A site with a `robots.txt` and pages; counts what is asked of it.
    async fn site() -> (String, Arc<std::sync::Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked: Arc<std::sync::Mutex<Vec<String>>> = Arc::default();
        let heard = asked.clone();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut buffer = [0; 1024];
                let read = stream.read(&mut buffer).await.unwrap();
                let line = String::from_utf8_lossy(&buffer[..read]).lines().next().unwrap_or_default().to_owned();
                let body = if line.contains("robots.txt") { "User-agent: *\nDisallow: /private" } else { "ok" };
                heard.lock().unwrap().push(line.rsplit_once(' ').unwrap_or_default().0.to_owned());
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
            }
        });
        (address, asked)
    }

    #[tokio::test]
    async fn what_robots_txt_disallows_is_not_loaded_as_a_page() {
        let (address, asked) = site().await;
        let scope = Scope { hosts: vec![address.clone()] };
        let options = ProfileOptions { scope, robots: Some(Arc::default()), ..ProfileOptions::default() };
        let gate = Gate::open(&options, None, &client(None).unwrap()).await.unwrap();
        let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
        let visitor = reqwest::Client::builder().proxy(proxy).build().unwrap();
        let load = async |path: &str| {
            let request = visitor.get(format!("http://{address}{path}")).header("upgrade-insecure-requests", "1");
            request.send().await.unwrap().status()
        };
        assert_eq!(load("/private/x").await, StatusCode::NO_CONTENT);
        assert_eq!(load("/public").await, StatusCode::OK);
        assert_eq!(load("/private").await, StatusCode::NO_CONTENT);
        assert_eq!(*asked.lock().unwrap(), ["GET /robots.txt", "GET /public"], "the file is asked for once");
    }

    #[tokio::test]
    async fn who_deletes_nothing_may_still_send() {
        let (address, asked) = site().await;
        let scope = Scope { hosts: vec![address.clone()] };
        let options = ProfileOptions { scope, deletes_nothing: true, ..ProfileOptions::default() };
        let gate = Gate::open(&options, None, &client(None).unwrap()).await.unwrap();
        let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
        let visitor = reqwest::Client::builder().proxy(proxy).build().unwrap();
        let order = format!("http://{address}/order");
        let plain = visitor.delete(&order);
        let disguised = visitor.post(&order).header("X-HTTP-Method-Override", "delete").body("1");
        for request in [plain, disguised] {
            assert_eq!(request.send().await.unwrap().status(), StatusCode::FORBIDDEN);
        }
        visitor.post(&order).body("1").send().await.unwrap();
        assert_eq!(*asked.lock().unwrap(), ["POST /order"]);
    }

    #[tokio::test]
    async fn who_only_reads_sends_nothing() {
        let (address, asked) = site().await;
        let scope = Scope { hosts: vec![address.clone()] };
        let options = ProfileOptions { scope, read_only: true, ..ProfileOptions::default() };
        let gate = Gate::open(&options, None, &client(None).unwrap()).await.unwrap();
        let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
        let visitor = reqwest::Client::builder().proxy(proxy).build().unwrap();
        let sent = visitor.post(format!("http://{address}/order")).body("1").send().await.unwrap();
        assert_eq!(sent.status().as_u16(), fault::REFUSED);
        assert_eq!(visitor.get(format!("http://{address}/order")).send().await.unwrap().status(), StatusCode::OK);
        assert_eq!(*asked.lock().unwrap(), ["GET /order"]);
    }
}
