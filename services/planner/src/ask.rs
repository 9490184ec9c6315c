//! A question to a language model: its role, the type of its reply, one repair, and the account of what it cost.
//!
//! A reply that breaks its schema is shown to the model with what is wrong with it, once. Usage and incidents of every
//! exchange are counted here and nowhere else.

use crate::model::{LanguageModel, Message, ModelError, ModelRequest, ModelRole, Part};
use crate::reply::{self, Order, Reply, ReplySchema};
use domain::decision::PlannerError;
use domain::{JobId, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a model draws its replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sampling {
    /// How freely replies are drawn; 0 for the most likely one.
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: f64,
    /// Seed of the sampling, for providers that know one.
    pub seed: u64,
    /// Tokens that a reply may take; the model's own limit where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u32>,
}

/// The questions of one decision, and what they cost.
pub struct Ask<'a> {
    model: &'a dyn LanguageModel,
    job: &'a JobId,
    system: String,
    sampling: Sampling,
    order: Order,
    step: Option<usize>,
    usage: Usage,
    incidents: Vec<String>,
}

/// Why there is no reply.
#[derive(Clone, Debug)]
pub enum NoReply {
    /// The model answered, but not with what was asked for: the decision is invalid.
    Invalid(String),
    /// The model cannot be asked. What was spent before is in the error.
    Failed(PlannerError),
}

impl<'a> Ask<'a> {
    /// Asks on behalf of a job, with these standing instructions.
    pub fn new(model: &'a dyn LanguageModel, job: &'a JobId, system: String, sampling: Sampling, order: Order) -> Self {
        Self { model, job, system, sampling, order, step: None, usage: Usage::default(), incidents: Vec::new() }
    }

    /// Says with each question how many steps led to it.
    #[must_use]
    pub fn at_step(self, step: usize) -> Self {
        Self { step: Some(step), ..self }
    }

    /// Says with each further question how many steps led to it.
    pub fn set_step(&mut self, step: usize) {
        self.step = Some(step);
    }

    /// Asks one question.
    ///
    /// # Errors
    /// [`NoReply`].
    pub async fn reply<T: Reply>(&mut self, role: ModelRole, parts: Vec<Part>) -> Result<T, NoReply> {
        self.drawn(role, parts, self.sampling).await
    }

    /// Asks one question whose reply is drawn in its own way.
    ///
    /// # Errors
    /// [`NoReply`].
    pub async fn drawn<T: Reply>(&mut self, role: ModelRole, parts: Vec<Part>, by: Sampling) -> Result<T, NoReply> {
        let request = ModelRequest {
            role,
            job: Some(self.job.clone()),
            step: self.step,
            system: self.system.clone(),
            messages: vec![Message::user(parts)],
            schema: ReplySchema::of::<T>().ordered(self.order),
            temperature: by.temperature,
            seed: by.seed,
            max_tokens: by.max_tokens,
        };
        let answer = match exchange(self.model, request).await {
            Ok(answer) => answer,
            Err(error) => return Err(self.account_for(error)),
        };
        self.usage += answer.usage;
        self.incidents.extend(answer.incidents);
        serde_json::from_value(answer.json)
            .map_err(|cause| NoReply::Invalid(format!("the reply cannot be read: {cause}")))
    }

    /// Notes a trouble that was survived.
    pub fn note(&mut self, incident: impl Into<String>) {
        self.incidents.push(incident.into());
    }

    /// What all questions cost, and the troubles that were survived.
    pub fn into_account(self) -> (Usage, Vec<String>) {
        (self.usage, self.incidents)
    }

    fn account_for(&mut self, error: ModelError) -> NoReply {
        match error {
            ModelError::Unavailable { cause, usage } => {
                self.usage += usage;
                NoReply::Failed(PlannerError::Unavailable { cause, usage: self.usage })
            }
            ModelError::Throttled { cause, usage } => {
                self.usage += usage;
                NoReply::Failed(PlannerError::Throttled { cause, usage: self.usage })
            }
            ModelError::Unusable { cause, usage, incidents } => {
                self.usage += usage;
                self.incidents.extend(incidents);
                NoReply::Invalid(cause)
            }
        }
    }
}

/// A reply that satisfies its schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The reply.
    pub json: Value,
    /// What it cost, a repair included.
    pub usage: Usage,
    /// Troubles that were survived, each with what was done about it.
    pub incidents: Vec<String>,
}

/// Asks a model, and once more where its reply breaks the schema.
///
/// # Errors
/// [`ModelError`], with what all exchanges cost.
pub async fn exchange(model: &dyn LanguageModel, request: ModelRequest) -> Result<Answer, ModelError> {
    let (mut spent, mut incidents) = (Usage::default(), Vec::new());
    let mut asked = request.clone();
    let mut is_repair = false;
    loop {
        let mut reply = match model.complete(asked).await {
            Ok(reply) => reply,
            Err(error) => return Err(error.after(spent, incidents)),
        };
        spent += reply.usage;
        incidents.append(&mut reply.incidents);
        let mistake = match reply::read(&reply.text, &request.schema.schema) {
            Ok(json) => return Ok(Answer { json, usage: spent, incidents }),
            Err(mistake) if reply.cut_off => format!("{mistake} (cut off at the limit of tokens)"),
            Err(mistake) => mistake,
        };
        if is_repair {
            let cause = format!("{mistake}, after one repair");
            return Err(ModelError::Unusable { cause, usage: spent, incidents });
        }
        incidents.push(format!("{mistake}; asked for a repair"));
        asked = repair(&request, &reply.text, &mistake);
        is_repair = true;
    }
}

/// The same request once more, with the invalid reply and what is wrong with it.
fn repair(request: &ModelRequest, invalid: &str, mistake: &str) -> ModelRequest {
    let mut again = request.clone();
    let shown: String = invalid.chars().take(2_000).collect();
    again.messages.push(Message::assistant(if shown.is_empty() { "(empty)".to_owned() } else { shown }));
    let demand =
        format!("That reply cannot be used: {mistake}. Reply again with one JSON object of the schema, nothing else.");
    again.messages.push(Message::user(vec![Part::Text(demand)]));
    again
}

#[cfg(test)]
mod tests;
