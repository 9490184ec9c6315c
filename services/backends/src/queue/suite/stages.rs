//! How the stages of a campaign follow each other.

use super::*;
use domain::campaign::Wish;
use domain::service::QuarantineVerdict;
use domain::stage::{Stage, StageWork, Stages};
use domain::storage::StorageError;

fn run() -> CampaignId {
    CampaignId::new("run")
}

/// Campaign `run` of so many jobs, with stages of these names after them.
async fn staged(store: &dyn JobStore, jobs: u64, names: &[&str]) {
    let stage = |name: &&str| Stage { name: (*name).to_owned(), of: Vec::new(), does: StageWork::Again(Vec::new()) };
    let stages = Stages { jobs, then: names.iter().map(stage).collect() };
    let campaign = Campaign { stages: Some(stages), ..campaign("run") };
    assert!(store.create(&campaign, start()).await.expect("create"));
}

async fn submit(store: &dyn JobStore, ids: &[&str]) {
    let jobs: Vec<Submission> = ids.iter().map(|id| submission(id)).collect();
    assert_eq!(store.submit(&jobs, start()).await.expect("submit"), ids.len() as u64);
}

/// The jobs of the campaign, and its stage at hand.
async fn stand(store: &dyn JobStore) -> (Vec<String>, u32) {
    let jobs = store.jobs(&run(), 0, 100).await.expect("jobs").into_iter().map(|job| job.id.0).collect();
    let stage = store.campaigns(Some(&run()), start()).await.expect("standing")[0].stage;
    (jobs, stage)
}

fn is(jobs: &[&str], stage: u32) -> (Vec<String>, u32) {
    (jobs.iter().map(|job| (*job).to_owned()).collect(), stage)
}

pub(super) async fn the_next_stage_comes_once_when_the_last_job_of_a_stage_ends(store: Arc<dyn JobStore>) {
    let store = store.as_ref();
    staged(store, 2, &["again", "more"]).await;
    submit(store, &["a", "b"]).await;
    let mut log = Log(0);
    log.write(store, vec![judged("a", 1)], start()).await;
    assert_eq!(stand(store).await, is(&["a", "b"], 1));
    log.write(store, vec![judged("b", 1), judged("b", 1)], start()).await;
    assert_eq!(stand(store).await, is(&["a", "b", "a~again", "b~again"], 2));
    // Records that come again, and later ends of earlier jobs, change nothing.
    log.write(store, vec![judged("a", 2), cancelled("b")], start()).await;
    Log(0).write(store, vec![judged("a", 1), judged("b", 1)], start()).await;
    assert_eq!(stand(store).await, is(&["a", "b", "a~again", "b~again"], 2));
    let claims = claim(store, 9, start()).await;
    assert_eq!((names(&claims), claims[0].fence), (vec!["a~again", "b~again"], Fence(1)));
    assert_eq!(claims[0].trace_parent, "trace of a");
    log.write(store, vec![judged("a~again", 1), judged("b~again", 1)], start()).await;
    assert_eq!(stand(store).await, is(&["a", "b", "a~again", "b~again", "a~more", "b~more"], 3));
    log.write(store, vec![judged("a~more", 1), judged("b~more", 1)], start()).await;
    assert_eq!(tally(store).await, Tally { jobs: 6, judged: 6, ..Tally::default() });
}

pub(super) async fn the_last_jobs_of_a_stage_that_end_at_the_same_time_begin_one_stage(store: Arc<dyn JobStore>) {
    const JOBS: u64 = 12;
    staged(store.as_ref(), JOBS, &["again"]).await;
    let ids: Vec<String> = (0..JOBS).map(|number| format!("job-{number:02}")).collect();
    submit(store.as_ref(), &ids.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let mut ends = tokio::task::JoinSet::new();
    for (partition, id) in (0..).zip(&ids) {
        let (store, mut record) = (store.clone(), at(Topic::Outcomes, 0, Some(judged(id, 1))));
        record.from.place.partition = partition;
        ends.spawn(async move { store.apply(GROUP, &[record], start(), &retry(), &Again).await });
    }
    while let Some(ended) = ends.join_next().await {
        ended.expect("no panic").expect("apply");
    }
    let again = ids.iter().map(|id| format!("{id}~again"));
    assert_eq!(stand(store.as_ref()).await, (ids.iter().cloned().chain(again).collect(), 2));
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 2 * JOBS, judged: JOBS, waiting: JOBS, ..Tally::default() });
}

pub(super) async fn a_stage_waits_for_all_jobs_that_are_to_be_handed_in(store: Arc<dyn JobStore>) {
    let store = store.as_ref();
    staged(store, 2, &["again"]).await;
    submit(store, &["a"]).await;
    let mut log = Log(0);
    log.write(store, vec![judged("a", 1)], start()).await;
    assert_eq!(stand(store).await, is(&["a"], 1));
    submit(store, &["b"]).await;
    log.write(store, vec![judged("b", 1)], start()).await;
    assert_eq!(stand(store).await, is(&["a", "b", "a~again", "b~again"], 2));
}

pub(super) async fn a_stage_without_jobs_is_over_at_once(store: Arc<dyn JobStore>) {
    let store = store.as_ref();
    staged(store, 1, &["again", "more"]).await;
    submit(store, &["a"]).await;
    Log(0).write(store, vec![cancelled("a")], start()).await;
    assert_eq!(stand(store).await, is(&["a"], 3));
    assert_eq!(tally(store).await, Tally { jobs: 1, cancelled: 1, ..Tally::default() });
}

/// Loses `a` for good, and has its quarantine applied.
async fn quarantine(store: &dyn JobStore, log: &mut Log) {
    log.write(store, vec![lost("a", 1, Failure::Unusable)], start()).await;
    log.send(store, start()).await;
}

pub(super) async fn a_stage_that_is_over_stays_over_when_a_job_is_taken_back(store: Arc<dyn JobStore>) {
    let store = store.as_ref();
    staged(store, 2, &["again"]).await;
    submit(store, &["a", "b"]).await;
    let mut log = Log(0);
    claim(store, 1, start()).await;
    quarantine(store, &mut log).await;
    log.write(store, vec![judged("b", 1)], start()).await;
    assert_eq!(stand(store).await, is(&["a", "b", "b~again"], 2));
    store.settle(&run(), &[JobId::new("a")], QuarantineVerdict::Retry).await.expect("settle");
    log.send(store, start()).await;
    assert_eq!(names(&claim(store, 9, after(1)).await), ["a", "b~again"]);
    log.write(store, vec![judged("b~again", 1)], start()).await;
    log.write(store, vec![judged("a", 2)], start()).await;
    assert_eq!(stand(store).await, is(&["a", "b", "b~again"], 2));
    assert_eq!(tally(store).await, Tally { jobs: 3, judged: 3, ..Tally::default() });
}

pub(super) async fn a_job_that_comes_out_of_quarantine_holds_its_stage_up(store: Arc<dyn JobStore>) {
    let store = store.as_ref();
    staged(store, 2, &["again"]).await;
    submit(store, &["a", "b"]).await;
    let mut log = Log(0);
    claim(store, 1, start()).await;
    quarantine(store, &mut log).await;
    store.settle(&run(), &[JobId::new("a")], QuarantineVerdict::Retry).await.expect("settle");
    log.write(store, vec![judged("b", 1)], start()).await;
    assert_eq!(stand(store).await, is(&["a", "b"], 1));
    log.send(store, start()).await;
    log.write(store, vec![judged("a", 2)], start()).await;
    assert_eq!(stand(store).await, is(&["a", "b", "a~again", "b~again"], 2));
}

pub(super) async fn a_cancelled_campaign_has_no_next_stage(store: Arc<dyn JobStore>) {
    let store = store.as_ref();
    staged(store, 2, &["again"]).await;
    submit(store, &["a", "b"]).await;
    let mut log = Log(0);
    log.write(store, vec![judged("a", 1)], start()).await;
    store.wish(&run(), Wish::Cancel).await.expect("cancel");
    log.send(store, start()).await;
    assert_eq!(stand(store).await, is(&["a", "b"], 1));
    assert_eq!(tally(store).await, Tally { jobs: 2, judged: 1, cancelled: 1, ..Tally::default() });
}

pub(super) async fn a_campaign_with_stages_takes_as_many_jobs_as_it_says(store: Arc<dyn JobStore>) {
    let store = store.as_ref();
    staged(store, 1, &["again"]).await;
    let refused = async |jobs: &[Submission]| match store.submit(jobs, start()).await {
        Err(StorageError::Conflict(cause)) => cause,
        other => panic!("{other:?}"),
    };
    assert!(refused(&[submission("a~again")]).await.contains("contains `~`"));
    assert!(refused(&[submission("a"), submission("b")]).await.contains("job `b` is one too many"));
    assert_eq!(stand(store).await, is(&[], 1));
    submit(store, &["a"]).await;
    assert!(refused(&[submission("b")]).await.contains("has all 1 jobs"));
    assert_eq!(store.submit(&[submission("a")], start()).await.expect("the same again"), 0);
    let record = at(Topic::Jobs, 0, Some(submission("b")));
    let aside = store.ingest(GROUP, &[record], start()).await.expect("ingest");
    assert_eq!(aside.len(), 1);
    Log(0).write(store, vec![judged("a", 1)], start()).await;
    assert!(refused(&[submission("b")]).await.contains("one too many"));
    assert_eq!(stand(store).await, is(&["a", "a~again"], 2));
}

pub(super) async fn a_stage_may_be_on_another_host_than_the_one_before(store: Arc<dyn JobStore>) {
    let store = store.as_ref();
    staged(store, 1, &["on-other"]).await;
    submit(store, &["a"]).await;
    Log(0).write(store, vec![judged("a", 1)], start()).await;
    assert!(claim(store, 9, start()).await.is_empty());
    let lanes = store.demand(start()).await.expect("demand");
    assert_eq!(lanes.iter().map(|lane| (lane.host.as_str(), lane.claimable)).collect::<Vec<_>>(), [("other", 1)]);
    let claimed = store.claim(&[pick("run", "other", 9)], "crawler", start(), LEASE).await.expect("claim");
    assert_eq!(names(&claimed), ["a~on-other"]);
}
