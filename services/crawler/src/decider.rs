//! Lifts a planner, which knows no page, into a decider of the episode loop.

use async_trait::async_trait;
use domain::decision::{Decider, Decision, DecisionRequest, Planner, PlannerError};
use domain::page::Page;
use std::sync::Arc;

/// A planner as a decider. It never looks at the page itself.
pub struct PlannerDecider(pub Arc<dyn Planner>);

#[async_trait]
impl Decider for PlannerDecider {
    fn name(&self) -> &str {
        self.0.name()
    }

    async fn decide(&mut self, _page: &mut dyn Page, request: DecisionRequest) -> Result<Decision, PlannerError> {
        self.0.decide(request).await
    }
}
