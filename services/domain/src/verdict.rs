//! Verdicts on attempts, as `docs/verdicts.md` explains them. The actor never judges itself.

use crate::id::BlobRef;
use crate::task::Check;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use strum::{EnumString, IntoStaticStr};

/// What is said of an attempt, and on what grounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// The judgement.
    pub kind: VerdictKind,
    /// A sentence for people.
    pub reason: String,
    /// What it rests on; empty only where nothing could be checked.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
}

/// The closed set of judgements.
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
    JsonSchema,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum VerdictKind {
    /// A check confirmed it.
    Passed,
    /// Passed, with a locator that had to be healed.
    PassedHealed,
    /// A test's assertion was refuted: the product is wrong.
    Failed,
    /// The agent did not do the task: a limit, it gave up, or a check refuted it.
    NotAchieved,
    /// The test no longer fits the product.
    Drifted,
    /// The actor says that the task cannot be done, and nothing refutes it.
    Infeasible,
    /// Browser, site or reset failed: nothing can be said of product or agent.
    InvalidEnvironment,
    /// A provider throttled the run.
    Throttled,
    /// The actor says done; nothing confirms it.
    Unverified,
}

impl VerdictKind {
    /// Whether this counts as a success.
    pub fn is_success(self) -> bool {
        matches!(self, VerdictKind::Passed | VerdictKind::PassedHealed)
    }

    /// Whether it says nothing of product or agent: browser, site or provider failed.
    pub fn is_trouble(self) -> bool {
        matches!(self, VerdictKind::InvalidEnvironment | VerdictKind::Throttled)
    }

    /// The published spelling, e.g. `NOT_ACHIEVED`.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl fmt::Display for VerdictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The result of one check, and what it saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The check.
    pub check: Check,
    /// What it found.
    pub finding: Finding,
    /// What was seen, in a sentence: the actual URL, text, value, request.
    pub observed: String,
    /// A picture that belongs to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<BlobRef>,
}

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finding {
    /// It holds.
    Confirmed,
    /// It does not hold.
    Refuted,
    /// It could not be evaluated.
    Undecided,
}
