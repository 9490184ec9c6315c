//! Steps, faults and usage.

use crate::error::{Error, required};
use crate::v1;
use domain::decision::Level;
use domain::effect::{ElementChange, PageDifference};
use domain::fault::FaultCategory;
use domain::observation::Stamp;
use domain::{BlobRef, Fault, Step, Usage};

impl From<&Step> for v1::Step {
    fn from(step: &Step) -> Self {
        Self {
            number: step.number,
            stamp: Some(v1::Stamp { session: step.stamp.session.clone(), number: step.stamp.number }),
            url: step.url.clone(),
            title: step.title.clone(),
            summary: step.summary.clone(),
            action: Some((&step.action).into()),
            reason: step.reason.clone(),
            confidence: step.confidence,
            level: v1::Level::from(step.level).into(),
            effect: Some((&step.effect).into()),
            usage: Some(step.usage.into()),
            decide_ms: step.decide_ms,
            act_ms: step.act_ms,
            at_ms: step.at_ms,
            faults: step.faults.iter().map(Into::into).collect(),
            incidents: step.incidents.clone(),
            screenshot: step.screenshot.as_ref().map(|blob| blob.0.clone()),
            difference: (!step.difference.is_empty()).then(|| (&step.difference).into()),
            requests: step.requests.iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<v1::Step> for Step {
    type Error = Error;

    fn try_from(message: v1::Step) -> Result<Self, Error> {
        let level = level(message.level(), "step.level")?;
        let stamp = required(message.stamp, "step.stamp")?;
        Ok(Self {
            number: message.number,
            stamp: Stamp { session: stamp.session, number: stamp.number },
            url: message.url,
            title: message.title,
            summary: message.summary,
            action: required(message.action, "step.action")?.try_into()?,
            reason: message.reason,
            confidence: message.confidence,
            level,
            effect: required(message.effect, "step.effect")?.try_into()?,
            usage: required(message.usage, "step.usage")?.into(),
            decide_ms: message.decide_ms,
            act_ms: message.act_ms,
            at_ms: message.at_ms,
            faults: message.faults.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            incidents: message.incidents,
            screenshot: message.screenshot.map(BlobRef),
            difference: message.difference.map(Into::into).unwrap_or_default(),
            requests: message.requests.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
        })
    }
}

impl From<&PageDifference> for v1::PageDifference {
    fn from(difference: &PageDifference) -> Self {
        let PageDifference { appeared, went, changed, more } = difference.clone();
        let change = |ElementChange { of, from, to }| v1::ElementChange { of, from, to };
        Self { appeared, went, changed: changed.into_iter().map(change).collect(), more }
    }
}

impl From<v1::PageDifference> for PageDifference {
    fn from(message: v1::PageDifference) -> Self {
        let v1::PageDifference { appeared, went, changed, more } = message;
        let change = |v1::ElementChange { of, from, to }| ElementChange { of, from, to };
        Self { appeared, went, changed: changed.into_iter().map(change).collect(), more }
    }
}

impl From<Level> for v1::Level {
    fn from(level: Level) -> Self {
        match level {
            Level::Recall => v1::Level::Recall,
            Level::Ground => v1::Level::Ground,
            Level::Reason => v1::Level::Reason,
            Level::Replay => v1::Level::Replay,
            Level::Random => v1::Level::Random,
            Level::Gold => v1::Level::Gold,
            Level::Explore => v1::Level::Explore,
        }
    }
}

/// Who decided, by the field of this name.
pub(super) fn level(message: v1::Level, field: &'static str) -> Result<Level, Error> {
    match message {
        v1::Level::Unspecified => Err(Error::Missing(field)),
        v1::Level::Recall => Ok(Level::Recall),
        v1::Level::Ground => Ok(Level::Ground),
        v1::Level::Reason => Ok(Level::Reason),
        v1::Level::Replay => Ok(Level::Replay),
        v1::Level::Random => Ok(Level::Random),
        v1::Level::Gold => Ok(Level::Gold),
        v1::Level::Explore => Ok(Level::Explore),
    }
}

impl From<Usage> for v1::Usage {
    fn from(usage: Usage) -> Self {
        let Usage { prompt_tokens, completion_tokens, cost_usd, calls } = usage;
        Self { prompt_tokens, completion_tokens, cost_usd, calls }
    }
}

impl From<v1::Usage> for Usage {
    fn from(message: v1::Usage) -> Self {
        let v1::Usage { prompt_tokens, completion_tokens, cost_usd, calls } = message;
        Self { prompt_tokens, completion_tokens, cost_usd, calls }
    }
}

impl From<FaultCategory> for v1::FaultCategory {
    fn from(category: FaultCategory) -> Self {
        match category {
            FaultCategory::Network => v1::FaultCategory::Network,
            FaultCategory::JavaScript => v1::FaultCategory::Javascript,
            FaultCategory::ContentSecurity => v1::FaultCategory::ContentSecurity,
            FaultCategory::Other => v1::FaultCategory::Other,
        }
    }
}

impl TryFrom<v1::FaultCategory> for FaultCategory {
    type Error = Error;

    fn try_from(category: v1::FaultCategory) -> Result<Self, Error> {
        Ok(match category {
            v1::FaultCategory::Unspecified => return Err(Error::Missing("fault.category")),
            v1::FaultCategory::Network => FaultCategory::Network,
            v1::FaultCategory::Javascript => FaultCategory::JavaScript,
            v1::FaultCategory::ContentSecurity => FaultCategory::ContentSecurity,
            v1::FaultCategory::Other => FaultCategory::Other,
        })
    }
}

impl From<&Fault> for v1::Fault {
    fn from(fault: &Fault) -> Self {
        Self {
            category: v1::FaultCategory::from(fault.category).into(),
            message: fault.message.clone(),
            source: fault.source.clone(),
            line: fault.line,
            first_party: fault.first_party,
        }
    }
}

impl TryFrom<v1::Fault> for Fault {
    type Error = Error;

    fn try_from(message: v1::Fault) -> Result<Self, Error> {
        let category = FaultCategory::try_from(message.category())?;
        let v1::Fault { message, source, line, first_party, .. } = message;
        Ok(Self { category, message, source, line, first_party })
    }
}
