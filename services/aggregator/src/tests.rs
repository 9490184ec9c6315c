//! The suite on the room itself, and its figures.

use crate::metrics::Campaigns;
use crate::suite::{self, Subject, outcome};
use crate::{Aggregator, Dependencies, start};
use backends::Journal;
use backends::log::MemoryLog;
use backends::results::MemoryResults;
use domain::campaign::Closing;
use domain::service::AggregatorService;
use domain::storage::log::EventLog;
use domain::storage::results::ResultStore;
use domain::{CampaignId, JobId, SiteId};
use futures::future::BoxFuture;
use platform::SystemClock;
use platform::clock::Clock;
use platform::health::Health;
use platform::metrics::Metrics;
use platform::tasks::Tasks;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

fn subject(results: Arc<dyn ResultStore>) -> Subject {
    let (ledger, close) = started(results);
    Subject { ledger: Arc::new(ledger), close }
}

fn started(
    results: Arc<dyn ResultStore>,
) -> (Aggregator, Arc<dyn Fn(Closing) -> BoxFuture<'static, ()> + Send + Sync>) {
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
    (ledger, Arc::new(close))
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

/// Closes a job of a campaign and waits until the ledger has counted it.
async fn judged(
    ledger: &Aggregator,
    close: &(dyn Fn(Closing) -> BoxFuture<'static, ()> + Send + Sync),
    campaign: &str,
) {
    let campaign = CampaignId::new(campaign);
    close(Closing::Judged(Box::new(domain::job::Outcome { campaign: campaign.clone(), ..outcome("a") }))).await;
    while ledger.totals(&campaign).await.expect("totals").ended() < 1 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exact_totals_are_told_campaign_by_campaign() {
    let (ledger, close) = started(Arc::new(MemoryResults::default()));
    judged(&ledger, &*close, "nightly").await;
    close(Closing::Cancelled { campaign: CampaignId::new("nightly"), job: JobId::new("a"), site: SiteId::new("site") })
        .await;
    while ledger.totals(&CampaignId::new("nightly")).await.expect("totals").redeliveries < 1 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // The first record was noted before the second was read.
    let metrics = Metrics::default();
    Campaigns::default().publish(&ledger, &metrics).await.expect("told");
    let text = metrics.render();
    for line in [
        "rutter_ledger_outcomes{campaign=\"nightly\",verdict=\"PASSED\"} 1.0",
        "rutter_ledger_steps{campaign=\"nightly\"} 3.0",
        "rutter_ledger_cost_usd{campaign=\"nightly\",attempts=\"accepted\"} 0.25",
        "rutter_ledger_lost_attempts{campaign=\"nightly\"} 0.0",
        "rutter_ledger_redeliveries{campaign=\"nightly\"} 1.0",
        "rutter_ledger_untold_campaigns{} 0.0",
    ] {
        assert!(text.lines().any(|found| found == line), "`{line}` is missing in:\n{text}");
    }
}

#[tokio::test]
async fn no_more_than_a_hundred_campaigns_have_figures_and_the_others_are_numbered() {
    let (ledger, _) = started(Arc::new(MemoryResults::default()));
    let names: Vec<CampaignId> = (0..120).map(|number| CampaignId::new(format!("{number:03}"))).collect();
    let (mut campaigns, metrics) = (Campaigns::default(), Metrics::default());
    for _ in 0..2 {
        ledger.changed.note(names.iter());
        campaigns.publish(&ledger, &metrics).await.expect("told");
    }
    let text = metrics.render();
    assert_eq!(text.matches("rutter_ledger_steps{").count(), 100);
    assert!(text.contains("rutter_ledger_untold_campaigns{} 20.0"), "{text}");
}
