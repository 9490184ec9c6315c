//! Metrics of the ledger: its lag, and its exact totals, read from the store as records come in. An instance reports
//! the full totals of campaigns that it read records of, so dashboards take the maximum.

use crate::service::{Aggregator, GROUP};
use backends::Lag;
use domain::CampaignId;
use domain::ledger::Totals;
use domain::storage::StorageError;
use domain::storage::log::{EventLog, Topic};
use platform::clock::Clock;
use platform::metrics::{Metric, Metrics, Unit};
use platform::tasks::Tasks;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Outcomes.
pub const OUTCOMES: Metric = Metric {
    name: "rutter_ledger_outcomes",
    unit: Unit::Count,
    help: "Accepted outcomes of a campaign, by verdict",
    labels: &["campaign", "verdict"],
};

/// Steps.
pub const STEPS: Metric = Metric {
    name: "rutter_ledger_steps",
    unit: Unit::Count,
    help: "Executed actions of the accepted attempts of a campaign",
    labels: &["campaign"],
};

/// Cost.
pub const COST: Metric = Metric {
    name: "rutter_ledger_cost",
    unit: Unit::UsDollars,
    help: "What models cost for a campaign, by what became of the attempts: accepted or lost",
    labels: &["campaign", "attempts"],
};

/// Lost attempts.
pub const LOST: Metric = Metric {
    name: "rutter_ledger_lost_attempts",
    unit: Unit::Count,
    help: "Attempts of a campaign that came to no outcome, also those of crawlers that are gone",
    labels: &["campaign"],
};

/// Duplicate records.
pub const REDELIVERIES: Metric = Metric {
    name: "rutter_ledger_redeliveries",
    unit: Unit::Count,
    help: "Records of a campaign that came again or after the end of their job, and were counted as nothing else",
    labels: &["campaign"],
};

/// Campaigns without metrics.
pub const UNTOLD: Metric = Metric {
    name: "rutter_ledger_untold_campaigns",
    unit: Unit::Count,
    help: "Campaigns whose totals are no figures here, since 100 others were told since the process began",
    labels: &[],
};

/// All of them.
pub const ALL: [Metric; 6] = [OUTCOMES, STEPS, COST, LOST, REDELIVERIES, UNTOLD];

/// Most campaigns with metrics: each has a dozen, which stay for the life of the process.
const CAMPAIGNS: usize = 100;

/// Interval of measurements.
const EVERY: Duration = Duration::from_secs(10);

/// Measures the ledger for as long as its other tasks run.
pub fn measure(ledger: &Aggregator, log: Arc<dyn EventLog>, clock: Arc<dyn Clock>, metrics: &Metrics, tasks: &Tasks) {
    let topics = &[Topic::Outcomes, Topic::Trajectories];
    let lag = Lag { log, offsets: ledger.results.clone() as _, group: GROUP, topics, clock };
    let (ledger, metrics) = (ledger.clone(), metrics.clone());
    let mut campaigns = Campaigns::default();
    tasks.spawn("figures of the ledger", |shutdown| async move {
        loop {
            // Health reports an outage; the metrics keep their values meanwhile.
            if let Err(error) = campaigns.publish(&ledger, &metrics).await {
                tracing::debug!(%error, "the totals cannot be read now");
            }
            if let Err(error) = lag.measure(&metrics).await {
                tracing::debug!(%error, "how far the ledger is behind cannot be measured now");
            }
            tokio::select! {
                () = tokio::time::sleep(EVERY) => {}
                () = shutdown.cancelled() => return Ok::<_, Infallible>(()),
            }
        }
    });
}

/// The campaigns with metrics, and those beyond the limit.
#[derive(Default)]
pub(crate) struct Campaigns {
    told: BTreeSet<CampaignId>,
    untold: BTreeSet<CampaignId>,
}

impl Campaigns {
    /// Sets the metrics of changed campaigns.
    ///
    /// # Errors
    /// Of the store; the rest is set next time.
    pub(crate) async fn publish(&mut self, ledger: &Aggregator, metrics: &Metrics) -> Result<(), StorageError> {
        let mut changed = ledger.changed.take();
        changed.retain(|campaign| self.admit(campaign));
        metrics.gauge(&UNTOLD).set(&[], self.untold.len() as f64);
        while let Some(campaign) = changed.pop_first() {
            match ledger.results.totals(&campaign).await {
                Ok(totals) => publish(&totals, metrics),
                Err(error) => {
                    ledger.changed.note(changed.iter().chain([&campaign]));
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    fn admit(&mut self, campaign: &CampaignId) -> bool {
        if self.told.len() < CAMPAIGNS {
            self.told.insert(campaign.clone());
        }
        let is_told = self.told.contains(campaign);
        if !is_told {
            self.untold.insert(campaign.clone());
        }
        is_told
    }
}

fn publish(totals: &Totals, metrics: &Metrics) {
    let (campaign, sum) = (totals.campaign.as_str(), totals.sum());
    for (verdict, count) in &sum.verdicts {
        metrics.gauge(&OUTCOMES).set(&[campaign, verdict.as_str()], *count as f64);
    }
    metrics.gauge(&STEPS).set(&[campaign], sum.steps as f64);
    for (attempts, usage) in [("accepted", &sum.usage), ("lost", &totals.lost_usage)] {
        metrics.gauge(&COST).set(&[campaign, attempts], usage.cost_usd);
    }
    metrics.gauge(&LOST).set(&[campaign], totals.lost_attempts as f64);
    metrics.gauge(&REDELIVERIES).set(&[campaign], totals.redeliveries as f64);
}
