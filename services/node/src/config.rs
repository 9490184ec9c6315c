//! What a node is told: which backends hold its bytes, where the other roles are, how its own roles work. Pure: reads files
//! and variables through [`load`], opens nothing.

use crate::Error;
use backends::blob::S3Options;
use backends::log::KafkaOptions;
use backends::shared::RedisOptions;
use browser::PoolOptions;
use domain::campaign::{PlannerOptions, Rate};
use domain::privilege::Allowed;
use domain::project::ProjectId;
use domain::scope::Scope;
use planner::model::Traffic;
use planner::{ModelOptions, Registry};
use platform::admin::AdminOptions;
use platform::rpc::{ClientOptions, ServerOptions};
use platform::telemetry::TraceOptions;
use schemars::{JsonSchema, Schema, schema_for};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The settings of a process of the cluster. Every role reads the same file and takes from it what concerns it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NodeConfig {
    /// Where this process answers calls.
    pub server: ServerOptions,
    /// Where it answers probes and scrapers; nowhere when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin: Option<AdminOptions>,
    /// What holds bytes.
    pub storage: StorageConfig,
    /// Where the roles are that do not run in this process.
    pub services: Services,
    /// The queue.
    pub campaigns: campaigns::Options,
    /// The crawler.
    pub crawler: CrawlerConfig,
    /// The planners.
    pub planner: PlannerNode,
    /// The maps of sites.
    pub graph: graph::Options,
    /// Where traces go; nowhere when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traces: Option<TraceOptions>,
}

impl Default for NodeConfig {
    fn default() -> Self {
        Self {
            server: ServerOptions::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 7401))),
            admin: None,
            storage: StorageConfig::default(),
            services: Services::default(),
            campaigns: campaigns::Options::default(),
            crawler: CrawlerConfig::default(),
            planner: PlannerNode::default(),
            graph: graph::Options::default(),
            traces: None,
        }
    }
}

impl NodeConfig {
    /// Where the traces of one part of the installation go, under a name of its own.
    pub fn traces_of(&self, part: &str) -> Option<TraceOptions> {
        let named =
            |traces: &TraceOptions| TraceOptions { service: format!("{}-{part}", traces.service), ..traces.clone() };
        self.traces.as_ref().map(named)
    }
}

/// What holds bytes: servers, when they are named; else a directory.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StorageConfig {
    /// The directory of the embedded column, for one process.
    pub directory: PathBuf,
    /// The servers of the distributed column, for many processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub servers: Option<ServersConfig>,
}

impl Default for StorageConfig {
    fn default() -> Self {
        Self { directory: PathBuf::from("rutter-data"), servers: None }
    }
}

/// The servers of the distributed column.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServersConfig {
    /// The event log.
    pub kafka: KafkaOptions,
    /// Caches, rates, presence.
    pub redis: RedisOptions,
    /// Address of the database with jobs and totals, e.g. `postgres://rutter@db.example/rutter`.
    pub postgres: String,
    /// An object store that speaks S3, for pictures and trajectories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub s3: Option<S3Options>,
    /// A directory that all processes share, where there is no object store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blobs: Option<PathBuf>,
    /// Hours after which pictures and trajectories are removed by the ledger's role, although results refer to them; 0 keeps
    /// them for ever.
    #[serde(default)]
    pub blob_retention_hours: u32,
}

/// Connections to roles in other processes.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Services {
    /// The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub campaigns: Option<ClientOptions>,
    /// Planners; each can answer any request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub planners: Vec<ClientOptions>,
    /// The ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregator: Option<ClientOptions>,
    /// The maps of sites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph: Option<ClientOptions>,
}

/// How the crawler works.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CrawlerConfig {
    /// Jobs attempted at the same time. On a Grid no more sessions are asked for than it has.
    pub slots: usize,
    /// Only jobs of campaigns that carry all these labels: for crawlers whose browsers differ from those of others.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Seconds that attempts may take to end when the process is asked to; what has not ended then is given back.
    pub drain_seconds: u64,
    /// Seconds between two signs of life; well below the lease of claims.
    pub heartbeat_seconds: u64,
    /// The browser, or the Grid.
    pub browser: BrowserConfig,
    /// How jobs share browsers.
    pub density: Density,
    /// What tasks may ask of this machine beside its browsers. Nothing by default: who hands in a task runs nothing here.
    pub allowed: Allowed,
    /// The same for tasks of other projects than `default`, by their names. What one project is allowed, no other is.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub allowed_of: BTreeMap<String, Allowed>,
    /// The folder with the secrets that this machine keeps, a file for each: for tasks that name them, as far as `allowed.secrets` lists
    /// them. `rutter/secrets` in the user's folder for configuration when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secrets_directory: Option<PathBuf>,
    /// Page loads of hosts that a campaign names no rate for; addresses of this machine excepted. No limit when absent.
    pub usual_rate: Option<Rate>,
    /// Whether the pages that tasks see are located on the map of their site, as those of explorations are: every run makes it better.
    pub locate_tasks: bool,
}

impl Default for CrawlerConfig {
    fn default() -> Self {
        Self {
            slots: 2,
            labels: BTreeMap::new(),
            drain_seconds: 60,
            heartbeat_seconds: 5,
            browser: BrowserConfig::default(),
            density: Density::default(),
            allowed: Allowed::default(),
            allowed_of: BTreeMap::new(),
            secrets_directory: None,
            usual_rate: Some(Rate { per_second: 4.0, burst: 8 }),
            locate_tasks: true,
        }
    }
}

impl CrawlerConfig {
    /// Looks for secrets that are for no origin, or for one that makes no sense.
    ///
    /// # Errors
    /// [`Error::Settings`] with the setting, and what is possible.
    fn check_secrets(&self) -> Result<(), Error> {
        let own = self.allowed.secrets.iter().map(|secret| ("allowed".to_owned(), secret));
        let of_projects = self.allowed_of.iter().flat_map(|(project, allowed)| {
            allowed.secrets.iter().map(move |secret| (format!("allowed_of.{project}"), secret))
        });
        for (place, (name, origins)) in own.chain(of_projects) {
            let setting = format!("settings `crawler.{place}.secrets.{}`", name.as_str());
            if origins.is_empty() {
                let example = "say where it may be typed, e.g. `[\"https://shop.example\"]`";
                return Err(Error::Settings(format!("{setting}: no origin is listed; {example}")));
            }
            let checked = Scope { hosts: origins.clone() }.validate();
            checked.map_err(|cause| Error::Settings(format!("{setting}: {cause}")))?;
        }
        Ok(())
    }
}

/// The browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BrowserConfig {
    /// Whether its window is shown.
    pub headed: bool,
    /// Its program.
    pub browser: Option<PathBuf>,
    /// The driver's program.
    pub driver: Option<PathBuf>,
    /// A running WebDriver server instead.
    pub webdriver: Option<String>,
    /// How to talk to it.
    pub wire: WireName,
    /// Where browsers of other machines find this one.
    pub gate: GateConfig,
}

/// Where the gates are: the proxies of this process through which its browsers reach every site, on a free port each. Without a host
/// they listen on loopback, for the browsers of this machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GateConfig {
    /// The host by which the browsers' machines reach this one: a name or an address, without a port. A gate that has one lets in
    /// the browser that it is for and nobody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The address of this machine on which they listen; by default `host` where that is one, else all of this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bind: Option<IpAddr>,
}

/// How to talk to the browser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WireName {
    /// BiDi where the session offers it, else classic
    #[default]
    Auto,
    /// WebDriver BiDi, or fail
    Bidi,
    /// Classic WebDriver
    Classic,
}

/// How jobs share browsers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Density {
    /// Jobs of benchmarks in one browser at the same time. They are ours to crash.
    pub benchmark_contexts_per_browser: u32,
    /// Jobs of tasks in one browser at the same time. A crash of the browser costs all of them a retry.
    pub task_contexts_per_browser: u32,
    /// Jobs after which a browser is replaced.
    pub jobs_per_browser: u32,
    /// Memory in MiB after which a browser is replaced.
    pub mib_per_browser: u64,
}

impl Default for Density {
    fn default() -> Self {
        let usual = PoolOptions::default();
        Self {
            benchmark_contexts_per_browser: 4,
            task_contexts_per_browser: usual.contexts_per_browser,
            jobs_per_browser: usual.profiles_per_browser,
            mib_per_browser: usual.mib_per_browser,
        }
    }
}

/// The planners that a process offers.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlannerNode {
    /// Planners that ask no model; all of them when empty. Those that ask one are there for each model.
    pub offers: Vec<String>,
    /// Models by the name that campaigns use.
    pub models: BTreeMap<String, ModelOptions>,
    /// For a model, those that answer its other roles, by their names in `models`. It answers itself the roles without one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub roles: BTreeMap<String, ModelRoles>,
    /// For a model, those that are asked in turn when it cannot be reached, by their names in `models`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fallbacks: BTreeMap<String, Vec<String>>,
    /// Options of planners by their names, where a campaign sets no others. `rutter planners` lists them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, PlannerOptions>,
    /// What becomes of questions to models: they are recorded in a file, or answered from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
}

impl PlannerNode {
    /// Looks for options that no planner has, or that cannot be.
    ///
    /// # Errors
    /// [`Error::Settings`] with the setting, and what is possible.
    pub fn check(&self) -> Result<(), Error> {
        let registry = Registry::default();
        for (planner, options) in &self.options {
            let checked = registry.entry(planner).and_then(|entry| entry.complete(&options.to_value()));
            checked.map_err(|error| Error::Settings(format!("settings `planner.options.{planner}`: {error}")))?;
        }
        Ok(())
    }
}

/// The models of further roles, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ModelRoles {
    /// Describes pages and elements; a cheaper model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub describer: Option<String>,
    /// Decides over pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vision: Option<String>,
    /// Finds on a page what a step in words names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grounder: Option<String>,
    /// Judges states and trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
}

impl NodeConfig {
    /// Looks for names that no project can have, shares of nothing, and tokens of projects that there are not.
    fn check_projects(&self) -> Result<(), Error> {
        let known = &self.campaigns.projects;
        for name in self.server.projects.keys().chain(known.keys()).chain(self.crawler.allowed_of.keys()) {
            ProjectId::parse(name).map_err(Error::Settings)?;
        }
        if let Some((name, _)) = known.iter().find(|(_, share)| **share == 0) {
            return Err(Error::Settings(format!("`campaigns.projects.{name}` is 0: a share is at least 1")));
        }
        let is_unknown = |name: &&String| !known.is_empty() && name.as_str() != "default" && !known.contains_key(*name);
        match self.server.projects.keys().find(is_unknown) {
            None => Ok(()),
            Some(name) => Err(Error::Settings(format!(
                "`server.projects` has a token of `{name}`, and `campaigns.projects` no such project: name it there too"
            ))),
        }
    }

    /// Looks for what a process with these settings would refuse: addresses that anybody could call, connections without a token,
    /// files and tokens that cannot be read.
    ///
    /// # Errors
    /// [`Error::Server`], [`Error::Connection`] with the setting.
    pub fn check_connections(&self) -> Result<(), Error> {
        self.server.check().map_err(Error::Server)?;
        let Services { campaigns, planners, aggregator, graph } = &self.services;
        let connections = [campaigns, aggregator, graph].into_iter().flatten().chain(planners);
        connections.map(crate::connect).collect::<Result<Vec<_>, Error>>().map(|_| ())
    }
}

/// The JSON Schema of the settings.
pub fn schema() -> Schema {
    schema_for!(NodeConfig)
}

/// The settings from a file, overlaid by variables of the environment, e.g. `RUTTER_CRAWLER__SLOTS=8`, and by what the
/// command line says.
///
/// # Errors
/// Names the source and the field that cannot be read.
pub fn load(file: Option<&Path>, flags: &impl Serialize) -> Result<NodeConfig, Error> {
    let config: NodeConfig = platform::config::load(&NodeConfig::default(), file, std::env::vars(), flags)?;
    config.planner.check()?;
    config.crawler.check_secrets()?;
    config.check_projects()?;
    Ok(config)
}

/// The settings of a node that is one process with one directory: the same roles, embedded backends.
pub fn embedded(directory: &Path, crawler: CrawlerConfig, planner: PlannerNode) -> NodeConfig {
    let storage = StorageConfig { directory: directory.to_owned(), servers: None };
    NodeConfig { storage, crawler, planner, ..NodeConfig::default() }
}
