//! Planners in other processes.
//!
//! A memory that a planner said it keeps is referred to by its hash, nodes of a page by their numbers, and of what was done
//! only the newest is told; where the planner has the rest no more, it is sent again.

use super::conversation::{Conversation, ENVELOPE, overdue};
use super::kept::Kept;
use super::{Caller, encoded};
use crate::convert::decision::{Telling, memory_bytes, request};
use crate::error::required;
use crate::server::COMPRESSED_FROM;
use crate::status;
use crate::v1;
use crate::v1::decide_request::Memory;
use crate::v1::decide_response::Answer;
use async_trait::async_trait;
use domain::campaign::PlannerRef;
use domain::service::{Code, PlannerService, ServiceError};
use domain::{Decision, DecisionRequest, SharedNode};
use moka::future::Cache;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tonic::{Response, Status};
use uuid::Uuid;

const DOING: &str = "decide";

const METHOD: &str = "/rutter.v1.PlannerService/Decide";

/// How many memories are known to be kept: one for each episode under way, and some.
const KNOWN: u64 = 16_384;

/// How soon a planner must say that it is ready.
const SOON: Duration = Duration::from_secs(2);

/// For how long a memory is believed to be kept; less than the service's own time.
const BELIEVED_FOR: Duration = Duration::from_secs(1800);

/// A question is asked once more for each of what it may refer to: memory, nodes and steps.
const ATTEMPTS: usize = 4;

/// Calls planners.
pub(super) struct Remote {
    callees: Vec<Callee>,
    deadline: Duration,
    turn: AtomicUsize,
    /// What nodes are numbered under: by chance, so that no other process has the same.
    source: u64,
    memories: Cache<blake3::Hash, ()>,
}

/// One of the planners.
struct Callee {
    caller: Caller,
    conversation: Conversation,
    kept: Kept,
}

impl Callee {
    /// The answer to an encoded question. It has a call of its own when it is large, which would keep others waiting, and
    /// when the call that lasts has ended, as it does where an older version answers or somebody's message was too large.
    async fn answer(
        &self,
        message: Vec<u8>,
        deadline: Duration,
    ) -> Result<Result<v1::DecideResponse, Status>, ServiceError> {
        let (caller, size) = (&self.caller, message.len());
        let mut time = pin!(tokio::time::sleep(deadline));
        if size < COMPRESSED_FROM.min(caller.0.max_message_bytes.saturating_sub(ENVELOPE))
            && let Some(answer) = self.conversation.ask(caller, &message, time.as_mut()).await
        {
            return Ok(answer);
        }
        let (request, compressed) = caller.sized(DOING, message, size, deadline)?;
        let call = encoded::call::<v1::DecideResponse>(caller, METHOD, request, compressed);
        Ok(tokio::select! {
            answer = call => answer.map(Response::into_inner),
            () = time => Err(overdue()),
        })
    }
}

/// What a planner keeps of a question.
struct Keeps {
    nodes: bool,
    history: bool,
}

impl Remote {
    pub(super) fn new(callers: Vec<Caller>, deadline: Duration) -> Self {
        let callee = |caller| Callee { caller, conversation: Conversation::default(), kept: Kept::default() };
        let callees = callers.into_iter().map(callee).collect();
        let memories = Cache::builder().max_capacity(KNOWN).time_to_live(BELIEVED_FOR).build();
        Self { callees, deadline, turn: AtomicUsize::new(0), source: Uuid::now_v7().as_u64_pair().1, memories }
    }

    async fn ask(
        &self,
        callee: &Callee,
        planner: &PlannerRef,
        asked: &DecisionRequest,
        memory: &[u8],
    ) -> Result<Decision, ServiceError> {
        let hash = blake3::hash(memory);
        let numbers: Vec<u64> = asked.observation.nodes.shared().map(SharedNode::number).collect();
        let (mut refer, mut abridge, mut go_on) = (self.memories.contains_key(&hash), true, true);
        for _ in 0..ATTEMPTS {
            let remembered = match refer {
                true => Memory::MemoryReference(hash.as_bytes().to_vec()),
                false => Memory::MemoryValue(memory.to_vec()),
            };
            let sent = callee.kept.missing(&numbers).filter(|_| abridge);
            let steps_kept = if go_on { callee.kept.steps(asked) } else { 0 };
            let told = Telling { source: self.source, numbers: &numbers, sent: sent.as_deref() };
            let answered = self.call(callee, request(planner, asked, remembered, told, steps_kept)).await;
            match answered {
                Ok((Answer::Decision(decision), keeps)) => {
                    if keeps.nodes {
                        callee.kept.keeps_nodes(told);
                    }
                    if keeps.history {
                        callee.kept.keeps_steps(asked);
                    }
                    return self.read(callee, decision).await;
                }
                Ok((Answer::MemoryNeeded(_), _)) if refer => {
                    self.memories.invalidate(&hash).await;
                    refer = false;
                }
                Ok((Answer::NodesNeeded(_), _)) if sent.is_some() => abridge = false,
                Ok((Answer::HistoryNeeded(_), _)) if steps_kept > 0 => go_on = false,
                Ok(_) => break,
                // What an older version answers, which has taken the place of one that keeps them.
                Err(error) if error.code == Code::Invalid && (sent.is_some() || steps_kept > 0) => {
                    callee.kept.clear();
                    (abridge, go_on) = (false, false);
                }
                Err(error) => return Err(error),
            }
        }
        let cause = format!("{DOING} at {}: asked for what it was sent", callee.caller.0.endpoint);
        Err(ServiceError::new(Code::Internal, cause))
    }

    /// The answer, and what is kept of the question.
    async fn call(&self, callee: &Callee, message: Vec<u8>) -> Result<(Answer, Keeps), ServiceError> {
        let caller = &callee.caller;
        let answered = callee.answer(message, self.deadline).await?;
        let answered = answered.map_err(|status| caller.failed(DOING, &status))?;
        let v1::DecideResponse { answer, nodes_kept: nodes, history_kept: history } = answered;
        let answer = required(answer, "decide.answer").map_err(|error| caller.unreadable(DOING, &error))?;
        Ok((answer, Keeps { nodes, history }))
    }

    async fn read(&self, callee: &Callee, decision: v1::Decision) -> Result<Decision, ServiceError> {
        if decision.memory_kept {
            self.memories.insert(blake3::hash(&decision.memory), ()).await;
        }
        decision.try_into().map_err(|error| callee.caller.unreadable(DOING, &error))
    }
}

#[async_trait]
impl PlannerService for Remote {
    async fn decide(&self, planner: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError> {
        let memory = memory_bytes(&request.memory);
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        let mut away = none_configured();
        for number in 0..self.callees.len() {
            let callee = &self.callees[first.wrapping_add(number) % self.callees.len()];
            match self.ask(callee, planner, &request, &memory).await {
                Err(error) if error.code == Code::Unavailable && error.usage.calls == 0 => away = error,
                decided => return decided,
            }
        }
        Err(away)
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        let mut away = none_configured();
        for Callee { caller: Caller(connection), .. } in &self.callees {
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
