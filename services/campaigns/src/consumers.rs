//! Background tasks of the queue: consume the log, send the outbox to the log, expire leases.
//!
//! Several instances may run all of them concurrently. They share partitions; an outbox record that two instances send
//! is a duplicate without effect; a lease is expired by one of them.

use crate::options::Options;
use crate::service::Campaigns;
use crate::stages::StageRules;
use crate::valid;
use backends::{Consumer, Journal, consumer};
use domain::campaign::Closing;
use domain::storage::StorageError;
use domain::storage::jobs::{Decoded, JobStore, Submission};
use domain::storage::log::{EventLog, LogRecord, Offsets, Topic};
use domain::storage::shared::Presence;
use platform::clock::Clock;
use platform::health::{Health, Latch};
use platform::tasks::Tasks;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The group of consumers that all instances belong to.
pub const GROUP: &str = "campaigns";

/// Most outbox records sent in one batch.
const BATCH: usize = 200;

/// What the queue works with.
#[derive(Clone)]
pub struct Dependencies {
    /// The table of jobs.
    pub jobs: Arc<dyn JobStore>,
    /// The event log.
    pub log: Arc<dyn EventLog>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Health of the process.
    pub health: Health,
    /// The processes that share the table, where there may be others.
    pub presence: Option<Arc<dyn Presence>>,
}

/// Starts the queue: its tasks end with the others of `tasks`.
pub fn start(options: Options, dependencies: Dependencies, tasks: &Tasks) -> Campaigns {
    let Dependencies { jobs, log, clock, health, presence } = dependencies;
    let journal = Journal::new(Arc::clone(&log), Arc::clone(&clock));
    let campaigns = Campaigns::new(Arc::clone(&jobs), clock, options).among(presence);
    let reader = |topic| {
        let offsets: Arc<dyn Offsets> = jobs.clone();
        Consumer { log: Arc::clone(&log), offsets, journal: journal.clone(), group: GROUP.to_owned(), topic }
    };

    let (outcomes, latch, queue) = (reader(Topic::Outcomes), health.latch("queue: outcomes"), campaigns.clone());
    tasks.spawn("outcomes", |shutdown| async move {
        let store = |records| apply(queue.clone(), records);
        outcomes.run(consumer::closing, store, &latch, &shutdown).await;
        Ok::<_, StorageError>(())
    });

    let (submissions, latch, queue) = (reader(Topic::Jobs), health.latch("queue: jobs"), campaigns.clone());
    let aside = journal.clone();
    tasks.spawn("jobs", |shutdown| async move {
        let store = |records| ingest(queue.clone(), aside.clone(), records);
        submissions.run(consumer::submission, store, &latch, &shutdown).await;
        Ok::<_, StorageError>(())
    });

    let (latch, queue) = (health.latch("queue: outbox"), campaigns.clone());
    tasks.spawn("outbox", |shutdown| async move {
        let look = queue.options.look();
        let task = Task { what: "send the outbox", latch, look, changes: Some(queue.follow()) };
        task.keep_doing(|| send(queue.clone(), journal.clone()), &shutdown).await;
        Ok::<_, StorageError>(())
    });

    let (latch, queue) = (health.latch("queue: leases"), campaigns.clone());
    tasks.spawn("leases", |shutdown| async move {
        let look = queue.options.look();
        let task = Task { what: "end leases", latch, look, changes: None };
        task.keep_doing(|| expire(queue.clone()), &shutdown).await;
        Ok::<_, StorageError>(())
    });
    campaigns
}

async fn apply(queue: Campaigns, records: Vec<Decoded<Closing>>) -> Result<(), StorageError> {
    queue.store.apply(GROUP, &records, queue.clock.wall(), &queue.options.retry(), &StageRules).await?;
    queue.changed();
    Ok(())
}

/// Stores submissions. An invalid one is quarantined before its offset is stored.
async fn ingest(queue: Campaigns, journal: Journal, mut records: Vec<Decoded<Submission>>) -> Result<(), StorageError> {
    let senseless = |record: &Decoded<Submission>| {
        let error = valid::whole(record.says.as_ref()?).err()?;
        Some((record.from.clone(), error.message))
    };
    let mut refused: Vec<(LogRecord, String)> = records.iter().filter_map(senseless).collect();
    loop {
        for (record, cause) in refused {
            let place = (record.topic, record.place);
            tracing::warn!(key = record.key, cause, "a job cannot be submitted, its record is put aside");
            journal.put_aside(record, cause).await?;
            let same = |other: &&mut Decoded<Submission>| (other.from.topic, other.from.place) == place;
            records.iter_mut().filter(same).for_each(|other| other.says = None);
        }
        refused = queue.store.ingest(GROUP, &records, queue.clock.wall()).await?;
        if refused.is_empty() {
            queue.changed();
            return Ok(());
        }
    }
}

/// Sends the first batch of the outbox; returns whether there may be more.
async fn send(queue: Campaigns, journal: Journal) -> Result<bool, StorageError> {
    let mut batch = queue.store.outbox(BATCH).await?;
    // Records of one job must stay in order, so they are not sent concurrently.
    let mut jobs = BTreeSet::new();
    let repeated = batch.iter().position(|(_, record)| !jobs.insert((record.campaign().clone(), record.job().clone())));
    batch.truncate(repeated.unwrap_or(batch.len()));
    if batch.is_empty() {
        return Ok(false);
    }
    let (numbers, records): (Vec<u64>, Vec<Closing>) = batch.into_iter().unzip();
    futures::future::try_join_all(records.into_iter().map(|record| journal.close(record))).await?;
    queue.store.sent(&numbers).await?;
    Ok(true)
}

/// Expires leases; returns whether there may be more.
async fn expire(queue: Campaigns) -> Result<bool, StorageError> {
    let ended = queue.store.expire(queue.clock.wall(), &queue.options.retry()).await?;
    if ended > 0 {
        tracing::warn!(jobs = ended, "crawlers gave no sign of life, their jobs are tried again");
        queue.changed();
    }
    Ok(false)
}

/// A periodic task.
struct Task {
    what: &'static str,
    latch: Latch,
    /// Pause when there is nothing left to do.
    look: Duration,
    /// Ends the pause early.
    changes: Option<watch::Receiver<u64>>,
}

impl Task {
    /// Repeats the work until asked to stop. Logs the first of several failures, and retries after a pause.
    async fn keep_doing<F>(mut self, work: impl Fn() -> F, shutdown: &CancellationToken)
    where
        F: Future<Output = Result<bool, StorageError>>,
    {
        // The back-off while it fails; none while it works.
        let mut failing = None;
        while !shutdown.is_cancelled() {
            let done = tokio::select! {
                biased;
                done = work() => done,
                () = shutdown.cancelled() => return,
            };
            let pause = match done {
                Ok(is_more) => {
                    self.latch.set();
                    if failing.take().is_some() {
                        tracing::info!(what = self.what, "it works again");
                    }
                    if is_more { Duration::ZERO } else { self.look }
                }
                Err(error) => {
                    self.latch.wait(error.to_string());
                    if failing.is_none() {
                        tracing::error!(what = self.what, %error, "it does not work now, trying again");
                    }
                    failing.get_or_insert_with(consumer::pauses).next().unwrap_or_default()
                }
            };
            tokio::select! {
                biased;
                () = self.pause(pause, failing.is_some()) => {}
                () = shutdown.cancelled() => return,
            }
        }
    }

    async fn pause(&mut self, pause: Duration, is_failing: bool) {
        match &mut self.changes {
            Some(changes) if !is_failing => {
                let _ = tokio::time::timeout(pause, changes.changed()).await;
            }
            _ => tokio::time::sleep(pause).await,
        }
    }
}
