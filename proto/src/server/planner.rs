//! Planners as gRPC. What an episode remembers is kept for its next request, so that it need not travel each time; where
//! it is not there any more, it is asked for. So are the nodes of pages and what was done in the episode.

use super::histories::KeptHistories;
use super::nodes::KeptNodes;
use super::{answer, conversation};
use crate::convert::decision::{self, Restored};
use crate::convert::{self, NOTHING};
use crate::error::{Error, required};
use crate::status::refuse;
use crate::v1::decide_request::{Memory, Page};
use crate::v1::decide_response::Answer;
use crate::v1::{self, NodeNumbers};
use domain::service::PlannerService;
use domain::storage::shared::Cache;
use domain::{Action, Choice, EpisodeId, Observation, Step};
use futures::StreamExt;
use futures::stream::BoxStream;
use platform::rpc::Calls;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Request, Response, Status, Streaming};

/// Memories from this size in bytes on are kept.
const KEPT_FROM: usize = 1024;

/// How long a memory is kept: longer than a step takes.
const KEPT_FOR: Duration = Duration::from_secs(3600);

/// Hands calls to the service.
pub(super) struct Adapter(pub(super) Arc<Answering>);

/// Answers questions to planners.
pub(super) struct Answering {
    service: Arc<dyn PlannerService>,
    memories: Option<Arc<dyn Cache>>,
    nodes: KeptNodes,
    histories: KeptHistories,
    pub(super) limit: usize,
}

#[tonic::async_trait]
impl v1::planner_service_server::PlannerService for Adapter {
    async fn decide(&self, request: Request<v1::DecideRequest>) -> Result<Response<v1::DecideResponse>, Status> {
        answer(self.0.answer(request.into_inner()).await?, self.0.limit)
    }

    type DecideManyStream = BoxStream<'static, Result<v1::Reply, Status>>;

    async fn decide_many(
        &self,
        request: Request<Streaming<v1::Question>>,
    ) -> Result<Response<Self::DecideManyStream>, Status> {
        let calls = request.extensions().get::<Calls>().cloned().unwrap_or_default();
        let replies = conversation::replies(Arc::clone(&self.0), calls, request.into_inner());
        Ok(Response::new(replies.boxed()))
    }
}

impl Answering {
    pub(super) fn new(service: Arc<dyn PlannerService>, memories: Option<Arc<dyn Cache>>, limit: usize) -> Self {
        Self { service, memories, nodes: KeptNodes::default(), histories: KeptHistories::default(), limit }
    }

    /// The answer to one question; it may be too large to be sent.
    pub(super) async fn answer(&self, mut message: v1::DecideRequest) -> Result<v1::DecideResponse, Status> {
        let bytes = match required(message.memory.take(), "decide.memory").map_err(refuse)? {
            Memory::MemoryValue(bytes) => bytes,
            Memory::MemoryReference(reference) => match self.recall(&reference).await {
                Some(bytes) => bytes,
                None => return Ok(needed(Answer::MemoryNeeded(NOTHING))),
            },
        };
        let memory = decision::memory(&bytes, "decide.memory_value").map_err(refuse)?;
        let nodes = message.nodes.take();
        let page = required(message.page.take(), "decide.observation").map_err(refuse)?;
        let Some(observation) = self.whole(page, nodes.as_ref()).map_err(refuse)? else {
            return Ok(needed(Answer::NodesNeeded(NOTHING)));
        };
        let Some((episode, history)) = self.past(&mut message).map_err(refuse)? else {
            return Ok(needed(Answer::HistoryNeeded(NOTHING)));
        };
        let restored = Restored { episode, history, observation, memory };
        let (planner, request) = decision::asked(message, restored).map_err(refuse)?;
        let decision = self.service.decide(&planner, request).await.map_err(refuse)?;
        if matches!(decision.choice, Choice::Act(Action::Stop { .. }) | Choice::Drifted { .. }) {
            self.histories.forget(&episode);
        }
        let memory = decision::memory_bytes(&decision.memory);
        let kept = self.keep(&memory).await;
        let answer = Some(Answer::Decision(decision::decided(decision, memory, kept)));
        let history_kept = self.histories.keeps(&episode);
        Ok(v1::DecideResponse { answer, nodes_kept: nodes.is_some(), history_kept })
    }

    /// The episode and all that was done in it; none when that must be sent again.
    fn past(&self, message: &mut v1::DecideRequest) -> Result<Option<Past>, Error> {
        let (episode, first) = match message.continued.take() {
            None => (convert::episode(&message.episode, "decide.episode")?, 0),
            Some(of) => (convert::episode(&of.episode, "decide.continued.episode")?, of.steps as usize),
        };
        let history = self.histories.restore(episode, first, std::mem::take(&mut message.history))?;
        Ok(history.map(|history| (episode, history)))
    }

    /// The page with all of its nodes; none when they must be sent again.
    fn whole(&self, page: Page, told: Option<&NodeNumbers>) -> Result<Option<Observation>, Error> {
        match page {
            Page::Observation(message) => {
                let seen = Observation::try_from(message)?;
                told.map_or(Ok(()), |told| self.nodes.keep(told, &seen.nodes))?;
                Ok(Some(seen))
            }
            Page::Abridged(message) => {
                let mut seen = Observation::try_from(message)?;
                let told = told.ok_or(Error::Missing("decide.nodes"))?;
                let nodes = self.nodes.restore(told, &seen.nodes)?;
                Ok(nodes.map(|nodes| {
                    seen.nodes = nodes;
                    seen
                }))
            }
        }
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

/// An episode and what was done in it.
type Past = (EpisodeId, Arc<Vec<Step>>);

/// What must be sent again.
fn needed(answer: Answer) -> v1::DecideResponse {
    v1::DecideResponse { answer: Some(answer), ..v1::DecideResponse::default() }
}

fn key(hash: &blake3::Hash) -> String {
    format!("memory/{}", hash.to_hex())
}
