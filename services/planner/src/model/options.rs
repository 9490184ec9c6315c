//! How a model is reached: provider, endpoint, key, limits, prices.

use domain::secret::SecretRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::PathBuf;

/// Replies are kept for a month at most.
const LONGEST_KEPT_S: u64 = 30 * 86_400;

/// One model of one provider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelOptions {
    /// The dialect that the endpoint speaks.
    pub provider: Provider,
    /// The model's name at the provider.
    pub model: String,
    /// The endpoint, e.g. `http://127.0.0.1:8080/v1`; the provider's own where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    /// Where the key stands. Where absent: the provider's usual environment variable at the provider's own endpoint, and
    /// no key at any other, so that a key never reaches an endpoint that it was not meant for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<SecretRef>,
    /// Seconds that one call may take.
    #[serde(default = "defaults::timeout_seconds")]
    pub timeout_seconds: u64,
    /// Tokens that a reply may take.
    #[serde(default = "defaults::max_tokens")]
    pub max_tokens: u32,
    /// Whether the temperature is sent; some models accept their own only.
    #[serde(default = "defaults::yes")]
    pub send_temperature: bool,
    /// Whether the seed is sent, to providers that know one.
    #[serde(default = "defaults::yes")]
    pub send_seed: bool,
    /// US dollars per million tokens sent.
    #[serde(default)]
    pub usd_per_million_prompt_tokens: f64,
    /// US dollars per million tokens received.
    #[serde(default)]
    pub usd_per_million_completion_tokens: f64,
    /// Seconds that a call may be held back by throttling (429), all waits together.
    #[serde(default = "defaults::patience_seconds")]
    pub patience_seconds: u64,
    /// How often a call is tried again after a failure of the endpoint: 5xx, connection, time-out.
    #[serde(default = "defaults::retries")]
    pub retries: u32,
    /// Milliseconds before the first retry; each further one waits twice as long, up to 30 s.
    #[serde(default = "defaults::first_retry_ms")]
    pub first_retry_ms: u64,
    /// Calls at once, of one process.
    #[serde(default = "defaults::concurrency")]
    pub concurrency: usize,
    /// What all processes together ask of the model at most.
    #[serde(default, skip_serializing_if = "SharedLimits::is_none")]
    pub together: SharedLimits,
    /// Seconds for which a reply is given again to the very same question, by all processes together; 0 asks each time.
    #[serde(default)]
    pub cache_seconds: u64,
    /// Further headers of every call, for gateways. They are configuration, not secrets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Whether every call carries `x-rutter-job: <job id>` and `x-rutter-step: <steps so far>`, for tracing by gateways.
    #[serde(default)]
    pub job_header: bool,
}

/// What all processes together ask of one model of one endpoint at most. They are counted where processes share caches and rates; when
/// that cannot be asked, no call is made. Absent means no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SharedLimits {
    /// Calls at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<NonZeroU32>,
    /// Calls in any minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests_per_minute: Option<NonZeroU32>,
    /// Tokens sent and received in any minute. What a call may take is set aside before it, and settled by what it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_minute: Option<NonZeroU32>,
}

impl SharedLimits {
    /// Whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provider {
    /// Chat completions of OpenAI and of everything that is compatible: vLLM, llama.cpp, Ollama, gateways.
    #[serde(rename = "openai")]
    OpenAi,
    /// Messages of Anthropic.
    Anthropic,
    /// generateContent of Gemini.
    Gemini,
}

impl Provider {
    /// The provider's own endpoint.
    pub fn base_url(self) -> &'static str {
        match self {
            Provider::OpenAi => "https://api.openai.com/v1/",
            Provider::Anthropic => "https://api.anthropic.com/v1/",
            Provider::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
        }
    }

    /// The environment variable that usually holds the provider's key.
    pub fn key_variable(self) -> &'static str {
        match self {
            Provider::OpenAi => "OPENAI_API_KEY",
            Provider::Anthropic => "ANTHROPIC_API_KEY",
            Provider::Gemini => "GEMINI_API_KEY",
        }
    }
}

/// What is wrong with a model's configuration.
#[derive(Debug, thiserror::Error)]
pub enum OptionsError {
    /// The key is not there.
    #[error("model {model}: no API key: {cause}")]
    Key {
        /// The model.
        model: String,
        /// What was looked for, and what to do.
        cause: String,
    },
    /// The file that exchanges are written to or read from cannot be used.
    #[error("recorded exchanges {}: {cause}", file.display())]
    Traffic {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// A value is out of range or does not parse.
    #[error("model {model}: `{field}` {cause}")]
    Field {
        /// The model.
        model: String,
        /// The field.
        field: &'static str,
        /// What is wrong.
        cause: String,
    },
    /// The HTTP client could not be built.
    #[error("model {model}: {cause}")]
    Client {
        /// The model.
        model: String,
        /// Cause.
        cause: String,
    },
}

impl ModelOptions {
    /// A model with the default limits and no prices.
    pub fn new(provider: Provider, model: impl Into<String>) -> Self {
        Self {
            provider,
            model: model.into(),
            base_url: None,
            api_key: None,
            timeout_seconds: defaults::timeout_seconds(),
            max_tokens: defaults::max_tokens(),
            send_temperature: true,
            send_seed: true,
            usd_per_million_prompt_tokens: 0.0,
            usd_per_million_completion_tokens: 0.0,
            patience_seconds: defaults::patience_seconds(),
            retries: defaults::retries(),
            first_retry_ms: defaults::first_retry_ms(),
            concurrency: defaults::concurrency(),
            together: SharedLimits::default(),
            cache_seconds: 0,
            headers: BTreeMap::new(),
            job_header: false,
        }
    }

    /// The endpoint with a trailing slash, which the dialects' paths are joined to.
    pub fn endpoint(&self) -> String {
        match &self.base_url {
            Some(url) => format!("{}/", url.trim_end_matches('/')),
            None => self.provider.base_url().to_owned(),
        }
    }

    /// Looks for mistakes that need no network.
    ///
    /// # Errors
    /// [`OptionsError::Field`].
    pub fn check(&self) -> Result<(), OptionsError> {
        let wrong = |field, cause: String| Err(OptionsError::Field { model: self.model.clone(), field, cause });
        let has_login = |url: &String| {
            reqwest::Url::parse(url).is_ok_and(|url| !url.username().is_empty() || url.password().is_some())
        };
        if self.base_url.as_ref().is_some_and(has_login) {
            return wrong(
                "base_url",
                "holds a user or a password, which would be shown; name the key by `api_key`".to_owned(),
            );
        }
        if self.model.trim().is_empty() {
            return wrong("model", "is empty; give the model's name at the provider".to_owned());
        }
        let endpoint = self.endpoint();
        if !endpoint.starts_with("http://") && !endpoint.starts_with("https://") {
            return wrong("base_url", format!("is `{endpoint}`; it must begin with http:// or https://"));
        }
        if self.concurrency == 0 {
            return wrong("concurrency", "is 0; at least one call at a time is needed".to_owned());
        }
        if self.cache_seconds > LONGEST_KEPT_S {
            let cause = format!("is {}; replies are kept for {LONGEST_KEPT_S} seconds at most", self.cache_seconds);
            return wrong("cache_seconds", cause);
        }
        if self.timeout_seconds == 0 {
            return wrong("timeout_seconds", "is 0; give at least 1".to_owned());
        }
        for price in [self.usd_per_million_prompt_tokens, self.usd_per_million_completion_tokens] {
            if !price.is_finite() || price < 0.0 {
                return wrong("usd_per_million_…_tokens", format!("is {price}; a price is 0 or more"));
            }
        }
        Ok(())
    }

    /// The key's value; an empty placeholder where none is needed.
    ///
    /// # Errors
    /// [`OptionsError::Key`] saying what was looked for; never with the value.
    pub(crate) fn key(&self) -> Result<String, OptionsError> {
        let missing = |cause: String| OptionsError::Key { model: self.model.clone(), cause };
        let reference = match (&self.api_key, &self.base_url) {
            (Some(reference), _) => reference.clone(),
            (None, None) => SecretRef::Env(self.provider.key_variable().to_owned()),
            (None, Some(_)) => return Ok("none".to_owned()),
        };
        let value = match &reference {
            SecretRef::Env(name) => std::env::var(name).map_err(|_| {
                missing(format!("environment variable {name} is not set; set it, or name another place by `api_key`"))
            })?,
            SecretRef::File(path) => std::fs::read_to_string(path)
                .map_err(|cause| missing(format!("read {}: {cause}", path.display())))?
                .trim_end_matches(['\r', '\n'])
                .to_owned(),
            SecretRef::Named(_) => return Err(missing("a key is given by `env` or `file`, not by a name".to_owned())),
        };
        if value.is_empty() {
            return Err(missing(format!("{reference:?} is empty")));
        }
        Ok(value)
    }
}

mod defaults {
    pub(super) fn timeout_seconds() -> u64 {
        120
    }
    pub(super) fn max_tokens() -> u32 {
        1024
    }
    pub(super) fn patience_seconds() -> u64 {
        300
    }
    pub(super) fn retries() -> u32 {
        4
    }
    pub(super) fn first_retry_ms() -> u64 {
        500
    }
    pub(super) fn concurrency() -> usize {
        8
    }
    pub(super) fn yes() -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_words_configure_a_model() {
        let options: ModelOptions =
            serde_json::from_str(r#"{"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"}"#)
                .expect("valid");
        assert_eq!(
            options,
            ModelOptions { base_url: Some("http://127.0.0.1:1/v1".into()), ..ModelOptions::new(Provider::OpenAi, "m") }
        );
        assert_eq!(options.endpoint(), "http://127.0.0.1:1/v1/");
    }

    #[test]
    fn a_misspelt_option_is_refused_by_name() {
        let error = serde_json::from_str::<ModelOptions>(r#"{"provider": "openai", "model": "m", "temprature": 1}"#)
            .expect_err("misspelt");
        assert!(error.to_string().contains("temprature"), "{error}");
    }

    #[test]
    fn a_missing_key_is_named_and_no_key_goes_to_another_endpoint() {
        let mut options = ModelOptions::new(Provider::Anthropic, "m");
        options.api_key = Some(SecretRef::Env("RUTTER_TEST_KEY_THAT_IS_NOT_SET".into()));
        let error = options.key().expect_err("not set").to_string();
        assert!(error.contains("RUTTER_TEST_KEY_THAT_IS_NOT_SET"), "{error}");
        options.api_key = None;
        options.base_url = Some("http://127.0.0.1:1".into());
        assert_eq!(options.key().expect("none needed"), "none");
    }

    #[test]
    fn values_out_of_range_are_named() {
        let check = |change: fn(&mut ModelOptions)| {
            let mut options = ModelOptions::new(Provider::Gemini, "m");
            change(&mut options);
            options.check().expect_err("wrong").to_string()
        };
        assert!(check(|o| o.model = " ".into()).contains("`model`"));
        assert!(check(|o| o.base_url = Some("localhost:1".into())).contains("`base_url`"));
        assert!(check(|o| o.concurrency = 0).contains("`concurrency`"));
        assert!(check(|o| o.usd_per_million_prompt_tokens = -1.0).contains("price"));
    }
}
