//! Statistics over outcomes and trajectories. Pure; each one documents its population.

pub mod course;
pub mod paired;

use domain::job::Outcome;
use domain::locator::Locator;
use domain::verdict::VerdictKind;
use domain::{Action, Descriptor, Step, TaskId, Usage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The normal quantile of a two-sided 95 % interval.
const Z95: f64 = 1.959_963_984_540_054;

/// An interval of confidence, within 0..=1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The Wilson score interval of a proportion at 95 % (Wilson 1927). With no trials it is all of 0..=1.
pub fn wilson(successes: usize, trials: usize) -> Interval {
    if trials == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let n = trials as f64;
    let p = successes as f64 / n;
    let z2 = Z95 * Z95;
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z95 / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    let low = if successes == 0 { 0.0 } else { (middle - half).max(0.0) };
    let high = if successes == trials { 1.0 } else { (middle + half).min(1.0) };
    Interval { low, high }
}

/// The score of a set of attempts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// All attempts, whatever their end.
    pub episodes: usize,
    /// Attempts with a successful verdict.
    pub successes: usize,
    /// Successes by episodes; 0 without episodes.
    pub success_rate: f64,
    /// Wilson interval of the success rate at 95 %.
    pub interval: Interval,
    /// Mean reward of the environment over the attempts that have one.
    pub mean_raw_reward: Option<f64>,
    /// Mean number of executed actions.
    pub mean_steps: f64,
    /// Mean wall time of an attempt in seconds.
    pub mean_wall_s: f64,
    /// Total cost of all attempts, lost ones included.
    pub usage: Usage,
    /// How many attempts got each verdict.
    pub verdicts: BTreeMap<VerdictKind, usize>,
}

impl Score {
    /// Tokens sent and received.
    pub fn tokens(&self) -> u64 {
        self.usage.prompt_tokens + self.usage.completion_tokens
    }
}

/// Scores a set of attempts. An attempt whose environment failed counts as no success, so an outage never raises a
/// score.
pub fn score<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Score {
    let mut usage = Usage::default();
    let mut verdicts = BTreeMap::new();
    let (mut episodes, mut steps, mut wall_ms) = (0usize, 0u64, 0.0);
    let (mut rewards, mut reward_sum) = (0usize, 0.0);
    for outcome in outcomes {
        episodes += 1;
        steps += u64::from(outcome.steps);
        wall_ms += outcome.wall_ms;
        usage += outcome.usage;
        *verdicts.entry(outcome.verdict.kind).or_insert(0) += 1;
        if let Some(reward) = outcome.reward {
            rewards += 1;
            reward_sum += reward;
        }
    }
    let successes = verdicts.iter().filter(|(kind, _)| kind.is_success()).map(|(_, count)| count).sum();
    let mean = |sum: f64, of: usize| if of == 0 { 0.0 } else { sum / of as f64 };
    Score {
        episodes,
        successes,
        success_rate: mean(successes as f64, episodes),
        interval: wilson(successes, episodes),
        mean_raw_reward: (rewards > 0).then(|| mean(reward_sum, rewards)),
        mean_steps: mean(steps as f64, episodes),
        mean_wall_s: mean(wall_ms / 1000.0, episodes),
        usage,
        verdicts,
    }
}

/// Scores each task by itself.
pub fn by_task(outcomes: &[Outcome]) -> BTreeMap<TaskId, Score> {
    let mut groups: BTreeMap<TaskId, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        groups.entry(outcome.task.clone()).or_default().push(outcome);
    }
    groups.into_iter().map(|(task, group)| (task, score(group))).collect()
}

/// How the steps of an attempt compare with a gold trajectory, under the matcher `exact`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// The same steps, no more and no fewer.
    pub exact: bool,
    /// The gold trajectory is a prefix of the steps.
    pub prefix: bool,
}

/// Compares executed actions with gold actions. Stops are claims, not steps, and are skipped.
pub fn compare(gold: &[Action<Descriptor>], steps: &[Step]) -> Match {
    let gold: Vec<_> = gold.iter().filter(|action| !matches!(action, Action::Stop { .. })).collect();
    let prefix = gold.len() <= steps.len() && gold.iter().zip(steps).all(|(gold, step)| equivalent(gold, &step.action));
    Match { exact: prefix && gold.len() == steps.len(), prefix }
}

/// The matcher `exact`: the same operation on the same element.
pub fn equivalent(a: &Action<Descriptor>, b: &Action<Descriptor>) -> bool {
    if a.kind() != b.kind() {
        return false;
    }
    match (a, b) {
        (Action::Drag { element: a, onto: a_onto }, Action::Drag { element: b, onto: b_onto }) => {
            same_element(a, b) && same_element(a_onto, b_onto)
        }
        (a, b) => match (a.element(), b.element()) {
            (Some(a), Some(b)) => same_element(a, b),
            (None, None) => true,
            _ => false,
        },
    }
}

/// Whether two descriptors name one element: equal XPath and frame if both have one, else equal best locator and index
/// among its matches.
pub fn same_element(a: &Descriptor, b: &Descriptor) -> bool {
    if a.frames != b.frames {
        return false;
    }
    match (xpath(a), xpath(b)) {
        (Some(a), Some(b)) => a == b,
        _ => {
            let place = |descriptor: &Descriptor| descriptor.matches.first().map(|position| position.index);
            !a.locators.is_empty() && a.locators.first() == b.locators.first() && place(a) == place(b)
        }
    }
}

fn xpath(descriptor: &Descriptor) -> Option<&str> {
    descriptor.locators.iter().find_map(|locator| match locator {
        Locator::XPath { path } if !path.is_empty() => Some(path.as_str()),
        _ => None,
    })
}
