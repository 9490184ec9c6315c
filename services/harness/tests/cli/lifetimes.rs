//! No browser or driver outlives the binary, however it ends; and however it ends, every task is done exactly once.

use super::kit::{Bench, shop, tasks};
use std::collections::BTreeSet;
use std::process::Command;

const MANY: usize = 30;

pub(crate) fn signal(kind: &str, process: u32) {
    let sent = Command::new("kill").args([kind, &process.to_string()]).status().expect("kill starts");
    assert!(sent.success());
}

/// Goes on with a run and checks that each of its tasks has one outcome and one test.
async fn resumes_to_a_complete_run(bench: &Bench) {
    let said = bench.run(&["run", "--resume", "RUN", "--output", "json"]).await;
    let results = said.exits(0).json();
    assert_eq!(results["episodes"], MANY);
    assert_eq!(results["pending"], 0);
    let jobs: Vec<&str> =
        results["outcomes"].as_array().expect("a list").iter().filter_map(|outcome| outcome["job"].as_str()).collect();
    assert_eq!(jobs.len(), MANY);
    assert_eq!(jobs.iter().collect::<BTreeSet<_>>().len(), MANY, "{jobs:?}");
    let tests = std::fs::read_dir(bench.path("RUN/tests")).expect("tests").count();
    assert_eq!(tests, MANY);
    let trajectories = std::fs::read_to_string(bench.path("RUN/trajectories.jsonl")).expect("trajectories");
    assert_eq!(trajectories.lines().count(), MANY);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_after_success_and_after_failure() {
    let bench = Bench::new();
    let site = shop().start().await;
    let url = site.url("/").to_string();
    let run = ["run", "--site", &url, "--task", "Click on the \"Buy\" button.", "--check"];
    bench.run(&[&run[..], &["text~Thank you"]].concat()).await.exits(0).says("PASSED");
    bench.assert_nothing_is_left().await;
    bench.run(&[&run[..], &["text~Sold out"]].concat()).await.exits(1).says("NOT_ACHIEVED");
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_after_an_interruption_and_the_run_can_be_resumed() {
    let bench = Bench::new();
    let site = shop().start().await;
    let file = bench.write("many.jsonl", &tasks(site.url("/").as_ref(), MANY));
    let mut child = bench.start(&["run", file.to_str().expect("text"), "--run-dir", "RUN"]);
    bench.wait_for_first_outcome("RUN").await;
    signal("-INT", child.id());
    let status = tokio::task::spawn_blocking(move || child.wait()).await.expect("joined").expect("ended");
    bench.assert_nothing_is_left().await;
    assert_eq!(status.code(), Some(130));
    assert!(bench.path("RUN/report.html").is_file(), "an interrupted run has its report");
    resumes_to_a_complete_run(&bench).await;
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_after_a_kill_and_every_task_is_accounted_for_once() {
    let bench = Bench::new();
    let site = shop().start().await;
    let file = bench.write("many.jsonl", &tasks(site.url("/").as_ref(), MANY));
    let mut child = bench.start(&["run", file.to_str().expect("text"), "--run-dir", "RUN", "--workers", "2"]);
    bench.wait_for_first_outcome("RUN").await;
    bench.wait_for_browser().await;
    signal("-KILL", child.id());
    tokio::task::spawn_blocking(move || child.wait()).await.expect("joined").expect("ended");
    bench.assert_nothing_is_left().await;
    resumes_to_a_complete_run(&bench).await;
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_test_passes_again_without_a_planner_and_fails_when_the_product_is_broken() {
    let bench = Bench::new();
    let site = shop().start().await;
    let url = site.url("/").to_string();
    let check = ["--check", "text~Thank you", "--run-dir", "RUN"];
    bench
        .run(&[&["run", "--site", &url, "--task", "Click on the \"Buy\" button."], &check[..]].concat())
        .await
        .exits(0);
    bench.run(&["replay", "RUN/tests"]).await.exits(0).says("1 of 1 tests passed");
    let test = std::fs::read_to_string(bench.path("RUN/tests/task.json")).expect("a test");
    bench.write("broken.json", &test.replace("Thank you", "Sold out"));
    bench.run(&["replay", "broken.json"]).await.exits(1).says("FAILED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_directory_is_never_used_for_two_runs() {
    let bench = Bench::new();
    let site = shop().start().await;
    let url = site.url("/").to_string();
    let run = ["run", "--site", &url, "--task", "Click on the \"Buy\" button.", "--run-dir", "RUN"];
    bench.run(&run).await.exits(1).says("UNVERIFIED");
    bench.run(&run).await.exits(2).says("holds a run already");
    bench.assert_nothing_is_left().await;
}
