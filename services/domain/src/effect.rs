//! The effect of an action on the page, found by comparing the observations before and after it.

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
    /// What the action sent was answered by an error of the server (5xx), or not at all: whether it was done is not known.
    Unconfirmed {
        /// What was sent, and how it was answered.
        cause: String,
    },
    /// The action led, or would have led, outside the allowed scope.
    LeftScope {
        /// Where to.
        url: String,
    },
}

/// How the cause of a failure begins where another control than the target was changed: nothing that builds on it may follow.
pub const TAKEN_BY_ANOTHER: &str = "another control took it";

/// How the cause of a failure begins where the page changed a value as its field was left, so that nothing was pressed after it.
pub const CHANGED_AS_LEFT: &str = "the page changed what was filled in as its field was left";

/// What differs on the page after an action, in words for people and planners. Untrusted page content; text that changes by
/// itself, such as a clock, is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PageDifference {
    /// What is there that was not: `role "name"`, or a text; at most [`PageDifference::MOST`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub appeared: Vec<String>,
    /// What is no longer there; at most [`PageDifference::MOST`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub went: Vec<String>,
    /// What is there still and differs; at most [`PageDifference::MOST`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ElementChange>,
    /// How many further differences were left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: u32,
}

/// One thing that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ElementChange {
    /// The element, as `role "name"`.
    pub of: String,
    /// What it said, held or was.
    pub from: String,
    /// What it says, holds or is.
    pub to: String,
}

impl PageDifference {
    /// The most entries of each kind.
    pub const MOST: usize = 20;

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == PageDifference::default()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Effect {
    /// Whether something observable changed.
    pub fn is_change(&self) -> bool {
        matches!(self, Effect::Changed { .. })
    }

    /// Whether the action took effect, as far as visible. Steps that depend on it must not be taken otherwise: not
    /// after a refusal, not without a change, and not when nothing confirms what was sent.
    pub fn was_taken(&self) -> bool {
        match self {
            Effect::Changed { .. } => true,
            Effect::NoChange
            | Effect::Rejected { .. }
            | Effect::Failed { .. }
            | Effect::Unconfirmed { .. }
            | Effect::LeftScope { .. } => false,
        }
    }
}
