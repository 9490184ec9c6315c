//! Steps that callers need not send again: a question tells all that was done in an episode, and of that only the last is
//! newer than the question before.

use crate::error::Error;
use crate::v1;
use domain::{EpisodeId, Step};
use prost::Message;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// Bytes that all kept steps may hold, about.
const KEPT_BYTES: u64 = 64 << 20;

/// Bytes of an episode's steps, about; only for a first guess of how many episodes there will be.
const EPISODE_BYTES: u64 = 16 << 10;

/// What was done in episodes, those asked about lately.
pub(super) struct KeptHistories(Cache<EpisodeId, Kept, Weight>);

#[derive(Clone, Default)]
struct Kept {
    steps: Arc<Vec<Step>>,
    /// As messages.
    bytes: u64,
}

impl Default for KeptHistories {
    fn default() -> Self {
        Self(Cache::with_weighter((KEPT_BYTES / EPISODE_BYTES) as usize, KEPT_BYTES, Weight))
    }
}

impl KeptHistories {
    /// All that was done in an episode: what was sent, after the first steps, which are kept. All of it is kept from now
    /// on. None when the first steps are not kept any more.
    ///
    /// # Errors
    /// [`Error`] when what was sent is no steps.
    pub(super) fn restore(
        &self,
        episode: EpisodeId,
        first: usize,
        sent: Vec<v1::Step>,
    ) -> Result<Option<Arc<Vec<Step>>>, Error> {
        // Taken out, so that nothing is copied where nobody else holds it.
        let kept = self.0.remove(&episode).map(|(_, kept)| kept).filter(|_| first > 0).unwrap_or_default();
        let Kept { mut steps, mut bytes } = kept;
        if steps.len() < first {
            return Ok(None);
        }
        bytes += sent.iter().map(|step| step.encoded_len() as u64).sum::<u64>();
        let history = Arc::make_mut(&mut steps);
        history.truncate(first);
        history.reserve(sent.len());
        for step in sent {
            history.push(step.try_into()?);
        }
        if !steps.is_empty() {
            self.0.insert(episode, Kept { steps: Arc::clone(&steps), bytes });
        }
        Ok(Some(steps))
    }
}

#[derive(Clone)]
struct Weight;

impl Weighter<EpisodeId, Kept> for Weight {
    fn weight(&self, _: &EpisodeId, kept: &Kept) -> u64 {
        kept.bytes + (kept.steps.len() * size_of::<Step>() + size_of::<Kept>()) as u64
    }
}
