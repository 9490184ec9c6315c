//! Runs the operator: waits for the Lease, then looks after all resources until asked to end.

use crate::Error;
use crate::api::{Campaign, FIELD_MANAGER, Fleet, Schedule};
use crate::config::{Config, Options};
use crate::context::Context;
use crate::fleet::{Backlog, GridClient};
use crate::leader::Leadership;
use crate::metrics::Figures;
use crate::{campaign, fleet, schedule};
use futures::StreamExt as _;
use kube::runtime::Controller;
use kube::runtime::events::{Recorder, Reporter};
use kube::runtime::watcher;
use kube::{Api, Client};
use platform::admin::Admin;
use platform::clock::SystemClock;
use platform::health::Health;
use platform::metrics::Metrics;
use platform::rpc::{ClientOptions, Connection, connect};
use platform::tasks::Tasks;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long tasks may take to end.
const END: Duration = Duration::from_secs(10);

/// Runs until asked to end.
///
/// # Errors
/// Settings that cannot be worked with, an API server that cannot be reached, a lost Lease.
pub async fn run(config: &Config, client: Client, asked: CancellationToken) -> Result<(), Error> {
    let (metrics, health) = (Metrics::default(), Health::default());
    let context = Arc::new(context(config, client.clone(), &metrics)?);
    let tasks = Tasks::new(asked.clone());
    if let Some(options) = &config.admin {
        let admin = Admin::bind(options).await.map_err(|error| Error::Settings(error.to_string()))?;
        let (health, metrics) = (health.clone(), metrics.clone());
        tasks.spawn("admin", |shutdown| admin.serve(health, metrics, shutdown));
    }
    let leading = health.latch("lease");
    // One that waits for the Lease is as ready as it can be: it takes over when the other one is gone.
    leading.set();
    let Some(mut leadership) = Leadership::take(client, &config.operator, &asked).await? else { return Ok(()) };
    tracing::info!(lease = config.operator.lease, "leading");
    for namespace in namespaces(&config.operator) {
        watch(&tasks, &context, namespace.as_deref());
    }
    let told = context.clone();
    tasks.spawn("backlog", |shutdown| tell_backlog(told, shutdown));
    let lost = tokio::select! {
        () = asked.cancelled() => None,
        lost = leadership.lost() => Some(lost),
    };
    tasks.shutdown().cancel();
    tasks.finish(END).await;
    match lost {
        Some(lost) => Err(lost),
        None => {
            leadership.give_back().await;
            Ok(())
        }
    }
}

fn context(config: &Config, client: Client, metrics: &Metrics) -> Result<Context, Error> {
    let (queue, ledger) = (&config.services.campaigns, &config.services.aggregator);
    let queue = proto::client::campaigns(&connection("campaigns", queue.as_ref())?);
    let ledger = proto::client::aggregator(&connection("aggregator", ledger.as_ref())?);
    let reporter = Reporter { controller: FIELD_MANAGER.to_owned(), instance: std::env::var("HOSTNAME").ok() };
    let poll = Duration::try_from_secs_f64(config.operator.poll_seconds)
        .ok()
        .filter(|poll| *poll >= Duration::from_millis(100))
        .ok_or_else(|| Error::Settings("`operator.poll_seconds` must be at least 0.1".to_owned()))?;
    Ok(Context {
        recorder: Recorder::new(client.clone(), reporter),
        client,
        queue,
        ledger,
        grid: GridClient::new()?,
        clock: Arc::new(SystemClock::default()),
        figures: Figures::new(metrics),
        poll,
        namespaces_are_projects: config.operator.namespaces_are_projects,
    })
}

fn connection(role: &str, options: Option<&ClientOptions>) -> Result<Connection, Error> {
    let options = options.ok_or_else(|| {
        Error::Settings(format!("where is the role `{role}`? name it by services.{role}.endpoint of the settings"))
    })?;
    connect(options).map_err(|error| Error::Settings(error.to_string()))
}

/// The namespaces that are looked after; one `None` stands for all.
fn namespaces(options: &Options) -> Vec<Option<String>> {
    if options.namespaces.is_empty() {
        return vec![None];
    }
    options.namespaces.iter().cloned().map(Some).collect()
}

/// An API of all namespaces, or of one.
fn api<K>(client: &Client, namespace: Option<&str>) -> Api<K>
where
    K: kube::Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>,
{
    namespace.map_or_else(|| Api::all(client.clone()), |namespace| Api::namespaced(client.clone(), namespace))
}

/// Starts the reconcilers of a namespace.
fn watch(tasks: &Tasks, context: &Arc<Context>, namespace: Option<&str>) {
    let every = watcher::Config::default;
    let campaigns: Api<Campaign> = api(&context.client, namespace);
    let schedules: Api<Schedule> = api(&context.client, namespace);
    let fleets: Api<Fleet> = api(&context.client, namespace);
    let of_schedules = campaigns.clone();
    let shared = context.clone();
    tasks.spawn("campaigns", |shutdown| async move {
        let controller = Controller::new(campaigns, every()).graceful_shutdown_on(shutdown.cancelled_owned());
        let failed =
            |resource: Arc<Campaign>, error: &Error, context: Arc<Context>| context.failed(resource.as_ref(), error);
        controller.run(campaign::reconcile, failed, shared).for_each(|_| std::future::ready(())).await;
        Ok::<(), Infallible>(())
    });
    let shared = context.clone();
    tasks.spawn("schedules", |shutdown| async move {
        let controller = Controller::new(schedules, every())
            .owns(of_schedules, every())
            .graceful_shutdown_on(shutdown.cancelled_owned());
        let failed =
            |resource: Arc<Schedule>, error: &Error, context: Arc<Context>| context.failed(resource.as_ref(), error);
        controller.run(schedule::reconcile, failed, shared).for_each(|_| std::future::ready(())).await;
        Ok::<(), Infallible>(())
    });
    let shared = context.clone();
    tasks.spawn("fleets", |shutdown| async move {
        let controller = Controller::new(fleets, every()).graceful_shutdown_on(shutdown.cancelled_owned());
        let failed =
            |resource: Arc<Fleet>, error: &Error, context: Arc<Context>| context.failed(resource.as_ref(), error);
        controller.run(fleet::reconcile, failed, shared).for_each(|_| std::future::ready(())).await;
        Ok::<(), Infallible>(())
    });
}

/// Tells what waits, for those who scale by figures.
async fn tell_backlog(context: Arc<Context>, shutdown: CancellationToken) -> Result<(), Infallible> {
    loop {
        match context.queue.list().await {
            Ok(campaigns) => context.figures.tell(&Backlog::of(&campaigns)),
            Err(error) => tracing::debug!(%error, "the queue does not answer"),
        }
        tokio::select! {
            () = shutdown.cancelled() => return Ok(()),
            () = tokio::time::sleep(context.poll) => {}
        }
    }
}
