//! Options of planners, from the command line to the results.

use super::kit::{Bench, shop};
use serde_json::Value;

const BUY: &str = "Click on the \"Buy\" button.";

#[tokio::test(flavor = "multi_thread")]
async fn options_are_kept_with_the_run_and_named_in_its_results_also_when_it_goes_on() {
    let bench = Bench::new();
    let site = shop().start().await;
    bench.write("options.toml", "similarity = 0.7\n");
    let url = site.url("/").to_string();
    let task =
        ["run", "--site", &url, "--task", BUY, "--check", "text~Thank you", "--run-dir", "RUN", "--output", "json"];
    let options = ["--planner-options", "options.toml", "--set", "similarity=0.6"];
    let said = bench.run(&[&task[..], &options[..]].concat()).await;
    let planner = |results: &Value| results["outcomes"][0]["planner"].clone();
    assert_eq!(planner(&said.exits(0).json()), "ground (similarity=0.6)", "{said:#?}");
    let settings = std::fs::read_to_string(bench.path("RUN/run.json")).expect("the settings of the run");
    let settings: Value = serde_json::from_str(&settings).expect("JSON");
    assert_eq!(settings["kind"]["planner"]["options"]["similarity"], 0.6);
    let again = bench.run(&["run", "--resume", "RUN", "--output", "json"]).await;
    assert_eq!(planner(&again.exits(0).json()), "ground (similarity=0.6)");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_option_ends_the_command_before_anything_runs() {
    let bench = Bench::new();
    let task = ["run", "--site", "http://127.0.0.1:9/", "--task", BUY, "--planner", "hxagent", "--model", "m"];
    bench.write("options.toml", "[page]\nmax_elments = 4\n");
    let said = bench.run(&[&task[..], &["--planner-options", "options.toml"]].concat()).await;
    said.exits(2).says("options.toml").says("page.max_elments").says("max_elements");
    let said = bench.run(&[&task[..], &["--set", "preset=best"]].concat()).await;
    said.exits(2).says("--set preset=best").says("`published` or `ours`");
    let said = bench.run(&["run", "--site", "http://127.0.0.1:9/", "--task", BUY, "--planner", "oracle"]).await;
    said.exits(2).says("ground, hxagent, naviqate, random").says("gold");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_planners_are_listed_with_their_options_for_people_and_machines() {
    let bench = Bench::new();
    bench.run(&["planners"]).await.exits(0).says("needs model (reasoner)").says("memory.window");
    let listed = bench.run(&["planners", "hxagent", "--output", "json"]).await;
    let listed = listed.exits(0).json();
    assert_eq!((&listed[0]["name"], listed.as_array().map(Vec::len)), (&Value::from("hxagent"), Some(1)));
    assert!(listed[0]["schema"]["properties"]["steps"].is_object(), "{listed:#}");
    bench
        .run(&["planners", "oracle"])
        .await
        .exits(2)
        .says("there are: adaplanner, full-plan, ground, hxagent, naviqate");
}
