//! Groups of consumers: what a member gets, and what happens when members come and go.

use super::{LONG, Store, append, contents, join, next};
use domain::storage::log::{EventLog, Topic};
use platform::spawn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(50);

pub(super) async fn a_subscription_reads_what_was_there_and_what_comes(log: Arc<dyn EventLog>) {
    let store = Arc::new(Store::default());
    append(log.as_ref(), Topic::Outcomes, "a", &[1]).await;
    let mut subscription = join(log.as_ref(), "readers", &[Topic::Outcomes], &store).await;
    assert_eq!(contents(&next(subscription.as_mut(), 1).await), [1]);
    let later = Arc::clone(&log);
    let appending = spawn::detached("case", async move { append(later.as_ref(), Topic::Outcomes, "a", &[2]).await });
    assert_eq!(contents(&next(subscription.as_mut(), 1).await), [2]);
    appending.await.expect("the producer lives");
}

pub(super) async fn waiting_for_nothing_ends(log: Arc<dyn EventLog>) {
    let store = Arc::new(Store::default());
    let mut subscription = join(log.as_ref(), "readers", &[Topic::Outcomes], &store).await;
    let nothing = tokio::time::timeout(LONG, subscription.next(10, SHORT)).await.expect("the wait ends");
    assert_eq!(nothing.expect("next"), []);
}

pub(super) async fn a_call_that_is_given_up_loses_nothing(log: Arc<dyn EventLog>) {
    let store = Arc::new(Store::default());
    let mut subscription = join(log.as_ref(), "readers", &[Topic::Outcomes], &store).await;
    let mut got = Vec::new();
    for number in 0..20u8 {
        append(log.as_ref(), Topic::Outcomes, "a", &[number]).await;
        let patience = Duration::from_millis(u64::from(number % 4));
        if let Ok(records) = tokio::time::timeout(patience, subscription.next(1, LONG)).await {
            got.extend(records.expect("next"));
        }
    }
    got.extend(next(subscription.as_mut(), 20 - got.len()).await);
    assert!(contents(&got).into_iter().eq(0..20), "{:?}", contents(&got));
}

pub(super) async fn topics_are_read_together_and_only_those_that_were_asked_for(log: Arc<dyn EventLog>) {
    let store = Arc::new(Store::default());
    let topics = [Topic::Jobs, Topic::Outcomes, Topic::Trajectories];
    for (number, topic) in (0u8..).zip(topics) {
        append(log.as_ref(), topic, "a", &[number]).await;
    }
    let mut subscription = join(log.as_ref(), "readers", &topics[..2], &store).await;
    let mut read = next(subscription.as_mut(), 2).await;
    read.sort_by_key(|record| record.topic);
    assert_eq!(read.iter().map(|record| record.topic).collect::<Vec<_>>(), topics[..2]);
    assert_eq!(contents(&read), [0, 1]);
}

pub(super) async fn what_was_not_stored_is_delivered_again_after_the_subscription_is_gone(log: Arc<dyn EventLog>) {
    let store = Arc::new(Store::default());
    for number in 0..3u8 {
        append(log.as_ref(), Topic::Outcomes, "a", &[number]).await;
    }
    let mut first = join(log.as_ref(), "readers", &[Topic::Outcomes], &store).await;
    assert_eq!(contents(&next(first.as_mut(), 3).await), [0, 1, 2]);
    drop(first);
    let mut second = join(log.as_ref(), "readers", &[Topic::Outcomes], &store).await;
    assert_eq!(contents(&next(second.as_mut(), 3).await), [0, 1, 2]);
}

pub(super) async fn reading_goes_on_after_what_was_stored(log: Arc<dyn EventLog>) {
    let store = Arc::new(Store::default());
    for number in 0..3u8 {
        append(log.as_ref(), Topic::Outcomes, "a", &[number]).await;
    }
    let mut first = join(log.as_ref(), "readers", &[Topic::Outcomes], &store).await;
    let read = next(first.as_mut(), 3).await;
    store.apply("readers", &read[..2]);
    drop(first);
    let mut second = join(log.as_ref(), "readers", &[Topic::Outcomes], &store).await;
    assert_eq!(contents(&next(second.as_mut(), 1).await), [2]);
}

pub(super) async fn going_back_delivers_again_what_was_not_stored(log: Arc<dyn EventLog>) {
    let store = Arc::new(Store::default());
    for number in 0..6u8 {
        append(log.as_ref(), Topic::Outcomes, "a", &[number]).await;
    }
    let mut subscription = join(log.as_ref(), "readers", &[Topic::Outcomes], &store).await;
    let read = next(subscription.as_mut(), 6).await;
    store.apply("readers", &read[..2]);
    subscription.rewind().await.expect("rewind");
    assert_eq!(contents(&next(subscription.as_mut(), 4).await), [2, 3, 4, 5]);
    store.apply("readers", &read);
    subscription.rewind().await.expect("rewind");
    append(log.as_ref(), Topic::Outcomes, "a", &[6]).await;
    assert_eq!(contents(&next(subscription.as_mut(), 1).await), [6]);
}

pub(super) async fn a_record_that_nobody_can_read_passes_through(log: Arc<dyn EventLog>) {
    let store = Arc::new(Store::default());
    for record in [&b"good"[..], b"\xff\xfe\x00", b"", b"good again"] {
        append(log.as_ref(), Topic::Outcomes, "a", record).await;
    }
    let mut subscription = join(log.as_ref(), "readers", &[Topic::Outcomes], &store).await;
    let read = next(subscription.as_mut(), 4).await;
    let records: Vec<&[u8]> = read.iter().map(|record| record.record.as_slice()).collect();
    assert_eq!(records, [&b"good"[..], b"\xff\xfe\x00", b"", b"good again"]);
}

pub(super) async fn groups_do_not_take_from_each_other(log: Arc<dyn EventLog>) {
    let store = Arc::new(Store::default());
    append(log.as_ref(), Topic::Outcomes, "a", &[1]).await;
    for group in ["campaigns", "aggregator"] {
        let mut subscription = join(log.as_ref(), group, &[Topic::Outcomes], &store).await;
        let read = next(subscription.as_mut(), 1).await;
        store.apply(group, &read);
        assert_eq!(contents(&read), [1], "{group}");
    }
}

/// Three members come and go while ten jobs write a hundred records; whoever holds a record stores its effect beside its
/// offset. At the end there is one effect per record, in order per job.
pub(super) async fn members_come_and_go_and_every_effect_happens_once(log: Arc<dyn EventLog>) {
    let store = Arc::new(Store::default());
    let over = Arc::new(AtomicBool::new(false));
    let member = |lives: usize| {
        let (log, store, over) = (Arc::clone(&log), Arc::clone(&store), Arc::clone(&over));
        spawn::detached("case", async move {
            for life in 0..lives {
                let mut subscription = join(log.as_ref(), "readers", &[Topic::Outcomes], &store).await;
                // The last life lasts to the end; the others end with records in hand that were not stored.
                for call in 0usize.. {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    let records = subscription.next(7, SHORT).await.expect("next");
                    if life + 1 < lives && call > 3 && !records.is_empty() {
                        break;
                    }
                    store.apply("readers", &records);
                }
            }
        })
    };
    let members = [member(1), member(2), member(3)];
    for number in 0..10u8 {
        for job in 0..10 {
            append(log.as_ref(), Topic::Outcomes, &format!("run/{job}"), &[number]).await;
        }
        tokio::time::sleep(SHORT / 2).await;
    }
    let all_there = async {
        while store.effects().len() < 100 {
            tokio::time::sleep(SHORT).await;
        }
    };
    let in_time = tokio::time::timeout(2 * LONG, all_there).await.is_ok();
    over.store(true, Ordering::Relaxed);
    for member in members {
        member.await.expect("no member dies");
    }
    let effects = store.effects();
    assert!(in_time, "{} of 100 effects", effects.len());
    assert_eq!(effects.len(), 100);
    for job in 0..10 {
        let key = format!("run/{job}");
        let numbers = effects.iter().filter(|(of, _)| *of == key).map(|(_, record)| record[0]);
        assert!(numbers.eq(0..10), "the order of {key}");
    }
}
