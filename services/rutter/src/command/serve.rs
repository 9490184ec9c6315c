//! `rutter serve`: one role of the cluster, or all of them.

use crate::cli::{LogForm, Serve, ServeRole};
use crate::compose::{self, Pages};
use crate::exit::{Exit, OrExit, Outcome};
use crate::node::config::{self, NodeConfig};
use crate::node::{Node, Role};
use anyhow::Context as _;
use crawler::explore::NoWitness;
use crawler::worker::{self, Options, Rest};
use platform::admin::Admin;
use platform::health::Health;
use platform::metrics::Metrics;
use platform::rpc::Server;
use platform::shutdown;
use platform::tasks::Tasks;
use platform::telemetry::{self, Traces};
use proto::server::Services;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// For how long a crawler asks a queue that does not answer: until somebody ends it.
const PATIENCE: Duration = Duration::from_secs(365 * 24 * 3600);

/// The role under which crawlers are listed.
const ROLE: &str = "crawler";

/// How long roles may take to end beside the crawler's own time.
const END: Duration = Duration::from_secs(15);

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
    if let Some(admin) = admin {
        let (probed, rendered) = (health.clone(), metrics.clone());
        tasks.spawn("admin", |shutdown| admin.serve(probed, rendered, shutdown));
    }
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
        true => crawl(settings, &node, &metrics, asked.clone()).await,
        false => {
            tokio::select! {
                () = asked.cancelled() => {}
                () = tasks.shutdown().cancelled() => {}
            }
            Ok(())
        }
    };
    let failed = tasks.shutdown().is_cancelled() && !asked.is_cancelled();
    node.stop(END).await;
    result?;
    Ok(if failed { Exit::Internal } else { Exit::Success })
}

fn names(roles: &BTreeSet<Role>) -> String {
    roles.iter().map(|role| format!("{role:?}").to_lowercase()).collect::<Vec<_>>().join(", ")
}

/// Works jobs through until asked to end; then what is under way may end in its time, and is given back after it.
async fn crawl(settings: &NodeConfig, node: &Node, metrics: &Metrics, asked: CancellationToken) -> Outcome<()> {
    let crawler = &settings.crawler;
    let name = crawler_name(settings);
    let pages = Pages::new(&crawler.browser, crawler.density, Some(name.clone()))?;
    let latch = node.health.latch("crawler");
    let (room, at_most) = watch::channel(usize::MAX);
    let options = Options {
        slots: crawler.slots,
        at_most,
        labels: crawler.labels.clone(),
        idle: Duration::from_millis(250),
        patience: PATIENCE,
        heartbeat: Duration::from_secs(crawler.heartbeat_seconds.max(1)),
        ..Options::new(name.clone())
    };
    let rest = Rest { drain: asked.clone(), interrupt: CancellationToken::new() };
    let overdue = rest.interrupt.clone();
    let drain = Duration::from_secs(crawler.drain_seconds);
    let drained = asked.clone();
    node.tasks.spawn("drain", move |shutdown| async move {
        tokio::select! {
            () = drained.cancelled() => {}
            () = shutdown.cancelled() => return Ok(()),
        }
        tokio::select! {
            () = tokio::time::sleep(drain) => overdue.cancel(),
            () = shutdown.cancelled() => {}
        }
        Ok::<(), Infallible>(())
    });
    let presence = node.storage.shared.presence.clone();
    let (member, slots) = (name.clone(), format!("slots={}", crawler.slots));
    node.tasks.spawn("presence", move |shutdown| async move {
        compose::stay_present(presence, ROLE, member, slots, shutdown).await;
        Ok::<(), Infallible>(())
    });
    if let Some(grid) = pages.grid() {
        let (asked, jobs_per_session) = (grid.clone(), crawler.density.most_contexts_per_browser());
        node.tasks.spawn("capacity", move |shutdown| async move {
            compose::tell_capacity(asked, jobs_per_session, room, shutdown).await;
            Ok::<(), Infallible>(())
        });
        let (presence, clock) = (node.storage.shared.presence.clone(), compose::clock());
        node.tasks.spawn("reaper", move |shutdown| async move {
            compose::reap(grid, presence, ROLE, clock, shutdown).await;
            Ok::<(), Infallible>(())
        });
    }
    latch.set();
    let worked = loop {
        let crew = node.crew(crawler, pages.clone(), BTreeMap::new(), Arc::new(NoWitness))?;
        let crew = crawler::metrics::measured(crew, options.slots, metrics);
        // Nobody watches here: the news is in the log.
        let (news, _) = mpsc::unbounded_channel();
        match worker::work(crew, options.clone(), news, rest.clone()).await {
            Ok(()) => break Ok(()),
            Err(error) if !asked.is_cancelled() => {
                latch.wait(error.to_string());
                tracing::error!(%error, "storage failed, beginning again in a moment");
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_secs(1)) => latch.set(),
                    () = asked.cancelled() => {}
                }
            }
            Err(error) => break Err(error),
        }
    };
    pages.close().await;
    Ok(worked?)
}

/// Unique among all starts of all crawlers: machine, address, this start and, as its last part, the process. A container that
/// is started again has the machine, the address and the process of before; what it left on a Grid must not look as its own.
fn crawler_name(settings: &NodeConfig) -> String {
    let machine = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let machine = machine.trim();
    let machine = if machine.is_empty() { "machine" } else { machine };
    let (port, start) = (settings.server.bind.port(), Uuid::now_v7().simple());
    format!("{machine}-{port}-{start}-{}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_start_has_a_name_of_its_own_which_ends_with_the_process() {
        let settings = NodeConfig::default();
        let (one, another) = (crawler_name(&settings), crawler_name(&settings));
        assert_ne!(one, another);
        for name in [one, another] {
            let process = name.rsplit('-').next().map(str::parse::<u32>);
            assert_eq!(process, Some(Ok(std::process::id())), "{name}");
        }
    }
}
