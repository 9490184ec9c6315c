//! Handing in is not running: what somebody else's run directory or test asks of this machine is refused until it is trusted.

use super::kit::Bench;
use harness::site::Site;
use serde_json::{Value, json};

/// A task whose site is reset by a program that leaves a file.
fn task(url: &str, left: &str) -> String {
    format!(
        "sites:\n  shop:\n    reset: {{command: [touch, {left}]}}\ntasks:\n  - id: press\n    site: shop\n    start_url: {url}\n    \
         instruction: Click \"Go\".\n    check: {{text: {{contains: Gone}}}}\n"
    )
}

const PAGE: &str = "<button onclick=\"document.body.append('Gone')\">Go</button>";

#[tokio::test(flavor = "multi_thread")]
async fn a_run_directory_of_somebody_else_starts_no_program_until_it_is_trusted() {
    let bench = Bench::new();
    let site = Site::new().page("/", PAGE).start().await;
    bench.write("task.yaml", &task(&site.url("/"), "own"));
    // A file on the command line is trusted, and so is the run directory that came of it.
    bench.run(&["run", "task.yaml", "--planner", "ground", "--run-dir", "RUN"]).await.exits(0);
    assert!(bench.path("own").exists());
    bench.run(&["run", "--resume", "RUN"]).await.exits(0);

    // The same directory with a command of somebody else in it, and one job still to do.
    std::fs::create_dir(bench.path("SENT")).expect("a directory");
    let settings = std::fs::read_to_string(bench.path("RUN/run.json")).expect("settings");
    let mark = std::fs::read_to_string(bench.path("RUN/run.mark")).expect("its mark");
    bench.write("SENT/run.json", &settings.replace("\"own\"", "\"theirs\""));
    bench.write("SENT/run.mark", &mark);
    let refused = bench.run(&["run", "--resume", "SENT"]).await;
    refused.exits(6).says("to start the program `touch theirs`").says("--trust");
    assert!(!bench.path("theirs").exists(), "nothing was run");
    bench.run(&["run", "--resume", "SENT", "--trust"]).await.exits(0);
    assert!(bench.path("theirs").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_starts_no_program_and_reads_no_secret_until_it_is_trusted() {
    let bench = Bench::new();
    let site = Site::new().page("/", PAGE).start().await;
    bench.write("task.yaml", &task(&site.url("/"), "own"));
    bench.run(&["run", "task.yaml", "--planner", "ground", "--run-dir", "RUN"]).await.exits(0);
    let file = std::fs::read_dir(bench.path("RUN/tests")).expect("tests").next().expect("one").expect("a file").path();
    let file = if file.is_dir() {
        std::fs::read_dir(file).expect("tests").next().expect("one").expect("a file").path()
    } else {
        file
    };
    bench.run(&["replay", "RUN/tests", "--run-dir", "AGAIN"]).await.exits(0);
    let mut test: Value = serde_json::from_str(&std::fs::read_to_string(file).expect("a test")).expect("JSON");
    test["start"]["site"]["reset"] = json!({"command": ["touch", "theirs"]});
    test["start"]["task"]["parameters"] = json!({"key": {"secret": {"file": "/etc/hostname"}}});
    bench.write("test.json", &test.to_string());
    let refused = bench.run(&["replay", "test.json"]).await;
    refused.exits(6).says("touch theirs").says("/etc/hostname").says("--trust");
    assert!(!bench.path("theirs").exists(), "nothing was run");
}

#[tokio::test]
async fn what_is_no_command_is_refused_before_anything_is_opened() {
    let arguments =
        ["explore", "http://127.0.0.1:9/", "--coverage-report", "a.info", "--coverage-command", "sh -c 'open"];
    Bench::new().run(&arguments).await.exits(2).says("a quotation mark has no partner");
}
