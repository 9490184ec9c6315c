//! Questions and answers that services and their callers take apart themselves: what one lacks is said by whoever gets it.

use super::arbitrary::campaign;
use super::scripted::{serve, serve_routes};
use super::services::{asking, example, mind, queue};
use crate::client;
use crate::convert::decision::request as message;
use crate::server::Services;
use crate::v1;
use crate::v1::campaign_service_client::CampaignServiceClient;
use crate::v1::planner_service_client::PlannerServiceClient;
use crate::v1::planner_service_server::{PlannerService as Served, PlannerServiceServer};
use domain::campaign::PlannerRef;
use domain::service::Code;
use platform::rpc::{MAX_MESSAGE_BYTES, Routes};
use serde_json::Value;
use std::time::Duration;
use tonic::{Request, Response, Status};

/// A change that takes something out of a message.
type Without<M> = fn(&mut M);

/// That a refusal is one of a request that cannot be meant, and names what it lacks.
fn assert_names(refused: &Status, field: &str) {
    assert_eq!(refused.code(), tonic::Code::InvalidArgument, "{field}: {refused}");
    assert_eq!(refused.message(), format!("read message: field `{field}` is missing"));
}

#[tokio::test]
async fn what_a_question_to_a_planner_lacks_is_named() {
    let mind = mind(Value::Null, Duration::ZERO);
    let running = serve(Services::new(MAX_MESSAGE_BYTES).planner(mind.clone())).await;
    let mut planner = PlannerServiceClient::new(running.connection.transport.clone());
    let question = message(&PlannerRef::named("ground"), &asking(Value::Null));
    let lacks: [(&str, Without<v1::DecideRequest>); 3] = [
        ("decide.planner", |question| question.planner = None),
        ("decide.memory", |question| question.memory = None),
        ("decide.observation", |question| question.observation = None),
    ];
    for (field, take_out) in lacks {
        let mut lacking = question.clone();
        take_out(&mut lacking);
        assert_names(&planner.decide(lacking).await.unwrap_err(), field);
    }
    assert!(mind.asked.lock().unwrap().is_empty(), "the planner was asked");
    planner.decide(question).await.expect("nothing is missing");
}

#[tokio::test]
async fn what_a_change_of_a_campaign_lacks_is_named_and_changes_nothing() {
    let queue = queue();
    let running = serve(Services::new(MAX_MESSAGE_BYTES).campaigns(queue.clone())).await;
    let mut campaigns = CampaignServiceClient::new(running.connection.transport.clone());
    let refused = campaigns.wish(v1::WishRequest { campaign: "nightly".into(), wish: 0 }).await;
    assert_names(&refused.unwrap_err(), "wish");
    let settling = v1::SettleRequest { campaign: "nightly".into(), jobs: vec!["a".into()], verdict: 0 };
    assert_names(&campaigns.settle(settling).await.unwrap_err(), "settle.verdict");
    let lacking = v1::Campaign { budget: None, ..v1::Campaign::from(&example(campaign())) };
    assert_names(&campaigns.create(lacking).await.unwrap_err(), "campaign.budget");
    let submitted = v1::SubmitRequest { jobs: vec![v1::Job::default()] };
    assert_names(&campaigns.submit(submitted).await.unwrap_err(), "job.work");
    assert!(queue.asked.lock().unwrap().is_empty(), "something reached the service");
}

/// A planner that answers and says nothing.
struct Wordless;

#[tonic::async_trait]
impl Served for Wordless {
    async fn decide(&self, _: Request<v1::DecideRequest>) -> Result<Response<v1::DecideResponse>, Status> {
        Ok(Response::new(v1::DecideResponse::default()))
    }
}

#[tokio::test]
async fn what_an_answer_of_a_planner_lacks_is_named_with_the_planner() {
    let running = serve_routes(Routes::new(PlannerServiceServer::new(Wordless))).await;
    let remote = client::planner(std::slice::from_ref(&running.connection), Duration::from_secs(10));
    let error = remote.decide(&PlannerRef::named("ground"), asking(Value::Null)).await.unwrap_err();
    assert_eq!(error.code, Code::Internal, "{error}");
    for part in ["field `decide.decision` is missing", running.endpoint.as_str()] {
        assert!(error.message.contains(part), "{part}: {error}");
    }
}
