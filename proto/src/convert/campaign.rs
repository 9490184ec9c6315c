//! Campaigns: their settings, how they stand, and claims on their jobs.

use super::NOTHING;
use crate::error::{Error, required};
use crate::v1;
use domain::campaign::{
    AttemptLimits, Budget, Campaign, CampaignStatus, ClaimRequest, Grant, PlannerOptions, PlannerRef, Rate, Tally,
    Waiting, Wish, WorkKind,
};
use domain::service::QuarantineVerdict;
use domain::{CampaignId, Fence};
use serde_json::Value;
use std::time::{Duration, SystemTime};

impl From<&Campaign> for v1::Campaign {
    fn from(campaign: &Campaign) -> Self {
        let Campaign { id, planner, priority, share, rates, limits, budget, labels, stages } = campaign;
        let rate = |rate: &Rate| v1::Rate { per_second: rate.per_second, burst: rate.burst };
        Self {
            id: id.0.clone(),
            planner: Some(planner.into()),
            priority: *priority,
            share: *share,
            rates: rates.iter().map(|(host, of_host)| (host.clone(), rate(of_host))).collect(),
            budget: Some(v1::Budget { usd: budget.usd, tokens: budget.tokens }),
            labels: labels.clone(),
            limits: Some(v1::AttemptLimits { steps: limits.steps, seconds: limits.seconds }),
            stages: stages.as_ref().map(Into::into),
        }
    }
}

impl TryFrom<v1::Campaign> for Campaign {
    type Error = Error;

    fn try_from(message: v1::Campaign) -> Result<Self, Error> {
        let budget = required(message.budget, "campaign.budget")?;
        let limits = message.limits.unwrap_or_default();
        let rate = |rate: v1::Rate| Rate { per_second: rate.per_second, burst: rate.burst };
        Ok(Self {
            id: CampaignId(message.id),
            planner: required(message.planner, "campaign.planner")?.try_into()?,
            priority: message.priority,
            share: message.share,
            rates: message.rates.into_iter().map(|(host, of_host)| (host, rate(of_host))).collect(),
            limits: AttemptLimits { steps: limits.steps, seconds: limits.seconds },
            budget: Budget { usd: budget.usd, tokens: budget.tokens },
            labels: message.labels,
            stages: message.stages.map(TryInto::try_into).transpose()?,
        })
    }
}

impl From<&PlannerRef> for v1::PlannerRef {
    fn from(planner: &PlannerRef) -> Self {
        let options = (!planner.options.is_empty()).then(|| v1::Json::from(&planner.options.to_value()));
        Self { name: planner.name.clone(), model: planner.model.clone(), options }
    }
}

impl TryFrom<v1::PlannerRef> for PlannerRef {
    type Error = Error;

    fn try_from(message: v1::PlannerRef) -> Result<Self, Error> {
        let invalid = |cause: &str| Error::Invalid { field: "planner.options", cause: cause.to_owned() };
        let options = match message.options.map(Value::try_from).transpose()? {
            None => PlannerOptions::default(),
            Some(Value::Object(options)) => options.into(),
            Some(_) => return Err(invalid("it is no object")),
        };
        Ok(Self { name: message.name, model: message.model, options })
    }
}

impl From<&ClaimRequest> for v1::ClaimRequest {
    fn from(request: &ClaimRequest) -> Self {
        Self {
            crawler: request.crawler.clone(),
            slots: request.slots as u64,
            campaign: request.campaign.as_ref().map(|campaign| campaign.0.clone()),
            labels: request.labels.clone().into_iter().collect(),
            kind: match request.kind {
                WorkKind::Pages => v1::WorkKind::Pages,
                WorkKind::Studies => v1::WorkKind::Studies,
            }
            .into(),
        }
    }
}

impl From<v1::ClaimRequest> for ClaimRequest {
    fn from(message: v1::ClaimRequest) -> Self {
        let kind = match message.kind() {
            v1::WorkKind::Unspecified | v1::WorkKind::Pages => WorkKind::Pages,
            v1::WorkKind::Studies => WorkKind::Studies,
        };
        Self {
            kind,
            crawler: message.crawler,
            slots: usize::try_from(message.slots).unwrap_or(usize::MAX),
            campaign: message.campaign.map(CampaignId),
            labels: message.labels.into_iter().collect(),
        }
    }
}

impl From<&Grant> for v1::Grant {
    fn from(grant: &Grant) -> Self {
        Self {
            job: Some((&grant.job).into()),
            fence: grant.fence.0,
            lease: Some(span(grant.lease)),
            campaign: Some((&grant.campaign).into()),
            trace_parent: grant.trace_parent.clone(),
        }
    }
}

impl TryFrom<v1::Grant> for Grant {
    type Error = Error;

    fn try_from(message: v1::Grant) -> Result<Self, Error> {
        Ok(Self {
            job: required(message.job, "grant.job")?.try_into()?,
            fence: Fence(message.fence),
            lease: duration(required(message.lease, "grant.lease")?, "grant.lease")?,
            campaign: required(message.campaign, "grant.campaign")?.try_into()?,
            trace_parent: message.trace_parent,
        })
    }
}

/// The message of a span of time; what no message can say becomes the longest that it can.
pub(crate) fn span(duration: Duration) -> prost_types::Duration {
    let seconds = i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    prost_types::Duration { seconds, nanos: duration.subsec_nanos() as i32 }
}

/// The reverse of [`span`].
pub(crate) fn duration(message: prost_types::Duration, field: &'static str) -> Result<Duration, Error> {
    Duration::try_from(message).map_err(|error| Error::Invalid { field, cause: error.to_string() })
}

impl From<Wish> for v1::Wish {
    fn from(wish: Wish) -> Self {
        match wish {
            Wish::Run => v1::Wish::Run,
            Wish::Pause => v1::Wish::Pause,
            Wish::Cancel => v1::Wish::Cancel,
        }
    }
}

/// What is asked of a campaign.
pub(crate) fn wish(message: v1::Wish) -> Result<Wish, Error> {
    match message {
        v1::Wish::Unspecified => Err(Error::Missing("wish")),
        v1::Wish::Run => Ok(Wish::Run),
        v1::Wish::Pause => Ok(Wish::Pause),
        v1::Wish::Cancel => Ok(Wish::Cancel),
    }
}

impl From<QuarantineVerdict> for v1::QuarantineVerdict {
    fn from(verdict: QuarantineVerdict) -> Self {
        match verdict {
            QuarantineVerdict::Retry => v1::QuarantineVerdict::Retry,
            QuarantineVerdict::Drop => v1::QuarantineVerdict::Drop,
        }
    }
}

/// What becomes of a job in quarantine.
pub(crate) fn quarantine_verdict(message: v1::QuarantineVerdict) -> Result<QuarantineVerdict, Error> {
    match message {
        v1::QuarantineVerdict::Unspecified => Err(Error::Missing("settle.verdict")),
        v1::QuarantineVerdict::Retry => Ok(QuarantineVerdict::Retry),
        v1::QuarantineVerdict::Drop => Ok(QuarantineVerdict::Drop),
    }
}

impl From<&CampaignStatus> for v1::CampaignStatus {
    fn from(status: &CampaignStatus) -> Self {
        let Tally { jobs, waiting, running, judged, quarantined, cancelled } = status.tally.clone();
        Self {
            campaign: Some((&status.campaign).into()),
            wish: v1::Wish::from(status.wish).into(),
            tally: Some(v1::Tally { jobs, waiting, running, judged, quarantined, cancelled }),
            waiting: status.waiting.iter().map(|(why, jobs)| waiting_jobs(why, *jobs)).collect(),
            usage: Some(status.usage.into()),
            room: status.room,
            stage: status.stage,
        }
    }
}

impl TryFrom<v1::CampaignStatus> for CampaignStatus {
    type Error = Error;

    fn try_from(message: v1::CampaignStatus) -> Result<Self, Error> {
        let wish = wish(message.wish())?;
        let v1::Tally { jobs, waiting, running, judged, quarantined, cancelled } =
            required(message.tally, "status.tally")?;
        Ok(Self {
            campaign: required(message.campaign, "status.campaign")?.try_into()?,
            wish,
            tally: Tally { jobs, waiting, running, judged, quarantined, cancelled },
            // A reason that only a newer version knows is left out.
            waiting: message
                .waiting
                .into_iter()
                .filter(|why| why.r#for.is_some())
                .map(why_waiting)
                .collect::<Result<_, _>>()?,
            usage: required(message.usage, "status.usage")?.into(),
            room: message.room,
            stage: message.stage,
        })
    }
}

fn waiting_jobs(why: &Waiting, jobs: u64) -> v1::Waiting {
    use v1::waiting::For;
    let r#for = match why {
        Waiting::Capacity => For::Capacity(NOTHING),
        Waiting::HostRate { host } => For::HostRate(host.clone()),
        Waiting::Resume => For::Resume(NOTHING),
        Waiting::Budget => For::Budget(NOTHING),
        Waiting::RetryAt { at } => For::RetryAt((*at).into()),
    };
    v1::Waiting { jobs, r#for: Some(r#for) }
}

fn why_waiting(message: v1::Waiting) -> Result<(Waiting, u64), Error> {
    use v1::waiting::For;
    let why = match required(message.r#for, "waiting.for")? {
        For::Capacity(_) => Waiting::Capacity,
        For::HostRate(host) => Waiting::HostRate { host },
        For::Resume(_) => Waiting::Resume,
        For::Budget(_) => Waiting::Budget,
        For::RetryAt(at) => Waiting::RetryAt {
            at: SystemTime::try_from(at)
                .map_err(|error| Error::Invalid { field: "waiting.retry_at", cause: error.to_string() })?,
        },
    };
    Ok((why, message.jobs))
}
