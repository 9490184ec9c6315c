//! From the words of the command line to the types of the rooms.

use super::{
    BrowserArgs, LogForm, PlannerArgs, PlannerName, ProviderName, RunArgs, ServeRole, WhichPictures, WireName,
};
use crate::exit::{Exit, OrExit as _, Outcome, failure};
use domain::secret::SecretRef;
use node::Role;
use node::config::{self, BrowserConfig, Density};
use node::run::{self, PlannerConfig};
use planner::{ModelOptions, Provider};
use platform::telemetry;
use std::collections::BTreeSet;

impl From<PlannerName> for config::PlannerName {
    fn from(name: PlannerName) -> Self {
        match name {
            PlannerName::Ground => config::PlannerName::Ground,
            PlannerName::Hxagent => config::PlannerName::Hxagent,
            PlannerName::Random => config::PlannerName::Random,
            PlannerName::Gold => config::PlannerName::Gold,
        }
    }
}

impl PlannerArgs {
    /// The planner that is asked for, with its model.
    ///
    /// # Errors
    /// A planner that asks a model without one, or a model that cannot be meant.
    pub(crate) fn config(&self) -> Outcome<PlannerConfig> {
        let name = self.planner.into();
        if self.planner != PlannerName::Hxagent {
            return Ok(PlannerConfig { name, model: None });
        }
        let Some(model) = &self.model else {
            return failure(
                Exit::Usage,
                "the planner `hxagent` asks a language model: name one by --model (and --model-url for an endpoint of your own)",
            );
        };
        let provider = match self.model_provider {
            ProviderName::Openai => Provider::OpenAi,
            ProviderName::Anthropic => Provider::Anthropic,
            ProviderName::Gemini => Provider::Gemini,
        };
        let mut options = ModelOptions::new(provider, model.clone());
        options.base_url = self.model_url.clone();
        options.api_key = self.model_key_env.clone().map(SecretRef::Env);
        options.job_header = self.model_job_header;
        if let Some((sent, received)) = self.model_price {
            options.usd_per_million_prompt_tokens = sent;
            options.usd_per_million_completion_tokens = received;
        }
        options.check().or_exit(Exit::Usage)?;
        Ok(PlannerConfig { name, model: Some(options) })
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
        Self { headed: args.headed, browser: args.browser, driver: args.driver, webdriver: args.webdriver, wire }
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
