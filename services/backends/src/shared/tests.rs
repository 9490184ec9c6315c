//! The suite on both columns, and what is particular to Redis: that it may be emptied, full or away.

use super::suite::{self, quotas, rates};
use super::{RedisOptions, RedisShared, SharedMemory, SharedServices};
use crate::testing::{OwnServer, Server, free_port, server, unique};
use domain::campaign::Rate;
use domain::storage::shared::{Cache, PLACE, Permission, Presence, Quotas, RateLimit};
use platform::clock::SystemClock;
use platform::spawn;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::process::{Child, Command};

const CASES: usize = 13;

fn redis_at(url: &str) -> RedisShared {
    let options = RedisOptions { url: url.to_owned(), prefix: unique("test:"), ..RedisOptions::default() };
    RedisShared::open(&options).expect("an address")
}

async fn command(url: &str, words: &[&str]) {
    assert!(!command_fails(url, words).await, "Redis does not do {words:?}");
}

async fn command_fails(url: &str, words: &[&str]) -> bool {
    let client = redis::Client::open(url).expect("an address");
    let mut connection = client.get_multiplexed_async_connection().await.expect("Redis answers");
    let mut command = redis::cmd(words[0]);
    words[1..].iter().for_each(|word| {
        command.arg(word);
    });
    command.query_async::<()>(&mut connection).await.is_err()
}

#[tokio::test]
async fn memory_passes_the_suite() {
    let fresh = || async { SharedServices::of(SharedMemory::new(Arc::new(SystemClock::default()))) };
    assert_eq!(suite::run(fresh).await, CASES);
}

#[tokio::test]
async fn redis_passes_the_suite() {
    let url = server(Server::Redis);
    assert_eq!(suite::run(|| async { SharedServices::of(redis_at(&url)) }).await, CASES);
}

/// A server of its own in cluster mode, which has all slots. It ends with this.
async fn redis_cluster() -> (Child, TempDir, String) {
    let (port, bus) = (free_port().to_string(), free_port().to_string());
    let folder = tempfile::tempdir().expect("a directory");
    let settings =
        ["--bind", "127.0.0.1", "--port", &port, "--cluster-port", &bus, "--cluster-enabled", "yes", "--save", ""];
    let mut server = Command::new("redis-server");
    server.args(settings).arg("--dir").arg(folder.path()).stdout(Stdio::null()).kill_on_drop(true);
    let server = server.spawn().expect("redis-server starts");
    let url = format!("redis://127.0.0.1:{port}");
    let client = redis::Client::open(url.as_str()).expect("an address");
    let mut waited = 0;
    while client.get_multiplexed_async_connection().await.is_err() {
        waited += 1;
        assert!(waited < 100, "redis-server does not answer");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    command(&url, &["CLUSTER", "ADDSLOTSRANGE", "0", "16383"]).await;
    while command_fails(&url, &["SET", "up", "1"]).await {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    (server, folder, url)
}

/// In cluster mode a script is refused whose keys lie in different slots, also by a server that has them all.
#[tokio::test]
async fn redis_in_cluster_mode_passes_the_suite_since_each_script_keeps_to_one_slot() {
    let (_server, _folder, url) = redis_cluster().await;
    assert!(command_fails(&url, &["MSET", "a", "1", "b", "2"]).await, "it would take any keys together");
    assert_eq!(suite::run(|| async { SharedServices::of(redis_at(&url)) }).await, CASES);
}

#[tokio::test]
async fn memory_that_is_emptied_permits_no_more_than_the_rate() {
    let rate = Rate { per_second: 40.0, burst: 5 };
    let memory = SharedMemory::new(Arc::new(SystemClock::default()));
    let emptied = memory.clone();
    let emptying = spawn::detached("case", async move {
        loop {
            tokio::time::sleep(Duration::from_millis(130)).await;
            emptied.empty();
        }
    });
    let given = rates::visits(Arc::new(memory), rate, 4, Duration::from_millis(1500)).await;
    emptying.abort();
    rates::assert_within(&given, rate);
    assert!(given.len() > 5, "only {}", given.len());
}

#[tokio::test]
async fn redis_that_is_emptied_and_killed_at_any_moment_permits_no_more_than_the_rate() {
    let own = OwnServer::start(Server::Redis);
    let url = own.address();
    let rate = Rate { per_second: 40.0, burst: 5 };
    let rates_of_redis: Arc<dyn RateLimit> = Arc::new(redis_at(&url));
    let asking = spawn::detached("case", rates::visits(Arc::clone(&rates_of_redis), rate, 4, Duration::from_secs(5)));
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_millis(230)).await;
        command(&url, &["FLUSHALL"]).await;
    }
    let own = tokio::task::spawn_blocking(move || {
        own.kill();
        own.start_again();
        own
    });
    let _own = own.await.expect("Redis starts again");
    let given = asking.await.expect("the clients live");
    rates::assert_within(&given, rate);
    assert!(given.len() > 20, "only {}", given.len());
}

#[tokio::test]
async fn who_is_inside_keeps_its_place_when_redis_forgets_and_nobody_else_enters_meanwhile() {
    let own = OwnServer::start(Server::Redis);
    let url = own.address();
    let shared = redis_at(&url);
    quotas::enter(&shared, 1, "inside").await;
    command(&url, &["FLUSHALL"]).await;
    for _ in 0..6 {
        assert_ne!(shared.enter("calls", 1, "other").await.expect("enter"), Permission::Now);
        shared.stay("calls", "inside").await.expect("stay");
        tokio::time::sleep(PLACE / 4).await;
    }
    Quotas::leave(&shared, "calls", "inside").await.expect("leave");
    assert_eq!(shared.enter("calls", 1, "other").await.expect("enter"), Permission::Now);
}

/// A snapshot of an earlier life of the server knows nothing of the permissions given since.
#[tokio::test]
async fn a_bucket_that_redis_remembers_from_an_earlier_life_is_empty() {
    let own = OwnServer::start(Server::Redis);
    let url = own.address();
    let limiter = redis_at(&url);
    let rate = Rate { per_second: 10.0, burst: 5 };
    limiter.wait("shop.example", rate).await.expect("look");
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(limiter.wait("shop.example", rate).await.expect("look"), Duration::ZERO);
    command(&url, &["SAVE"]).await;
    let own = tokio::task::spawn_blocking(move || {
        own.kill();
        own.start_again();
        own
    });
    let _own = own.await.expect("Redis starts again");
    let known = async {
        loop {
            match limiter.take("shop.example", rate).await {
                Ok(permission) => break permission,
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    let Permission::After(_) = known.await else { panic!("the bucket is from an earlier life") };
}

#[tokio::test]
async fn redis_that_is_away_permits_nothing_names_its_address_and_works_when_it_is_back() {
    let own = OwnServer::start(Server::Redis);
    let url = own.address();
    own.kill();
    let shared = redis_at(&url.replace("redis://", "redis://:secret-of-redis@"));
    let rate = Rate { per_second: 100.0, burst: 1 };
    for error in [
        shared.take("shop.example", rate).await.expect_err("closed"),
        shared.wait("shop.example", rate).await.expect_err("closed"),
        shared.put("a", b"1", Duration::from_secs(1)).await.expect_err("away"),
        shared.get("a").await.expect_err("away"),
        shared.members("crawler").await.expect_err("away"),
    ] {
        let address = url.strip_prefix("redis://").expect("a scheme");
        assert!(error.to_string().contains(address), "{error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
    let shared = redis_at(&url);
    shared.take("shop.example", rate).await.expect_err("still away");
    own.start_again();
    let back = async {
        while shared.take("shop.example", rate).await.ok() != Some(Permission::Now) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), back).await.expect("it permits again");
}

#[tokio::test]
async fn redis_out_of_memory_is_named_and_permits_nothing() {
    let own = OwnServer::start(Server::Redis);
    let url = own.address();
    command(&url, &["CONFIG", "SET", "maxmemory-policy", "noeviction"]).await;
    command(&url, &["CONFIG", "SET", "maxmemory", "1"]).await;
    let shared = redis_at(&url);
    let rate = Rate { per_second: 100.0, burst: 1 };
    for error in [
        shared.put("a", b"1", Duration::from_secs(1)).await.expect_err("full"),
        shared.take("shop.example", rate).await.expect_err("full"),
        shared.announce("crawler", "a", "", Duration::from_secs(1)).await.expect_err("full"),
    ] {
        assert!(error.to_string().contains("out of memory"), "{error}");
        assert!(error.to_string().contains("maxmemory"), "{error}");
    }
}
