//! What did not pass is tried again in stages of its own.

use super::kit::Bench;
use harness::site::Site;
use serde_json::Value;
use std::collections::BTreeMap;

/// A page whose button writes this.
fn page(says: &str) -> String {
    format!("<title>Notes</title><h1>Notes</h1><button onclick=\"document.body.append('{says}')\">Save</button>")
}

fn ended(results: &Value) -> BTreeMap<&str, (&str, &str)> {
    let outcomes = results["outcomes"].as_array().expect("a list").iter();
    outcomes
        .map(|outcome| {
            let field = |name: &str| outcome[name].as_str().expect("text");
            (field("job"), (field("verdict"), field("reason")))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_did_not_pass_is_tried_again_under_a_name_of_its_own_and_studied() {
    let bench = Bench::new();
    let site = Site::new().page("/good", &page("Saved.")).page("/bad", &page("It cannot be saved.")).start().await;
    let task = |name: &str| {
        format!(
            "  - id: {name}\n    start_url: {}\n    instruction: Click Save.\n    check: {{text: {{contains: Saved.}}}}\n",
            site.url(&format!("/{name}"))
        )
    };
    bench.write("tasks.yaml", &format!("tasks:\n{}{}", task("good"), task("bad")));
    let run = ["run", "tasks.yaml", "--again", "2", "--run-dir", "run", "--output", "json"];
    let said = bench.run(&run).await;
    let results = said.exits(1).json();
    let ends = ended(&results);
    let verdicts: Vec<(&str, &str)> = ends.iter().map(|(job, (verdict, _))| (*job, *verdict)).collect();
    let expected = [
        ("bad", "NOT_ACHIEVED"),
        ("bad~again", "NOT_ACHIEVED"),
        ("bad~again-2", "NOT_ACHIEVED"),
        ("good", "PASSED"),
        ("~steadiness", "PASSED"),
    ];
    assert_eq!(verdicts, expected);
    assert_eq!(ends["~steadiness"].1, "1 of 2 jobs tried again; 1 ended as before");
    assert_eq!((results["episodes"].as_u64(), results["pending"].as_u64()), (Some(5), Some(0)));
    let reported = bench.run(&["report", "run", "--output", "json"]).await;
    assert_eq!(ended(&reported.json()), ends);

    let replay = ["replay", "run/tests/good.json", "--again", "1", "--run-dir", "replayed", "--output", "json"];
    let replayed = bench.run(&replay).await.exits(0).json();
    assert_eq!(ended(&replayed)["~steadiness"], ("PASSED", "1 job: none had to be tried again"));
    let resumed = bench.run(&["run", "--resume", "run", "--again", "1"]).await;
    resumed.exits(2).says("--again");
}
