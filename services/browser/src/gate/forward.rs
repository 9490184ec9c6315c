//! One request: which rules it meets, and what is asked of the site.

use super::{Body, Rules, keeping, sockets, text_response};
use crate::fault;
use futures::TryStreamExt;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHORIZATION, TE, TRANSFER_ENCODING,
    UPGRADE, UPGRADE_INSECURE_REQUESTS,
};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use platform::spawn;
use std::io;
use std::sync::Arc;
use url::Url;

/// Headers that concern one connection only (RFC 9110, section 7.6.1).
const HOP_BY_HOP: [HeaderName; 5] = [CONNECTION, TRANSFER_ENCODING, HeaderName::from_static("keep-alive"), TE, UPGRADE];
/// Headers that are for the gate alone. The host that is asked is the one that was judged, whatever the page says.
const FOR_THE_GATE: [HeaderName; 3] = [HOST, HeaderName::from_static("proxy-connection"), PROXY_AUTHORIZATION];

/// Answers a request: by our own refusal, or with the site's answer.
pub(super) async fn pass(
    mut request: Request<Incoming>,
    origin: Option<&str>,
    rules: &Rules,
) -> Result<Response<Body>, io::Error> {
    let navigates = request.headers().contains_key(UPGRADE_INSECURE_REQUESTS);
    let Some(url) = address(&request, origin).filter(|url| rules.scope.check(url).is_ok()) else {
        // Only its host: the rest may hold anything that the page knows.
        let host = origin.or(request.uri().host()).unwrap_or_default();
        tracing::debug!(host, "refused a request outside the scope");
        return Ok(refused(navigates, "outside the scope"));
    };
    if let Err(refusal) = rules.upstream.may_reach(&url).await {
        tracing::warn!(host = url.host_str(), %refusal, "refused a request");
        return Ok(refused(navigates, &refusal));
    }
    if request.headers().get(UPGRADE).is_some_and(|upgrade| upgrade.as_bytes().eq_ignore_ascii_case(b"websocket")) {
        return match rules.safety.judge_socket(&url) {
            Some(rule) => Ok(refused(navigates, rule.meaning())),
            None => open_socket(&mut request, url, rules).await,
        };
    }
    let (rule, request) = rules.safety.judge(request, &url, navigates).await;
    if let Some(rule) = rule {
        return Ok(refused(navigates, rule.meaning()));
    }
    if let Some(robots) = rules.robots.as_ref().filter(|_| navigates)
        && !robots.allow_load(&url, rules.upstream.client(), &rules.scope).await
    {
        tracing::debug!(path = url.path(), "not loaded, since robots.txt disallows it");
        return Ok(text_response(StatusCode::NO_CONTENT, ""));
    }
    if navigates {
        rules.admit(url.authority()).await;
    }
    let (mut parts, body) = request.into_parts();
    strip(&mut parts.headers);
    let has_body = parts.headers.contains_key("content-length") || parts.method != Method::GET;
    let passage = is_of_script(&parts.headers, &url).then(|| rules.passages.began(parts.method.as_str(), url.as_str()));
    let may_be_file = rules.keeper.is_some() && keeping::may_be_file(&parts.headers);
    if may_be_file {
        // A file is kept as it is, and whole.
        parts.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        keeping::ask_for_all(&mut parts.headers);
    }
    let method = parts.method.clone();
    let client = rules.upstream.client_for(&parts.headers)?;
    let mut outgoing = client.request(parts.method, url.clone()).headers(parts.headers);
    if has_body {
        outgoing = outgoing.body(body.whole());
    }
    // Without an answer the browser's connection is closed without one, so that the page sees a network error.
    let answer = rules.upstream.answer(&url, outgoing).await?;
    if let Some(passage) = passage {
        rules.passages.answered(passage, answer.status().as_u16());
    }
    rules.safety.answered(&url, answer.headers());
    let mut response = Response::builder().status(answer.status());
    if let Some(headers) = response.headers_mut() {
        headers.clone_from(answer.headers());
        strip(headers);
    }
    let body = match &rules.keeper {
        Some(keeper) if (may_be_file || keeping::is_file(answer.headers())) && keeping::is_whole(&method, &answer) => {
            StreamBody::new(keeper.keep(url.as_str(), answer).map_ok(Frame::data)).boxed()
        }
        _ => StreamBody::new(answer.bytes_stream().map_ok(Frame::data)).boxed(),
    };
    response.body(body).map_err(io::Error::other)
}

/// The address of a request. Within a connection that was opened to a host, a request names the path only; what it says of the
/// host in a header counts for nothing.
fn address(request: &Request<Incoming>, origin: Option<&str>) -> Option<Url> {
    match origin {
        None => Url::parse(&request.uri().to_string()).ok(),
        Some(origin) => {
            let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
            path.starts_with('/').then(|| Url::parse(&format!("{origin}{path}")).ok()).flatten()
        }
    }
}

/// Opens a WebSocket to the site, and lets its messages pass as far as they may be sent.
async fn open_socket(request: &mut Request<Incoming>, url: Url, rules: &Rules) -> Result<Response<Body>, io::Error> {
    let ours = hyper::upgrade::on(&mut *request);
    let mut headers = request.headers().clone();
    FOR_THE_GATE.iter().for_each(|name| drop(headers.remove(name)));
    sockets::prepare(&mut headers, &rules.safety);
    let outgoing = rules.upstream.sockets()?.get(url.clone()).headers(headers);
    let answer = rules.upstream.answer(&url, outgoing).await?;
    let mut response = text_response(answer.status(), "");
    response.headers_mut().clone_from(answer.headers());
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        strip(response.headers_mut());
        return Ok(response);
    }
    let safety = Arc::clone(&rules.safety);
    spawn::detached("socket through the gate", async move {
        if let (Ok(ours), Ok(theirs)) = (ours.await, answer.upgrade().await) {
            sockets::pass(TokioIo::new(ours), theirs, url.path(), &safety).await;
        }
    });
    Ok(response)
}

/// Whether a script may have sent a request: pages, pictures and what else a document loads are told of by the browser, which also
/// asks for icons by itself.
fn is_of_script(headers: &HeaderMap, url: &Url) -> bool {
    let destination = headers.get("sec-fetch-dest").map_or(b"empty".as_slice(), |destination| destination.as_bytes());
    destination == b"empty" && url.path() != "/favicon.ico"
}

/// Our own answer to what is not let through: 204 leaves a page where it is; a subresource is told that it failed, by a
/// status that is not taken for the site's.
fn refused(navigates: bool, why: &str) -> Response<Body> {
    match StatusCode::from_u16(fault::REFUSED) {
        Ok(status) if !navigates => text_response(status, why),
        _ => text_response(StatusCode::NO_CONTENT, ""),
    }
}

fn strip(headers: &mut HeaderMap) {
    HOP_BY_HOP.iter().chain(&FOR_THE_GATE).for_each(|name| drop(headers.remove(name)));
}
