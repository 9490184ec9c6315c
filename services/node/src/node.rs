//! A node: some of the roles in one process, over one column of backends.
//!
//! The laptop and the cluster are one program: a run on this machine starts every role over the embedded column, a process
//! of the cluster one role over the distributed one, by the same functions.

use crate::compose::{self, Assignments, NamedSecrets, Pages};
use crate::config::{CrawlerConfig, NodeConfig};
use crate::coverage::Measurers;
use crate::witness::{Kept, Witnesses};
use crate::{Error, Storage};
use crawler::destructive::Books;
use crawler::explore::{ExplorerServices, NoWitness};
use crawler::worker::Dependencies;
use crawler::{JournalRecorder, TaskMap};
use domain::CampaignId;
use domain::campaign::{PlannerOptions, PlannerRef};
use domain::service::{AggregatorService, CampaignService, Code, GraphService, PlannerService, ServiceError};
use domain::test::Test;
use planner::registry::{Entry, Registered as _};
use planner::remote::Remote;
use platform::clock::Clock;
use platform::health::Health;
use platform::metrics::Metrics;
use platform::rpc::{ClientOptions, Connection};
use platform::tasks::Tasks;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use strum::{IntoStaticStr, VariantArray};

/// What a process does. Crawling is begun apart, by [`Node::crew`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// The queue.
    Campaigns,
    /// The legs.
    Crawler,
    /// The mind.
    Planner,
    /// The ledger.
    Aggregator,
    /// The map.
    Graph,
}

impl Role {
    /// Every role.
    pub const ALL: &[Role] = Role::VARIANTS;

    /// What several are called together.
    pub fn names(roles: &BTreeSet<Role>) -> String {
        roles.iter().map(<&str>::from).collect::<Vec<_>>().join(", ")
    }
}

/// How long the ledger may take to hear of the last outcome.
const LEDGER: Duration = Duration::from_secs(60);

/// How long one decision of a remote planner may take: of one that asks a model, or is not known here, and of one that computes. A
/// model has time limits of its own, which are shorter; what merely computes and has not answered by then is stuck.
const THOUGHT: Duration = Duration::from_secs(180);
const COMPUTATION: Duration = Duration::from_secs(20);

/// How long a planner of this name may take for one decision.
fn deadline(planner: &PlannerRef) -> Duration {
    static COMPUTING: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
        let computes = |entry: &&Entry| !entry.needs.asks_model() && entry.name != Remote::NAME;
        planner::Registry::default().entries().iter().filter(computes).map(|entry| entry.name).collect()
    });
    if COMPUTING.contains(planner.name.as_str()) { COMPUTATION } else { THOUGHT }
}

/// The services of the queue and of the ledger.
pub type QueueAndLedger = (Arc<dyn CampaignService>, Arc<dyn AggregatorService>);

/// The roles of this process, running, and the way to the others.
pub struct Node {
    /// What holds its bytes.
    pub storage: Storage,
    /// The queue, here or elsewhere; none where this process has no use for it.
    pub campaigns: Option<Arc<dyn CampaignService>>,
    /// The ledger, likewise.
    pub aggregator: Option<Arc<dyn AggregatorService>>,
    /// Who decides, likewise.
    pub planners: Option<Arc<dyn PlannerService>>,
    graph: Option<Arc<dyn GraphService>>,
    options: BTreeMap<String, PlannerOptions>,
    /// Whether it can do its work.
    pub health: Health,
    /// What runs in it.
    pub tasks: Tasks,
    clock: Arc<dyn Clock>,
}

impl Node {
    /// Opens the storage that the roles need and starts them. Their figures are measured where somebody asks for them.
    ///
    /// # Errors
    /// Settings that do not fit the roles, storage that cannot be opened, planners that cannot be made.
    pub async fn start(
        config: &NodeConfig,
        roles: &BTreeSet<Role>,
        clock: Arc<dyn Clock>,
        health: Health,
        tasks: Tasks,
        metrics: Option<&Metrics>,
    ) -> Result<Node, Error> {
        let storage = Storage::open(&config.storage, roles, clock.clone()).await?;
        let here = |role| roles.contains(&role);
        let encoder = embedding::LazyEmbedder::default();
        let campaigns: Option<Arc<dyn CampaignService>> = match (here(Role::Campaigns), &config.services.campaigns) {
            (true, _) => {
                let dependencies = campaigns::Dependencies {
                    jobs: storage.jobs()?,
                    log: storage.log()?,
                    clock: clock.clone(),
                    health: health.clone(),
                    presence: Some(storage.shared.presence.clone()),
                };
                let queue = campaigns::start(config.campaigns.clone(), dependencies, &tasks);
                Some(Arc::new(match metrics {
                    Some(metrics) => campaigns::measure(queue, storage.log()?, metrics, &tasks),
                    None => queue,
                }))
            }
            (false, Some(options)) => Some(proto::client::campaigns(&connect(options)?)),
            (false, None) if here(Role::Crawler) => return missing("services.campaigns"),
            (false, None) => None,
        };
        let aggregator: Option<Arc<dyn AggregatorService>> = match (here(Role::Aggregator), &config.services.aggregator)
        {
            (true, _) => {
                let dependencies = aggregator::Dependencies {
                    results: storage.results()?,
                    log: storage.log()?,
                    clock: clock.clone(),
                    health: health.clone(),
                };
                let ledger = aggregator::start(dependencies, &tasks);
                if let Some((blobs, retention)) = &storage.retention {
                    compose::retention::keep(blobs.clone(), *retention, clock.clone(), &tasks);
                }
                if let Some(metrics) = metrics {
                    aggregator::metrics::measure(&ledger, storage.log()?, clock.clone(), metrics, &tasks);
                }
                Some(Arc::new(ledger))
            }
            (false, Some(options)) => Some(proto::client::aggregator(&connect(options)?)),
            (false, None) => None,
        };
        let planners: Option<Arc<dyn PlannerService>> = match (here(Role::Planner), config.services.planners.as_slice())
        {
            (true, _) => {
                let together = compose::together(&storage.shared);
                Some(compose::planners(&config.planner, &encoder, &together).await?)
            }
            (false, []) if here(Role::Crawler) => return missing("services.planners"),
            (false, []) => None,
            (false, several) => {
                let connections = several.iter().map(connect).collect::<Result<Vec<Connection>, Error>>()?;
                Some(proto::client::planner_within(&connections, Arc::new(deadline)))
            }
        };
        let graph: Option<Arc<dyn GraphService>> = match (here(Role::Graph), &config.services.graph) {
            (true, _) => {
                let dependencies = graph::Dependencies {
                    store: storage.maps()?,
                    clock: clock.clone(),
                    embedder: Some(Arc::new(encoder)),
                    history: Some(backends::Journal::new(storage.log()?, clock.clone())),
                };
                let maps = graph::start(config.graph.clone(), dependencies, &health, &tasks)?;
                Some(match metrics {
                    Some(metrics) => Arc::new(graph::metrics::measured(maps, metrics)),
                    None => Arc::new(maps),
                })
            }
            (false, Some(options)) => Some(proto::client::graph(&connect(options)?)),
            (false, None) => None,
        };
        let options = config.planner.options.clone();
        Ok(Node { storage, campaigns, aggregator, planners, graph, options, health, tasks, clock })
    }

    /// Queue and ledger, for a process that works with both.
    ///
    /// # Errors
    /// One of them is neither here nor named in the settings.
    pub fn services(&self) -> Result<QueueAndLedger, Error> {
        match (&self.campaigns, &self.aggregator) {
            (Some(campaigns), Some(aggregator)) => Ok((campaigns.clone(), aggregator.clone())),
            _ => missing("services"),
        }
    }

    /// The maps of sites, here or elsewhere.
    ///
    /// # Errors
    /// They are neither here nor named in the settings.
    pub fn graph(&self) -> Result<Arc<dyn GraphService>, Error> {
        match &self.graph {
            Some(graph) => Ok(graph.clone()),
            None => {
                let cause = "where are the maps? name their service by `services.graph` of the settings";
                Err(Error::Settings(cause.to_owned()))
            }
        }
    }

    /// Everything that a crawler stands on. `tests` are replayed by the jobs of their names; `kept` is written down beside the pages
    /// that explorations see.
    ///
    /// # Errors
    /// Storage that this process did not open.
    pub fn crew(
        &self,
        crawler: &CrawlerConfig,
        pages: Pages,
        tests: BTreeMap<String, Test>,
        kept: Kept,
    ) -> Result<Dependencies, Error> {
        let (Some(campaigns), Some(planners)) = (&self.campaigns, &self.planners) else {
            return missing("services");
        };
        let journal = backends::Journal::new(self.storage.log()?, self.clock.clone());
        let blobs = self.storage.blobs.clone();
        let (clock, witness) = (self.clock.clone(), Arc::new(NoWitness));
        let explorer = |map| ExplorerServices { map, clock, witness, books: Books::default() };
        let witnesses = Witnesses { journal: journal.clone(), blobs: blobs.clone(), kept };
        let measurers = Measurers {
            journal: journal.clone(),
            blobs: blobs.clone(),
            clock: self.clock.clone(),
            scripts: pages.scripts_of_jobs(),
        };
        let task_map = self.graph.clone().filter(|_| crawler.locate_tasks).map(|map| Arc::new(TaskMap::new(map)));
        let services = self.graph.clone().map(explorer);
        let pages = pages.paced(self.storage.shared.rates.clone(), crawler.usual_rate);
        let pages = pages.knowing(NamedSecrets::of(crawler));
        Ok(Dependencies {
            campaigns: campaigns.clone(),
            recorder: Arc::new(JournalRecorder::new(journal, blobs)),
            assignments: Arc::new(Assignments {
                planners: planners.clone(),
                options: self.options.clone(),
                tests,
                pages: pages.clone(),
                services,
                witnesses,
                measurers,
                task_map,
                allowed: crawler.allowed.clone(),
                allowed_of: crawler.allowed_of.clone(),
            }),
            pages: Arc::new(pages),
            clock: self.clock.clone(),
        })
    }

    /// Where the results of runs are read, for a process that has all of it.
    ///
    /// # Errors
    /// Something of it is neither here nor named in the settings.
    pub fn sources(&self) -> Result<report::Sources, Error> {
        let (campaigns, aggregator) = self.services()?;
        Ok(report::Sources {
            campaigns,
            aggregator,
            graph: self.graph()?,
            blobs: self.storage.blobs.clone(),
            check_of: compose::check_of,
            draw_marks: browser::marks::draw_on,
        })
    }

    /// Asks every role to end, waits for them, and closes the storage.
    pub async fn stop(self, patience: Duration) {
        self.tasks.shutdown().cancel();
        self.tasks.finish(patience).await;
        self.storage.close().await;
    }
}

/// Prepares a connection to another process.
///
/// # Errors
/// An address or files that cannot be used.
pub fn connect(options: &ClientOptions) -> Result<Connection, Error> {
    platform::rpc::connect(options).map_err(Error::Connection)
}

fn missing<T>(setting: &str) -> Result<T, Error> {
    Err(Error::Settings(format!(
        "a crawler needs queue and planners: set `{setting}` in the settings, or run all roles in one process"
    )))
}

/// Waits until the ledger has heard of everything that the queue knows to have ended.
///
/// # Errors
/// Of either; [`Code::Deadline`] when it takes too long.
pub async fn hear_everything(
    campaigns: &dyn CampaignService,
    aggregator: &dyn AggregatorService,
    campaign: &CampaignId,
) -> Result<(), ServiceError> {
    let tally = campaigns.status(campaign).await?.tally;
    let heard = async {
        loop {
            let totals = aggregator.totals(campaign).await?;
            // Jobs that came out of quarantine count as ended there until the ledger hears of it.
            if totals.ended() >= tally.ended() && totals.sum().outcomes() >= tally.judged {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(LEDGER, heard).await.unwrap_or_else(|_| {
        let cause = "read the results: the ledger has not heard of every outcome yet; ask again in a while";
        Err(ServiceError::new(Code::Deadline, cause))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_merely_computes_is_given_less_time_than_what_asks_a_model_or_somebody_else() {
        let of = |name: &str| deadline(&PlannerRef::named(name));
        assert_eq!(["ground", "random"].map(of), [COMPUTATION; 2]);
        assert_eq!(["hxagent", "remote", "a planner of somebody's own"].map(of), [THOUGHT; 3]);
    }
}
