//! The decorators themselves: without odds they are not noticed, and each fault does what it is called.

use backends::blob::BlobMemory;
use backends::log::MemoryLog;
use backends::queue::MemoryJobs;
use backends::results::MemoryResults;
use backends::shared::{SharedMemory, SharedServices};
use backends::{blob, log, queue, results, shared};
use domain::CampaignId;
use domain::campaign::{Campaign, PlannerRef};
use domain::storage::BlobStore;
use domain::storage::jobs::JobStore;
use domain::storage::log::{EventLog, NewRecord, Topic};
use domain::storage::results::ResultStore;
use harness::faults::{Faulty, Life, Link, Odds, Schedule, Trace};
use platform::SystemClock;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};
use tokio::time::timeout;

const SHORT: Duration = Duration::from_millis(50);

fn schedule(odds: Odds) -> Schedule {
    let schedule = Schedule::new(1, Trace::new(Arc::new(SystemClock::default()), 0));
    schedule.set_odds(odds);
    schedule
}

fn link(odds: Odds) -> Link {
    Link::new(schedule(odds), "test", Life::default())
}

fn faulty<T>(inner: T) -> Arc<Faulty<T>> {
    Arc::new(Faulty::new(Arc::new(inner), link(Odds::default())))
}

#[tokio::test]
async fn without_odds_the_decorated_log_passes_the_suite() {
    log::suite::run(|| async { faulty(MemoryLog::new(3)) as Arc<dyn EventLog> }).await;
}

#[tokio::test]
async fn without_odds_the_decorated_stores_pass_their_suites() {
    queue::suite::run(|| async { faulty(MemoryJobs::default()) as Arc<dyn JobStore> }).await;
    results::suite::run(|| async { faulty(MemoryResults::default()) as Arc<dyn ResultStore> }).await;
    blob::suite::run(|| async { faulty(BlobMemory::default()) as Arc<dyn BlobStore> }).await;
}

#[tokio::test]
async fn without_odds_what_is_shared_passes_the_suite() {
    let memory = || SharedMemory::new(Arc::new(SystemClock::default()));
    shared::suite::run(|| async { SharedServices::of(Faulty::new(Arc::new(memory()), link(Odds::default()))) }).await;
}

/// Whether creating a campaign was answered, and whether it is there.
async fn create(odds: Odds) -> (bool, bool) {
    let jobs = Arc::new(MemoryJobs::default());
    let campaign = Campaign::new(CampaignId::new("run"), PlannerRef::named("ground"));
    let answered = Faulty::new(Arc::clone(&jobs), link(odds)).create(&campaign, UNIX_EPOCH).await.is_ok();
    let there = jobs.campaigns(None, UNIX_EPOCH).await.expect("the table answers");
    (answered, !there.is_empty())
}

#[tokio::test]
async fn a_call_fails_before_its_effect_or_after_it() {
    assert_eq!(create(Odds::default()).await, (true, true));
    assert_eq!(create(Odds { before: 1.0, ..Odds::default() }).await, (false, false));
    assert_eq!(create(Odds { after: 1.0, ..Odds::default() }).await, (false, true));
    assert_eq!(create(Odds { late: 1.0, longest: SHORT, ..Odds::default() }).await, (true, true));
}

#[tokio::test]
async fn who_is_cut_off_reaches_nothing_until_connected_again() {
    let schedule = schedule(Odds::default());
    let blobs = Faulty::new(Arc::new(BlobMemory::default()), Link::new(schedule.clone(), "test", Life::default()));
    schedule.cut_off("test", true);
    let error = blobs.put(b"content").await.expect_err("it is cut off");
    assert!(error.to_string().contains("put: the connection of test was lost"), "{error}");
    schedule.cut_off("test", false);
    blobs.put(b"content").await.expect("it is connected");
    assert_eq!(schedule.struck(), 1);
}

#[tokio::test(start_paused = true)]
async fn who_is_cut_off_while_a_call_is_under_way_does_not_hear_the_answer() {
    let (schedule, blobs) = (schedule(Odds::default()), Arc::new(BlobMemory::default()));
    schedule.set_odds(Odds { late: 1.0, longest: SHORT, ..Odds::default() });
    let through = Faulty::new(Arc::clone(&blobs), Link::new(schedule.clone(), "test", Life::default()));
    let cut = async { schedule.cut_off("test", true) };
    let (answer, ()) = tokio::join!(through.put(b"content"), cut);
    assert!(answer.expect_err("it is cut off").to_string().contains("the connection of test was lost"));
    schedule.cut_off("test", false);
    through.put(b"content").await.expect("it is connected");
}

#[tokio::test]
async fn an_append_that_arrives_twice_is_there_twice() {
    let log = Arc::new(MemoryLog::new(1));
    let doubled = Faulty::new(Arc::clone(&log), link(Odds { twice: 1.0, ..Odds::default() }));
    doubled.append(Topic::Jobs, NewRecord::default()).await.expect("an append");
    assert_eq!(log.read(Topic::Jobs, 0, 0, 10).await.expect("the log answers").len(), 2);
}

#[tokio::test]
async fn the_dead_are_not_answered_and_let_go_of_what_they_read() {
    let (log, jobs, life) = (Arc::new(MemoryLog::new(1)), Arc::new(MemoryJobs::default()), Life::default());
    let dying = Faulty::new(Arc::clone(&log), Link::new(schedule(Odds::default()), "test", life.clone()));
    log.append(Topic::Jobs, NewRecord::default()).await.expect("an append");

    let mut first = dying.subscribe("group", &[Topic::Jobs], jobs.clone()).await.expect("a subscription");
    assert_eq!(first.next(10, SHORT).await.expect("records").len(), 1);
    let mut second = log.subscribe("group", &[Topic::Jobs], jobs).await.expect("a subscription");
    assert!(second.next(10, SHORT).await.expect("records").is_empty(), "the first one owns the partition");
    life.end();
    assert_eq!(second.next(10, Duration::from_secs(5)).await.expect("records").len(), 1);
    assert!(timeout(SHORT, first.next(10, SHORT)).await.is_err(), "the dead one was answered");
    assert!(timeout(SHORT, dying.append(Topic::Jobs, NewRecord::default())).await.is_err());
    assert_eq!(log.read(Topic::Jobs, 0, 0, 10).await.expect("the log answers").len(), 1);
}
