//! Options that several commands share.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};
use domain::stage::Stages;
use node::compose::GOLD;
use planner::Registry;
use std::path::PathBuf;

fn prices(text: &str) -> Result<(f64, f64), String> {
    let prices = text.split_once(',').and_then(|(sent, received)| Some((sent.parse().ok()?, received.parse().ok()?)));
    prices.ok_or_else(|| "write it as two prices, e.g. 0.25,2".to_owned())
}

/// Who decides, and the model behind it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Planner", mut_arg("models", |models| models.conflicts_with("resume")))]
pub(crate) struct PlannerArgs {
    /// Who decides
    #[arg(long, value_name = "NAME", default_value = "ground", value_parser = planner_names(), conflicts_with = "resume")]
    pub(crate) planner: String,

    #[command(flatten)]
    pub(crate) options: PlannerOptionArgs,

    #[command(flatten)]
    pub(crate) model: ModelArgs,

    /// Keeps every question to a model with its reply in the run's directory
    #[arg(long, conflicts_with = "resume")]
    pub(crate) record_model: bool,

    /// Answers questions to a model with the replies that another run recorded, and asks no model
    #[arg(long, value_name = "RUN", conflicts_with_all = ["resume", "record_model"])]
    pub(crate) replay_model: Option<PathBuf>,
}

/// The language model.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Planner")]
pub(crate) struct ModelArgs {
    /// Dialect of the language model's endpoint
    #[arg(long, value_enum, value_name = "NAME", env = "RUTTER_MODEL_PROVIDER", default_value_t)]
    pub(crate) model_provider: ProviderName,

    /// The language model, by the provider's name for it
    #[arg(long, value_name = "MODEL", env = "RUTTER_MODEL")]
    pub(crate) model: Option<String>,

    /// Base address of the endpoint, e.g. of a model server on this machine: http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL", env = "RUTTER_MODEL_URL")]
    pub(crate) model_url: Option<String>,

    /// The environment variable that holds the key; by default the provider's usual one, and none for other endpoints
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) model_key_env: Option<String>,

    /// US dollars per million tokens sent and received, e.g. `0.25,2`, to have costs in the results
    #[arg(long, value_name = "SENT,RECEIVED", value_parser = prices)]
    pub(crate) model_price: Option<(f64, f64)>,

    /// Sends the job's id with every call as `x-rutter-job`, for tracing by gateways
    #[arg(long)]
    pub(crate) model_job_header: bool,

    /// A file with a model for each role instead, in TOML or JSON: `reasoner`, and where they differ `describer`, `vision`, `grounder` and `judge`
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pub(crate) models: Option<PathBuf>,
}

/// Options of the planner.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Planner")]
pub(crate) struct PlannerOptionArgs {
    /// A file with options of the planner, in TOML or JSON. `rutter planners` lists them
    #[arg(long, value_name = "FILE")]
    pub(crate) planner_options: Option<PathBuf>,

    /// One option of the planner, over those of the file, e.g. `preset=ours` or `page.max_elements=80`; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,

    /// What `rutter train` learnt under this name, for planners that draw from it; the latest version where none is named
    #[arg(long, value_name = "NAME[@VERSION]")]
    pub(crate) experience: Option<String>,

    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// Where experience is kept.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Planner")]
pub(crate) struct StoreArgs {
    /// Where experience is kept
    #[arg(long, value_name = "DIR", env = "RUTTER_EXPERIENCE", default_value = "experience")]
    pub(crate) experience_dir: PathBuf,
}

impl Default for StoreArgs {
    fn default() -> Self {
        Self { experience_dir: PathBuf::from("experience") }
    }
}

/// The planners that can be named, each with its line of help.
pub(crate) fn planner_names() -> PossibleValuesParser {
    let registry = Registry::default();
    let gold = PossibleValue::new(GOLD).help("The benchmark's own solution; proves the driver, only for benchmarks");
    let planners = registry.entries().iter().map(|entry| PossibleValue::new(entry.name).help(entry.help));
    PossibleValuesParser::new(planners.chain([gold]).collect::<Vec<_>>())
}

/// What attempts may take at most.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct LimitArgs {
    /// Most actions of an attempt at any of its jobs, where the task allows more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_steps: Option<u32>,

    /// Most seconds of an attempt at any of its jobs, where the task allows more
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_seconds: Option<u64>,
}

/// Whether what did not pass is tried again.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct AgainArgs {
    /// Tries jobs that did not pass again, so many times at most, each under a name of its own (JOB~again); at the end a job of
    /// its own says which of them ended otherwise than before
    #[arg(long, value_name = "TIMES", default_value_t = 0, hide_default_value = true, value_parser = clap::value_parser!(u8).range(0..=9))]
    pub(crate) again: u8,
}

impl AgainArgs {
    /// What is done after so many jobs.
    pub(crate) fn stages(self, jobs: usize) -> Option<Stages> {
        Stages::again(jobs as u64, self.again)
    }
}

/// Dialects of model endpoints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProviderName {
    /// OpenAI, and everything that speaks its dialect: vLLM, llama.cpp, Ollama, gateways
    #[default]
    Openai,
    /// Anthropic
    Anthropic,
    /// Gemini
    Gemini,
}

/// How a run is carried out and where it is kept.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunArgs {
    /// Goes on with an interrupted run, with the settings it was started with; every task is done exactly once
    #[arg(long, value_name = "RUN", conflicts_with = "run_dir")]
    pub(crate) resume: Option<PathBuf>,

    /// Lets a run directory or a test of somebody else use what it names of this machine: programs, files, variables, servers
    #[arg(long)]
    pub(crate) trust: bool,

    /// Where the run is kept: database, trajectories, tests, report. By default runs/TIME-NAME
    #[arg(long, value_name = "DIR")]
    pub(crate) run_dir: Option<PathBuf>,

    /// How many tasks are done at the same time, each in a browser profile of its own
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub(crate) workers: u8,

    /// How many tasks share a browser at the same time; by default 1, and 4 for benchmarks
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) contexts_per_browser: Option<u32>,

    /// Tasks after which a browser is replaced
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) tasks_per_browser: u32,

    /// Which pictures are kept
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub(crate) screenshots: WhichPictures,
}

/// Which pictures are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum WhichPictures {
    /// None
    None,
    /// The last page of attempts that did not succeed
    #[default]
    Failures,
    /// Every step
    All,
}

/// The browser.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Browser")]
pub(crate) struct BrowserArgs {
    /// Shows the browser's window; needs a display and a full browser
    #[arg(long)]
    pub(crate) headed: bool,

    /// The browser's program; by default chromium-headless-shell, else an installed Chromium or Chrome
    #[arg(long, value_name = "PATH", env = "RUTTER_BROWSER")]
    pub(crate) browser: Option<PathBuf>,

    /// The chromedriver that fits the browser; by default the one on the PATH
    #[arg(long, value_name = "PATH", env = "RUTTER_DRIVER")]
    pub(crate) driver: Option<PathBuf>,

    /// Uses a running WebDriver server, e.g. a Selenium Grid, instead of starting browser and driver here
    #[arg(long, value_name = "URL", env = "RUTTER_WEBDRIVER")]
    pub(crate) webdriver: Option<String>,

    /// The host by which the browsers of that server reach this machine, where they are on others
    #[arg(long, value_name = "HOST", env = "RUTTER_GATE")]
    pub(crate) gate: Option<String>,

    /// How to talk to the browser: `auto` takes BiDi where the session offers it
    #[arg(long, value_enum, value_name = "WIRE", default_value_t)]
    pub(crate) wire: WireName,
}

/// How to talk to the browser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum WireName {
    /// BiDi where the session offers it, else classic
    #[default]
    Auto,
    /// WebDriver BiDi, or fail
    Bidi,
    /// Classic WebDriver
    Classic,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct OutputArgs {
    /// How results are printed on stdout
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    pub(crate) output: Output,
}

/// The form of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people
    #[default]
    Table,
    /// One JSON object
    Json,
}
