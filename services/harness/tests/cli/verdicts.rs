//! The examples of `docs/verdicts.md` are run as they stand there.

use super::kit::Bench;
use super::pages::{Block, blocks, page};
use harness::site::Site;
use serde_json::Value;
use std::collections::BTreeMap;

/// A page, what is done on it, and how that ends. Without a task it is the replay of the one before.
struct Example {
    html: String,
    task: Option<String>,
    ends: String,
}

fn examples() -> Vec<Example> {
    let (mut html, mut task) = (String::new(), None);
    let mut examples = Vec::new();
    for Block { language, text } in blocks(&page("docs/verdicts.md")) {
        match language.as_str() {
            "html" => html = text,
            "yaml" => task = Some(text),
            "text" => examples.push(Example { html: html.clone(), task: task.take(), ends: text.trim().to_owned() }),
            other => panic!("a block of {other}"),
        }
    }
    examples
}

fn endings(results: &Value) -> BTreeMap<String, String> {
    let outcomes = results["outcomes"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    outcomes
        .map(|outcome| (text(&outcome["job"]), format!("{}: {}", text(&outcome["verdict"]), text(&outcome["reason"]))))
        .collect()
}

fn is_as_told(ending: &str, told: &str) -> bool {
    told.strip_suffix('…').map_or(ending == told, |beginning| ending.starts_with(beginning))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_examples_of_the_page_about_verdicts_end_as_it_says() {
    let bench = Bench::new();
    let examples = examples();
    let site = examples
        .iter()
        .zip(1..)
        .fold(Site::new(), |site, (example, number): (_, u32)| site.page(&format!("/{number}"), &example.html));
    let site = site.start().await;
    let mut tasks = String::from("tasks:\n");
    for (example, number) in examples.iter().zip(1..) {
        let Some(task) = &example.task else { continue };
        let start = format!("start_url: {}\n", site.url(&format!("/{number}")));
        let lines = if task.contains("start_url") { task.clone() } else { start + task.as_str() };
        tasks += &format!("  - id: example-{number}\n");
        lines.lines().for_each(|line| tasks += &format!("    {line}\n"));
    }
    bench.write("tasks.yaml", &tasks);
    let said = bench.run(&["run", "tasks.yaml", "--workers", "1", "--run-dir", "run", "--output", "json"]).await;
    let ended = endings(&said.exits(1).json());
    let mut wrong = Vec::new();
    let mut recorded = 0;
    for (example, number) in examples.iter().zip(1..) {
        let ending = if example.task.is_some() {
            recorded = number;
            ended[&format!("example-{number}")].clone()
        } else {
            let test =
                std::fs::read_to_string(bench.path(&format!("run/tests/example-{recorded}.json"))).expect("a test");
            let (from, to) = (site.url(&format!("/{recorded}")), site.url(&format!("/{number}")));
            let file = bench.write(&format!("test-{number}.json"), &test.replace(&from, &to));
            let (file, run) = (file.display().to_string(), format!("replay-{number}"));
            let said = bench.run(&["replay", &file, "--run-dir", &run, "--output", "json"]).await;
            endings(&said.json()).into_values().next().expect("an outcome")
        };
        if !is_as_told(&ending, &example.ends) {
            wrong.push(format!("example {number} is told as\n  {}\nand ended as\n  {ending}", example.ends));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    bench.assert_nothing_is_left().await;
}
