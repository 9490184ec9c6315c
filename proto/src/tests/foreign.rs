//! A planner that somebody wrote with the gRPC library of another language, which knows no zstd and says no more than it must.

use super::scripted::serve_routes;
use super::services::asking;
use crate::client;
use crate::v1;
use crate::v1::choice::Is;
use crate::v1::planner_service_server::{PlannerService as Served, PlannerServiceServer};
use domain::campaign::PlannerRef;
use domain::service::Code;
use domain::{Choice, DecisionRequest, Usage};
use platform::rpc::Routes;
use serde_json::{Value, json};
use std::time::Duration;
use tonic::{Request, Response, Status};

const SOON: Duration = Duration::from_secs(10);

/// Sets neither cost nor memory.
struct Terse;

#[tonic::async_trait]
impl Served for Terse {
    async fn decide(&self, _: Request<v1::DecideRequest>) -> Result<Response<v1::DecideResponse>, Status> {
        let choice = Some(v1::Choice { is: Some(Is::Invalid("nothing to click".into())) });
        let decision = v1::Decision { choice, level: v1::Level::Reason.into(), ..v1::Decision::default() };
        Ok(Response::new(v1::DecideResponse { decision: Some(decision) }))
    }
}

/// A request far above the size from which on our own planners are sent compressed ones.
fn large() -> DecisionRequest {
    asking(json!("x".repeat(200_000)))
}

#[tokio::test]
async fn it_is_sent_no_compressed_request_and_may_leave_out_what_it_has_nothing_to_say_of() {
    let running = serve_routes(Routes::new(PlannerServiceServer::new(Terse))).await;
    let decision =
        client::foreign_planner(&running.connection, SOON).decide(&PlannerRef::named("terse"), large()).await;
    let decision = decision.expect("it reads the request");
    assert_eq!((decision.usage, decision.memory), (Usage::default(), Value::Null));
    assert!(matches!(decision.choice, Choice::Invalid { .. }), "{:?}", decision.choice);
    let ours = client::planner(std::slice::from_ref(&running.connection), SOON);
    let error = ours.decide(&PlannerRef::named("terse"), large()).await.expect_err("zstd is not understood");
    assert_ne!(error.code, Code::Unavailable, "{error}");
}
