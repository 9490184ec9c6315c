//! From the settings of a planner to the planner itself.

use crate::cli::{PlannerArgs, PlannerName, ProviderName};
use crate::exit::{Exit, OrExit, Outcome, failure};
use crate::node::config::PlannerNode;
use crate::run::config::PlannerConfig;
use domain::campaign::PlannerRef;
use domain::secret::SecretRef;
use domain::service::PlannerService;
use planner::ground::{Ground, GroundOptions};
use planner::{HxAgent, HxAgentOptions, ModelOptions, ModelPool, Planners, PoolOptions, Provider, Random};
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

/// A planner's name in campaigns and results.
pub(crate) fn name(planner: PlannerName) -> &'static str {
    match planner {
        PlannerName::Ground => "ground",
        PlannerName::Hxagent => "hxagent",
        PlannerName::Random => "random",
        PlannerName::Gold => super::assignments::GOLD,
    }
}

/// The planners that a process offers. One of them needs the sentence encoder, which is loaded then.
///
/// # Errors
/// The sentence encoder's weights are missing, or a model's key is.
pub(crate) async fn planners(config: &PlannerNode, encoder: &embedding::Later) -> Outcome<Arc<dyn PlannerService>> {
    let mut planners = Planners::default();
    let offered = |planner| config.offers.is_empty() || config.offers.contains(&planner);
    if offered(PlannerName::Random) {
        planners = planners.with(PlannerRef::named(name(PlannerName::Random)), Arc::new(Random));
    }
    if offered(PlannerName::Ground) {
        encoder.load().await.or_exit(Exit::Environment)?;
        let ground = Ground::new(Arc::new(encoder.clone()), GroundOptions::default());
        planners = planners.with(PlannerRef::named(name(PlannerName::Ground)), Arc::new(ground));
    }
    for (model, options) in &config.models {
        let pool = PoolOptions { reasoner: options.clone(), describer: None, vision: None };
        let pool = Arc::new(ModelPool::new(&pool).or_exit(Exit::Usage)?);
        let agent = HxAgent::new(pool, HxAgentOptions::default()).with_marker(Arc::new(browser::marks::Marks));
        let planner = PlannerRef { name: name(PlannerName::Hxagent).to_owned(), model: Some(model.clone()) };
        planners = planners.with(planner, Arc::new(agent));
    }
    Ok(Arc::new(planners))
}
