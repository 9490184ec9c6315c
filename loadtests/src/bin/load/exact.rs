//! Whether all that counted came to the same: the queue, the ledger, the ledger's list, and a recount of the log.

use crate::log::Records;
use crate::stage::Cluster;
use anyhow::Result;
use domain::CampaignId;
use domain::job::Outcome;
use serde::Serialize;
use std::collections::BTreeSet;

/// Outcomes asked for with one call.
const PAGE: usize = 500;

/// What each of them says.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Accounts {
    /// Jobs that the queue knows.
    pub(crate) submitted: u64,
    /// Jobs that ended with a verdict, by the queue.
    pub(crate) queue_judged: u64,
    /// Outcomes that the ledger counts.
    pub(crate) ledger_outcomes: u64,
    /// Those of them that passed.
    pub(crate) ledger_passed: u64,
    /// Steps that the ledger counts.
    pub(crate) ledger_steps: u64,
    /// Different jobs in the ledger's list of outcomes.
    pub(crate) listed_jobs: u64,
    /// Their steps.
    pub(crate) listed_steps: u64,
    /// Different jobs with a verdict in the log.
    pub(crate) logged_jobs: u64,
    /// Different steps in the log of the attempts that count.
    pub(crate) logged_steps: u64,
    /// Attempts that came to nothing, by the ledger; their jobs were attempted again.
    pub(crate) lost_attempts: u64,
    /// The same in the log.
    pub(crate) logged_lost_attempts: u64,
    /// Records that came again, which changed nothing.
    pub(crate) redeliveries: u64,
}

impl Accounts {
    /// Asks all of them.
    pub(crate) async fn take(cluster: &Cluster, campaign: &CampaignId, records: &Records) -> Result<Accounts> {
        let tally = cluster.campaigns.status(campaign).await?.tally;
        let totals = cluster.aggregator.totals(campaign).await?;
        let sum = totals.sum();
        let mut listed: Vec<Outcome> = Vec::new();
        loop {
            let after = listed.last().map(|outcome| outcome.job.clone());
            let more = cluster.aggregator.outcomes(campaign, after, PAGE).await?;
            let is_last = more.len() < PAGE;
            listed.extend(more);
            if is_last {
                break;
            }
        }
        let counting: BTreeSet<_> = listed.iter().map(|outcome| outcome.episode).collect();
        Ok(Accounts {
            submitted: tally.jobs,
            queue_judged: tally.judged,
            ledger_outcomes: sum.outcomes(),
            ledger_passed: sum.successes(),
            ledger_steps: sum.steps,
            listed_jobs: listed.iter().map(|outcome| &outcome.job).collect::<BTreeSet<_>>().len() as u64,
            listed_steps: listed.iter().map(|outcome| u64::from(outcome.steps)).sum(),
            logged_jobs: records.judged_jobs(),
            logged_steps: records.steps_of(&counting),
            lost_attempts: totals.lost_attempts,
            logged_lost_attempts: records.lost_attempts(),
            redeliveries: totals.redeliveries,
        })
    }

    /// Whether every account comes to the same, and to what was handed in. An instance may take more steps than it must,
    /// where a page is so late that the last one is seen once more, and more than one attempt, where a browser fails; all
    /// accounts must have them.
    pub(crate) fn are_exact(&self, instances: u32, steps: u32) -> bool {
        let (instances, steps) = (u64::from(instances), u64::from(instances) * u64::from(steps));
        let jobs = [
            self.submitted,
            self.queue_judged,
            self.ledger_outcomes,
            self.ledger_passed,
            self.listed_jobs,
            self.logged_jobs,
        ];
        let same = [self.ledger_steps, self.listed_steps, self.logged_steps];
        let are_same = same.iter().all(|count| *count == self.ledger_steps && *count >= steps);
        let are_same = are_same && self.lost_attempts == self.logged_lost_attempts;
        are_same && jobs.iter().all(|count| *count == instances)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_or_attempt_too_many_anywhere_is_not_exact() {
        let exact = Accounts {
            submitted: 2,
            queue_judged: 2,
            ledger_outcomes: 2,
            ledger_passed: 2,
            ledger_steps: 20,
            listed_jobs: 2,
            listed_steps: 20,
            logged_jobs: 2,
            logged_steps: 20,
            lost_attempts: 1,
            logged_lost_attempts: 1,
            redeliveries: 3,
        };
        assert!(exact.are_exact(2, 10));
        assert!(!Accounts { logged_steps: 21, ..exact.clone() }.are_exact(2, 10));
        assert!(!Accounts { logged_lost_attempts: 2, ..exact.clone() }.are_exact(2, 10));
        assert!(!exact.are_exact(2, 11));
        assert!(!Accounts { ledger_passed: 1, ..exact }.are_exact(2, 10));
    }
}
