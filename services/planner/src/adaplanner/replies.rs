//! What the model is asked to reply.

use crate::reply::{LINE, Meaning, REASON, Reply, TEXT};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A plan with gaps and assertions.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct PlanWithAssertions {
    #[schemars(title = Meaning::Steps.title(), length(max = 30))]
    pub(super) steps: Vec<PlannedLine>,
}

/// A line of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct PlannedLine {
    /// What is to be done.
    #[schemars(title = Meaning::NextStep.title(), length(max = LINE))]
    pub(super) step: String,
    /// What is to be read from the page after it: a name, a colon, and what it stands for.
    #[schemars(title = Meaning::Gap.title(), length(max = 120))]
    pub(super) reads: Option<String>,
    /// What must be seen after it.
    #[schemars(title = Meaning::Expectation.title(), length(max = 160))]
    pub(super) expects: Option<String>,
}

/// Whether an assertion holds.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Asserted {
    #[schemars(title = Meaning::Reason.title(), length(max = REASON))]
    pub(super) reason: String,
    #[schemars(title = Meaning::Holds.title())]
    pub(super) holds: bool,
}

/// A value of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct ReadFromPage {
    #[schemars(title = Meaning::Slot.title(), length(max = TEXT))]
    pub(super) value: Option<String>,
}

impl Reply for PlanWithAssertions {
    const NAME: &'static str = "plan_with_assertions";
}

impl Reply for Asserted {
    const NAME: &'static str = "asserted";
}

impl Reply for ReadFromPage {
    const NAME: &'static str = "read_from_page";
}
