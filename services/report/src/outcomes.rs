//! Outcomes as the ledger keeps them and as they are told.

use domain::CampaignId;
use domain::job::Outcome;
use domain::service::{AggregatorService, ServiceError};
use serde_json::{Value, json};

/// Every accepted outcome of a campaign, page by page.
///
/// # Errors
/// Of the ledger.
pub async fn all(
    aggregator: &dyn AggregatorService,
    campaign: &CampaignId,
    page: usize,
) -> Result<Vec<Outcome>, ServiceError> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    loop {
        let after = outcomes.last().map(|outcome| outcome.job.clone());
        let more = aggregator.outcomes(campaign, after, page).await?;
        let is_last = more.len() < page;
        outcomes.extend(more);
        if is_last {
            return Ok(outcomes);
        }
    }
}

/// One outcome, as scripts read it.
pub fn json(outcome: &Outcome) -> Value {
    json!({
        "job": outcome.job, "task": outcome.task, "planner": outcome.planner, "verdict": outcome.verdict.kind, "reason": outcome.verdict.reason,
        "ending": outcome.ending, "steps": outcome.steps, "wall_ms": outcome.wall_ms,
        "prompt_tokens": outcome.usage.prompt_tokens, "completion_tokens": outcome.usage.completion_tokens, "incidents": outcome.incidents,
    })
}

/// Why an outcome is what it is, with the troubles on the way.
pub fn because(outcome: &Outcome) -> String {
    let lines = std::iter::once(&outcome.verdict.reason).chain(&outcome.incidents);
    lines.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// Whether a job, or a browser's part, was not carried through.
pub fn is_trouble(outcome: &Outcome) -> bool {
    outcome.verdict.kind.is_trouble()
}

/// Whose part it was, and why it was not carried through.
pub fn trouble(outcome: &Outcome) -> String {
    format!("{}: {}: {}", outcome.job, outcome.verdict.kind, outcome.verdict.reason)
}
