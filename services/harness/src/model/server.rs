//! The server: routes, keys, and the record of what was asked.

use super::asked::{Dialect, ModelRequest};
use super::script::{Reply, Script};
use super::{anthropic, gemini, openai, strict, tokens};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::post;
use parking_lot::Mutex;
use platform::spawn;
use serde_json::Value;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Requests may carry pictures.
const LARGEST_BODY: usize = 32 << 20;

/// A running server. Ends when dropped.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<ServerState>,
    task: JoinHandle<io::Result<()>>,
}

struct ServerState {
    script: Box<dyn Script>,
    key: Option<String>,
    asked: Mutex<Vec<ModelRequest>>,
    refused: Mutex<Vec<String>>,
}

impl ModelServer {
    /// The key that [`ModelServer::start`] asks for.
    pub const KEY: &str = "scripted-key";

    /// Listens on a free port of the loopback interface, for requests with [`ModelServer::KEY`].
    ///
    /// # Errors
    /// The address cannot be bound.
    pub async fn start(script: impl Script + 'static) -> io::Result<Self> {
        Self::listen(SocketAddr::from(([127, 0, 0, 1], 0)), Some(Self::KEY.to_owned()), script).await
    }

    /// Listens on this address, for requests with this key, or with any key where none is given.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub async fn listen(address: SocketAddr, key: Option<String>, script: impl Script + 'static) -> io::Result<Self> {
        let shared =
            Arc::new(ServerState { script: Box::new(script), key, asked: Mutex::default(), refused: Mutex::default() });
        let routes = Router::new()
            .route("/v1/chat/completions", post(chat_completions))
            .route("/v1/messages", post(messages))
            .route("/v1beta/models/{call}", post(generate_content))
            .layer(DefaultBodyLimit::max(LARGEST_BODY))
            .with_state(Arc::clone(&shared));
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let task = spawn::detached("model server", async move { axum::serve(listener, routes).await });
        Ok(Self { address, shared, task })
    }

    /// The base URL for clients of a dialect.
    pub fn base_url(&self, dialect: Dialect) -> String {
        let version = if dialect == Dialect::Gemini { "v1beta" } else { "v1" };
        format!("http://{}/{version}", self.address)
    }

    /// The requests that passed the check, in order.
    pub fn asked(&self) -> Vec<ModelRequest> {
        self.shared.asked.lock().clone()
    }

    /// What was wrong with the requests that did not.
    pub fn refused(&self) -> Vec<String> {
        self.shared.refused.lock().clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn chat_completions(State(shared): State<Arc<ServerState>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    serve(&shared, Dialect::OpenAi, &headers, &body, openai::check).await
}

async fn messages(State(shared): State<Arc<ServerState>>, headers: HeaderMap, body: Bytes) -> Response<Body> {
    serve(&shared, Dialect::Anthropic, &headers, &body, anthropic::check).await
}

async fn generate_content(
    State(shared): State<Arc<ServerState>>,
    Path(call): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    let check = |body: &Value| match call.strip_suffix(":generateContent") {
        Some(model) => gemini::check(model, body),
        None => Err(format!("path: expected MODEL:generateContent, got `{call}`")),
    };
    serve(&shared, Dialect::Gemini, &headers, &body, check).await
}

async fn serve(
    shared: &ServerState,
    dialect: Dialect,
    headers: &HeaderMap,
    body: &[u8],
    check: impl Fn(&Value) -> strict::Check<ModelRequest>,
) -> Response<Body> {
    let refuse = |code: u16, cause: String| {
        let response = error(dialect, code, &cause, None);
        shared.refused.lock().push(cause);
        response
    };
    if let Err(cause) = authorised(shared, dialect, headers) {
        return refuse(401, cause);
    }
    let checked = content_type(headers)
        .and_then(|()| serde_json::from_slice(body).map_err(|cause| format!("body: no JSON: {cause}")))
        .and_then(|json| check(&json));
    let mut asked = match checked {
        Ok(asked) => asked,
        Err(cause) => return refuse(400, cause),
    };
    asked.job = header(headers, "x-rutter-job").map(str::to_owned);
    asked.step = header(headers, "x-rutter-step").and_then(|step| step.parse().ok());
    shared.asked.lock().push(asked.clone());
    let mut reply = shared.script.reply(&asked);
    while let Reply::Slow(delay, then) = reply {
        tokio::time::sleep(delay).await;
        reply = *then;
    }
    respond(&asked, reply)
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

fn authorised(shared: &ServerState, dialect: Dialect, headers: &HeaderMap) -> strict::Check<()> {
    let (name, given) = match dialect {
        Dialect::OpenAi => {
            ("authorization", header(headers, "authorization").and_then(|value| value.strip_prefix("Bearer ")))
        }
        Dialect::Anthropic => ("x-api-key", header(headers, "x-api-key")),
        Dialect::Gemini => ("x-goog-api-key", header(headers, "x-goog-api-key")),
    };
    let given = given.filter(|key| !key.is_empty()).ok_or_else(|| format!("header {name}: no key"))?;
    if shared.key.as_deref().is_some_and(|key| key != given) {
        return Err(format!("header {name}: incorrect key"));
    }
    if dialect == Dialect::Anthropic && header(headers, "anthropic-version") != Some("2023-06-01") {
        return Err("header anthropic-version: expected 2023-06-01".to_owned());
    }
    Ok(())
}

fn content_type(headers: &HeaderMap) -> strict::Check<()> {
    match header(headers, "content-type") {
        Some(value) if value.split(';').next() == Some("application/json") => Ok(()),
        other => Err(format!("header content-type: expected application/json, got {other:?}")),
    }
}

fn respond(asked: &ModelRequest, reply: Reply) -> Response<Body> {
    let good = |text: &str, end: &str| {
        let body = answer(asked, text, end).to_string();
        response(StatusCode::OK, None, Body::from(body))
    };
    match reply {
        Reply::Json(json) => good(&json.to_string(), "stop"),
        Reply::Text(text) => good(&text, "stop"),
        Reply::CutOff(text) => good(&text, "length"),
        Reply::Refusal(text) => good(&text, "refusal"),
        Reply::Status { code, retry_after } => error(asked.dialect, code, "scripted trouble", retry_after),
        Reply::HalfBody => {
            let body = answer(asked, "{}", "stop").to_string();
            response(StatusCode::OK, None, Body::from(body[..body.len() / 2].to_owned()))
        }
        Reply::Drop => {
            let broken = futures::stream::iter([Ok(Bytes::from_static(b"{")), Err(io::Error::other("scripted drop"))]);
            response(StatusCode::OK, None, Body::from_stream(broken))
        }
        Reply::Slow(_, then) => respond(asked, *then),
    }
}

fn answer(asked: &ModelRequest, text: &str, end: &str) -> Value {
    let (prompt, completion) = (asked.prompt_tokens(), tokens::of(text));
    match asked.dialect {
        Dialect::OpenAi => openai::answer(asked, text, end, prompt, completion),
        Dialect::Anthropic => anthropic::answer(asked, text, end, prompt, completion),
        Dialect::Gemini => gemini::answer(asked, text, end, prompt, completion),
    }
}

fn error(dialect: Dialect, code: u16, message: &str, retry_after: Option<u64>) -> Response<Body> {
    let kind = match code {
        401 => "authentication_error",
        429 => "rate_limit_error",
        500.. => "server_error",
        _ => "invalid_request_error",
    };
    let body = match dialect {
        Dialect::OpenAi => openai::error(message, kind),
        Dialect::Anthropic => anthropic::error(message, kind),
        Dialect::Gemini => gemini::error(message, code),
    };
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response(status, retry_after, Body::from(body.to_string()))
}

fn response(status: StatusCode, retry_after: Option<u64>, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert("content-type", axum::http::HeaderValue::from_static("application/json"));
    if let Some(seconds) = retry_after {
        response.headers_mut().insert("retry-after", seconds.into());
    }
    response
}
