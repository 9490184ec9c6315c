//! Mass submission: jobs are written to topic `jobs` of the log, where the queue finds them in its own time.

use super::refused;
use crate::compose;
use crate::exit::{Exit, Outcome, failure};
use crate::node::config::NodeConfig;
use backends::Journal;
use backends::log::{KafkaLog, KafkaOptions};
use domain::service::CampaignService;
use domain::storage::jobs::Submission;
use domain::{CampaignId, Job};
use futures::{StreamExt as _, TryStreamExt as _};
use platform::telemetry::current_trace_parent;
use std::sync::Arc;
use std::time::Duration;

/// Records under way to the broker at the same time; its client sends what comes together together.
const AT_ONCE: usize = 1000;

/// How often the queue is asked what it has.
const LOOK: Duration = Duration::from_millis(500);

/// How long the queue may find nothing more before it is said that jobs are missing.
const PATIENCE: Duration = Duration::from_secs(60);

/// Jobs that the queue would take, and the broker that they go to.
pub(super) struct Prepared {
    broker: KafkaOptions,
    submissions: Vec<Submission>,
}

/// Looks at all jobs before anything is written, so that a mistake in the last one leaves nothing half done.
pub(super) fn prepare(settings: &NodeConfig, jobs: &[Job]) -> Outcome<Prepared> {
    let Some(servers) = &settings.storage.servers else {
        let cause = "where is the log? name its broker by storage.servers.kafka of the settings (--config), or leave out --by-log";
        return failure(Exit::Usage, cause);
    };
    let trace_parent = current_trace_parent();
    let submission = |job: &Job| campaigns::submission(job.clone(), trace_parent.clone()).map_err(refused);
    let submissions = jobs.iter().map(submission).collect::<Outcome<Vec<_>>>()?;
    Ok(Prepared { broker: servers.kafka.clone(), submissions })
}

impl Prepared {
    /// Writes the jobs to the log. Once this returns, they are kept.
    pub(super) async fn write(self) -> Outcome<()> {
        let journal = Journal::new(Arc::new(KafkaLog::open(self.broker).await?), compose::clock());
        let written = futures::stream::iter(self.submissions).map(|submission| journal.submit(submission));
        written.buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        Ok(())
    }
}

/// Waits until the queue knows so many jobs of a campaign.
pub(super) async fn until_there(queue: &dyn CampaignService, campaign: &CampaignId, jobs: usize) -> Outcome<()> {
    let clock = compose::clock();
    let (mut known, mut since) = (0, clock.monotonic());
    loop {
        let now = queue.status(campaign).await.map_err(refused)?.tally.jobs;
        if now >= jobs as u64 {
            return Ok(());
        }
        if now > known {
            (known, since) = (now, clock.monotonic());
        }
        if clock.monotonic() - since > PATIENCE {
            let cause = format!(
                "the queue has found {known} of {jobs} jobs of campaign `{campaign}`, and for {} s no more: is the role `campaigns` \
                 running, and are there records of these jobs in topic `quarantine`, which say why they were refused?",
                PATIENCE.as_secs()
            );
            return failure(Exit::Environment, cause);
        }
        tokio::time::sleep(LOOK).await;
    }
}
