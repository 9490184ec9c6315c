//! How well an attempt went its way, beside whether it arrived: the five metrics of trajectories of the AI planning paper, and the
//! optimisation score of NaviQAte. Pure.
//!
//! Each is a share in 0..=1, the higher the better, or nothing where its population is empty: an attempt without a deviation has no
//! recovery rate, and not a perfect one. Which steps are the same is said by a [`Matcher`], and every figure is told with its name.

use super::equivalent;
use domain::task::Check;
use domain::verdict::Finding;
use domain::words::{self, Detail};
use domain::{Action, Descriptor, Verdict};
use std::collections::HashMap;

/// Gold steps after the current one that a recovery may fulfil.
pub const WINDOW: usize = 5;

/// Says whether two steps are the same.
pub trait Matcher {
    /// What it is called beside every figure.
    fn name(&self) -> &'static str;

    /// Whether a step is the same as another.
    fn same(&self, left: &Action<Descriptor>, right: &Action<Descriptor>) -> bool;
}

/// The same operation on the same element.
#[derive(Clone, Copy, Debug)]
pub struct Exact;

impl Matcher for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn same(&self, left: &Action<Descriptor>, right: &Action<Descriptor>) -> bool {
        equivalent(left, right)
    }
}

/// The same class of operation, in words that mean about the same.
#[derive(Clone, Debug)]
pub struct Semantic {
    vectors: HashMap<String, Vec<f32>>,
    threshold: f64,
}

impl Semantic {
    /// The words of steps, which are to be embedded.
    pub fn words<'a>(steps: impl IntoIterator<Item = &'a Action<Descriptor>>) -> Vec<String> {
        steps.into_iter().map(|step| words::action(step, &Detail::BRIEF)).collect()
    }

    /// A matcher over words with their vectors of unit norm; steps are the same from this cosine on.
    pub fn new(vectors: impl IntoIterator<Item = (String, Vec<f32>)>, threshold: f64) -> Self {
        Self { vectors: vectors.into_iter().collect(), threshold }
    }
}

impl Matcher for Semantic {
    fn name(&self) -> &'static str {
        "semantic"
    }

    fn same(&self, left: &Action<Descriptor>, right: &Action<Descriptor>) -> bool {
        if left.kind() != right.kind() {
            return false;
        }
        let vector = |action| self.vectors.get(&words::action(action, &Detail::BRIEF));
        let (Some(left), Some(right)) = (vector(left), vector(right)) else { return false };
        let cosine: f64 = left.iter().zip(right).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
        cosine >= self.threshold
    }
}

/// Step success: gold steps that were fulfilled in order, each by another own step, by all gold steps.
pub fn step_success(gold: &[Action<Descriptor>], own: &[Action<Descriptor>], matcher: &dyn Matcher) -> Option<f64> {
    // The longest common subsequence: one gold step that is missing does not cost those after it.
    let mut longest = vec![0usize; own.len() + 1];
    for wanted in gold {
        let mut diagonal = 0;
        for (index, step) in own.iter().enumerate() {
            let above = longest[index + 1];
            longest[index + 1] = if matcher.same(wanted, step) { diagonal + 1 } else { above.max(longest[index]) };
            diagonal = above;
        }
    }
    share(longest.last().copied().unwrap_or_default(), gold.len())
}

/// Recovery rate: deviations that were recovered from, by all deviations. An own step that does not fulfil the current gold step
/// deviates; a later own step recovers by fulfilling the current gold step or one of the `window` next ones.
pub fn recovery(
    gold: &[Action<Descriptor>],
    own: &[Action<Descriptor>],
    matcher: &dyn Matcher,
    window: usize,
) -> Option<f64> {
    let (mut current, mut pending, mut deviations, mut recovered) = (0, 0, 0, 0);
    for step in own {
        let Some(wanted) = gold.get(current) else { break };
        let ahead = if pending == 0 { 0 } else { window };
        let fulfilled = gold[current..].iter().take(ahead + 1).position(|wanted| matcher.same(wanted, step));
        match fulfilled {
            Some(skipped) => {
                recovered += pending;
                (pending, current) = (0, current + skipped + 1);
            }
            None => {
                debug_assert!(!matcher.same(wanted, step));
                (pending, deviations) = (pending + 1, deviations + 1);
            }
        }
    }
    share(recovered, deviations)
}

/// Repetitiveness: the share of own steps that do not repeat the step right before.
pub fn repetitiveness(own: &[Action<Descriptor>], matcher: &dyn Matcher) -> Option<f64> {
    let repeated = own.windows(2).filter(|pair| matcher.same(&pair[0], &pair[1])).count();
    share(own.len() - repeated, own.len())
}

/// Element accuracy: the share of own steps that are what was intended. Where no intention was stated, the step was not intended.
pub fn element_accuracy(
    intended: &[Option<Action<Descriptor>>],
    own: &[Action<Descriptor>],
    matcher: &dyn Matcher,
) -> Option<f64> {
    let pairs = own.iter().zip(intended);
    let right = pairs.filter(|(step, intended)| intended.as_ref().is_some_and(|of| matcher.same(of, step))).count();
    share(right, own.len())
}

/// Partial success: required items that are confirmed, by all required items; only where more than one is required.
pub fn partial_success(verdict: &Verdict) -> Option<f64> {
    let whole = verdict.evidence.first()?;
    let Check::All(parts) = &whole.check else { return None };
    let mut place = 1;
    let mut confirmed = 0;
    for part in parts {
        let evidence = verdict.evidence.get(place)?;
        confirmed += usize::from(evidence.finding == Finding::Confirmed);
        place += size(part);
    }
    if parts.len() > 1 { share(confirmed, parts.len()) } else { None }
}

/// How many pieces of evidence a check has, its parts included.
fn size(check: &Check) -> usize {
    1 + match check {
        Check::All(parts) | Check::Any(parts) => parts.iter().map(size).sum(),
        Check::Not(part) => size(part),
        _ => 0,
    }
}

/// Trajectory optimisation score: gold steps by own steps of a success, at most 1; 0 for a failure.
pub fn optimisation(gold: usize, own: usize, is_success: bool) -> Option<f64> {
    (gold > 0).then(|| if is_success { (gold as f64 / own.max(1) as f64).min(1.0) } else { 0.0 })
}

fn share(of: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| of as f64 / all as f64)
}
