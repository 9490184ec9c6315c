//! `rutter serve`: one role of the cluster, or all of them.

mod crawl;
mod life;

use crate::cli::{LogForm, Serve, ServeRole};
use crate::compose;
use crate::exit::{Exit, OrExit, Outcome};
use crate::node::config::{self, NodeConfig};
use crate::node::{Node, Role};
use anyhow::Context as _;
use platform::admin::Admin;
use platform::health::Health;
use platform::metrics::Metrics;
use platform::rpc::Server;
use platform::shutdown;
use platform::tasks::Tasks;
use platform::telemetry::{self, Traces};
use proto::server::Services;
use serde::Serialize;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long roles may take to end beside the crawler's own time.
const END: Duration = Duration::from_secs(15);

/// How long answers to probes may take in the end.
const PROBES_END: Duration = Duration::from_secs(1);

/// What the command line says of the settings.
#[derive(Serialize)]
struct Flags {
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<Bind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    admin: Option<Bind>,
}

#[derive(Serialize)]
struct Bind {
    bind: SocketAddr,
}

/// Runs roles until asked to end.
pub(crate) async fn execute(args: Serve) -> Outcome {
    let bind = args.listen.map(|bind| Bind { bind });
    let admin = args.admin.map(|bind| Bind { bind });
    let settings = config::load(args.settings.config.as_deref(), &Flags { server: bind, admin })?;
    let format = match args.log {
        LogForm::Text => telemetry::Format::Text,
        LogForm::Json => telemetry::Format::Json,
    };
    let roles = roles(args.role);
    let traces = settings.traces_of(&names(&roles).replace(", ", "-"));
    let traces = telemetry::start(format, std::io::stderr, false, traces.as_ref()).or_exit(Exit::Usage)?;
    let asked = shutdown::on_signals().context("listen to signals").or_exit(Exit::Internal)?;
    let served = serve(&settings, &roles, asked).await;
    finish(traces).await;
    served
}

/// Sends the spans that wait, and says how many never arrived.
pub(super) async fn finish(traces: Traces) {
    let lost = tokio::task::spawn_blocking(move || traces.finish()).await.unwrap_or_default();
    if lost > 0 {
        tracing::warn!(spans = lost, "spans were lost");
    }
}

fn roles(role: ServeRole) -> BTreeSet<Role> {
    match role {
        ServeRole::Campaigns => BTreeSet::from([Role::Campaigns]),
        ServeRole::Crawler => BTreeSet::from([Role::Crawler]),
        ServeRole::Planner => BTreeSet::from([Role::Planner]),
        ServeRole::Aggregator => BTreeSet::from([Role::Aggregator]),
        ServeRole::Graph => BTreeSet::from([Role::Graph]),
        ServeRole::All => BTreeSet::from(Role::ALL),
    }
}

async fn serve(settings: &NodeConfig, roles: &BTreeSet<Role>, asked: CancellationToken) -> Outcome {
    // The address is taken first: a process that cannot be reached begins nothing.
    let server = Server::bind(&settings.server).await.or_exit(Exit::Environment)?;
    let address = server.address();
    let metrics = Metrics::default();
    let admin = match &settings.admin {
        Some(options) => Some(Admin::bind(options).await.or_exit(Exit::Environment)?),
        None => None,
    };
    // Crawlers end first, then what they call.
    let tasks = Tasks::new(CancellationToken::new());
    let health = Health::default();
    // Probes are answered to the very end, also while a process whose part has failed comes to rest.
    let probes = Tasks::new(CancellationToken::new());
    if let Some(admin) = admin {
        let (probed, rendered) = (health.clone(), metrics.clone());
        probes.spawn("admin", |shutdown| admin.serve(probed, rendered, shutdown));
    }
    let ending = asked.child_token();
    let parts = [tasks.shutdown().clone(), probes.shutdown().clone()];
    let life = life::follow(asked.clone(), parts, health.clone(), ending.clone());
    tasks.spawn("life", |_| async move {
        life.await;
        Ok::<(), Infallible>(())
    });
    let node = Node::start(settings, roles, compose::clock(), health.clone(), tasks.clone(), Some(&metrics)).await?;
    let mut services = Services::new(settings.server.max_message_bytes);
    if let (true, Some(campaigns)) = (roles.contains(&Role::Campaigns), &node.campaigns) {
        services = services.campaigns(campaigns.clone());
    }
    if let (true, Some(aggregator)) = (roles.contains(&Role::Aggregator), &node.aggregator) {
        services = services.aggregator(aggregator.clone());
    }
    if let (true, Some(planners)) = (roles.contains(&Role::Planner), &node.planners) {
        services = services.planner(planners.clone(), Some(node.storage.shared.cache.clone()));
    }
    if roles.contains(&Role::Graph) {
        services = services.graph(node.graph()?);
    }
    let routes = services.routes().or_exit(Exit::Internal)?;
    let server = server.measured(&metrics);
    tasks.spawn("server", |shutdown| server.serve(routes, health, shutdown));
    tracing::info!(%address, ?roles, "serving");
    eprintln!("serving {} at {address}", names(roles));
    let result = match roles.contains(&Role::Crawler) {
        true => crawl::crawl(settings, &node, &metrics, ending.clone()).await,
        false => {
            ending.cancelled().await;
            Ok(())
        }
    };
    let failed = ending.is_cancelled() && !asked.is_cancelled();
    node.stop(END).await;
    probes.shutdown().cancel();
    probes.finish(PROBES_END).await;
    result?;
    Ok(if failed { Exit::Internal } else { Exit::Success })
}

fn names(roles: &BTreeSet<Role>) -> String {
    roles.iter().map(|role| format!("{role:?}").to_lowercase()).collect::<Vec<_>>().join(", ")
}
