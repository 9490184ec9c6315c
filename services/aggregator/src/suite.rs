//! What every [`AggregatorService`] does, whether it is the room itself or a connection to one.

use domain::campaign::{Closing, Failure, LostAttempt, Ticket};
use domain::job::Outcome;
use domain::ledger::Totals;
use domain::service::{AggregatorService, Code};
use domain::verdict::VerdictKind;
use domain::{BlobRef, CampaignId, Ending, EpisodeId, Fence, JobId, SiteId, TaskId, Usage, Verdict};
use futures::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// A ledger with its tasks running, and a way into its log.
#[derive(Clone)]
pub struct Subject {
    /// The ledger.
    pub ledger: Arc<dyn AggregatorService>,
    /// Appends to topic `outcomes`.
    pub close: Arc<dyn Fn(Closing) -> BoxFuture<'static, ()> + Send + Sync>,
}

/// Runs every case on a fresh ledger each, and returns how many there were.
///
/// # Panics
/// When a case does not hold.
pub async fn run<F, S>(fresh: F) -> usize
where
    F: Fn() -> S,
    S: Future<Output = Subject>,
{
    totals_come_from_the_log(fresh().await).await;
    outcomes_are_paged(fresh().await).await;
    an_unknown_campaign_has_nothing(fresh().await).await;
    let cases = 3;
    eprintln!("aggregator service: {cases} cases");
    cases
}

/// How long a case waits for what comes through the log.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) fn outcome(job: &str) -> Outcome {
    Outcome {
        job: JobId::new(job),
        campaign: CampaignId::new("run"),
        episode: EpisodeId(Uuid::now_v7()),
        fence: Fence(2),
        task: TaskId::new("task"),
        site: SiteId::new("site"),
        planner: "ground".into(),
        verdict: Verdict { kind: VerdictKind::Passed, reason: "confirmed".into(), evidence: Vec::new() },
        ending: Ending::EnvironmentOver,
        reward: Some(0.1 + 0.2),
        steps: 3,
        usage: Usage { prompt_tokens: 5, completion_tokens: 2, cost_usd: 0.25, calls: 1 },
        wall_ms: 0.1 + 0.7,
        incidents: Vec::new(),
        trajectory: BlobRef::new("0".repeat(64)),
    }
}

async fn judge(subject: &Subject, outcomes: &[Outcome]) {
    for outcome in outcomes {
        (subject.close)(Closing::Judged(Box::new(outcome.clone()))).await;
    }
}

/// Waits until so many jobs have ended.
async fn until_ended(subject: &Subject, jobs: u64) -> Totals {
    let wait = async {
        loop {
            let totals = subject.ledger.totals(&CampaignId::new("run")).await.expect("totals");
            if totals.ended() == jobs {
                return totals;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("the log is read")
}

async fn totals_come_from_the_log(subject: Subject) {
    let (a, b) = (outcome("a"), outcome("b"));
    let lost = LostAttempt {
        ticket: Ticket { campaign: a.campaign.clone(), job: a.job.clone(), fence: Fence(1) },
        episode: EpisodeId(Uuid::now_v7()),
        failure: Failure::NoSlot,
        cause: "the grid is full".into(),
        usage: a.usage,
        wall_ms: 1.0,
    };
    (subject.close)(Closing::Lost(lost)).await;
    judge(&subject, &[a.clone(), a, b]).await;
    let (campaign, site) = (CampaignId::new("run"), SiteId::new("site"));
    (subject.close)(Closing::Cancelled { campaign, job: JobId::new("c"), site }).await;
    let totals = until_ended(&subject, 3).await;
    let sum = totals.sum();
    assert_eq!((sum.outcomes(), sum.successes(), sum.usage.cost_usd, sum.reward_sum), (2, 2, 0.5, 0.6));
    assert_eq!((totals.cancelled, totals.lost_attempts, totals.lost_usage.cost_usd), (1, 1, 0.25));
}

async fn outcomes_are_paged(subject: Subject) {
    let all = ["a", "b", "c"].map(outcome);
    judge(&subject, &all).await;
    until_ended(&subject, 3).await;
    let run = CampaignId::new("run");
    let page = async |after, limit| subject.ledger.outcomes(&run, after, limit).await.expect("outcomes");
    let first = page(None, 2).await;
    assert_eq!(first, all[..2], "to the last bit");
    assert_eq!(page(Some(JobId::new("b")), 2).await, all[2..]);
    let error = subject.ledger.outcomes(&run, None, 0).await.expect_err("no page at all");
    assert_eq!(error.code, Code::Invalid, "{error}");
}

async fn an_unknown_campaign_has_nothing(subject: Subject) {
    let nobody = CampaignId::new("nobody");
    assert_eq!(subject.ledger.totals(&nobody).await.expect("totals"), Totals::empty(nobody.clone()));
    assert!(subject.ledger.outcomes(&nobody, None, 9).await.expect("outcomes").is_empty());
}
