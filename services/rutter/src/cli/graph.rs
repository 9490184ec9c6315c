//! Commands that look at the map of a site.

use super::cluster::SettingsArgs;
use super::options::{BrowserArgs, OutputArgs};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// What can be asked of a map.
#[derive(Debug, Subcommand)]
pub(crate) enum Graph {
    /// Shows sites with their runs, and the states and transitions of one
    Show(GraphShow),
    /// Finds the cheapest way to a state, by reliability and time
    Path(GraphPath),
    /// Finds states by what they are about
    Search(GraphSearch),
    /// Says how a site changed from one run to another
    Diff(Box<GraphDiff>),
    /// Writes a map for other programs
    Export(GraphExport),
}

/// Where a map is, and of which site.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Map")]
pub(crate) struct MapArgs {
    /// A run directory; else a service is asked
    #[arg(long, value_name = "DIR")]
    pub(crate) run: Option<PathBuf>,

    /// Address of the service that keeps maps, instead of `services.graph` of the settings
    #[arg(long, value_name = "URL", env = "RUTTER_GRAPH")]
    pub(crate) service: Option<String>,

    #[command(flatten)]
    pub(crate) settings: SettingsArgs,

    /// The site; may be left out where there is only one
    #[arg(long, value_name = "NAME")]
    pub(crate) site: Option<String>,
}

/// Arguments of `rutter graph show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter graph show --run runs/20260101-120000-shop
  rutter graph show --service http://127.0.0.1:7404 --site shop --seen-by nightly-2026-01-01 --output json")]
pub(crate) struct GraphShow {
    #[command(flatten)]
    pub(crate) map: MapArgs,

    /// Only what this run saw
    #[arg(long, value_name = "RUN")]
    pub(crate) seen_by: Option<String>,

    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `rutter graph path`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter graph path start 12 --run runs/20260101-120000-shop
  rutter graph path 3 12 --service http://127.0.0.1:7404 --site shop

`rutter graph show` and `rutter graph search` tell the numbers of states. Ends with exit code 1 when no way is known.")]
pub(crate) struct GraphPath {
    /// Number of the state to begin at, or `start`: where the site begins
    #[arg(value_name = "FROM")]
    pub(crate) from: Beginning,

    /// Number of the state to get to
    #[arg(value_name = "TO")]
    pub(crate) to: u64,

    #[command(flatten)]
    pub(crate) map: MapArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// Where the site begins.
    Start,
    /// A state.
    State(u64),
}

impl std::str::FromStr for Beginning {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "start" => Ok(Beginning::Start),
            number => {
                number.parse().map(Beginning::State).map_err(|_| "write the number of a state, or start".to_owned())
            }
        }
    }
}

/// Arguments of `rutter graph search`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter graph search 'pay by invoice' --run runs/20260101-120000-shop
  rutter graph search 'list of users' --limit 3 --service http://127.0.0.1:7404 --site shop")]
pub(crate) struct GraphSearch {
    /// What the state is about
    #[arg(value_name = "WORDS")]
    pub(crate) words: String,

    /// Most states that are named
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) limit: u16,

    /// Least likeness of what is named, the cosine of the two sentences' vectors; 0 names also what is hardly like the words
    #[arg(long, value_name = "LIKENESS", default_value_t = 0.2)]
    pub(crate) at_least: f64,

    #[command(flatten)]
    pub(crate) map: MapArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `rutter graph diff`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter graph diff --before runs/20260101-120000-shop --after runs/20260102-120000-shop --replay
  rutter graph diff --before runs/20260101-120000-shop --after runs/20260102-120000-staging --replay=https://staging.shop.example/
  rutter graph diff nightly-2026-01-01 nightly-2026-01-02 --service http://127.0.0.1:7404 --site shop --output json

Something has vanished only when on every known way to it the later run came to a step that it could not do, or that led it
elsewhere. What a run did not look at is `not reached`, and no change; --replay goes there again, as the later run did: with its
log-in and its guards. The two runs may have been made of sites at different addresses. Ends with exit code 0 when nothing changed,
and 1 when something did.")]
pub(crate) struct GraphDiff {
    /// The earlier of two runs of one map
    #[arg(value_name = "RUN_A", required_unless_present = "before", requires = "later")]
    pub(crate) earlier: Option<String>,

    /// The later one
    #[arg(value_name = "RUN_B")]
    pub(crate) later: Option<String>,

    /// The run directory of the earlier run, where each has a map of its own
    #[arg(long, value_name = "DIR", requires = "after", conflicts_with_all = ["earlier", "run"])]
    pub(crate) before: Option<PathBuf>,

    /// The run directory of the later run
    #[arg(long, value_name = "DIR", requires = "before")]
    pub(crate) after: Option<PathBuf>,

    /// Goes to what the later run did not reach, on the site that it explored or at this address
    #[arg(long, value_name = "URL", num_args = 0..=1, require_equals = true, default_missing_value = "", requires = "after")]
    pub(crate) replay: Option<String>,

    /// Goes to what the earlier run did not reach, on the site that it explored or at this address
    #[arg(long, value_name = "URL", num_args = 0..=1, require_equals = true, default_missing_value = "", requires = "before")]
    pub(crate) replay_before: Option<String>,

    /// Further hosts that belong to the sites that are replayed on, beside those of the runs; may be repeated
    #[arg(long, value_name = "HOST")]
    pub(crate) scope: Vec<String>,

    /// Lets the run directories of somebody else use what they name of this machine: programs, files, variables, servers
    #[arg(long)]
    pub(crate) trust: bool,

    /// How long a replay may take, for each role and direction
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = humantime::parse_duration)]
    pub(crate) replay_budget: Duration,

    #[command(flatten)]
    pub(crate) map: MapArgs,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `rutter graph export`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter graph export --format graphml --out shop.graphml --run runs/20260101-120000-shop
  rutter graph export --format dot --run runs/20260101-120000-shop | dot -Tsvg > shop.svg")]
pub(crate) struct GraphExport {
    /// The format
    #[arg(long, value_enum, value_name = "NAME", default_value_t)]
    pub(crate) format: MapFormat,

    /// The file to write; stdout when absent
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Only what this run saw
    #[arg(long, value_name = "RUN")]
    pub(crate) seen_by: Option<String>,

    #[command(flatten)]
    pub(crate) map: MapArgs,
}

/// Formats of maps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum MapFormat {
    /// The published types
    #[default]
    Json,
    /// For graph editors
    Graphml,
    /// For Graphviz
    Dot,
    /// For documents
    Mermaid,
}
