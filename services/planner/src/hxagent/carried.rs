//! What the agent hands from one decision to the next, since it keeps no state.

use crate::agent::Fields;
use domain::observation::Stamp;
use domain::{Action, Descriptor};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What is handed from one decision to the next.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Carried {
    /// What a picture was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) awaiting: Option<Awaiting>,
    /// The rest of the plan, where there is one plan up front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) plan: Option<Plan>,
    /// What the last reply fills in after its action.
    #[serde(default, skip_serializing_if = "Fields::is_empty")]
    pub(super) fields: Fields,
}

/// Why a picture was asked for, of which page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Awaiting {
    /// The observation.
    pub(super) stamp: Stamp,
    /// The numbers among which to choose; empty when the page is to be summed up.
    pub(super) candidates: Vec<u32>,
    /// Whether the model asked to look at it, and not because candidates read alike.
    #[serde(default)]
    pub(super) looks: bool,
}

impl Awaiting {
    /// Whether an action is chosen with it; otherwise the page is summed up.
    pub(super) fn is_to_choose(&self) -> bool {
        self.looks || !self.candidates.is_empty()
    }
}

/// One plan made on the first page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Plan {
    /// What remains to be done.
    pub(super) actions: VecDeque<Action<Descriptor>>,
    /// The answer to give in the end.
    pub(super) answer: Option<String>,
}
