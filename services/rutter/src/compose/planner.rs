//! From the settings of a planner to the planner itself.

use crate::cli::{PlannerArgs, PlannerName, ProviderName};
use crate::exit::{Exit, OrExit, Outcome, failure};
use crate::run::config::PlannerConfig;
use anyhow::Context as _;
use domain::Planner;
use domain::secret::SecretRef;
use planner::ground::{Ground, GroundOptions};
use planner::{HxAgent, HxAgentOptions, ModelOptions, ModelPool, PoolOptions, Provider, Random};
use std::sync::Arc;

/// The settings that the command line asks for.
///
/// # Errors
/// A planner that asks a model without one, or a model that cannot be meant.
pub(crate) fn config(args: &PlannerArgs) -> Outcome<PlannerConfig> {
    if args.planner != PlannerName::Hxagent {
        return Ok(PlannerConfig { name: args.planner, model: None });
    }
    let Some(model) = &args.model else {
        return failure(
            Exit::Usage,
            "the planner `hxagent` asks a language model: name one by --model (and --model-url for an endpoint of your own)",
        );
    };
    let provider = match args.model_provider {
        ProviderName::Openai => Provider::OpenAi,
        ProviderName::Anthropic => Provider::Anthropic,
        ProviderName::Gemini => Provider::Gemini,
    };
    let mut options = ModelOptions::new(provider, model.clone());
    options.base_url = args.model_url.clone();
    options.api_key = args.model_key_env.clone().map(SecretRef::Env);
    options.job_header = args.model_job_header;
    if let [sent, received] = args.model_price[..] {
        options.usd_per_million_prompt_tokens = sent;
        options.usd_per_million_completion_tokens = received;
    }
    options.check().or_exit(Exit::Usage)?;
    Ok(PlannerConfig { name: args.planner, model: Some(options) })
}

/// A planner's name in results.
pub(crate) fn name(config: &PlannerConfig) -> String {
    match config.name {
        PlannerName::Ground => "ground",
        PlannerName::Hxagent => "hxagent",
        PlannerName::Random => "random",
        PlannerName::Gold => "gold",
    }
    .to_owned()
}

/// The planner; none where something else decides (a benchmark's own solution).
///
/// # Errors
/// The sentence encoder's weights are missing, or the model's key is.
pub(crate) async fn planner(config: &PlannerConfig) -> Outcome<Option<Arc<dyn Planner>>> {
    Ok(match (config.name, &config.model) {
        (PlannerName::Gold, _) => None,
        (PlannerName::Random, _) => Some(Arc::new(Random)),
        (PlannerName::Ground, _) => {
            let loaded = tokio::task::spawn_blocking(embedding::in_process).await;
            let embedder =
                loaded.context("load the sentence encoder").or_exit(Exit::Internal)?.or_exit(Exit::Environment)?;
            Some(Arc::new(Ground::new(Arc::new(embedder), GroundOptions::default())))
        }
        (PlannerName::Hxagent, None) => return failure(Exit::Usage, "the planner `hxagent` has no model"),
        (PlannerName::Hxagent, Some(model)) => {
            let options = PoolOptions { reasoner: model.clone(), describer: None, vision: None };
            let pool = ModelPool::new(&options).or_exit(Exit::Usage)?;
            let agent =
                HxAgent::new(Arc::new(pool), HxAgentOptions::default()).with_marker(Arc::new(browser::marks::Marks));
            Some(Arc::new(agent))
        }
    })
}
