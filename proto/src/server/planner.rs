//! Planners as gRPC. What an episode remembers is kept for its next request, so that it need not travel each time; where
//! it is not there any more, it is asked for.

use super::answer;
use crate::convert::{NOTHING, decision};
use crate::error::required;
use crate::status::refuse;
use crate::v1::{self, decide_request::Memory, decide_response};
use domain::service::PlannerService;
use domain::storage::shared::Cache;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Request, Response, Status};

/// Memories from this size in bytes on are kept.
const KEPT_FROM: usize = 1024;

/// How long a memory is kept: longer than a step takes.
const KEPT_FOR: Duration = Duration::from_secs(3600);

/// Hands calls to the service.
pub(super) struct Adapter {
    pub(super) service: Arc<dyn PlannerService>,
    pub(super) memories: Option<Arc<dyn Cache>>,
    pub(super) limit: usize,
}

#[tonic::async_trait]
impl v1::planner_service_server::PlannerService for Adapter {
    async fn decide(&self, request: Request<v1::DecideRequest>) -> Result<Response<v1::DecideResponse>, Status> {
        let mut message = request.into_inner();
        let bytes = match required(message.memory.take(), "decide.memory").map_err(refuse)? {
            Memory::MemoryValue(bytes) => bytes,
            Memory::MemoryReference(reference) => match self.recall(&reference).await {
                Some(bytes) => bytes,
                None => return self.respond(decide_response::Answer::MemoryNeeded(NOTHING)),
            },
        };
        let memory = decision::memory(&bytes, "decide.memory_value").map_err(refuse)?;
        let (planner, request) = decision::asked(message, memory).map_err(refuse)?;
        let decision = self.service.decide(&planner, request).await.map_err(refuse)?;
        let memory = decision::memory_bytes(&decision.memory);
        let kept = self.keep(&memory).await;
        self.respond(decide_response::Answer::Decision(decision::decided(decision, memory, kept)))
    }
}

impl Adapter {
    fn respond(&self, with: decide_response::Answer) -> Result<Response<v1::DecideResponse>, Status> {
        answer(v1::DecideResponse { answer: Some(with) }, self.limit)
    }

    async fn recall(&self, reference: &[u8]) -> Option<Vec<u8>> {
        let hash = blake3::Hash::from_slice(reference).ok()?;
        let found = self.memories.as_ref()?.get(&key(&hash)).await;
        let bytes = found.inspect_err(|error| tracing::warn!(%error, "recall an episode's memory")).ok()??;
        (blake3::hash(&bytes) == hash).then_some(bytes)
    }

    async fn keep(&self, memory: &[u8]) -> bool {
        let Some(memories) = self.memories.as_ref().filter(|_| memory.len() >= KEPT_FROM) else { return false };
        let kept = memories.put(&key(&blake3::hash(memory)), memory, KEPT_FOR).await;
        kept.inspect_err(|error| tracing::warn!(%error, "keep an episode's memory")).is_ok()
    }
}

fn key(hash: &blake3::Hash) -> String {
    format!("memory/{}", hash.to_hex())
}
