//! Curiosity-driven reinforcement learning (WebExplor: Zheng et al., ICSE 2021): values of actions, a choice by
//! Gumbel-softmax, and a reward of 1/√N(s, a, s′). When nothing new was found for a while, what was seen leads to the
//! least visited state.

use super::{Entry, Here, Next, Strategy};
use crate::explore::knowledge::Knowledge;
use async_trait::async_trait;
use domain::StateId;
use domain::service::{GraphService, ServiceError};
use domain::state::ActionKey;
use rand::RngExt;
use rand::rngs::StdRng;
use std::collections::HashMap;

/// How much what follows counts.
const DISCOUNT: f64 = 0.6;
/// How fast a value follows what is seen.
const RATE: f64 = 0.5;
/// The value of what was never tried.
const UNTRIED: f64 = 1.0;
/// How evenly it chooses; smaller is greedier.
const TEMPERATURE: f64 = 0.2;
/// Actions without a new state after which the least visited state is gone to.
const STALE: u32 = 30;

pub(super) const ENTRIES: &[Entry] =
    &[Entry::new("q-learning", "Reinforcement learning whose reward is what was seen least (WebExplor)", || {
        Box::new(QLearning::default())
    })];

#[derive(Default)]
struct QLearning {
    values: HashMap<(StateId, ActionKey), f64>,
    led: HashMap<(StateId, ActionKey, StateId), u32>,
    actions: HashMap<StateId, Vec<ActionKey>>,
    states: usize,
    without_news: u32,
}

impl QLearning {
    fn value(&self, state: StateId, key: ActionKey) -> f64 {
        self.values.get(&(state, key)).copied().unwrap_or(UNTRIED)
    }
}

#[async_trait]
impl Strategy for QLearning {
    async fn next(
        &mut self,
        here: &Here<'_>,
        knowledge: &Knowledge,
        map: &dyn GraphService,
        chance: &mut StdRng,
    ) -> Result<Next, ServiceError> {
        self.actions.insert(here.state, here.offers.iter().map(|offer| offer.key).collect());
        if self.without_news >= STALE {
            self.without_news = 0;
            if let Some((state, opportunity)) = knowledge.least_visited().filter(|(state, _)| *state != here.state)
                && let Some(route) = map.shortest_path(&here.version.site, Some(here.state), state).await?
            {
                return Ok(Next::There { route, opportunity: Box::new(opportunity), ticket: None });
            }
        }
        let mut drawn = |key: ActionKey| {
            let uniform: f64 = chance.random_range(f64::EPSILON..1.0);
            self.value(here.state, key) / TEMPERATURE - (-uniform.ln()).ln()
        };
        let rated = here.offers.iter().map(|offer| (drawn(offer.key), offer.key));
        let best = rated.max_by(|one, other| one.0.total_cmp(&other.0));
        Ok(best.map_or(Next::Start, |(_, key)| Next::Here(key)))
    }

    fn learn(&mut self, from: StateId, key: ActionKey, to: StateId, knowledge: &Knowledge) {
        self.without_news += 1;
        if knowledge.states() > self.states {
            self.states = knowledge.states();
            self.without_news = 0;
        }
        let times = self.led.entry((from, key, to)).or_default();
        *times += 1;
        let reward = 1.0 / f64::from(*times).sqrt();
        let best = self.actions.get(&to).into_iter().flatten().map(|next| self.value(to, *next)).fold(0.0, f64::max);
        let before = self.value(from, key);
        self.values.insert((from, key), before + RATE * (reward + DISCOUNT * best - before));
    }
}
