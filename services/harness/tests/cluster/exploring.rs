//! Crawler processes that share a site through the map: nothing is tried under two claims.

use crate::kit::Cluster;
use backends::journal;
use backends::log::{KafkaLog, KafkaOptions};
use domain::storage::log::{EventLog as _, Topic};
use harness::harbour::{Harbour, Options};
use std::collections::BTreeSet;

/// Records asked for with one call.
const AT_ONCE: usize = 2000;

/// The browser sessions that took part, and the claims that they settled: state and action of each.
async fn history(cluster: &Cluster) -> (BTreeSet<String>, Vec<(u64, u64)>) {
    let (brokers, topic_prefix) = (cluster.stores.brokers.clone(), cluster.stores.topic_prefix.clone());
    let log = KafkaLog::open(KafkaOptions { brokers, topic_prefix, ..KafkaOptions::default() }).await.expect("the log");
    let (mut sessions, mut settled) = (BTreeSet::new(), Vec::new());
    for partition in 0..log.partitions(Topic::Transitions).await.expect("the topic") {
        let mut from = 0;
        loop {
            let records = log.read(Topic::Transitions, partition, from, AT_ONCE).await.expect("records");
            let Some(last) = records.last() else { break };
            from = last.place.offset + 1;
            for record in &records {
                let (_, taken) = journal::transition(&record.record).expect("a transition");
                sessions.insert(taken.session);
                settled.extend(taken.settled.map(|ticket| (ticket.state.0, ticket.key.0)));
            }
        }
    }
    (sessions, settled)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_crawlers_explore_one_site_into_one_map_over_kafka_redis_and_postgres_and_settle_no_claim_twice() {
    let harbour = Harbour::start(Options::default()).await.expect("Harbour starts");
    let mut cluster = Cluster::start("[crawler]\nslots = 1\n", &[]).await;
    cluster.add_crawler("crawler-2").await;
    let (url, scope) = (harbour.url("/"), harbour.scope());
    let mut explore = vec!["explore", &url, "--free", "--budget", "20s", "--workers", "2", "--site", "harbour"];
    explore.extend(scope.iter().flat_map(|host| ["--scope", host]));
    explore.extend(["--submit", "--watch", "--campaign", "shared", "--config", "rutter.toml", "--output", "json"]);
    let said = cluster.rutter(&explore).await;
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let told: serde_json::Value = serde_json::from_slice(&said.stdout).expect("one object");
    assert_eq!((&told["jobs"], &told["ended"]), (&2.into(), &2.into()), "{told}");
    assert!(told["states"].as_u64().is_some_and(|states| states > 15), "{told}");

    let (sessions, settled) = history(&cluster).await;
    assert!(sessions.len() >= 2, "both took part: {sessions:?}");
    assert!(settled.len() > 15, "{} claims settled", settled.len());
    assert_eq!(settled.iter().collect::<BTreeSet<_>>().len(), settled.len(), "a claim was settled twice");
    assert_eq!(harbour.counters().harm(), 0, "{:?}", harbour.counters());
    cluster.stop().await;
}
