//! Whatever a run's settings hold, they are read or refused: no panic, and no more memory than their size allows.

use fuzzing::{Allowance, fuzz, mutated, one_of};
use node::run::Config;

const BENCH: &str = r#"{"format": 2, "name": "demo", "created": "2026-11-25 23:51:40", "campaign": "20261125-demo",
  "kind": {"kind": "bench", "planner": {"name": "hxagent", "options": {"page": {"max_elements": 80}},
    "model": {"provider": "openai", "model": "m", "api_key": {"env": "KEY"}, "base_url": "http://127.0.0.1:8080/v1/"}},
    "suite": "demo", "seeds": "0..3", "root_seed": null, "relaxed": false},
  "workers": 2, "screenshots": "all",
  "browser": {"headed": false, "browser": null, "driver": "/usr/bin/chromedriver", "webdriver": "http://127.0.0.1:4444/", "wire": "auto"},
  "density": {"benchmark_contexts_per_browser": 4, "task_contexts_per_browser": 1, "jobs_per_browser": 200, "mib_per_browser": 1536},
  "jobs": [{"id": "click-tab/0", "campaign": "20261125-demo",
    "work": {"kind": "benchmark", "benchmark": "shop", "task": "click-tab", "seed": 0, "relaxed": false}}]}"#;

const EXPLORATION: &str = r#"{"format": 2, "name": "shop", "created": "2026-11-25 23:51:40", "campaign": "c",
  "kind": {"kind": "explore", "strategy": "frontier", "url": "http://shop.test/", "site": "shop", "keep_observations": false},
  "workers": 1, "screenshots": "none",
  "browser": {"headed": true, "browser": "/usr/bin/chromium", "driver": null, "webdriver": null, "wire": "bidi"},
  "density": {"benchmark_contexts_per_browser": 4, "task_contexts_per_browser": 1, "jobs_per_browser": 200, "mib_per_browser": 1536},
  "jobs": []}"#;

const ALLOWED: Allowance = Allowance { base: 4 << 20, per_byte: 400 };

#[test]
fn settings_of_a_run_are_read_or_refused_whatever_they_hold() {
    let directory = tempfile::tempdir().unwrap();
    let seeds = [BENCH, EXPLORATION];
    for seed in seeds {
        std::fs::write(directory.path().join("run.json"), seed).unwrap();
        Config::open(directory.path()).expect("what is changed is valid before");
    }
    let inputs = mutated(one_of(seeds.map(|text| text.as_bytes().to_vec())));
    fuzz("run-settings", inputs, ALLOWED, |input| {
        std::fs::write(directory.path().join("run.json"), input).unwrap();
        if let Ok((_, config)) = Config::open(directory.path()) {
            let _ = (config.privileges(), config.reported(), config.node(directory.path()), config.kind.planner_ref());
        }
    });
}
