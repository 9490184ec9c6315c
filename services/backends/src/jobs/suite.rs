//! What every table of jobs does: the contract of [`JobStore`], case by case.

use domain::job::{BenchmarkTask, Outcome, Work};
use domain::storage::{JobStore, Progress};
use domain::verdict::VerdictKind;
use domain::{BlobRef, CampaignId, Ending, EpisodeId, Fence, Job, JobId, SiteId, TaskId, Usage, Verdict};
use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::task::JoinSet;
use uuid::Uuid;

const LEASE: Duration = Duration::from_secs(60);

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
        ($($case:ident),* $(,)?) => { $( $case(fresh().await).await; cases += 1; )* };
    }
    cases![
        jobs_are_claimed_in_order_of_submission_as_they_were_submitted,
        submitting_again_changes_nothing,
        a_claimed_job_is_nobody_elses_until_its_lease_ends,
        each_claim_has_the_next_fence,
        a_released_job_can_be_claimed_at_once,
        the_first_outcome_counts_whatever_its_fence,
        a_complete_job_is_never_claimed_again,
        outcomes_come_back_whole_and_in_order_of_submission,
        campaigns_do_not_see_each_other,
        an_outcome_of_no_job_is_refused,
        claims_at_the_same_time_never_share_a_job,
        outcomes_at_the_same_time_are_accepted_once,
    ];
    println!("job store: {cases} cases");
    cases
}

fn campaign(name: &str) -> CampaignId {
    CampaignId::new(name)
}

fn job(campaign: &CampaignId, id: &str) -> Job {
    let task = BenchmarkTask { benchmark: "suite".into(), task: TaskId::new(id), seed: u64::MAX, relaxed: true };
    Job { id: JobId::new(id), campaign: campaign.clone(), work: Work::Benchmark(task) }
}

fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn outcome(campaign: &CampaignId, id: &str, fence: u64) -> Outcome {
    Outcome {
        job: JobId::new(id),
        campaign: campaign.clone(),
        episode: EpisodeId(Uuid::from_u128(u128::from(fence) + 1)),
        fence: Fence(fence),
        task: TaskId::new(id),
        site: SiteId::new("suite"),
        planner: "ground".into(),
        verdict: Verdict { kind: VerdictKind::Passed, reason: "confirmed".into(), evidence: Vec::new() },
        ending: Ending::EnvironmentOver,
        reward: Some(0.1 + 0.2),
        steps: 3,
        usage: Usage { prompt_tokens: 1, completion_tokens: 2, cost_usd: 0.3, calls: 4 },
        wall_ms: 12.5,
        incidents: vec!["429, retried after 2 s".into()],
        trajectory: BlobRef::new("0".repeat(64)),
    }
}

async fn with_jobs(store: &dyn JobStore, ids: &[&str]) -> CampaignId {
    let campaign = campaign("run");
    let jobs: Vec<Job> = ids.iter().map(|id| job(&campaign, id)).collect();
    assert_eq!(store.submit(&jobs).await.expect("submit"), ids.len());
    campaign
}

async fn claim(store: &dyn JobStore, campaign: &CampaignId, limit: usize, at: SystemTime) -> Vec<(String, u64)> {
    let claims = store.claim(campaign, limit, at, LEASE).await.expect("claim");
    claims.into_iter().map(|claim| (claim.job.id.0, claim.fence.0)).collect()
}

fn names(claims: &[(String, u64)]) -> Vec<&str> {
    claims.iter().map(|(name, _)| name.as_str()).collect()
}

async fn jobs_are_claimed_in_order_of_submission_as_they_were_submitted(store: Arc<dyn JobStore>) {
    let campaign = with_jobs(store.as_ref(), &["c", "a", "b"]).await;
    let claims = store.claim(&campaign, 2, now(), LEASE).await.expect("claim");
    assert_eq!(
        claims.iter().map(|claim| claim.job.clone()).collect::<Vec<_>>(),
        [job(&campaign, "c"), job(&campaign, "a")]
    );
    assert_eq!(names(&claim(store.as_ref(), &campaign, 9, now()).await), ["b"]);
}

async fn submitting_again_changes_nothing(store: Arc<dyn JobStore>) {
    let campaign = with_jobs(store.as_ref(), &["a", "b"]).await;
    claim(store.as_ref(), &campaign, 1, now()).await;
    store.complete(&outcome(&campaign, "a", 1)).await.expect("complete");
    let jobs = [job(&campaign, "a"), job(&campaign, "b"), job(&campaign, "c")];
    assert_eq!(store.submit(&jobs).await.expect("submit again"), 1);
    assert_eq!(store.progress(&campaign).await.expect("progress"), Progress { jobs: 3, complete: 1 });
    assert_eq!(names(&claim(store.as_ref(), &campaign, 9, now()).await), ["b", "c"]);
}

async fn a_claimed_job_is_nobody_elses_until_its_lease_ends(store: Arc<dyn JobStore>) {
    let campaign = with_jobs(store.as_ref(), &["a"]).await;
    assert_eq!(claim(store.as_ref(), &campaign, 1, now()).await.len(), 1);
    assert!(claim(store.as_ref(), &campaign, 1, now() + LEASE / 2).await.is_empty());
    assert_eq!(claim(store.as_ref(), &campaign, 1, now() + LEASE).await.len(), 1);
}

async fn each_claim_has_the_next_fence(store: Arc<dyn JobStore>) {
    let campaign = with_jobs(store.as_ref(), &["a"]).await;
    for number in 1..4u32 {
        let claims = claim(store.as_ref(), &campaign, 1, now() + LEASE * number).await;
        assert_eq!(claims, [("a".to_owned(), u64::from(number))]);
    }
}

async fn a_released_job_can_be_claimed_at_once(store: Arc<dyn JobStore>) {
    let campaign = with_jobs(store.as_ref(), &["a"]).await;
    claim(store.as_ref(), &campaign, 1, now()).await;
    store.release(&campaign, &JobId::new("a")).await.expect("release");
    assert_eq!(claim(store.as_ref(), &campaign, 1, now()).await, [("a".to_owned(), 2)]);
}

async fn the_first_outcome_counts_whatever_its_fence(store: Arc<dyn JobStore>) {
    let campaign = with_jobs(store.as_ref(), &["a"]).await;
    claim(store.as_ref(), &campaign, 1, now()).await;
    claim(store.as_ref(), &campaign, 1, now() + LEASE).await;
    assert!(store.complete(&outcome(&campaign, "a", 1)).await.expect("complete"), "of the lost claim, but first");
    assert!(!store.complete(&outcome(&campaign, "a", 2)).await.expect("complete again"));
    let outcomes = store.outcomes(&campaign).await.expect("outcomes");
    assert_eq!(outcomes.iter().map(|outcome| outcome.fence).collect::<Vec<_>>(), [Fence(1)]);
}

async fn a_complete_job_is_never_claimed_again(store: Arc<dyn JobStore>) {
    let campaign = with_jobs(store.as_ref(), &["a"]).await;
    claim(store.as_ref(), &campaign, 1, now()).await;
    store.complete(&outcome(&campaign, "a", 1)).await.expect("complete");
    store.release(&campaign, &JobId::new("a")).await.expect("release after the end");
    assert!(claim(store.as_ref(), &campaign, 1, now() + LEASE * 100).await.is_empty());
}

async fn outcomes_come_back_whole_and_in_order_of_submission(store: Arc<dyn JobStore>) {
    let campaign = with_jobs(store.as_ref(), &["a", "b", "c"]).await;
    for id in ["c", "a"] {
        assert!(store.complete(&outcome(&campaign, id, 1)).await.expect("complete"));
    }
    let outcomes = store.outcomes(&campaign).await.expect("outcomes");
    assert_eq!(outcomes, [outcome(&campaign, "a", 1), outcome(&campaign, "c", 1)]);
    assert_eq!(store.progress(&campaign).await.expect("progress"), Progress { jobs: 3, complete: 2 });
}

async fn campaigns_do_not_see_each_other(store: Arc<dyn JobStore>) {
    let (one, two) = (campaign("one"), campaign("two"));
    assert_eq!(store.submit(&[job(&one, "a"), job(&two, "a")]).await.expect("submit"), 2);
    store.complete(&outcome(&one, "a", 1)).await.expect("complete");
    assert!(claim(store.as_ref(), &one, 9, now()).await.is_empty());
    assert_eq!(claim(store.as_ref(), &two, 9, now()).await, [("a".to_owned(), 1)]);
    assert!(store.outcomes(&two).await.expect("outcomes").is_empty());
    assert_eq!(store.progress(&campaign("three")).await.expect("progress"), Progress::default());
}

async fn an_outcome_of_no_job_is_refused(store: Arc<dyn JobStore>) {
    let campaign = with_jobs(store.as_ref(), &["a"]).await;
    let error = store.complete(&outcome(&campaign, "z", 1)).await.expect_err("there is no such job");
    assert!(error.to_string().contains("`z`"), "{error}");
}

async fn claims_at_the_same_time_never_share_a_job(store: Arc<dyn JobStore>) {
    let ids: Vec<String> = (0..40).map(|number| number.to_string()).collect();
    let campaign = with_jobs(store.as_ref(), &ids.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let mut workers = JoinSet::new();
    for _ in 0..8 {
        let (store, campaign) = (Arc::clone(&store), campaign.clone());
        workers.spawn(async move {
            let mut mine = Vec::new();
            loop {
                let claims = claim(store.as_ref(), &campaign, 3, now()).await;
                if claims.is_empty() {
                    break mine;
                }
                mine.extend(claims);
            }
        });
    }
    let mut all = Vec::new();
    while let Some(mine) = workers.join_next().await {
        all.extend(mine.expect("no worker dies"));
    }
    assert_eq!(all.len(), 40);
    assert_eq!(all.iter().map(|(name, _)| name).collect::<BTreeSet<_>>().len(), 40, "a job was claimed twice");
}

async fn outcomes_at_the_same_time_are_accepted_once(store: Arc<dyn JobStore>) {
    let campaign = with_jobs(store.as_ref(), &["a"]).await;
    let mut workers = JoinSet::new();
    for fence in 1..9 {
        let (store, campaign) = (Arc::clone(&store), campaign.clone());
        workers.spawn(async move { store.complete(&outcome(&campaign, "a", fence)).await.expect("complete") });
    }
    let mut accepted = 0;
    while let Some(done) = workers.join_next().await {
        accepted += usize::from(done.expect("no worker dies"));
    }
    assert_eq!((accepted, store.outcomes(&campaign).await.expect("outcomes").len()), (1, 1));
}
