//! The suite on the room itself.

use crate::suite::{self, Subject};
use crate::{Dependencies, start};
use backends::Journal;
use backends::ledger::MemoryResults;
use backends::log::MemoryLog;
use domain::campaign::Closing;
use domain::storage::log::EventLog;
use domain::storage::results::ResultStore;
use futures::future::BoxFuture;
use platform::SystemClock;
use platform::clock::Clock;
use platform::health::Health;
use platform::tasks::Tasks;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

fn subject(results: Arc<dyn ResultStore>) -> Subject {
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new(4));
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let tasks = Tasks::new(CancellationToken::new());
    let dependencies =
        Dependencies { results, log: Arc::clone(&log), clock: Arc::clone(&clock), health: Health::default() };
    let ledger = start(dependencies, &tasks);
    let journal = Journal::new(log, clock);
    let close = move |closing: Closing| -> BoxFuture<'static, ()> {
        let journal = journal.clone();
        Box::pin(async move { journal.close(closing).await.expect("append") })
    };
    Subject { ledger: Arc::new(ledger), close: Arc::new(close) }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_room_passes_the_suite_on_the_ledger_in_memory() {
    assert_eq!(suite::run(|| async { subject(Arc::new(MemoryResults::default())) }).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_room_passes_the_suite_on_the_embedded_ledger() {
    let fresh = || async {
        let stores = backends::in_memory().await.expect("a database");
        subject(stores.results)
    };
    assert_eq!(suite::run(fresh).await, 3);
}
