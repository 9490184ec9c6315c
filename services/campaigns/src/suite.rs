//! What every [`CampaignService`] does, whether it is the room itself or a connection to one.

use domain::campaign::{
    AttemptLimits, Campaign, ClaimRequest, Closing, Failure, LostAttempt, PlannerRef, Rate, Waiting, Wish,
};
use domain::job::{BenchmarkTask, Outcome, Work};
use domain::service::{CampaignService, Code, QuarantineVerdict};
use domain::verdict::VerdictKind;
use domain::{BlobRef, CampaignId, Ending, EpisodeId, Job, JobId, SiteId, TaskId, Usage, Verdict};
use futures::StreamExt;
use futures::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// A queue with its tasks running, and a way into its log.
#[derive(Clone)]
pub struct Subject {
    /// The queue.
    pub queue: Arc<dyn CampaignService>,
    /// Appends to topic `outcomes`, as crawlers do.
    pub close: Arc<dyn Fn(Closing) -> BoxFuture<'static, ()> + Send + Sync>,
}

/// Runs every case on a fresh queue each, and returns how many there were.
///
/// # Panics
/// When a case does not hold.
pub async fn run<F, S>(fresh: F) -> usize
where
    F: Fn() -> S,
    S: Future<Output = Subject>,
{
    let mut cases = 0;
    macro_rules! cases {
        ($($case:ident),* $(,)?) => { $( $case(fresh().await).await; cases += 1; )* };
    }
    cases![
        jobs_go_from_submission_to_their_end,
        what_cannot_be_meant_is_refused_by_its_field,
        what_is_not_there_is_said,
        a_claim_is_of_the_wanted_campaign_only,
        a_crawler_with_labels_gets_jobs_of_campaigns_that_carry_them_all,
        claims_given_back_are_claimed_again_and_old_tickets_are_lost,
        a_watcher_sees_every_job_end,
        cancelling_ends_a_campaign_through_the_log,
        a_job_that_cannot_be_used_can_be_settled,
        a_paused_campaign_says_so,
    ];
    eprintln!("campaign service: {cases} cases");
    cases
}

/// How long a case waits for what comes through the log.
const PATIENCE: Duration = Duration::from_secs(20);

fn id(name: &str) -> CampaignId {
    CampaignId::new(name)
}

fn job(campaign: &str, name: &str) -> Job {
    let task = BenchmarkTask { benchmark: "suite".into(), task: TaskId::new(name), seed: 7, relaxed: false };
    Job { id: JobId::new(name), campaign: id(campaign), work: Work::Benchmark(task) }
}

async fn with_jobs(queue: &dyn CampaignService, campaign: &str, names: &[&str]) {
    queue.create(Campaign::new(id(campaign), PlannerRef::named("ground"))).await.expect("create");
    let jobs: Vec<Job> = names.iter().map(|name| job(campaign, name)).collect();
    assert_eq!(queue.submit(jobs).await.expect("submit"), names.len() as u64);
}

async fn claim(queue: &dyn CampaignService, slots: usize) -> Vec<domain::campaign::Grant> {
    queue.claim(ClaimRequest::new("crawler", slots)).await.expect("claim")
}

fn judged(grant: &domain::campaign::Grant) -> Closing {
    Closing::Judged(Box::new(Outcome {
        job: grant.job.id.clone(),
        campaign: grant.job.campaign.clone(),
        episode: EpisodeId(Uuid::now_v7()),
        fence: grant.fence,
        task: TaskId::new("task"),
        site: SiteId::new("suite"),
        planner: "ground".into(),
        verdict: Verdict { kind: VerdictKind::Passed, reason: "confirmed".into(), evidence: Vec::new() },
        ending: Ending::EnvironmentOver,
        reward: Some(1.0),
        steps: 1,
        usage: Usage { prompt_tokens: 1, completion_tokens: 1, cost_usd: 0.25, calls: 1 },
        wall_ms: 1.0,
        incidents: Vec::new(),
        trajectory: BlobRef::new("0".repeat(64)),
    }))
}

/// Waits until a status is as wanted.
async fn until(
    queue: &dyn CampaignService,
    campaign: &str,
    what: &str,
    is_so: impl Fn(&domain::campaign::CampaignStatus) -> bool,
) {
    let wait = async {
        while !is_so(&queue.status(&id(campaign)).await.expect("status")) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, wait).await.is_ok(), "{what}");
}

async fn jobs_go_from_submission_to_their_end(subject: Subject) {
    let queue = subject.queue.as_ref();
    with_jobs(queue, "run", &["a", "b"]).await;
    let grants = claim(queue, 9).await;
    assert_eq!(grants.iter().map(|grant| grant.job.clone()).collect::<Vec<_>>(), [job("run", "a"), job("run", "b")]);
    assert!(claim(queue, 9).await.is_empty());
    let tickets: Vec<_> = grants.iter().map(domain::campaign::Grant::ticket).collect();
    assert!(queue.heartbeat(tickets).await.expect("heartbeat").is_empty());
    for grant in &grants {
        (subject.close)(judged(grant)).await;
    }
    until(queue, "run", "both are judged", |status| status.tally.judged == 2).await;
    let status = queue.status(&id("run")).await.expect("status");
    assert_eq!((status.tally.jobs, status.usage.cost_usd, status.waiting.len()), (2, 0.5, 0));
    assert_eq!(queue.list().await.expect("list"), [status]);
}

async fn what_cannot_be_meant_is_refused_by_its_field(subject: Subject) {
    let good = || Campaign::new(id("run"), PlannerRef::named("ground"));
    let mut bad = vec![
        (Campaign { id: id(""), ..good() }, "campaign.id"),
        (Campaign { id: id("a/b"), ..good() }, "campaign.id"),
        (Campaign { id: id("default::run"), ..good() }, "campaign.id"),
        (Campaign { id: id("team::"), ..good() }, "campaign.id"),
        (Campaign { share: 0, ..good() }, "campaign.share"),
        (Campaign { planner: PlannerRef::named(""), ..good() }, "campaign.planner.name"),
    ];
    let rates = [("h".to_owned(), Rate { per_second: 0.0, burst: 1 })].into();
    bad.push((Campaign { rates, ..good() }, "campaign.rates.h.per_second"));
    let limits = AttemptLimits { steps: Some(0), seconds: None };
    bad.push((Campaign { limits, ..good() }, "campaign.limits.steps"));
    let limits = AttemptLimits { steps: None, seconds: Some(0) };
    bad.push((Campaign { limits, ..good() }, "campaign.limits.seconds"));
    for (campaign, field) in bad {
        let error = subject.queue.create(campaign).await.expect_err(field);
        assert_eq!(error.code, Code::Invalid, "{error}");
        assert!(error.message.starts_with(field), "{error}");
    }
    with_jobs(subject.queue.as_ref(), "run", &[]).await;
    let error = subject.queue.submit(vec![job("run", "")]).await.expect_err("no id");
    assert_eq!((error.code, error.message.as_str()), (Code::Invalid, "job.id: it is empty"));
}

async fn what_is_not_there_is_said(subject: Subject) {
    let (queue, nobody) = (subject.queue.as_ref(), id("nobody"));
    let errors = [
        queue.status(&nobody).await.expect_err("status"),
        queue.wish(&nobody, Wish::Pause).await.expect_err("wish"),
        queue.quarantine(&nobody).await.expect_err("quarantine"),
        queue.settle(&nobody, Vec::new(), QuarantineVerdict::Drop).await.expect_err("settle"),
        queue.submit(vec![job("nobody", "a")]).await.expect_err("submit"),
        queue.watch(&nobody).await.err().expect("watch"),
    ];
    for error in errors {
        assert_eq!(error.code, Code::NotFound, "{error}");
        assert!(error.message.contains("`nobody`"), "{error}");
    }
    with_jobs(queue, "run", &["a"]).await;
    let mut other = Campaign::new(id("run"), PlannerRef::named("random"));
    assert_eq!(queue.create(other.clone()).await.expect_err("other settings").code, Code::Conflict);
    other.planner = PlannerRef::named("ground");
    queue.create(other).await.expect("the same settings");
}

async fn a_claim_is_of_the_wanted_campaign_only(subject: Subject) {
    let queue = subject.queue.as_ref();
    with_jobs(queue, "one", &["a", "b"]).await;
    with_jobs(queue, "two", &["a"]).await;
    let request = ClaimRequest { campaign: Some(id("two")), ..ClaimRequest::new("crawler", 9) };
    let grants = queue.claim(request).await.expect("claim");
    assert_eq!(grants.iter().map(|grant| grant.job.campaign.clone()).collect::<Vec<_>>(), [id("two")]);
    assert_eq!(claim(queue, 1).await[0].job.campaign, id("one"));
}

async fn a_crawler_with_labels_gets_jobs_of_campaigns_that_carry_them_all(subject: Subject) {
    let queue = subject.queue.as_ref();
    with_jobs(queue, "anywhere", &["a"]).await;
    let labels = |labels: &[(&str, &str)]| labels.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    let there = Campaign {
        labels: labels(&[("region", "eu"), ("owner", "qa")]),
        ..Campaign::new(id("there"), PlannerRef::named("ground"))
    };
    queue.create(there).await.expect("create");
    queue.submit(vec![job("there", "a")]).await.expect("submit");
    let asking = |wanted: &[(&str, &str)]| ClaimRequest { labels: labels(wanted), ..ClaimRequest::new("crawler", 9) };
    assert!(queue.claim(asking(&[("region", "us")])).await.expect("claim").is_empty());
    assert!(queue.claim(asking(&[("region", "eu"), ("gpu", "1")])).await.expect("claim").is_empty());
    let grants = queue.claim(asking(&[("region", "eu")])).await.expect("claim");
    assert_eq!(grants.iter().map(|grant| grant.job.campaign.clone()).collect::<Vec<_>>(), [id("there")]);
    assert_eq!(claim(queue, 9).await[0].job.campaign, id("anywhere"), "who names no label takes any job");
}

async fn claims_given_back_are_claimed_again_and_old_tickets_are_lost(subject: Subject) {
    let queue = subject.queue.as_ref();
    with_jobs(queue, "run", &["a"]).await;
    let first = claim(queue, 1).await[0].ticket();
    queue.release(vec![first.clone()]).await.expect("release");
    let second = claim(queue, 1).await[0].ticket();
    assert!(second.fence > first.fence);
    assert_eq!(queue.heartbeat(vec![first.clone(), second]).await.expect("heartbeat"), [first]);
}

async fn a_watcher_sees_every_job_end(subject: Subject) {
    let queue = subject.queue.as_ref();
    with_jobs(queue, "run", &["a", "b"]).await;
    let mut seen = queue.watch(&id("run")).await.expect("watch");
    let first = seen.next().await.expect("the status now").expect("status");
    assert_eq!(first.tally.waiting, 2);
    for grant in claim(queue, 2).await {
        (subject.close)(judged(&grant)).await;
    }
    let rest = tokio::time::timeout(PATIENCE, seen.collect::<Vec<_>>()).await.expect("the watch ends");
    let last = rest.into_iter().last().expect("a change").expect("status");
    assert_eq!(last.tally.judged, 2);
}

async fn cancelling_ends_a_campaign_through_the_log(subject: Subject) {
    let queue = subject.queue.as_ref();
    with_jobs(queue, "run", &["a", "b", "c"]).await;
    let held = claim(queue, 1).await[0].ticket();
    queue.wish(&id("run"), Wish::Cancel).await.expect("cancel");
    assert_eq!(queue.heartbeat(vec![held.clone()]).await.expect("heartbeat"), [held]);
    until(queue, "run", "all are cancelled", |status| status.tally.cancelled == 3).await;
    assert_eq!(queue.wish(&id("run"), Wish::Run).await.expect_err("resume").code, Code::Conflict);
}

async fn a_job_that_cannot_be_used_can_be_settled(subject: Subject) {
    let queue = subject.queue.as_ref();
    with_jobs(queue, "run", &["a"]).await;
    for verdict in [QuarantineVerdict::Retry, QuarantineVerdict::Drop] {
        let lost = LostAttempt {
            ticket: claim(queue, 1).await[0].ticket(),
            episode: EpisodeId(Uuid::now_v7()),
            failure: Failure::Unusable,
            cause: "no such benchmark".into(),
            usage: Usage::default(),
            wall_ms: 0.0,
        };
        (subject.close)(Closing::Lost(lost)).await;
        until(queue, "run", "it is in quarantine", |status| status.tally.quarantined == 1).await;
        let there = queue.quarantine(&id("run")).await.expect("quarantine");
        assert_eq!((there.len(), there[0].causes.as_slice()), (1, ["no such benchmark".to_owned()].as_slice()));
        assert_eq!(queue.settle(&id("run"), vec![JobId::new("a")], verdict).await.expect("settle"), 1);
        until(queue, "run", "it is out of quarantine", |status| status.tally.quarantined == 0).await;
    }
    until(queue, "run", "it is cancelled", |status| status.tally.cancelled == 1).await;
}

async fn a_paused_campaign_says_so(subject: Subject) {
    let queue = subject.queue.as_ref();
    with_jobs(queue, "run", &["a", "b"]).await;
    let waiting = async || queue.status(&id("run")).await.expect("status").waiting;
    assert_eq!(waiting().await, [(Waiting::Capacity, 2)]);
    queue.wish(&id("run"), Wish::Pause).await.expect("pause");
    assert!(claim(queue, 1).await.is_empty());
    assert_eq!(waiting().await, [(Waiting::Resume, 2)]);
    queue.wish(&id("run"), Wish::Run).await.expect("resume");
    assert_eq!(claim(queue, 9).await.len(), 2);
    assert!(waiting().await.is_empty());
}
