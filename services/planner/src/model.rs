//! The seam to language models, and what is asked of them: a structured reply to a few messages.
//!
//! A model never receives a tool, and nothing of what it writes is executed: a reply is data that is checked against
//! the request's JSON Schema, in [`crate::ask`], before anyone reads it.

mod cached;
pub mod examine;
mod limits;
mod listed;
mod options;
mod pool;
mod remote;
pub mod traffic;
mod trouble;

pub use listed::ListError;
pub use options::{ModelOptions, OptionsError, Provider, SharedLimits};
pub use pool::{ModelPool, PoolOptions, Together};
pub use remote::RemoteModel;
pub use traffic::Traffic;

use crate::reply::ReplySchema;
use async_trait::async_trait;
use domain::{JobId, Usage};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Answers messages with text that should be JSON of a given schema.
///
/// Contract: one reply to one request, as the model wrote it: whether it satisfies the schema is for the caller to check; usage
/// MUST sum over all calls made, failed ones included; every trouble that was survived on the way MUST be named in `incidents`.
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Asks the model.
    ///
    /// # Errors
    /// [`ModelError`].
    async fn complete(&self, request: ModelRequest) -> Result<ModelReply, ModelError>;
}

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// What the answer is for; a pool picks the model by it.
    pub role: ModelRole,
    /// The job on whose behalf it is asked, for tracing by gateways that are told.
    pub job: Option<JobId>,
    /// How many steps led to the question since the task was last begun, for the same gateways; none where nobody says.
    pub step: Option<usize>,
    /// Standing instructions.
    pub system: String,
    /// The conversation; ends with the user's message.
    pub messages: Vec<Message>,
    /// What the reply must look like.
    pub schema: ReplySchema,
    /// 0 for the most likely reply.
    pub temperature: f64,
    /// For providers that offer repeatable sampling.
    pub seed: u64,
    /// Tokens that this reply may take; the model's own limit where absent.
    pub max_tokens: Option<u32>,
}

/// What a call is for.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
    strum::Display,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ModelRole {
    /// Plans and decides over text.
    Reasoner,
    /// Describes pages and elements; a cheap model will do.
    Describer,
    /// Decides over text and pictures.
    Vision,
    /// Finds on a page what a step in words names, and fills it in.
    Grounder,
    /// Judges states and trials.
    Judge,
}

impl ModelRole {
    /// All roles.
    pub const ALL: [ModelRole; 5] =
        [ModelRole::Reasoner, ModelRole::Describer, ModelRole::Vision, ModelRole::Grounder, ModelRole::Judge];
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// Rutter.
    User,
    /// The model.
    Assistant,
}

/// One message.
#[derive(Clone, Debug)]
pub struct Message {
    /// Who speaks.
    pub speaker: Speaker,
    /// What is said.
    pub parts: Vec<Part>,
}

/// A piece of a message.
#[derive(Clone)]
pub enum Part {
    /// Text.
    Text(String),
    /// A picture: the content of a PNG file.
    Png(Arc<[u8]>),
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Text(text) => write!(f, "Text({text:?})"),
            Part::Png(png) => write!(f, "Png({} bytes)", png.len()),
        }
    }
}

impl Message {
    /// A message of the user.
    pub fn user(parts: Vec<Part>) -> Self {
        Self { speaker: Speaker::User, parts }
    }

    /// An earlier reply of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { speaker: Speaker::Assistant, parts: vec![Part::Text(text.into())] }
    }
}

/// What a model wrote.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelReply {
    /// The reply as the model wrote it.
    pub text: String,
    /// Whether it ended at the limit of tokens.
    pub cut_off: bool,
    /// What all calls cost.
    pub usage: Usage,
    /// Troubles that were survived, each with its HTTP status or kind and what was done about it.
    pub incidents: Vec<String>,
}

/// Why there is no reply.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ModelError {
    /// The endpoint could not be reached, kept failing, or refuses the request.
    #[error("{cause}")]
    Unavailable {
        /// Which endpoint, why, and what to do.
        cause: String,
        /// What the failed calls cost.
        usage: Usage,
    },
    /// Throttled for longer than the configured patience.
    #[error("{cause}")]
    Throttled {
        /// Which endpoint, and for how long.
        cause: String,
        /// What the failed calls cost.
        usage: Usage,
    },
    /// The model answered, but not with what was asked for: refusal, or an invalid reply after its repair.
    #[error("{cause}")]
    Unusable {
        /// What is wrong with the reply.
        cause: String,
        /// What the calls cost.
        usage: Usage,
        /// Troubles on the way.
        incidents: Vec<String>,
    },
}

impl ModelError {
    /// The same error for who waited for a call of another and paid nothing.
    #[must_use]
    fn unpaid(mut self) -> Self {
        match &mut self {
            ModelError::Unavailable { usage, .. }
            | ModelError::Throttled { usage, .. }
            | ModelError::Unusable { usage, .. } => *usage = Usage::default(),
        }
        self
    }

    /// The same error after more was spent and met before.
    #[must_use]
    pub fn after(mut self, spent: Usage, mut before: Vec<String>) -> Self {
        match &mut self {
            ModelError::Unavailable { usage, .. } | ModelError::Throttled { usage, .. } => *usage += spent,
            ModelError::Unusable { usage, incidents, .. } => {
                *usage += spent;
                before.append(incidents);
                *incidents = before;
            }
        }
        self
    }
}
