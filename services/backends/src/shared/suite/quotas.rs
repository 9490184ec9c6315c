//! What something may be asked at most.

use super::SharedServices;
use domain::campaign::Rate;
use domain::storage::shared::{PLACE, Permission, Quotas};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

const RATE: Rate = Rate { per_second: 100.0, burst: 100 };

/// Waits until so much can be drawn, and draws it.
async fn draw(quotas: &dyn Quotas, amount: u32) {
    loop {
        match quotas.draw("tokens", amount, RATE).await.expect("draw") {
            Permission::Now => return,
            Permission::After(wait) => tokio::time::sleep(wait).await,
        }
    }
}

/// Waits for a place and takes it.
pub(crate) async fn enter(quotas: &dyn Quotas, places: u32, holder: &str) {
    loop {
        match quotas.enter("calls", places, holder).await {
            Ok(Permission::Now) => return,
            Ok(Permission::After(wait)) => tokio::time::sleep(wait).await,
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    }
}

pub(super) async fn what_is_drawn_is_within_the_rate_and_what_was_not_needed_comes_back(shared: SharedServices) {
    let quotas = shared.quotas.as_ref();
    draw(quotas, 100).await;
    let Permission::After(wait) = quotas.draw("tokens", 100, RATE).await.expect("draw") else {
        panic!("all was drawn")
    };
    assert!(wait > Duration::from_millis(400), "{wait:?}");
    quotas.settle("tokens", 100, 20, RATE).await.expect("settle");
    let Permission::Now = quotas.draw("tokens", 70, RATE).await.expect("draw") else { panic!("eighty came back") };
    quotas.settle("tokens", 70, 270, RATE).await.expect("settle");
    let Permission::After(wait) = quotas.draw("tokens", 1, RATE).await.expect("draw") else { panic!("it owes") };
    assert!(wait > Duration::from_millis(900), "{wait:?}");
    assert_ne!(quotas.draw("others", 100, RATE).await.expect("draw"), Permission::Now, "what is not known is empty");
}

pub(super) async fn more_than_comes_together_is_refused(shared: SharedServices) {
    let error = shared.quotas.draw("tokens", 101, RATE).await.expect_err("refused");
    assert!(error.to_string().contains("`tokens`"), "{error}");
    let none = Rate { per_second: 0.0, burst: 1 };
    shared.quotas.draw("tokens", 1, none).await.expect_err("no rate");
}

pub(super) async fn no_more_than_the_places_are_inside_at_once_and_each_gets_its_turn(shared: SharedServices) {
    let (inside, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let mut clients = JoinSet::new();
    for client in 0..12 {
        let (quotas, inside, most) = (Arc::clone(&shared.quotas), Arc::clone(&inside), Arc::clone(&most));
        clients.spawn(async move {
            let holder = format!("client-{client}");
            enter(quotas.as_ref(), 3, &holder).await;
            most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(80)).await;
            inside.fetch_sub(1, Ordering::SeqCst);
            quotas.leave("calls", &holder).await.expect("leave");
        });
    }
    while let Some(done) = clients.join_next().await {
        done.expect("it had its turn");
    }
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

pub(super) async fn a_holder_keeps_its_place_by_signs_of_life_and_loses_it_without(shared: SharedServices) {
    let quotas = shared.quotas.as_ref();
    enter(quotas, 2, "lively").await;
    enter(quotas, 2, "gone").await;
    enter(quotas, 2, "lively").await;
    for _ in 0..3 {
        tokio::time::sleep(PLACE / 4).await;
        quotas.stay("calls", "lively").await.expect("stay");
        assert_ne!(quotas.enter("calls", 2, "third").await.expect("enter"), Permission::Now);
    }
    tokio::time::sleep(PLACE / 3).await;
    assert_eq!(quotas.enter("calls", 2, "third").await.expect("enter"), Permission::Now, "one is gone");
    assert_ne!(quotas.enter("calls", 2, "fourth").await.expect("enter"), Permission::Now, "the other is not");
    quotas.leave("calls", "third").await.expect("leave");
    assert_eq!(quotas.enter("calls", 2, "fourth").await.expect("enter"), Permission::Now);
    quotas.stay("calls", "stranger").await.expect("who has no place gets none by saying so");
    assert_ne!(quotas.enter("calls", 2, "stranger").await.expect("enter"), Permission::Now);
}
