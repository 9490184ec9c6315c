//! What every column of caches, rates and presence does: the contracts of [`domain::storage::shared`], case by case.

pub(crate) mod quotas;
pub(crate) mod rates;

use super::SharedServices;
use std::future::Future;
use std::time::Duration;
use tokio::task::JoinSet;

/// Runs every case on a fresh column each, all at the same time, and returns how many there were.
///
/// # Panics
/// When a case does not hold.
pub async fn run<F, S>(fresh: F) -> usize
where
    F: Fn() -> S,
    S: Future<Output = SharedServices>,
{
    let mut running = JoinSet::new();
    macro_rules! cases {
        ($($($path:ident)::+),* $(,)?) => { $( running.spawn($($path)::+(fresh().await)); )* };
    }
    cases![
        a_value_comes_back_whole_until_its_time_is_over,
        a_value_is_replaced_and_its_time_begins_again,
        members_are_listed_in_order_until_they_leave_or_their_time_is_over,
        rates::a_host_that_is_not_known_waits_for_its_first_permission,
        rates::what_gathers_is_the_burst_and_no_more,
        rates::looking_takes_nothing_and_ends,
        rates::hosts_are_apart,
        rates::many_clients_together_get_no_more_than_the_rate_and_each_gets_some,
        rates::a_rate_of_nothing_is_refused,
        quotas::what_is_drawn_is_within_the_rate_and_what_was_not_needed_comes_back,
        quotas::more_than_comes_together_is_refused,
        quotas::no_more_than_the_places_are_inside_at_once_and_each_gets_its_turn,
        quotas::a_holder_keeps_its_place_by_signs_of_life_and_loses_it_without,
    ];
    let cases = running.len();
    while let Some(done) = running.join_next().await {
        done.expect("a case does not hold");
    }
    eprintln!("cache, rates, presence, quotas: {cases} cases");
    cases
}

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(150);

async fn a_value_comes_back_whole_until_its_time_is_over(shared: SharedServices) {
    let cache = shared.cache;
    let content: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    assert_eq!(cache.get("a").await.expect("get"), None);
    cache.put("a", &content, LONG).await.expect("put");
    cache.put("b", b"", SHORT).await.expect("put");
    assert_eq!(cache.get("a").await.expect("get"), Some(content.clone()));
    assert_eq!(cache.get("b").await.expect("get"), Some(Vec::new()));
    tokio::time::sleep(SHORT * 2).await;
    assert_eq!(cache.get("b").await.expect("get"), None);
    assert_eq!(cache.get("a").await.expect("get"), Some(content));
}

async fn a_value_is_replaced_and_its_time_begins_again(shared: SharedServices) {
    let cache = shared.cache;
    cache.put("a", b"1", SHORT).await.expect("put");
    cache.put("a", b"2", LONG).await.expect("put");
    tokio::time::sleep(SHORT * 2).await;
    assert_eq!(cache.get("a").await.expect("get"), Some(b"2".to_vec()));
}

async fn members_are_listed_in_order_until_they_leave_or_their_time_is_over(shared: SharedServices) {
    let presence = shared.presence;
    presence.announce("crawler", "c", "three", SHORT).await.expect("announce");
    presence.announce("crawler", "b", "", LONG).await.expect("announce");
    presence.announce("crawler", "a", "one", LONG).await.expect("announce");
    presence.announce("planner", "p", "other", LONG).await.expect("announce");
    presence.announce("crawler", "b", "two", LONG).await.expect("announce again");
    let listed = |names: &[(&str, &str)]| -> Vec<(String, String)> {
        names.iter().map(|(name, about)| ((*name).to_owned(), (*about).to_owned())).collect()
    };
    let members = presence.members("crawler").await.expect("members");
    assert_eq!(members, listed(&[("a", "one"), ("b", "two"), ("c", "three")]));
    presence.leave("crawler", "a").await.expect("leave");
    presence.leave("crawler", "nobody").await.expect("leave");
    tokio::time::sleep(SHORT * 2).await;
    assert_eq!(presence.members("crawler").await.expect("members"), listed(&[("b", "two")]));
    assert_eq!(presence.members("nobody").await.expect("members"), []);
}
