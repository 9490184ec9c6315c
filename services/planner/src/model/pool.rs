//! Which model answers which role, and which is asked when it cannot be.

use super::cached::Cached;
use super::{LanguageModel, ModelError, ModelOptions, ModelReply, ModelRequest, ModelRole, OptionsError, RemoteModel};
use async_trait::async_trait;
use domain::Usage;
use domain::storage::shared::{Cache, Quotas};
use parking_lot::Mutex;
use platform::clock::{Clock as _, SystemClock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// How long a model that could not be asked comes after the others.
const AWAY: Duration = Duration::from_secs(60);

/// Retries of a model that has others behind it, and seconds for which throttling holds it back.
const RETRIES_BEFORE_ANOTHER: u32 = 1;
const PATIENCE_BEFORE_ANOTHER_S: u64 = 20;

/// The models of the roles. A role without a model of its own is the reasoner's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoolOptions {
    /// Plans and decides.
    pub reasoner: ModelOptions,
    /// Describes; a cheaper model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub describer: Option<ModelOptions>,
    /// Decides over pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vision: Option<ModelOptions>,
    /// Finds on a page what a step in words names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grounder: Option<ModelOptions>,
    /// Judges states and trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<ModelOptions>,
    /// Asked in turn, whatever the role, when its model cannot be reached or keeps being throttled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<ModelOptions>,
}

impl PoolOptions {
    /// One model for all roles.
    pub fn of(reasoner: ModelOptions) -> Self {
        Self { reasoner, describer: None, vision: None, grounder: None, judge: None, fallbacks: Vec::new() }
    }

    /// The model that a role has of its own.
    pub fn of_role(&self, role: ModelRole) -> Option<&ModelOptions> {
        match role {
            ModelRole::Reasoner => Some(&self.reasoner),
            ModelRole::Describer => self.describer.as_ref(),
            ModelRole::Vision => self.vision.as_ref(),
            ModelRole::Grounder => self.grounder.as_ref(),
            ModelRole::Judge => self.judge.as_ref(),
        }
    }

    /// Every model that may be asked.
    pub fn all(&self) -> impl Iterator<Item = &ModelOptions> {
        ModelRole::ALL.iter().filter_map(|role| self.of_role(*role)).chain(&self.fallbacks)
    }

    /// Every model that may be asked, to be changed.
    pub fn all_mut(&mut self) -> impl Iterator<Item = &mut ModelOptions> {
        let own = [&mut self.describer, &mut self.vision, &mut self.grounder, &mut self.judge];
        let own = own.into_iter().filter_map(Option::as_mut);
        std::iter::once(&mut self.reasoner).chain(own).chain(&mut self.fallbacks)
    }
}

/// What the processes that ask models have together.
#[derive(Clone)]
pub struct Together {
    /// Counts what they ask.
    pub quotas: Arc<dyn Quotas>,
    /// Keeps replies for who asks the same.
    pub cache: Arc<dyn Cache>,
}

/// Sends each request to the model of its role.
#[derive(Clone)]
pub struct ModelPool {
    reasoner: Arc<dyn LanguageModel>,
    /// Those of roles that have a model of their own.
    others: HashMap<ModelRole, Arc<dyn LanguageModel>>,
}

impl ModelPool {
    /// Builds the clients. Calls nobody yet.
    ///
    /// # Errors
    /// [`OptionsError`]: a missing key, a value out of range.
    pub fn new(options: &PoolOptions, together: &Together) -> Result<Self, OptionsError> {
        let has_others = !options.fallbacks.is_empty();
        let client = |options: &ModelOptions| -> Result<Arc<dyn LanguageModel>, OptionsError> {
            let mut options = options.clone();
            if has_others {
                // Whoever is away is not waited for as long as the only one.
                options.retries = options.retries.min(RETRIES_BEFORE_ANOTHER);
                options.patience_seconds = options.patience_seconds.min(PATIENCE_BEFORE_ANOTHER_S);
            }
            // Whoever asks with other options, headers or another key asks another model.
            let (name, kept) = (serde_json::to_string(&options).unwrap_or_default(), options.cache_seconds);
            let model: Arc<dyn LanguageModel> =
                Arc::new(RemoteModel::new(options)?.counted_by(Arc::clone(&together.quotas)));
            let kept = Duration::from_secs(kept);
            Ok(match kept.is_zero() {
                true => model,
                false => Arc::new(Cached::new(model, name, Arc::clone(&together.cache), kept)),
            })
        };
        let fallbacks = options.fallbacks.iter().map(client).collect::<Result<Vec<_>, _>>()?;
        let chain = |first: Arc<dyn LanguageModel>| -> Arc<dyn LanguageModel> {
            match fallbacks.as_slice() {
                [] => first,
                others => Arc::new(Chain::new(std::iter::once(first).chain(others.iter().cloned()))),
            }
        };
        let reasoner = chain(client(&options.reasoner)?);
        let others = ModelRole::ALL.into_iter().filter(|role| *role != ModelRole::Reasoner);
        let others = others.filter_map(|role| Some((role, options.of_role(role)?)));
        let others = others.map(|(role, options)| Ok((role, chain(client(options)?))));
        Ok(Self { reasoner, others: others.collect::<Result<_, OptionsError>>()? })
    }
}

#[async_trait]
impl LanguageModel for ModelPool {
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
        self.others.get(&request.role).unwrap_or(&self.reasoner).complete(request).await
    }
}

/// Models of which each is asked when those before it cannot be. What a model wrote is never asked of another. One that could not be asked
/// comes last for a while.
struct Chain {
    models: Vec<Link>,
    clock: SystemClock,
}

struct Link {
    model: Arc<dyn LanguageModel>,
    /// Until when it comes last.
    away: Mutex<Option<Duration>>,
}

impl Chain {
    fn new(models: impl IntoIterator<Item = Arc<dyn LanguageModel>>) -> Self {
        let link = |model| Link { model, away: Mutex::new(None) };
        Self { models: models.into_iter().map(link).collect(), clock: SystemClock::default() }
    }

    /// The models in the order in which they are asked now.
    fn in_order(&self) -> impl Iterator<Item = &Link> {
        let now = self.clock.monotonic();
        let (away, there): (Vec<&Link>, Vec<&Link>) =
            self.models.iter().partition(|link| link.away.lock().is_some_and(|until| until > now));
        there.into_iter().chain(away)
    }
}

#[async_trait]
impl LanguageModel for Chain {
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError> {
        let (mut spent, mut incidents) = (Usage::default(), Vec::new());
        let mut models = self.in_order().peekable();
        while let Some(link) = models.next() {
            let error = match link.model.complete(request.clone()).await {
                Ok(mut reply) => {
                    reply.usage += spent;
                    incidents.append(&mut reply.incidents);
                    return Ok(ModelReply { incidents, ..reply });
                }
                Err(error) => error,
            };
            match error {
                ModelError::Unavailable { cause, usage } | ModelError::Throttled { cause, usage }
                    if models.peek().is_some() =>
                {
                    spent += usage;
                    *link.away.lock() = Some(self.clock.monotonic() + AWAY);
                    incidents.push(format!("{cause}; asked the next model"));
                }
                error => return Err(error.after(spent, incidents)),
            }
        }
        let cause = "there is no model to ask".to_owned();
        Err(ModelError::Unavailable { cause, usage: spent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::{NextAction, ReplySchema};

    /// Answers always the same.
    struct Always(Result<&'static str, ModelError>);

    #[async_trait]
    impl LanguageModel for Always {
        async fn complete(&self, _: ModelRequest) -> Result<ModelReply, ModelError> {
            let usage = Usage { calls: 1, ..Usage::default() };
            self.0.clone().map(|text| ModelReply { text: text.to_owned(), usage, ..ModelReply::default() })
        }
    }

    fn away() -> Always {
        Always(Err(ModelError::Unavailable {
            cause: "it is away".into(),
            usage: Usage { calls: 5, ..Usage::default() },
        }))
    }

    fn chain(models: Vec<Always>) -> Chain {
        Chain::new(models.into_iter().map(|model| Arc::new(model) as Arc<dyn LanguageModel>))
    }

    fn request() -> ModelRequest {
        ModelRequest {
            role: ModelRole::Reasoner,
            job: None,
            step: None,
            system: String::new(),
            messages: Vec::new(),
            schema: ReplySchema::of::<NextAction>(),
            temperature: 0.0,
            seed: 1,
            max_tokens: None,
        }
    }

    #[tokio::test]
    async fn the_next_model_is_asked_when_one_cannot_be_and_all_that_was_spent_counts() {
        let models = chain(vec![away(), Always(Ok("yes")), Always(Ok("no"))]);
        let reply = models.complete(request()).await.expect("a reply");
        assert_eq!((reply.text.as_str(), reply.usage.calls), ("yes", 6));
        assert_eq!(reply.incidents, ["it is away; asked the next model"]);
        let again = models.complete(request()).await.expect("a reply");
        assert_eq!((again.text.as_str(), again.usage.calls), ("yes", 1), "who was away comes last for a while");
        let nobody = chain(vec![away(), away()]).complete(request()).await;
        let Err(ModelError::Unavailable { usage, .. }) = nobody else { panic!("{nobody:?}") };
        assert_eq!(usage.calls, 10);
    }

    #[tokio::test]
    async fn what_a_model_refuses_is_not_asked_of_another() {
        let refuses = ModelError::Unusable { cause: "no".into(), usage: Usage::default(), incidents: Vec::new() };
        let answer = chain(vec![Always(Err(refuses)), Always(Ok("yes"))]).complete(request()).await;
        assert!(matches!(answer, Err(ModelError::Unusable { .. })), "{answer:?}");
    }
}
