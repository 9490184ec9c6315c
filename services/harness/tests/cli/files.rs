//! A task that gives a file to a site and keeps one that it gives, from the task file to the directory of the run.

use super::kit::Bench;
use harness::site::Site;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_a_task_is_handed_in_and_a_download_comes_back() {
    let site = Site::new()
        .page(
            "/",
            "<h1>Files</h1><label>Document <input type=file id=f></label><button onclick=\"out.textContent = f.files[0].name\">Hand in\
             </button><p id=out></p><a href=/report.csv>Monthly report</a>",
        )
        .bytes("/report.csv", &[("content-disposition", "attachment"), ("content-type", "text/csv")], b"a;b".to_vec())
        .start()
        .await;
    let bench = Bench::new();
    bench.write("notes.txt", "four words in it");
    let start = site.url("/");
    let tasks = json!({"tasks": [
        {"id": "upload", "start_url": start, "instruction": "Upload {notes} as \"Document\" and press \"Hand in\".",
         "parameters": {"notes": {"file": "notes.txt"}}, "check": {"text": {"contains": "notes.txt"}}},
        {"id": "download", "start_url": start, "instruction": "Click \"Monthly report\".", "downloads": true,
         "check": {"request": {"url": {"contains": "/report.csv"}, "status": 200}}},
        {"id": "told", "start_url": start, "instruction": "Click \"Monthly report\".",
         "check": {"request": {"url": {"contains": "/report.csv"}, "status": 200}}},
    ]});
    bench.write("files.yaml", &tasks.to_string());
    let said = bench.run(&["run", "files.yaml", "--run-dir", "run", "--output", "json"]).await;
    assert_eq!(said.code, 0, "{}", said.stderr);
    let results: Value = serde_json::from_str(&said.stdout).expect("results");
    let [kept] = &results["downloads"].as_array().expect("downloads")[..] else { panic!("{results}") };
    assert_eq!((&kept["name"], &kept["bytes"]), (&json!("report.csv"), &json!(3)));
    let file = kept["file"].as_str().expect("a file");
    assert_eq!(std::fs::read_to_string(bench.path("run").join(file)).expect("the file"), "a;b");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_there_is_told_with_its_place_in_the_task_file() {
    let bench = Bench::new();
    let tasks = json!({"tasks": [{"id": "t", "start_url": "http://127.0.0.1:9/", "instruction": "Upload {cv}.",
        "parameters": {"cv": {"file": "gone.pdf"}}}]});
    bench.write("files.yaml", &tasks.to_string());
    let said = bench.run(&["run", "files.yaml"]).await;
    assert_ne!(said.code, 0);
    assert!(said.stderr.contains("files.yaml:1:") && said.stderr.contains("gone.pdf"), "{}", said.stderr);
}
