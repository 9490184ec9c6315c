//! A scripted language-model server with the real HTTP contracts of OpenAI chat completions, Anthropic messages and
//! Gemini generateContent.
//!
//! It checks every request strictly and answers 400 with a precise message when anything is not as the provider
//! documents it, and it can misbehave as providers do. Its answers come from a [`Script`], never from a model: what is
//! measured against it says something about Rutter's wire, prompts and bookkeeping, and nothing about planning.

mod anthropic;
mod asked;
mod gemini;
mod gold;
mod openai;
mod script;
mod server;
mod strict;
mod tokens;

pub use asked::{ChatMessage, Dialect, ModelRequest};
pub use gold::{FromGold, GoldError};
pub use script::{Reply, Script, Sequence};
pub use server::ModelServer;
