//! `rutter explore` on a site full of pages that do harm.

use super::kit::Bench;
use harness::hostile;
use procfs::process::Process;
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

/// What the program may take at most, in MiB; it looks at pages of ten megabytes and a hundred thousand elements.
const MEMORY: u64 = 400;

/// The most that the exploring process has taken so far, in MiB.
fn peak(bench: &Bench) -> u64 {
    let of = |process: u32| {
        let status = Process::new(process.try_into().ok()?).and_then(|process| process.status()).ok()?;
        Some(status.vmhwm? / 1024)
    };
    let explorers = bench.processes().into_iter().filter(|(_, line)| line.contains(" explore "));
    explorers.filter_map(|(process, _)| of(process)).max().unwrap_or(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rest_of_a_site_is_explored_beside_pages_that_move_or_weigh_without_end() {
    explore(0..hostile::ALL / 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rest_of_a_site_is_explored_beside_pages_that_break_what_looks_at_them() {
    explore(hostile::ALL / 2..hostile::ALL).await;
}

async fn explore(which: Range<usize>) {
    let (site, hostile) = hostile::site(which);
    let (bench, site) = (Bench::new(), site.start().await);
    let url = site.url("/");
    let arguments = ["explore", &url, "--free", "--budget", "200s", "--run-dir", "RUN", "--output", "json"];
    let exploring = bench.run(&arguments);
    tokio::pin!(exploring);
    let mut memory = 0;
    let said = loop {
        tokio::select! {
            said = &mut exploring => break said,
            () = tokio::time::sleep(Duration::from_millis(500)) => memory = memory.max(peak(&bench)),
        }
    };
    let results = said.exits(0).json();
    let text = std::fs::read_to_string(bench.path("RUN/visits.jsonl")).expect("visits");
    let visits: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    eprintln!("{}, {:#}, {memory} MiB", said.stderr, results["incidents"]);
    assert_eq!((&results["pending"], &results["requests_out_of_scope"]), (&Value::from(0), &Value::from(0)));
    let seen: BTreeSet<&str> = visits.iter().filter_map(|visit| visit["url"].as_str()).collect();
    let good = (0..hostile.len()).map(|number| format!("/good/{number}"));
    let missed: Vec<String> = good.filter(|path| !seen.contains(site.url(path).as_str())).collect();
    assert!(missed.is_empty(), "missed {missed:?}");
    let led = |visit: &Value| visit["deed"]["action"]["element"]["name"].as_str().map(str::to_owned);
    let led: BTreeSet<String> = visits.iter().filter_map(led).collect();
    // Each hostile page is a state, or is what led to one, or what it did is said.
    let incidents = results["incidents"].to_string();
    let is_told = |page: &hostile::Hostile| {
        let address = site.url(&page.path);
        let is_it = |url: &&str| url.strip_prefix(&address).is_some_and(|rest| !rest.starts_with(char::is_numeric));
        seen.iter().any(is_it)
            || led.contains(page.name)
            || incidents.contains(&format!("\\\"{}\\\"", page.name))
            || incidents.contains(&format!("{address}:"))
    };
    let untold: Vec<&str> = hostile.iter().filter(|page| !is_told(page)).map(|page| page.name).collect();
    assert!(untold.is_empty(), "nothing is said of the page that {untold:?}");
    assert!(memory > 0 && memory < MEMORY, "{memory} MiB");
    bench.assert_nothing_is_left().await;
}
