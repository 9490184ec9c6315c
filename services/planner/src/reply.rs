//! What a model is asked to reply: Rust types, the schemas derived from them, and replies read into them.
//!
//! A planner declares its replies as types with [`Reply`]; nothing is written beside them by hand. Each field says by its
//! [`Meaning`] what it is to any planner, and has a bound where it is a text or a list: a model that rambles is cut by its
//! schema, not by a limit of tokens.

pub mod content;
mod meaning;
mod next;
mod read;
mod schema;

pub use meaning::Meaning;
pub use next::{FilledField, NextAction, NextActionWithContent, NextActionWithFields};
pub use read::read;
pub use schema::{Order, ReplySchema};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A type that a model's reply is read into.
pub trait Reply: DeserializeOwned + JsonSchema {
    /// What the reply is about: letters, digits and underscores.
    const NAME: &'static str;
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// There is something to do.
    Act,
    /// The task is done.
    Done,
    /// The task cannot be done here.
    Infeasible,
}

/// How much of a task is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// All of it.
    Reached,
    /// Something, and what was done leads there.
    OnTheWay,
    /// What was done does not lead there.
    Off,
}

/// Characters of a reason.
pub const REASON: usize = 400;
/// Characters of a description of one action.
pub const DESCRIPTION: usize = 200;
/// Characters of the answer that a task asks for.
pub const ANSWER: usize = 1_000;
/// Characters of a text for a field.
pub const TEXT: usize = 4_000;
/// Characters of a plan's line, of what comes next, or of what an element is for.
pub const LINE: usize = 300;
