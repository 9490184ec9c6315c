//! What the chart renders for sets of values, as files to look at. `make setup` builds the `helm` that renders them.

use super::{chart, check_fresh};
use std::path::PathBuf;
use std::process::{Command, Output};

const SETS: [&str; 7] = ["given", "bundled", "grid", "tls", "no-operator", "large", "air-gapped"];

fn helm() -> PathBuf {
    let built = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/bin/helm");
    assert!(built.exists(), "there is no helm in .cache/bin: `deploy/local/setup.sh helm` builds it in some minutes");
    built
}

fn run(helm: &PathBuf, arguments: &[&str]) -> Output {
    Command::new(helm).args(arguments).output().expect("helm starts")
}

fn values(set: &str) -> String {
    chart(&format!("ci/{set}.yaml")).display().to_string()
}

#[test]
fn every_set_of_values_passes_the_strict_lint() {
    let helm = helm();
    let chart = chart("").display().to_string();
    for set in SETS {
        let said = run(&helm, &["lint", "--strict", &chart, "--values", &values(set)]);
        assert!(said.status.success(), "{set}: {}", String::from_utf8_lossy(&said.stdout));
    }
}

#[test]
fn every_set_of_values_renders_what_was_looked_at() {
    let helm = helm();
    let root = chart("").display().to_string();
    for set in SETS {
        let arguments = ["template", "rutter", &root, "--namespace", "qa", "--kube-version", "1.34.4", "--values"];
        let values = values(set);
        let said = run(&helm, &[&arguments[..], &[values.as_str()]].concat());
        assert!(said.status.success(), "{set}: {}", String::from_utf8_lossy(&said.stderr));
        check_fresh(&chart(&format!("ci/rendered/{set}.yaml")), &String::from_utf8(said.stdout).expect("text"));
    }
}

#[test]
fn an_older_chart_is_kept_that_can_be_installed_and_upgraded() {
    let helm = helm();
    let kept = chart("../../deploy/kube/older/rutter-0.1.0.tgz").display().to_string();
    let present = chart("").display().to_string();
    let version = |chart: &str| {
        let said = String::from_utf8(run(&helm, &["show", "chart", chart]).stdout).expect("text");
        let version = said.lines().find_map(|line| line.strip_prefix("version: ")).expect("a version");
        version.split('.').map(|part| part.parse().expect("a number")).collect::<Vec<u32>>()
    };
    assert!(version(&kept) < version(&present), "what changes in the chart is another version of it");
    let values = [chart("../../deploy/kube/demo.yaml"), chart("../../deploy/kube/older/values.yaml")];
    for chart in [&kept, &present] {
        let mut arguments = vec!["template".to_owned(), "rutter".to_owned(), chart.clone()];
        arguments.extend(values.iter().flat_map(|path| ["--values".to_owned(), path.display().to_string()]));
        let said = run(&helm, &arguments.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(said.status.success(), "{chart}: {}", String::from_utf8_lossy(&said.stderr));
    }
}

#[test]
fn values_that_cannot_work_are_refused_with_what_to_set() {
    let helm = helm();
    let root = chart("").display().to_string();
    let cases: [(&[&str], &str); 12] = [
        (&[], "set kafka.brokers, or bundled.enabled=true"),
        (&["bundled.enabled=true", "tls.enabled=true"], "tls.enabled needs tls.secret"),
        (
            &["bundled.enabled=true", "operator.enabled=false", "fleet.crawlers.enabled=true"],
            "set operator.enabled=true",
        ),
        (&["bundled.enabled=true", "crawler.slots=0"], "slots"),
        (&["bundled.enabled=true", "crawlers.slots=2"], "crawlers"),
        (&["bundled.enabled=true", "image.pullPolicy=Sometimes"], "pullPolicy"),
        (&["kafka.brokers=http://kafka"], "brokers"),
        (&["kafka.brokers=k:1", "redis.url=localhost"], "url"),
        (&["bundled.enabled=true", "fleet.browsers.enabled=true"], "set grid.enabled=true"),
        (&["bundled.enabled=true", "grid.url=http://grid:4444"], "grid.url needs grid.enabled=true"),
        (
            &["bundled.enabled=true", "grid.enabled=true", "grid.url=http://g:4444", "fleet.browsers.enabled=true"],
            "create a Fleet for it yourself",
        ),
        (
            &["bundled.enabled=true", "grid.enabled=true", "fleet.browsers.enabled=true", "operator.namespaces={qa}"],
            "add it to operator.namespaces",
        ),
    ];
    for (sets, expected) in cases {
        let mut arguments = vec!["template", "rutter", root.as_str()];
        for set in sets {
            arguments.extend(["--set", set]);
        }
        let said = run(&helm, &arguments);
        let words = String::from_utf8_lossy(&said.stderr).into_owned();
        assert!(!said.status.success() && words.contains(expected), "{sets:?}: {words}");
    }
}
