//! The explorer as a decider of the loop that does tasks, too.

use super::Explorer;
use super::plan::Part;
use async_trait::async_trait;
use domain::decision::{Decider, Decision, DecisionRequest, Level, PlannerError};
use domain::page::Page;
use domain::service::ServiceError;
use domain::state::{Offer, Opportunity, attempt};
use domain::words::{self, Detail};
use domain::{Descriptor, ElementId, Observation, StateId};

/// An offer of a page as something that can be tried from elsewhere.
pub(super) fn opportunity(seen: &Observation, state: StateId, offer: &Offer) -> Option<Opportunity> {
    let element = Descriptor::of(seen, offer.element)?;
    Some(Opportunity { state, key: offer.key, action: attempt(offer.kind, element) })
}

/// What a control is called, for people.
pub(super) fn called(seen: &Observation, element: ElementId) -> String {
    Descriptor::of(seen, element).map(|element| words::element(&element, &Detail::BRIEF)).unwrap_or_default()
}

/// Why there is no choice.
#[derive(Debug)]
pub(super) enum Failure {
    /// The map did not answer.
    Map(ServiceError),
    /// Nobody could be logged in.
    LogIn(String),
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        Failure::Map(error)
    }
}

#[async_trait]
impl Decider for Explorer {
    fn name(&self) -> &str {
        &self.exploration.strategy
    }

    async fn decide(&mut self, page: &mut dyn Page, request: DecisionRequest) -> Result<Decision, PlannerError> {
        let chosen = self.next(page, &request).await;
        // What choosing cost counts also where nothing came of it.
        let usage = self.strategy.take_usage();
        let choice = chosen.map_err(|failure| match failure {
            Failure::Map(error) => PlannerError::Away { cause: error.to_string(), usage },
            Failure::LogIn(cause) => PlannerError::LogIn(cause),
        })?;
        let reason = match self
            .doing
            .as_ref()
            .and_then(|doing| doing.planned_step.as_ref())
            .map(|planned_step| &planned_step.part)
        {
            Some(Part::Hop { .. }) => "on the way",
            Some(Part::Prepare) => "to send the form",
            Some(Part::Try { .. }) => "to see what comes of it",
            Some(Part::Vary { .. }) => "to send the form with other choices",
            Some(Part::Reload) => "to see what stays the same",
            Some(Part::LogIn) | None => "",
        };
        Ok(Decision {
            choice,
            reason: reason.to_owned(),
            confidence: 1.0,
            level: Level::Explore,
            usage,
            incidents: std::mem::take(&mut self.untold),
            memory: serde_json::Value::Null,
        })
    }
}
