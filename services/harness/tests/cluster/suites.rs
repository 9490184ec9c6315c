//! Queue and ledger behind a connection do what the rooms themselves do: the same suites, through a server on loopback.

use backends::Journal;
use backends::log::{KafkaLog, KafkaOptions, MemoryLog};
use backends::queue::MemoryJobs;
use backends::results::MemoryResults;
use backends::testing::{Server as Needed, database, server, unique};
use domain::campaign::Closing;
use domain::service::{AggregatorService, CampaignService};
use domain::storage::jobs::JobStore;
use domain::storage::log::EventLog;
use domain::storage::results::ResultStore;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use platform::SystemClock;
use platform::clock::Clock;
use platform::health::Health;
use platform::rpc::{ClientOptions, Connection, MAX_MESSAGE_BYTES, Server, ServerOptions, connect};
use platform::tasks::Tasks;
use proto::server::Services;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// One column of backends, fresh.
struct Column {
    jobs: Arc<dyn JobStore>,
    results: Arc<dyn ResultStore>,
    log: Arc<dyn EventLog>,
}

fn in_memory() -> Column {
    Column {
        jobs: Arc::new(MemoryJobs::default()),
        results: Arc::new(MemoryResults::default()),
        log: Arc::new(MemoryLog::new(4)),
    }
}

/// Topics and a database of its own on servers that tests share.
async fn on_servers() -> Column {
    let stores = backends::postgres::open(&database().await, 6).await.expect("open the database");
    let options = KafkaOptions {
        brokers: server(Needed::Kafka),
        topic_prefix: format!("{}.", unique("suite")),
        partitions: 2,
        ..KafkaOptions::default()
    };
    let log = KafkaLog::open(options).await.expect("open the log");
    Column { jobs: stores.jobs, results: stores.results, log: Arc::new(log) }
}

/// Serves on a free port of loopback for as long as the test runs, and connects.
pub(super) async fn connected(services: Services, health: Health, tasks: &Tasks) -> Connection {
    let options = ServerOptions::at(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let server = Server::bind(&options).await.expect("a free port");
    let address = server.address();
    let routes = services.routes().expect("our own descriptors");
    tasks.spawn("server", |shutdown| server.serve(routes, health, shutdown));
    connect(&ClientOptions::to(format!("http://{address}"))).expect("an address of ours")
}

type Close = Arc<dyn Fn(Closing) -> BoxFuture<'static, ()> + Send + Sync>;

fn closing(log: Arc<dyn EventLog>, clock: Arc<dyn Clock>) -> Close {
    let journal = Journal::new(log, clock);
    Arc::new(move |closing| {
        let journal = journal.clone();
        Box::pin(async move { journal.close(closing).await.expect("append") })
    })
}

/// What was started for the cases of one suite, to be ended before the runtime is.
#[derive(Default)]
pub(super) struct Started(Mutex<Vec<Tasks>>);

impl Started {
    pub(super) fn tasks(&self) -> Tasks {
        let tasks = Tasks::new(CancellationToken::new());
        self.0.lock().push(tasks.clone());
        tasks
    }

    pub(super) async fn end(self) {
        for tasks in self.0.into_inner() {
            tasks.shutdown().cancel();
            assert!(tasks.finish(Duration::from_secs(20)).await, "something did not end");
        }
    }
}

async fn queue(column: Column, started: &Started) -> campaigns::suite::Subject {
    let (clock, health): (Arc<dyn Clock>, _) = (Arc::new(SystemClock::default()), Health::default());
    let tasks = started.tasks();
    let dependencies = campaigns::Dependencies {
        jobs: column.jobs,
        log: column.log.clone(),
        clock: clock.clone(),
        health: health.clone(),
        presence: None,
    };
    let options = campaigns::Options { look_seconds: 0.02, ..campaigns::Options::default() };
    let room: Arc<dyn CampaignService> = Arc::new(campaigns::start(options, dependencies, &tasks));
    let connection = connected(Services::new(MAX_MESSAGE_BYTES).campaigns(room), health, &tasks).await;
    campaigns::suite::Subject { queue: proto::client::campaigns(&connection), close: closing(column.log, clock) }
}

async fn ledger(column: Column, started: &Started) -> aggregator::suite::Subject {
    let (clock, health): (Arc<dyn Clock>, _) = (Arc::new(SystemClock::default()), Health::default());
    let tasks = started.tasks();
    let dependencies = aggregator::Dependencies {
        results: column.results,
        log: column.log.clone(),
        clock: clock.clone(),
        health: health.clone(),
    };
    let room: Arc<dyn AggregatorService> = Arc::new(aggregator::start(dependencies, &tasks));
    let connection = connected(Services::new(MAX_MESSAGE_BYTES).aggregator(room), health, &tasks).await;
    aggregator::suite::Subject { ledger: proto::client::aggregator(&connection), close: closing(column.log, clock) }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_behind_a_connection_passes_its_suite() {
    let started = Started::default();
    assert_eq!(campaigns::suite::run(|| queue(in_memory(), &started)).await, 10);
    started.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_queue_behind_a_connection_passes_its_suite_over_kafka_and_postgres() {
    let started = Started::default();
    assert_eq!(campaigns::suite::run(async || queue(on_servers().await, &started).await).await, 10);
    started.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ledger_behind_a_connection_passes_its_suite() {
    let started = Started::default();
    assert_eq!(aggregator::suite::run(|| ledger(in_memory(), &started)).await, 3);
    started.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_ledger_behind_a_connection_passes_its_suite_over_kafka_and_postgres() {
    let started = Started::default();
    assert_eq!(aggregator::suite::run(async || ledger(on_servers().await, &started).await).await, 3);
    started.end().await;
}
