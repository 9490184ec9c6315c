//! What the chart shows and warns of exists: alert rules are those of the repository, and panels ask for figures that are told.

use super::{chart, check_fresh, read};
use std::path::Path;

#[test]
fn the_alert_rules_of_the_chart_are_those_that_promtool_checks() {
    let there = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/alerts/rutter.rules.yaml");
    check_fresh(&chart("files/rutter.rules.yaml"), &read(&there));
}

#[test]
fn every_figure_of_the_dashboard_is_told_by_somebody() {
    let dashboard: serde_json::Value = serde_json::from_str(&read(&chart("files/dashboard.json"))).expect("JSON");
    let documented = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md"))
        + &read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/kubernetes.md"));
    let panels = dashboard["panels"].as_array().expect("panels");
    let mut figures = 0;
    for expression in panels.iter().flat_map(|panel| panel["targets"].as_array().expect("targets")) {
        let expression = expression["expr"].as_str().expect("an expression");
        for word in expression.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_') {
            if word.starts_with("rutter_") {
                figures += 1;
                let name = word.trim_end_matches("_bucket");
                assert!(documented.contains(&format!("`{name}")), "`{name}` is told by nobody, says the documentation");
            }
        }
    }
    assert!(figures >= 8, "only {figures} figures");
}
