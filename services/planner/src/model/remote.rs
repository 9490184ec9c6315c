//! A model behind an HTTP endpoint, through genai: one call, and its retries by class of trouble.
//!
//! What a call carries is the request and nothing else: no environment, no file, no other task. Keys go into headers
//! and never into errors, logs or results.

use super::Speaker;
use super::limits::Limits;
use super::trouble::{Class, Trouble};
use super::{LanguageModel, Message, ModelError, ModelOptions, ModelReply, ModelRequest, OptionsError, Part, Provider};
use async_trait::async_trait;
use backon::{ExponentialBuilder, Retryable};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::Usage;
use domain::storage::shared::Quotas;
use genai::adapter::AdapterKind;
use genai::chat::{Binary, ChatMessage, ChatOptions, ChatRequest, ChatResponse, ContentPart, JsonSpec, StopReason};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, Headers, ModelIden, ServiceTarget};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The header that names the job, where the configuration asks for it.
const JOB_HEADER: &str = "x-rutter-job";
const STEP_HEADER: &str = "x-rutter-step";

/// A language model behind an endpoint.
pub struct RemoteModel {
    options: ModelOptions,
    client: Client,
    target: ServiceTarget,
    slots: Semaphore,
    /// Those of all processes together.
    limits: Option<Limits>,
}

/// Tokens that a picture is reckoned as before a call.
const PICTURE: usize = 1_500;
/// Bytes of a text that are reckoned as a token before a call; rather too few than too many.
const BYTES_OF_TOKEN: usize = 3;

impl RemoteModel {
    /// Builds the client. Calls nobody yet.
    ///
    /// # Errors
    /// [`OptionsError`]: a missing key, a value out of range.
    pub fn new(options: ModelOptions) -> Result<Self, OptionsError> {
        options.check()?;
        let key = options.key()?;
        let failed = |cause: &dyn std::fmt::Display| OptionsError::Client {
            model: options.model.clone(),
            cause: cause.to_string(),
        };
        // The request carries the key: a redirect could take it to another host.
        let web = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(Duration::from_secs(options.timeout_seconds))
            .connect_timeout(Duration::from_secs(options.timeout_seconds.min(10)));
        let web = web.build().map_err(|cause| failed(&cause))?;
        let client = Client::builder().with_reqwest(web).build().map_err(|cause| failed(&cause))?;
        let adapter = match options.provider {
            Provider::OpenAi => AdapterKind::OpenAI,
            Provider::Anthropic => AdapterKind::Anthropic,
            Provider::Gemini => AdapterKind::Gemini,
        };
        let target = ServiceTarget {
            endpoint: Endpoint::from_owned(options.endpoint()),
            auth: AuthData::from_single(key),
            model: ModelIden::new(adapter, options.model.clone()),
        };
        let slots = Semaphore::new(options.concurrency);
        Ok(Self { options, client, target, slots, limits: None })
    }

    /// Keeps to the limits of all processes together, counted by `quotas`.
    #[must_use]
    pub fn counted_by(mut self, quotas: Arc<dyn Quotas>) -> Self {
        let (key, together) = (format!("{}|{}", self.options.endpoint(), self.options.model), self.options.together);
        let patience = Duration::from_secs(self.options.patience_seconds);
        self.limits = (!together.is_none()).then(|| Limits::new(quotas, key, together, patience));
        self
    }

    /// One HTTP exchange.
    async fn call(&self, request: &ModelRequest) -> Result<ProviderReply, Trouble> {
        let timeout = Duration::from_secs(self.options.timeout_seconds);
        let chat_options = self.chat_options(request);
        let admitted = match &self.limits {
            Some(limits) => Some(limits.admit(self.most_tokens(request)).await?),
            None => None,
        };
        let call = self.client.exec_chat(self.target.clone(), chat_request(request), Some(&chat_options));
        let response = match &admitted {
            Some(admitted) => admitted.during(call).await,
            None => call.await,
        };
        let reply = response.map(|response| ProviderReply::of(&response)).map_err(|error| Trouble::of(&error, timeout));
        if let Some(admitted) = admitted {
            let taken = reply.as_ref().ok().map(|reply| reply.usage.prompt_tokens + reply.usage.completion_tokens);
            // An endpoint that tells no usage took what was set aside.
            admitted.end(taken.filter(|taken| *taken > 0)).await;
        }
        reply
    }

    /// What a call may take: an estimate of what is sent, and the most that may come back.
    fn most_tokens(&self, request: &ModelRequest) -> u32 {
        let parts = request.messages.iter().flat_map(|message| &message.parts);
        let sent: usize = parts
            .map(|part| match part {
                Part::Text(text) => text.len() / BYTES_OF_TOKEN,
                Part::Png(_) => PICTURE,
            })
            .sum();
        let beside = request.system.len() + request.schema.schema.to_string().len();
        let sent = sent + beside / BYTES_OF_TOKEN;
        u32::try_from(sent).unwrap_or(u32::MAX).saturating_add(self.reply_tokens(request))
    }

    /// The most tokens of a reply.
    fn reply_tokens(&self, request: &ModelRequest) -> u32 {
        request.max_tokens.map_or(self.options.max_tokens, |own| own.min(self.options.max_tokens))
    }

    /// One exchange, tried again as its troubles allow.
    async fn call_with_patience(&self, request: &ModelRequest, record: &mut Record) -> Result<ProviderReply, Trouble> {
        let backoff = ExponentialBuilder::default()
            .with_min_delay(Duration::from_millis(self.options.first_retry_ms))
            .with_max_delay(Duration::from_secs(30))
            .with_jitter()
            .with_jitter_seed(request.seed)
            .without_max_times();
        let retries = self.options.retries;
        let patience = Duration::from_secs(self.options.patience_seconds);
        record.calls += 1;
        (|| self.call(request))
            .retry(backoff)
            .adjust(|trouble, proposed| record.wait(trouble, proposed?, retries, patience))
            .await
    }

    fn chat_options(&self, request: &ModelRequest) -> ChatOptions {
        let schema = JsonSpec::new(request.schema.name.clone(), request.schema.schema.clone());
        let mut options = ChatOptions::default()
            .with_max_tokens(self.reply_tokens(request))
            .with_response_format(schema)
            .with_capture_raw_body(true);
        if self.options.send_temperature {
            options = options.with_temperature(request.temperature);
        }
        if self.options.send_seed {
            options = options.with_seed(request.seed);
        }
        let mut headers: Vec<(String, String)> = self.options.headers.clone().into_iter().collect();
        if let Some(job) = request.job.as_ref().filter(|_| self.options.job_header) {
            headers.push((JOB_HEADER.to_owned(), job.to_string()));
            headers.extend(request.step.map(|step| (STEP_HEADER.to_owned(), step.to_string())));
        }
        if headers.is_empty() { options } else { options.with_extra_headers(Headers::from(headers)) }
    }

    fn price(&self, usage: &mut Usage) {
        usage.cost_usd = (usage.prompt_tokens as f64 * self.options.usd_per_million_prompt_tokens
            + usage.completion_tokens as f64 * self.options.usd_per_million_completion_tokens)
            / 1e6;
    }

    /// The error of a trouble that was not survived.
    fn give_up(&self, trouble: &Trouble, record: Record) -> ModelError {
        let at = format!("{} (model {})", self.options.endpoint(), self.options.model);
        let usage = record.usage(self);
        let Trouble { class, cause } = trouble;
        match class {
            Class::Throttled { .. } => {
                let waited = record.throttled.as_secs();
                let cause = format!(
                    "{at}: {cause}; waited {waited} s, patience is {} s: ask for a higher rate, lower `concurrency` or \
                     raise `patience_seconds`",
                    self.options.patience_seconds
                );
                ModelError::Throttled { cause, usage }
            }
            Class::Transient => {
                let cause = format!(
                    "{at}: {cause}; tried {} times: check that the endpoint is running and that `base_url` is right",
                    record.calls
                );
                ModelError::Unavailable { cause, usage }
            }
            Class::Permanent => {
                let cause = format!("{at}: {cause}: check `api_key`, `model` and `base_url` of the configuration");
                ModelError::Unavailable { cause, usage }
            }
            Class::Refused => ModelError::Unusable { cause: cause.clone(), usage, incidents: record.incidents },
            Class::NotMade => ModelError::Throttled { cause: format!("{at}: {cause}"), usage },
        }
    }
}

#[async_trait]
impl LanguageModel for RemoteModel {
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
        let mut record = Record::default();
        let Ok(_slot) = self.slots.acquire().await else {
            let cause = "the model's client is shut down".to_owned();
            return Err(ModelError::Unavailable { cause, usage: Usage::default() });
        };
        let answer = match self.call_with_patience(&request, &mut record).await {
            Ok(answer) => answer,
            Err(trouble) => return Err(self.give_up(&trouble, record)),
        };
        record.spent += answer.usage;
        if let Some(reason) = answer.refusal {
            return Err(self.give_up(&Trouble::refused(&reason), record));
        }
        let usage = record.usage(self);
        Ok(ModelReply { text: answer.text, cut_off: answer.cut_off, usage, incidents: record.incidents })
    }
}

/// What the calls of one request cost and met.
#[derive(Default)]
struct Record {
    calls: u32,
    failures: u32,
    throttled: Duration,
    spent: Usage,
    incidents: Vec<String>,
}

impl Record {
    /// How long to wait after a trouble; none to give up.
    fn wait(&mut self, trouble: &Trouble, proposed: Duration, retries: u32, patience: Duration) -> Option<Duration> {
        let wait = match trouble.class {
            Class::Throttled { retry_after } => {
                let wait = retry_after.unwrap_or(proposed);
                if self.throttled + wait > patience {
                    return None;
                }
                self.throttled += wait;
                wait
            }
            Class::Transient if self.failures < retries => {
                self.failures += 1;
                proposed
            }
            Class::NotMade => {
                self.calls -= 1;
                return None;
            }
            Class::Transient | Class::Permanent | Class::Refused => return None,
        };
        self.calls += 1;
        let incident = format!("{}; tried again after {:.1} s", trouble.cause, wait.as_secs_f64());
        tracing::info!(incident, "model call failed");
        self.incidents.push(incident);
        Some(wait)
    }

    fn usage(&self, model: &RemoteModel) -> Usage {
        let mut usage = Usage { calls: self.calls, ..self.spent };
        model.price(&mut usage);
        usage
    }
}

/// What a provider answered, whatever its dialect.
struct ProviderReply {
    text: String,
    usage: Usage,
    refusal: Option<String>,
    cut_off: bool,
}

impl ProviderReply {
    fn of(response: &ChatResponse) -> Self {
        let text = response.texts().concat();
        let count = |tokens: Option<i32>| tokens.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
        let raw = response.captured_raw_body.as_ref();
        let stated = raw
            .and_then(|body| {
                body.pointer("/choices/0/message/refusal").or_else(|| body.pointer("/promptFeedback/blockReason"))
            })
            .and_then(Value::as_str);
        let refusal = match (&response.stop_reason, stated) {
            (_, Some(reason)) => Some(reason.to_owned()),
            (Some(StopReason::ContentFilter(reason)), None) => Some(format!("{reason} {text}").trim().to_owned()),
            _ => None,
        };
        ProviderReply {
            text,
            usage: Usage {
                prompt_tokens: count(response.usage.prompt_tokens),
                completion_tokens: count(response.usage.completion_tokens),
                ..Usage::default()
            },
            refusal,
            cut_off: matches!(response.stop_reason, Some(StopReason::MaxTokens(_))),
        }
    }
}

fn chat_request(request: &ModelRequest) -> ChatRequest {
    let messages = request.messages.iter().map(chat_message).collect();
    ChatRequest::new(messages).with_system(request.system.clone())
}

fn chat_message(message: &Message) -> ChatMessage {
    let parts: Vec<ContentPart> = message
        .parts
        .iter()
        .map(|part| match part {
            Part::Text(text) => ContentPart::from_text(text.clone()),
            Part::Png(png) => Binary::from_base64("image/png", BASE64_STANDARD.encode(png), None).into(),
        })
        .collect();
    match message.speaker {
        Speaker::User => ChatMessage::user(parts),
        Speaker::Assistant => ChatMessage::assistant(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trouble(class: Class) -> Trouble {
        Trouble { class, cause: "x".into() }
    }

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn throttling_waits_as_long_as_the_provider_says_until_patience_ends() {
        let mut record = Record::default();
        let slow = trouble(Class::Throttled { retry_after: Some(4 * SECOND) });
        assert_eq!(record.wait(&slow, SECOND, 0, 10 * SECOND), Some(4 * SECOND));
        assert_eq!(record.wait(&slow, SECOND, 0, 10 * SECOND), Some(4 * SECOND));
        assert_eq!(record.wait(&slow, SECOND, 0, 10 * SECOND), None);
        assert_eq!(record.incidents.len(), 2);
    }

    #[test]
    fn failures_are_tried_again_as_often_as_configured_and_throttling_does_not_count() {
        let mut record = Record::default();
        let throttled = trouble(Class::Throttled { retry_after: None });
        assert_eq!(record.wait(&throttled, SECOND, 1, 10 * SECOND), Some(SECOND));
        assert_eq!(record.wait(&trouble(Class::Transient), SECOND, 1, 10 * SECOND), Some(SECOND));
        assert_eq!(record.wait(&trouble(Class::Transient), SECOND, 1, 10 * SECOND), None);
    }

    #[test]
    fn what_will_fail_again_is_not_tried_again() {
        let mut record = Record::default();
        assert_eq!(record.wait(&trouble(Class::Permanent), SECOND, 9, 10 * SECOND), None);
        assert_eq!(record.wait(&trouble(Class::Refused), SECOND, 9, 10 * SECOND), None);
        record.calls = 1;
        assert_eq!(record.wait(&trouble(Class::NotMade), SECOND, 9, 10 * SECOND), None);
        assert_eq!(record.calls, 0, "it was not made");
    }
}
