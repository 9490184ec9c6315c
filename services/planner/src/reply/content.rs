//! Replies to the question for what goes into a chosen action.

use super::{Meaning, Reply, TEXT};
use schemars::JsonSchema;
use serde::Deserialize;

/// The content of a text field.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FieldText {
    /// Replaces what is there.
    #[schemars(title = Meaning::Content.title(), length(max = TEXT))]
    pub text: String,
    /// Whether Enter follows.
    #[schemars(title = Meaning::Submit.title())]
    pub press_enter: bool,
}

/// The content of a text field that may only be clicked as well.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FieldTextOrClick {
    /// Replaces what is there; none where the field is only clicked.
    #[schemars(title = Meaning::Content.title(), length(max = TEXT))]
    pub text: Option<String>,
    /// Whether Enter follows.
    #[schemars(title = Meaning::Submit.title())]
    pub press_enter: bool,
}

/// Numbers of the options to choose.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ChosenOptions {
    /// From 1.
    #[schemars(title = Meaning::Options.title(), length(max = 50))]
    pub chosen_options: Vec<i64>,
}

/// The element to drop on.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DropTarget {
    /// Any number of it.
    #[schemars(title = Meaning::Target.title())]
    pub drop_onto: i64,
}

/// Keys to press.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Keys {
    /// A key or a chord.
    #[schemars(title = Meaning::Content.title(), length(max = 60))]
    pub text: String,
}

/// An address to open.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Address {
    /// An absolute URL.
    #[schemars(title = Meaning::Content.title(), length(max = 2_000))]
    pub text: String,
}

/// What is written into a dialog of the browser.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct DialogText {
    /// The text.
    #[schemars(title = Meaning::Content.title(), length(max = TEXT))]
    pub text: String,
}

impl Reply for FieldText {
    const NAME: &'static str = "field_text";
}

impl Reply for FieldTextOrClick {
    const NAME: &'static str = "field_text_or_click";
}

impl Reply for ChosenOptions {
    const NAME: &'static str = "chosen_options";
}

impl Reply for DropTarget {
    const NAME: &'static str = "drop_target";
}

impl Reply for Keys {
    const NAME: &'static str = "keys";
}

impl Reply for Address {
    const NAME: &'static str = "address";
}

impl Reply for DialogText {
    const NAME: &'static str = "dialog_text";
}
