//! What every call passes before its service sees it: the token is compared, and the caller's trace is taken up.

use crate::telemetry;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use subtle::ConstantTimeEq;
use tracing::Instrument;

/// Health is told to everyone: probes have no token.
const OPEN_TO_ALL: &str = "/grpc.health.v1.Health/";

/// What callers must show.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) token: Option<String>,
}

impl Guard {
    fn admits(&self, path: &str, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        if path.starts_with(OPEN_TO_ALL) {
            return true;
        }
        let shown = headers.get("authorization").and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
        shown.is_some_and(|shown| shown.ct_eq(token.as_bytes()).into())
    }
}

/// Passes a call on or refuses it.
pub(super) async fn pass(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if !guard.admits(path, request.headers()) {
        tracing::warn!(method = path, "refused a call without the token");
        let cause = "call: the bearer token is missing or wrong; set `token` of this client";
        return tonic::Status::unauthenticated(cause).into_http::<axum::body::Body>().into_response();
    }
    let span = tracing::info_span!("call", otel.name = path, otel.kind = "server", rpc.system = "grpc");
    if let Some(parent) = request.headers().get(telemetry::TRACE_PARENT).and_then(|value| value.to_str().ok()) {
        telemetry::set_parent(&span, parent);
    }
    next.run(request).instrument(span).await
}
