//! Mass submission: jobs are written to topic `jobs` of the log, where the queue finds them in its own time.

use crate::exit::{Exit, Outcome, failure};
use backends::Journal;
use backends::log::{KafkaLog, KafkaOptions};
use domain::Job;
use domain::storage::jobs::Submission;
use domain::storage::log::{LogPosition, Topic};
use futures::{StreamExt as _, TryStreamExt as _};
use node::config::NodeConfig;
use platform::telemetry::current_trace_parent;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// Records under way to the broker at the same time; its client sends what comes together together.
const AT_ONCE: usize = 1000;

/// How often it is looked how far the queue is, which it tells every few seconds.
const LOOK: Duration = Duration::from_millis(500);

/// How long the queue may read nothing more before that is said.
const PATIENCE: Duration = Duration::from_secs(60);

/// Jobs that the queue would take, and the broker that they go to.
pub(super) struct Prepared {
    broker: KafkaOptions,
    submissions: Vec<Submission>,
}

/// Looks at all jobs before anything is written, so that a mistake in the last one leaves nothing half done.
pub(super) fn prepare(settings: &NodeConfig, jobs: &[Job]) -> Outcome<Prepared> {
    let Some(servers) = &settings.storage.servers else {
        let cause = "where is the log? hand it the settings of the roles, with [storage.servers] (--config), or leave out --by-log";
        return failure(Exit::Usage, cause);
    };
    let trace_parent = current_trace_parent();
    let submission = |job: &Job| campaigns::submission(job.clone(), trace_parent.clone());
    let submissions = jobs.iter().map(submission).collect::<Result<Vec<_>, _>>()?;
    Ok(Prepared { broker: servers.kafka.clone(), submissions })
}

impl Prepared {
    /// Writes the jobs to the log. Once this returns, they are kept.
    pub(super) async fn write(self) -> Outcome<Written> {
        let log = KafkaLog::open(self.broker).await?;
        let journal = Journal::new(Arc::new(log.clone()), node::clock());
        let written = futures::stream::iter(self.submissions).map(|submission| journal.submit(submission));
        let places: Vec<LogPosition> = written.buffer_unordered(AT_ONCE).try_collect().await?;
        let mut ends = BTreeMap::new();
        for LogPosition { partition, offset } in places {
            let end: &mut u64 = ends.entry(partition).or_default();
            *end = (offset + 1).max(*end);
        }
        Ok(Written { log, ends })
    }
}

/// Jobs that stand in the log, up to the end in each partition.
pub(super) struct Written {
    log: KafkaLog,
    ends: BTreeMap<u32, u64>,
}

impl Written {
    /// Waits until the queue has read all of them: it has taken them in, or put them aside.
    pub(super) async fn until_read(&self) -> Outcome<()> {
        let clock = node::clock();
        let (mut known, mut since) = (BTreeMap::new(), clock.monotonic());
        loop {
            let now = self.log.progress(campaigns::GROUP, Topic::Jobs).await?;
            if self.ends.iter().all(|(partition, end)| now.get(partition).is_some_and(|next| next >= end)) {
                return Ok(());
            }
            if now != known {
                (known, since) = (now, clock.monotonic());
            }
            if clock.monotonic() - since > PATIENCE {
                let cause = format!(
                    "the jobs are in the log, but for {} s the queue has read no more of it: is the role `campaigns` running?",
                    PATIENCE.as_secs()
                );
                return failure(Exit::Environment, cause);
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}
