//! What the server answers.

use super::asked::ModelRequest;
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;

/// An answer, or a way to misbehave.
#[derive(Clone, Debug)]
pub enum Reply {
    /// This JSON, as the model's text.
    Json(Value),
    /// This text, which need not be JSON.
    Text(String),
    /// This text, cut off by the limit of tokens.
    CutOff(String),
    /// The model declines, in these words.
    Refusal(String),
    /// An error status: 429, 500, 503.
    Status {
        /// The status.
        code: u16,
        /// Seconds for `Retry-After`.
        retry_after: Option<u64>,
    },
    /// The reply comes only after this long.
    Slow(Duration, Box<Reply>),
    /// A good status, and half of a body.
    HalfBody,
    /// The connection is closed in the middle of the answer.
    Drop,
}

/// Decides what is answered.
pub trait Script: Send + Sync {
    /// The reply to a request that passed the check.
    fn reply(&self, asked: &ModelRequest) -> Reply;
}

impl<F: Fn(&ModelRequest) -> Reply + Send + Sync> Script for F {
    fn reply(&self, asked: &ModelRequest) -> Reply {
        self(asked)
    }
}

/// These replies in order, then those of another script.
pub struct Sequence<S> {
    first: Mutex<VecDeque<Reply>>,
    then: S,
}

impl<S: Script> Sequence<S> {
    /// First `replies`, then whatever `then` says.
    pub fn new(replies: impl IntoIterator<Item = Reply>, then: S) -> Self {
        Self { first: Mutex::new(replies.into_iter().collect()), then }
    }
}

impl<S: Script> Script for Sequence<S> {
    fn reply(&self, asked: &ModelRequest) -> Reply {
        let next = self.first.lock().pop_front();
        next.unwrap_or_else(|| self.then.reply(asked))
    }
}
