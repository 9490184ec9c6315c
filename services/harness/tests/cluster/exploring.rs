//! Crawler processes that share a site through the map: nothing is tried under two claims.

use crate::kit::Cluster;
use backends::journal;
use backends::log::{KafkaLog, KafkaOptions};
use domain::storage::log::{EventLog as _, Topic};
use harness::harbour::{Harbour, Options};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

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

/// Both curves grow; what both browsers ran of JavaScript is united.
fn tells_what_ran(told: &serde_json::Value) {
    let points = |curve: &serde_json::Value, covered: &str| -> Vec<(f64, u64)> {
        let points = curve.as_array().expect("a curve").iter();
        points.map(|point| (point["at_s"].as_f64().expect("s"), point[covered].as_u64().expect("n"))).collect()
    };
    let lines = points(&told["coverage"], "covered");
    assert!(lines.len() >= 5, "one look each two seconds: {lines:?}");
    assert!(lines.last().is_some_and(|(at_s, _)| (15.0..60.0).contains(at_s)), "{lines:?}");
    let scripts = points(&told["js_coverage"]["curve"], "bytes_covered");
    assert!(scripts.len() > lines.len(), "both browsers count: {scripts:?}");
    for curve in [&lines, &scripts] {
        assert!(curve.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1), "{curve:?}");
    }
    assert!(scripts.last().is_some_and(|(_, covered)| *covered > 0), "{scripts:?}");
}

/// An application that tells which of its 40 lines have run, one more each time that it is asked; its address and host.
async fn lines_at_an_address() -> (String, String) {
    let asked = AtomicU64::new(0);
    let report = move |_: &Request| {
        let ran = asked.fetch_add(1, Ordering::Relaxed) + 1;
        let lines = (1..=40).map(|line| format!("DA:{line},{}\n", u64::from(line <= ran)));
        ResponseTemplate::new(200).set_body_string(format!("SF:shop.c\n{}end_of_record\n", lines.collect::<String>()))
    };
    // It lives as long as the test's process.
    let server = Box::leak(Box::new(MockServer::start().await));
    Mock::given(path("/lines")).respond_with(report).mount(server).await;
    (format!("{}/lines", server.uri()), server.address().to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn two_crawlers_explore_one_site_into_one_map_over_kafka_redis_and_postgres_and_settle_no_claim_twice() {
    let harbour = Harbour::start(Options::default()).await.expect("Harbour starts");
    let mut cluster = Cluster::start("[crawler]\nslots = 1\n", &[]).await;
    cluster.add_crawler("crawler-2").await;
    let (url, scope) = (harbour.url("/"), harbour.scope());
    let (report, report_host) = lines_at_an_address().await;
    let mut explore = vec!["explore", &url, "--free", "--budget", "30s", "--workers", "2", "--site", "harbour"];
    explore.extend(scope.iter().flat_map(|host| ["--scope", host]));
    explore.extend(["--scope", &report_host, "--coverage-report", &report, "--coverage-every", "2s", "--js-coverage"]);
    explore.extend(["--submit", "--watch", "--campaign", "shared", "--config", "rutter.toml", "--output", "json"]);
    let left = tempfile::tempdir().expect("a directory");
    let (watched, later) = (left.path().join("watched"), left.path().join("later"));
    explore.extend(["--run-dir", watched.to_str().expect("a path")]);
    let said = cluster.rutter(&explore).await;
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let shown = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(shown.contains(" states, ") && shown.contains(" of 40 lines, "), "{shown}");
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
    assert_eq!(again["js_coverage"]["scripts"], told["js_coverage"]["scripts"]);
    for kept in ["faults", "states", "actions", "regions", "outcomes", "coverage"] {
        assert_eq!(again[kept], told[kept], "{kept}");
    }
    tells_what_ran(&told);
    for folder in [&watched, &later] {
        leaves_what_an_exploration_leaves(folder, &told);
        let files = std::fs::read_to_string(folder.join("coverage.json")).expect("lines by file");
        assert!(files.contains("shop.c"), "{files}");
    }
    cluster.stop().await;
}
