//! What a node is told: which backends hold its bytes, where the other roles are, how its own roles work. Pure: reads files
//! and variables through [`load`], opens nothing.

use crate::cli::PlannerName;
use crate::compose::Density;
use crate::exit::{Exit, OrExit, Outcome};
use crate::run::config::BrowserConfig;
use backends::blob::S3Options;
use backends::log::KafkaOptions;
use backends::shared::RedisOptions;
use domain::campaign::Rate;
use planner::ModelOptions;
use platform::admin::AdminOptions;
use platform::rpc::{ClientOptions, ServerOptions};
use platform::telemetry::TraceOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

/// The settings of a process of the cluster. Every role reads the same file and takes from it what concerns it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct NodeConfig {
    /// Where this process answers calls.
    pub(crate) server: ServerOptions,
    /// Where it answers probes and scrapers; nowhere when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) admin: Option<AdminOptions>,
    /// What holds bytes.
    pub(crate) storage: StorageConfig,
    /// Where the roles are that do not run in this process.
    pub(crate) services: Services,
    /// The queue.
    pub(crate) campaigns: campaigns::Options,
    /// The crawler.
    pub(crate) crawler: CrawlerConfig,
    /// The planners.
    pub(crate) planner: PlannerNode,
    /// The maps of sites.
    pub(crate) graph: graph::Options,
    /// Where traces go; nowhere when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) traces: Option<TraceOptions>,
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
    pub(crate) fn traces_of(&self, part: &str) -> Option<TraceOptions> {
        let named =
            |traces: &TraceOptions| TraceOptions { service: format!("{}-{part}", traces.service), ..traces.clone() };
        self.traces.as_ref().map(named)
    }
}

/// What holds bytes: servers, when they are named; else a directory.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct StorageConfig {
    /// The directory of the embedded column, for one process.
    pub(crate) directory: PathBuf,
    /// The servers of the distributed column, for many processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) servers: Option<ServersConfig>,
}

impl Default for StorageConfig {
    fn default() -> Self {
        Self { directory: PathBuf::from("rutter-data"), servers: None }
    }
}

/// The servers of the distributed column.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServersConfig {
    /// The event log.
    pub(crate) kafka: KafkaOptions,
    /// Caches, rates, presence.
    pub(crate) redis: RedisOptions,
    /// Address of the database with jobs and totals, e.g. `postgres://rutter@db.example/rutter`.
    pub(crate) postgres: String,
    /// An object store that speaks S3, for pictures and trajectories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) s3: Option<S3Options>,
    /// A directory that all processes share, where there is no object store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) blobs: Option<PathBuf>,
    /// Hours after which pictures and trajectories are removed by the ledger's role, although results refer to them; 0 keeps
    /// them for ever.
    #[serde(default)]
    pub(crate) blob_retention_hours: u32,
}

/// Connections to roles in other processes.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Services {
    /// The queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) campaigns: Option<ClientOptions>,
    /// Planners; each can answer any request.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) planners: Vec<ClientOptions>,
    /// The ledger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) aggregator: Option<ClientOptions>,
    /// The maps of sites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) graph: Option<ClientOptions>,
}

/// How the crawler works.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CrawlerConfig {
    /// Jobs attempted at the same time. On a Grid no more sessions are asked for than it has.
    pub(crate) slots: usize,
    /// Only jobs of campaigns that carry all these labels: for crawlers whose browsers differ from those of others.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) labels: BTreeMap<String, String>,
    /// Seconds that attempts may take to end when the process is asked to; what has not ended then is given back.
    pub(crate) drain_seconds: u64,
    /// Seconds between two signs of life; well below the lease of claims.
    pub(crate) heartbeat_seconds: u64,
    /// The browser, or the Grid.
    pub(crate) browser: BrowserConfig,
    /// How jobs share browsers.
    pub(crate) density: Density,
    /// Page loads of hosts that a campaign names no rate for; addresses of this machine excepted. No limit when absent.
    pub(crate) usual_rate: Option<Rate>,
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
            usual_rate: Some(Rate { per_second: 4.0, burst: 8 }),
        }
    }
}

/// The planners that a process offers.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PlannerNode {
    /// Planners that ask no model; all of them when empty. Those that ask one are there for each model.
    pub(crate) offers: Vec<PlannerName>,
    /// Models by the name that campaigns use.
    pub(crate) models: BTreeMap<String, ModelOptions>,
}

/// The settings from a file, overlaid by variables of the environment, e.g. `RUTTER_CRAWLER__SLOTS=8`, and by what the
/// command line says.
///
/// # Errors
/// Names the source and the field that cannot be read.
pub(crate) fn load(file: Option<&Path>, flags: &impl Serialize) -> Outcome<NodeConfig> {
    platform::config::load(&NodeConfig::default(), file, std::env::vars(), flags).or_exit(Exit::Usage)
}

/// The settings of a node that is one process with one directory: the same roles, embedded backends.
pub(crate) fn embedded(directory: &Path, crawler: CrawlerConfig, planner: PlannerNode) -> NodeConfig {
    let storage = StorageConfig { directory: directory.to_owned(), servers: None };
    NodeConfig { storage, crawler, planner, ..NodeConfig::default() }
}
