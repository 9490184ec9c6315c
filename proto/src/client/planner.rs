//! Planners in other processes.
//!
//! A memory that a planner said it keeps is referred to by its hash; where the planner has it no more, it is sent again.

use super::{Caller, encoded};
use crate::convert::decision::{memory_bytes, request};
use crate::error::required;
use crate::status;
use crate::v1;
use crate::v1::decide_request::Memory;
use crate::v1::decide_response::Answer;
use async_trait::async_trait;
use domain::campaign::PlannerRef;
use domain::service::{Code, PlannerService, ServiceError};
use domain::{Decision, DecisionRequest};
use moka::future::Cache;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const DOING: &str = "decide";

const METHOD: &str = "/rutter.v1.PlannerService/Decide";

/// How many memories are known to be kept: one for each episode under way, and some.
const KNOWN: u64 = 16_384;

/// How soon a planner must say that it is ready.
const SOON: Duration = Duration::from_secs(2);

/// For how long a memory is believed to be kept; less than the service's own time.
const BELIEVED_FOR: Duration = Duration::from_secs(1800);

/// Calls planners.
pub(super) struct Remote {
    callers: Vec<Caller>,
    deadline: Duration,
    turn: AtomicUsize,
    kept: Cache<blake3::Hash, ()>,
}

impl Remote {
    pub(super) fn new(callers: Vec<Caller>, deadline: Duration) -> Self {
        let kept = Cache::builder().max_capacity(KNOWN).time_to_live(BELIEVED_FOR).build();
        Self { callers, deadline, turn: AtomicUsize::new(0), kept }
    }

    async fn ask(
        &self,
        caller: &Caller,
        planner: &PlannerRef,
        asked: &DecisionRequest,
        memory: &[u8],
    ) -> Result<Decision, ServiceError> {
        let hash = blake3::hash(memory);
        if self.kept.contains_key(&hash) {
            let reference = Memory::MemoryReference(hash.as_bytes().to_vec());
            match self.call(caller, planner, asked, reference).await? {
                Some(decision) => return Ok(decision),
                None => self.kept.invalidate(&hash).await,
            }
        }
        let decided = self.call(caller, planner, asked, Memory::MemoryValue(memory.to_vec())).await?;
        let cause = || format!("{DOING} at {}: asked for a memory that it was sent", caller.0.endpoint);
        decided.ok_or_else(|| ServiceError::new(Code::Internal, cause()))
    }

    /// None when the planner wants the memory itself.
    async fn call(
        &self,
        caller: &Caller,
        planner: &PlannerRef,
        asked: &DecisionRequest,
        memory: Memory,
    ) -> Result<Option<Decision>, ServiceError> {
        let message = request(planner, asked, memory);
        let size = message.len();
        let (request, compressed) = caller.sized(DOING, message, size, self.deadline)?;
        let called = encoded::call::<v1::DecideResponse>(caller, METHOD, request, compressed).await;
        let answer = called.map_err(|status| caller.failed(DOING, &status))?.into_inner();
        let read = |error: crate::Error| caller.unreadable(DOING, &error);
        let decision = match required(answer.answer, "decide.answer").map_err(read)? {
            Answer::MemoryNeeded(_) => return Ok(None),
            Answer::Decision(decision) => decision,
        };
        if decision.memory_kept {
            self.kept.insert(blake3::hash(&decision.memory), ()).await;
        }
        decision.try_into().map(Some).map_err(read)
    }
}

#[async_trait]
impl PlannerService for Remote {
    async fn decide(&self, planner: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError> {
        let memory = memory_bytes(&request.memory);
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        let mut away = none_configured();
        for number in 0..self.callers.len() {
            let caller = &self.callers[first.wrapping_add(number) % self.callers.len()];
            match self.ask(caller, planner, &request, &memory).await {
                Err(error) if error.code == Code::Unavailable && error.usage.calls == 0 => away = error,
                decided => return decided,
            }
        }
        Err(away)
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        let mut away = none_configured();
        for Caller(connection) in &self.callers {
            match connection.is_serving(SOON).await {
                Ok(true) => return Ok(()),
                Ok(false) => away.message = format!("ask the planner at {}: it is not ready", connection.endpoint),
                Err(status) => away.message = status::failure("ask the planner", &connection.endpoint, &status).message,
            }
        }
        Err(away)
    }
}

fn none_configured() -> ServiceError {
    ServiceError::new(Code::Unavailable, format!("{DOING}: no planner is configured"))
}
