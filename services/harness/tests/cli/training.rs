//! Training: what trials teach is kept, used at evaluation, and survives a kill.

use super::kit::Bench;
use harness::model::{Dialect, ModelRequest, ModelServer, Reply};
use harness::site::Site;
use serde_json::json;
use std::time::Duration;
use tokio::time::sleep;

const PAGE: &str = "<title>Accounts</title><main><h1>Account of a guest</h1><button onclick=\"document.querySelector('main')\
    .textContent = 'Guests cannot be closed'\">Close</button><button onclick=\"document.querySelector('main').textContent = \
    'Well done'\">Archive</button></main>";

/// Closes accounts until a rule says that guests are archived.
fn learner(asked: &ModelRequest) -> Reply {
    let prompt = asked.prompt();
    if asked.about() == "learnt_rule" {
        return Reply::Json(json!({"reason": "closing was refused", "rule": "Guests are archived, not closed."}));
    }
    if asked.about() == "judgement" {
        let progress = if prompt.contains("click button \"Archive\"") { "reached" } else { "off" };
        return Reply::Json(json!({"reason": "as the steps say", "progress": progress}));
    }
    let wanted = if prompt.contains("Guests are archived, not closed.") { "Archive" } else { "Close" };
    let listed = planner::page::read_back(prompt);
    let named = listed.iter().find(|line| line.get("text").is_some_and(|told| told == wanted));
    let chosen = named.and_then(|line| line.get("click")?.as_i64());
    let status = if chosen.is_some() { "act" } else { "done" };
    Reply::Json(
        json!({"status": status, "chosen_action": chosen.unwrap_or(0), "action_description": "it", "reason": "as scripted",
        "answer": null, "text": null, "press_enter": false}),
    )
}

struct School {
    bench: Bench,
    _site: harness::site::RunningSite,
    model: ModelServer,
    url: String,
}

impl School {
    async fn new(script: impl harness::model::Script + 'static, check: bool) -> School {
        let bench = Bench::new();
        let site = Site::new().page("/", PAGE).start().await;
        let check = if check { "\n    check: {text: {contains: Well done}}" } else { "" };
        let start = site.url("/");
        let task = format!(
            "tasks:\n  - id: close\n    start_url: {start}\n    instruction: Close the account of the guest.{check}\n"
        );
        bench.write("accounts.yaml", &task);
        let model = ModelServer::start(script).await.expect("a model");
        let url = model.base_url(Dialect::OpenAi);
        School { bench, _site: site, model, url }
    }

    fn command<'a>(&'a self, words: &[&'a str]) -> Vec<&'a str> {
        let model = [
            "--model",
            "scripted",
            "--model-url",
            &self.url,
            "--model-key-env",
            "SCRIPTED_KEY",
            "--set",
            "preset=ours",
        ];
        [words, &model].concat()
    }

    async fn run(&self, words: &[&str]) -> super::kit::Said {
        self.bench.run_with(&self.command(words), &[("SCRIPTED_KEY", ModelServer::KEY)]).await
    }

    fn asked(&self, about: &str) -> usize {
        self.model.asked().iter().filter(|asked| asked.about() == about).count()
    }
}

const TRAIN: [&str; 10] =
    ["train", "accounts.yaml", "--name", "accounts", "--instances", "3", "--window", "2", "--run-dir", "TRAINING"];

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_teaches_a_rule_that_is_kept_and_makes_the_task_pass() {
    let school = School::new(learner, true).await;
    let said = school.run(&[&TRAIN[..], &["--stop-above", "0.95", "--output", "json"]].concat()).await;
    let stored = said.exits(0).json();
    assert_eq!((&stored["name"], &stored["version"]), (&json!("accounts"), &json!(1)), "{stored:#}");
    let close = &stored["tasks"][0];
    assert_eq!(
        (&close["right"], &close["judged"], &close["average"]),
        (&json!(2), &json!(3), &json!(1.0)),
        "{close:#}"
    );
    assert_eq!(close["rules"], json!(["Guests are archived, not closed."]));
    assert!(
        close["examples"][0].as_str().is_some_and(|example| example.contains("click button \"Archive\"")),
        "{close:#}"
    );
    assert_eq!(school.asked("learnt_rule"), 1);

    let run = ["run", "accounts.yaml", "--planner", "hxagent", "--output", "json"];
    school.run(&run).await.exits(1);
    let with = school.run(&[&run[..], &["--experience", "accounts"]].concat()).await;
    let planner = with.exits(0).json()["outcomes"][0]["planner"].clone();
    assert!(planner.as_str().is_some_and(|planner| planner.contains("experience.name=accounts@1")), "{planner}");

    school.bench.run(&["experience", "list"]).await.exits(0).says("accounts@1");
    school.bench.run(&["experience", "show", "accounts"]).await.exits(0).says("rule: Guests are archived, not closed.");
    school.bench.run(&["experience", "forget", "accounts@1"]).await.exits(0);
    let missing = school.run(&[&run[..], &["--experience", "accounts"]].concat()).await;
    missing.exits(2).says("no experience `accounts`").says("rutter train");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_check_decides_teaches_only_where_somebody_judges_it() {
    let school = School::new(learner, false).await;
    let train = &TRAIN[..8];
    school.run(train).await.exits(1).says("no trial could be judged").says("--judged-by");
    let said = school.run(&[train, &["--judged-by", "model", "--output", "json"]].concat()).await;
    let close = said.exits(0).json()["tasks"][0].clone();
    assert_eq!((&close["right"], &close["judged"]), (&json!(2), &json!(3)), "{close:#}");
    school.run(&[train, &["--judged-by", "person"]].concat()).await.exits(2).says("terminal");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_training_that_is_killed_goes_on_and_makes_no_trial_twice() {
    // The second round's first question takes long enough for the kill to come in the middle of it.
    let slow = |asked: &ModelRequest| match learner(asked) {
        reply if asked.prompt().contains("Guests are archived, not closed.") => {
            Reply::Slow(Duration::from_millis(1500), Box::new(reply))
        }
        reply => reply,
    };
    let school = School::new(slow, true).await;
    let words = school.command(&TRAIN);
    let mut command = harness::program::command(&words);
    command.current_dir(school.bench.path("")).env("SCRIPTED_KEY", ModelServer::KEY);
    let mut training = command.spawn().expect("the binary starts");
    let lessons = school.bench.path("TRAINING/rounds/001/lessons.json");
    let second = school.bench.path("TRAINING/rounds/002/run.json");
    for _ in 0..600 {
        if lessons.exists() && second.exists() {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    training.kill().expect("killed");
    training.wait().expect("ended");
    let first_lessons = std::fs::read(&lessons).expect("the first round taught something");
    let said = school.run(&["train", "--resume", "TRAINING", "--output", "json"]).await;
    let stored = said.exits(0).json();
    assert_eq!((&stored["tasks"][0]["judged"], &stored["version"]), (&json!(3), &json!(1)), "{stored:#}");
    assert_eq!(std::fs::read(&lessons).expect("kept"), first_lessons, "the first round was not judged again");
    assert_eq!(school.asked("learnt_rule"), 1);
    let again = school.run(&["train", "--resume", "TRAINING", "--output", "json"]).await;
    assert_eq!(again.exits(0).json()["version"], 1, "a training makes one version");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_training_is_repeated_without_a_model() {
    let school = School::new(learner, true).await;
    let recorded = school.run(&[&TRAIN[..], &["--record-model", "--output", "json"]].concat()).await;
    let recorded = recorded.exits(0).json();
    let asked = school.model.asked().len();
    let again =
        ["train", "accounts.yaml", "--name", "accounts", "--instances", "3", "--window", "2", "--run-dir", "AGAIN"];
    let repeated = school.run(&[&again[..], &["--replay-model", "TRAINING", "--output", "json"]].concat()).await;
    let repeated = repeated.exits(0).json();
    assert_eq!(repeated["tasks"], recorded["tasks"]);
    assert_eq!((&repeated["version"], school.model.asked().len()), (&json!(2), asked), "no model was asked");
    // Another task was never recorded.
    let other = std::fs::read_to_string(school.bench.path("accounts.yaml")).expect("tasks").replace("the guest", "Ann");
    school.bench.write("other.yaml", &other);
    let run = ["run", "other.yaml", "--planner", "hxagent", "--replay-model", "TRAINING/rounds/001"];
    school.run(&run).await.exits(4).says("has no reply to this question");
}
