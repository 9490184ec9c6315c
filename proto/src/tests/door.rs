//! A door before a planner, through which a test sees what comes.

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
use domain::DecisionRequest;
use domain::campaign::PlannerRef;
use domain::service::PlannerService;
use futures::stream::BoxStream;
use platform::rpc::{Connection, MAX_MESSAGE_BYTES, Routes};
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tonic::{Request, Response, Status, Streaming};

/// Stands before a planner, writes down what comes, and can be another planner at the next request.
struct Door {
    planner: Mutex<Option<Connection>>,
    came: Mutex<Vec<v1::DecideRequest>>,
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
        let message = request.into_inner();
        self.came.lock().unwrap().push(message.clone());
        let planner = self.planner.lock().unwrap().clone();
        match planner {
            Some(planner) => PlannerServiceClient::new(planner.transport).decide(message).await,
            // A version that knows of no abridged pages takes them for none, and so with episodes; it keeps nothing.
            None if message.episode.is_empty() => Err(refuse(Error::Missing("decide.episode"))),
            None if matches!(message.page, Some(Page::Abridged(_))) => {
                Err(refuse(Error::Missing("decide.observation")))
            }
            None => {
                let decision = v1::Decision {
                    choice: Some(domain::Choice::NeedScreenshot.into()),
                    level: v1::Level::Ground.into(),
                    usage: Some(v1::Usage::default()),
                    memory: crate::convert::decision::memory_bytes(&Value::Null),
                    ..v1::Decision::default()
                };
                let answer = Some(v1::decide_response::Answer::Decision(decision));
                Ok(Response::new(v1::DecideResponse { answer, ..v1::DecideResponse::default() }))
            }
        }
    }
}

/// A planner, and who asks it through a door.
pub(super) struct Behind {
    door: Arc<Door>,
    pub(super) mind: Arc<Mind>,
    _running: [Running; 2],
    remote: Arc<dyn PlannerService>,
}

pub(super) async fn planner() -> (Arc<Mind>, Running) {
    let mind = mind(Value::Null, Duration::ZERO);
    let running = serve(Services::new(MAX_MESSAGE_BYTES).planner(mind.clone(), None)).await;
    (mind, running)
}

pub(super) async fn behind_a_door() -> Behind {
    let (mind, running) = planner().await;
    let door = Arc::new(Door { planner: Mutex::new(Some(running.connection.clone())), came: Mutex::default() });
    let opened = serve_routes(Routes::default().add_service(PlannerServiceServer::from_arc(door.clone()))).await;
    let remote = client::planner(std::slice::from_ref(&opened.connection), Duration::from_secs(20));
    Behind { door, mind, _running: [running, opened], remote }
}

impl Behind {
    /// Asks, with an example's words where the test has none of its own.
    pub(super) async fn ask(&self, change: impl FnOnce(&mut DecisionRequest)) -> DecisionRequest {
        let mut asked = asking(Value::Null);
        change(&mut asked);
        self.remote.decide(&PlannerRef::named("ground"), asked.clone()).await.expect("a decision");
        asked
    }

    /// From now on another planner is behind the door; none: one of an older version.
    pub(super) fn change(&self, planner: Option<&Running>) {
        *self.door.planner.lock().unwrap() = planner.map(|running| running.connection.clone());
    }

    /// What came since this was called last.
    pub(super) fn came(&self) -> Vec<v1::DecideRequest> {
        std::mem::take(&mut *self.door.came.lock().unwrap())
    }
}

/// That what a planner was asked last is this.
pub(super) fn assert_asked(mind: &Mind, wanted: &DecisionRequest) {
    let asked = mind.asked.lock().unwrap();
    assert_eq!(format!("{:?}", asked.last().expect("it was asked").1), format!("{wanted:?}"));
}
