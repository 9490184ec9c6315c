//! The alert rules: Prometheus' own tool finds no fault with them and runs their tests, each has one, and each looks at
//! figures that the product tells.

use platform::metrics::{Metric, Unit};
use regex::Regex;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/alerts")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).expect("a file")
}

fn promtool(arguments: &[&str]) {
    let run = Command::new("promtool").args(arguments).current_dir(folder()).output();
    let run = run.expect("promtool is missing: run `deploy/local/setup.sh alerts`");
    assert!(run.status.success(), "promtool {arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn the_rules_pass_their_tests() {
    promtool(&["check", "rules", "rutter.rules.yaml"]);
    promtool(&["test", "rules", "rutter.test.yaml"]);
}

#[test]
fn every_rule_has_a_test_in_which_it_fires() {
    let (rules, tests) = (read("rutter.rules.yaml"), read("rutter.test.yaml"));
    let names: Vec<&str> = rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    assert!(!names.is_empty());
    for name in names {
        let fires = format!("alertname: {name}\n        exp_alerts:");
        assert!(tests.contains(&fires), "{name} fires in no test");
    }
}

/// What a metric is called in queries, without what counters and histograms append.
fn name(metric: &Metric) -> String {
    let unit = match metric.unit {
        Unit::Count => "",
        Unit::Seconds => "_seconds",
        Unit::Bytes => "_bytes",
        Unit::UsDollars => "_usd",
        Unit::Ratio => "_ratio",
    };
    format!("{}{unit}", metric.name)
}

#[test]
fn rules_look_at_figures_that_there_are() {
    let own = [platform::admin::READY, platform::rpc::ANSWERED, backends::lag::LAG];
    let rooms = [&campaigns::metrics::ALL[..], &crawler::metrics::ALL, &graph::metrics::ALL];
    let told: BTreeSet<String> = own.iter().chain(rooms.into_iter().flatten()).map(name).collect();
    let rules = read("rutter.rules.yaml");
    let mut looked_at = BTreeSet::new();
    let figure = Regex::new(r"\brutter_[a-z_]+").expect("a pattern");
    for line in rules.lines().filter(|line| !line.contains("alert:")) {
        for found in figure.find_iter(line) {
            let bare = ["_total", "_bucket", "_count", "_sum"].iter().find_map(|end| found.as_str().strip_suffix(end));
            looked_at.insert(bare.unwrap_or(found.as_str()).to_owned());
        }
    }
    assert!(looked_at.len() > 5, "{looked_at:?}");
    let unknown: Vec<&String> = looked_at.difference(&told).collect();
    assert!(unknown.is_empty(), "{unknown:?} are no figures of the product; there are {told:?}");
}
