//! Steps that callers need not send again: a question tells all that was done in an episode, and of that only the last is
//! newer than the question before.

use crate::error::Error;
use crate::v1;
use domain::{EpisodeId, Step};
use moka::future::Cache;
use moka::policy::EvictionPolicy;
use prost::Message;
use std::sync::Arc;

/// Bytes that all kept steps may hold, about.
const KEPT_BYTES: u64 = 128 << 20;

/// What was done in episodes, those asked about last: one that has ended without a word is never asked about again, however
/// often it was before.
pub(super) struct KeptHistories(Cache<EpisodeId, Kept>);

#[derive(Clone, Default)]
struct Kept {
    steps: Arc<Vec<Step>>,
    /// As messages.
    bytes: u64,
}

impl Default for KeptHistories {
    fn default() -> Self {
        Self::of(KEPT_BYTES)
    }
}

impl Kept {
    fn weight(&self) -> u64 {
        self.bytes + (self.steps.len() * size_of::<Step>() + size_of::<Self>()) as u64
    }
}

impl KeptHistories {
    fn of(bytes: u64) -> Self {
        let weight = |_: &EpisodeId, kept: &Kept| u32::try_from(kept.weight()).unwrap_or(u32::MAX);
        Self(Cache::builder().max_capacity(bytes).eviction_policy(EvictionPolicy::lru()).weigher(weight).build())
    }

    /// All that was done in an episode: what was sent, after the first steps, which are kept. All of it is kept from now
    /// on. None when the first steps are not kept any more.
    ///
    /// # Errors
    /// [`Error`] when what was sent is no steps.
    pub(super) async fn restore(
        &self,
        episode: EpisodeId,
        first: usize,
        sent: Vec<v1::Step>,
    ) -> Result<Option<Arc<Vec<Step>>>, Error> {
        // Taken out, so that nothing is copied where nobody else holds it.
        let kept = self.0.remove(&episode).await.filter(|_| first > 0).unwrap_or_default();
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
            self.0.insert(episode, Kept { steps: Arc::clone(&steps), bytes }).await;
        }
        Ok(Some(steps))
    }

    /// Keeps nothing more of an episode that is over.
    pub(super) async fn forget(&self, episode: &EpisodeId) {
        self.0.invalidate(episode).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn episode(number: u32) -> EpisodeId {
        EpisodeId(format!("{number:032x}").parse().expect("an id"))
    }

    fn step() -> v1::Step {
        v1::Step {
            stamp: Some(v1::Stamp::default()),
            action: Some(v1::Action { kind: Some(v1::action::Kind::Back(v1::Nothing {})) }),
            effect: Some(v1::Effect { is: Some(v1::effect::Is::NoChange(v1::Nothing {})) }),
            usage: Some(v1::Usage::default()),
            level: v1::Level::Ground.into(),
            ..v1::Step::default()
        }
    }

    #[tokio::test]
    async fn those_that_have_ended_make_room_for_those_under_way() {
        let kept = KeptHistories::of(1 << 20);
        for wave in 0..20 {
            for done in 0..4 {
                for number in wave * 200..(wave + 1) * 200 {
                    let sent = if done == 0 { Vec::new() } else { vec![step()] };
                    let all = kept.restore(episode(number), done.max(1) - 1, sent).await.expect("steps");
                    assert_eq!(all.map(|all| all.len()), Some(done), "episode {number}");
                }
            }
        }
        kept.0.run_pending_tasks().await;
        assert!(kept.0.weighted_size() <= 1 << 20 && kept.0.entry_count() > 8, "{} episodes", kept.0.entry_count());
        assert_eq!(kept.restore(episode(1), 3, Vec::new()).await.expect("steps"), None);
    }
}
