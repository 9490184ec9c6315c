//! The envelope of logged records: id, version, trace and time around the one thing that happened.

use crate::error::{Error, required};
use crate::v1;
use domain::campaign::Closing;
use domain::job::Outcome;
use domain::ledger::PageVisit;
use domain::state::{FrontierTicket, Transition, Version};
use domain::storage::jobs::Submission;
use domain::storage::log::LogRecord;
use domain::{CampaignId, EpisodeId, Fence, JobId, Step};
use prost::Message;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The version of the records that this program writes.
///
/// Version 1 knew steps without their campaign, and judged outcomes only; it can still be read.
pub const SCHEMA_VERSION: u32 = 2;

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
    Closing(Box<Closing>),
    /// Topic `jobs`.
    Submission(Box<Submission>),
    /// Topic `transitions`.
    TransitionTaken(Box<TransitionTaken>),
    /// Topic `visits`.
    PageVisit(Box<PageVisit>),
    /// Topic `quarantine`.
    Poison(Box<Poison>),
}

/// A step as it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct StepTaken {
    /// The campaign; empty in records of version 1.
    pub campaign: CampaignId,
    /// The job.
    pub job: JobId,
    /// The attempt.
    pub episode: EpisodeId,
    /// The fence that it ran under.
    pub fence: Fence,
    /// The step.
    pub step: Step,
}

/// What a browser did on a site, and where it led.
#[derive(Clone, Debug, PartialEq)]
pub struct TransitionTaken {
    /// The run.
    pub version: Version,
    /// The browser session.
    pub session: String,
    /// The number within the session of the observation that shows where it led.
    pub number: u64,
    /// The transition, counted once.
    pub transition: Transition,
    /// The claim on the frontier that was settled by it; none when none was, or when it was lost to somebody else before.
    pub settled: Option<FrontierTicket>,
}

/// A record that could not be worked with, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poison {
    /// The record as it was read.
    pub from: LogRecord,
    /// The cause, in a sentence.
    pub cause: String,
}

impl Envelope {
    /// An untraced envelope around a step; its id is made of the attempt and the step's number.
    pub fn of_step(taken: StepTaken, time: SystemTime) -> Self {
        let id = format!("{}/{}", taken.episode, taken.step.number);
        Self { id, trace_parent: String::new(), time, record: Record::StepTaken(Box::new(taken)) }
    }

    /// An untraced envelope around a verdict; its id is that of the attempt.
    pub fn of_outcome(outcome: Outcome, time: SystemTime) -> Self {
        Self::of_closing(Closing::Judged(Box::new(outcome)), time)
    }

    /// An untraced envelope around whatever ends an attempt or a job; its id says which, and how it ended.
    pub fn of_closing(closing: Closing, time: SystemTime) -> Self {
        let of_job = |how: &str| format!("{}/{}/{how}", closing.campaign(), closing.job());
        let id = match &closing {
            Closing::Judged(outcome) => outcome.episode.to_string(),
            Closing::Lost(lost) => format!("{}/lost", lost.episode),
            Closing::Quarantined(_) => of_job("quarantined"),
            Closing::Cancelled { .. } => of_job("cancelled"),
            Closing::Reopened { .. } => of_job("reopened"),
        };
        Self { id, trace_parent: String::new(), time, record: Record::Closing(Box::new(closing)) }
    }

    /// An envelope around a submission, of the submission's trace; its id is made of campaign and job.
    pub fn of_submission(submission: Submission, time: SystemTime) -> Self {
        let id = format!("{}/{}/submitted", submission.job.campaign, submission.job.id);
        let trace_parent = submission.trace_parent.clone();
        Self { id, trace_parent, time, record: Record::Submission(Box::new(submission)) }
    }

    /// An untraced envelope around a transition; its id is made of the site and of the observation's session and number.
    pub fn of_transition(taken: TransitionTaken, time: SystemTime) -> Self {
        let id = format!("{}/{}/{}", taken.version.site, taken.session, taken.number);
        Self { id, trace_parent: String::new(), time, record: Record::TransitionTaken(Box::new(taken)) }
    }

    /// An untraced envelope around a page that an exploration saw; its id is that of the visit.
    pub fn of_visit(visit: PageVisit, time: SystemTime) -> Self {
        let id = visit.id.clone();
        Self { id, trace_parent: String::new(), time, record: Record::PageVisit(Box::new(visit)) }
    }

    /// An envelope around a record that could not be worked with, of that record's trace; its id is the record's place.
    pub fn of_poison(poison: Poison, time: SystemTime) -> Self {
        let LogRecord { topic, place, trace_parent, .. } = &poison.from;
        let id = format!("{}/{}/{}/poison", topic.as_str(), place.partition, place.offset);
        Self { id, trace_parent: trace_parent.clone(), time, record: Record::Poison(Box::new(poison)) }
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
            campaign: taken.campaign.0.clone(),
        }),
        Record::Closing(closing) => v1::envelope::Payload::Closing(closing.as_ref().into()),
        Record::Submission(submission) => v1::envelope::Payload::Submission(submission.as_ref().into()),
        Record::TransitionTaken(taken) => v1::envelope::Payload::TransitionTaken(v1::TransitionTaken {
            version: Some((&taken.version).into()),
            session: taken.session.clone(),
            number: taken.number,
            transition: Some((&taken.transition).into()),
            settled: taken.settled.as_ref().map(Into::into),
        }),
        Record::PageVisit(visit) => v1::envelope::Payload::PageVisit(v1::PageVisit {
            campaign: visit.campaign.0.clone(),
            job: visit.job.0.clone(),
            record: visit.record.clone(),
        }),
        Record::Poison(poison) => v1::envelope::Payload::Poison(poison.as_ref().into()),
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
            campaign: CampaignId(taken.campaign),
            job: JobId(taken.job),
            episode: crate::convert::episode(&taken.episode, "step_taken.episode")?,
            fence: Fence(taken.fence),
            step: required(taken.step, "step_taken.step")?.try_into()?,
        })),
        v1::envelope::Payload::Outcome(outcome) => {
            Record::Closing(Box::new(Closing::Judged(Box::new(outcome.try_into()?))))
        }
        v1::envelope::Payload::Closing(closing) => Record::Closing(Box::new(closing.try_into()?)),
        v1::envelope::Payload::Submission(submission) => Record::Submission(Box::new(submission.try_into()?)),
        v1::envelope::Payload::TransitionTaken(taken) => Record::TransitionTaken(Box::new(TransitionTaken {
            version: required(taken.version, "transition_taken.version")?.into(),
            session: taken.session,
            number: taken.number,
            transition: required(taken.transition, "transition_taken.transition")?.try_into()?,
            settled: taken.settled.map(TryInto::try_into).transpose()?,
        })),
        v1::envelope::Payload::PageVisit(visit) => Record::PageVisit(Box::new(PageVisit {
            campaign: CampaignId(visit.campaign),
            job: JobId(visit.job),
            id: message.id.clone(),
            record: visit.record,
        })),
        v1::envelope::Payload::Poison(poison) => Record::Poison(Box::new(poison.try_into()?)),
    };
    Ok(Envelope {
        id: message.id,
        trace_parent: message.trace_parent,
        time: UNIX_EPOCH + Duration::from_millis(message.time_ms),
        record,
    })
}
