//! Planners as a service, and a service as a planner.
//!
//! [`Planners`] is what the planner role answers from; [`Served`] is a planner to whoever drives an episode, wherever the
//! service behind it runs.

use async_trait::async_trait;
use domain::campaign::PlannerRef;
use domain::decision::PlannerError;
use domain::service::{Code, PlannerService, ServiceError};
use domain::{Decision, DecisionRequest, Planner, Usage};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The planners of a process, by name and model.
#[derive(Clone, Default)]
pub struct Planners {
    planners: BTreeMap<PlannerRef, Arc<dyn Planner>>,
}

impl Planners {
    /// Adds a planner; one that was there under this name and model is replaced.
    #[must_use]
    pub fn with(mut self, name: PlannerRef, planner: Arc<dyn Planner>) -> Self {
        self.planners.insert(name, planner);
        self
    }

    /// What can be asked for.
    pub fn names(&self) -> impl Iterator<Item = &PlannerRef> {
        self.planners.keys()
    }
}

#[async_trait]
impl PlannerService for Planners {
    async fn decide(&self, planner: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError> {
        let Some(found) = self.planners.get(planner) else {
            let known: Vec<String> = self.names().map(shown).collect();
            let cause = format!("decide: there is no planner {}; there are: {}", shown(planner), known.join(", "));
            return Err(ServiceError::new(Code::NotFound, cause));
        };
        found.decide(request).await.map_err(failed)
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        Ok(())
    }
}

/// A planner by its name and model, for people.
pub(crate) fn shown(planner: &PlannerRef) -> String {
    match &planner.model {
        Some(model) => format!("`{}` with model `{model}`", planner.name),
        None => format!("`{}`", planner.name),
    }
}

fn failed(error: PlannerError) -> ServiceError {
    let message = error.to_string();
    let (code, usage) = match error {
        PlannerError::Unavailable { usage, .. } => (Code::Upstream, usage),
        PlannerError::Away { usage, .. } => (Code::Unavailable, usage),
        PlannerError::Throttled { usage, .. } => (Code::Throttled, usage),
        PlannerError::Embedding(_) | PlannerError::LogIn(_) => (Code::Internal, Usage::default()),
    };
    ServiceError { usage, ..ServiceError::new(code, message) }
}

/// One planner of a service.
#[derive(Clone)]
pub struct Served {
    service: Arc<dyn PlannerService>,
    planner: PlannerRef,
    called: String,
}

impl Served {
    /// The planner of this name.
    pub fn new(service: Arc<dyn PlannerService>, planner: PlannerRef) -> Self {
        let called = planner.name.clone();
        Self { service, planner, called }
    }

    /// Calls it so in results, e.g. with its preset.
    #[must_use]
    pub fn called(self, called: impl Into<String>) -> Self {
        Self { called: called.into(), ..self }
    }
}

#[async_trait]
impl Planner for Served {
    fn name(&self) -> &str {
        &self.called
    }

    async fn decide(&self, request: DecisionRequest) -> Result<Decision, PlannerError> {
        self.service.decide(&self.planner, request).await.map_err(|error| {
            let (cause, usage) = (error.message, error.usage);
            match error.code {
                Code::Throttled => PlannerError::Throttled { cause, usage },
                Code::Unavailable | Code::Deadline => PlannerError::Away { cause, usage },
                _ => PlannerError::Unavailable { cause, usage },
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_request::request;
    use domain::Choice;

    /// Fails as it is told to.
    struct Failing(PlannerError);

    #[async_trait]
    impl Planner for Failing {
        fn name(&self) -> &str {
            "failing"
        }

        async fn decide(&self, _: DecisionRequest) -> Result<Decision, PlannerError> {
            Err(self.0.clone())
        }
    }

    fn spent() -> Usage {
        Usage { prompt_tokens: 900, completion_tokens: 30, cost_usd: 0.01, calls: 3 }
    }

    #[tokio::test]
    async fn a_planner_decides_through_the_service_as_it_does_alone() {
        let planners = Planners::default().with(PlannerRef::named("random"), Arc::new(crate::Random));
        let served = Served::new(Arc::new(planners), PlannerRef::named("random"));
        let (through, alone) = (served.decide(request()).await, crate::Random.decide(request()).await);
        let (Choice::Act(through), Choice::Act(alone)) =
            (through.expect("a choice").choice, alone.expect("a choice").choice)
        else {
            panic!("chance always acts")
        };
        assert_eq!(through, alone);
        assert_eq!(served.name(), "random");
    }

    #[tokio::test]
    async fn a_planner_that_is_not_there_is_told_with_those_that_are() {
        let planners = Planners::default().with(PlannerRef::named("random"), Arc::new(crate::Random));
        let wanted = PlannerRef { model: Some("large".into()), ..PlannerRef::named("hxagent") };
        let error = planners.decide(&wanted, request()).await.expect_err("no such planner");
        assert_eq!(error.code, Code::NotFound);
        assert_eq!(error.message, "decide: there is no planner `hxagent` with model `large`; there are: `random`");
    }

    #[tokio::test]
    async fn what_failed_work_cost_comes_through_with_its_kind() {
        let throttled = PlannerError::Throttled { cause: "429".into(), usage: spent() };
        let planners = Planners::default().with(PlannerRef::named("hxagent"), Arc::new(Failing(throttled)));
        let error = planners.decide(&PlannerRef::named("hxagent"), request()).await.expect_err("throttled");
        assert_eq!((error.code, error.usage), (Code::Throttled, spent()));
        let served = Served::new(Arc::new(planners), PlannerRef::named("hxagent"));
        let error = served.decide(request()).await.expect_err("throttled");
        assert!(matches!(error, PlannerError::Throttled { usage, .. } if usage == spent()), "{error:?}");
    }

    #[tokio::test]
    async fn a_model_that_is_down_and_a_planner_that_is_away_are_told_apart() {
        let through = async |error: PlannerError| {
            let planners = Planners::default().with(PlannerRef::named("hxagent"), Arc::new(Failing(error)));
            let served = Served::new(Arc::new(planners), PlannerRef::named("hxagent"));
            served.decide(request()).await.expect_err("it fails")
        };
        let down = PlannerError::Unavailable { cause: "503".into(), usage: spent() };
        assert!(matches!(through(down).await, PlannerError::Unavailable { usage, .. } if usage == spent()));
        let away = PlannerError::Away { cause: "cut off".into(), usage: spent() };
        assert!(matches!(through(away).await, PlannerError::Away { usage, .. } if usage == spent()));
    }
}
