//! How attempts and jobs end.

use super::*;
use domain::campaign::{Budget, Quarantined, Wish};
use domain::service::QuarantineVerdict;
use domain::storage::StorageError;

fn run() -> CampaignId {
    CampaignId::new("run")
}

fn reopened(id: &str, fence: u64) -> Closing {
    Closing::Reopened { campaign: run(), job: JobId::new(id), fence: Fence(fence) }
}

async fn usage(store: &dyn JobStore) -> Usage {
    store.campaigns(Some(&run()), start()).await.expect("standing")[0].usage
}

/// Claims `a` and loses it, as often as there are kinds; each when it is due.
async fn lose(store: &dyn JobStore, log: &mut Log, kinds: &[Failure]) {
    for (round, kind) in (1..).zip(kinds) {
        let now = after(round * 100_000);
        let claims = claim(store, 1, now).await;
        assert_eq!(names(&claims), ["a"], "attempt {round}");
        log.write(store, vec![lost("a", claims[0].fence.0, *kind)], now).await;
    }
}

pub(super) async fn a_verdict_ends_a_job_whatever_its_fence(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a", "b"]).await;
    for _ in 0..2 {
        claim(store.as_ref(), 1, start()).await;
        store.release(&[ticket("a", 1)]).await.expect("release");
    }
    Log(0).write(store.as_ref(), vec![judged("a", 1), judged("b", 9)], start()).await;
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 2, judged: 2, ..Tally::default() });
    assert_eq!(store.renew(&[ticket("a", 2)], start(), LEASE).await.expect("renew"), [ticket("a", 2)]);
    assert!(claim(store.as_ref(), 9, after(1_000_000)).await.is_empty());
}

pub(super) async fn the_first_terminal_record_counts(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a", "b"]).await;
    let mut log = Log(0);
    log.write(store.as_ref(), vec![judged("a", 1), cancelled("a"), cancelled("b")], start()).await;
    log.write(store.as_ref(), vec![judged("b", 1), judged("a", 2), lost("b", 1, Failure::NoSlot)], start()).await;
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 2, judged: 1, cancelled: 1, ..Tally::default() });
}

pub(super) async fn a_lost_attempt_pauses_the_job_longer_each_time(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let mut log = Log(0);
    claim(store.as_ref(), 1, start()).await;
    log.write(store.as_ref(), vec![lost("a", 1, Failure::SessionLost)], start()).await;
    assert!(claim(store.as_ref(), 1, after(499)).await.is_empty());
    let standing = store.campaigns(Some(&run()), start()).await.expect("standing").remove(0);
    assert_eq!((standing.not_due, standing.due), ((1, Some(after(500))), vec![]));
    assert_eq!(claim(store.as_ref(), 1, after(500)).await.len(), 1);
    log.write(store.as_ref(), vec![lost("a", 2, Failure::NoSlot)], after(500)).await;
    assert!(claim(store.as_ref(), 1, after(1_499)).await.is_empty());
    assert_eq!(claim(store.as_ref(), 1, after(1_500)).await[0].fence, Fence(3));
}

pub(super) async fn a_lease_that_ran_out_is_a_lost_attempt(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let mut now = start();
    for round in 1..=3 {
        assert_eq!(claim(store.as_ref(), 1, now).await.len(), 1, "attempt {round}");
        now += LEASE;
        assert_eq!(store.expire(now, &retry()).await.expect("expire"), 1);
        now += Duration::from_secs(100);
    }
    let records = Log(0).send(store.as_ref(), now).await;
    let [Closing::Quarantined(quarantined)] = records.as_slice() else { panic!("no quarantine: {records:?}") };
    assert_eq!((quarantined.failure, quarantined.causes.len()), (Failure::WorkerLost, 3));
    assert!(quarantined.causes[0].contains("`crawler`"), "{quarantined:?}");
}

pub(super) async fn a_late_report_of_a_loss_that_was_counted_only_costs(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    claim(store.as_ref(), 1, start()).await;
    store.expire(after(30_000), &retry()).await.expect("expire");
    let late = lost("a", 1, Failure::SessionLost);
    Log(0).write(store.as_ref(), vec![late.clone(), late], after(30_000)).await;
    assert_eq!(usage(store.as_ref()).await, cents(2));
    assert_eq!(claim(store.as_ref(), 1, after(30_500)).await.len(), 1, "the pause is that of one loss");
}

pub(super) async fn three_equal_losses_put_a_job_into_quarantine(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let mut log = Log(0);
    lose(store.as_ref(), &mut log, &[Failure::BrowserCrashed; 3]).await;
    let later = after(10_000_000);
    assert!(claim(store.as_ref(), 1, later).await.is_empty(), "the record is on its way");
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 1, waiting: 1, ..Tally::default() });
    assert!(store.quarantined(&run()).await.expect("list").is_empty());
    let expected = Quarantined {
        campaign: run(),
        job: JobId::new("a"),
        site: SiteId::new("site"),
        failure: Failure::BrowserCrashed,
        causes: (1..=3).map(|fence| format!("browser_crashed under {fence}")).collect(),
        fence: Fence(3),
    };
    assert_eq!(log.send(store.as_ref(), later).await, [Closing::Quarantined(expected.clone())]);
    assert_eq!(store.quarantined(&run()).await.expect("list"), [expected]);
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 1, quarantined: 1, ..Tally::default() });
    assert!(claim(store.as_ref(), 1, later).await.is_empty());
    assert!(store.outbox(9).await.expect("outbox").is_empty());
}

pub(super) async fn losses_of_different_kinds_do_not(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let kinds = [Failure::NoSlot, Failure::SessionLost, Failure::BrowserCrashed, Failure::NoSlot, Failure::SessionLost];
    lose(store.as_ref(), &mut Log(0), &kinds).await;
    assert_eq!(claim(store.as_ref(), 1, after(10_000_000)).await[0].fence, Fence(6));
}

pub(super) async fn an_unusable_job_goes_into_quarantine_at_once(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let mut log = Log(0);
    lose(store.as_ref(), &mut log, &[Failure::Unusable]).await;
    log.send(store.as_ref(), start()).await;
    assert_eq!(tally(store.as_ref()).await.quarantined, 1);
}

pub(super) async fn a_job_in_quarantine_can_be_tried_again(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a", "b"]).await;
    let mut log = Log(0);
    lose(store.as_ref(), &mut log, &[Failure::Unusable]).await;
    log.send(store.as_ref(), start()).await;
    let now = after(10_000_000);
    let jobs = [JobId::new("a"), JobId::new("b"), JobId::new("nobody")];
    assert_eq!(store.settle(&run(), &jobs, QuarantineVerdict::Retry).await.expect("retry"), 1);
    assert_eq!(store.settle(&run(), &jobs, QuarantineVerdict::Retry).await.expect("retry again"), 0);
    assert_eq!(names(&claim(store.as_ref(), 9, now).await), ["b"], "the record is on its way");
    assert_eq!(log.send(store.as_ref(), now).await, [reopened("a", 1)]);
    assert!(store.quarantined(&run()).await.expect("list").is_empty());
    assert_eq!(claim(store.as_ref(), 1, now).await[0].fence, Fence(2));
    log.write(store.as_ref(), vec![lost("a", 2, Failure::NoSlot), reopened("a", 1)], now).await;
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 2, waiting: 1, running: 1, ..Tally::default() });
    log.write(store.as_ref(), vec![judged("a", 2)], now).await;
    assert_eq!(tally(store.as_ref()).await.judged, 1);
}

pub(super) async fn a_quarantine_that_was_taken_back_ends_nothing_when_its_record_comes_again(
    store: Arc<dyn JobStore>,
) {
    with_jobs(store.as_ref(), &["a"]).await;
    let (mut log, now) = (Log(0), after(10_000_000));
    lose(store.as_ref(), &mut log, &[Failure::Unusable]).await;
    let first = log.send(store.as_ref(), now).await;
    store.settle(&run(), &[JobId::new("a")], QuarantineVerdict::Retry).await.expect("retry");
    let taken_back = log.send(store.as_ref(), now).await;
    log.write(store.as_ref(), [first, taken_back.clone()].concat(), now).await;
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 1, waiting: 1, ..Tally::default() });

    assert_eq!(claim(store.as_ref(), 1, now).await[0].fence, Fence(2));
    log.write(store.as_ref(), vec![lost("a", 2, Failure::Unusable)], now).await;
    log.send(store.as_ref(), now).await;
    log.write(store.as_ref(), taken_back, now).await;
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 1, quarantined: 1, ..Tally::default() });
}

pub(super) async fn a_job_in_quarantine_can_be_dropped(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let mut log = Log(0);
    lose(store.as_ref(), &mut log, &[Failure::Unusable]).await;
    log.send(store.as_ref(), start()).await;
    let jobs = [JobId::new("a")];
    assert_eq!(store.settle(&run(), &jobs, QuarantineVerdict::Drop).await.expect("drop"), 1);
    assert_eq!(store.settle(&run(), &jobs, QuarantineVerdict::Retry).await.expect("too late"), 0);
    let outbox: Vec<Closing> = store.outbox(9).await.expect("outbox").into_iter().map(|(_, record)| record).collect();
    assert_eq!(outbox, [reopened("a", 1), cancelled("a")], "whoever reads the log takes the quarantine back first");
    log.write(store.as_ref(), vec![reopened("a", 1)], start()).await;
    assert!(claim(store.as_ref(), 1, after(10_000_000)).await.is_empty());
    log.send(store.as_ref(), start()).await;
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 1, cancelled: 1, ..Tally::default() });
}

pub(super) async fn cancelling_ends_what_has_not_ended(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a", "b", "c"]).await;
    let mut log = Log(0);
    claim(store.as_ref(), 2, start()).await;
    log.write(store.as_ref(), vec![judged("b", 1)], start()).await;
    store.wish(&run(), Wish::Cancel).await.expect("cancel");
    assert!(claim(store.as_ref(), 9, start()).await.is_empty());
    let gone = store.renew(&[ticket("a", 1)], start(), LEASE).await.expect("renew");
    assert_eq!(gone, [ticket("a", 1)], "its attempt is told to stop");
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 3, waiting: 2, judged: 1, ..Tally::default() });
    assert_eq!(log.send(store.as_ref(), start()).await, [cancelled("a"), cancelled("c")]);
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 3, judged: 1, cancelled: 2, ..Tally::default() });
}

pub(super) async fn a_verdict_may_come_before_the_cancellation(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let mut log = Log(0);
    claim(store.as_ref(), 1, start()).await;
    store.wish(&run(), Wish::Cancel).await.expect("cancel");
    log.write(store.as_ref(), vec![judged("a", 1)], start()).await;
    log.send(store.as_ref(), start()).await;
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 1, judged: 1, ..Tally::default() });
}

pub(super) async fn nothing_more_happens_in_a_cancelled_campaign(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a", "q"]).await;
    let mut log = Log(0);
    lose(store.as_ref(), &mut log, &[Failure::Unusable]).await;
    log.send(store.as_ref(), start()).await;
    store.wish(&run(), Wish::Cancel).await.expect("cancel");
    store.wish(&run(), Wish::Cancel).await.expect("a call may be repeated");
    for refused in [
        store.wish(&run(), Wish::Run).await.expect_err("resume"),
        store.submit(&[submission("b")], start()).await.expect_err("submit"),
        store.settle(&run(), &[JobId::new("a")], QuarantineVerdict::Retry).await.expect_err("retry"),
    ] {
        assert!(matches!(&refused, StorageError::Conflict(message) if message.contains("cancelled")), "{refused}");
    }
    assert_eq!(store.submit(&[submission("a")], start()).await.expect("it was there"), 0);
    log.send(store.as_ref(), start()).await;
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 2, quarantined: 1, cancelled: 1, ..Tally::default() });
}

pub(super) async fn what_attempts_cost_is_counted_once_each(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    claim(store.as_ref(), 1, start()).await;
    let loss = lost("a", 1, Failure::NoSlot);
    let records = vec![loss.clone(), judged("a", 2), loss, judged("a", 2), judged("a", 3)];
    Log(0).write(store.as_ref(), records, start()).await;
    let spent = usage(store.as_ref()).await;
    assert_eq!((spent.prompt_tokens, spent.completion_tokens, spent.cost_usd, spent.calls), (40, 4, 0.04, 3));
}

pub(super) async fn a_spent_budget_is_said_with_the_demand(store: Arc<dyn JobStore>) {
    let mut settings = campaign("run");
    settings.budget = Budget { usd: Some(0.02), tokens: None };
    store.create(&settings, start()).await.expect("create");
    store.submit(&["a", "b", "c"].map(submission), start()).await.expect("submit");
    let mut log = Log(0);
    for (id, spent) in [("a", false), ("b", true)] {
        log.write(store.as_ref(), vec![judged(id, 1)], start()).await;
        let lanes = store.demand(start()).await.expect("demand");
        assert_eq!(lanes.iter().map(|lane| lane.budget_spent).collect::<Vec<_>>(), [spent], "after {id}");
    }
}
