//! Admits calls before their service sees them: compares the token and continues the caller's trace.

use super::rotation::CurrentTokens;
use crate::clock::{Clock, SystemClock};
use crate::metrics::{Histogram, Metric, Unit};
use crate::telemetry;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
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

tokio::task_local! {
    /// The project whose token the call under way carries; none where it reaches everything.
    static PROJECT: Option<Arc<str>>;
}

/// The project that the call under way is limited to; none where it reaches everything, and for what is no call of another process.
pub fn calling_project() -> Option<Arc<str>> {
    PROJECT.try_with(Clone::clone).ok().flatten()
}

/// The required tokens, and the metric of response times.
#[derive(Debug, Default)]
pub(super) struct Admission {
    pub(super) tokens: Arc<CurrentTokens>,
    pub(super) answered: Option<Histogram>,
    pub(super) clock: SystemClock,
}

impl Admission {
    /// The project that a call is limited to, if it is to one; none where it is refused.
    fn admits(&self, path: &str, headers: &HeaderMap) -> Option<Option<Arc<str>>> {
        if !self.tokens.asks() || path.starts_with(OPEN_TO_ALL) {
            return Some(None);
        }
        let shown = headers.get("authorization").and_then(|value| value.as_bytes().strip_prefix(b"Bearer "))?;
        self.tokens.admits(shown, self.clock.monotonic())
    }
}

/// Passes a call on or refuses it.
pub(super) async fn pass(State(admission): State<Arc<Admission>>, request: Request, next: Next) -> Response {
    let method = request.uri().path().to_owned();
    let Some(project) = admission.admits(&method, request.headers()) else {
        tracing::warn!(method, "refused a call without the token");
        let cause = "call: the bearer token is missing or wrong; set `token` of this client";
        return tonic::Status::unauthenticated(cause).into_http::<axum::body::Body>().into_response();
    };
    let span = tracing::info_span!("call", otel.name = method, otel.kind = "server", rpc.system = "grpc");
    if let Some(parent) = request.headers().get(telemetry::TRACE_PARENT).and_then(|value| value.to_str().ok()) {
        telemetry::set_parent(&span, parent);
    }
    let begun = admission.clock.monotonic();
    let answer = PROJECT.scope(project, next.run(request)).instrument(span).await;
    if let Some(answered) = &admission.answered {
        answered.observe(&[&method], (admission.clock.monotonic() - begun).as_secs_f64());
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::super::options::Tokens;
    use super::*;

    /// Who may call: nobody, or whoever is limited to a project or to nothing.
    fn admits(token: Option<&str>, path: &str, shown: Option<&str>) -> Option<Option<Arc<str>>> {
        let projects = vec![("payments".to_owned(), "pay".to_owned()), ("shop".to_owned(), "sh0p".to_owned())];
        let tokens = CurrentTokens::new(Tokens { whole: token.map(str::to_owned), projects });
        let admission = Admission { tokens: Arc::new(tokens), ..Admission::default() };
        let shown = shown.map(|value| ("authorization".parse().expect("a name"), value.parse().expect("a value")));
        admission.admits(path, &shown.into_iter().collect())
    }

    #[test]
    fn a_call_needs_the_whole_token_where_one_is_set_and_health_needs_none() {
        let path = "/rutter.v1.CampaignService/List";
        assert_eq!(admits(None, path, None), Some(None));
        assert_eq!(admits(Some("s3cret"), path, Some("Bearer s3cret")), Some(None));
        for shown in
            [None, Some("Bearer s3cre"), Some("Bearer s3crets"), Some("s3cret"), Some("Basic s3cret"), Some("Bearer ")]
        {
            assert_eq!(admits(Some("s3cret"), path, shown), None, "{shown:?}");
        }
        assert_eq!(admits(Some("s3cret"), "/grpc.health.v1.Health/Check", None), Some(None));
    }

    #[test]
    fn the_token_of_a_project_limits_a_call_to_it() {
        let path = "/rutter.v1.CampaignService/List";
        assert_eq!(admits(Some("s3cret"), path, Some("Bearer sh0p")), Some(Some("shop".into())));
        assert_eq!(admits(Some("s3cret"), path, Some("Bearer pay")), Some(Some("payments".into())));
        assert_eq!(calling_project(), None, "nobody calls");
    }
}
