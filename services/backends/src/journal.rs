//! The typed writer of the log: encodes events into records.

use domain::campaign::{Closing, Ticket};
use domain::ledger::PageVisit;
use domain::storage::StorageError;
use domain::storage::jobs::Submission;
use domain::storage::log::{EventLog, LogPosition, LogRecord, NewRecord, Offsets, Topic};
use domain::{CampaignId, EpisodeId, JobId, Step};
use platform::clock::Clock;
use platform::telemetry::{self, current_trace_parent};
use proto::{Envelope, Poison};
use std::collections::BTreeMap;
use std::sync::Arc;
use tracing::Instrument;

pub use proto::{StepTaken, TransitionTaken};

/// Writes records into the log.
#[derive(Clone)]
pub struct Journal {
    log: Arc<dyn EventLog>,
    clock: Arc<dyn Clock>,
}

impl Journal {
    /// A journal over a log.
    pub fn new(log: Arc<dyn EventLog>, clock: Arc<dyn Clock>) -> Self {
        Self { log, clock }
    }

    /// Appends a step.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn step(&self, ticket: &Ticket, episode: EpisodeId, step: Step) -> Result<(), StorageError> {
        let Ticket { campaign, job, fence } = ticket.clone();
        let key = key(&campaign, &job);
        let taken = StepTaken { campaign, job, episode, fence, step };
        self.write(Topic::Trajectories, key, Envelope::of_step(taken, self.clock.wall())).await.map(drop)
    }

    /// Appends what ended an attempt or a job. It counts once this returns.
    ///
    /// # Errors
    /// [`StorageError`]; then it may or may not count.
    pub async fn close(&self, closing: Closing) -> Result<(), StorageError> {
        let key = key(closing.campaign(), closing.job());
        self.write(Topic::Outcomes, key, Envelope::of_closing(closing, self.clock.wall())).await.map(drop)
    }

    /// Submits a job through the log; returns its record's position.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn submit(&self, submission: Submission) -> Result<LogPosition, StorageError> {
        let key = key(&submission.job.campaign, &submission.job.id);
        self.write(Topic::Jobs, key, Envelope::of_submission(submission, self.clock.wall())).await
    }

    /// Appends a transition on a site.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn transition(&self, taken: TransitionTaken) -> Result<(), StorageError> {
        let key = taken.version.site.0.clone();
        self.write(Topic::Transitions, key, Envelope::of_transition(taken, self.clock.wall())).await.map(drop)
    }

    /// Appends a page that an exploration saw.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn visit(&self, visit: PageVisit) -> Result<(), StorageError> {
        let key = key(&visit.campaign, &visit.job);
        self.write(Topic::Visits, key, Envelope::of_visit(visit, self.clock.wall())).await.map(drop)
    }

    /// Up to where a group of consumers must work to have worked with all records of a campaign that stand in a topic now: an offset for
    /// each partition in which it has not.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn ahead(
        &self,
        (group, offsets): (&str, &dyn Offsets),
        topic: Topic,
        campaign: &CampaignId,
    ) -> Result<BTreeMap<u32, u64>, StorageError> {
        const AT_ONCE: usize = 500;
        let stored = offsets.offsets(group, topic).await?;
        let of_campaign = format!("{campaign}/");
        let mut ahead = BTreeMap::new();
        for partition in 0..self.log.partitions(topic).await? {
            let mut next = stored.get(&partition).copied().unwrap_or_default();
            loop {
                let waiting = self.log.read(topic, partition, next, AT_ONCE).await?;
                if let Some(last) = waiting.iter().rfind(|record| record.key.starts_with(&of_campaign)) {
                    ahead.insert(partition, last.place.offset + 1);
                }
                let Some(last) = waiting.last() else { break };
                next = last.place.offset + 1;
            }
        }
        Ok(ahead)
    }

    /// Appends an unusable record to the quarantine, with the cause.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn put_aside(&self, from: LogRecord, cause: String) -> Result<(), StorageError> {
        let key = format!("{}/{}/{}", from.topic.as_str(), from.place.partition, from.place.offset);
        let poison = Envelope::of_poison(Poison { from, cause }, self.clock.wall());
        self.write(Topic::Quarantine, key, poison).await.map(drop)
    }

    async fn write(&self, topic: Topic, key: String, envelope: Envelope) -> Result<LogPosition, StorageError> {
        // For traces only: log lines name their job anyway.
        let span = tracing::debug_span!("append", topic = topic.as_str(), key);
        telemetry::set_parent(&span, &envelope.trace_parent);
        self.append(topic, key, envelope).instrument(span).await
    }

    async fn append(&self, topic: Topic, key: String, envelope: Envelope) -> Result<LogPosition, StorageError> {
        // A process that sends no traces passes the caller's trace on.
        let here = current_trace_parent();
        let trace_parent = if here.is_empty() { envelope.trace_parent.clone() } else { here };
        let envelope = Envelope { trace_parent: trace_parent.clone(), ..envelope };
        self.log.append(topic, NewRecord { key, record: proto::encode(&envelope), trace_parent }).await
    }
}

/// The id of a record of topic `transitions`, and what it says.
///
/// # Errors
/// A sentence about what is wrong with it.
pub fn transition(record: &[u8]) -> Result<(String, TransitionTaken), String> {
    let envelope = proto::decode(record).map_err(|error| error.to_string())?;
    match envelope.record {
        proto::Record::TransitionTaken(taken) => Ok((envelope.id, *taken)),
        _ => Err("it is no transition".to_owned()),
    }
}

/// The partition key, which orders the records of a job.
fn key(campaign: &CampaignId, job: &JobId) -> String {
    format!("{campaign}/{job}")
}
