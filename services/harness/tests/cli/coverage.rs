//! Coverage beside an exploration: what the user's command reports, and what browsers count.

use super::kit::Bench;
use super::lifetimes::signal;
use harness::harbour::{Harbour, Options};
use harness::site::{RunningSite, Site};
use serde_json::Value;
use std::time::Duration;

/// Writes a report of four lines, of which one more has run with each call.
const COMMAND: &str = "sh -c 'echo >> calls; n=$(wc -l < calls); { echo SF:shop.c; for line in 1 2 3 4; do \
    echo DA:$line,$(( line <= n )); done; echo end_of_record; } > lines.info'";

async fn site() -> RunningSite {
    let script = "function used() { return 1; }\nfunction idle() { return 2; }\nused();\n";
    let page = |to: &str| format!("<script src='/shop.js'></script><p>{to}</p><a href='{to}'>Next</a>");
    let site = Site::new().file("/shop.js", "text/javascript", script).page("/", &page("/1"));
    let pages = (1..60).fold(site, |site, number| site.page(&format!("/{number}"), &page(&format!("/{}", number + 1))));
    pages.start().await
}

/// The arguments of a short exploration.
fn exploring<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["explore", url, "--budget", "6s", "--run-dir", "RUN", "--output", "json"];
    arguments.extend(more);
    arguments
}

fn curve(results: &Value) -> Vec<(f64, u64, u64)> {
    let points = results["coverage"].as_array().expect("a list").iter();
    let number = |point: &Value, name: &str| point[name].as_u64().expect("a count");
    points.map(|at| (at["at_s"].as_f64().expect("seconds"), number(at, "lines"), number(at, "covered"))).collect()
}

fn grows(points: &[(f64, u64, u64)]) -> bool {
    points.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].2 <= pair[1].2)
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_and_scripts_that_ran_are_told_over_time() {
    let (bench, site) = (Bench::new(), site().await);
    let url = site.url("/");
    let more =
        ["--coverage-report", "lines.info", "--coverage-command", COMMAND, "--coverage-every", "1s", "--js-coverage"];
    let results = bench.run(&exploring(&url, &more)).await.exits(0).json();
    let points = curve(&results);
    // How often it is looked at between the first time and the last depends on how quick the machine is.
    assert!(points.len() >= 2 && grows(&points), "{points:?}");
    assert!(points[0].0 < 2.0, "it is looked at from the beginning: {points:?}");
    assert_eq!((points[0].1, points[0].2), (4, 1));
    let covered = points.last().expect("a point").2;
    assert!(covered > 1, "{points:?}");
    let scripts = results["js_coverage"]["scripts"].as_array().expect("a list");
    let shop = scripts.iter().find(|script| script["url"] == site.url("/shop.js")).expect("the script of all pages");
    assert_eq!((&shop["functions_covered"], &shop["functions"]), (&2.into(), &3.into()), "itself and `used`");
    assert_eq!(results["js_coverage"]["unavailable"], Value::Null);
    let report = std::fs::read_to_string(bench.path("RUN/report.html")).expect("a report");
    assert!(
        report.contains(&format!("{covered} of 4 lines, {}.0 %", covered * 25))
            && report.contains("JavaScript that ran")
    );
    let files = std::fs::read_to_string(bench.path("RUN/coverage.json")).expect("lines by file");
    let files: Value = serde_json::from_str(&files).expect("JSON");
    assert_eq!(files["files"][0], serde_json::json!({"file": "shop.c", "lines": 4, "covered": covered}));
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_fails_is_told_once_and_exploring_goes_on() {
    let (bench, site) = (Bench::new(), site().await);
    let url = site.url("/");
    let command = "sh -c 'echo no such server >&2; exit 7'";
    let more = ["--coverage-report", "lines.info", "--coverage-command", command, "--coverage-every", "1s"];
    let said = bench.run(&exploring(&url, &more)).await;
    said.exits(0);
    let told = said.stderr.matches("no such server").count();
    // The command itself is quoted with what it said.
    assert_eq!(told, 2, "{}", said.stderr);
    let results = said.json();
    assert_eq!(results["coverage"], serde_json::json!([]));
    assert_eq!(results["js_coverage"], Value::Null);
    assert!(results["states"].as_u64().expect("a number") > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_curves_go_on_after_the_process_was_killed() {
    let (bench, harbour) = (Bench::new(), Harbour::start(Options::default()).await.expect("Harbour starts"));
    let url = harbour.url("/");
    let more =
        ["--coverage-report", "lines.info", "--coverage-command", COMMAND, "--coverage-every", "1s", "--js-coverage"];
    let mut child = bench.start(&exploring(&url, &more));
    let lines = || std::fs::read_to_string(bench.path("RUN/coverage.jsonl")).unwrap_or_default().lines().count();
    let has_scripts = || bench.path("RUN/js-coverage.json").exists();
    while lines() < 2 || !has_scripts() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    signal("-KILL", child.id());
    tokio::task::spawn_blocking(move || child.wait()).await.expect("joined").expect("ended");
    let before = lines();
    let results = bench.run(&["explore", "--resume", "RUN", "--output", "json"]).await.exits(0).json();
    let points = curve(&results);
    assert!(points.len() > before && grows(&points), "{points:?}");
    assert!(results["js_coverage"]["curve"].as_array().expect("a list").len() >= points.len() - 1);
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_may_stand_at_an_address_of_the_site_and_of_no_other() {
    let (bench, report) = (Bench::new(), "SF:shop.c\nDA:1,1\nDA:2,0\nend_of_record\n");
    let site = Site::new().page("/", "<p>one page</p>").file("/lines.info", "text/plain", report).start().await;
    let (url, report) = (site.url("/"), site.url("/lines.info"));
    let mut arguments = exploring(&url, &["--coverage-report", &report]);
    arguments[3] = "2s";
    let results = bench.run(&arguments).await.exits(0).json();
    let points = curve(&results);
    assert!(points.len() >= 2 && points.iter().all(|(_, lines, covered)| (*lines, *covered) == (2, 1)), "{points:?}");
    let elsewhere = ["explore", &url, "--coverage-report", "http://elsewhere.test/lines.info"];
    bench.run(&elsewhere).await.exits(2).says("elsewhere.test");
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_without_a_report_to_read_is_refused() {
    let bench = Bench::new();
    let arguments = ["explore", "http://127.0.0.1:9/", "--coverage-command", "true"];
    bench.run(&arguments).await.exits(2).says("--coverage-report");
    let arguments = ["explore", "http://127.0.0.1:9/", "--coverage-every", "0s"];
    bench.run(&arguments).await.exits(2).says("--coverage-every");
}
