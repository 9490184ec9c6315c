//! The planners of a simulation: the real pool with one planner in it, which takes its time and always clicks.

use crate::faults::Schedule;
use async_trait::async_trait;
use domain::campaign::PlannerRef;
use domain::decision::{Choice, Decision, DecisionRequest, Level, Planner, PlannerError};
use domain::{Action, ElementId, Usage};
use planner::Planners;
use serde_json::Value;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// The planner's name in campaigns.
pub(super) const CLICKER: &str = "clicker";

/// How long a decision takes, in milliseconds.
const PACE: Range<u64> = 5..150;

/// What an instance of the role answers from.
pub(super) fn planners(schedule: &Schedule) -> Planners {
    let clicker = Clicker { schedule: schedule.clone() };
    Planners::default().with(PlannerRef::named(CLICKER), Arc::new(clicker))
}

struct Clicker {
    schedule: Schedule,
}

#[async_trait]
impl Planner for Clicker {
    fn name(&self) -> &str {
        CLICKER
    }

    async fn decide(&self, _: DecisionRequest) -> Result<Decision, PlannerError> {
        sleep(Duration::from_millis(self.schedule.pick(PACE))).await;
        Ok(Decision {
            choice: Choice::Act(Action::click(ElementId(0))),
            reason: "there is more".into(),
            confidence: 1.0,
            level: Level::Ground,
            usage: Usage { prompt_tokens: 10, completion_tokens: 3, cost_usd: 0.001, calls: 1 },
            incidents: Vec::new(),
            memory: Value::Null,
        })
    }
}
