//! What planners are asked and what they answer.

use super::{NOTHING, episode, step};
use crate::error::{Error, required};
use crate::v1;
use domain::campaign::PlannerRef;
use domain::decision::{MapPosition, Screenshot, TaskContext};
use domain::{
    Action, CampaignId, Choice, Decision, DecisionRequest, Descriptor, ElementId, JobId, Rect, RunId, SiteId, StateId,
};
use serde_json::Value;
use std::sync::Arc;

/// The request, for a planner.
pub(crate) fn request(planner: &PlannerRef, request: &DecisionRequest) -> v1::DecideRequest {
    let DecisionRequest {
        episode,
        job,
        instruction,
        observation,
        history,
        memory,
        screenshot,
        steps_left,
        seed,
        refusal,
        position,
        context,
    } = request;
    let screenshot = screenshot.as_ref();
    v1::DecideRequest {
        planner: Some(planner.into()),
        episode: episode.to_string(),
        job: job.0.clone(),
        instruction: instruction.clone(),
        observation: Some(observation.as_ref().into()),
        history: history.iter().map(Into::into).collect(),
        memory: Some(memory.into()),
        screenshot: screenshot.map(|picture| v1::Screenshot { png: picture.png.to_vec(), scale: picture.scale }),
        steps_left: *steps_left,
        seed: *seed,
        refusal: refusal.clone(),
        position: position.as_ref().map(Into::into),
        context: Some(context.as_ref().into()),
    }
}

/// The reverse of [`request`].
pub(crate) fn asked(message: v1::DecideRequest) -> Result<(PlannerRef, DecisionRequest), Error> {
    let planner = required(message.planner, "decide.planner")?.try_into()?;
    let history = message.history.into_iter().map(TryInto::try_into).collect::<Result<Vec<_>, _>>()?;
    let screenshot = |picture: v1::Screenshot| Screenshot { png: picture.png.into(), scale: picture.scale };
    let request = DecisionRequest {
        episode: episode(&message.episode, "decide.episode")?,
        job: JobId(message.job),
        instruction: message.instruction,
        observation: Arc::new(required(message.observation, "decide.observation")?.try_into()?),
        history: Arc::new(history),
        memory: required(message.memory, "decide.memory")?.try_into()?,
        screenshot: message.screenshot.map(screenshot),
        steps_left: message.steps_left,
        seed: message.seed,
        refusal: message.refusal,
        position: message.position.map(Into::into),
        context: Arc::new(message.context.map(TryInto::try_into).transpose()?.unwrap_or_default()),
    };
    Ok((planner, request))
}

impl From<&MapPosition> for v1::MapPosition {
    fn from(position: &MapPosition) -> Self {
        Self { version: position.version.0.clone(), state: position.state.0 }
    }
}

impl From<v1::MapPosition> for MapPosition {
    fn from(message: v1::MapPosition) -> Self {
        Self { version: RunId(message.version), state: StateId(message.state) }
    }
}

impl From<&TaskContext> for v1::TaskContext {
    fn from(context: &TaskContext) -> Self {
        let TaskContext { campaign, site, role, task, start_url, options, experience, day, time_zone, locale } =
            context.clone();
        Self {
            campaign: campaign.0,
            site: site.0,
            role,
            task,
            start_url,
            options: Some((&options).into()),
            experience,
            day,
            time_zone,
            locale,
        }
    }
}

impl TryFrom<v1::TaskContext> for TaskContext {
    type Error = Error;

    fn try_from(message: v1::TaskContext) -> Result<Self, Error> {
        let v1::TaskContext { campaign, site, role, task, start_url, options, experience, day, time_zone, locale } =
            message;
        Ok(Self {
            campaign: CampaignId(campaign),
            site: SiteId(site),
            role,
            task,
            start_url,
            options: options.map_or(Ok(Value::Null), TryInto::try_into)?,
            experience,
            day,
            time_zone,
            locale,
        })
    }
}

impl From<&Decision> for v1::Decision {
    fn from(decision: &Decision) -> Self {
        let Decision { choice, reason, confidence, level, usage, incidents, memory } = decision;
        Self {
            choice: Some(choice.into()),
            reason: reason.clone(),
            confidence: *confidence,
            level: v1::Level::from(*level).into(),
            usage: Some((*usage).into()),
            incidents: incidents.clone(),
            memory: Some(memory.into()),
        }
    }
}

impl TryFrom<v1::Decision> for Decision {
    type Error = Error;

    fn try_from(message: v1::Decision) -> Result<Self, Error> {
        Ok(Self {
            level: step::level(message.level(), "decision.level")?,
            choice: required(message.choice, "decision.choice")?.try_into()?,
            reason: message.reason,
            confidence: message.confidence,
            usage: message.usage.map(Into::into).unwrap_or_default(),
            incidents: message.incidents,
            memory: message.memory.map_or(Ok(Value::Null), TryInto::try_into)?,
        })
    }
}

impl From<&Choice> for v1::Choice {
    fn from(choice: &Choice) -> Self {
        use v1::choice::Is;
        let is = match choice {
            Choice::Act(action) => Is::Act(action.into()),
            Choice::NeedScreenshot => Is::NeedScreenshot(NOTHING),
            Choice::Invalid { cause } => Is::Invalid(cause.clone()),
            Choice::Drifted { step, cause } => Is::Drifted(v1::Drifted { step: *step, cause: cause.clone() }),
            Choice::Reset => Is::Reset(NOTHING),
            Choice::GoBack(StateId(state)) => Is::GoBack(*state),
        };
        Self { is: Some(is) }
    }
}

impl TryFrom<v1::Choice> for Choice {
    type Error = Error;

    fn try_from(message: v1::Choice) -> Result<Self, Error> {
        use v1::choice::Is;
        Ok(match required(message.is, "choice.is")? {
            Is::Act(action) => Choice::Act(action.try_into()?),
            Is::NeedScreenshot(_) => Choice::NeedScreenshot,
            Is::Invalid(cause) => Choice::Invalid { cause },
            Is::Drifted(v1::Drifted { step, cause }) => Choice::Drifted { step, cause },
            Is::Reset(_) => Choice::Reset,
            Is::GoBack(state) => Choice::GoBack(StateId(state)),
        })
    }
}

/// The descriptor that describes nothing.
fn nobody() -> Descriptor {
    Descriptor {
        locators: Vec::new(),
        matches: Vec::new(),
        role: String::new(),
        name: String::new(),
        tag: String::new(),
        context: String::new(),
        bounds: Rect::default(),
        frames: Vec::new(),
        address: None,
        place: String::new(),
    }
}

impl From<&Action> for v1::PageAction {
    fn from(action: &Action) -> Self {
        let mut elements = Vec::new();
        let described = action.try_map(|element| {
            elements.push(element.0);
            Ok::<_, std::convert::Infallible>(nobody())
        });
        let Ok(described) = described;
        Self { action: Some((&described).into()), elements }
    }
}

impl TryFrom<v1::PageAction> for Action {
    type Error = Error;

    fn try_from(message: v1::PageAction) -> Result<Self, Error> {
        let described: Action<Descriptor> = required(message.action, "act.action")?.try_into()?;
        let mut elements = message.elements.into_iter();
        described.try_map(|_| elements.next().map(ElementId).ok_or(Error::Missing("act.elements")))
    }
}
