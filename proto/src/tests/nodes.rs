//! Pages come over as the nodes that are new, and nobody can tell.

use super::messages::page;
use super::scripted::{Mind, Running, serve, serve_routes};
use super::services::{asking, mind};
use crate::client;
use crate::error::Error;
use crate::server::Services;
use crate::status::refuse;
use crate::v1;
use crate::v1::decide_request::Page;
use crate::v1::planner_service_client::PlannerServiceClient;
use crate::v1::planner_service_server::{PlannerService as Served, PlannerServiceServer};
use domain::campaign::PlannerRef;
use domain::service::PlannerService;
use domain::{DecisionRequest, Observation};
use futures::stream::BoxStream;
use platform::rpc::{Connection, MAX_MESSAGE_BYTES, Routes};
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tonic::{Request, Response, Status, Streaming};

/// Stands before a planner, writes down what comes, and can be another planner at the next request.
struct Door {
    planner: Mutex<Option<Connection>>,
    /// Whether the page was whole, and how many nodes came with it.
    came: Mutex<Vec<(bool, usize)>>,
}

#[tonic::async_trait]
impl Served for Door {
    type DecideManyStream = BoxStream<'static, Result<v1::Reply, Status>>;

    async fn decide_many(
        &self,
        _: Request<Streaming<v1::Question>>,
    ) -> Result<Response<Self::DecideManyStream>, Status> {
        Err(Status::unimplemented("an older version"))
    }

    async fn decide(&self, request: Request<v1::DecideRequest>) -> Result<Response<v1::DecideResponse>, Status> {
        let mut message = request.into_inner();
        let (whole, nodes) = match message.page.as_ref().expect("a page") {
            Page::Observation(page) => (true, page.nodes.len()),
            Page::Abridged(page) => (false, page.nodes.len()),
        };
        self.came.lock().unwrap().push((whole, nodes));
        let planner = self.planner.lock().unwrap().clone();
        match planner {
            Some(planner) => PlannerServiceClient::new(planner.transport).decide(message).await,
            // A version that knows of no abridged pages takes them for none, and keeps nothing.
            None if !whole => Err(refuse(Error::Missing("decide.observation"))),
            None => {
                message.nodes = None;
                let decision = v1::Decision {
                    choice: Some(domain::Choice::NeedScreenshot.into()),
                    level: v1::Level::Ground.into(),
                    usage: Some(v1::Usage::default()),
                    memory: crate::convert::decision::memory_bytes(&Value::Null),
                    ..v1::Decision::default()
                };
                let answer = Some(v1::decide_response::Answer::Decision(decision));
                Ok(Response::new(v1::DecideResponse { answer, nodes_kept: false }))
            }
        }
    }
}

struct Behind {
    door: Arc<Door>,
    mind: Arc<Mind>,
    _running: [Running; 2],
    remote: Arc<dyn PlannerService>,
}

async fn planner() -> (Arc<Mind>, Running) {
    let mind = mind(Value::Null, Duration::ZERO);
    let running = serve(Services::new(MAX_MESSAGE_BYTES).planner(mind.clone(), None)).await;
    (mind, running)
}

async fn behind_a_door() -> Behind {
    let (mind, running) = planner().await;
    let door = Arc::new(Door { planner: Mutex::new(Some(running.connection.clone())), came: Mutex::default() });
    let opened = serve_routes(Routes::default().add_service(PlannerServiceServer::from_arc(door.clone()))).await;
    let remote = client::planner(std::slice::from_ref(&opened.connection), Duration::from_secs(20));
    Behind { door, mind, _running: [running, opened], remote }
}

impl Behind {
    async fn ask(&self, page: &Observation) -> DecisionRequest {
        let asked = DecisionRequest { observation: Arc::new(page.clone()), ..asking(Value::Null) };
        self.remote.decide(&PlannerRef::named("ground"), asked.clone()).await.expect("a decision");
        asked
    }

    fn came(&self) -> Vec<(bool, usize)> {
        std::mem::take(&mut *self.door.came.lock().unwrap())
    }
}

/// That what a planner was asked last is this.
fn assert_asked(mind: &Mind, wanted: &DecisionRequest) {
    let asked = mind.asked.lock().unwrap();
    assert_eq!(format!("{:?}", asked.last().expect("it was asked").1), format!("{wanted:?}"));
}

#[tokio::test]
async fn a_page_comes_over_as_what_is_new_of_it() {
    let behind = behind_a_door().await;
    let mut page = page(300);
    let mut asked = behind.ask(&page).await;
    assert_asked(&behind.mind, &asked);
    page.nodes[7].text.push('!');
    page.nodes[250].value = Some("typed".into());
    asked = behind.ask(&page).await;
    assert_asked(&behind.mind, &asked);
    // Others that show the same, elsewhere on the page.
    let moved: Vec<_> = page.nodes.shared().skip(100).chain(page.nodes.shared().take(100)).cloned().collect();
    asked = behind.ask(&Observation { nodes: moved.into(), ..page.clone() }).await;
    assert_asked(&behind.mind, &asked);
    asked = behind.ask(&Observation::default()).await;
    assert_asked(&behind.mind, &asked);
    assert_eq!(behind.came(), [(true, 300), (false, 2), (false, 0), (true, 0)]);
}

#[tokio::test]
async fn a_planner_that_keeps_nothing_any_more_is_sent_the_whole_page() {
    let behind = behind_a_door().await;
    let mut page = page(40);
    behind.ask(&page).await;
    let (another, running) = planner().await;
    *behind.door.planner.lock().unwrap() = Some(running.connection.clone());
    page.nodes[3].text.push('!');
    let asked = behind.ask(&page).await;
    assert_asked(&another, &asked);
    assert_eq!(another.asked.lock().unwrap().len(), 1, "the request reached the planner once");
    behind.ask(&page).await;
    assert_eq!(behind.came(), [(true, 40), (false, 1), (true, 40), (false, 0)]);
}

#[tokio::test]
async fn a_planner_of_an_older_version_is_sent_whole_pages() {
    let behind = behind_a_door().await;
    let page = page(40);
    behind.ask(&page).await;
    *behind.door.planner.lock().unwrap() = None;
    for _ in 0..2 {
        behind.ask(&page).await;
    }
    assert_eq!(behind.came(), [(true, 40), (false, 0), (true, 40), (true, 40)]);
}
