//! What every call passes before its service sees it: the token is compared, and the caller's trace is taken up.

use crate::clock::{Clock, SystemClock};
use crate::metrics::{Histogram, Metric, Unit};
use crate::telemetry;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use subtle::ConstantTimeEq;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// Health is told to everyone: probes have no token.
const OPEN_TO_ALL: &str = "/grpc.health.v1.Health/";

/// How long calls take until their answer begins.
pub const ANSWERED: Metric = Metric {
    name: "rutter_rpc_server",
    unit: Unit::Seconds,
    help: "Time from a call of another process to the beginning of its answer",
    labels: &["method"],
};

/// What callers must show.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) token: Option<String>,
    pub(super) calls: Calls,
}

/// What is measured and traced of calls. Every call carries it among its extensions: one that lasts holds many questions,
/// each of which is to be seen as a call of its own, and has to end when the server does. The default measures nothing, and
/// its server never ends.
#[derive(Clone, Debug, Default)]
pub struct Calls {
    pub(super) answered: Option<Histogram>,
    pub(super) clock: SystemClock,
    pub(super) ending: CancellationToken,
}

impl Calls {
    /// Asks calls that last to take no more questions, and to end when those under way are answered.
    pub fn ending(&self) -> &CancellationToken {
        &self.ending
    }

    /// Answers a call of another process, in its trace.
    pub async fn answer<T>(&self, method: &str, trace_parent: Option<&str>, work: impl Future<Output = T>) -> T {
        let span = tracing::info_span!("call", otel.name = method, otel.kind = "server", rpc.system = "grpc");
        if let Some(parent) = trace_parent {
            telemetry::set_parent(&span, parent);
        }
        let begun = self.clock.monotonic();
        let answer = work.instrument(span).await;
        if let Some(answered) = &self.answered {
            answered.observe(&[method], (self.clock.monotonic() - begun).as_secs_f64());
        }
        answer
    }
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
pub(super) async fn pass(State(guard): State<Arc<Guard>>, mut request: Request, next: Next) -> Response {
    let method = request.uri().path().to_owned();
    if !guard.admits(&method, request.headers()) {
        tracing::warn!(method, "refused a call without the token");
        let cause = "call: the bearer token is missing or wrong; set `token` of this client";
        return tonic::Status::unauthenticated(cause).into_http::<axum::body::Body>().into_response();
    }
    let parent =
        request.headers().get(telemetry::TRACE_PARENT).and_then(|value| value.to_str().ok()).map(str::to_owned);
    request.extensions_mut().insert(guard.calls.clone());
    guard.calls.answer(&method, parent.as_deref(), next.run(request)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(token: Option<&str>, path: &str, shown: Option<&str>) -> bool {
        let guard = Guard { token: token.map(str::to_owned), calls: Calls::default() };
        let shown = shown.map(|value| ("authorization".parse().expect("a name"), value.parse().expect("a value")));
        guard.admits(path, &shown.into_iter().collect())
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
