//! From the words of the command line to the types of the rooms.

use super::{
    BrowserArgs, LimitArgs, LogForm, ModelArgs, PlannerArgs, ProviderName, RunArgs, ServeRole, WhichPictures, WireName,
    planner_options,
};
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use domain::campaign::AttemptLimits;
use domain::secret::SecretRef;
use node::Role;
use node::config::{self, BrowserConfig, Density, GateConfig};
use node::run::{self, PlannerConfig, RunTraffic};
use planner::{ModelOptions, PoolOptions, Provider, Registry, registry};
use platform::telemetry;
use std::collections::BTreeSet;

/// How a model is named.
pub(crate) const WHICH_MODEL: &str =
    "name one by --model (and --model-url for an endpoint of your own), or one for each role by --models";

impl PlannerArgs {
    /// The planner that is asked for, with its options and models.
    ///
    /// # Errors
    /// A planner that asks a model without one, a model that cannot be meant, an option that cannot be.
    pub(crate) fn config(&self) -> Outcome<PlannerConfig> {
        let name = self.planner.clone();
        let options = self.options.of(&name)?;
        let asks_model = Registry::default().entry(&name).is_ok_and(|entry| entry.needs.asks_model());
        if !asks_model {
            return Ok(PlannerConfig { options, ..PlannerConfig::new(name, None) });
        }
        let Some(pool) = self.model.pool()? else {
            return failure(Exit::Usage, format!("the planner `{name}` asks a language model: {WHICH_MODEL}"));
        };
        let traffic = match (self.record_model, &self.replay_model) {
            (true, _) => Some(RunTraffic::Record),
            (false, Some(run)) => Some(RunTraffic::Replay(std::path::absolute(run).or_exit(Exit::Usage)?)),
            (false, None) => None,
        };
        Ok(PlannerConfig { options, traffic, ..PlannerConfig::new(name, Some(pool)) })
    }
}

impl ModelArgs {
    /// The models of all roles; none where none is named.
    ///
    /// # Errors
    /// A model that cannot be meant.
    pub(crate) fn pool(&self) -> Outcome<Option<PoolOptions>> {
        let pool = match (&self.models, &self.model) {
            (Some(file), _) => {
                let models = planner_options::read(file)?;
                match registry::options::read::<PoolOptions>(&models) {
                    Ok(models) => models,
                    Err(mistake) => return failure(Exit::Usage, format!("--models {}: {mistake}", file.display())),
                }
            }
            (None, Some(model)) => PoolOptions::of(self.named(model)),
            (None, None) => return Ok(None),
        };
        for model in pool.all() {
            model.check().or_exit(Exit::Usage)?;
        }
        Ok(Some(pool))
    }

    /// The model of this name at the endpoint of the command line.
    pub(crate) fn named(&self, model: &str) -> ModelOptions {
        let provider = match self.model_provider {
            ProviderName::Openai => Provider::OpenAi,
            ProviderName::Anthropic => Provider::Anthropic,
            ProviderName::Gemini => Provider::Gemini,
        };
        let mut options = ModelOptions::new(provider, model);
        options.base_url = self.model_url.clone();
        options.api_key = self.model_key_env.clone().map(SecretRef::Env);
        options.job_header = self.model_job_header;
        if let Some((sent, received)) = self.model_price {
            options.usd_per_million_prompt_tokens = sent;
            options.usd_per_million_completion_tokens = received;
        }
        options
    }
}

impl LimitArgs {
    /// As campaigns have them.
    pub(crate) fn of(self) -> AttemptLimits {
        AttemptLimits { steps: self.max_steps, seconds: self.max_seconds }
    }
}

impl RunArgs {
    /// How jobs share browsers.
    pub(crate) fn density(&self) -> Density {
        let usual = Density { jobs_per_browser: self.tasks_per_browser, ..Density::default() };
        match self.contexts_per_browser {
            Some(contexts) => {
                Density { task_contexts_per_browser: contexts, benchmark_contexts_per_browser: contexts, ..usual }
            }
            None => usual,
        }
    }
}

impl From<WhichPictures> for run::WhichPictures {
    fn from(which: WhichPictures) -> Self {
        match which {
            WhichPictures::None => run::WhichPictures::None,
            WhichPictures::Failures => run::WhichPictures::Failures,
            WhichPictures::All => run::WhichPictures::All,
        }
    }
}

impl From<BrowserArgs> for BrowserConfig {
    fn from(args: BrowserArgs) -> Self {
        let wire = match args.wire {
            WireName::Auto => config::WireName::Auto,
            WireName::Bidi => config::WireName::Bidi,
            WireName::Classic => config::WireName::Classic,
        };
        let gate = GateConfig { host: args.gate, bind: None };
        Self { headed: args.headed, browser: args.browser, driver: args.driver, webdriver: args.webdriver, wire, gate }
    }
}

impl ServeRole {
    /// The roles of the process.
    pub(crate) fn roles(self) -> BTreeSet<Role> {
        match self {
            ServeRole::Campaigns => BTreeSet::from([Role::Campaigns]),
            ServeRole::Crawler => BTreeSet::from([Role::Crawler]),
            ServeRole::Planner => BTreeSet::from([Role::Planner]),
            ServeRole::Aggregator => BTreeSet::from([Role::Aggregator]),
            ServeRole::Graph => BTreeSet::from([Role::Graph]),
            ServeRole::All => Role::ALL.iter().copied().collect(),
        }
    }
}

impl From<LogForm> for telemetry::Format {
    fn from(form: LogForm) -> Self {
        match form {
            LogForm::Text => telemetry::Format::Text,
            LogForm::Json => telemetry::Format::Json,
        }
    }
}
