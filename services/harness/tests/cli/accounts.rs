//! Every task that is handed in has a row with a verdict and a reason, and an exit code that says so, whatever becomes of it.

use super::kit::{Bench, Said, shop, tasks};
use serde_json::Value;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Where the headless shell may stand.
const SHELLS: [&str; 3] = [
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium-headless-shell/chromium-headless-shell",
    "/opt/chrome-headless-shell/chrome-headless-shell",
];

/// A browser that starts so often and then no more, until its count is removed.
fn mortal_browser(bench: &Bench, lives: usize) -> String {
    let shell = SHELLS.iter().find(|shell| Path::new(shell).is_file()).expect("a headless shell");
    let count = bench.path("starts").display().to_string();
    let text = format!(
        "#!/bin/sh\necho start >> {count}\n[ $(wc -l < {count}) -gt {lives} ] && exit 1\nexec {shell} \"$@\"\n"
    );
    let browser = bench.write("mortal-headless-shell", &text);
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).expect("executable");
    browser.display().to_string()
}

/// The verdicts of all rows, each of which has a reason.
fn verdicts(results: &Value) -> Vec<(String, String)> {
    let rows = results["outcomes"].as_array().expect("rows");
    let text = |row: &Value, field: &str| row[field].as_str().expect("text").to_owned();
    rows.iter()
        .map(|row| {
            assert!(!text(row, "reason").is_empty(), "{row}");
            (text(row, "task"), text(row, "verdict"))
        })
        .collect()
}

fn counted(results: &Value) -> u64 {
    let verdicts = results["verdicts"].as_object().expect("verdicts");
    verdicts.values().filter_map(Value::as_u64).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_whose_every_attempt_is_lost_are_told_with_their_causes_and_done_by_a_later_session() {
    let bench = Bench::new();
    let site = shop().start().await;
    let browser = mortal_browser(&bench, 1);
    let file = bench.write("three.jsonl", &tasks(site.url("/").as_ref(), 3));
    let run = ["run", file.to_str().expect("text"), "--run-dir", "RUN", "--browser", &browser, "--output", "json"];
    let said: Said = bench.run(&[&run[..], &["--tasks-per-browser", "1"]].concat()).await;
    let results = said.exits(3).json();
    let rows = verdicts(&results);
    let names: Vec<&str> = rows.iter().map(|(task, _)| task.as_str()).collect();
    assert_eq!(names, ["buy-00", "buy-01", "buy-02"], "every task has its row, in order");
    let lost = rows.iter().filter(|(_, verdict)| verdict == "INVALID_ENVIRONMENT").count();
    assert_eq!((lost, &results["successes"], &results["episodes"]), (2, &1.into(), &3.into()));
    assert_eq!((counted(&results), &results["pending"]), (3, &0.into()));
    let reasons: Vec<&str> =
        results["outcomes"].as_array().expect("rows").iter().filter_map(|row| row["reason"].as_str()).collect();
    assert_eq!(reasons.iter().filter(|reason| reason.contains("all 3 attempts were lost")).count(), 2, "{reasons:?}");
    let report = std::fs::read_to_string(bench.path("RUN/report.html")).expect("a report");
    assert!(report.contains("all 3 attempts were lost"));
    said.says("1 of 3 passed");

    std::fs::remove_file(bench.path("starts")).expect("counted");
    let text = std::fs::read_to_string(bench.path("mortal-headless-shell")).expect("the browser");
    bench.write("mortal-headless-shell", &text.replace("-gt 1 ", "-gt 99 "));
    let results = bench.run(&["run", "--resume", "RUN", "--output", "json"]).await.exits(0).json();
    assert!(verdicts(&results).iter().all(|(_, verdict)| verdict == "PASSED"), "{results}");
    assert_eq!((counted(&results), &results["episodes"]), (3, &3.into()));
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_comes_costs_no_more_than_the_limit_of_its_task() {
    let bench = Bench::new();
    let site = shop().slow("/never", 300_000, "late").start().await;
    let task = |id: &str, path: &str| {
        let check = serde_json::json!({"text": {"contains": "Thank you"}});
        let url = site.url(path).to_string();
        let limits = serde_json::json!({"seconds": 8});
        let task = serde_json::json!({"id": id, "start_url": url, "instruction": "Click on the \"Buy\" button.",
            "check": check, "limits": limits});
        format!("{task}\n")
    };
    let file = bench.write("two.jsonl", &format!("{}{}", task("never", "/never"), task("after", "/")));
    #[expect(clippy::disallowed_methods, reason = "the limit is the subject of the test, and a process keeps it")]
    let began = tokio::time::Instant::now();
    let said = bench.run(&["run", file.to_str().expect("text"), "--output", "json"]).await;
    let results = said.exits(3).says("the page could not be opened and read within 8 s").json();
    let expected = [("never", "INVALID_ENVIRONMENT"), ("after", "PASSED")];
    assert_eq!(verdicts(&results), expected.map(|(task, verdict)| (task.to_owned(), verdict.to_owned())));
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exploration_that_cannot_begin_says_why_and_is_no_success() {
    let bench = Bench::new();
    let said = bench.run(&["explore", "http://127.0.0.1:9/", "--budget", "5s", "--output", "json"]).await;
    let results = said.exits(3).says("127.0.0.1:9").json();
    assert_eq!(results["states"], 0);
    assert_eq!(verdicts(&results), [("explore".to_owned(), "INVALID_ENVIRONMENT".to_owned())]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_without_a_test_is_told_although_another_has_one() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("empty")).expect("a folder");
    bench.run(&["replay", "empty"]).await.exits(2).says("there is no test in this folder");
}
