//! Named sets of defaults.

use super::options;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where the values of options come from that nobody sets. Every table of results names it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// As in the planner's paper.
    #[default]
    Published,
    /// As it works best here: the reason is written first and the choice last, content comes with the choice.
    Ours,
}

impl Preset {
    /// Its spelling.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Published => "published",
            Preset::Ours => "ours",
        }
    }

    /// The preset that options name.
    pub fn of(all: &Value) -> Option<Preset> {
        options::read(all.get("preset")?).ok()
    }
}
