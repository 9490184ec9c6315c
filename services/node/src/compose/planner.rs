//! From the settings of planners to the planners themselves.

use super::assignments::GOLD;
use crate::Error;
use crate::config::PlannerNode;
use domain::campaign::{PlannerOptions, PlannerRef};
use domain::service::PlannerService;
use planner::model::{Together, traffic};
use planner::registry::{BuildError, Need, OnDemand, Parts, merged};
use planner::remote::{Compression, Dialer, RemoteOptions};
use planner::{PoolOptions, Registry};
use platform::rpc::ClientOptions;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The planners that a process offers. Those that compare meaning need the sentence encoder, which is loaded then.
///
/// # Errors
/// The sentence encoder's weights are missing, or a model's key is; settings that name what there is not.
pub(crate) async fn planners(
    config: &PlannerNode,
    encoder: &embedding::LazyEmbedder,
    together: &Together,
) -> Result<Arc<dyn PlannerService>, Error> {
    config.check()?;
    let registry = Registry::default();
    let is_named = |name: &str| config.offers.is_empty() || config.offers.iter().any(|offer| offer == name);
    let needs_encoder = registry.entries().iter().any(|entry| {
        entry.needs.embedder == Need::Required
            && is_named(entry.name)
            && (!entry.needs.asks_model() || !config.models.is_empty())
    });
    if needs_encoder {
        encoder.load().await?;
    }
    let parts = Parts {
        embedder: Some(Arc::new(encoder.clone())),
        marker: Some(Arc::new(browser::marks::Marks)),
        dialer: Some(Arc::new(Wire)),
        ..Parts::default()
    };
    let mut planners = OnDemand::new(registry.clone(), offers(&registry, config), parts).map_err(in_settings)?;
    for name in config.models.keys() {
        let models = traffic::models(&pool(config, name)?, config.traffic.as_ref(), together)?;
        planners = planners.with_model(name, models);
    }
    for (planner, options) in &config.options {
        planners = planners.with_options(planner, options.clone()).map_err(in_settings)?;
    }
    Ok(Arc::new(planners))
}

/// Calls planners at addresses over gRPC.
struct Wire;

impl Dialer for Wire {
    fn dial(&self, to: &RemoteOptions) -> Result<Arc<dyn PlannerService>, String> {
        let options = ClientOptions { allow_open: to.allow_open, ..ClientOptions::to(&to.address) };
        let connection = platform::rpc::connect(&options).map_err(|error| error.to_string())?;
        let deadline = Duration::from_secs(to.timeout_seconds.into());
        Ok(match to.compression {
            Compression::None => proto::client::foreign_planner(&connection, deadline),
            Compression::Zstd => proto::client::planner(&[connection], deadline),
        })
    }
}

/// The names of what is offered. A benchmark's own solution is no planner: who names it wants no other.
fn offers(registry: &Registry, config: &PlannerNode) -> Vec<String> {
    let asking = registry.entries().iter().filter(|entry| entry.needs.asks_model()).map(|entry| entry.name.to_owned());
    if config.offers.is_empty() {
        return registry.entries().iter().map(|entry| entry.name.to_owned()).collect();
    }
    config.offers.iter().filter(|name| *name != GOLD).cloned().chain(asking).collect()
}

/// The models of all roles of a model.
fn pool(config: &PlannerNode, name: &str) -> Result<PoolOptions, Error> {
    let model = |key: &str, name: &String| {
        config.models.get(name).cloned().ok_or_else(|| {
            let known = config.models.keys().cloned().collect::<Vec<_>>().join(", ");
            Error::Settings(format!("`{key}`: there is no model `{name}` in `planner.models`; there are: {known}"))
        })
    };
    let of_role = |role: &str, other: Option<&String>| {
        other.map(|other| model(&format!("planner.roles.{name}.{role}"), other)).transpose()
    };
    let roles = config.roles.get(name);
    Ok(PoolOptions {
        reasoner: model("planner.models", &name.to_owned())?,
        describer: of_role("describer", roles.and_then(|roles| roles.describer.as_ref()))?,
        vision: of_role("vision", roles.and_then(|roles| roles.vision.as_ref()))?,
        grounder: of_role("grounder", roles.and_then(|roles| roles.grounder.as_ref()))?,
        judge: of_role("judge", roles.and_then(|roles| roles.judge.as_ref()))?,
        fallbacks: config
            .fallbacks
            .get(name)
            .into_iter()
            .flatten()
            .map(|other| model(&format!("planner.fallbacks.{name}"), other))
            .collect::<Result<_, _>>()?,
    })
}

fn in_settings(error: BuildError) -> Error {
    Error::Settings(format!("settings `planner.offers`: {error}"))
}

/// How results call a planner: with its preset, and with every option that differs from it. What is no planner of the
/// registry, such as a benchmark's own solution, is called by its name.
pub fn label(planner: &PlannerRef, usual: &BTreeMap<String, PlannerOptions>) -> String {
    let options = merged(usual.get(&planner.name), &planner.options);
    Registry::default().label(&planner.name, &options).unwrap_or_else(|_| planner.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::own_together;
    use crate::config::ModelRoles;
    use planner::{ModelOptions, Provider};

    fn config() -> PlannerNode {
        let model = |name: &str| ModelOptions {
            base_url: Some("http://127.0.0.1:1/v1".to_owned()),
            ..ModelOptions::new(Provider::OpenAi, name)
        };
        PlannerNode {
            offers: vec!["random".to_owned()],
            models: [("large", model("l")), ("small", model("s"))].map(|(name, model)| (name.to_owned(), model)).into(),
            ..PlannerNode::default()
        }
    }

    fn refusal(result: Result<Arc<dyn PlannerService>, Error>) -> String {
        match result {
            Ok(_) => panic!("accepted"),
            Err(error) => error.to_string(),
        }
    }

    #[tokio::test]
    async fn every_role_of_a_model_can_have_another() {
        let roles = ModelRoles {
            describer: Some("small".to_owned()),
            judge: Some("small".to_owned()),
            ..ModelRoles::default()
        };
        let fallbacks = [("large".to_owned(), vec!["small".to_owned()])].into();
        let config = PlannerNode { roles: [("large".to_owned(), roles)].into(), fallbacks, ..config() };
        let pool = pool(&config, "large").expect("models");
        assert_eq!(
            (pool.reasoner.model.as_str(), pool.describer.as_ref().map(|model| model.model.clone())),
            ("l", Some("s".to_owned()))
        );
        assert_eq!((pool.vision, pool.grounder), (None, None));
        assert_eq!(pool.judge.map(|model| model.model), Some("s".to_owned()));
        assert_eq!(pool.fallbacks.iter().map(|model| model.model.as_str()).collect::<Vec<_>>(), ["s"]);
        assert!(planners(&config, &embedding::LazyEmbedder::default(), &own_together()).await.is_ok());
    }

    #[tokio::test]
    async fn settings_that_name_what_there_is_not_are_refused_when_the_process_starts() {
        let encoder = embedding::LazyEmbedder::default();
        let roles = ModelRoles { vision: Some("huge".to_owned()), ..ModelRoles::default() };
        let refused = refusal(
            planners(
                &PlannerNode { roles: [("large".to_owned(), roles)].into(), ..config() },
                &encoder,
                &own_together(),
            )
            .await,
        );
        assert!(refused.contains("`planner.roles.large.vision`: there is no model `huge`"), "{refused}");
        let options = serde_json::from_value(serde_json::json!({"steps": "many"})).expect("options");
        let options = [("hxagent".to_owned(), options)].into();
        let refused = refusal(planners(&PlannerNode { options, ..config() }, &encoder, &own_together()).await);
        assert!(refused.contains("planner `hxagent`: option `steps`"), "{refused}");
        let refused = refusal(
            planners(&PlannerNode { offers: vec!["oracle".to_owned()], ..config() }, &encoder, &own_together()).await,
        );
        assert!(refused.contains("no planner `oracle`"), "{refused}");
    }

    #[test]
    fn results_name_the_preset_and_the_options_of_node_and_campaign() {
        let usual =
            [("hxagent".to_owned(), serde_json::from_value(serde_json::json!({"steps": 20})).expect("options"))];
        let planner = |options| PlannerRef {
            options: serde_json::from_value(options).expect("options"),
            ..PlannerRef::named("hxagent")
        };
        let usual = usual.into();
        assert_eq!(label(&planner(serde_json::json!({})), &usual), "hxagent (published, steps=20)");
        assert_eq!(label(&planner(serde_json::json!({"preset": "ours"})), &usual), "hxagent (ours)");
        assert_eq!(label(&PlannerRef::named("gold"), &usual), "gold");
    }
}
