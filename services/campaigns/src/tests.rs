//! The suite on the room itself, and who is served next.

use crate::fair::{full_hosts, picks, room};
use crate::suite::{self, Subject};
use crate::{Campaigns, Dependencies, Options, start, valid, waiting};
use backends::Journal;
use backends::log::MemoryLog;
use backends::queue::MemoryJobs;
use backends::shared::SharedMemory;
use domain::campaign::{Budget, Campaign, ClaimRequest, Closing, PlannerRef, Rate, Tally, Waiting, Wish};
use domain::job::{BenchmarkTask, Work};
use domain::service::{CampaignService as _, Code};
use domain::stage::Stages;
use domain::storage::jobs::{CampaignStanding, JobStore, Lane, Submission};
use domain::storage::log::{EventLog, Topic};
use domain::storage::shared::Presence;
use domain::upgrade;
use domain::{CampaignId, Job, JobId, SiteId, TaskId, Usage};
use platform::SystemClock;
use platform::clock::Clock;
use platform::health::Health;
use platform::tasks::Tasks;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;

fn options() -> Options {
    Options { look_seconds: 0.02, ..Options::default() }
}

#[test]
fn a_campaign_of_a_project_that_there_is_not_is_refused_by_name() {
    let of = |name: &str| Campaign::new(CampaignId::new(name), PlannerRef::named("ground"));
    let projects = BTreeMap::from([("payments".to_owned(), 1)]);
    for name in ["payments::nightly", "nightly"] {
        assert!(valid::campaign(&of(name), &projects).is_ok(), "{name}");
    }
    let error = valid::campaign(&of("paymnets::nightly"), &projects).expect_err("refused").message;
    assert!(error.contains("no project `paymnets`; there are: default, payments"), "{error}");
    assert!(valid::campaign(&of("paymnets::nightly"), &BTreeMap::new()).is_ok(), "any, where none is named");
}

/// A queue over a table, with so many instances.
fn subject(jobs: Arc<dyn JobStore>, instances: usize) -> Subject {
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new(4));
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let tasks = Tasks::new(CancellationToken::new());
    let started: Vec<_> = (0..instances)
        .map(|_| {
            let dependencies = Dependencies {
                jobs: Arc::clone(&jobs),
                log: Arc::clone(&log),
                clock: Arc::clone(&clock),
                health: Health::default(),
                presence: None,
            };
            start(options(), dependencies, &tasks)
        })
        .collect();
    let journal = Journal::new(log, clock);
    let close = move |closing: Closing| -> futures::future::BoxFuture<'static, ()> {
        let journal = journal.clone();
        Box::pin(async move { journal.close(closing).await.expect("append") })
    };
    Subject { queue: Arc::new(started[0].clone()), close: Arc::new(close) }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_room_passes_the_suite_on_the_table_in_memory() {
    assert_eq!(suite::run(|| async { subject(Arc::new(MemoryJobs::default()), 1) }).await, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_instances_side_by_side_pass_it_too() {
    assert_eq!(suite::run(|| async { subject(Arc::new(MemoryJobs::default()), 3) }).await, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_room_passes_the_suite_on_the_embedded_table() {
    let fresh = || async {
        let stores = backends::in_memory().await.expect("a database");
        subject(stores.jobs, 1)
    };
    assert_eq!(suite::run(fresh).await, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_the_log_that_no_table_takes_is_put_aside_and_those_after_it_are_not_held_up() {
    let log: Arc<dyn EventLog> = Arc::new(MemoryLog::new(1));
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let jobs: Arc<dyn JobStore> = backends::in_memory().await.expect("a database").jobs;
    let tasks = Tasks::new(CancellationToken::new());
    let dependencies =
        Dependencies { jobs, log: log.clone(), clock: clock.clone(), health: Health::default(), presence: None };
    let queue = start(options(), dependencies, &tasks);
    let campaign = CampaignId::new("c");
    queue.create(Campaign::new(campaign.clone(), PlannerRef::named("ground"))).await.expect("create");
    let submission = |id: &str, task: &str, host: &str| {
        let task = BenchmarkTask { benchmark: "suite".into(), task: TaskId::new(task), seed: 1, relaxed: false };
        let job = Job { id: JobId::new(id), campaign: campaign.clone(), work: Work::Benchmark(task) };
        Submission { job, site: SiteId::new("suite"), host: host.into(), trace_parent: String::new() }
    };
    let long = "h".repeat(3000);
    let journal = Journal::new(log.clone(), clock);
    for (id, task, host) in [("zero\0", "t", "h"), ("task", "t\0", "h"), ("host", "t", &long), ("good", "t", "h")] {
        journal.submit(submission(id, task, host)).await.expect("append");
    }
    let arrived = async {
        while queue.status(&campaign).await.expect("status").tally.jobs == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), arrived).await.expect("the good one arrives");
    let aside = log.read(Topic::Quarantine, 0, 0, 10).await.expect("read");
    // Texts stand in an encoded record as they are.
    let causes: Vec<_> = aside.iter().map(|record| String::from_utf8_lossy(&record.record)).collect();
    let fields = ["job.id: it contains control", "job.work.task: it contains control", "job.host: it has 3000 bytes"];
    assert_eq!(causes.len(), 3, "{causes:?}");
    assert!(causes.iter().zip(fields).all(|(cause, field)| cause.contains(field)), "{causes:?}");
}

fn lane(campaign: &str, site: &str, host: &str, claimable: u64, running: u64) -> Lane {
    Lane {
        campaign: CampaignId::new(campaign),
        labels: BTreeMap::new(),
        priority: 0,
        share: 1,
        site: SiteId::new(site),
        host: host.into(),
        rate: None,
        claimable,
        running,
        budget_spent: false,
    }
}

fn counts(lanes: &[Lane], slots: usize) -> Vec<(String, usize)> {
    let picks = picks(lanes, &ClaimRequest::new("crawler", slots), &options());
    picks.into_iter().map(|pick| (format!("{}/{}", pick.campaign, pick.host), pick.count)).collect()
}

#[test]
fn a_higher_priority_is_served_first() {
    let urgent = Lane { priority: 1, ..lane("urgent", "s", "h", 3, 50) };
    assert_eq!(counts(&[lane("usual", "s", "h", 9, 0), urgent], 5), [("usual/h".into(), 2), ("urgent/h".into(), 3)]);
}

#[test]
fn campaigns_get_slots_in_proportion_to_their_shares() {
    let big = Lane { share: 3, ..lane("big", "s", "h", 99, 0) };
    assert_eq!(counts(&[big.clone(), lane("small", "s", "h", 99, 0)], 8), [("big/h".into(), 6), ("small/h".into(), 2)]);
    let ahead = Lane { running: 9, ..big };
    assert_eq!(counts(&[ahead, lane("small", "s", "h", 99, 0)], 3), [("small/h".into(), 3)]);
}

#[test]
fn projects_get_equally_many_slots_however_many_campaigns_they_have() {
    let lanes = [lane("a::x", "s", "h", 99, 0), lane("a::y", "s", "h", 99, 0), lane("own", "s", "h", 99, 0)];
    let expected = [("a::x/h".into(), 2), ("a::y/h".into(), 2), ("own/h".into(), 4)];
    assert_eq!(counts(&lanes, 8), expected);
    let options = Options { projects: BTreeMap::from([("a".to_owned(), 3)]), ..options() };
    let picked = picks(&lanes, &ClaimRequest::new("crawler", 8), &options);
    let of_own = picked.iter().filter(|pick| pick.campaign.project_name() == "default").map(|pick| pick.count);
    assert_eq!(of_own.sum::<usize>(), 2, "{picked:?}");
}

#[test]
fn sites_of_a_campaign_get_equally_many() {
    let lanes = [lane("c", "one", "h1", 99, 0), lane("c", "two", "h2", 99, 0), lane("c", "two", "h3", 99, 0)];
    assert_eq!(counts(&lanes, 8), [("c/h1".into(), 4), ("c/h2".into(), 2), ("c/h3".into(), 2)]);
}

#[test]
fn a_host_with_a_rate_gets_no_more_jobs_than_it_can_feed_and_holds_up_nobody() {
    let slow = Lane { priority: 9, rate: Some(Rate { per_second: 2.0, burst: 5 }), ..lane("c", "slow", "slow", 99, 1) };
    let spent = Lane { budget_spent: true, ..lane("spent", "s", "h", 99, 0) };
    let lanes = [slow, lane("c", "fast", "fast", 99, 0), spent];
    assert_eq!(counts(&lanes, 6), [("c/slow".into(), 1), ("c/fast".into(), 5)]);
    assert!(full_hosts(&lanes, &options()).is_empty());
    let full = [Lane { running: 2, ..lanes[0].clone() }];
    assert_eq!(full_hosts(&full, &options()), ["slow"]);
}

#[test]
fn the_usual_rate_is_for_hosts_of_others_that_no_campaign_names() {
    let options = Options { usual_rate: Some(Rate { per_second: 1.0, burst: 1 }), ..options() };
    let lanes = [lane("c", "a", "example.org", 9, 0), lane("c", "b", "127.0.0.1:8080", 9, 0)];
    let counts: Vec<usize> =
        picks(&lanes, &ClaimRequest::new("crawler", 9), &options).into_iter().map(|pick| pick.count).collect();
    assert_eq!(counts, [1, 8]);
}

#[test]
fn reasons_say_what_would_have_to_change() {
    let at = SystemTime::UNIX_EPOCH;
    let standing = CampaignStanding {
        campaign: Campaign::new(CampaignId::new("c"), PlannerRef::named("ground")),
        wish: Wish::Run,
        tally: Tally { jobs: 6, waiting: 6, ..Tally::default() },
        not_due: (1, Some(at)),
        due: vec![("fast".into(), 2), ("slow".into(), 3)],
        stage: 0,
        usage: Usage { cost_usd: 1.0, ..Usage::default() },
    };
    let host = "slow".to_owned();
    let expected =
        [(Waiting::Capacity, 2), (Waiting::HostRate { host: host.clone() }, 3), (Waiting::RetryAt { at }, 1)];
    assert_eq!(waiting::reasons(&standing, std::slice::from_ref(&host)), expected);
    let paused = CampaignStanding { wish: Wish::Pause, ..standing.clone() };
    assert_eq!(waiting::reasons(&paused, &[]), [(Waiting::Resume, 6)]);
    let mut spent = standing;
    spent.campaign.budget = Budget { usd: Some(1.0), tokens: None };
    assert_eq!(waiting::reasons(&spent, &[]), [(Waiting::Budget, 6)]);
}

prop_compose! {
    fn lanes()(parts in prop::collection::vec((0..4u8, 0..3u8, 0..3u8, 0..6u64, 0..6u64, any::<bool>(), prop::option::of(1..4u32)), 0..8))
        -> Vec<Lane> {
        let mut lanes: Vec<Lane> = parts
            .into_iter()
            .map(|(campaign, site, host, claimable, running, budget_spent, rate)| Lane {
                priority: i32::from(campaign % 2),
                share: u32::from(campaign) + 1,
                rate: rate.map(|rate| Rate { per_second: f64::from(rate), burst: 1 }),
                budget_spent,
                ..lane(&campaign.to_string(), &site.to_string(), &host.to_string(), claimable, running)
            })
            .collect();
        lanes.sort_by_key(|lane| (lane.campaign.clone(), lane.site.clone(), lane.host.clone()));
        lanes.dedup_by_key(|lane| (lane.campaign.clone(), lane.site.clone(), lane.host.clone()));
        lanes
    }
}

#[test]
fn the_room_of_campaigns_is_what_rates_leave_them_and_the_higher_priority_has_it_first() {
    let rate = Some(Rate { per_second: 3.0, burst: 1 });
    let slow = Lane { rate, ..lane("usual", "s", "slow", 99, 1) };
    let urgent = Lane { rate, priority: 1, ..lane("urgent", "s", "slow", 1, 0) };
    let lanes = [
        slow,
        urgent,
        lane("usual", "s", "fast", 4, 2),
        Lane { budget_spent: true, ..lane("spent", "s", "fast", 9, 0) },
    ];
    let expected = [("urgent", 1), ("usual", 1 + 4)].map(|(campaign, jobs)| (CampaignId::new(campaign), jobs));
    assert_eq!(room(&lanes, &options()), expected.into());
}

proptest! {
    #[test]
    fn the_room_of_all_campaigns_is_what_would_be_picked_with_slots_without_end(lanes in lanes()) {
        let picks = picks(&lanes, &ClaimRequest::new("crawler", 1000), &options());
        let picked: u64 = picks.iter().map(|pick| pick.count as u64).sum();
        prop_assert_eq!(room(&lanes, &options()).values().sum::<u64>(), picked);
    }

    #[test]
    fn never_more_is_picked_than_there_is_and_no_slot_stays_empty_without_need(lanes in lanes(), slots in 0..40usize) {
        let picks = picks(&lanes, &ClaimRequest::new("crawler", slots), &options());
        let picked: usize = picks.iter().map(|pick| pick.count).sum();
        prop_assert!(picked <= slots);
        let mut after = lanes.clone();
        for pick in &picks {
            let lane = after
                .iter_mut()
                .find(|lane| (&lane.campaign, &lane.site, &lane.host) == (&pick.campaign, &pick.site, &pick.host))
                .expect("a lane that there is");
            prop_assert!(pick.count as u64 <= lane.claimable && !lane.budget_spent && pick.count > 0);
            lane.claimable -= pick.count as u64;
            lane.running += pick.count as u64;
        }
        if picked < slots {
            let full = full_hosts(&after, &options());
            let left = after.iter().find(|lane| lane.claimable > 0 && !lane.budget_spent && !full.contains(&lane.host));
            prop_assert!(left.is_none(), "{left:?} could have been picked");
        }
    }

    #[test]
    fn shares_are_kept_over_many_claims(shares in prop::collection::vec(1..5u32, 1..5)) {
        let mut lanes: Vec<Lane> =
            shares.iter().enumerate().map(|(n, share)| Lane { share: *share, ..lane(&n.to_string(), "s", "h", 100_000, 0) }).collect();
        let total: u32 = shares.iter().sum();
        for _ in 0..60 {
            for pick in picks(&lanes, &ClaimRequest::new("crawler", total as usize), &options()) {
                let lane = lanes.iter_mut().find(|lane| lane.campaign == pick.campaign).expect("its lane");
                lane.running += pick.count as u64;
            }
        }
        for lane in &lanes {
            let due = 60 * u64::from(lane.share);
            prop_assert!(lane.running.abs_diff(due) <= 1, "{} instead of {due}", lane.running);
        }
    }
}

#[tokio::test]
async fn a_campaign_with_stages_is_refused_while_somebody_present_does_not_know_them() {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let presence: Arc<dyn Presence> = Arc::new(SharedMemory::new(clock.clone()));
    let queue = Campaigns::new(Arc::new(MemoryJobs::default()), clock, options()).among(Some(presence.clone()));
    let announce = async |told: &str| {
        presence.announce(upgrade::PROCESSES, "crawler there", told, Duration::from_secs(60)).await.expect("announce");
    };
    let plain = Campaign::new(CampaignId::new("plain"), PlannerRef::named("ground"));
    let staged = Campaign { id: CampaignId::new("staged"), stages: Stages::again(3, 1), ..plain.clone() };
    announce("reads=1").await;
    queue.create(plain).await.expect("what all know");
    let error = queue.create(staged.clone()).await.expect_err("refused");
    assert_eq!(error.code, Code::Conflict);
    assert!(error.message.starts_with("campaign.stages: the process `crawler there` is of a version"), "{error}");
    announce(&upgrade::told()).await;
    queue.create(staged).await.expect("now all know");
}
