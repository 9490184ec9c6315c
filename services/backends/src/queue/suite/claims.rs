//! Creating, submitting, claiming, leases.

use super::*;
use domain::campaign::{Rate, Wish};
use domain::storage::StorageError;
use std::collections::BTreeSet;
use tokio::task::JoinSet;

pub(super) async fn creating_again_changes_nothing_and_other_settings_are_refused(store: Arc<dyn JobStore>) {
    let mut settings = campaign("run");
    assert!(store.create(&settings, start()).await.expect("create"));
    assert!(!store.create(&settings, after(1)).await.expect("create again"));
    settings.priority = 7;
    let error = store.create(&settings, start()).await.expect_err("other settings");
    assert!(matches!(&error, StorageError::Conflict(message) if message.contains("`run`")), "{error}");
    assert_eq!(store.campaigns(None, start()).await.expect("list")[0].campaign.priority, 0);
}

pub(super) async fn submitting_again_changes_nothing(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a", "b"]).await;
    claim(store.as_ref(), 1, start()).await;
    let again = [submission("a"), submission("b"), submission("c"), submission("c")];
    assert_eq!(store.submit(&again, after(5)).await.expect("submit again"), 1);
    assert_eq!(store.submit(&again, after(6)).await.expect("and again"), 0);
    assert_eq!(names(&claim(store.as_ref(), 9, after(9)).await), ["b", "c"], "`a` is still under way");
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 3, running: 3, ..Tally::default() });
}

pub(super) async fn a_job_with_other_work_is_refused_and_none_is_added(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let mut other = submission("a");
    other.job.work = submission("z").job.work;
    let error = store.submit(&[submission("b"), other], start()).await.expect_err("other work");
    assert!(matches!(&error, StorageError::Conflict(message) if message.contains("`a`")), "{error}");
    assert_eq!(tally(store.as_ref()).await.jobs, 1);
    assert_eq!(names(&claim(store.as_ref(), 9, start()).await), ["a"]);
}

pub(super) async fn jobs_are_listed_in_order_of_submission_whatever_became_of_them(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["c", "a", "b"]).await;
    claim(store.as_ref(), 1, start()).await;
    let list = async |skip, limit| store.jobs(&CampaignId::new("run"), skip, limit).await.expect("list");
    assert_eq!(list(0, 9).await, ["c", "a", "b"].map(|id| submission(id).job));
    assert_eq!(list(1, 1).await, [submission("a").job]);
    assert_eq!(list(3, 9).await, []);
    let unknown = store.jobs(&CampaignId::new("none"), 0, 9).await.expect_err("no campaign");
    assert!(matches!(unknown, StorageError::NotFound(_)), "{unknown}");
}

pub(super) async fn jobs_of_no_campaign_are_refused(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &[]).await;
    let jobs = [submission("a"), on_host("elsewhere", "b", "host")];
    let error = store.submit(&jobs, start()).await.expect_err("no such campaign");
    assert!(matches!(&error, StorageError::NotFound(message) if message.contains("`elsewhere`")), "{error}");
    assert_eq!(tally(store.as_ref()).await.jobs, 0);
}

pub(super) async fn jobs_are_claimed_in_order_of_submission_as_they_were_submitted(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["c", "a", "b"]).await;
    let claims = claim(store.as_ref(), 2, start()).await;
    let expected = ["c", "a"].map(|id| Claimed {
        job: submission(id).job,
        fence: Fence(1),
        campaign: campaign("run"),
        trace_parent: format!("trace of {id}"),
    });
    assert_eq!(claims, expected);
    assert_eq!(names(&claim(store.as_ref(), 9, start()).await), ["b"]);
    assert!(claim(store.as_ref(), 9, start()).await.is_empty());
}

pub(super) async fn a_claim_takes_from_the_lane_that_was_picked_only(store: Arc<dyn JobStore>) {
    for name in ["run", "other"] {
        store.create(&campaign(name), start()).await.expect("create");
    }
    let jobs = [("run", "a", "one"), ("run", "b", "two"), ("other", "c", "one"), ("run", "d", "one")]
        .map(|(campaign, id, host)| on_host(campaign, id, host));
    store.submit(&jobs, start()).await.expect("submit");
    let picks = [pick("run", "one", 1), pick("other", "one", 5), pick("other", "two", 5), pick("none", "one", 5)];
    let claims = store.claim(&picks, "crawler", start(), LEASE).await.expect("claim");
    assert_eq!(names(&claims), ["a", "c"]);
}

pub(super) async fn a_fence_is_given_once_and_grows(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let mut fences = Vec::new();
    for _ in 0..4 {
        let claims = claim(store.as_ref(), 1, start()).await;
        fences.push(claims[0].fence.0);
        store.release(&[ticket("a", claims[0].fence.0)]).await.expect("release");
    }
    assert_eq!(fences, [1, 2, 3, 4]);
}

pub(super) async fn a_lease_holds_until_it_is_ended(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    claim(store.as_ref(), 1, start()).await;
    assert_eq!(store.expire(after(29_999), &retry()).await.expect("expire"), 0);
    assert!(claim(store.as_ref(), 1, after(29_999)).await.is_empty());
    assert_eq!(store.expire(after(30_000), &retry()).await.expect("expire"), 1);
    assert_eq!(store.expire(after(30_000), &retry()).await.expect("expire again"), 0);
    let again = claim(store.as_ref(), 1, after(30_500)).await;
    assert_eq!((names(&again), again[0].fence), (vec!["a"], Fence(2)));
}

pub(super) async fn a_renewed_lease_holds_longer_and_lost_tickets_are_named(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a", "b", "c"]).await;
    claim(store.as_ref(), 3, start()).await;
    store.release(&[ticket("b", 1)]).await.expect("release");
    assert_eq!(names(&claim(store.as_ref(), 1, start()).await), ["b"]);
    let tickets = [ticket("c", 1), ticket("b", 1), ticket("nobody", 1), ticket("a", 1), ticket("b", 2)];
    let gone = store.renew(&tickets, after(20_000), LEASE).await.expect("renew");
    assert_eq!(gone, [ticket("b", 1), ticket("nobody", 1)]);
    assert_eq!(store.expire(after(40_000), &retry()).await.expect("expire"), 0);
    assert_eq!(store.expire(after(50_000), &retry()).await.expect("expire"), 3);
}

pub(super) async fn a_job_given_back_can_be_claimed_at_once(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a", "b"]).await;
    claim(store.as_ref(), 1, start()).await;
    store.release(&[ticket("a", 1)]).await.expect("release");
    assert_eq!(names(&claim(store.as_ref(), 1, start()).await), ["a"], "in its old place");
}

pub(super) async fn a_ticket_that_holds_no_more_gives_nothing_back(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    claim(store.as_ref(), 1, start()).await;
    store.release(&[ticket("a", 1)]).await.expect("release");
    claim(store.as_ref(), 1, start()).await;
    store.release(&[ticket("a", 1), ticket("a", 3), ticket("nobody", 1)]).await.expect("release");
    assert!(claim(store.as_ref(), 1, start()).await.is_empty());
    Log(0).write(store.as_ref(), vec![judged("a", 2)], start()).await;
    store.release(&[ticket("a", 2)]).await.expect("release after the end");
    assert!(claim(store.as_ref(), 1, after(100_000)).await.is_empty());
}

pub(super) async fn demand_counts_what_can_be_claimed_and_what_is_under_way(store: Arc<dyn JobStore>) {
    let rate = Rate { per_second: 2.0, burst: 3 };
    let mut settings = campaign("run");
    settings.rates.insert("slow".into(), rate);
    settings.priority = 3;
    settings.share = 2;
    store.create(&settings, start()).await.expect("create");
    let jobs = [("a", "fast"), ("b", "fast"), ("c", "slow"), ("d", "slow")].map(|(id, host)| on_host("run", id, host));
    store.submit(&jobs, start()).await.expect("submit");
    store.claim(&[pick("run", "slow", 1), pick("run", "fast", 2)], "crawler", start(), LEASE).await.expect("claim");
    Log(0).write(store.as_ref(), vec![lost("a", 1, Failure::NoSlot), judged("b", 1)], start()).await;
    let counts = |lanes: &[Lane]| -> Vec<(String, u64, u64)> {
        lanes.iter().map(|lane| (lane.host.clone(), lane.claimable, lane.running)).collect()
    };
    let now = store.demand(start()).await.expect("demand");
    assert_eq!((now[0].priority, now[0].share, now[0].rate), (3, 2, Some(rate)));
    assert_eq!(counts(&now), [("slow".to_owned(), 1, 1)], "the lost one is not due yet");
    let later = store.demand(after(500)).await.expect("demand");
    assert_eq!(counts(&later), [("fast".to_owned(), 1, 0), ("slow".to_owned(), 1, 1)]);
}

pub(super) async fn a_paused_campaign_is_not_claimed_and_a_resumed_one_is(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a", "b"]).await;
    claim(store.as_ref(), 1, start()).await;
    let run = CampaignId::new("run");
    store.wish(&run, Wish::Pause).await.expect("pause");
    assert!(claim(store.as_ref(), 9, start()).await.is_empty());
    let lanes = store.demand(start()).await.expect("demand");
    assert_eq!(lanes.iter().map(|lane| (lane.claimable, lane.running)).collect::<Vec<_>>(), [(0, 1)]);
    assert_eq!(store.renew(&[ticket("a", 1)], start(), LEASE).await.expect("renew"), [], "what is under way goes on");
    store.wish(&run, Wish::Run).await.expect("resume");
    assert_eq!(names(&claim(store.as_ref(), 9, start()).await), ["b"]);
    let error = store.wish(&CampaignId::new("nobody"), Wish::Pause).await.expect_err("no such campaign");
    assert!(matches!(&error, StorageError::NotFound(_)), "{error}");
}

pub(super) async fn claims_at_the_same_time_never_share_a_job(store: Arc<dyn JobStore>) {
    let ids: Vec<String> = (0..60).map(|number| number.to_string()).collect();
    with_jobs(store.as_ref(), &ids.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let mut crawlers = JoinSet::new();
    for _ in 0..8 {
        let store = Arc::clone(&store);
        crawlers.spawn(async move {
            let mut mine = Vec::new();
            // A claim passes over what another one has just locked, so that it may come back empty too early.
            let mut empty = 0;
            while empty < 3 {
                let claims = claim(store.as_ref(), 3, start()).await;
                empty = if claims.is_empty() { empty + 1 } else { 0 };
                mine.extend(claims.into_iter().map(|claim| claim.job.id.0));
            }
            mine
        });
    }
    let all = crawlers.join_all().await.concat();
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "a job was claimed twice");
    let rest = claim(store.as_ref(), 60, start()).await;
    assert_eq!(all.len() + rest.len(), 60);
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 60, running: 60, ..Tally::default() });
}
