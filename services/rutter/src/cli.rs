//! The command line: what can be asked for, with an example for everything.
//!
//! Only shapes and words; what the commands do stands in [`crate::command`].

mod bench;
mod cluster;
pub(crate) mod convert;
mod explore;
mod graph;
mod models;
mod options;
pub(crate) mod planner_options;
mod prompts;
mod train;

pub(crate) use self::graph::{
    Beginning, Graph, GraphDiff, GraphExport, GraphPath, GraphSearch, GraphShow, MapArgs, MapFormat,
};
pub(crate) use bench::Bench;
pub(crate) use cluster::{
    ClusterArgs, Config, LogForm, OneCampaign, Quarantine, QuarantineJobs, Ready, Results, Serve, ServeRole,
    SettingsArgs, Status, Submit,
};
pub(crate) use explore::{CoverageArgs, Explore};
pub(crate) use models::Models;
pub(crate) use options::{
    AgainArgs, BrowserArgs, LimitArgs, ModelArgs, Output, OutputArgs, PlannerArgs, PlannerOptionArgs, ProviderName,
    RunArgs, WhichPictures, WireName,
};
pub(crate) use prompts::{Prompts, PromptsShow};
pub(crate) use train::{Experience, ExperienceOne, JudgeName, Train};

use crate::exit::Exit;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Explores web applications, does tasks given in words in a real browser, and judges what came of it.
#[derive(Debug, Parser)]
#[command(name = "rutter", version, arg_required_else_help = true, after_help = after_help(), max_term_width = 110)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

fn after_help() -> String {
    format!(
        "Results go to stdout, everything else to stderr. RUTTER_LOG=info says more, RUTTER_LOG=debug all.\n\nExit codes:\n{}",
        Exit::table()
    )
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Does tasks in a real browser and judges them
    Run(Box<Run>),
    /// Explores a site into a map of its states, with the faults that show on the way
    Explore(Box<Explore>),
    /// Runs a public benchmark and prints its scores
    Bench(Box<Bench>),
    /// Trains a planner on trials of tasks, and keeps what it learnt as experience
    Train(Box<Train>),
    /// Looks after what was learnt
    #[command(subcommand)]
    Experience(Experience),
    /// Lists the planners, with what they need and all their options
    Planners(Planners),
    /// Says what language models there are, and what one of them can do
    #[command(subcommand)]
    Models(Models),
    /// Shows what a planner would send to a language model
    #[command(subcommand)]
    Prompts(Prompts),
    /// Says what an instruction means to the planner that needs no model; no browser is started
    Explain(Explain),
    /// Replays recorded tests, without any planner
    Replay(Box<Replay>),
    /// Compares runs of the same jobs, job by job
    Compare(Compare),
    /// Writes the report of a run again
    Report(Report),
    /// Says whether this machine can run Rutter, and what is missing
    Doctor(Doctor),
    /// Prints the JSON Schema of a file format
    Schema(Schema),
    /// Says how well parts of Rutter do on labelled data
    #[command(subcommand)]
    Eval(Eval),
    /// Looks at the map of a site
    #[command(subcommand)]
    Graph(Graph),
    /// Runs a role of the cluster, or all of them in this process
    Serve(Serve),
    /// Says whether work may be sent to a role on this machine
    Ready(Ready),
    /// Shows, checks or describes the settings of a role
    #[command(subcommand)]
    Config(Config),
    /// Hands tasks in to a cluster as a campaign
    Submit(Box<Submit>),
    /// Says how campaigns stand, and why their jobs wait
    Status(Status),
    /// Follows a campaign to its end and prints its results
    #[command(after_help = "Examples:\n  rutter watch nightly-2026-01-01")]
    Watch(OneCampaign),
    /// Claims no further job of a campaign; what is under way goes on
    #[command(after_help = "Examples:\n  rutter pause nightly-2026-01-01")]
    Pause(OneCampaign),
    /// Lets a paused campaign go on
    #[command(after_help = "Examples:\n  rutter resume nightly-2026-01-01")]
    Resume(OneCampaign),
    /// Ends what has not ended of a campaign as cancelled
    #[command(after_help = "Examples:\n  rutter cancel nightly-2026-01-01")]
    Cancel(OneCampaign),
    /// Prints what came of a campaign so far
    Results(Results),
    /// Looks after jobs that kept failing for reasons of the surroundings
    #[command(subcommand)]
    Quarantine(Quarantine),
}

/// Arguments of `rutter planners`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter planners
  rutter planners hxagent
  rutter planners --output json")]
pub(crate) struct Planners {
    /// Only this one
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `rutter explain`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter explain 'After clicking \"Save\", remove the task \"Buy milk\" from my list.'
  rutter explain 'Send a message to Ann saying \"See you\".' --output json

Each line is a goal: what is done, the kind and name of the thing, where it is, and the values. A clause that is not understood is
said so: nothing that it is a part of is ever claimed to be done.")]
pub(crate) struct Explain {
    /// The instruction
    #[arg(value_name = "INSTRUCTION")]
    pub(crate) instruction: String,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `rutter run`.
#[derive(Debug, Args)]
#[command(mut_arg("again", |again| again.conflicts_with("resume")))]
#[command(after_help = "\
Examples:
  rutter run shop.yaml
  rutter run nightly/*.jsonl --workers 4 --planner hxagent --model gpt-5-mini
  rutter run --site https://shop.example/ --task 'Put the cheapest lamp into the cart' --check 'text~1 item'
  rutter run shop.yaml --map runs/20260101-110000-shop
  rutter run --resume runs/20260101-120000-shop

Checks on the command line are JSON as in a task file, or short: [!]WHAT[ARGUMENT]OPERATOR TEXT
  url~/thanks                 the address contains `/thanks`
  text=Thank you              an element, or the page, has just this text
  text~Thank                  the page's text contains `Thank`
  !text=~error|failed         the page's text does not match the regular expression
  element[button]=Log out     there is a button of this name
  value[E-mail]=a@b.example   the field of this label has this value
  answer=42                   the answer given at the end
  request[POST]~/orders       the page made such a request")]
pub(crate) struct Run {
    /// Task files: .yaml, or .jsonl with one task a line. `rutter schema task` prints their schema
    #[arg(value_name = "TASKS", required_unless_present_any = ["site", "resume"], conflicts_with_all = ["site", "resume"])]
    pub(crate) files: Vec<PathBuf>,

    /// Address of the site for a task given on the command line; the task may not leave its host
    #[arg(long, value_name = "URL", requires = "task", conflicts_with = "resume")]
    pub(crate) site: Option<String>,

    /// What is to be done, in words
    #[arg(long, value_name = "TEXT", requires = "site")]
    pub(crate) task: Option<String>,

    /// What must hold in the end; may be repeated, all must hold. Without one a claimed success is UNVERIFIED
    #[arg(long, value_name = "CHECK", requires = "site", value_parser = tasks::compact_check)]
    pub(crate) check: Vec<domain::task::Check>,

    /// Where on the site to start, an address or a path; by default the site's address
    #[arg(long, value_name = "URL", requires = "site")]
    pub(crate) start: Option<String>,

    /// Most actions of an attempt, for a task given on the command line
    #[arg(long, value_name = "N", requires = "site", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_steps: Option<u32>,

    /// Most seconds of an attempt, for a task given on the command line
    #[arg(long, value_name = "N", requires = "site", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_seconds: Option<u64>,

    /// Accepts certificates that nobody signed, for a task given on the command line
    #[arg(long, requires = "site")]
    pub(crate) accept_self_signed_certificates: bool,

    #[command(flatten)]
    pub(crate) planner: PlannerArgs,

    /// Finds its way by the map of an earlier exploration: a run directory, or the name of a site whose map the service of maps keeps
    #[arg(long, value_name = "RUN|SITE", conflicts_with = "resume", help_heading = "Planner")]
    pub(crate) map: Option<String>,

    #[command(flatten)]
    pub(crate) again: AgainArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `rutter replay`.
#[derive(Debug, Args)]
#[command(mut_arg("again", |again| again.conflicts_with("resume")))]
#[command(after_help = "\
Examples:
  rutter replay runs/20260101-120000-shop/tests
  rutter replay tests/login.json --output json
  rutter replay click-button-3.json --seed 9
  rutter replay runs/20260101-120000-shop/tests --again 2
  rutter replay runs/20260101-120000-miniwob-demo/tests --control

With --control every test of a benchmark is also replayed where the goal is another one. It must not pass there: a test
that passes whatever is asked for tests nothing.")]
pub(crate) struct Replay {
    /// Tests in the native JSON format, or folders of them
    #[arg(value_name = "TEST", required_unless_present = "resume", conflicts_with = "resume")]
    pub(crate) tests: Vec<PathBuf>,

    /// Replays tests of a benchmark on this seed instead of their own
    #[arg(long, value_name = "N", conflicts_with_all = ["control", "resume"])]
    pub(crate) seed: Option<u64>,

    /// Also replays each test of a benchmark on a seed with another goal, where it must not pass
    #[arg(long, conflicts_with_all = ["resume", "again"])]
    pub(crate) control: bool,

    #[command(flatten)]
    pub(crate) again: AgainArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `rutter compare`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter compare runs/20260101-120000-miniwob-demo runs/20260101-130000-miniwob-demo
  rutter compare runs/ground runs/hxagent runs/naviqate --output json

Every run is compared with the first one, over the jobs that both have and that both could judge. A difference is called better or
worse only where its 95 % interval leaves out 0.")]
pub(crate) struct Compare {
    /// Run directories, the first one first
    #[arg(value_name = "RUN", num_args = 2.., required = true)]
    pub(crate) runs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `rutter report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rutter report runs/20260101-120000-shop\n  rutter report RUN --output json")]
pub(crate) struct Report {
    /// A run directory
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `rutter doctor`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rutter doctor\n  rutter doctor --browser /opt/chrome/chrome --output json")]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What is evaluated.
#[derive(Debug, Subcommand)]
pub(crate) enum Eval {
    /// Compares the state abstractions on labelled pairs of pages; thresholds that must be fitted are, on other templates
    States(EvalStates),
}

/// Arguments of `rutter eval states`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rutter eval states --pairs near-duplicates/petclinic --output json")]
pub(crate) struct EvalStates {
    /// Folder with `pairs.csv` (state_a,state_b,label) and the pages it names, `doms/NAME.html`
    #[arg(long, value_name = "DIR")]
    pub(crate) pairs: PathBuf,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `rutter schema`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rutter schema task > task.schema.json\n  rutter schema test")]
pub(crate) struct Schema {
    /// Which format
    pub(crate) format: Format,
}

/// Published file formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Task files
    Task,
    /// Native tests
    Test,
}
