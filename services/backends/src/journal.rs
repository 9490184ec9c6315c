//! The typed side of the log: steps and outcomes in, steps and outcomes out. Encoding is the wire's business.

use domain::storage::{EventLog, StorageError, Topic};
use domain::{CampaignId, EpisodeId, Fence, JobId, Step};
use platform::clock::Clock;
use proto::{Envelope, Record};
use std::sync::Arc;

pub use proto::StepTaken;

/// Writes and reads the records of the log.
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

    /// Writes down a step as it happened.
    ///
    /// # Errors
    /// [`StorageError`].
    pub async fn step(&self, job: &JobId, episode: EpisodeId, fence: Fence, step: &Step) -> Result<(), StorageError> {
        let taken = StepTaken { campaign: CampaignId::new(""), job: job.clone(), episode, fence, step: step.clone() };
        let record = proto::encode(&Envelope::of_step(taken, self.clock.wall()));
        self.log.append(Topic::Trajectories, job.as_str(), &record).await?;
        Ok(())
    }

    /// Up to `limit` steps from an offset on, each with its offset.
    ///
    /// # Errors
    /// [`StorageError::Corrupt`] names the offset of a record that cannot be read.
    pub async fn steps(&self, from: u64, limit: usize) -> Result<Vec<(u64, StepTaken)>, StorageError> {
        let records = self.log.read(Topic::Trajectories, from, limit).await?;
        let mut steps = Vec::with_capacity(records.len());
        for record in records {
            let offset = record.offset;
            match proto::decode(&record.record) {
                Ok(Envelope { record: Record::StepTaken(taken), .. }) => steps.push((offset, *taken)),
                Ok(_) => return Err(corrupt(offset, "it is no step")),
                Err(error) => return Err(corrupt(offset, &error.to_string())),
            }
        }
        Ok(steps)
    }
}

fn corrupt(offset: u64, cause: &str) -> StorageError {
    StorageError::Corrupt(format!("read step at offset {offset} of topic `{}`: {cause}", Topic::Trajectories.as_str()))
}
