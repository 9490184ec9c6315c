//! What every table of jobs does: the contract of [`JobStore`], case by case.

mod claims;
mod endings;
mod records;
mod stages;

use domain::campaign::{Campaign, Closing, Failure, LostAttempt, PlannerRef, Tally, Ticket};
use domain::job::{BenchmarkTask, Outcome, Work};
use domain::stage::{JobEnd, NextStage, StageEnd};
use domain::storage::jobs::{Claimed, Decoded, JobStore, Lane, Pick, Retry, Submission};
use domain::storage::log::{LogPosition, LogRecord, Topic};
use domain::verdict::VerdictKind;
use domain::{BlobRef, CampaignId, Ending, EpisodeId, Fence, Job, JobId, SiteId, TaskId, Usage, Verdict};
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use uuid::Uuid;

/// Runs every case on a fresh table each, and returns how many there were.
///
/// # Panics
/// When a case does not hold.
pub async fn run<F, J>(fresh: F) -> usize
where
    F: Fn() -> J,
    J: Future<Output = Arc<dyn JobStore>>,
{
    let mut cases = 0;
    macro_rules! cases {
        ($($case:path),* $(,)?) => { $( $case(fresh().await).await; cases += 1; )* };
    }
    cases![
        claims::creating_again_changes_nothing_and_other_settings_are_refused,
        claims::submitting_again_changes_nothing,
        claims::a_job_with_other_work_is_refused_and_none_is_added,
        claims::jobs_of_no_campaign_are_refused,
        claims::jobs_are_listed_in_order_of_submission_whatever_became_of_them,
        claims::jobs_are_claimed_in_order_of_submission_as_they_were_submitted,
        claims::a_claim_takes_from_the_lane_that_was_picked_only,
        claims::a_fence_is_given_once_and_grows,
        claims::a_lease_holds_until_it_is_ended,
        claims::a_renewed_lease_holds_longer_and_lost_tickets_are_named,
        claims::a_job_given_back_can_be_claimed_at_once,
        claims::a_ticket_that_holds_no_more_gives_nothing_back,
        claims::demand_counts_what_can_be_claimed_and_what_is_under_way,
        claims::a_paused_campaign_is_not_claimed_and_a_resumed_one_is,
        claims::claims_at_the_same_time_never_share_a_job,
        endings::a_verdict_ends_a_job_whatever_its_fence,
        endings::the_first_terminal_record_counts,
        endings::a_lost_attempt_pauses_the_job_longer_each_time,
        endings::a_lease_that_ran_out_is_a_lost_attempt,
        endings::a_late_report_of_a_loss_that_was_counted_only_costs,
        endings::three_equal_losses_put_a_job_into_quarantine,
        endings::losses_of_different_kinds_do_not,
        endings::an_unusable_job_goes_into_quarantine_at_once,
        endings::a_job_in_quarantine_can_be_tried_again,
        endings::a_quarantine_that_was_taken_back_ends_nothing_when_its_record_comes_again,
        endings::a_job_in_quarantine_can_be_dropped,
        endings::cancelling_ends_what_has_not_ended,
        endings::a_verdict_may_come_before_the_cancellation,
        endings::nothing_more_happens_in_a_cancelled_campaign,
        endings::what_attempts_cost_is_counted_once_each,
        endings::a_spent_budget_is_said_with_the_demand,
        records::records_below_the_stored_offset_change_nothing,
        records::offsets_are_stored_per_group_topic_and_partition,
        records::what_cannot_be_read_moves_the_offset_only,
        records::ingesting_stores_nothing_until_what_it_refuses_was_put_aside,
        records::the_outbox_keeps_its_order_until_it_is_told,
        records::standings_come_newest_first_and_say_what_waits,
        records::outcomes_at_the_same_time_are_counted_once,
        records::totals_are_right_after_many_clients_at_once,
        stages::the_next_stage_comes_once_when_the_last_job_of_a_stage_ends,
        stages::the_last_jobs_of_a_stage_that_end_at_the_same_time_begin_one_stage,
        stages::a_stage_waits_for_all_jobs_that_are_to_be_handed_in,
        stages::a_stage_without_jobs_is_over_at_once,
        stages::a_stage_that_is_over_stays_over_when_a_job_is_taken_back,
        stages::a_job_that_comes_out_of_quarantine_holds_its_stage_up,
        stages::a_cancelled_campaign_has_no_next_stage,
        stages::a_campaign_with_stages_takes_as_many_jobs_as_it_says,
        stages::a_stage_may_be_on_another_host_than_the_one_before,
    ];
    eprintln!("queue: {cases} cases");
    cases
}

/// Every job of the last stage that was judged once more, under the name of the next one; on the host of its name, where it says one.
pub(super) struct Again;

impl NextStage for Again {
    fn next(&self, ended: &StageEnd) -> Vec<Submission> {
        let stages = ended.campaign.stages.as_ref().expect("a campaign with stages");
        let (last, name) = (stages.name(ended.over - 1), stages.name(ended.over));
        let of_last =
            ended.jobs.iter().filter(|(_, job)| job.stage == last && matches!(job.end, JobEnd::Judged { .. }));
        let again = of_last.map(|(submission, _)| {
            let first = submission.job.handed_in();
            let host = name.strip_prefix("on-").unwrap_or(&submission.host).to_owned();
            let job = Job { id: JobId::new(format!("{first}~{name}")), ..submission.job.clone() };
            Submission { job, host, ..submission.clone() }
        });
        again.collect()
    }
}

const LEASE: Duration = Duration::from_secs(30);
const GROUP: &str = "campaigns";

/// A moment to begin at.
pub(super) fn start() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn after(milliseconds: u64) -> SystemTime {
    start() + Duration::from_millis(milliseconds)
}

fn retry() -> Retry {
    Retry { failures: 3, pause: Duration::from_millis(500), longest_pause: Duration::from_secs(60) }
}

pub(super) fn campaign(name: &str) -> Campaign {
    Campaign::new(CampaignId::new(name), PlannerRef::named("ground"))
}

/// A job on host `HOST` of site `site`.
fn on_host(campaign: &str, id: &str, host: &str) -> Submission {
    let task = BenchmarkTask { benchmark: "suite".into(), task: TaskId::new(id), seed: u64::MAX, relaxed: true };
    let job = Job { id: JobId::new(id), campaign: CampaignId::new(campaign), work: Work::Benchmark(task) };
    Submission { job, site: SiteId::new("site"), host: host.into(), trace_parent: format!("trace of {id}") }
}

pub(super) fn submission(id: &str) -> Submission {
    on_host("run", id, "host")
}

/// Campaign `run` with jobs of these names.
async fn with_jobs(store: &dyn JobStore, ids: &[&str]) {
    store.create(&campaign("run"), start()).await.expect("create");
    let jobs: Vec<Submission> = ids.iter().map(|id| submission(id)).collect();
    assert_eq!(store.submit(&jobs, start()).await.expect("submit"), ids.len() as u64);
}

pub(super) fn pick(campaign: &str, host: &str, count: usize) -> Pick {
    Pick { campaign: CampaignId::new(campaign), site: SiteId::new("site"), host: host.into(), count }
}

async fn claim(store: &dyn JobStore, count: usize, at: SystemTime) -> Vec<Claimed> {
    store.claim(&[pick("run", "host", count)], "crawler", at, LEASE).await.expect("claim")
}

fn names(claims: &[Claimed]) -> Vec<&str> {
    claims.iter().map(|claim| claim.job.id.as_str()).collect()
}

pub(super) fn ticket(id: &str, fence: u64) -> Ticket {
    Ticket { campaign: CampaignId::new("run"), job: JobId::new(id), fence: Fence(fence) }
}

fn cents(cents: u64) -> Usage {
    Usage { prompt_tokens: 10 * cents, completion_tokens: cents, cost_usd: cents as f64 / 100.0, calls: 1 }
}

pub(super) fn judged(id: &str, fence: u64) -> Closing {
    Closing::Judged(Box::new(Outcome {
        job: JobId::new(id),
        campaign: CampaignId::new("run"),
        episode: episode(id, fence),
        fence: Fence(fence),
        task: TaskId::new(id),
        site: SiteId::new("site"),
        planner: "ground".into(),
        verdict: Verdict { kind: VerdictKind::Passed, reason: "confirmed".into(), evidence: Vec::new() },
        ending: Ending::EnvironmentOver,
        reward: Some(1.0),
        steps: 3,
        usage: cents(1),
        wall_ms: 12.5,
        incidents: Vec::new(),
        trajectory: BlobRef::new("0".repeat(64)),
    }))
}

/// The attempt under a fence.
fn episode(id: &str, fence: u64) -> EpisodeId {
    EpisodeId(Uuid::from_u128(u128::from(fence) << 64 | id.bytes().fold(7, |sum, byte| sum * 31 + u128::from(byte))))
}

fn lost(id: &str, fence: u64, failure: Failure) -> Closing {
    Closing::Lost(LostAttempt {
        ticket: ticket(id, fence),
        episode: episode(id, fence),
        failure,
        cause: format!("{} under {fence}", failure.as_str()),
        usage: cents(2),
        wall_ms: 3.0,
    })
}

fn cancelled(id: &str) -> Closing {
    Closing::Cancelled { campaign: CampaignId::new("run"), job: JobId::new(id), site: SiteId::new("site") }
}

/// A record that says something, at an offset of partition 0.
fn at<T>(topic: Topic, offset: u64, says: Option<T>) -> Decoded<T> {
    let place = LogPosition { partition: 0, offset };
    let key = "key".to_owned();
    Decoded { from: LogRecord { topic, place, key, record: vec![1], trace_parent: String::new() }, says }
}

/// Appends closings to the log, as it were, and has them applied.
struct Log(u64);

impl Log {
    async fn write(&mut self, store: &dyn JobStore, closings: Vec<Closing>, now: SystemTime) {
        let mut records = Vec::new();
        for closing in closings {
            records.push(at(Topic::Outcomes, self.0, Some(closing)));
            self.0 += 1;
        }
        store.apply(GROUP, &records, now, &retry(), &Again).await.expect("apply");
    }

    /// Sends what stands in the outbox.
    async fn send(&mut self, store: &dyn JobStore, now: SystemTime) -> Vec<Closing> {
        let outbox = store.outbox(10_000).await.expect("outbox");
        let (numbers, records): (Vec<u64>, Vec<Closing>) = outbox.into_iter().unzip();
        self.write(store, records.clone(), now).await;
        store.sent(&numbers).await.expect("sent");
        records
    }
}

async fn tally(store: &dyn JobStore) -> Tally {
    let id = CampaignId::new("run");
    let mut standings = store.campaigns(Some(&id), start()).await.expect("standing");
    standings.pop().expect("the campaign is there").tally
}
