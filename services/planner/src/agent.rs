//! What every planner that asks a language model does alike: the limit of steps, pictures that are asked for, beginning again,
//! what is carried from one decision to the next, and the decision that a turn becomes.
//!
//! A planner's own [`Method`] holds what its paper adds. It names actions by listed numbers only, like every planner.

mod fields;
mod fill;
mod lines;
mod turn;

pub use fields::Fields;
pub use fill::{Missing, fill_in, replies};
pub use lines::{Carrying, Finish, Line, Lines, PlanInWords};
pub use turn::{Decided, Halt, Turn, give_up};

use crate::ask::Sampling;
use crate::memory::MemoryOptions;
use crate::model::LanguageModel;
use crate::page::PageOptions;
use crate::registry::Registered;
use crate::reply::Order;
use async_trait::async_trait;
use domain::decision::{Level, PlannerError};
use domain::marks::Marker;
use domain::observation::Stamp;
use domain::{Action, Choice, Decision, DecisionRequest, Planner};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A model's choices are not calibrated: every decision is reported as even.
const CONFIDENCE: f64 = 0.5;

/// The options that all methods have, each with its own defaults.
pub struct Manner<'a> {
    /// Standing instructions to the model.
    pub system: String,
    /// Steps after which it gives up.
    pub steps: u32,
    /// The order in which the model writes its reply.
    pub order: Order,
    /// How the model draws its replies.
    pub sampling: Sampling,
    /// What of the page is shown.
    pub page: &'a PageOptions,
    /// What of the steps so far is shown.
    pub memory: &'a MemoryOptions,
}

/// What is a planner's own.
#[async_trait]
pub trait Method: Registered + Send + Sync + 'static {
    /// What it hands from one decision to the next.
    type Carried: Serialize + DeserializeOwned + Default + Send;

    /// The options that all methods have.
    fn manner(&self) -> Manner<'_>;

    /// The next action, with the reason for it.
    ///
    /// # Errors
    /// [`Halt`]: there is no action, or something is needed first.
    async fn turn(&self, turn: &mut Turn<'_>, carried: &mut Self::Carried) -> Result<Decided, Halt>;
}

/// A method as a planner.
pub struct Agent<M> {
    method: M,
    model: Arc<dyn LanguageModel>,
    marker: Option<Arc<dyn Marker>>,
}

impl<M: Method> Agent<M> {
    /// Plans by `model`, without marks on pictures.
    pub fn new(method: M, model: Arc<dyn LanguageModel>) -> Self {
        Self { method, model, marker: None }
    }

    /// Draws numbers on pictures by `marker`, where there is one; without one, the model is told the boxes.
    #[must_use]
    pub fn with_marker(self, marker: Option<Arc<dyn Marker>>) -> Self {
        Self { marker, ..self }
    }
}

/// What is handed from one decision to the next.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Carried<C> {
    /// The observation that a picture was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pictured: Option<Stamp>,
    /// Steps that were taken before the task was last begun again.
    #[serde(default)]
    undone: usize,
    /// A wish to go back that is not answered yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    wish: Option<Wish>,
    /// The method's own.
    own: C,
}

/// To where a method wishes to go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Wish {
    Reset,
    GoBack,
}

#[async_trait]
impl<M: Method> Planner for Agent<M> {
    fn name(&self) -> &str {
        M::NAME
    }

    async fn decide(&self, request: DecisionRequest) -> Result<Decision, PlannerError> {
        let manner = self.method.manner();
        let mut carried: Carried<M::Carried> = serde_json::from_value(request.memory.clone()).unwrap_or_default();
        let wished = carried.wish.take();
        if wished == Some(Wish::Reset) && request.refusal.is_none() {
            carried.undone = request.history.len();
        }
        let pictured = carried.pictured.take().is_some_and(|stamp| stamp == request.observation.stamp);
        let mut turn = Turn::new(self.model.as_ref(), self.marker.as_deref(), &request, &manner, carried.undone);
        turn.was_pictured = pictured;
        turn.came_back = wished.map(|_| request.refusal.clone().map_or(Ok(()), Err));
        let decided = if request.history.len() >= manner.steps as usize {
            let action = Action::give_up(format!("the limit of {} steps of {} is reached", manner.steps, M::NAME));
            Ok((action, "out of steps".to_owned()))
        } else {
            self.method.turn(&mut turn, &mut carried.own).await
        };
        let (choice, reason) = match decided {
            Ok((action, reason)) => (Choice::Act(action), reason),
            Err(Halt::Picture(reason)) => {
                carried.pictured = Some(request.observation.stamp.clone());
                (Choice::NeedScreenshot, reason)
            }
            Err(Halt::Reset(reason)) => {
                carried.wish = Some(Wish::Reset);
                (Choice::Reset, reason)
            }
            Err(Halt::GoBack(state, reason)) => {
                carried.wish = Some(Wish::GoBack);
                (Choice::GoBack(state), reason)
            }
            Err(Halt::Invalid(cause)) => (Choice::Invalid { cause: cause.clone() }, cause),
            Err(Halt::Failed(error)) => return Err(error),
        };
        let (usage, incidents) = turn.ask.into_account();
        Ok(Decision {
            choice,
            reason,
            confidence: CONFIDENCE,
            level: Level::Reason,
            usage,
            incidents,
            memory: serde_json::to_value(&carried).unwrap_or_default(),
        })
    }
}
