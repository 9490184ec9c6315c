//! Mass submission: jobs that reach the queue through the log, with what their campaign says of them.

use crate::collector::Collector;
use crate::kit::Cluster;
use harness::site::{RunningSite, Site};
use serde_json::{Value, json};

const PAGE: &str = "<h1>Shop</h1><button onclick=\"said.textContent = 'Thank you'\">Buy</button><p id=said></p>";

/// Writes a task file; each task is to buy, and differs by its id only.
fn write(cluster: &Cluster, site: &RunningSite, file: &str, ids: &[&str], wanted: &str) {
    let line = |id: &&str| {
        let check = json!({"text": {"contains": wanted}});
        json!({"id": id, "start_url": site.url("/"), "instruction": "Click on \"Buy\".", "check": check}).to_string()
    };
    let lines: Vec<String> = ids.iter().map(line).collect();
    std::fs::write(cluster.path(file), lines.join("\n")).expect("written");
}

async fn submit(cluster: &Cluster, file: &str, campaign: &str, further: &[&str]) -> (Value, bool) {
    let usual = ["submit", file, "--campaign", campaign, "--watch", "--output", "json", "--config", "rutter.toml"];
    let said = cluster.rutter(&[&usual, further].concat()).await;
    let results = serde_json::from_slice(&said.stdout);
    let results = results.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&said.stderr)));
    (results, said.status.success())
}

fn ids(results: &Value) -> Vec<&str> {
    results["outcomes"].as_array().expect("a list").iter().filter_map(|outcome| outcome["job"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_handed_in_by_kafka_are_worked_through_once_in_the_trace_of_their_submission_over_redis_and_postgres() {
    let (site, collector) = (Site::new().page("/", PAGE).start().await, Collector::start().await);
    let mut cluster = Cluster::start(&format!("[traces]\nendpoint = \"{}\"\n", collector.endpoint), &[]).await;
    write(&cluster, &site, "first.jsonl", &["a", "b"], "Thank you");
    write(&cluster, &site, "second.jsonl", &["b", "c"], "Thank you");
    let (results, all_passed) = submit(&cluster, "first.jsonl", "mass", &["--by-log"]).await;
    assert!(all_passed && ids(&results) == ["a", "b"], "{results:#}");
    let (results, all_passed) = submit(&cluster, "second.jsonl", "mass", &["--by-log"]).await;
    assert!(all_passed && ids(&results) == ["a", "b", "c"], "{results:#}");
    assert_eq!(results["totals"]["redeliveries"], 0, "what had ended was not attempted again: {results:#}");
    cluster.stop().await;

    let spans = collector.spans();
    let submissions: Vec<&str> =
        spans.iter().filter(|span| span.name == "submit").map(|span| span.trace.as_str()).collect();
    let jobs: Vec<_> = spans.iter().filter(|span| span.name == "job").collect();
    assert_eq!((submissions.len(), jobs.len()), (2, 3), "{spans:#?}");
    assert!(jobs.iter().all(|span| submissions.contains(&span.trace.as_str())), "{jobs:#?} of {submissions:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn attempts_over_kafka_redis_and_postgres_end_where_their_campaign_says_though_their_tasks_allow_more() {
    let site = Site::new().page("/", PAGE).start().await;
    let mut cluster = Cluster::start("", &[]).await;
    write(&cluster, &site, "tasks.jsonl", &["a"], "nowhere");
    let further = ["--planner", "random", "--max-steps", "2"];
    let (results, all_passed) = submit(&cluster, "tasks.jsonl", "short", &further).await;
    assert!(!all_passed, "{results:#}");
    let outcome = &results["outcomes"][0];
    assert_eq!((&outcome["steps"], &outcome["verdict"]), (&json!(2), &json!("NOT_ACHIEVED")), "{results:#}");
    cluster.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_names_no_broker_is_told_where_to() {
    let mut command =
        harness::program::command(&["submit", "tasks.jsonl", "--by-log", "--campaigns", "http://127.0.0.1:9"]);
    let folder = tempfile::tempdir().expect("a directory");
    let task = json!({"id": "a", "start_url": "http://127.0.0.1:9/", "instruction": "Wait."});
    std::fs::write(folder.path().join("tasks.jsonl"), task.to_string()).expect("written");
    let said = command.current_dir(folder.path()).output().expect("the binary starts");
    let told = String::from_utf8_lossy(&said.stderr);
    assert!(!said.status.success() && told.contains("storage.servers"), "{told}");
}
