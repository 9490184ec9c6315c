//! The parameters of HxAgent (METHODS section 1), and the seams that its surroundings fill: experience and marks.

use domain::action::ActionKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the method; the defaults are the published ones where it has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HxAgentOptions {
    /// Steps after which the agent gives up: 20 in training, 15 at evaluation.
    pub steps: u32,
    /// How much of the sequence memory is shown.
    pub memory: Window,
    /// Whether experience is shown.
    pub use_experience: bool,
    /// How many successful trials are shown at most.
    pub max_examples: usize,
    /// Whether every step is planned anew; otherwise one plan is made on the first page and followed.
    pub iterate: bool,
    /// Whether a choice among indistinguishable actions is asked again with a picture.
    pub disambiguate: bool,
    /// Tokens (estimated at four characters each) of page text above which a summary of the picture takes its place.
    pub state_token_limit: usize,
    /// Elements that are listed at most; those in the viewport come first.
    pub max_elements: usize,
    /// Whether every element is listed with its XPath, as published, or only those that are indistinguishable without.
    pub every_xpath: bool,
    /// Characters of one earlier state in the memory.
    pub state_characters: usize,
    /// What can be done besides acting on elements.
    pub general_actions: Vec<ActionKind>,
    /// Sampling temperature.
    pub temperature: f64,
    /// Sampling seed.
    pub seed: u64,
}

impl Default for HxAgentOptions {
    fn default() -> Self {
        Self {
            steps: 15,
            memory: Window::All,
            use_experience: true,
            max_examples: 8,
            iterate: true,
            disambiguate: true,
            state_token_limit: 2_000,
            max_elements: 150,
            every_xpath: false,
            state_characters: 160,
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
            temperature: 0.0,
            seed: 0,
        }
    }
}

/// How much of the sequence memory is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Window {
    /// Every step so far.
    #[default]
    All,
    /// The last so many steps.
    Last(u32),
    /// None (an ablation).
    None,
}

/// What was learnt from earlier trials of similar tasks. Gathered elsewhere; empty until something is learnt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Experience {
    /// Successful trials, each as text; no more than the configured number are shown, the first ones first.
    pub examples: Vec<String>,
    /// Rules extracted from failures.
    pub rules: Vec<String>,
}
