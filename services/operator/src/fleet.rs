//! Fleets: as many crawlers, planners and browser nodes as what waits can use.

mod backlog;
mod browsers;
mod hub;
mod plan;
mod wanted;
mod workers;

pub(crate) use backlog::Backlog;
pub(crate) use hub::GridClient;

use crate::Error;
use crate::api::condition::{Finding, follow};
use crate::api::fleet::PoolStatus;
use crate::api::{Fleet, FleetStatus};
use crate::context::{Context, identity};
use kube::runtime::controller::Action;
use kube::{Api, Resource};
use std::sync::Arc;

/// Looks after one fleet.
pub(crate) async fn reconcile(fleet: Arc<Fleet>, context: Arc<Context>) -> Result<Action, Error> {
    let (namespace, ..) = identity(fleet.as_ref())?;
    if fleet.meta().deletion_timestamp.is_some() {
        return Ok(Action::await_change());
    }
    let fleets: Api<Fleet> = Api::namespaced(context.client.clone(), &namespace);
    let before = fleet.status.clone().unwrap_or_default();
    let mut status = FleetStatus { observed_generation: fleet.meta().generation, ..before.clone() };
    let scaled =
        if fleet.spec.suspend { Ok(()) } else { scale(&fleet, &namespace, &before, &mut status, &context).await };
    let finding = match &scaled {
        Ok(()) if fleet.spec.suspend => Finding::new("Scaling", false, "Suspended", "suspended: nothing is changed"),
        Ok(()) => Finding::new("Scaling", true, "Following", reason(&status)),
        Err(error) => Finding::new("Scaling", false, "Failed", error.to_string()),
    };
    status.message.clone_from(&finding.message);
    status.conditions = follow(&before.conditions, vec![finding], status.observed_generation, context.now());
    context.tell(&fleets, fleet.as_ref(), fleet.status.as_ref(), &status).await?;
    scaled?;
    context.figures.reconciled("Fleet", true);
    Ok(Action::requeue(context.poll))
}

async fn scale(
    fleet: &Fleet,
    namespace: &str,
    before: &FleetStatus,
    status: &mut FleetStatus,
    context: &Context,
) -> Result<(), Error> {
    let backlog = Backlog::of(&context.queue.list().await?);
    let usual = PoolStatus::default();
    let known = |pool: &Option<PoolStatus>| pool.clone().unwrap_or_else(|| usual.clone());
    let spec = &fleet.spec;
    // Planners and crawlers first: a browser without them has nothing to do.
    status.planners = match &spec.planners {
        Some(pool) => Some(workers::scale(namespace, pool, &backlog, &known(&before.planners), context).await?),
        None => None,
    };
    status.crawlers = match &spec.crawlers {
        Some(pool) => Some(workers::scale(namespace, pool, &backlog, &known(&before.crawlers), context).await?),
        None => None,
    };
    status.browsers = match &spec.browsers {
        Some(pool) => Some(browsers::scale(fleet, namespace, pool, &backlog, &known(&before.browsers), context).await?),
        None => None,
    };
    Ok(())
}

/// Why there are as many as there are: of the browsers, where there are any.
fn reason(status: &FleetStatus) -> String {
    let pools = [&status.browsers, &status.crawlers, &status.planners];
    pools.into_iter().flatten().next().map(|pool| pool.reason.clone()).unwrap_or_default()
}
