//! Records, offsets, the outbox; many clients at once.

use super::*;
use tokio::task::JoinSet;

pub(super) async fn records_below_the_stored_offset_change_nothing(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a", "b", "c"]).await;
    let write = async |records: &[Decoded<Closing>]| {
        store.apply(GROUP, records, start(), &retry(), &Again).await.expect("apply");
    };
    let outcome = |offset, id| at(Topic::Outcomes, offset, Some(judged(id, 1)));
    write(&[outcome(4, "a"), outcome(6, "b")]).await;
    write(&[outcome(5, "c"), outcome(6, "c")]).await;
    assert_eq!(tally(store.as_ref()).await.judged, 2, "5 and 6 were passed already");
    write(&[outcome(6, "c"), outcome(7, "c"), outcome(7, "c")]).await;
    assert_eq!(tally(store.as_ref()).await.judged, 3);
    assert_eq!(store.offsets(GROUP, Topic::Outcomes).await.expect("offsets"), [(0, 8)].into());
}

pub(super) async fn offsets_are_stored_per_group_topic_and_partition(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a", "b"]).await;
    let mut other = at(Topic::Outcomes, 2, Some(judged("b", 1)));
    other.from.place.partition = 7;
    let records = [at(Topic::Outcomes, 9, Some(judged("a", 1))), other];
    store.apply(GROUP, &records, start(), &retry(), &Again).await.expect("apply");
    store.ingest(GROUP, &[at(Topic::Jobs, 0, Some(submission("c")))], start()).await.expect("ingest");
    let offsets = async |group: &str, topic| store.offsets(group, topic).await.expect("offsets");
    assert_eq!(offsets(GROUP, Topic::Outcomes).await, [(0, 10), (7, 3)].into());
    assert_eq!(offsets(GROUP, Topic::Jobs).await, [(0, 1)].into());
    assert!(offsets("another", Topic::Outcomes).await.is_empty());
}

pub(super) async fn what_cannot_be_read_moves_the_offset_only(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let records = [at(Topic::Outcomes, 0, None), at(Topic::Outcomes, 1, Some(judged("a", 1)))];
    store.apply(GROUP, &records, start(), &retry(), &Again).await.expect("apply");
    let unknown = at(Topic::Outcomes, 2, Some(judged("nobody", 1)));
    store.apply(GROUP, &[unknown, at(Topic::Outcomes, 3, None)], start(), &retry(), &Again).await.expect("apply");
    assert_eq!(tally(store.as_ref()).await, Tally { jobs: 1, judged: 1, ..Tally::default() });
    assert_eq!(store.offsets(GROUP, Topic::Outcomes).await.expect("offsets"), [(0, 4)].into());
}

pub(super) async fn ingesting_stores_nothing_until_what_it_refuses_was_put_aside(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let mut other = submission("a");
    other.job.work = submission("z").job.work;
    let nobody = on_host("nobody", "x", "host");
    let said = [Some(submission("b")), Some(other), None, Some(nobody), Some(submission("a")), Some(submission("c"))];
    let mut records: Vec<_> = (0..).zip(said).map(|(offset, says)| at(Topic::Jobs, offset, says)).collect();
    let refused = store.ingest(GROUP, &records, start()).await.expect("ingest");
    assert_eq!(refused.iter().map(|(record, _)| record.place.offset).collect::<Vec<_>>(), [1, 3]);
    assert!(refused[0].1.contains("`a`") && refused[1].1.contains("`nobody`"), "{refused:?}");
    assert_eq!(tally(store.as_ref()).await.jobs, 1);
    assert!(store.offsets(GROUP, Topic::Jobs).await.expect("offsets").is_empty());
    for (record, _) in refused {
        records[record.place.offset as usize].says = None;
    }
    for _ in 0..2 {
        assert!(store.ingest(GROUP, &records, start()).await.expect("again").is_empty());
    }
    assert_eq!(names(&claim(store.as_ref(), 9, start()).await), ["a", "b", "c"]);
    assert_eq!(store.offsets(GROUP, Topic::Jobs).await.expect("offsets"), [(0, 6)].into());
    assert_eq!(tally(store.as_ref()).await.jobs, 3);
}

pub(super) async fn the_outbox_keeps_its_order_until_it_is_told(store: Arc<dyn JobStore>) {
    let ids: Vec<String> = (0..250).map(|number| format!("{:03}", 999 - number)).collect();
    with_jobs(store.as_ref(), &ids.iter().map(String::as_str).collect::<Vec<_>>()).await;
    store.wish(&CampaignId::new("run"), domain::campaign::Wish::Cancel).await.expect("cancel");
    let first = store.outbox(100).await.expect("outbox");
    assert_eq!(store.outbox(100).await.expect("outbox"), first, "reading takes nothing");
    let numbers: Vec<u64> = first.iter().map(|(number, _)| *number).collect();
    assert!(numbers.is_sorted());
    store.sent(&numbers).await.expect("sent");
    store.sent(&numbers).await.expect("sent again");
    let rest = store.outbox(1_000).await.expect("outbox");
    let jobs: Vec<&str> = first.iter().chain(&rest).map(|(_, record)| record.job().as_str()).collect();
    assert_eq!(jobs, ids);
}

pub(super) async fn standings_come_newest_first_and_say_what_waits(store: Arc<dyn JobStore>) {
    for name in ["old", "run", "new"] {
        store.create(&campaign(name), start()).await.expect("create");
    }
    let jobs = [("run", "a", "one"), ("run", "b", "two"), ("run", "c", "one"), ("old", "d", "one")]
        .map(|(campaign, id, host)| on_host(campaign, id, host));
    store.submit(&jobs, start()).await.expect("submit");
    let all = store.campaigns(None, start()).await.expect("standings");
    assert_eq!(all.iter().map(|standing| standing.campaign.id.as_str()).collect::<Vec<_>>(), ["new", "run", "old"]);
    assert_eq!(all[1].due, [("one".to_owned(), 2), ("two".to_owned(), 1)]);
    assert_eq!((all[1].not_due, all[1].tally.waiting), ((0, None), 3));
    assert_eq!((all[0].tally.clone(), all[0].due.len()), (Tally::default(), 0));
    let only = CampaignId::new("old");
    assert_eq!(store.campaigns(Some(&only), start()).await.expect("one").len(), 1);
    assert!(store.campaigns(Some(&CampaignId::new("none")), start()).await.expect("none").is_empty());
}

pub(super) async fn outcomes_at_the_same_time_are_counted_once(store: Arc<dyn JobStore>) {
    with_jobs(store.as_ref(), &["a"]).await;
    let mut readers = JoinSet::new();
    for _ in 0..8 {
        let store = Arc::clone(&store);
        readers.spawn(async move {
            let record = at(Topic::Outcomes, 0, Some(judged("a", 1)));
            store.apply(GROUP, &[record], start(), &retry(), &Again).await.expect("apply");
        });
    }
    readers.join_all().await;
    let standing = store.campaigns(None, start()).await.expect("standing").remove(0);
    assert_eq!((standing.tally, standing.usage), (Tally { jobs: 1, judged: 1, ..Tally::default() }, cents(1)));
}

/// Two that submit the same jobs, and eight crawlers that claim, renew, give back, lose and finish, and end leases, each
/// with a partition of its own: all at once. In the end every job has ended once.
pub(super) async fn totals_are_right_after_many_clients_at_once(store: Arc<dyn JobStore>) {
    const JOBS: u64 = 120;
    store.create(&campaign("run"), start()).await.expect("create");
    let mut clients = JoinSet::new();
    for _ in 0..2 {
        let store = Arc::clone(&store);
        clients.spawn(async move {
            for first in (0..JOBS).step_by(10) {
                let jobs: Vec<_> =
                    (first..first + 10).map(|job| on_host("run", &job.to_string(), &format!("h{}", job % 3))).collect();
                store.submit(&jobs, start()).await.expect("submit");
            }
        });
    }
    for crawler in 0..8 {
        clients.spawn(work_until_nothing_is_left(Arc::clone(&store), crawler));
    }
    while let Some(done) = clients.join_next().await {
        done.expect("no client fails");
    }
    work_until_nothing_is_left(Arc::clone(&store), 8).await;
    let standing = store.campaigns(None, start()).await.expect("standing").remove(0);
    assert_eq!(standing.tally, Tally { jobs: JOBS, judged: JOBS, ..Tally::default() });
    assert!(store.demand(after(1_000_000)).await.expect("demand").is_empty());
}

async fn work_until_nothing_is_left(store: Arc<dyn JobStore>, crawler: u32) {
    // Pauses after losses, which begin at the start, are over by then.
    let now = after(100_000);
    let name = format!("crawler {crawler}");
    let (mut offset, mut idle) = (0, 0);
    while idle < 20 {
        let picks: Vec<_> = (0..3).map(|host| pick("run", &format!("h{host}"), 2)).collect();
        let claims = store.claim(&picks, &name, now, LEASE).await.expect("claim");
        idle = if claims.is_empty() { idle + 1 } else { 0 };
        let tickets: Vec<_> = claims.iter().map(|claim| ticket(claim.job.id.as_str(), claim.fence.0)).collect();
        assert!(store.renew(&tickets, now, LEASE).await.expect("renew").is_empty());
        let mut records = Vec::new();
        for (number, held) in tickets.iter().enumerate() {
            let (id, fence) = (held.job.as_str(), held.fence.0);
            let closing = match number {
                0 if fence == 1 => {
                    store.release(std::slice::from_ref(held)).await.expect("release");
                    continue;
                }
                1 if fence == 1 => lost(id, fence, Failure::NoSlot),
                _ => judged(id, fence),
            };
            let mut record = at(Topic::Outcomes, offset, Some(closing));
            record.from.place.partition = crawler;
            offset += 1;
            records.push(record);
        }
        store.apply(GROUP, &records, start(), &retry(), &Again).await.expect("apply");
        assert_eq!(store.expire(after(1_000), &retry()).await.expect("expire"), 0);
    }
}
