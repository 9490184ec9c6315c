//! Training a planner, and what it learnt.

use super::bench::{BenchmarkPart, benchmark_names};
use super::options::{BrowserArgs, LimitArgs, OutputArgs, PlannerArgs, RunArgs, StoreArgs};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Arguments of `rutter train`.
#[derive(Debug, Args)]
#[command(mut_arg("planner", |planner| planner.default_value("hxagent")), after_help = "\
Examples:
  rutter train shop.yaml --name shop --model gpt-5-mini
  rutter train --benchmark miniwob --task click-test-2 --task login-user --name clicks --model-url http://127.0.0.1:8080/v1 --model local
  rutter train --benchmark miniwob --suite hxagent44 --instances 20 --workers 4 --name miniwob --models models.toml
  rutter train --resume runs/20260101-120000-train-shop

Each task is tried --instances times, one trial after another, each with what the ones before taught: right trials become examples,
wrong ones a rule each. Instances of a benchmark are drawn from seeds that no evaluation draws, and evaluating on them is refused.
What is kept is the state with the best moving average: rutter run TASKS --planner hxagent --experience NAME")]
pub(crate) struct Train {
    /// Task files: .yaml, or .jsonl with one task a line
    #[arg(value_name = "TASKS", required_unless_present_any = ["benchmark", "resume"], conflicts_with_all = ["benchmark", "resume"])]
    pub(crate) files: Vec<PathBuf>,

    /// Tasks of a benchmark instead; `rutter bench --list` lists them
    #[arg(long, value_name = "NAME", conflicts_with = "resume", value_parser = benchmark_names(), hide_possible_values = true)]
    pub(crate) benchmark: Option<String>,

    #[command(flatten)]
    pub(crate) part: BenchmarkPart,

    /// Draws the instances of a benchmark by this number again, as an earlier training said it
    #[arg(long, value_name = "N", requires = "benchmark")]
    pub(crate) root: Option<u32>,

    /// What the experience is called
    #[arg(long, value_name = "NAME", required_unless_present = "resume", conflicts_with = "resume")]
    pub(crate) name: Option<String>,

    /// Trials of each task at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000), conflicts_with = "resume")]
    pub(crate) instances: u16,

    /// The last so many trials that the moving average is taken over
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000), conflicts_with = "resume")]
    pub(crate) window: u16,

    /// The moving average above which the training of a task ends early
    #[arg(long, value_name = "RATE", default_value_t = 0.9, conflicts_with = "resume")]
    pub(crate) stop_above: f64,

    /// Right trials of a task that are kept as examples at most
    #[arg(long, value_name = "N", default_value_t = 8, conflicts_with = "resume")]
    pub(crate) max_examples: u16,

    /// Extracts no rules from wrong trials: a comparison of the paper
    #[arg(long, conflicts_with = "resume")]
    pub(crate) without_rules: bool,

    /// Trains all tasks as one: they are tried in turn, and what is learnt of one is shown at each
    #[arg(long, conflicts_with = "resume")]
    pub(crate) together: bool,

    /// Who judges trials that no check of the task decides
    #[arg(long, value_enum, value_name = "WHO", default_value_t, conflicts_with = "resume")]
    pub(crate) judged_by: JudgeName,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    pub(crate) planner: PlannerArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Who judges trials that no check decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum JudgeName {
    /// Nobody: they teach nothing
    #[default]
    Checks,
    /// The model, by the steps of the trial
    Model,
    /// You, at the terminal
    Person,
}

/// What can be done with what was learnt.
#[derive(Debug, Subcommand)]
pub(crate) enum Experience {
    /// Lists what is kept
    #[command(after_help = "Examples:\n  rutter experience list\n  rutter experience list --output json")]
    List(ExperienceList),
    /// Shows the examples and rules of an experience, and how its training went
    #[command(after_help = "Examples:\n  rutter experience show shop\n  rutter experience show shop@2 --output json")]
    Show(ExperienceOne),
    /// Removes a version of an experience, or all of them
    #[command(after_help = "Examples:\n  rutter experience forget shop@1\n  rutter experience forget shop")]
    Forget(ExperienceOne),
}

/// Arguments of `rutter experience list`.
#[derive(Debug, Args)]
pub(crate) struct ExperienceList {
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// An experience.
#[derive(Debug, Args)]
pub(crate) struct ExperienceOne {
    /// Its name, with a version where it is not the latest: `shop`, `shop@2`
    #[arg(value_name = "NAME[@VERSION]")]
    pub(crate) experience: String,

    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
