//! What an action did to the page, as seen by comparing what was observed before and after it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The effect of one action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Effect {
    /// Something changed.
    Changed {
        /// What: any of `url`, `title`, `content`, `value`, `state`, `focus`, `scroll`, `dialog`, `tabs`, `download`, `request`.
        what: Vec<String>,
    },
    /// Nothing that is observed changed.
    NoChange,
    /// The page refused the input and said so.
    Rejected {
        /// The validation message. Untrusted page content.
        message: String,
    },
    /// The action could not be carried out, or the request it made failed.
    Failed {
        /// The cause.
        cause: String,
    },
    /// The action led, or would have led, outside the allowed scope.
    LeftScope {
        /// Where to.
        url: String,
    },
}

impl Effect {
    /// Whether something observable changed.
    pub fn is_change(&self) -> bool {
        matches!(self, Effect::Changed { .. })
    }
}
