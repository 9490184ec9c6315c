//! A process of a cluster: some of the roles, answering calls and probes until asked to end.

mod crawl;
mod life;

use crate::projects::Limited;
use crate::{Error, Node, NodeConfig, Role, compose};
use domain::upgrade;
use platform::admin::Admin;
use platform::health::Health;
use platform::metrics::Metrics;
use platform::rpc::Server;
use platform::tasks::Tasks;
use proto::server::Services;
use std::collections::BTreeSet;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long roles may take to end beside the crawler's own time.
const END: Duration = Duration::from_secs(15);

/// How long answers to probes may take in the end.
const PROBES_END: Duration = Duration::from_secs(1);

/// Why a process came to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rested {
    /// It was asked to.
    Asked,
    /// A part of it failed.
    Failed,
}

/// Runs roles until asked to end. `serving` hears where calls are answered, once they are.
///
/// # Errors
/// An address that cannot be bound, settings that do not fit the roles, storage that cannot be opened.
pub async fn serve(
    settings: &NodeConfig,
    roles: &BTreeSet<Role>,
    asked: CancellationToken,
    serving: impl FnOnce(SocketAddr),
) -> Result<Rested, Error> {
    // The address is taken first: a process that cannot be reached begins nothing.
    let server = Server::bind(&settings.server).await.map_err(Error::Server)?;
    let address = server.address();
    let metrics = Metrics::default();
    let admin = match &settings.admin {
        Some(options) => Some(Admin::bind(options).await?),
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
    let (presence, called) =
        (node.storage.shared.presence.clone(), format!("{} {}", Role::names(roles), crawl::name(settings)));
    tasks.spawn("announcement", move |shutdown| async move {
        compose::stay_present(presence, upgrade::PROCESSES, called, upgrade::told(), shutdown).await;
        Ok::<(), Infallible>(())
    });
    let mut services = Services::new(settings.server.max_message_bytes);
    if let (true, Some(campaigns)) = (roles.contains(&Role::Campaigns), &node.campaigns) {
        services = services.campaigns(Arc::new(Limited(campaigns.clone())));
    }
    if let (true, Some(aggregator)) = (roles.contains(&Role::Aggregator), &node.aggregator) {
        services = services.aggregator(Arc::new(Limited(aggregator.clone())));
    }
    if let (true, Some(planners)) = (roles.contains(&Role::Planner), &node.planners) {
        services = services.planner(Arc::new(Limited(planners.clone())));
    }
    if roles.contains(&Role::Graph) {
        services = services.graph(Arc::new(Limited(node.graph()?)));
    }
    let routes = services.routes().map_err(Error::Routes)?;
    let server = server.measured(&metrics);
    tasks.spawn("server", |shutdown| server.serve(routes, health, shutdown));
    tracing::info!(%address, ?roles, "serving");
    serving(address);
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
    Ok(if failed { Rested::Failed } else { Rested::Asked })
}
