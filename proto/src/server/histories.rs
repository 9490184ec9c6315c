//! Steps that callers need not send again: a question tells all that was done in an episode, and of that only the last is
//! newer than the question before.

use crate::error::Error;
use crate::v1;
use domain::{EpisodeId, Step};
use prost::Message;
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};
use std::sync::Arc;

/// Bytes that all kept steps may hold, about.
const KEPT_BYTES: u64 = 128 << 20;

/// Bytes of an episode's steps, about; only for a first guess of how many episodes there will be.
const EPISODE_BYTES: u64 = 16 << 10;

/// The part of the room for what was kept first and asked about often. An episode that has ended without a word is never
/// asked about again, however often it was before: nearly all of the room is for those that were asked about last.
const FOR_OFTEN: f64 = 0.1;

/// What was done in episodes.
pub(super) struct KeptHistories(Cache<EpisodeId, Kept, Weight>);

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

impl KeptHistories {
    fn of(bytes: u64) -> Self {
        let options = OptionsBuilder::new()
            .estimated_items_capacity((bytes / EPISODE_BYTES) as usize)
            .weight_capacity(bytes)
            .hot_allocation(FOR_OFTEN)
            .build()
            .expect("both capacities are given");
        Self(Cache::with_options(options, Weight, DefaultHashBuilder::default(), DefaultLifecycle::default()))
    }

    /// All that was done in an episode: what was sent, after the first steps, which are kept. All of it is kept from now
    /// on where there is room. None when the first steps are not kept any more.
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

    /// Whether something of an episode is kept as of now. What is heavier than a part of the cache may be is not.
    pub(super) fn keeps(&self, episode: &EpisodeId) -> bool {
        self.0.contains_key(episode)
    }

    /// Keeps nothing more of an episode that is over.
    pub(super) fn forget(&self, episode: &EpisodeId) {
        self.0.remove(episode);
    }
}

#[derive(Clone)]
struct Weight;

impl Weighter<EpisodeId, Kept> for Weight {
    fn weight(&self, _: &EpisodeId, kept: &Kept) -> u64 {
        kept.bytes + (kept.steps.len() * size_of::<Step>() + size_of::<Kept>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::minimal_step;

    fn episode(number: u32) -> EpisodeId {
        EpisodeId(format!("{number:032x}").parse().expect("an id"))
    }

    fn step() -> v1::Step {
        minimal_step().step.expect("a step")
    }

    #[test]
    fn those_that_have_ended_make_room_for_those_under_way() {
        let kept = KeptHistories::of(1 << 20);
        for wave in 0..20 {
            for done in 0..4 {
                for number in wave * 200..(wave + 1) * 200 {
                    let sent = if done == 0 { Vec::new() } else { vec![step()] };
                    let all = kept.restore(episode(number), done.max(1) - 1, sent).expect("steps");
                    assert_eq!(all.map(|all| all.len()), Some(done), "episode {number}");
                }
            }
        }
        assert!(kept.0.weight() <= 1 << 20 && kept.0.len() > 200, "{} episodes", kept.0.len());
        kept.forget(&episode(3_999));
        assert_eq!(kept.restore(episode(3_999), 3, Vec::new()).expect("steps"), None);
        assert!(kept.restore(episode(3_998), 3, Vec::new()).expect("steps").is_some());
    }

    #[test]
    fn what_is_too_heavy_is_not_said_to_be_kept() {
        let kept = KeptHistories::of(1 << 20);
        for (number, steps, is_kept) in [(1, 3, true), (2, 100_000, false), (3, 0, false)] {
            let all = kept.restore(episode(number), 0, vec![step(); steps]).expect("steps");
            assert_eq!((all.map(|all| all.len()), kept.keeps(&episode(number))), (Some(steps), is_kept));
        }
    }
}
