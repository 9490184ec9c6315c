//! Crawler processes that share a site through the map: nothing is tried under two claims.

use crate::kit::Cluster;
use backends::journal;
use backends::log::{KafkaLog, KafkaOptions};
use domain::storage::log::{EventLog as _, Topic};
use harness::harbour::{Harbour, Options};
use std::collections::BTreeSet;
use std::path::Path;

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

/// Report, map, visits of both browsers, a picture of each state, faults with a test each.
fn leaves_what_an_exploration_leaves(folder: &Path, told: &serde_json::Value) {
    assert!(folder.join("report.html").is_file() && folder.join("map.json").is_file(), "{}", folder.display());
    let visits = std::fs::read_to_string(folder.join("visits.jsonl")).expect("visits");
    let visits: Vec<serde_json::Value> =
        visits.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let browsers: BTreeSet<_> = visits.iter().filter_map(|visit| visit["crawler"].as_str()).collect();
    assert_eq!(browsers.len(), 2, "{browsers:?}");
    let pictures = std::fs::read_dir(folder.join("pictures")).expect("pictures").count();
    let states = told["states"].as_u64().expect("a number") as usize;
    // A state that was first seen beneath a dialog of the browser has none.
    assert!(pictures * 10 >= states * 9, "{pictures} pictures of {states} states");
    let faults = told["faults"].as_array().expect("a list");
    assert!(faults.len() >= 5, "{} faults", faults.len());
    let tests = std::fs::read_dir(folder.join("tests")).expect("tests").count();
    assert!(tests > 0 && tests <= faults.len(), "{tests} tests of {} faults", faults.len());
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
    let left = tempfile::tempdir().expect("a directory");
    let (watched, later) = (left.path().join("watched"), left.path().join("later"));
    explore.extend(["--run-dir", watched.to_str().expect("a path")]);
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

    // It leaves what an exploration on one machine leaves, and does so again when it is asked for later.
    let folder = later.to_str().expect("a path");
    let results = ["results", "shared", "--run-dir", folder, "--config", "rutter.toml", "--output", "json"];
    let said = cluster.rutter(&results).await;
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let again: serde_json::Value = serde_json::from_slice(&said.stdout).expect("one object");
    for kept in ["faults", "states", "actions", "regions", "outcomes"] {
        assert_eq!(again[kept], told[kept], "{kept}");
    }
    for folder in [&watched, &later] {
        leaves_what_an_exploration_leaves(folder, &told);
    }
    cluster.stop().await;
}
