//! Language models: what there is, and what one can do.

use super::options::{ModelArgs, OutputArgs};
use clap::{Args, Subcommand};

/// What can be asked of models.
#[derive(Debug, Subcommand)]
pub(crate) enum Models {
    /// Lists the models at an endpoint
    #[command(after_help = "\
Examples:
  rutter models list
  rutter models list --model-url http://127.0.0.1:8080/v1
  rutter models list --model-provider anthropic --output json")]
    List(ModelsOf),
    /// Asks a model two short questions: whether it answers, keeps to a schema, chooses from a list, and sees pictures
    #[command(after_help = "\
Examples:
  rutter models check --model gpt-5-mini
  rutter models check --model local --model-url http://127.0.0.1:8080/v1
  rutter models check --models models.toml --output json

Ends with 0 when every model answers and keeps to its schema, with 4 otherwise. Pictures are needed by some planners only.")]
    Check(ModelsOf),
}

/// The model or models that are meant.
#[derive(Debug, Args)]
pub(crate) struct ModelsOf {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
