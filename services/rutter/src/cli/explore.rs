//! `rutter explore`.

use super::{BrowserArgs, ClusterArgs, OutputArgs, RunArgs};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use crawler::explore::strategies;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of `rutter explore`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rutter explore https://shop.example/ --budget 10m
  rutter explore https://shop.example/ --login customer.yaml --workers 4 --budget 1h
  rutter explore http://127.0.0.1:8000/ --strategy systematic --read-only --output json
  rutter explore http://127.0.0.1:8000/ --free
  rutter explore https://shop.example/ --dry-run --deny path=/admin/*
  rutter explore --resume runs/20260101-120000-shop.example
  rutter explore http://127.0.0.1:8000/ --coverage-report lines.json --coverage-command 'coverage json -q -o lines.json'
  rutter explore https://shop.example/ --workers 16 --submit --watch --config rutter.toml
  rutter explore https://shop.example/ --submit --watch --coverage-report https://shop.example/internal/coverage --js-coverage

A login file says what is typed into which field, and how one sees that one is logged in:
  role: customer
  url: /login
  fill:
    E-mail: anna@shop.example
    Password: {secret: {env: SHOP_PASSWORD}}
  submit: Log in
  logged_in: {element: {role: button, name: {equals: Log out}}}

robots.txt is obeyed, pages are loaded at a polite rate (this machine excepted), and what was there before is left as it is,
unless options say otherwise: forms of existing records and of settings are not sent, and what deletes, pays, sends, publishes
or logs out is not pressed. Nothing outside the site's host is requested unless --scope lists it.")]
pub(crate) struct Explore {
    /// Where the site begins: an absolute http or https address
    #[arg(value_name = "URL", required_unless_present = "resume", conflicts_with = "resume")]
    pub(crate) url: Option<String>,

    /// Who chooses what is tried next
    #[arg(long, value_name = "NAME", default_value = default_strategy(), value_parser = strategy_names(), conflicts_with = "resume")]
    pub(crate) strategy: String,

    /// How long each role is explored, e.g. 90s, 10m, 2h
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = humantime::parse_duration, conflicts_with = "resume")]
    pub(crate) budget: Duration,

    /// How to log in, a file in YAML; with several, each role is explored in turn and is a layer of the map
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) login: Vec<PathBuf>,

    /// Saved cookies and local storage to begin with
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub(crate) login_state: Option<PathBuf>,

    /// Further hosts that belong to the site, e.g. api.shop.example or *.shop.example; may be repeated
    #[arg(long, value_name = "HOST", conflicts_with = "resume")]
    pub(crate) scope: Vec<String>,

    /// The site's name in the map; by default its origin: scheme, host and port
    #[arg(long, value_name = "NAME", conflicts_with = "resume")]
    pub(crate) site: Option<String>,

    /// Visits what robots.txt disallows; for sites of your own
    #[arg(long, conflicts_with = "resume")]
    pub(crate) ignore_robots: bool,

    /// Accepts certificates that nobody signed
    #[arg(long, conflicts_with = "resume")]
    pub(crate) accept_self_signed_certificates: bool,

    /// Keeps every observation with the state it was found to show: observations.jsonl.zst in the run directory
    #[arg(long, conflicts_with = "resume")]
    pub(crate) keep_observations: bool,

    /// Hands the exploration in to a running cluster, whose crawlers share it: one job for each of --workers
    #[arg(long, conflicts_with_all = ["resume", "keep_observations"])]
    pub(crate) submit: bool,

    /// Waits until the cluster is done, and leaves what an exploration on this machine leaves
    #[arg(long, requires = "submit")]
    pub(crate) watch: bool,

    /// Name of the cluster's campaign and of the map's version; by default the time and the site's name
    #[arg(long, value_name = "NAME", requires = "submit")]
    pub(crate) campaign: Option<String>,

    #[command(flatten)]
    pub(crate) safety: SafetyArgs,
    #[command(flatten)]
    pub(crate) cluster: ClusterArgs,
    #[command(flatten)]
    pub(crate) coverage: CoverageArgs,
    #[command(flatten)]
    pub(crate) run: RunArgs,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// How much an exploration may change.
#[derive(Debug, Args)]
#[command(next_help_heading = "What may be changed")]
pub(crate) struct SafetyArgs {
    /// Sends no form, and refuses every request that is no plain reading
    #[arg(long, conflicts_with_all = ["resume", "careful", "free", "allow_destructive"])]
    pub(crate) read_only: bool,

    /// Leaves what was there before as it is; creates one thing of each kind, and changes only what it created (the default)
    #[arg(long, conflicts_with_all = ["resume", "free", "allow_destructive"])]
    pub(crate) careful: bool,

    /// Changes existing things too, but still deletes, pays and sends nothing; for a test system that can be set back
    #[arg(long, conflicts_with = "resume")]
    pub(crate) free: bool,

    /// Presses also what deletes, pays, sends or logs out; for sites that may be broken
    #[arg(long, conflicts_with = "resume")]
    pub(crate) allow_destructive: bool,

    /// Allows what a rule would leave alone, e.g. path=/drafts/*, control='Save draft', method=PUT; may be repeated
    #[arg(long, value_name = "WHAT", conflicts_with = "resume")]
    pub(crate) allow: Vec<String>,

    /// Leaves alone what would be allowed, e.g. path=/admin/*, control=Approve, method=POST; may be repeated
    #[arg(long, value_name = "WHAT", conflicts_with = "resume")]
    pub(crate) deny: Vec<String>,

    /// Sends nothing: lists what would be pressed, and what would be left alone with the rule
    #[arg(long, conflicts_with = "resume")]
    pub(crate) dry_run: bool,
}

/// What coverage is measured beside an exploration.
#[derive(Debug, Args)]
#[command(next_help_heading = "Coverage")]
pub(crate) struct CoverageArgs {
    /// A report of the lines of the application that ran: coverage.py or Istanbul JSON, JaCoCo or Cobertura XML, lcov; a file, or
    /// an address of the site where the application tells it; may be repeated. With --submit, a file is one of the crawler's
    /// machine, whose settings must allow it
    #[arg(long, value_name = "FILE|URL", conflicts_with = "resume")]
    pub(crate) coverage_report: Vec<String>,

    /// What refreshes the report before it is read: a program with its arguments, for a shell `sh -c '…'`; it stands in run.json,
    /// so leave secrets out of it. With --submit, the crawler's settings must allow it
    #[arg(long, value_name = "COMMAND", requires = "coverage_report")]
    pub(crate) coverage_command: Option<String>,

    /// Time between two looks at coverage
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = humantime::parse_duration, conflicts_with = "resume")]
    pub(crate) coverage_every: Duration,

    /// Counts what JavaScript runs, functions and bytes of each script
    #[arg(long, conflicts_with = "resume")]
    pub(crate) js_coverage: bool,
}

/// The strategies that can be named, each with its line of help.
fn strategy_names() -> PossibleValuesParser {
    let values = strategies().map(|strategy| PossibleValue::new(strategy.name).help(strategy.help));
    PossibleValuesParser::new(values.collect::<Vec<_>>())
}

fn default_strategy() -> &'static str {
    strategies().next().map_or("", |strategy| strategy.name)
}
