//! Figures of the ledger: how far it is behind. What it counts is asked of it, campaign by campaign.

use crate::service::GROUP;
use backends::Lag;
use domain::storage::log::{EventLog, Topic};
use domain::storage::results::ResultStore;
use platform::clock::Clock;
use platform::metrics::Metrics;
use platform::tasks::Tasks;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Time between two looks.
const EVERY: Duration = Duration::from_secs(10);

/// Measures the ledger for as long as its other tasks run.
pub fn measure(
    results: Arc<dyn ResultStore>,
    log: Arc<dyn EventLog>,
    clock: Arc<dyn Clock>,
    metrics: &Metrics,
    tasks: &Tasks,
) {
    let topics = &[Topic::Outcomes, Topic::Trajectories];
    let (lag, metrics) = (Lag { log, offsets: results as _, group: GROUP, topics, clock }, metrics.clone());
    tasks.spawn("figures of the ledger", |shutdown| async move {
        loop {
            // What is away is told by health; the figures stand still meanwhile.
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
