//! Reads a group's records and has their effects stored, batch by batch, each until it is stored.
//!
//! What cannot be read is put aside in topic `quarantine` with its cause; only then its offset is stored with the others.

use crate::journal::Journal;
use domain::campaign::Closing;
use domain::storage::StorageError;
use domain::storage::jobs::{Decoded, Submission};
use domain::storage::log::{EventLog, LogRecord, Offsets, Topic};
use domain::storage::results::Spent;
use platform::health::Latch;
use platform::telemetry;
use proto::Record;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tracing::Span;

/// Records in one transaction at most.
const BATCH: usize = 500;

/// How long to wait for records before looking whether to end.
const WAIT: Duration = Duration::from_millis(500);

/// Pauses between tries when something behind is away.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(3));

/// A member of a group of consumers.
pub struct Consumer {
    /// The log.
    pub log: Arc<dyn EventLog>,
    /// Where the group's offsets are: in the database that holds the effects.
    pub offsets: Arc<dyn Offsets>,
    /// Writes down what cannot be read.
    pub journal: Journal,
    /// The group.
    pub group: String,
    /// What it reads.
    pub topic: Topic,
}

impl Consumer {
    /// Reads until asked to end. `decode` makes something of a record's bytes; `store` stores effects and offsets of a batch
    /// in one transaction, and is called again after a while when it fails.
    pub async fn run<T, F>(
        &self,
        decode: impl Fn(&[u8]) -> Result<T, String>,
        store: impl Fn(Vec<Decoded<T>>) -> F,
        latch: &Latch,
        shutdown: &CancellationToken,
    ) where
        T: Send,
        F: Future<Output = Result<(), StorageError>>,
    {
        let mut pause = PAUSES.0;
        let mut reported = false;
        while !shutdown.is_cancelled() {
            let Err(error) = self.read(&decode, &store, latch, shutdown, &mut pause, &mut reported).await else {
                return;
            };
            latch.wait(error.to_string());
            if !reported {
                reported = true;
                let (topic, group) = (self.topic.as_str(), &self.group);
                tracing::error!(%error, topic, group, "records cannot be worked with now, trying again");
            }
            tokio::select! {
                biased;
                () = tokio::time::sleep(pause) => pause = PAUSES.1.min(pause * 2),
                () = shutdown.cancelled() => return,
            }
        }
    }

    async fn read<T, F>(
        &self,
        decode: &impl Fn(&[u8]) -> Result<T, String>,
        store: &impl Fn(Vec<Decoded<T>>) -> F,
        latch: &Latch,
        shutdown: &CancellationToken,
        pause: &mut Duration,
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
            *pause = PAUSES.0;
            if std::mem::take(reported) {
                tracing::info!(topic = self.topic.as_str(), group = self.group, "records are worked with again");
            }
        }
    }

    /// Tells the work with a record in the trace that the record belongs to.
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
        decode: &impl Fn(&[u8]) -> Result<T, String>,
    ) -> Result<Decoded<T>, StorageError> {
        match decode(&from.record) {
            Ok(says) => Ok(Decoded { from, says: Some(says) }),
            Err(cause) => {
                let (topic, partition, offset) = (from.topic.as_str(), from.place.partition, from.place.offset);
                tracing::warn!(topic, partition, offset, cause, "a record cannot be read, it is put aside");
                self.journal.put_aside(from.clone(), cause).await?;
                Ok(Decoded { from, says: None })
            }
        }
    }
}

/// What a record of topic `outcomes` says.
///
/// # Errors
/// A sentence about what is wrong with it.
pub fn closing(record: &[u8]) -> Result<Closing, String> {
    match read(record)? {
        Record::Closing(closing) => Ok(*closing),
        _ => Err("it ends neither an attempt nor a job".to_owned()),
    }
}

/// What a record of topic `jobs` says.
///
/// # Errors
/// A sentence about what is wrong with it.
pub fn submission(record: &[u8]) -> Result<Submission, String> {
    match read(record)? {
        Record::Submission(submission) => Ok(*submission),
        _ => Err("it is no submission".to_owned()),
    }
}

/// What the step in a record of topic `trajectories` cost.
///
/// # Errors
/// A sentence about what is wrong with it.
pub fn spent(record: &[u8]) -> Result<Spent, String> {
    match read(record)? {
        Record::StepTaken(taken) => Ok(Spent {
            campaign: taken.campaign,
            job: taken.job,
            episode: taken.episode,
            fence: taken.fence,
            step: taken.step.number,
            usage: taken.step.usage,
        }),
        _ => Err("it is no step".to_owned()),
    }
}

fn read(record: &[u8]) -> Result<Record, String> {
    proto::decode(record).map(|envelope| envelope.record).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::MemoryLog;
    use async_trait::async_trait;
    use domain::campaign::Closing;
    use domain::storage::log::NewRecord;
    use domain::{CampaignId, JobId, SiteId};
    use platform::SystemClock;
    use platform::health::Health;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

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
            let mut failures = self.failures.lock().unwrap();
            if *failures > 0 {
                *failures -= 1;
                return Err(StorageError::Unavailable("the database is away".into()));
            }
            let mut stored = self.stored.lock().unwrap();
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
            Ok(self.stored.lock().unwrap().1.clone())
        }
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
        *store.failures.lock().unwrap() = 2;
        let offsets: Arc<dyn Offsets> = store.clone();
        let (group, topic) = ("test".to_owned(), Topic::Outcomes);
        let consumer = Consumer { log: log.clone(), offsets, journal, group, topic };
        let (health, shutdown) = (Health::default(), CancellationToken::new());
        let latch = health.latch("outcomes");
        let all_stored = async {
            while store.stored.lock().unwrap().0.len() < 3 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            shutdown.cancel();
        };
        let into = |records: Vec<Decoded<Closing>>| {
            let store = store.clone();
            async move { store.store(&records) }
        };
        tokio::join!(consumer.run(closing, into, &latch, &shutdown), all_stored);
        let jobs = store.stored.lock().unwrap().0.clone();
        assert_eq!(jobs, [Some(JobId::new("a")), None, Some(JobId::new("c"))]);
        let aside = log.read(Topic::Quarantine, 0, 0, 10).await.unwrap();
        assert!(!aside.is_empty(), "the record that cannot be read is lost");
        let Record::Poison(poison) = read(&aside[0].record).unwrap() else { panic!("no poison") };
        assert_eq!((poison.from.place.offset, poison.from.record.as_slice()), (1, b"\xff\xff".as_slice()));
        assert!(health.standing().is_ready());
    }
}
