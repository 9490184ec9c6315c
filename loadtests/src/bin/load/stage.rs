//! Everything that runs: the simulated Grid with its site, the planner that knows the way, real servers, and Rutter's roles
//! as processes of the given program.

use crate::scenario::Scenario;
use anyhow::{Context, Result};
use domain::service::{AggregatorService, CampaignService};
use domain::text::shorten;
use loadtests::child::Child;
use loadtests::grid::Figures;
use loadtests::servers::Servers;
use platform::rpc::ClientOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// Roles that `servers.sh` starts, in this order.
pub(crate) const ROLES: [&str; 3] = ["rutter-campaigns", "rutter-aggregator", "rutter-crawler"];

/// The crawler among them.
pub(crate) const CRAWLER: &str = "rutter-crawler";

/// Servers that are not ours.
pub(crate) const SERVERS: [&str; 3] = ["kafka", "redis", "postgres"];

/// What the simulated Grid and its site are called, which are one process.
pub(crate) const GRID: &str = "simulated Grid and site";

/// The simulated Grid and its site.
pub(crate) struct Pages {
    pub(crate) child: Child,
    pub(crate) grid: Url,
    pub(crate) hosts: Vec<Url>,
}

impl Pages {
    /// Starts them.
    pub(crate) fn start(scenario: &Scenario) -> Result<Pages> {
        let Scenario { nodes, sessions, hosts, seed, latency, failures, .. } = scenario;
        let settings = [
            ("nodes", nodes.to_string()),
            ("sessions", sessions.div_ceil(*nodes).to_string()),
            ("hosts", hosts.to_string()),
            ("seed", seed.to_string()),
            ("latency", latency.to_string()),
            ("fail", failures.to_string()),
        ];
        let mut arguments: Vec<String> =
            settings.into_iter().flat_map(|(name, value)| [format!("--{name}"), value]).collect();
        arguments.push("--child".to_owned());
        let child = Child::start("simulated-grid", &arguments)?;
        let grid = child.text("grid")?.parse().context("the Grid's address")?;
        let hosts = serde_json::from_value(child.said["site"].clone()).context("the site's addresses")?;
        Ok(Pages { child, grid, hosts })
    }

    /// What the Grid was asked for so far, and what it failed.
    pub(crate) async fn figures(&self) -> Result<Figures> {
        let answer = reqwest::get(self.grid.join("simulation/figures")?).await;
        answer.context("ask the simulated Grid for its figures")?.json().await.context("read the Grid's figures")
    }
}

/// Servers and roles.
pub(crate) struct Cluster {
    pub(crate) servers: Servers,
    pub(crate) planner: Child,
    /// The queue.
    pub(crate) campaigns: Arc<dyn CampaignService>,
    /// The ledger.
    pub(crate) aggregator: Arc<dyn AggregatorService>,
}

impl Cluster {
    /// Starts them; roles are those of `program`.
    pub(crate) fn start(scenario: &Scenario, program: &Path, pages: &Pages) -> Result<Cluster> {
        let servers = Servers::start(&SERVERS)?;
        let planner = Child::start("follower", &["--child".to_owned()])?;
        let variables = [
            ("RUTTER", program.display().to_string()),
            ("RUTTER_CRAWLER__SLOTS", scenario.slots().to_string()),
            ("RUTTER_CRAWLER__BROWSER__WEBDRIVER", pages.grid.to_string()),
            ("RUTTER_CRAWLER__DENSITY__TASK_CONTEXTS_PER_BROWSER", scenario.contexts_per_browser.to_string()),
            ("RUTTER_SERVICES__PLANNERS", format!("[{{endpoint = \"{}\"}}]", planner.text("planner")?)),
        ];
        servers.up(&ROLES, &variables)?;
        let at = |role: &str| -> Result<platform::rpc::Connection> {
            let endpoint = format!("http://127.0.0.1:{}", servers.read(&format!("{role}/port"))?);
            Ok(platform::rpc::connect(&ClientOptions::to(endpoint))?)
        };
        let campaigns = proto::client::campaigns(&at("rutter-campaigns")?);
        let aggregator = proto::client::aggregator(&at("rutter-aggregator")?);
        Ok(Cluster { servers, planner, campaigns, aggregator })
    }

    /// Rutter's processes: what each is called, and its id. This one hands the work in, and is one of them.
    pub(crate) fn ours(&self) -> Result<Vec<(String, u32)>> {
        let role = |name: &&str| Ok((name.trim_start_matches("rutter-").to_owned(), self.servers.process(name)?));
        let mut ours = ROLES.iter().map(role).collect::<Result<Vec<_>>>()?;
        ours.push(("planner".to_owned(), self.planner.process()));
        ours.push(("submit".to_owned(), std::process::id()));
        Ok(ours)
    }

    /// Where each of our servers shows its figures.
    pub(crate) fn admins(&self) -> Result<Vec<String>> {
        let of = |role: &&str| Ok(format!("http://127.0.0.1:{}", self.servers.read(&format!("{role}/admin-port"))?));
        let mut admins = ROLES.iter().map(of).collect::<Result<Vec<_>>>()?;
        admins.push(self.planner.text("admin")?);
        Ok(admins)
    }

    /// The last that each role wrote.
    pub(crate) fn last_words(&self) -> String {
        let mut words = String::new();
        for role in ROLES {
            let path: PathBuf = self.servers.directory().join(role).join("log");
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            for line in &lines[lines.len().saturating_sub(5)..] {
                words.push_str(&format!("{role}: {}\n", shorten(line, 400)));
            }
        }
        words
    }
}
