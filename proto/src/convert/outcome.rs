//! Outcomes, endings, verdicts and their evidence.

use super::{NOTHING, action};
use crate::error::{Error, required};
use crate::v1;
use domain::job::Outcome;
use domain::verdict::{Finding, VerdictKind};
use domain::{BlobRef, CampaignId, Ending, Evidence, Fence, JobId, SiteId, TaskId, Verdict};

impl From<&Outcome> for v1::Outcome {
    fn from(outcome: &Outcome) -> Self {
        Self {
            job: outcome.job.0.clone(),
            campaign: outcome.campaign.0.clone(),
            episode: outcome.episode.to_string(),
            fence: outcome.fence.0,
            task: outcome.task.0.clone(),
            site: outcome.site.0.clone(),
            planner: outcome.planner.clone(),
            verdict: Some((&outcome.verdict).into()),
            ending: Some((&outcome.ending).into()),
            reward: outcome.reward,
            steps: outcome.steps,
            usage: Some(outcome.usage.into()),
            wall_ms: outcome.wall_ms,
            incidents: outcome.incidents.clone(),
            trajectory: outcome.trajectory.0.clone(),
        }
    }
}

impl TryFrom<v1::Outcome> for Outcome {
    type Error = Error;

    fn try_from(message: v1::Outcome) -> Result<Self, Error> {
        Ok(Self {
            job: JobId(message.job),
            campaign: CampaignId(message.campaign),
            episode: super::episode(&message.episode, "outcome.episode")?,
            fence: Fence(message.fence),
            task: TaskId(message.task),
            site: SiteId(message.site),
            planner: message.planner,
            verdict: required(message.verdict, "outcome.verdict")?.try_into()?,
            ending: required(message.ending, "outcome.ending")?.try_into()?,
            reward: message.reward,
            steps: message.steps,
            usage: required(message.usage, "outcome.usage")?.into(),
            wall_ms: message.wall_ms,
            incidents: message.incidents,
            trajectory: BlobRef(message.trajectory),
        })
    }
}

impl From<&Ending> for v1::Ending {
    fn from(ending: &Ending) -> Self {
        use v1::ending::Because;
        let because = match ending.clone() {
            Ending::Stopped { claim, answer } => Because::Stopped(action::stop(&claim, answer.as_ref())),
            Ending::EnvironmentOver => Because::EnvironmentOver(NOTHING),
            Ending::StepLimit { steps } => Because::StepLimit(steps),
            Ending::TimeLimit { seconds } => Because::TimeLimitS(seconds),
            Ending::RepeatedAction { times } => Because::RepeatedAction(times),
            Ending::InvalidDecisions { cause } => Because::InvalidDecisions(cause),
            Ending::LeftScope { url } => Because::LeftScope(url),
            Ending::PlannerFailed { cause } => Because::PlannerFailed(cause),
            Ending::Throttled { cause } => Because::Throttled(cause),
            Ending::SiteUnreachable { cause } => Because::SiteUnreachable(cause),
            Ending::EnvironmentFailed { cause } => Because::EnvironmentFailed(cause),
            Ending::BrowserFailed { cause } => Because::BrowserFailed(cause),
            Ending::DialogLoop { dialogs } => Because::DialogLoop(dialogs),
            Ending::Drifted { step, cause } => Because::Drifted(v1::Drifted { step, cause }),
            Ending::Interrupted => Because::Interrupted(NOTHING),
        };
        Self { because: Some(because) }
    }
}

impl TryFrom<v1::Ending> for Ending {
    type Error = Error;

    fn try_from(message: v1::Ending) -> Result<Self, Error> {
        use v1::ending::Because;
        Ok(match required(message.because, "ending.because")? {
            Because::Stopped(message) => {
                let (claim, answer) = action::stopped(message)?;
                Ending::Stopped { claim, answer }
            }
            Because::EnvironmentOver(_) => Ending::EnvironmentOver,
            Because::StepLimit(steps) => Ending::StepLimit { steps },
            Because::TimeLimitS(seconds) => Ending::TimeLimit { seconds },
            Because::RepeatedAction(times) => Ending::RepeatedAction { times },
            Because::InvalidDecisions(cause) => Ending::InvalidDecisions { cause },
            Because::LeftScope(url) => Ending::LeftScope { url },
            Because::PlannerFailed(cause) => Ending::PlannerFailed { cause },
            Because::Throttled(cause) => Ending::Throttled { cause },
            Because::SiteUnreachable(cause) => Ending::SiteUnreachable { cause },
            Because::EnvironmentFailed(cause) => Ending::EnvironmentFailed { cause },
            Because::BrowserFailed(cause) => Ending::BrowserFailed { cause },
            Because::DialogLoop(dialogs) => Ending::DialogLoop { dialogs },
            Because::Drifted(v1::Drifted { step, cause }) => Ending::Drifted { step, cause },
            Because::Interrupted(_) => Ending::Interrupted,
        })
    }
}

impl From<&Verdict> for v1::Verdict {
    fn from(verdict: &Verdict) -> Self {
        Self {
            kind: v1::VerdictKind::from(verdict.kind).into(),
            reason: verdict.reason.clone(),
            evidence: verdict.evidence.iter().map(Into::into).collect(),
        }
    }
}

impl TryFrom<v1::Verdict> for Verdict {
    type Error = Error;

    fn try_from(message: v1::Verdict) -> Result<Self, Error> {
        Ok(Self {
            kind: kind(message.kind())?,
            reason: message.reason,
            evidence: message.evidence.into_iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
        })
    }
}

impl From<VerdictKind> for v1::VerdictKind {
    fn from(kind: VerdictKind) -> Self {
        match kind {
            VerdictKind::Passed => v1::VerdictKind::Passed,
            VerdictKind::PassedHealed => v1::VerdictKind::PassedHealed,
            VerdictKind::Failed => v1::VerdictKind::Failed,
            VerdictKind::NotAchieved => v1::VerdictKind::NotAchieved,
            VerdictKind::Drifted => v1::VerdictKind::Drifted,
            VerdictKind::Infeasible => v1::VerdictKind::Infeasible,
            VerdictKind::InvalidEnvironment => v1::VerdictKind::InvalidEnvironment,
            VerdictKind::Throttled => v1::VerdictKind::Throttled,
            VerdictKind::Unverified => v1::VerdictKind::Unverified,
        }
    }
}

/// A judgement.
pub(super) fn kind(message: v1::VerdictKind) -> Result<VerdictKind, Error> {
    match message {
        v1::VerdictKind::Unspecified => Err(Error::Missing("verdict.kind")),
        v1::VerdictKind::Passed => Ok(VerdictKind::Passed),
        v1::VerdictKind::PassedHealed => Ok(VerdictKind::PassedHealed),
        v1::VerdictKind::Failed => Ok(VerdictKind::Failed),
        v1::VerdictKind::NotAchieved => Ok(VerdictKind::NotAchieved),
        v1::VerdictKind::Drifted => Ok(VerdictKind::Drifted),
        v1::VerdictKind::Infeasible => Ok(VerdictKind::Infeasible),
        v1::VerdictKind::InvalidEnvironment => Ok(VerdictKind::InvalidEnvironment),
        v1::VerdictKind::Throttled => Ok(VerdictKind::Throttled),
        v1::VerdictKind::Unverified => Ok(VerdictKind::Unverified),
    }
}

impl From<&Evidence> for v1::Evidence {
    fn from(evidence: &Evidence) -> Self {
        let finding = match evidence.finding {
            Finding::Confirmed => v1::Finding::Confirmed,
            Finding::Refuted => v1::Finding::Refuted,
            Finding::Undecided => v1::Finding::Undecided,
        };
        Self {
            check: Some((&evidence.check).into()),
            finding: finding.into(),
            observed: evidence.observed.clone(),
            screenshot: evidence.screenshot.as_ref().map(|blob| blob.0.clone()),
        }
    }
}

impl TryFrom<v1::Evidence> for Evidence {
    type Error = Error;

    fn try_from(message: v1::Evidence) -> Result<Self, Error> {
        let finding = match message.finding() {
            v1::Finding::Unspecified => return Err(Error::Missing("evidence.finding")),
            v1::Finding::Confirmed => Finding::Confirmed,
            v1::Finding::Refuted => Finding::Refuted,
            v1::Finding::Undecided => Finding::Undecided,
        };
        Ok(Self {
            check: required(message.check, "evidence.check")?.try_into()?,
            finding,
            observed: message.observed,
            screenshot: message.screenshot.map(BlobRef),
        })
    }
}
