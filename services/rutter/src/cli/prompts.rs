//! `rutter prompts`: what a planner would send to a language model.

use super::{BrowserArgs, OutputArgs, PlannerOptionArgs};
use clap::{Args, Subcommand};

/// What can be looked at.
#[derive(Debug, Subcommand)]
pub(crate) enum Prompts {
    /// Prints the questions that a planner would ask about a page at its first step; no model is asked
    Show(PromptsShow),
}

/// Arguments of `rutter prompts show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter prompts show hxagent --page http://127.0.0.1:8300/
  rutter prompts show naviqate --page http://127.0.0.1:8300/ --task 'Put a mug into the cart' --set preset=ours
  rutter prompts show tree-search --page https://shop.example/ --output json")]
pub(crate) struct PromptsShow {
    /// The planner
    #[arg(value_name = "PLANNER")]
    pub(crate) planner: String,

    /// An HTML file, or the address of a page; the page is opened in a browser
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) page: String,

    /// The task in words
    #[arg(long, value_name = "TEXT", default_value = "Do what this page is for")]
    pub(crate) task: String,

    #[command(flatten)]
    pub(crate) options: PlannerOptionArgs,

    #[command(flatten)]
    pub(crate) browser: BrowserArgs,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
