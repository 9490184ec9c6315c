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
use hyper::{Method, Request, Response, StatusCode, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::rt::TokioIo;
use platform::spawn;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;
use tower_service::Service as _;
use url::Url;

type Body = BoxBody<Bytes, reqwest::Error>;

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
    _task: AbortOnDropHandle<()>,
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
        let _task = spawn::owned("gate", accept(listener, rules.clone()));
        Ok(Gate { port, rules, _task })
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
    spawn::detached("tunnel through the gate", async move {
        if let Ok(client) = hyper::upgrade::on(request).await {
            let _ = copy_bidirectional(&mut TokioIo::new(client), &mut server).await;
        }
    });
    Ok(said(StatusCode::OK, ""))
}

async fn connect(authority: &str, upstream: Option<&Url>) -> io::Result<TcpStream> {
    let server = Uri::try_from(format!("https://{authority}/")).map_err(io::Error::other)?;
    let mut connector = HttpConnector::new();
    connector.enforce_http(false);
    connector.set_nodelay(true);
    let connecting = async {
        match upstream {
            Some(proxy) => {
                let proxy = Uri::try_from(proxy.as_str()).map_err(io::Error::other)?;
                Tunnel::new(proxy, connector).call(server).await.map_err(io::Error::other)
            }
            None => connector.call(server).await.map_err(io::Error::other),
        }
    };
    Ok(tokio::time::timeout(CONNECT, connecting).await??.into_inner())
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
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use wiremock::matchers::{any, path};
    use wiremock::{Mock, MockServer, ResponseTemplate};

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
        // Whatever arrives counts, HTTP or not.
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
        asked: parking_lot::Mutex<Vec<String>>,
        passes: tokio::sync::Semaphore,
    }

    #[async_trait::async_trait]
    impl Pace for Counting {
        async fn admit(&self, authority: &str) {
            self.asked.lock().push(authority.to_owned());
            self.passes.acquire().await.unwrap().forget();
        }
    }

    #[tokio::test]
    async fn a_page_load_waits_for_its_permission_and_a_subresource_does_not() {
        let site = site().await;
        let address = site.address();
        let pace = Arc::new(Counting { asked: Default::default(), passes: tokio::sync::Semaphore::new(0) });
        let scope = Scope { hosts: vec![address.to_string()] };
        let gate = opened(scope, Some(pace.clone())).await;
        let url = format!("http://{address}/");
        assert_eq!(through(&gate, &url).await.unwrap().status(), StatusCode::OK, "a subresource");
        let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
        let visitor = reqwest::Client::builder().proxy(proxy).build().unwrap();
        let page = spawn::detached("page", visitor.get(&url).header("upgrade-insecure-requests", "1").send());
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(!page.is_finished(), "loaded without permission");
        pace.passes.add_permits(1);
        assert_eq!(page.await.unwrap().unwrap().status(), StatusCode::OK);
        assert_eq!(*pace.asked.lock(), [address.to_string()]);
    }

    #[tokio::test]
    async fn an_address_within_the_scope_is_passed_on() {
        let site = site().await;
        let gate = opened(Scope { hosts: vec![site.address().to_string()] }, None).await;
        let answer = through(&gate, &format!("{}/x", site.uri())).await.unwrap();
        assert_eq!(answer.text().await.unwrap(), "ok");
        assert_eq!(asked(&site).await, ["GET /x"]);
    }

    #[tokio::test]
    async fn a_tunnel_leads_through_the_upstream_proxy_whose_refusal_ends_it() {
        let site = site().await;
        let address = site.address().to_string();
        let url = |gate: &Gate| Url::parse(&format!("http://{}/", gate.authority())).unwrap();
        let upstream = opened(Scope { hosts: vec![address.clone()] }, None).await;
        let scope = Scope { hosts: vec![address.clone(), "127.0.0.1:1".into()] };
        let options = ProfileOptions { scope, ..ProfileOptions::default() };
        let gate = Gate::open(&options, Some(url(&upstream)), &client(None).unwrap()).await.unwrap();
        let mut tunnel = connect(&address, Some(&url(&gate))).await.unwrap();
        let request = format!("GET /x HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
        tunnel.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        tunnel.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok"), "{answer}");
        assert!(connect("127.0.0.1:1", Some(&url(&gate))).await.is_err(), "the upstream proxy may not go there");
    }

    /// A site with a `robots.txt` and pages.
    async fn site() -> MockServer {
        let site = MockServer::start().await;
        let robots = ResponseTemplate::new(200).set_body_string("User-agent: *\nDisallow: /private");
        Mock::given(path("/robots.txt")).respond_with(robots).mount(&site).await;
        Mock::given(any()).respond_with(ResponseTemplate::new(200).set_body_string("ok")).mount(&site).await;
        site
    }

    /// What was asked of a site.
    async fn asked(site: &MockServer) -> Vec<String> {
        let requests = site.received_requests().await.unwrap();
        requests.iter().map(|request| format!("{} {}", request.method, request.url.path())).collect()
    }

    #[tokio::test]
    async fn what_robots_txt_disallows_is_not_loaded_as_a_page() {
        let site = site().await;
        let address = site.address().to_string();
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
        assert_eq!(asked(&site).await, ["GET /robots.txt", "GET /public"], "the file is asked for once");
    }

    #[tokio::test]
    async fn who_deletes_nothing_may_still_send() {
        let site = site().await;
        let address = site.address().to_string();
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
        assert_eq!(asked(&site).await, ["POST /order"]);
    }

    #[tokio::test]
    async fn who_only_reads_sends_nothing() {
        let site = site().await;
        let address = site.address().to_string();
        let scope = Scope { hosts: vec![address.clone()] };
        let options = ProfileOptions { scope, read_only: true, ..ProfileOptions::default() };
        let gate = Gate::open(&options, None, &client(None).unwrap()).await.unwrap();
        let proxy = reqwest::Proxy::all(format!("http://{}", gate.authority())).unwrap();
        let visitor = reqwest::Client::builder().proxy(proxy).build().unwrap();
        let sent = visitor.post(format!("http://{address}/order")).body("1").send().await.unwrap();
        assert_eq!(sent.status().as_u16(), fault::REFUSED);
        assert_eq!(visitor.get(format!("http://{address}/order")).send().await.unwrap().status(), StatusCode::OK);
        assert_eq!(asked(&site).await, ["GET /order"]);
    }
}
