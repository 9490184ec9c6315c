//! A parsed request of any dialect.

use super::tokens;
use serde_json::Value;

/// The dialects that the server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `POST /v1/chat/completions`
    OpenAi,
    /// `POST /v1/messages`
    Anthropic,
    /// `POST /v1beta/models/MODEL:generateContent`
    Gemini,
}

/// A request that passed the strict check.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// Its dialect.
    pub dialect: Dialect,
    /// The model's name.
    pub model: String,
    /// The job that the header `x-rutter-job` names.
    pub job: Option<String>,
    /// How many steps led to the question, as the header `x-rutter-step` says.
    pub step: Option<usize>,
    /// The standing instructions.
    pub system: String,
    /// The conversation.
    pub messages: Vec<ChatMessage>,
    /// The JSON Schema of the reply.
    pub schema: Value,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Sampling seed.
    pub seed: Option<u64>,
    /// Limit of the reply.
    pub max_tokens: u64,
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatMessage {
    /// Whether it is the model's.
    pub by_model: bool,
    /// Its texts, joined.
    pub text: String,
    /// Width and height of its pictures.
    pub pictures: Vec<(u32, u32)>,
}

impl ModelRequest {
    /// What the reply is about: the title of its schema.
    pub fn about(&self) -> &str {
        self.schema.get("title").and_then(Value::as_str).unwrap_or("")
    }

    /// The first message of the user: the prompt proper, before any repair.
    pub fn prompt(&self) -> &str {
        self.messages.first().map_or("", |said| said.text.as_str())
    }

    /// Whether an earlier reply is shown for repair.
    pub fn is_repair(&self) -> bool {
        self.messages.iter().any(|said| said.by_model)
    }

    /// Tokens of the request as a provider would count them.
    ///
    /// Text, and the schema, by the tokenizer `o200k_base` and four more per message; pictures by the published rule for
    /// GPT-4o, 85 and 170 per tile of 512 pixels. Providers differ by some per cent.
    pub fn prompt_tokens(&self) -> u64 {
        let message =
            |said: &ChatMessage| 4 + tokens::of(&said.text) + said.pictures.iter().map(tokens::of_picture).sum::<u64>();
        4 + tokens::of(&self.system)
            + tokens::of(&self.schema.to_string())
            + self.messages.iter().map(message).sum::<u64>()
    }
}
