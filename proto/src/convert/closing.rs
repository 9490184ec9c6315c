//! What ends attempts and jobs, and what could not be read.

use crate::envelope::Poison;
use crate::error::{Error, required};
use crate::v1;
use domain::campaign::{Closing, Failure, LostAttempt, Quarantined, Ticket};
use domain::storage::log::{LogPosition, LogRecord};
use domain::{CampaignId, Fence, JobId, SiteId};

impl From<&Closing> for v1::Closing {
    fn from(closing: &Closing) -> Self {
        use v1::closing::How;
        let how = match closing {
            Closing::Judged(outcome) => How::Judged(outcome.as_ref().into()),
            Closing::Quarantined(quarantined) => How::Quarantined(quarantined.into()),
            Closing::Cancelled { campaign, job, site } => {
                How::Cancelled(v1::Cancelled { campaign: campaign.0.clone(), job: job.0.clone(), site: site.0.clone() })
            }
            Closing::Reopened { campaign, job, fence } => {
                How::Reopened(v1::Reopened { campaign: campaign.0.clone(), job: job.0.clone(), fence: fence.0 })
            }
            Closing::Lost(lost) => How::Lost(lost.into()),
        };
        Self { how: Some(how) }
    }
}

impl TryFrom<v1::Closing> for Closing {
    type Error = Error;

    fn try_from(message: v1::Closing) -> Result<Self, Error> {
        use v1::closing::How;
        Ok(match required(message.how, "closing.how")? {
            How::Judged(outcome) => Closing::Judged(Box::new(outcome.try_into()?)),
            How::Quarantined(quarantined) => Closing::Quarantined(quarantined.try_into()?),
            How::Cancelled(v1::Cancelled { campaign, job, site }) => {
                Closing::Cancelled { campaign: CampaignId(campaign), job: JobId(job), site: SiteId(site) }
            }
            How::Reopened(v1::Reopened { campaign, job, fence }) => {
                Closing::Reopened { campaign: CampaignId(campaign), job: JobId(job), fence: Fence(fence) }
            }
            How::Lost(lost) => Closing::Lost(lost.try_into()?),
        })
    }
}

impl From<&Quarantined> for v1::Quarantined {
    fn from(quarantined: &Quarantined) -> Self {
        Self {
            campaign: quarantined.campaign.0.clone(),
            job: quarantined.job.0.clone(),
            site: quarantined.site.0.clone(),
            failure: v1::Failure::from(quarantined.failure).into(),
            causes: quarantined.causes.clone(),
            fence: quarantined.fence.0,
        }
    }
}

impl TryFrom<v1::Quarantined> for Quarantined {
    type Error = Error;

    fn try_from(message: v1::Quarantined) -> Result<Self, Error> {
        Ok(Self {
            failure: failure(message.failure(), "quarantined.failure")?,
            campaign: CampaignId(message.campaign),
            job: JobId(message.job),
            site: SiteId(message.site),
            causes: message.causes,
            fence: Fence(message.fence),
        })
    }
}

impl From<&LostAttempt> for v1::LostAttempt {
    fn from(lost: &LostAttempt) -> Self {
        Self {
            ticket: Some((&lost.ticket).into()),
            episode: lost.episode.to_string(),
            failure: v1::Failure::from(lost.failure).into(),
            cause: lost.cause.clone(),
            usage: Some(lost.usage.into()),
            wall_ms: lost.wall_ms,
        }
    }
}

impl TryFrom<v1::LostAttempt> for LostAttempt {
    type Error = Error;

    fn try_from(message: v1::LostAttempt) -> Result<Self, Error> {
        Ok(Self {
            failure: failure(message.failure(), "lost.failure")?,
            ticket: required(message.ticket, "lost.ticket")?.into(),
            episode: super::episode(&message.episode, "lost.episode")?,
            cause: message.cause,
            usage: required(message.usage, "lost.usage")?.into(),
            wall_ms: message.wall_ms,
        })
    }
}

impl From<&Ticket> for v1::Ticket {
    fn from(ticket: &Ticket) -> Self {
        Self { campaign: ticket.campaign.0.clone(), job: ticket.job.0.clone(), fence: ticket.fence.0 }
    }
}

impl From<v1::Ticket> for Ticket {
    fn from(message: v1::Ticket) -> Self {
        Self { campaign: CampaignId(message.campaign), job: JobId(message.job), fence: Fence(message.fence) }
    }
}

impl From<Failure> for v1::Failure {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::NoSlot => v1::Failure::NoSlot,
            Failure::SessionLost => v1::Failure::SessionLost,
            Failure::BrowserCrashed => v1::Failure::BrowserCrashed,
            Failure::WorkerLost => v1::Failure::WorkerLost,
            Failure::PlannerAway => v1::Failure::PlannerAway,
            Failure::Unusable => v1::Failure::Unusable,
        }
    }
}

fn failure(message: v1::Failure, field: &'static str) -> Result<Failure, Error> {
    match message {
        v1::Failure::Unspecified => Err(Error::Missing(field)),
        v1::Failure::NoSlot => Ok(Failure::NoSlot),
        v1::Failure::SessionLost => Ok(Failure::SessionLost),
        v1::Failure::BrowserCrashed => Ok(Failure::BrowserCrashed),
        v1::Failure::WorkerLost => Ok(Failure::WorkerLost),
        v1::Failure::PlannerAway => Ok(Failure::PlannerAway),
        v1::Failure::Unusable => Ok(Failure::Unusable),
    }
}

impl From<&Poison> for v1::Poison {
    fn from(poison: &Poison) -> Self {
        let LogRecord { topic, place, key, record, trace_parent } = &poison.from;
        Self {
            topic: topic.as_str().to_owned(),
            partition: place.partition,
            offset: place.offset,
            key: key.clone(),
            record: record.clone(),
            trace_parent: trace_parent.clone(),
            cause: poison.cause.clone(),
        }
    }
}

impl TryFrom<v1::Poison> for Poison {
    type Error = Error;

    fn try_from(message: v1::Poison) -> Result<Self, Error> {
        let v1::Poison { topic, partition, offset, key, record, trace_parent, cause } = message;
        let unknown = |_| Error::Invalid { field: "poison.topic", cause: format!("`{topic}` is no topic") };
        let topic = topic.parse().map_err(unknown)?;
        Ok(Self {
            from: LogRecord { topic, place: LogPosition { partition, offset }, key, record, trace_parent },
            cause,
        })
    }
}
