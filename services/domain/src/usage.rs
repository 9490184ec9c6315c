//! What work cost.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// Tokens, money and calls spent on language models. Time is kept elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
    /// US dollars, where the model's price is configured.
    pub cost_usd: f64,
    /// Calls made, retries included.
    pub calls: u32,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Usage) {
        self.prompt_tokens += other.prompt_tokens;
        self.completion_tokens += other.completion_tokens;
        self.cost_usd += other.cost_usd;
        self.calls += other.calls;
    }
}
