//! Planners in other processes. Each can answer any request, so one that does not answer is passed over for the next.

use super::{Caller, client};
use crate::convert::decision::request;
use crate::error::required;
use crate::status;
use crate::v1;
use crate::v1::planner_service_client::PlannerServiceClient;
use async_trait::async_trait;
use domain::campaign::PlannerRef;
use domain::service::{Code, PlannerService, ServiceError};
use domain::{Decision, DecisionRequest, Usage};
use moka::future::Cache;
use platform::rpc::Connection;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const DOING: &str = "decide";

/// How soon a planner must say that it is ready.
const SOON: Duration = Duration::from_secs(2);

/// For how long a planner that did not answer is asked whether it is ready before it is asked anything else: one that stands
/// still accepts connections and requests as before.
const DOUBTED_FOR: Duration = Duration::from_secs(60);

/// Requests from this size in bytes on are compressed. They hold a page and all that was done so far, which says much
/// the same again and again.
const COMPRESSED_FROM: usize = 16 * 1024;

/// Calls planners.
pub(super) struct Remote {
    connections: Vec<Connection>,
    /// Of one try.
    deadline: Duration,
    /// The size in bytes from which on requests are compressed; none where the other side may not know how to read that.
    compressed_from: Option<usize>,
    turn: AtomicUsize,
    /// The endpoints that did not answer lately.
    doubted: Cache<String, ()>,
}

impl Remote {
    pub(super) fn new(connections: &[Connection], deadline: Duration) -> Self {
        let doubted = Cache::builder().time_to_live(DOUBTED_FOR).build();
        let (connections, turn) = (connections.to_vec(), AtomicUsize::new(0));
        Self { connections, deadline, compressed_from: Some(COMPRESSED_FROM), turn, doubted }
    }

    /// Sends every request uncompressed.
    pub(super) fn uncompressed(self) -> Self {
        Self { compressed_from: None, ..self }
    }

    /// Every planner there is; a name may stand for several.
    async fn planners(&self) -> Vec<Connection> {
        let mut planners = Vec::new();
        for connection in &self.connections {
            planners.extend(connection.each().await);
        }
        planners
    }

    /// Asks one planner.
    async fn ask(
        &self,
        connection: Connection,
        planner: &PlannerRef,
        asked: &DecisionRequest,
    ) -> Result<Decision, ServiceError> {
        if self.doubted.contains_key(&connection.endpoint) {
            is_there(&connection).await?;
        }
        let caller = Caller(connection);
        let message = request(planner, asked);
        let compressed_from = self.compressed_from.unwrap_or(usize::MAX);
        let (request, compressed) = caller.request_compressed_from(compressed_from, DOING, message, self.deadline)?;
        let answered = client!(PlannerServiceClient, caller, compressed).decide(request).await;
        let v1::DecideResponse { decision } = answered.map_err(|status| caller.failed(DOING, &status))?.into_inner();
        let decision = required(decision, "decide.decision").and_then(TryInto::try_into);
        decision.map_err(|error| caller.unreadable(DOING, &error))
    }
}

/// Whether a planner says that it is ready. One that does not know the question is asked to decide all the same.
async fn is_there(connection: &Connection) -> Result<(), ServiceError> {
    let away = |cause: String| Err(ServiceError::new(Code::Unavailable, cause));
    match connection.is_serving(SOON).await {
        Ok(true) => Ok(()),
        Ok(false) => away(format!("ask the planner at {}: it is not ready", connection.endpoint)),
        Err(status) if status.code() == tonic::Code::Unimplemented => Ok(()),
        Err(status) => away(status::failure("ask the planner", &connection.endpoint, &status).message),
    }
}

/// Whether a planner did not answer, so that the same may be asked of another.
fn did_not_answer(error: &ServiceError) -> bool {
    matches!(error.code, Code::Unavailable | Code::Deadline)
}

fn none_configured() -> ServiceError {
    ServiceError::new(Code::Unavailable, format!("{DOING}: no planner is configured"))
}

#[async_trait]
impl PlannerService for Remote {
    async fn decide(&self, planner: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError> {
        let mut planners = self.planners().await;
        let first = self.turn.fetch_add(1, Ordering::Relaxed) % planners.len().max(1);
        planners.rotate_left(first);
        let (mut spent, mut away) = (Usage::default(), none_configured());
        for connection in planners {
            let endpoint = connection.endpoint.clone();
            match self.ask(connection, planner, &request).await {
                Err(error) if did_not_answer(&error) => {
                    tracing::debug!(endpoint, %error, "a planner did not answer");
                    self.doubted.insert(endpoint, ()).await;
                    spent += error.usage;
                    away = error;
                }
                Ok(mut decision) => {
                    self.doubted.invalidate(&endpoint).await;
                    decision.usage += spent;
                    return Ok(decision);
                }
                Err(mut refused) => {
                    refused.usage += spent;
                    return Err(refused);
                }
            }
        }
        away.usage = spent;
        Err(away)
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        let mut away = none_configured();
        for connection in self.planners().await {
            match is_there(&connection).await {
                Ok(()) => return Ok(()),
                Err(error) => away = error,
            }
        }
        Err(away)
    }
}
