//! Metrics of the queue. Every instance reports the whole table, so dashboards take the maximum.

use crate::consumers::GROUP;
use crate::service::Campaigns;
use backends::Lag;
use domain::campaign::{CampaignStatus, Waiting};
use domain::service::{CampaignService, ServiceError};
use domain::storage::log::{EventLog, Topic};
use platform::metrics::{Metric, Metrics, Unit};
use platform::tasks::Tasks;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Jobs of all campaigns by state.
pub const JOBS: Metric = Metric {
    name: "rutter_jobs",
    unit: Unit::Count,
    help: "Jobs of all campaigns, by state: waiting, running, judged, quarantined or cancelled",
    labels: &["state"],
};

/// Jobs that wait.
pub const WAITING: Metric = Metric {
    name: "rutter_jobs_waiting",
    unit: Unit::Count,
    help: "Jobs that wait, by what they wait for: capacity, host_rate, resume, budget or retry",
    labels: &["reason"],
};

/// Claims.
pub const CLAIMS: Metric =
    Metric { name: "rutter_claims", unit: Unit::Count, help: "Jobs that this instance handed out", labels: &[] };

/// The outbox.
pub const OUTBOX: Metric = Metric {
    name: "rutter_outbox",
    unit: Unit::Count,
    help: "Records that the queue has decided on and not written to the log yet, at most 1000",
    labels: &[],
};

/// All of them.
pub const ALL: [Metric; 4] = [JOBS, WAITING, CLAIMS, OUTBOX];

/// Interval of measurements.
const EVERY: Duration = Duration::from_secs(10);

/// Most outbox records counted.
const COUNTED: usize = 1000;

/// Measures the queue for as long as its other tasks run. The returned queue counts claims.
pub fn measure(queue: Campaigns, log: Arc<dyn EventLog>, metrics: &Metrics, tasks: &Tasks) -> Campaigns {
    let measured = queue.counting(metrics.counter(&CLAIMS));
    let (queue, metrics) = (measured.clone(), metrics.clone());
    let (offsets, clock) = (queue.store.clone() as _, queue.clock.clone());
    let lag = Lag { log, offsets, group: GROUP, topics: &[Topic::Outcomes, Topic::Jobs], clock };
    tasks.spawn("figures of the queue", |shutdown| async move {
        loop {
            // Health reports an outage; the metrics keep their values meanwhile.
            if let Err(error) = look(&queue, &metrics).await {
                tracing::debug!(%error, "the queue cannot be measured now");
            }
            if let Err(error) = lag.measure(&metrics).await {
                tracing::debug!(%error, "how far the queue is behind cannot be measured now");
            }
            tokio::select! {
                () = tokio::time::sleep(EVERY) => {}
                () = shutdown.cancelled() => return Ok::<_, Infallible>(()),
            }
        }
    });
    measured
}

async fn look(queue: &Campaigns, metrics: &Metrics) -> Result<(), ServiceError> {
    let statuses = queue.list().await?;
    let (jobs, waiting) = (metrics.gauge(&JOBS), metrics.gauge(&WAITING));
    for (state, count) in states(&statuses) {
        jobs.set(&[state], count as f64);
    }
    for (reason, count) in reasons(&statuses) {
        waiting.set(&[reason], count as f64);
    }
    let outbox = queue.store.outbox(COUNTED).await?;
    metrics.gauge(&OUTBOX).set(&[], outbox.len() as f64);
    Ok(())
}

fn states(statuses: &[CampaignStatus]) -> [(&'static str, u64); 5] {
    let sum = |count: fn(&CampaignStatus) -> u64| statuses.iter().map(count).sum();
    [
        ("waiting", sum(|status| status.tally.waiting)),
        ("running", sum(|status| status.tally.running)),
        ("judged", sum(|status| status.tally.judged)),
        ("quarantined", sum(|status| status.tally.quarantined)),
        ("cancelled", sum(|status| status.tally.cancelled)),
    ]
}

/// Includes reasons with 0 jobs: a gauge that is no longer set would keep its value.
fn reasons(statuses: &[CampaignStatus]) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::from(["capacity", "host_rate", "resume", "budget", "retry"].map(|reason| (reason, 0)));
    for (waiting, count) in statuses.iter().flat_map(|status| &status.waiting) {
        let reason = match waiting {
            Waiting::Capacity => "capacity",
            Waiting::HostRate { .. } => "host_rate",
            Waiting::Resume => "resume",
            Waiting::Budget => "budget",
            Waiting::RetryAt { .. } => "retry",
        };
        *counts.entry(reason).or_default() += count;
    }
    counts
}
