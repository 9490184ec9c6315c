//! Bad input and broken surroundings: each has a clear error that says what to do, and its own exit code.

use super::kit::{Bench, shop};
use harness::site::Site;
use std::os::unix::fs::PermissionsExt as _;

const BUY: &str = "Click on the \"Buy\" button.";

#[tokio::test(flavor = "multi_thread")]
async fn without_a_browser_it_says_where_it_looked() {
    let bench = Bench::new();
    let arguments = ["run", "--site", "http://127.0.0.1:9/", "--task", BUY, "--browser", "/nowhere/browser"];
    bench.run(&arguments).await.exits(3).says("/nowhere/browser").says("install");
}

/// A driver that answers as chromedriver does when the browser is of another version.
const OLD_DRIVER: &str = r#"#!/usr/bin/env python3
import http.server, json, sys
class Driver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers.get('content-length') or 0))
        message = 'session not created: This version of ChromeDriver only supports Chrome version 99\nCurrent browser version is 156.0.8078.79'
        body = json.dumps({'value': {'error': 'session not created', 'message': message, 'stacktrace': ''}}).encode()
        self.send_response(500)
        self.send_header('content-type', 'application/json')
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    do_GET = do_DELETE = do_POST
    def log_message(self, *words): pass
port = next((int(word[7:]) for word in sys.argv if word.startswith('--port=')), 0)
server = http.server.HTTPServer(('127.0.0.1', port), Driver)
print(f'ChromeDriver was started successfully on port {server.server_address[1]}.', flush=True)
server.serve_forever()
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_driver_of_another_version_is_named() {
    let bench = Bench::new();
    let driver = bench.write("chromedriver", OLD_DRIVER);
    std::fs::set_permissions(&driver, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let driver = driver.to_str().expect("text");
    let said = bench.run(&["run", "--site", "http://127.0.0.1:9/", "--task", BUY, "--driver", driver]).await;
    said.exits(3).says("only supports Chrome version 99").says("same major version");
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_cannot_be_reached_is_no_failure_of_the_agent() {
    let bench = Bench::new();
    let said = bench.run(&["run", "--site", "http://127.0.0.1:9/", "--task", BUY, "--check", "text~x"]).await;
    said.exits(3).says("INVALID_ENVIRONMENT").says("127.0.0.1:9");
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invalid_task_file_is_reported_with_file_line_and_hint() {
    let bench = Bench::new();
    bench.write("t.yaml", "tasks:\n  - id: a\n    start_url: http://127.0.0.1:9/\n");
    bench.run(&["run", "t.yaml"]).await.exits(2).says("t.yaml:2:5: the field `instruction` is missing hint:");
    bench.run(&["run", "missing.yaml"]).await.exits(2).says("missing.yaml: read the task file");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_check_is_named_with_the_nearest() {
    let bench = Bench::new();
    let task = "tasks:\n  - id: a\n    start_url: http://127.0.0.1:9/\n    instruction: x\n    check: {textt: {contains: y}}\n";
    bench.write("t.yaml", task);
    bench.run(&["run", "t.yaml"]).await.exits(2).says("t.yaml:5:13: unknown check `textt` hint: did you mean `text`?");
    let said = bench.run(&["run", "--site", "http://127.0.0.1:9/", "--task", "x", "--check", "textt~y"]).await;
    said.exits(2).says("did you mean `text`?");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_outside_the_scope_is_refused() {
    let bench = Bench::new();
    let elsewhere = ["--start", "http://127.0.0.2:9/"];
    let said = bench.run(&[&["run", "--site", "http://127.0.0.1:9/", "--task", BUY], &elsewhere[..]].concat()).await;
    said.exits(2).says("outside the scope");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_sends_its_visitors_out_of_scope_is_not_followed() {
    let bench = Bench::new();
    let other = shop().start().await;
    let site = Site::new().redirect("/", other.url("/").as_ref()).start().await;
    let said = bench.run(&["run", "--site", site.url("/").as_ref(), "--task", BUY, "--check", "text~x"]).await;
    said.exits(3).says("INVALID_ENVIRONMENT");
    assert!(other.requests().is_empty(), "the other site was asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_never_opened() {
    let bench = Bench::new();
    let said = bench.run(&["run", "--site", "file:///etc/passwd", "--task", BUY]).await;
    said.exits(2).says("the scheme `file` is not allowed").says("local web server");
    bench.write("t.yaml", "tasks:\n  - {id: a, start_url: 'file:///etc/passwd', instruction: x}\n");
    bench
        .run(&["run", "t.yaml"])
        .await
        .exits(2)
        .says("t.yaml:2:13: `file:///etc/passwd`: the scheme `file` is not allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_settles_is_said_to_be_so_and_worked_on_all_the_same() {
    let bench = Bench::new();
    let restless = "<button onclick=\"said.textContent = 'Thank you'\">Buy</button><p id=said></p>\
        <script>fetch('/never').then(answer => { said.textContent = 'late'; });</script>";
    let site = Site::new().page("/", restless).slow_file("/never", 120_000, "text/plain", "late").start().await;
    let said = bench.run(&["run", "--site", site.url("/").as_ref(), "--task", BUY, "--check", "text~Thank you"]).await;
    said.exits(0).says("never came to rest");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_loop_of_dialogs_ends_the_attempt() {
    let bench = Bench::new();
    let loops = "<button>Buy</button><script>for (;;) alert('again')</script>";
    let site = Site::new().page("/", loops).start().await;
    let said = bench.run(&["run", "--site", site.url("/").as_ref(), "--task", BUY, "--check", "text~x"]).await;
    said.exits(1).says("NOT_ACHIEVED");
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_endpoint_that_is_down_is_named() {
    let bench = Bench::new();
    let site = shop().start().await;
    let url = site.url("/").to_string();
    let model = ["--planner", "hxagent", "--model", "some-model", "--model-url", "http://127.0.0.1:9/v1"];
    let task = ["run", "--site", &url, "--task", BUY, "--check", "text~Thank you"];
    bench.run(&[&task[..], &model[..]].concat()).await.exits(4).says("127.0.0.1:9");
    bench.run(&[&task[..], &["--planner", "hxagent"]].concat()).await.exits(2).says("--model");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_asks_for_json_is_told_failures_in_json() {
    let bench = Bench::new();
    let missing = bench.run(&["run", "nowhere.yaml", "--output", "json"]).await.exits(2).json();
    assert_eq!((missing["error"]["exit"].as_u64(), missing["error"]["kind"].as_str()), (Some(2), Some("usage")));
    assert!(missing["error"]["message"].as_str().is_some_and(|message| message.contains("nowhere.yaml")));
    let unknown = bench.run(&["run", "--output=json", "--no-such-option"]).await.exits(2).json();
    assert!(unknown["error"]["message"].as_str().is_some_and(|message| message.contains("--no-such-option")));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_a_page_says_commands_the_terminal() {
    let bench = Bench::new();
    let evil = "<title>a</title><button onclick=\"o.textContent='\\u001b]0;owned\\u0007\\u001b[2J\\u202edeleted'\">Go</button><p id=o role=alert></p>";
    let site = Site::new().page("/", evil).start().await;
    let check = "{text: {contains: Gone}}";
    let task = format!(
        "tasks:\n  - id: press\n    start_url: {}\n    instruction: Click \"Go\".\n    check: {check}\n",
        site.url("/")
    );
    bench.write("task.yaml", &task);
    for output in ["table", "json"] {
        let said = bench.run(&["run", "task.yaml", "--planner", "ground", "--output", output]).await;
        said.exits(1);
        let all = format!("{}{}", said.stdout, said.stderr);
        assert!(!all.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{all:?}");
    }
}
