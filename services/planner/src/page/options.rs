//! How a page is shown.

use crate::registry::Preset;
use domain::action::ActionKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What of a page is put into prompts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PageOptions {
    /// Where the elements that can be acted on are described.
    pub layout: Layout,
    /// Elements that are listed at most; those in the viewport come first.
    #[schemars(range(min = 1))]
    pub max_elements: usize,
    /// Tokens (estimated at four characters each) of the list of actions; 0 for no limit. What is out of sight goes first.
    pub action_token_limit: usize,
    /// Tokens (estimated at four characters each) of page text above which a summary of the picture takes its place.
    #[schemars(range(min = 1))]
    pub token_limit: usize,
    /// Whether every element is listed with its XPath, as published, or only those that are indistinguishable without.
    pub every_xpath: bool,
    /// Options of a list that are named beside it at most; 0 for none.
    pub list_options: usize,
    /// Whether the row, card or other item that an element stands in is told with it.
    pub items: Items,
    /// What stands near an element.
    pub neighbours: NeighbourOptions,
    /// What can be done besides acting on elements.
    pub general_actions: Vec<ActionKind>,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self {
            layout: Layout::Listed,
            max_elements: 150,
            action_token_limit: 0,
            token_limit: 2_000,
            every_xpath: false,
            list_options: 0,
            items: Items::Never,
            neighbours: NeighbourOptions::default(),
            general_actions: vec![
                ActionKind::Press,
                ActionKind::Scroll,
                ActionKind::Back,
                ActionKind::Forward,
                ActionKind::Goto,
                ActionKind::SwitchTab,
                ActionKind::CloseTab,
                ActionKind::Wait,
            ],
        }
    }
}

impl PageOptions {
    /// The options of a preset.
    pub fn of(preset: Preset) -> Self {
        match preset {
            Preset::Published => Self::default(),
            Preset::Ours => Self { layout: Layout::InPlace, items: Items::Alike, ..Self::default() },
        }
    }
}

/// Where the elements that can be acted on are described.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// In a list below the page's text, which has their numbers only.
    #[default]
    Listed,
    /// Where they stand in the page's text, with their numbers.
    InPlace,
}

/// With which elements the item is told that they stand in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Items {
    /// None.
    #[default]
    Never,
    /// Those that read like another.
    Alike,
    /// All that stand in one.
    Always,
}

/// Which neighbours of an element are told with it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NeighbourOptions {
    /// Neighbours that are told with an element, the nearest first; 0 for none.
    pub most: usize,
    /// Pixels between the boxes above which nothing is a neighbour.
    #[schemars(range(min = 0.0))]
    pub distance: f64,
    /// Characters of each neighbour.
    #[schemars(range(min = 1))]
    pub characters: usize,
}

impl Default for NeighbourOptions {
    fn default() -> Self {
        Self { most: 0, distance: 50.0, characters: 50 }
    }
}
