//! Commands for the cluster: serving a role, handing work in, looking after it.

use super::bench::{CHOSEN, SuiteArgs};
use super::options::{AgainArgs, LimitArgs, OutputArgs, PlannerOptionArgs, planner_names};
use clap::{Args, Subcommand, ValueEnum};
use domain::project::ProjectId;
use std::path::PathBuf;

/// Arguments of `rutter serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter serve all
  rutter serve campaigns --config rutter.toml
  RUTTER_CRAWLER__SLOTS=8 rutter serve crawler --config rutter.toml --listen 127.0.0.1:7410

Settings come from the file, then from variables of the environment with two underscores, as above, then from the command line; see
`rutter config --help`. SIGTERM lets what is under way end, for as long as the settings say.")]
pub(crate) struct Serve {
    /// Which role this process has
    #[arg(value_enum)]
    pub(crate) role: ServeRole,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    /// Where it answers calls, instead of `server.bind` of the settings
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<std::net::SocketAddr>,

    /// Where it answers probes and scrapers (/health/ready, /health/live, /metrics), instead of `admin.bind`
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) admin: Option<std::net::SocketAddr>,

    /// How log lines look on stderr
    #[arg(long, value_enum, default_value_t)]
    pub(crate) log: LogForm,
}

/// Arguments of `rutter ready`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter ready --admin 127.0.0.1:7411

Ends with 0 where it is ready and with 1 where it is not yet, for probes of containers.")]
pub(crate) struct Ready {
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    /// Where the role answers probes, instead of `admin.bind` of the settings
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) admin: Option<std::net::SocketAddr>,
}

/// Roles that a process can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ServeRole {
    /// The queue: takes campaigns and jobs in, hands jobs out
    Campaigns,
    /// Works jobs through in browsers
    Crawler,
    /// Decides the next action for crawlers
    Planner,
    /// Keeps exact totals of what ended
    Aggregator,
    /// Keeps the maps of sites
    Graph,
    /// All of them in one process
    All,
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogForm {
    /// For people
    #[default]
    Text,
    /// One JSON object a line
    Json,
}

/// Where the settings are.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SettingsArgs {
    /// The settings, in TOML
    #[arg(long, value_name = "FILE", env = "RUTTER_CONFIG")]
    pub(crate) config: Option<PathBuf>,
}

/// Where the cluster is.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct ClusterArgs {
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    /// Address of the queue, instead of `services.campaigns` of the settings
    #[arg(long, value_name = "URL", env = "RUTTER_CAMPAIGNS")]
    pub(crate) campaigns: Option<String>,

    /// Address of the ledger, instead of `services.aggregator` of the settings
    #[arg(long, value_name = "URL", env = "RUTTER_AGGREGATOR")]
    pub(crate) aggregator: Option<String>,

    /// The project that campaigns and sites named here belong to, where a name does not say it itself: PROJECT::NAME
    #[arg(long, value_name = "NAME", env = "RUTTER_PROJECT", default_value = "default", value_parser = ProjectId::parse)]
    pub(crate) project: ProjectId,
}

/// What can be done with settings.
#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Prints the settings as they are put together from file and environment
    #[command(after_help = "Examples:\n  rutter config show --config rutter.toml")]
    Show(SettingsArgs),
    /// Says whether they can be read, and what `rutter serve` would refuse of them
    #[command(after_help = "Examples:\n  RUTTER_CRAWLER__SLOTS=8 rutter config check --config rutter.toml")]
    Check(SettingsArgs),
    /// Prints the token that calls to the server of these settings carry, where it asks for the one of this user
    #[command(
        after_help = "Examples:\n  grpcurl -plaintext -H \"authorization: Bearer $(rutter config token)\" 127.0.0.1:7401 list"
    )]
    Token(SettingsArgs),
    /// Prints their JSON Schema
    Schema,
}

/// Arguments of `rutter submit`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter submit shop.yaml --campaigns http://127.0.0.1:7401
  rutter submit nightly/*.jsonl --campaign nightly-2026-01-01 --priority 5 --label team=shop --watch
  rutter submit --benchmark miniwob --suite demo --seeds 0..3 --campaign demo --config rutter.toml
  rutter submit shop.yaml --rate shop.example=2 --max-seconds 60 --budget-usd 5
  rutter submit shop.yaml --project payments --campaign nightly
  rutter submit generated/*.jsonl --by-log --config rutter.toml

The same command again changes nothing: a campaign and its jobs are known by their names.")]
pub(crate) struct Submit {
    /// Task files: .yaml, or .jsonl with one task a line
    #[arg(value_name = "TASKS", required_unless_present = CHOSEN)]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) suite: SuiteArgs,

    /// Name of the campaign; by default the time and the name of the first file or suite
    #[arg(long, value_name = "NAME")]
    pub(crate) campaign: Option<String>,

    /// Who decides
    #[arg(long, value_name = "NAME", default_value = "ground", value_parser = planner_names())]
    pub(crate) planner: String,

    #[command(flatten)]
    pub(crate) options: PlannerOptionArgs,

    /// Finds its way by the map of an exploration: a run directory, or the name of a site whose map the service of maps keeps
    #[arg(long, value_name = "RUN|SITE", help_heading = "Planner")]
    pub(crate) map: Option<String>,

    /// The model behind the planner, by the name that the planner role has it configured under
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,

    /// Campaigns of a higher priority are served first
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub(crate) priority: i32,

    /// Its part of the slots among campaigns of the same priority
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) share: u32,

    /// Page loads per second of a host, over all crawlers: HOST=RATE; may be repeated
    #[arg(long, value_name = "HOST=RATE", value_parser = rate)]
    pub(crate) rate: Vec<(String, f64)>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    #[command(flatten)]
    pub(crate) again: AgainArgs,

    /// Stops claiming when this many US dollars are spent
    #[arg(long, value_name = "USD")]
    pub(crate) budget_usd: Option<f64>,

    /// Stops claiming when this many tokens are spent
    #[arg(long, value_name = "N")]
    pub(crate) budget_tokens: Option<u64>,

    /// A word for people, and for crawlers that take only some campaigns: NAME=VALUE; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = label)]
    pub(crate) label: Vec<(String, String)>,

    /// Writes the jobs to topic `jobs` of the log, at the broker of the settings, from where the queue takes them: for so many
    /// that calls would take long. Jobs that the queue refuses are put aside in topic `quarantine`
    #[arg(long)]
    pub(crate) by_log: bool,

    /// Stays until every job has ended, and shows how far they are
    #[arg(long)]
    pub(crate) watch: bool,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// A campaign of the cluster.
#[derive(Debug, Args)]
pub(crate) struct OneCampaign {
    /// Its name
    #[arg(value_name = "CAMPAIGN")]
    pub(crate) campaign: String,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `rutter results`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter results nightly-2026-01-01 --output json
  rutter results shop-exploration --run-dir shop --config rutter.toml")]
pub(crate) struct Results {
    /// Writes what a run on this machine leaves: report, tests, visits, map, pictures. Of several explored sites, each in a folder of
    /// its own. Pictures, trajectories and tests come from the blob store that the settings name
    #[arg(long, value_name = "DIR")]
    pub(crate) run_dir: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) of: OneCampaign,
}

/// Arguments of `rutter status`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rutter status\n  rutter status nightly --output json")]
pub(crate) struct Status {
    /// A campaign; all of them when absent
    #[arg(value_name = "CAMPAIGN")]
    pub(crate) campaign: Option<String>,

    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What can be done with jobs in quarantine.
#[derive(Debug, Subcommand)]
pub(crate) enum Quarantine {
    /// Jobs that are not tried again by themselves, each with the causes of its attempts
    #[command(after_help = "Examples:\n  rutter quarantine list nightly-2026-01-01")]
    List(OneCampaign),
    /// Tries jobs again
    #[command(after_help = "Examples:\n  rutter quarantine retry nightly-2026-01-01 --job cart/3")]
    Retry(QuarantineJobs),
    /// Ends jobs as cancelled
    #[command(after_help = "Examples:\n  rutter quarantine drop nightly-2026-01-01")]
    Drop(QuarantineJobs),
}

/// Jobs in quarantine.
#[derive(Debug, Args)]
pub(crate) struct QuarantineJobs {
    #[command(flatten)]
    pub(crate) campaign: OneCampaign,

    /// Their names; all of the campaign's when absent
    #[arg(long = "job", value_name = "JOB")]
    pub(crate) jobs: Vec<String>,
}

fn rate(text: &str) -> Result<(String, f64), String> {
    let (host, rate) = text.rsplit_once('=').ok_or("write HOST=RATE, e.g. shop.example=2")?;
    match rate.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate.is_finite() && !host.is_empty() => Ok((host.to_owned(), rate)),
        _ => Err("the rate is a number of page loads per second above 0".to_owned()),
    }
}

fn label(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
