//! Consumes a group's records: stores the effects of each batch together with its offsets, retrying until it succeeds.
//!
//! An unreadable record goes to topic `quarantine` with its cause; only then its offset is stored. A record of a newer
//! version is waited for instead: during an upgrade an instance of that version will read it.

use crate::journal::Journal;
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use domain::campaign::Closing;
use domain::ledger::PageVisit;
use domain::storage::StorageError;
use domain::storage::jobs::{Decoded, Submission};
use domain::storage::log::{EventLog, LogRecord, Offsets, Topic};
use domain::storage::results::StepCost;
use platform::health::Latch;
use platform::telemetry;
use proto::{Error, Record};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tracing::Span;

/// Records in one transaction at most.
const BATCH: usize = 500;

/// Longest wait for records between two checks of the shutdown token.
const WAIT: Duration = Duration::from_millis(500);

/// Longest name in a key, in bytes: a key of four of them fits a Postgres index.
const LONGEST_NAME: usize = 600;

/// Back-off while a dependency is away: pauses grow to three seconds, without end.
pub fn pauses() -> ExponentialBackoff {
    const GROWING: ExponentialBuilder = ExponentialBuilder::new()
        .with_min_delay(Duration::from_millis(100))
        .with_max_delay(Duration::from_secs(3))
        .without_max_times();
    GROWING.build()
}

/// A member of a group of consumers.
pub struct Consumer {
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// The group's offsets, in the database that holds the effects.
    pub offsets: Arc<dyn Offsets>,
    /// Records what cannot be read.
    pub journal: Journal,
    /// The group.
    pub group: String,
    /// What it reads.
    pub topic: Topic,
}

impl Consumer {
    /// Reads until asked to stop. `decode` parses a record; `store` stores the effects and offsets of a batch in one
    /// transaction, and is retried when it fails.
    pub async fn run<T, F>(
        &self,
        decode: impl Fn(&[u8]) -> Result<T, Error>,
        store: impl Fn(Vec<Decoded<T>>) -> F,
        latch: &Latch,
        shutdown: &CancellationToken,
    ) where
        T: Send,
        F: Future<Output = Result<(), StorageError>>,
    {
        let mut pauses = pauses();
        let mut reported = false;
        while !shutdown.is_cancelled() {
            let Err(error) = self.read(&decode, &store, latch, shutdown, &mut pauses, &mut reported).await else {
                return;
            };
            latch.wait(error.to_string());
            if !reported {
                reported = true;
                let (topic, group) = (self.topic.as_str(), &self.group);
                tracing::error!(%error, topic, group, "records cannot be worked with now, trying again");
            }
            let pause = pauses.next().unwrap_or_default();
            tokio::select! {
                biased;
                () = tokio::time::sleep(pause) => {}
                () = shutdown.cancelled() => return,
            }
        }
    }

    async fn read<T, F>(
        &self,
        decode: &impl Fn(&[u8]) -> Result<T, Error>,
        store: &impl Fn(Vec<Decoded<T>>) -> F,
        latch: &Latch,
        shutdown: &CancellationToken,
        pauses: &mut ExponentialBackoff,
        reported: &mut bool,
    ) -> Result<(), StorageError>
    where
        F: Future<Output = Result<(), StorageError>>,
    {
        let mut records = self.log.subscribe(&self.group, &[self.topic], self.offsets.clone()).await?;
        loop {
            let batch = tokio::select! {
                biased;
                () = shutdown.cancelled() => return Ok(()),
                batch = records.next(BATCH, WAIT) => batch?,
            };
            latch.set();
            if batch.is_empty() {
                continue;
            }
            // Each record's span lasts until its effect is stored.
            let spans: Vec<Span> = batch.iter().map(|record| self.traced(record)).collect();
            let mut decoded = Vec::with_capacity(batch.len());
            for from in batch {
                decoded.push(self.decoded(from, decode).await?);
            }
            store(decoded).await?;
            drop(spans);
            *pauses = self::pauses();
            if std::mem::take(reported) {
                tracing::info!(topic = self.topic.as_str(), group = self.group, "records are worked with again");
            }
        }
    }

    /// A span for the handling of a record, in the record's own trace.
    fn traced(&self, record: &LogRecord) -> Span {
        if record.trace_parent.is_empty() {
            return Span::none();
        }
        let LogRecord { topic, place, key, .. } = record;
        let (partition, offset) = (place.partition, place.offset);
        let span = tracing::info_span!("consume", group = self.group, topic = topic.as_str(), partition, offset, key);
        telemetry::set_parent(&span, &record.trace_parent);
        span
    }

    async fn decoded<T>(
        &self,
        from: LogRecord,
        decode: &impl Fn(&[u8]) -> Result<T, Error>,
    ) -> Result<Decoded<T>, StorageError> {
        match decode(&from.record) {
            Ok(says) => Ok(Decoded { from, says: Some(says) }),
            Err(newer @ Error::Newer { .. }) => {
                let LogRecord { topic, place, .. } = &from;
                let (topic, partition, offset) = (topic.as_str(), place.partition, place.offset);
                Err(StorageError::Corrupt(format!(
                    "record {offset} of topic `{topic}`, partition {partition}: {newer}"
                )))
            }
            Err(cause) => {
                let (topic, partition, offset) = (from.topic.as_str(), from.place.partition, from.place.offset);
                tracing::warn!(topic, partition, offset, %cause, "a record cannot be read, it is put aside");
                self.journal.put_aside(from.clone(), cause.to_string()).await?;
                Ok(Decoded { from, says: None })
            }
        }
    }
}

/// Parses a record of topic `outcomes`.
///
/// # Errors
/// [`Error`], which names what is wrong with it.
pub fn closing(record: &[u8]) -> Result<Closing, Error> {
    match read(record)? {
        Record::Closing(closing) => storable(*closing),
        _ => Err(other("it ends neither an attempt nor a job")),
    }
}

/// Parses a record of topic `jobs`.
///
/// # Errors
/// [`Error`], which names what is wrong with it.
pub fn submission(record: &[u8]) -> Result<Submission, Error> {
    match read(record)? {
        Record::Submission(submission) => Ok(*submission),
        _ => Err(other("it is no submission")),
    }
}

/// Parses the cost of a step from a record of topic `trajectories`.
///
/// # Errors
/// [`Error`], which names what is wrong with it.
pub fn spent(record: &[u8]) -> Result<StepCost, Error> {
    match read(record)? {
        Record::StepTaken(taken) => Ok(StepCost {
            campaign: taken.campaign,
            job: taken.job,
            episode: taken.episode,
            fence: taken.fence,
            step: taken.step.number,
            usage: taken.step.usage,
        }),
        _ => Err(other("it is no step")),
    }
}

/// Parses a record of topic `visits`.
///
/// # Errors
/// [`Error`], which names what is wrong with it.
pub fn visit(record: &[u8]) -> Result<PageVisit, Error> {
    let Record::PageVisit(visit) = read(record)? else { return Err(other("it is no page that was seen")) };
    let names =
        [("visit.campaign", visit.campaign.as_str()), ("envelope.id", &visit.id), ("visit.job", visit.job.as_str())];
    check_names(&names)?;
    if visit.record.contains('\0') {
        return Err(Error::Invalid { field: "visit.record", cause: "it contains a zero byte".to_owned() });
    }
    Ok(*visit)
}

fn read(record: &[u8]) -> Result<Record, Error> {
    proto::decode(record).map(|envelope| envelope.record)
}

/// Refuses a record whose names are too long for table keys: its consumer would retry for ever.
fn storable(closing: Closing) -> Result<Closing, Error> {
    let mut names = vec![("closing.campaign", closing.campaign().as_str()), ("closing.job", closing.job().as_str())];
    if let Closing::Judged(outcome) = &closing {
        names.push(("outcome.site", outcome.site.as_str()));
        names.push(("outcome.task", outcome.task.as_str()));
        names.push(("outcome.planner", &outcome.planner));
    }
    check_names(&names)?;
    Ok(closing)
}

/// Refuses names that no table takes.
fn check_names(names: &[(&'static str, &str)]) -> Result<(), Error> {
    for &(field, name) in names {
        if name.len() > LONGEST_NAME {
            let cause = format!("it has {} bytes, more than {LONGEST_NAME}", name.len());
            return Err(Error::Invalid { field, cause });
        }
        if name.contains('\0') {
            return Err(Error::Invalid { field, cause: "it contains a zero byte".to_owned() });
        }
    }
    Ok(())
}

/// A record that belongs to another topic.
fn other(cause: &str) -> Error {
    Error::Invalid { field: "envelope.payload", cause: cause.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::MemoryLog;
    use async_trait::async_trait;
    use domain::campaign::Closing;
    use domain::storage::log::NewRecord;
    use domain::{CampaignId, JobId, SiteId};
    use parking_lot::Mutex;
    use platform::SystemClock;
    use platform::clock::Clock;
    use platform::health::Health;
    use std::collections::BTreeMap;

    /// The jobs of the records in their order, and the offsets after them.
    type Stored = (Vec<Option<JobId>>, BTreeMap<u32, u64>);

    /// Stores effects and offsets together; fails as often as it is told to.
    #[derive(Default)]
    struct Store {
        failures: Mutex<usize>,
        stored: Mutex<Stored>,
    }

    impl Store {
        fn store(&self, records: &[Decoded<Closing>]) -> Result<(), StorageError> {
            let mut failures = self.failures.lock();
            if *failures > 0 {
                *failures -= 1;
                return Err(StorageError::Unavailable("the database is away".into()));
            }
            let mut stored = self.stored.lock();
            for record in records {
                stored.0.push(record.says.as_ref().map(|closing| closing.job().clone()));
                stored.1.insert(record.from.place.partition, record.from.place.offset + 1);
            }
            Ok(())
        }
    }

    #[async_trait]
    impl Offsets for Store {
        async fn offsets(&self, _: &str, _: Topic) -> Result<BTreeMap<u32, u64>, StorageError> {
            Ok(self.stored.lock().1.clone())
        }
    }

    fn reader(log: &Arc<dyn EventLog>, store: &Arc<Store>, journal: Journal) -> Consumer {
        let offsets: Arc<dyn Offsets> = store.clone();
        Consumer { log: log.clone(), offsets, journal, group: "test".to_owned(), topic: Topic::Outcomes }
    }

    fn cancelled(job: &str) -> Closing {
        Closing::Cancelled { campaign: CampaignId::new("c"), job: JobId::new(job), site: SiteId::new("s") }
    }

    #[tokio::test]
    async fn a_batch_is_stored_once_although_its_store_failed_and_what_cannot_be_read_is_put_aside() {
        let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new(1));
        let journal = Journal::new(log.clone(), Arc::new(SystemClock::default()));
        journal.close(cancelled("a")).await.unwrap();
        let poison = NewRecord { key: "c/b".into(), record: b"\xff\xff".to_vec(), trace_parent: String::new() };
        log.append(Topic::Outcomes, poison).await.unwrap();
        journal.close(cancelled("c")).await.unwrap();

        let store = Arc::new(Store::default());
        *store.failures.lock() = 2;
        let consumer = reader(&log, &store, journal);
        let (health, shutdown) = (Health::default(), CancellationToken::new());
        let latch = health.latch("outcomes");
        let all_stored = async {
            while store.stored.lock().0.len() < 3 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            shutdown.cancel();
        };
        let into = |records: Vec<Decoded<Closing>>| {
            let store = store.clone();
            async move { store.store(&records) }
        };
        tokio::join!(consumer.run(closing, into, &latch, &shutdown), all_stored);
        let jobs = store.stored.lock().0.clone();
        assert_eq!(jobs, [Some(JobId::new("a")), None, Some(JobId::new("c"))]);
        let aside = log.read(Topic::Quarantine, 0, 0, 10).await.unwrap();
        assert!(!aside.is_empty(), "the record that cannot be read is lost");
        let Record::Poison(poison) = read(&aside[0].record).unwrap() else { panic!("no poison") };
        assert_eq!((poison.from.place.offset, poison.from.record.as_slice()), (1, b"\xff\xff".as_slice()));
        assert!(health.standing().is_ready());
    }

    #[tokio::test]
    async fn what_a_newer_version_wrote_is_waited_for_and_neither_put_aside_nor_passed_over() {
        let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new(1));
        let journal = Journal::new(log.clone(), Arc::new(SystemClock::default()));
        journal.close(cancelled("a")).await.unwrap();
        let mut newer = log.read(Topic::Outcomes, 0, 0, 1).await.unwrap().remove(0).record;
        newer.extend([0x10, 99]); // field 2, the schema version, once more: the last one counts
        let newer = NewRecord { key: "c/b".into(), record: newer, trace_parent: String::new() };
        log.append(Topic::Outcomes, newer).await.unwrap();

        let store = Arc::new(Store::default());
        let consumer = reader(&log, &store, journal);
        let (health, shutdown) = (Health::default(), CancellationToken::new());
        let latch = health.latch("outcomes");
        let named = async {
            loop {
                let said = health.standing().waiting_for.join(" ");
                if said.contains("version 99") && said.contains("record 1 of topic `outcomes`") {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            shutdown.cancel();
        };
        let into = |records: Vec<Decoded<Closing>>| {
            let store = store.clone();
            async move { store.store(&records) }
        };
        tokio::join!(consumer.run(closing, into, &latch, &shutdown), named);
        let next = store.stored.lock().1.get(&0).copied();
        assert!(next.is_none_or(|next| next <= 1), "it was passed over: {next:?}");
        assert!(log.read(Topic::Quarantine, 0, 0, 10).await.unwrap().is_empty(), "it was put aside");
    }

    #[test]
    fn an_end_whose_names_no_table_takes_is_refused() {
        for name in ["a\0b".to_owned(), "a".repeat(LONGEST_NAME + 1)] {
            let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
            let record = proto::encode(&proto::Envelope::of_closing(cancelled(&name), clock.wall()));
            let refused = closing(&record).unwrap_err().to_string();
            assert!(refused.contains("closing.job"), "{refused}");
        }
    }
}
