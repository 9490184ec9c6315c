//! A planner at an address: the example in Python of `docs/examples/planner`, asked by the real binary.

use super::kit::{Bench, shop};
use serde_json::json;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const BUY: &str = "Click on the \"Buy\" button.";

/// A Python that has the compiler of wire definitions which most languages use.
fn python() -> PathBuf {
    let python = root().join(".cache/example-planner/bin/python");
    assert!(python.is_file(), "{} is missing: run `deploy/local/setup.sh example`", python.display());
    python
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The example, which ends with the test.
struct Example {
    process: Child,
    address: String,
}

impl Example {
    fn start(address: &str) -> Example {
        let mut command = Command::new(python());
        command.args(["-B", "docs/examples/planner/planner.py", address]).current_dir(root());
        let mut process = command.stdout(Stdio::piped()).spawn().expect("Python starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        let said = line.trim().strip_prefix("listening on ");
        let address = said.unwrap_or_else(|| panic!("the example says where it listens, got {line:?}")).to_owned();
        Example { process, address }
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An address that nothing listens at.
fn nowhere() -> String {
    format!("127.0.0.1:{}", backends::testing::free_port())
}

#[test]
fn every_wire_definition_is_one_to_other_compilers_too() {
    let folder = tempfile::tempdir().expect("a directory");
    let files = std::fs::read_dir(root().join("proto/v1")).expect("the definitions");
    let files = files.map(|file| format!("v1/{}", file.expect("a file").file_name().to_string_lossy()));
    let mut command = Command::new(python());
    command.args(["-m", "grpc_tools.protoc", "-I."]).arg(format!("--python_out={}", folder.path().display()));
    let said = command.args(files).current_dir(root().join("proto")).output().expect("Python starts");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planner_in_python_does_a_task() {
    let (bench, site, example) = (Bench::new(), shop().start().await, Example::start("127.0.0.1:0"));
    let url = site.url("/").to_string();
    let at = format!("address={}", example.address);
    let task = ["run", "--site", &url, "--task", BUY, "--check", "text~Thank you", "--output", "json"];
    let said = bench.run(&[&task[..], &["--planner", "remote", "--set", &at]].concat()).await;
    let results = said.exits(0).json();
    let outcome = &results["outcomes"][0];
    assert!(outcome["planner"].as_str().is_some_and(|name| name.starts_with("remote (address=http")), "{results:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planner_that_comes_late_costs_no_attempt() {
    let (bench, site, at) = (Bench::new(), shop().start().await, nowhere());
    let (url, address) = (site.url("/").to_string(), format!("address=http://{at}"));
    let task = ["run", "--site", &url, "--task", BUY, "--check", "text~Thank you", "--planner", "remote"];
    let arguments = [&task[..], &["--set", &address]].concat();
    let late = async {
        tokio::time::sleep(Duration::from_secs(4)).await;
        tokio::task::spawn_blocking(move || Example::start(&at)).await.expect("started")
    };
    let (said, _example) = tokio::join!(bench.run(&arguments), late);
    said.exits(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_planner_that_never_answers_is_told_with_its_address_and_what_to_do() {
    let (bench, site, at) = (Bench::new(), shop().start().await, nowhere());
    let check = json!({"text": {"contains": "Thank you"}});
    let url = site.url("/").to_string();
    let task = json!({"id": "buy", "start_url": url, "instruction": BUY, "check": check, "limits": {"seconds": 3}});
    let file = bench.write("tasks.jsonl", &format!("{task}\n"));
    let address = format!("address=http://{at}");
    let file = file.display().to_string();
    let said = bench.run(&["run", &file, "--planner", "remote", "--set", &address, "--output", "json"]).await;
    let results = said.json().to_string();
    for part in [format!("the planner at http://{at}"), format!("start the planner at http://{at}")] {
        assert!(results.contains(&part), "{part}: {said:#?}");
    }
    let wrong = bench.run(&["run", &file, "--planner", "remote", "--set", "adress=x"]).await;
    wrong.exits(2).says("adress").says("address");
}
