//! Everything that stands in Redis: keys of every kind with all they hold.

use super::Exhibit;
use redis::aio::MultiplexedConnection;

/// Whatever stands under keys that begin so.
pub(crate) async fn exhibits(url: &str, prefix: &str) -> Vec<Exhibit> {
    let mut redis = connection(url).await;
    let keys: Vec<Vec<u8>> = ask(&mut redis, &["KEYS", &format!("{prefix}*")]).await;
    let mut exhibits = Vec::new();
    for key in keys {
        let place = format!("key {}", String::from_utf8_lossy(&key));
        exhibits.push(Exhibit::new(place.clone(), key.clone()));
        let of_key = |words: &[&str]| {
            let mut command = redis::cmd(words[0]);
            command.arg(&key[..]).arg(&words[1..]);
            command
        };
        let kind: String = of_key(&["TYPE"]).query_async(&mut redis).await.expect("its kind");
        let query = match kind.as_str() {
            "string" => {
                let value: Vec<u8> = of_key(&["GET"]).query_async(&mut redis).await.unwrap_or_default();
                exhibits.push(Exhibit::new(place, value));
                continue;
            }
            "hash" => of_key(&["HGETALL"]),
            "list" => of_key(&["LRANGE", "0", "-1"]),
            "set" => of_key(&["SMEMBERS"]),
            "zset" => of_key(&["ZRANGE", "0", "-1", "WITHSCORES"]),
            // It ran out between the two questions.
            "none" => continue,
            other => panic!("{place} is a {other}, which this does not read"),
        };
        let parts: Vec<Vec<u8>> = query.query_async(&mut redis).await.expect("its content");
        exhibits.extend(parts.into_iter().map(|part| Exhibit::new(place.clone(), part)));
    }
    exhibits
}

/// Puts a value under a key, and a field into a hash.
pub(crate) async fn plant(url: &str, prefix: &str, value: &[u8], field: &[u8]) {
    let mut redis = connection(url).await;
    let set = redis::cmd("SET").arg(format!("{prefix}planted")).arg(value).exec_async(&mut redis).await;
    set.expect("set");
    let hash = redis::cmd("HSET").arg(format!("{prefix}hash")).arg(field).arg(1).exec_async(&mut redis).await;
    hash.expect("set");
}

async fn connection(url: &str) -> MultiplexedConnection {
    let client = redis::Client::open(url).expect("an address");
    client.get_multiplexed_async_connection().await.expect("a connection")
}

async fn ask<T: redis::FromRedisValue>(redis: &mut MultiplexedConnection, words: &[&str]) -> T {
    redis::cmd(words[0]).arg(&words[1..]).query_async(redis).await.expect("an answer")
}
