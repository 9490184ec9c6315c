//! What planners are asked and what they answer.

use super::{NOTHING, encoding, step};
use crate::error::{Error, required};
use crate::v1;
use domain::campaign::PlannerRef;
use domain::decision::Screenshot;
use domain::{
    Action, Choice, Decision, DecisionRequest, Descriptor, ElementId, EpisodeId, JobId, Observation, Rect, Step,
};
use prost::Message;
use serde_json::Value;
use std::sync::Arc;

/// A memory as bytes: an encoded `Json`. Equal memories are equal bytes.
pub(crate) fn memory_bytes(memory: &Value) -> Vec<u8> {
    v1::Json::from(memory).encode_to_vec()
}

/// The reverse of [`memory_bytes`].
pub(crate) fn memory(bytes: &[u8], field: &'static str) -> Result<Value, Error> {
    let message = v1::Json::decode(bytes).map_err(|error| Error::Invalid { field, cause: error.to_string() })?;
    message.try_into()
}

/// Number of [`v1::decide_request::Page::Observation`].
const OBSERVATION: u32 = 5;

/// Number of [`v1::decide_request::Page::Abridged`].
const ABRIDGED: u32 = 12;

/// Nodes of so many neighbouring numbers are kept, and known to be kept, together.
pub(crate) const RUN: u64 = 64;

/// How a page's nodes are told.
#[derive(Clone, Copy)]
pub(crate) struct Telling<'n> {
    /// The process that numbered them.
    pub(crate) source: u64,
    /// The number of each.
    pub(crate) numbers: &'n [u64],
    /// Places of those that are sent, ascending; none: all are.
    pub(crate) sent: Option<&'n [u32]>,
}

impl From<Telling<'_>> for v1::NodeNumbers {
    fn from(told: Telling<'_>) -> Self {
        let before = std::iter::once(0).chain(told.numbers.iter().copied());
        let steps = told.numbers.iter().zip(before).map(|(number, before)| number.wrapping_sub(before).cast_signed());
        Self { source: told.source, steps: steps.collect(), held: told.sent.unwrap_or_default().to_vec() }
    }
}

/// The numbers that a message tells.
pub(crate) fn numbers(message: &v1::NodeNumbers) -> impl Iterator<Item = u64> {
    message.steps.iter().scan(0u64, |number, step| {
        *number = number.wrapping_add_signed(*step);
        Some(*number)
    })
}

/// The encoded request, with the memory and the nodes as they are to be sent, and without the first steps, which are kept.
pub(crate) fn request(
    planner: &PlannerRef,
    request: &DecisionRequest,
    memory: v1::decide_request::Memory,
    nodes: Telling<'_>,
    steps_kept: usize,
) -> Vec<u8> {
    let episode = request.episode.to_string();
    let (episode, continued) = match steps_kept {
        0 => (episode, None),
        steps => (String::new(), Some(v1::Continued { episode, steps: steps as u32 })),
    };
    let screenshot = |picture: &Screenshot| v1::Screenshot { png: picture.png.to_vec(), scale: picture.scale };
    let mut bytes = v1::DecideRequest {
        planner: Some(planner.into()),
        episode,
        continued,
        job: request.job.0.clone(),
        instruction: request.instruction.clone(),
        page: None,
        nodes: Some(nodes.into()),
        history: request.history[steps_kept..].iter().map(Into::into).collect(),
        screenshot: request.screenshot.as_ref().map(screenshot),
        steps_left: request.steps_left,
        seed: request.seed,
        memory: Some(memory),
    }
    .encode_to_vec();
    // The fields of a message may come in any order.
    let seen = &request.observation;
    match nodes.sent {
        None => encoding::observation(OBSERVATION, seen, seen.nodes.iter(), &mut bytes),
        Some(places) => {
            let sent = places.iter().map(|place| &seen.nodes[*place as usize]);
            encoding::observation(ABRIDGED, seen, sent, &mut bytes);
        }
    }
    bytes
}

/// What a request refers to.
pub(crate) struct Restored {
    pub(crate) episode: EpisodeId,
    pub(crate) history: Arc<Vec<Step>>,
    pub(crate) observation: Observation,
    pub(crate) memory: Value,
}

/// The reverse of [`request`], with all that was found for it.
pub(crate) fn asked(
    message: v1::DecideRequest,
    Restored { episode, history, observation, memory }: Restored,
) -> Result<(PlannerRef, DecisionRequest), Error> {
    let planner = required(message.planner, "decide.planner")?.try_into()?;
    let screenshot = |picture: v1::Screenshot| Screenshot { png: picture.png.into(), scale: picture.scale };
    let request = DecisionRequest {
        episode,
        job: JobId(message.job),
        instruction: message.instruction,
        observation: Arc::new(observation),
        history,
        memory,
        screenshot: message.screenshot.map(screenshot),
        steps_left: message.steps_left,
        seed: message.seed,
    };
    Ok((planner, request))
}

/// The decision, whose memory is kept or not.
pub(crate) fn decided(decision: Decision, memory: Vec<u8>, memory_kept: bool) -> v1::Decision {
    v1::Decision {
        choice: Some(decision.choice.into()),
        reason: decision.reason,
        confidence: decision.confidence,
        level: v1::Level::from(decision.level).into(),
        usage: Some(decision.usage.into()),
        incidents: decision.incidents,
        memory,
        memory_kept,
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
            usage: required(message.usage, "decision.usage")?.into(),
            incidents: message.incidents,
            memory: memory(&message.memory, "decision.memory")?,
        })
    }
}

impl From<Choice> for v1::Choice {
    fn from(choice: Choice) -> Self {
        use v1::choice::Is;
        let is = match choice {
            Choice::Act(action) => Is::Act((&action).into()),
            Choice::NeedScreenshot => Is::NeedScreenshot(NOTHING),
            Choice::Invalid { cause } => Is::Invalid(cause),
            Choice::Drifted { step, cause } => Is::Drifted(v1::Drifted { step, cause }),
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
