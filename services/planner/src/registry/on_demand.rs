//! The planners of the registry as a service: each is built when it is first asked for, by its name, model and options.
//!
//! What a process offers is fixed when it starts; the options come with each request, in the planner's reference, so that any
//! process of a pool answers for any campaign.

use super::{BuildError, Entry, Parts, Registry, options};
use crate::model::LanguageModel;
use crate::service::{Planners, shown};
use async_trait::async_trait;
use domain::campaign::{PlannerOptions, PlannerRef};
use domain::service::{Code, PlannerService, ServiceError};
use domain::{Decision, DecisionRequest};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Mutex;

/// Planners that are kept built. They hold no state, so that building one again costs little.
const KEPT: usize = 64;

/// Builds planners as they are asked for.
pub struct OnDemand {
    registry: Registry,
    offers: Vec<String>,
    parts: Parts,
    models: BTreeMap<String, Arc<dyn LanguageModel>>,
    usual: BTreeMap<String, PlannerOptions>,
    built: Mutex<BTreeMap<PlannerRef, Planners>>,
}

impl OnDemand {
    /// Offers the planners of these names, from these parts. Those that ask a model are offered with each model.
    ///
    /// # Errors
    /// There is no planner of one of the names.
    pub fn new(registry: Registry, offers: Vec<String>, parts: Parts) -> Result<Self, BuildError> {
        offers.iter().try_for_each(|name| registry.entry(name).map(drop))?;
        let (models, usual) = (BTreeMap::new(), BTreeMap::new());
        Ok(Self { registry, offers, parts, models, usual, built: Mutex::default() })
    }

    /// Adds a model by the name that campaigns use.
    #[must_use]
    pub fn with_model(mut self, name: impl Into<String>, model: Arc<dyn LanguageModel>) -> Self {
        self.models.insert(name.into(), model);
        self
    }

    /// Takes these options for a planner where a request sets no other.
    ///
    /// # Errors
    /// There is no such planner or option, or a value cannot be.
    pub fn with_options(mut self, planner: &str, usual: PlannerOptions) -> Result<Self, BuildError> {
        self.registry.entry(planner)?.complete(&usual.to_value())?;
        self.usual.insert(planner.to_owned(), usual);
        Ok(self)
    }

    async fn planners(&self, planner: &PlannerRef) -> Result<Planners, ServiceError> {
        let mut built = self.built.lock().await;
        if let Some(planners) = built.get(planner) {
            return Ok(planners.clone());
        }
        let planners = self.build(planner)?;
        if built.len() >= KEPT {
            built.clear();
        }
        built.insert(planner.clone(), planners.clone());
        Ok(planners)
    }

    fn build(&self, planner: &PlannerRef) -> Result<Planners, ServiceError> {
        let entry = self.entry(planner)?;
        let options = merged(self.usual.get(&planner.name), &planner.options);
        let parts = Parts { model: self.model(entry, planner)?, ..self.parts.clone() };
        let built = entry.build(&options, &parts).map_err(refused)?;
        Ok(Planners::default().with(planner.clone(), built))
    }

    fn entry(&self, planner: &PlannerRef) -> Result<&Entry, ServiceError> {
        let entry =
            self.registry.entry(&planner.name).ok().filter(|entry| self.offers.iter().any(|name| name == entry.name));
        entry.ok_or_else(|| self.not_there(planner))
    }

    fn model(&self, entry: &Entry, planner: &PlannerRef) -> Result<Option<Arc<dyn LanguageModel>>, ServiceError> {
        match (&planner.model, entry.needs.asks_model()) {
            (None, false) => Ok(None),
            (Some(name), true) => self.models.get(name).cloned().map(Some).ok_or_else(|| self.not_there(planner)),
            (None, true) | (Some(_), false) => Err(self.not_there(planner)),
        }
    }

    fn not_there(&self, planner: &PlannerRef) -> ServiceError {
        let offered = self.registry.entries().iter().filter(|entry| self.offers.iter().any(|name| name == entry.name));
        let known: Vec<String> = offered
            .flat_map(|entry| {
                let with = |model: &String| format!("`{}` with model `{model}`", entry.name);
                match entry.needs.asks_model() {
                    true => self.models.keys().map(with).collect(),
                    false => vec![format!("`{}`", entry.name)],
                }
            })
            .collect();
        let cause = format!("decide: there is no planner {}; there are: {}", shown(planner), known.join(", "));
        ServiceError::new(Code::NotFound, cause)
    }
}

/// What a planner is built by: what a campaign sets over what is usual. A preset that the campaign names is taken whole.
pub fn merged(usual: Option<&PlannerOptions>, set: &PlannerOptions) -> Value {
    let mut all = usual.filter(|_| !set.record().contains_key("preset")).map_or(Value::Null, PlannerOptions::to_value);
    options::put_over(&mut all, set.record());
    all
}

fn refused(error: BuildError) -> ServiceError {
    ServiceError::new(Code::Invalid, format!("decide: {error}"))
}

#[async_trait]
impl PlannerService for OnDemand {
    async fn decide(&self, planner: &PlannerRef, request: DecisionRequest) -> Result<Decision, ServiceError> {
        self.planners(planner).await?.decide(planner, request).await
    }

    async fn ready(&self) -> Result<(), ServiceError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelError, ModelReply, ModelRequest};
    use crate::test_request::request;
    use serde_json::json;

    /// Refuses, and says what it was asked for.
    struct Refusing;

    #[async_trait]
    impl LanguageModel for Refusing {
        async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
            let cause = format!("asked for {}", request.schema.name);
            Err(ModelError::Unusable { cause, usage: Default::default(), incidents: Vec::new() })
        }
    }

    fn service() -> OnDemand {
        let offers = vec!["random".to_owned(), "hxagent".to_owned()];
        let service = OnDemand::new(Registry::default(), offers, Parts::default()).expect("planners");
        service.with_model("large", Arc::new(Refusing))
    }

    fn planner(name: &str, model: Option<&str>, options: Value) -> PlannerRef {
        serde_json::from_value(json!({"name": name, "model": model, "options": options})).expect("a planner")
    }

    async fn decide(service: &OnDemand, planner: &PlannerRef) -> Result<Decision, ServiceError> {
        service.decide(planner, request()).await
    }

    async fn asked_for(service: &OnDemand, options: Value) -> String {
        decide(service, &planner("hxagent", Some("large"), options)).await.expect("a decision").reason
    }

    #[tokio::test]
    async fn each_campaign_has_its_planner_with_its_own_options() {
        let service = service();
        assert_eq!(asked_for(&service, json!({})).await, "asked for next_action");
        assert_eq!(asked_for(&service, json!({"preset": "ours"})).await, "asked for next_action_with_fields");
        assert_eq!(asked_for(&service, json!({"iterate": false})).await, "asked for whole_plan");
        assert_eq!(service.built.lock().await.len(), 3);
    }

    #[tokio::test]
    async fn what_a_campaign_does_not_set_is_what_is_usual_here() {
        let usual = serde_json::from_value(json!({"iterate": false})).expect("options");
        let service = service().with_options("hxagent", usual).expect("possible");
        assert_eq!(asked_for(&service, json!({"steps": 5})).await, "asked for whole_plan");
        assert_eq!(asked_for(&service, json!({"iterate": true})).await, "asked for next_action");
        assert_eq!(asked_for(&service, json!({"preset": "published"})).await, "asked for next_action");
    }

    #[tokio::test]
    async fn what_is_not_offered_is_told_with_what_is() {
        let service = service();
        for wanted in [
            planner("ground", None, json!({})),
            planner("hxagent", None, json!({})),
            planner("hxagent", Some("small"), json!({})),
            planner("random", Some("large"), json!({})),
        ] {
            let error = decide(&service, &wanted).await.expect_err("not there");
            assert_eq!(error.code, Code::NotFound);
            assert!(error.message.ends_with("there are: `hxagent` with model `large`, `random`"), "{}", error.message);
        }
    }

    #[tokio::test]
    async fn an_option_that_cannot_be_is_refused_by_its_name() {
        let wrong = planner("hxagent", Some("large"), json!({"page": {"max_elments": 1}}));
        let error = decide(&service(), &wrong).await.expect_err("no such option");
        assert_eq!(error.code, Code::Invalid);
        assert!(error.message.contains("`page.max_elments`"), "{}", error.message);
        let usual = serde_json::from_value(json!({"steps": 0})).expect("options");
        assert!(service().with_options("hxagent", usual).is_err(), "found when the process starts");
    }
}
