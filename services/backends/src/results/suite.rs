//! What every ledger does: the contract of [`ResultStore`], case by case.

use domain::campaign::{Closing, Failure, LostAttempt, Quarantined, Ticket};
use domain::job::Outcome;
use domain::ledger::{PageVisit, Totals};
use domain::storage::jobs::Decoded;
use domain::storage::log::{LogPosition, LogRecord, Topic};
use domain::storage::results::{ResultStore, StepCost};
use domain::verdict::VerdictKind;
use domain::{BlobRef, CampaignId, Ending, EpisodeId, Fence, JobId, SiteId, TaskId, Usage, Verdict};
use std::future::Future;
use std::sync::Arc;
use tokio::task::JoinSet;
use uuid::Uuid;

/// Runs every case on a fresh ledger each, and returns how many there were.
///
/// # Panics
/// When a case does not hold.
pub async fn run<F, R>(fresh: F) -> usize
where
    F: Fn() -> R,
    R: Future<Output = Arc<dyn ResultStore>>,
{
    let mut cases = 0;
    macro_rules! cases {
        ($($case:ident),* $(,)?) => { $( $case(fresh().await).await; cases += 1; )* };
    }
    cases![
        outcomes_are_counted_by_site_task_planner_and_verdict,
        the_first_terminal_record_counts_and_the_others_are_redeliveries,
        what_came_again_changes_nothing_but_the_count_of_redeliveries,
        records_below_the_stored_offset_change_nothing_at_all,
        a_reopened_job_is_counted_by_its_next_end,
        a_quarantine_that_was_taken_back_ends_nothing_when_its_record_comes_again,
        records_without_fences_end_and_reopen_as_they_come,
        steps_say_what_an_attempt_cost_that_never_closed,
        the_closing_of_an_attempt_says_better_what_it_cost,
        a_late_report_of_a_loss_is_still_cost,
        totals_do_not_depend_on_the_order_of_different_jobs,
        outcomes_are_paged_in_order_of_their_jobs_as_they_were,
        pages_that_were_seen_are_kept_once_and_paged_in_order,
        campaigns_do_not_see_each_other,
        many_readers_at_once_count_everything_once,
    ];
    eprintln!("ledger: {cases} cases");
    cases
}

const GROUP: &str = "aggregator";

fn run_id() -> CampaignId {
    CampaignId::new("run")
}

fn usage(cents: u64) -> Usage {
    Usage { prompt_tokens: 10 * cents, completion_tokens: cents, cost_usd: cents as f64 / 100.0, calls: 1 }
}

fn episode(job: &str, fence: u64) -> EpisodeId {
    EpisodeId(Uuid::from_u128(u128::from(fence) << 64 | job.bytes().fold(7, |sum, byte| sum * 31 + u128::from(byte))))
}

fn outcome(job: &str, fence: u64) -> Outcome {
    Outcome {
        job: JobId::new(job),
        campaign: run_id(),
        episode: episode(job, fence),
        fence: Fence(fence),
        task: TaskId::new("task"),
        site: SiteId::new("site"),
        planner: "ground".into(),
        verdict: Verdict { kind: VerdictKind::Passed, reason: "confirmed".into(), evidence: Vec::new() },
        ending: Ending::EnvironmentOver,
        reward: Some(0.1 + 0.2),
        steps: 3,
        usage: usage(1),
        wall_ms: 12.5,
        incidents: vec!["429, retried after 2 s".into()],
        trajectory: BlobRef::new("0".repeat(64)),
    }
}

fn judged(job: &str, fence: u64) -> Closing {
    Closing::Judged(Box::new(outcome(job, fence)))
}

fn lost(job: &str, fence: u64, cents: u64) -> Closing {
    Closing::Lost(LostAttempt {
        ticket: Ticket { campaign: run_id(), job: JobId::new(job), fence: Fence(fence) },
        episode: episode(job, fence),
        failure: Failure::SessionLost,
        cause: "the node is gone".into(),
        usage: usage(cents),
        wall_ms: 1.0,
    })
}

fn quarantined(job: &str, fence: u64) -> Closing {
    Closing::Quarantined(Quarantined {
        campaign: run_id(),
        job: JobId::new(job),
        site: SiteId::new("site"),
        failure: Failure::SessionLost,
        causes: Vec::new(),
        fence: Fence(fence),
    })
}

fn cancelled(job: &str) -> Closing {
    Closing::Cancelled { campaign: run_id(), job: JobId::new(job), site: SiteId::new("site") }
}

fn reopened(job: &str, fence: u64) -> Closing {
    Closing::Reopened { campaign: run_id(), job: JobId::new(job), fence: Fence(fence) }
}

fn spent(job: &str, fence: u64, step: u32, cents: u64) -> StepCost {
    StepCost {
        campaign: run_id(),
        job: JobId::new(job),
        episode: episode(job, fence),
        fence: Fence(fence),
        step,
        usage: usage(cents),
    }
}

fn at<T>(topic: Topic, partition: u32, offset: u64, says: T) -> Decoded<T> {
    let key = "key".to_owned();
    let from = LogRecord {
        topic,
        place: LogPosition { partition, offset },
        key,
        record: vec![1],
        trace_parent: String::new(),
    };
    Decoded { from, says: Some(says) }
}

/// A log that is written and read at once.
#[derive(Default)]
struct Log {
    closings: u64,
    steps: u64,
}

impl Log {
    async fn close(&mut self, store: &dyn ResultStore, closings: Vec<Closing>) {
        let records: Vec<_> =
            (self.closings..).zip(closings).map(|(offset, closing)| at(Topic::Outcomes, 0, offset, closing)).collect();
        self.closings += records.len() as u64;
        store.close(GROUP, &records).await.expect("close");
    }

    async fn spend(&mut self, store: &dyn ResultStore, steps: Vec<StepCost>) {
        let records: Vec<_> =
            (self.steps..).zip(steps).map(|(offset, spent)| at(Topic::Trajectories, 0, offset, spent)).collect();
        self.steps += records.len() as u64;
        store.spend(GROUP, &records).await.expect("spend");
    }
}

async fn totals(store: &dyn ResultStore) -> Totals {
    store.totals(&run_id()).await.expect("totals")
}

async fn pages_that_were_seen_are_kept_once_and_paged_in_order(store: Arc<dyn ResultStore>) {
    let seen = |id: &str| PageVisit {
        campaign: run_id(),
        job: JobId::new("guest/1"),
        id: id.to_owned(),
        record: format!(r#"{{"url": "http://shop.test/{id}?q='é"}}"#),
    };
    let records = ["c", "a", "b", "a"].map(seen);
    let of = |from: u64, visits: &[PageVisit]| -> Vec<Decoded<PageVisit>> {
        (from..).zip(visits).map(|(offset, visit)| at(Topic::Visits, 0, offset, visit.clone())).collect()
    };
    store.keep_visits(GROUP, &of(0, &records)).await.expect("keep");
    // Delivered once more, with one that is new.
    store.keep_visits(GROUP, &of(0, &records)).await.expect("keep");
    store.keep_visits(GROUP, &of(3, &["c", "d"].map(seen))).await.expect("keep");
    let all = store.visits(&run_id(), None, 9).await.expect("visits");
    assert_eq!(all, ["a", "b", "c", "d"].map(seen));
    assert_eq!(store.visits(&run_id(), Some("a"), 2).await.expect("visits"), ["b", "c"].map(seen));
    assert_eq!(store.visits(&CampaignId::new("other"), None, 9).await.expect("visits"), []);
    assert_eq!(store.offsets(GROUP, Topic::Visits).await.expect("offsets"), [(0, 5)].into());
}

async fn outcomes_are_counted_by_site_task_planner_and_verdict(store: Arc<dyn ResultStore>) {
    let mut failed = outcome("b", 1);
    failed.verdict.kind = VerdictKind::NotAchieved;
    failed.reward = None;
    let mut elsewhere = outcome("c", 1);
    elsewhere.site = SiteId::new("elsewhere");
    let closings = vec![judged("a", 1), Closing::Judged(Box::new(failed)), Closing::Judged(Box::new(elsewhere))];
    Log::default().close(store.as_ref(), closings).await;
    let found = totals(store.as_ref()).await;
    assert_eq!(found.cells.iter().map(|(cell, _)| cell.site.as_str()).collect::<Vec<_>>(), ["elsewhere", "site"]);
    let here = &found.cells[1].1;
    assert_eq!(here.verdicts, [(VerdictKind::Passed, 1), (VerdictKind::NotAchieved, 1)].into());
    assert_eq!((here.reward_sum, here.rewarded, here.steps, here.wall_ms), (0.3, 1, 6, 25.0));
    assert_eq!((here.usage.cost_usd, here.usage.prompt_tokens, here.usage.calls), (0.02, 20, 2));
    assert_eq!((found.ended(), found.redeliveries, found.lost_attempts), (3, 0, 0));
}

async fn the_first_terminal_record_counts_and_the_others_are_redeliveries(store: Arc<dyn ResultStore>) {
    let closings =
        vec![judged("a", 1), cancelled("a"), judged("a", 2), cancelled("b"), judged("b", 1), quarantined("b", 1)];
    Log::default().close(store.as_ref(), closings).await;
    let found = totals(store.as_ref()).await;
    assert_eq!((found.sum().outcomes(), found.cancelled, found.quarantined, found.redeliveries), (1, 1, 0, 4));
    assert_eq!(found.sum().usage, usage(1));
    assert_eq!((found.lost_usage.cost_usd, found.lost_attempts), (0.02, 0), "they came to a verdict, too late");
    let accepted = store.outcomes(&run_id(), None, 9).await.expect("outcomes");
    assert_eq!(accepted, [outcome("a", 1)]);
}

async fn what_came_again_changes_nothing_but_the_count_of_redeliveries(store: Arc<dyn ResultStore>) {
    let mut log = Log::default();
    let closings = vec![lost("a", 1, 2), judged("a", 2), quarantined("b", 1), cancelled("c")];
    log.close(store.as_ref(), closings.clone()).await;
    log.spend(store.as_ref(), vec![spent("a", 1, 1, 1), spent("a", 2, 1, 1)]).await;
    let once = totals(store.as_ref()).await;
    log.close(store.as_ref(), closings).await;
    log.spend(store.as_ref(), vec![spent("a", 1, 1, 1), spent("a", 2, 1, 1)]).await;
    assert_eq!(once.redeliveries, 0);
    assert_eq!(totals(store.as_ref()).await, Totals { redeliveries: 4, ..once });
}

async fn records_below_the_stored_offset_change_nothing_at_all(store: Arc<dyn ResultStore>) {
    let records = [at(Topic::Outcomes, 0, 4, judged("a", 1)), at(Topic::Outcomes, 3, 0, cancelled("b"))];
    store.close(GROUP, &records).await.expect("close");
    let once = totals(store.as_ref()).await;
    store.close(GROUP, &records).await.expect("close again");
    store.close(GROUP, &[at(Topic::Outcomes, 0, 3, judged("z", 1))]).await.expect("close");
    let unread = Decoded { says: None, ..at(Topic::Outcomes, 0, 5, cancelled("z")) };
    store.close(GROUP, &[unread]).await.expect("close");
    assert_eq!(totals(store.as_ref()).await, once);
    let offsets = async |topic| store.offsets(GROUP, topic).await.expect("offsets");
    assert_eq!(offsets(Topic::Outcomes).await, [(0, 6), (3, 1)].into());
    assert!(offsets(Topic::Trajectories).await.is_empty());
}

async fn a_reopened_job_is_counted_by_its_next_end(store: Arc<dyn ResultStore>) {
    let mut log = Log::default();
    log.close(store.as_ref(), vec![quarantined("a", 1), quarantined("b", 1), quarantined("c", 1)]).await;
    assert_eq!(totals(store.as_ref()).await.quarantined, 3);
    log.close(store.as_ref(), vec![reopened("a", 1), judged("a", 4), reopened("b", 1), cancelled("b")]).await;
    let found = totals(store.as_ref()).await;
    assert_eq!((found.quarantined, found.cancelled, found.sum().outcomes(), found.redeliveries), (1, 1, 1, 0));
    log.close(store.as_ref(), vec![reopened("a", 1), reopened("b", 1)]).await;
    assert_eq!(totals(store.as_ref()).await, Totals { redeliveries: 2, ..found });
}

async fn a_quarantine_that_was_taken_back_ends_nothing_when_its_record_comes_again(store: Arc<dyn ResultStore>) {
    let mut log = Log::default();
    let once = vec![quarantined("a", 1), reopened("a", 1)];
    log.close(store.as_ref(), once.clone()).await;
    log.close(store.as_ref(), once).await;
    let found = totals(store.as_ref()).await;
    assert_eq!((found.quarantined, found.redeliveries), (0, 2));
    log.close(store.as_ref(), vec![quarantined("a", 2), reopened("a", 1)]).await;
    assert_eq!(totals(store.as_ref()).await, Totals { quarantined: 1, redeliveries: 3, ..found.clone() });
    log.close(store.as_ref(), vec![reopened("a", 2), judged("a", 3)]).await;
    let found = totals(store.as_ref()).await;
    assert_eq!((found.quarantined, found.sum().outcomes(), found.redeliveries), (0, 1, 3));
}

async fn records_without_fences_end_and_reopen_as_they_come(store: Arc<dyn ResultStore>) {
    let closings = vec![quarantined("a", 0), reopened("a", 0), quarantined("a", 0)];
    Log::default().close(store.as_ref(), closings).await;
    let found = totals(store.as_ref()).await;
    assert_eq!((found.quarantined, found.redeliveries), (1, 0));
}

async fn steps_say_what_an_attempt_cost_that_never_closed(store: Arc<dyn ResultStore>) {
    let mut log = Log::default();
    log.spend(store.as_ref(), vec![spent("a", 1, 1, 2), spent("a", 1, 2, 3)]).await;
    let found = totals(store.as_ref()).await;
    assert_eq!((found.lost_attempts, found.lost_usage), (0, Usage::default()), "it may be under way");
    log.spend(store.as_ref(), vec![spent("a", 2, 1, 1)]).await;
    let found = totals(store.as_ref()).await;
    assert_eq!((found.lost_attempts, found.lost_usage.cost_usd), (1, 0.05), "a later one has begun");
    log.close(store.as_ref(), vec![judged("a", 3)]).await;
    let found = totals(store.as_ref()).await;
    assert_eq!((found.lost_attempts, found.lost_usage.cost_usd), (2, 0.06), "the job has ended by a third");
    assert_eq!(found.sum().usage, usage(1));
}

async fn the_closing_of_an_attempt_says_better_what_it_cost(store: Arc<dyn ResultStore>) {
    let mut log = Log::default();
    log.spend(store.as_ref(), vec![spent("a", 1, 1, 7), spent("a", 2, 1, 7)]).await;
    log.close(store.as_ref(), vec![lost("a", 1, 2), judged("a", 2)]).await;
    log.spend(store.as_ref(), vec![spent("a", 1, 2, 7), spent("a", 2, 2, 7)]).await;
    let found = totals(store.as_ref()).await;
    assert_eq!((found.lost_usage, found.sum().usage, found.lost_attempts), (usage(2), usage(1), 1));
}

async fn a_late_report_of_a_loss_is_still_cost(store: Arc<dyn ResultStore>) {
    let mut log = Log::default();
    log.close(store.as_ref(), vec![judged("a", 2), lost("a", 1, 2)]).await;
    let late = totals(store.as_ref()).await;
    assert_eq!((late.lost_attempts, late.lost_usage, late.redeliveries), (1, usage(2), 0));
}

async fn totals_do_not_depend_on_the_order_of_different_jobs(store: Arc<dyn ResultStore>) {
    let mut closings = Vec::new();
    for number in 1..40u64 {
        let mut outcome = outcome(&format!("{number}"), 1);
        outcome.usage.cost_usd = 0.1 / number as f64;
        outcome.reward = Some(1.0 / number as f64);
        outcome.wall_ms = 1.0 / number as f64;
        closings.push((outcome.campaign.clone(), outcome));
    }
    let mut log = Log::default();
    for name in ["forward", "backward"] {
        let records = closings.iter().map(|(_, outcome)| {
            Closing::Judged(Box::new(Outcome { campaign: CampaignId::new(name), ..outcome.clone() }))
        });
        log.close(store.as_ref(), records.collect()).await;
        closings.reverse();
    }
    let mut forward = store.totals(&CampaignId::new("forward")).await.expect("totals");
    let backward = store.totals(&CampaignId::new("backward")).await.expect("totals");
    forward.campaign = backward.campaign.clone();
    assert_eq!(forward, backward);
}

async fn outcomes_are_paged_in_order_of_their_jobs_as_they_were(store: Arc<dyn ResultStore>) {
    let ids = ["c/1", "a", "B", "ä", "b"];
    let closings = ids.iter().map(|id| judged(id, 1)).chain([cancelled("a0"), lost("bb", 1, 1)]).collect();
    Log::default().close(store.as_ref(), closings).await;
    let page = async |after: Option<&str>, limit| {
        store.outcomes(&run_id(), after.map(JobId::new), limit).await.expect("outcomes")
    };
    assert_eq!(page(None, 2).await, [outcome("B", 1), outcome("a", 1)]);
    let rest: Vec<String> = page(Some("a"), 9).await.into_iter().map(|outcome| outcome.job.0).collect();
    assert_eq!(rest, ["b", "c/1", "ä"], "in the order of their bytes");
    assert!(page(Some("ä"), 9).await.is_empty());
}

async fn campaigns_do_not_see_each_other(store: Arc<dyn ResultStore>) {
    let other = CampaignId::new("other");
    let theirs = Outcome { campaign: other.clone(), ..outcome("a", 1) };
    Log::default().close(store.as_ref(), vec![judged("a", 1), Closing::Judged(Box::new(theirs.clone()))]).await;
    assert_eq!(totals(store.as_ref()).await.ended(), 1);
    assert_eq!(store.outcomes(&other, None, 9).await.expect("outcomes"), [theirs]);
    let nobody = CampaignId::new("nobody");
    assert_eq!(store.totals(&nobody).await.expect("totals"), Totals::empty(nobody));
}

/// Four readers with a partition each, of both topics, that touch the same cells; and each batch is stored by two.
async fn many_readers_at_once_count_everything_once(store: Arc<dyn ResultStore>) {
    let mut readers = JoinSet::new();
    for reader in 0..8u32 {
        let store = Arc::clone(&store);
        readers.spawn(async move {
            let partition = reader / 2;
            for batch in 0..5u64 {
                let job = |number: u64| format!("{partition}-{}", batch * 5 + number);
                let steps: Vec<_> = (0..5)
                    .map(|number| at(Topic::Trajectories, partition, batch * 5 + number, spent(&job(number), 1, 1, 1)))
                    .collect();
                let closings: Vec<_> = (0..5)
                    .map(|number| at(Topic::Outcomes, partition, batch * 5 + number, judged(&job(number), 2)))
                    .collect();
                store.spend(GROUP, &steps).await.expect("spend");
                store.close(GROUP, &closings).await.expect("close");
            }
        });
    }
    while let Some(done) = readers.join_next().await {
        done.expect("no reader fails");
    }
    let found = totals(store.as_ref()).await;
    assert_eq!((found.sum().outcomes(), found.redeliveries, found.lost_attempts), (100, 0, 100));
    assert_eq!((found.sum().usage.cost_usd, found.lost_usage.cost_usd), (1.0, 1.0));
}
