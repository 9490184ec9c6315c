//! The scores of a run, as they are printed and written to `results.json`. Pure.
//!
//! The names of the fields are an interface: scripts read them.

use domain::job::Outcome;
use domain::verdict::VerdictKind;
use evaluation::metrics::{self, Interval, Score};
use serde::Serialize;
use std::collections::BTreeMap;

/// The scores of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Scores {
    /// Jobs that have their outcome.
    pub episodes: usize,
    /// Those that passed.
    pub successes: usize,
    /// Successes by episodes.
    pub success_rate: f64,
    /// Wilson interval of the success rate at 95 %.
    pub interval: [f64; 2],
    /// Mean of the environment's own reward, where it gives one.
    pub mean_raw_reward: Option<f64>,
    /// Tokens sent and received.
    pub tokens: u64,
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
    /// Wall time of the run in seconds, over all its sessions.
    pub wall_s: f64,
    /// The same by task, in order of their names.
    pub tasks: Vec<TaskScore>,
    /// Mean number of executed actions.
    pub mean_steps: f64,
    /// Mean wall time of one attempt in seconds.
    pub mean_episode_s: f64,
    /// Tokens sent, by episodes.
    pub prompt_tokens_per_episode: f64,
    /// US dollars, where prices are configured.
    pub cost_usd: f64,
    /// How many outcomes got each verdict.
    pub verdicts: BTreeMap<&'static str, usize>,
}

/// The score of one task.
#[derive(Clone, Debug, Serialize)]
pub struct TaskScore {
    /// Its name.
    pub task: String,
    /// Jobs that have their outcome.
    pub episodes: usize,
    /// Those that passed.
    pub successes: usize,
    /// Mean of the environment's own reward, where it gives one.
    pub mean_raw_reward: Option<f64>,
    /// Successes by episodes.
    pub success_rate: f64,
    /// Wilson interval of the success rate at 95 %.
    pub interval: [f64; 2],
    /// Mean number of executed actions.
    pub mean_steps: f64,
}

impl Scores {
    /// Scores the outcomes of a run.
    pub fn of(outcomes: &[Outcome], wall_s: f64) -> Scores {
        let all = metrics::score(outcomes);
        Scores {
            episodes: all.episodes,
            successes: all.successes,
            success_rate: all.success_rate,
            interval: ends(all.interval),
            mean_raw_reward: all.mean_raw_reward,
            tokens: all.tokens(),
            prompt_tokens: all.usage.prompt_tokens,
            completion_tokens: all.usage.completion_tokens,
            wall_s,
            tasks: metrics::by_task(outcomes).into_iter().map(|(task, score)| task_score(task.0, &score)).collect(),
            mean_steps: all.mean_steps,
            mean_episode_s: all.mean_wall_s,
            prompt_tokens_per_episode: all.usage.prompt_tokens as f64 / all.episodes.max(1) as f64,
            cost_usd: all.usage.cost_usd,
            verdicts: all.verdicts.iter().map(|(kind, count)| (VerdictKind::as_str(*kind), *count)).collect(),
        }
    }
}

fn task_score(task: String, score: &Score) -> TaskScore {
    TaskScore {
        task,
        episodes: score.episodes,
        successes: score.successes,
        mean_raw_reward: score.mean_raw_reward,
        success_rate: score.success_rate,
        interval: ends(score.interval),
        mean_steps: score.mean_steps,
    }
}

fn ends(interval: Interval) -> [f64; 2] {
    [interval.low, interval.high]
}
