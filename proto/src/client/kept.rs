//! What a planner said it keeps, so that it need not be sent again: nodes of pages, and the first steps of episodes.

use crate::convert::decision::{RUN, Telling};
use domain::observation::Stamp;
use domain::{DecisionRequest, EpisodeId};
use quick_cache::sync::Cache;

/// How many runs of nodes are known to be kept.
const KNOWN_RUNS: usize = 16_384;

/// Of how many episodes some steps are known to be kept: those under way, and some.
const KNOWN_EPISODES: usize = 16_384;

/// What one planner keeps.
pub(super) struct Kept {
    /// Of each run of numbers, a bit for each node.
    nodes: Cache<u64, u64>,
    histories: Cache<EpisodeId, Beginning>,
}

/// The first steps of an episode.
#[derive(Clone)]
struct Beginning {
    steps: usize,
    /// When the last of them was taken: no other history has it.
    last: Stamp,
}

impl Default for Kept {
    fn default() -> Self {
        Self { nodes: Cache::new(KNOWN_RUNS), histories: Cache::new(KNOWN_EPISODES) }
    }
}

impl Kept {
    /// Places of the nodes that are not kept; none when nothing of the page is.
    pub(super) fn missing(&self, numbers: &[u64]) -> Option<Vec<u32>> {
        let mut missing = Vec::new();
        let mut places = 0u32..;
        for run in runs(numbers) {
            let bits = self.known(run[0]);
            let unknown = run.iter().zip(places.by_ref()).filter(|(number, _)| bits & bit(**number) == 0);
            missing.extend(unknown.map(|(_, place)| place));
        }
        (missing.len() < numbers.len()).then_some(missing)
    }

    /// How many of the first steps are kept of what was done so far.
    pub(super) fn steps(&self, asked: &DecisionRequest) -> usize {
        let kept = self.histories.get(&asked.episode);
        let kept = kept.filter(|kept| asked.history.get(kept.steps - 1).is_some_and(|step| step.stamp == kept.last));
        kept.map_or(0, |kept| kept.steps)
    }

    /// Takes down that nodes are kept from now on.
    pub(super) fn keeps_nodes(&self, told: Telling<'_>) {
        match told.sent {
            None => self.keep(told.numbers),
            Some(places) => {
                self.keep(&places.iter().map(|place| told.numbers[*place as usize]).collect::<Vec<_>>());
            }
        }
    }

    /// Takes down that all that was done so far is kept from now on.
    pub(super) fn keeps_steps(&self, asked: &DecisionRequest) {
        if let Some(last) = asked.history.last() {
            self.histories.insert(asked.episode, Beginning { steps: asked.history.len(), last: last.stamp.clone() });
        }
    }

    /// Nothing is kept any more.
    pub(super) fn clear(&self) {
        self.nodes.clear();
        self.histories.clear();
    }

    fn keep(&self, numbers: &[u64]) {
        for run in runs(numbers) {
            let bits = run.iter().fold(self.known(run[0]), |bits, number| bits | bit(*number));
            // Of two at once one may be forgotten, which is then sent again.
            self.nodes.insert(run[0] / RUN, bits);
        }
    }

    /// What is known of the run of a number.
    fn known(&self, number: u64) -> u64 {
        self.nodes.get(&(number / RUN)).unwrap_or_default()
    }
}

/// Neighbours that are of one run.
fn runs(numbers: &[u64]) -> impl Iterator<Item = &[u64]> {
    numbers.chunk_by(|one, next| one / RUN == next / RUN)
}

fn bit(number: u64) -> u64 {
    1 << (number % RUN)
}
