//! Admits calls before their service sees them: compares the token and continues the caller's trace.

use crate::clock::{Clock, SystemClock};
use crate::metrics::{Histogram, Metric, Unit};
use crate::telemetry;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use subtle::ConstantTimeEq;
use tracing::Instrument;

/// The health service is open to all: probes have no token.
const OPEN_TO_ALL: &str = "/grpc.health.v1.Health/";

/// Time until the response of a call begins.
pub const ANSWERED: Metric = Metric {
    name: "rutter_rpc_server",
    unit: Unit::Seconds,
    help: "Time from a call of another process to the beginning of its answer",
    labels: &["method"],
};

/// The required token, and the metric of response times.
#[derive(Debug, Default)]
pub(super) struct Admission {
    pub(super) token: Option<String>,
    pub(super) answered: Option<Histogram>,
    pub(super) clock: SystemClock,
}

impl Admission {
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
pub(super) async fn pass(State(admission): State<Arc<Admission>>, request: Request, next: Next) -> Response {
    let method = request.uri().path().to_owned();
    if !admission.admits(&method, request.headers()) {
        tracing::warn!(method, "refused a call without the token");
        let cause = "call: the bearer token is missing or wrong; set `token` of this client";
        return tonic::Status::unauthenticated(cause).into_http::<axum::body::Body>().into_response();
    }
    let span = tracing::info_span!("call", otel.name = method, otel.kind = "server", rpc.system = "grpc");
    if let Some(parent) = request.headers().get(telemetry::TRACE_PARENT).and_then(|value| value.to_str().ok()) {
        telemetry::set_parent(&span, parent);
    }
    let begun = admission.clock.monotonic();
    let answer = next.run(request).instrument(span).await;
    if let Some(answered) = &admission.answered {
        answered.observe(&[&method], (admission.clock.monotonic() - begun).as_secs_f64());
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(token: Option<&str>, path: &str, shown: Option<&str>) -> bool {
        let admission = Admission { token: token.map(str::to_owned), ..Admission::default() };
        let shown = shown.map(|value| ("authorization".parse().expect("a name"), value.parse().expect("a value")));
        admission.admits(path, &shown.into_iter().collect())
    }

    #[test]
    fn a_call_needs_the_whole_token_where_one_is_set_and_health_needs_none() {
        let path = "/rutter.v1.CampaignService/List";
        assert!(admits(None, path, None));
        assert!(admits(Some("s3cret"), path, Some("Bearer s3cret")));
        for shown in [None, Some("Bearer s3cre"), Some("Bearer s3crets"), Some("s3cret"), Some("Basic s3cret")] {
            assert!(!admits(Some("s3cret"), path, shown), "{shown:?}");
        }
        assert!(admits(Some("s3cret"), "/grpc.health.v1.Health/Check", None));
    }
}
