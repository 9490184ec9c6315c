//! Questions and answers that services and their callers take apart themselves: what one lacks is said by whoever gets it.

use super::arbitrary::campaign;
use super::scripted::{serve, serve_routes};
use super::services::{asking, example, mind, queue};
use crate::client;
use crate::convert::decision::{Telling, memory_bytes, request as encoded};
use crate::server::Services;
use crate::v1;
use crate::v1::campaign_service_client::CampaignServiceClient;
use crate::v1::decide_request::Memory;
use crate::v1::planner_service_client::PlannerServiceClient;
use crate::v1::planner_service_server::{PlannerService as Served, PlannerServiceServer};
use domain::SharedNode;
use domain::campaign::PlannerRef;
use domain::service::Code;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use platform::rpc::{MAX_MESSAGE_BYTES, Routes};
use prost::Message as _;
use serde_json::Value;
use std::time::Duration;
use tonic::{Request, Response, Status, Streaming};

/// A question to a planner, whole or with the nodes left out that are kept.
fn question(is_abridged: bool) -> v1::DecideRequest {
    let asked = asking(Value::Null);
    let numbers: Vec<u64> = asked.observation.nodes.shared().map(SharedNode::number).collect();
    let told = Telling { source: 7, numbers: &numbers, sent: is_abridged.then_some(&[]) };
    let memory = Memory::MemoryValue(memory_bytes(&asked.memory));
    let bytes = encoded(&PlannerRef::named("ground"), &asked, memory, told, 0);
    v1::DecideRequest::decode(bytes.as_slice()).unwrap()
}

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
    let running = serve(Services::new(MAX_MESSAGE_BYTES).planner(mind.clone(), None)).await;
    let mut planner = PlannerServiceClient::new(running.connection.transport.clone());
    let lacks: [(&str, bool, Without<v1::DecideRequest>); 4] = [
        ("decide.planner", false, |question| question.planner = None),
        ("decide.memory", false, |question| question.memory = None),
        ("decide.observation", false, |question| question.page = None),
        ("decide.nodes", true, |question| question.nodes = None),
    ];
    for (field, is_abridged, take_out) in lacks {
        let mut lacking = question(is_abridged);
        take_out(&mut lacking);
        assert_names(&planner.decide(lacking).await.unwrap_err(), field);
    }
    assert!(mind.asked.lock().unwrap().is_empty(), "the planner was asked");
    planner.decide(question(false)).await.expect("nothing is missing");
}

#[tokio::test]
async fn a_question_without_words_is_refused_and_the_next_one_answered() {
    let mind = mind(Value::Null, Duration::ZERO);
    let running = serve(Services::new(MAX_MESSAGE_BYTES).planner(mind, None)).await;
    let mut planner = PlannerServiceClient::new(running.connection.transport.clone());
    let ask = v1::question::Is::Ask(question(false));
    let questions = [(1, None), (2, Some(ask))].map(|(number, is)| v1::Question { number, is, ..Default::default() });
    let replies = planner.decide_many(futures::stream::iter(questions)).await.unwrap().into_inner();
    let mut replies: Vec<v1::Reply> = replies.map(Result::unwrap).collect().await;
    replies.sort_by_key(|reply| reply.number);
    let [first, second] = replies.try_into().unwrap();
    let Some(v1::reply::Is::Refused(refusal)) = first.is else { panic!("it was not refused: {first:?}") };
    assert_names(&refusal.into(), "question.is");
    assert!(matches!(second.is, Some(v1::reply::Is::Answer(_))), "{second:?}");
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

/// A planner that answers and says nothing: in the call that lasts, or in calls of their own.
struct Wordless {
    talks: bool,
}

#[tonic::async_trait]
impl Served for Wordless {
    type DecideManyStream = BoxStream<'static, Result<v1::Reply, Status>>;

    async fn decide_many(
        &self,
        questions: Request<Streaming<v1::Question>>,
    ) -> Result<Response<Self::DecideManyStream>, Status> {
        if !self.talks {
            return Err(Status::unimplemented("an older version"));
        }
        let reply = |question: v1::Question| v1::Reply { number: question.number, is: None };
        let replies = questions.into_inner().map(move |question| question.map(reply));
        Ok(Response::new(replies.boxed()))
    }

    async fn decide(&self, _: Request<v1::DecideRequest>) -> Result<Response<v1::DecideResponse>, Status> {
        Ok(Response::new(v1::DecideResponse::default()))
    }
}

#[tokio::test]
async fn what_an_answer_of_a_planner_lacks_is_named_with_the_planner() {
    for (talks, field) in [(true, "reply.is"), (false, "decide.answer")] {
        let running = serve_routes(Routes::new(PlannerServiceServer::new(Wordless { talks }))).await;
        let remote = client::planner(std::slice::from_ref(&running.connection), Duration::from_secs(10));
        let error = remote.decide(&PlannerRef::named("ground"), asking(Value::Null)).await.unwrap_err();
        assert_eq!(error.code, Code::Internal, "{error}");
        for part in [format!("field `{field}` is missing"), running.endpoint.clone()] {
            assert!(error.message.contains(&part), "{part}: {error}");
        }
    }
}
