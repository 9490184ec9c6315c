//! The Grid over HTTP: sessions of WebDriver, its status, the two questions of its GraphQL that are asked, and what a test does
//! to it (`/simulation/…`).

use super::nature::Dice;
use super::session::Session;
use super::{Figures, GridState, Work, count};
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{delete, get, post};
use axum::serve::ListenerExt as _;
use axum::{Router, body::Body};
use platform::spawn;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use uuid::Uuid;

type Grid = State<Arc<GridState>>;

/// Answers until its task is ended.
pub(super) async fn serve(listener: TcpListener, shared: Arc<GridState>) {
    let router = Router::new()
        .route("/status", get(status))
        .route("/graphql", post(graphql))
        .route("/session", post(start))
        .route("/session/{id}", delete(end))
        .route("/session/{id}/timeouts", post(timeouts))
        .route("/session/{id}/se/bidi", get(socket))
        .route("/simulation/figures", get(figures))
        .route("/simulation/nodes/{node}", delete(kill_node).post(revive_node))
        .fallback(unknown)
        .with_state(shared);
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    if let Err(error) = axum::serve(listener, router).await {
        tracing::warn!(%error, "the simulated Grid ended");
    }
}

/// Starts a session, after waiting for a slot.
async fn start(State(grid): Grid, Json(request): Json<Value>) -> Response {
    let (takes, refuses) = {
        let mut dice = grid.dice.lock();
        (dice.takes(Work::Session), dice.refuses())
    };
    let node = match timeout(grid.options.patience, slot(&grid)).await {
        Ok(node) if !refuses => node,
        waited => {
            if let Ok(node) = waited {
                grid.nodes().leave(node);
                grid.freed.notify_one();
            }
            count(&grid.counted.sessions_refused);
            let message = "Could not start a new session. New session request timed out";
            return error(StatusCode::INTERNAL_SERVER_ERROR, "session not created", message);
        }
    };
    sleep(takes).await;
    let number = count(&grid.counted.sessions_started);
    let id = Uuid::now_v7().simple().to_string();
    let capabilities = capabilities(&request, &id, &grid);
    let dice = Dice::new(grid.options.nature, grid.options.seed, number);
    let session = Session::new(id.clone(), node, capabilities.clone(), dice);
    grid.sessions().insert(id.clone(), Arc::new(session));
    Json(json!({"value": {"sessionId": id, "capabilities": capabilities}})).into_response()
}

/// A node with a free slot, which is taken.
async fn slot(grid: &GridState) -> u32 {
    grid.waiting.fetch_add(1, Ordering::Relaxed);
    let _waits = Waits(grid);
    loop {
        let freed = grid.freed.notified();
        if let Some(node) = grid.nodes().take() {
            return node;
        }
        freed.await;
    }
}

/// Counted as waiting for as long as it lives.
struct Waits<'g>(&'g GridState);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What was asked for, and what a browser says of itself.
fn capabilities(request: &Value, id: &str, grid: &GridState) -> Value {
    let asked = &request["capabilities"];
    let mut found = json!({});
    let all = [&asked["alwaysMatch"], &asked["firstMatch"][0]];
    for (name, value) in all.into_iter().filter_map(Value::as_object).flatten() {
        if name != "goog:chromeOptions" {
            found[name] = value.clone();
        }
    }
    let wants_socket = found["webSocketUrl"] == true;
    found["browserName"] = "chrome".into();
    found["browserVersion"] = "156.0.0.0".into();
    found["chrome"] = json!({"chromedriverVersion": "156.0.0.0 (simulated)"});
    found["platformName"] = "linux".into();
    if wants_socket {
        found["webSocketUrl"] = format!("ws://{}/session/{id}/se/bidi", grid.address).into();
    }
    found
}

async fn end(State(grid): Grid, Path(id): Path<String>) -> Response {
    if grid.end(&id) { Json(json!({"value": null})).into_response() } else { no_session(&id) }
}

/// Clients set time limits at the start; nothing here takes that long.
async fn timeouts(State(grid): Grid, Path(id): Path<String>) -> Response {
    if grid.session(&id).is_some() { Json(json!({"value": null})).into_response() } else { no_session(&id) }
}

/// The session's BiDi socket.
async fn socket(State(grid): Grid, Path(id): Path<String>, request: Request) -> Response {
    let Some(session) = grid.session(&id) else { return no_session(&id) };
    let Some(key) = request.headers().get(header::SEC_WEBSOCKET_KEY) else {
        return error(StatusCode::BAD_REQUEST, "invalid argument", "this address takes WebSockets only");
    };
    let accept = derive_accept_key(key.as_bytes());
    spawn::detached("session", session.drive(grid, request));
    Response::builder()
        .status(StatusCode::SWITCHING_PROTOCOLS)
        .header(header::CONNECTION, "Upgrade")
        .header(header::UPGRADE, "websocket")
        .header(header::SEC_WEBSOCKET_ACCEPT, accept)
        .body(Body::empty())
        .unwrap_or_default()
}

async fn status(State(grid): Grid) -> Json<Value> {
    let nodes = grid.nodes().clone();
    let described = nodes.iter().filter(|(_, node)| node.is_up).map(|(number, node)| {
        json!({"id": format!("node-{number}"), "uri": format!("http://{}", grid.address), "availability": "UP",
            "maxSessions": nodes.slots(), "sessionCount": node.taken})
    });
    let ready = nodes.capacity() > 0;
    let message = if ready { "Selenium Grid ready." } else { "Selenium Grid not ready." };
    Json(json!({"value": {"ready": ready, "message": message, "nodes": described.collect::<Vec<_>>()}}))
}

async fn graphql(State(grid): Grid, Json(request): Json<Value>) -> Json<Value> {
    let query = request["query"].as_str().unwrap_or_default();
    let mut data = json!({});
    if query.contains("sessionsInfo") {
        let sessions = grid.sessions();
        let listed = sessions.values().map(|session| {
            json!({"id": session.id, "nodeId": format!("node-{}", session.node),
                "capabilities": session.capabilities.to_string()})
        });
        data["sessionsInfo"] = json!({"sessions": listed.collect::<Vec<_>>()});
    }
    if query.contains("maxSession") {
        let sessions = grid.sessions().len();
        let waiting = grid.waiting.load(Ordering::Relaxed);
        let capacity = grid.nodes().capacity();
        data["grid"] = json!({"maxSession": capacity, "sessionCount": sessions, "sessionQueueSize": waiting});
    }
    Json(json!({"data": data}))
}

async fn figures(State(grid): Grid) -> Json<Figures> {
    Json(grid.figures())
}

async fn kill_node(State(grid): Grid, Path(node): Path<u32>) -> Json<Value> {
    Json(json!({"lost": grid.kill_node(node)}))
}

async fn revive_node(State(grid): Grid, Path(node): Path<u32>) -> Json<Value> {
    grid.nodes().revive(node);
    grid.freed.notify_waiters();
    Json(json!({}))
}

async fn unknown(request: Request) -> Response {
    let message = format!("a simulated Grid does not know {} {}", request.method(), request.uri().path());
    error(StatusCode::NOT_FOUND, "unknown command", &message)
}

fn no_session(id: &str) -> Response {
    error(StatusCode::NOT_FOUND, "invalid session id", &format!("there is no session `{id}`"))
}

fn error(status: StatusCode, error: &str, message: &str) -> Response {
    (status, Json(json!({"value": {"error": error, "message": message, "stacktrace": ""}}))).into_response()
}
