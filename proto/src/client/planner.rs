//! Planners in other processes. Each can answer any request, so one that does not answer is passed over for the next.

mod sending;

use super::Caller;
use crate::convert::decision::request;
use crate::error::required;
use crate::status;
use crate::v1;
use async_trait::async_trait;
use domain::campaign::PlannerRef;
use domain::service::{Code, PlannerService, ServiceError};
use domain::{Decision, DecisionRequest, Usage};
use moka::future::Cache;
use platform::rpc::Connection;
use sending::Outbox;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::timeout;

#[cfg(test)]
pub(crate) use sending::UNSENT;

/// How long one try may take with a planner.
pub type Deadlines = Arc<dyn Fn(&PlannerRef) -> Duration + Send + Sync>;

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
    deadlines: Deadlines,
    /// The size in bytes from which on requests are compressed; none where the other side may not know how to read that.
    compressed_from: Option<usize>,
    turn: AtomicUsize,
    /// The endpoints that did not answer lately.
    doubted: Cache<String, ()>,
    outbox: Outbox,
}

impl Remote {
    pub(super) fn new(connections: &[Connection], deadlines: Deadlines) -> Self {
        let doubted = Cache::builder().time_to_live(DOUBTED_FOR).build();
        let (connections, turn) = (connections.to_vec(), AtomicUsize::new(0));
        let outbox = Outbox::default();
        Self { connections, deadlines, compressed_from: Some(COMPRESSED_FROM), turn, doubted, outbox }
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
        let deadline = (self.deadlines)(planner);
        let late = || ServiceError::new(Code::Deadline, format!("{DOING} at {}: no answer in time", caller.0.endpoint));
        let room = timeout(deadline, self.outbox.room(&caller.0.endpoint)).await.map_err(|_| late())?;
        let room = room.map_err(|status| caller.failed(DOING, &status))?;
        let message = request(planner, asked);
        let compressed_from = self.compressed_from.unwrap_or(usize::MAX);
        let (request, compressed) = caller.request_compressed_from(compressed_from, DOING, message, deadline)?;
        let Connection { transport, max_message_bytes, .. } = &caller.0;
        let answered = sending::send(transport.clone(), *max_message_bytes, compressed, request, room).await;
        let v1::DecideResponse { decision } = answered.map_err(|status| caller.failed(DOING, &status))?;
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
