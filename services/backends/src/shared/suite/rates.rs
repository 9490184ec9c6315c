//! How fast hosts may be visited.

use super::SharedServices;
use domain::campaign::Rate;
use domain::storage::shared::{Permission, RateLimit};
use platform::clock::{Clock, SystemClock};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

fn rate(per_second: f64, burst: u32) -> Rate {
    Rate { per_second, burst }
}

async fn take(rates: &dyn RateLimit, host: &str, rate: Rate) -> Permission {
    rates.take(host, rate).await.expect("take")
}

pub(super) async fn a_host_that_is_not_known_waits_for_its_first_permission(shared: SharedServices) {
    let rate = rate(10.0, 5);
    let Permission::After(wait) = take(shared.rates.as_ref(), "a", rate).await else { panic!("it starts full") };
    assert!(wait <= Duration::from_millis(100), "{wait:?}");
    tokio::time::sleep(wait).await;
    let Permission::Now = take(shared.rates.as_ref(), "a", rate).await else { panic!("the wait was too short") };
}

pub(super) async fn what_gathers_is_the_burst_and_no_more(shared: SharedServices) {
    // Slow enough that nothing gathers while the case asks.
    let (slow, burst) = (0.2, 3);
    let fast = rate(50.0, burst);
    take(shared.rates.as_ref(), "a", fast).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    take(shared.rates.as_ref(), "a", fast).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    shared.rates.wait("a", fast).await.expect("look");
    let mut given = 0;
    for _ in 0..10 {
        given += u32::from(take(shared.rates.as_ref(), "a", rate(slow, burst)).await == Permission::Now);
    }
    assert_eq!(given, burst);
}

pub(super) async fn looking_takes_nothing_and_ends(shared: SharedServices) {
    let rate = rate(20.0, 1);
    // Who only looks sees the wait shrink to nothing, although nobody asked for a permission before.
    let looking = async {
        loop {
            match shared.rates.wait("a", rate).await.expect("look") {
                Duration::ZERO => break,
                wait => tokio::time::sleep(wait).await,
            }
        }
    };
    tokio::time::timeout(super::LONG, looking).await.expect("the wait ends");
    assert_eq!(shared.rates.wait("a", rate).await.expect("look again"), Duration::ZERO);
    assert_eq!(take(shared.rates.as_ref(), "a", rate).await, Permission::Now);
}

pub(super) async fn hosts_are_apart(shared: SharedServices) {
    let rate = rate(20.0, 1);
    for host in ["a", "b", "a:8080", "{a}"] {
        shared.rates.wait(host, rate).await.expect("look");
    }
    tokio::time::sleep(Duration::from_millis(100)).await;
    for host in ["a", "b", "a:8080", "{a}"] {
        assert_eq!(take(shared.rates.as_ref(), host, rate).await, Permission::Now, "{host}");
    }
}

pub(super) async fn many_clients_together_get_no_more_than_the_rate_and_each_gets_some(shared: SharedServices) {
    let given = visits(shared.rates, rate(40.0, 5), 4, Duration::from_millis(1500)).await;
    for client in 0..4 {
        assert!(given.iter().any(|visit| visit.client == client), "client {client} got nothing");
    }
    assert_within(&given, rate(40.0, 5));
    assert!(given.len() >= 20, "only {} permissions in 1.5 s at 40 per second", given.len());
}

pub(super) async fn a_rate_of_nothing_is_refused(shared: SharedServices) {
    for rate in [rate(0.0, 1), rate(-1.0, 1), rate(f64::NAN, 1), rate(f64::INFINITY, 1), rate(1.0, 0)] {
        let error = shared.rates.take("shop.example", rate).await.expect_err("refused");
        assert!(error.to_string().contains("shop.example"), "{error}");
    }
}

/// A permission: it was given between these two moments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    client: usize,
    asked: Duration,
    given: Duration,
}

/// What so many clients get that ask again whenever they are told to. A limiter that cannot be asked permits nothing.
pub(crate) async fn visits(rates: Arc<dyn RateLimit>, rate: Rate, clients: usize, during: Duration) -> Vec<Visit> {
    let clock = SystemClock::default();
    let mut asking = JoinSet::new();
    for client in 0..clients {
        let rates = Arc::clone(&rates);
        asking.spawn(async move {
            let mut visits = Vec::new();
            while clock.monotonic() < during {
                let asked = clock.monotonic();
                match rates.take("shop.example", rate).await {
                    Ok(Permission::Now) => visits.push(Visit { client, asked, given: clock.monotonic() }),
                    Ok(Permission::After(wait)) => tokio::time::sleep(wait).await,
                    Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                }
            }
            visits
        });
    }
    let mut all = Vec::new();
    while let Some(visits) = asking.join_next().await {
        all.extend(visits.expect("no client dies"));
    }
    all.sort_by_key(|visit| visit.given);
    all
}

/// In no interval more than the burst and what the rate allows.
pub(crate) fn assert_within(visits: &[Visit], rate: Rate) {
    for from in visits {
        for to in visits.iter().filter(|to| to.given >= from.given) {
            // Both were surely given within these moments, and so were those that surely lie between.
            let interval = to.given.saturating_sub(from.asked);
            let inside = visits.iter().filter(|visit| visit.asked >= from.asked && visit.given <= to.given).count();
            let allowed = f64::from(rate.burst) + rate.per_second * interval.as_secs_f64();
            assert!(inside as f64 <= allowed, "{inside} visits within {interval:?}, {allowed} are allowed");
        }
    }
}
