//! The envelope of logged records: id, version, trace and time around the one thing that happened.

use crate::error::{Error, required};
use crate::v1;
use domain::job::Outcome;
use domain::{EpisodeId, Fence, JobId, Step};
use prost::Message;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The version of the records that this program writes.
pub const SCHEMA_VERSION: u32 = 1;

/// A record with what surrounds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// Unique; a record that is delivered twice has the same id twice.
    pub id: String,
    /// W3C trace context; empty where the work was not traced.
    pub trace_parent: String,
    /// When it was written, to the millisecond.
    pub time: SystemTime,
    /// What happened.
    pub record: Record,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// Topic `trajectories`.
    StepTaken(Box<StepTaken>),
    /// Topic `outcomes`.
    Outcome(Box<Outcome>),
}

/// A step as it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTaken {
    /// The job.
    pub job: JobId,
    /// The attempt.
    pub episode: EpisodeId,
    /// The fence that it ran under.
    pub fence: Fence,
    /// The step.
    pub step: Step,
}

impl Envelope {
    /// An untraced envelope around a step; its id is made of the attempt and the step's number.
    pub fn of_step(taken: StepTaken, time: SystemTime) -> Self {
        let id = format!("{}/{}", taken.episode, taken.step.number);
        Self { id, trace_parent: String::new(), time, record: Record::StepTaken(Box::new(taken)) }
    }

    /// An untraced envelope around an outcome; its id is that of the attempt.
    pub fn of_outcome(outcome: Outcome, time: SystemTime) -> Self {
        let id = outcome.episode.to_string();
        Self { id, trace_parent: String::new(), time, record: Record::Outcome(Box::new(outcome)) }
    }
}

/// The bytes of a record.
pub fn encode(envelope: &Envelope) -> Vec<u8> {
    let payload = match &envelope.record {
        Record::StepTaken(taken) => v1::envelope::Payload::StepTaken(v1::StepTaken {
            job: taken.job.0.clone(),
            episode: taken.episode.to_string(),
            fence: taken.fence.0,
            step: Some((&taken.step).into()),
        }),
        Record::Outcome(outcome) => v1::envelope::Payload::Outcome(outcome.as_ref().into()),
    };
    let time = envelope.time.duration_since(UNIX_EPOCH).unwrap_or_default();
    v1::Envelope {
        id: envelope.id.clone(),
        schema_version: SCHEMA_VERSION,
        trace_parent: envelope.trace_parent.clone(),
        time_ms: time.as_millis() as u64,
        payload: Some(payload),
    }
    .encode_to_vec()
}

/// The record of some bytes.
///
/// # Errors
/// [`Error`], which names the field at fault.
pub fn decode(bytes: &[u8]) -> Result<Envelope, Error> {
    let message = v1::Envelope::decode(bytes).map_err(|error| Error::Malformed(error.to_string()))?;
    if message.schema_version > SCHEMA_VERSION {
        return Err(Error::Newer { found: message.schema_version, known: SCHEMA_VERSION });
    }
    let record = match required(message.payload, "envelope.payload")? {
        v1::envelope::Payload::StepTaken(taken) => Record::StepTaken(Box::new(StepTaken {
            job: JobId(taken.job),
            episode: crate::convert::episode(&taken.episode, "step_taken.episode")?,
            fence: Fence(taken.fence),
            step: required(taken.step, "step_taken.step")?.try_into()?,
        })),
        v1::envelope::Payload::Outcome(outcome) => Record::Outcome(Box::new(outcome.try_into()?)),
    };
    Ok(Envelope {
        id: message.id,
        trace_parent: message.trace_parent,
        time: UNIX_EPOCH + Duration::from_millis(message.time_ms),
        record,
    })
}
