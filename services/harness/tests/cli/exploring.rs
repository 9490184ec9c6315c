//! `rutter explore` on Harbour: what it finds and leaves alone, and that nothing of it is lost with the process.

use super::kit::Bench;
use super::lifetimes::signal;
use harness::harbour::score::observations;
use harness::harbour::{ACCOUNTS, Harbour, Options};
use harness::site::Site;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

async fn harbour() -> Harbour {
    Harbour::start(Options::default()).await.expect("Harbour starts")
}

/// The arguments of an exploration of all that belongs to Harbour.
fn exploring(harbour: &Harbour, budget: &str, more: &[&str]) -> Vec<String> {
    let mut arguments: Vec<String> =
        ["explore", &harbour.url("/"), "--budget", budget, "--run-dir", "RUN", "--output", "json"]
            .map(str::to_owned)
            .to_vec();
    for host in harbour.scope() {
        arguments.extend(["--scope".to_owned(), host]);
    }
    arguments.extend(more.iter().map(|argument| (*argument).to_owned()));
    arguments
}

fn texts(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

fn visits(bench: &Bench) -> Vec<Value> {
    let text = std::fs::read_to_string(bench.path("RUN/visits.jsonl")).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Pictures of states in the blobs of a run that is under way.
fn pictures(bench: &Bench) -> usize {
    fn files(folder: &Path) -> usize {
        let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
        entries.flatten().map(|entry| if entry.path().is_dir() { files(&entry.path()) } else { 1 }).sum()
    }
    files(&bench.path("RUN/blobs"))
}

/// States that somebody was the first to see, in order.
fn discoveries(visits: &[Value]) -> Vec<u64> {
    visits.iter().filter(|visit| visit["is_new"] == true).filter_map(|visit| visit["state"].as_u64()).collect()
}

fn are_distinct(states: &[u64]) -> bool {
    states.iter().collect::<BTreeSet<_>>().len() == states.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn two_browsers_explore_one_site_into_one_map_and_do_no_harm() {
    let (bench, harbour) = (Bench::new(), harbour().await);
    let arguments = exploring(&harbour, "20s", &["--workers", "2"]);
    let said = bench.run(&texts(&arguments)).await;
    let results = said.exits(0).json();
    let states = results["states"].as_u64().expect("a number");
    assert!(states > 20, "{states} states");
    assert_eq!(results["requests_out_of_scope"], 0);
    assert_eq!(harbour.counters().harm(), 0, "{:?}", harbour.counters());
    let visits = visits(&bench);
    let browsers: BTreeSet<&str> = visits.iter().filter_map(|visit| visit["crawler"].as_str()).collect();
    assert_eq!(browsers.len(), 2, "both took part");
    assert!(are_distinct(&discoveries(&visits)));
    let report = std::fs::read_to_string(bench.path("RUN/report.html")).expect("a report");
    assert!(report.contains("data:image/jpeg;base64,"), "it has pictures");
    bench.run(&["graph", "path", "start", "2", "--run", "RUN"]).await.exits(0);
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exploration_that_is_killed_goes_on_where_it_was() {
    let (bench, harbour) = (Bench::new(), harbour().await);
    let arguments = exploring(&harbour, "25s", &[]);
    let mut child = bench.start(&texts(&arguments));
    while pictures(&bench) < 8 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    signal("-KILL", child.id());
    tokio::task::spawn_blocking(move || child.wait()).await.expect("joined").expect("ended");
    bench.assert_nothing_is_left().await;
    // What was seen until then is kept, and can be looked at before anybody goes on.
    bench.run(&["report", "RUN"]).await.exits(0);
    let before = visits(&bench);
    // The last of the eight were still on their way to where they are kept.
    let seen = discoveries(&before).len();
    assert!(seen >= 4, "{seen} states in {} visits", before.len());
    let said = bench.run(&["explore", "--resume", "RUN", "--output", "json"]).await;
    let results = said.exits(0).json();
    let after = visits(&bench);
    assert_eq!(after[..before.len()], before, "what was seen stays");
    assert!(after.len() > before.len(), "it went on");
    assert!(are_distinct(&discoveries(&after)), "no state was found twice");
    let map: Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("RUN/map.json")).expect("a map")).expect("JSON");
    let known: BTreeSet<u64> =
        map["states"].as_array().expect("a list").iter().filter_map(|state| state["id"].as_u64()).collect();
    assert!(discoveries(&after).iter().all(|state| known.contains(state)), "no state was lost");
    assert!(results["wall_s"].as_f64().expect("seconds") < 60.0, "the time before counts");
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_only_reads_sends_nothing() {
    let (bench, harbour) = (Bench::new(), harbour().await);
    let arguments = exploring(&harbour, "10s", &["--read-only", "--keep-observations"]);
    bench.run(&texts(&arguments)).await.exits(0);
    let file = bench.path("RUN/observations.jsonl.zst");
    let mut requests = 0;
    for line in observations(&file).expect("observations") {
        let (_, observation) = line.expect("an observation");
        requests += observation.requests.len();
        let sent = observation.requests.iter().find(|request| request.method != "GET" && !request.refused);
        assert_eq!(sent, None);
    }
    assert!(requests > 0, "something was read");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_logs_in_sees_what_guests_do_not_and_no_secret_is_kept() {
    let (bench, harbour) = (Bench::new(), harbour().await);
    let account = ACCOUNTS.iter().find(|account| account.user == "ann").expect("Ann has an account");
    bench.write("password", account.password);
    bench.write(
        "ann.yaml",
        "role: customer\nurl: /sign-in\nfill:\n  User name: ann\n  Password: {secret: {file: password}}\n\
         logged_in: {not: {element: {role: link, name: {equals: Sign in}}}}\n",
    );
    let arguments = exploring(&harbour, "12s", &["--login", "ann.yaml", "--keep-observations"]);
    bench.run(&texts(&arguments)).await.exits(0);
    let file = bench.path("RUN/observations.jsonl.zst");
    let kept = observations(&file).expect("observations");
    let pages: Vec<_> = kept.map(|line| line.expect("an observation").1).collect();
    let shows = |name: &str| pages.iter().any(|page| page.nodes.iter().any(|node| node.name == name));
    assert!(shows("My account") && !shows("Sign in"), "every page is that of somebody who is logged in");
    for kept in ["visits.jsonl", "map.json", "report.html", "run.json"] {
        let text = std::fs::read_to_string(bench.path(&format!("RUN/{kept}"))).expect("a file");
        assert!(!text.contains(account.password), "{kept} holds the password");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_explored_by_who_cannot_log_in_and_what_was_there_is_said() {
    let (bench, harbour) = (Bench::new(), harbour().await);
    let account = ACCOUNTS.iter().find(|account| account.user == "ann").expect("Ann has an account");
    let recipe = |field: &str, password: &str| {
        format!("role: customer\nurl: /sign-in\nfill:\n  \"{field}\": ann\n  Password: {password}\nsubmit: Sign in\n")
    };
    for (field, password, said) in [
        ("E-mail", account.password, "no field `E-mail`; fields here:"),
        ("User name", "wrong-password", "somebody were logged in"),
    ] {
        let bench = Bench::new();
        bench.write("login.yaml", &recipe(field, password));
        let arguments = exploring(&harbour, "20s", &["--login", "login.yaml"]);
        bench.run(&texts(&arguments)).await.exits(3).says(said).says("INVALID_ENVIRONMENT");
    }
    bench.write("login.yaml", &recipe("user name:", account.password));
    let arguments = exploring(&harbour, "8s", &["--login", "login.yaml", "--keep-observations"]);
    bench.run(&texts(&arguments)).await.exits(0);
    assert!(!visits(&bench).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_meant_is_said_before_anything_is_opened() {
    let bench = Bench::new();
    bench.run(&["explore", "file:///etc/passwd"]).await.exits(2).says("not allowed");
    bench.run(&["explore", "http://127.0.0.1:9/", "--strategy", "magic"]).await.exits(2).says("frontier");
    bench.run(&["explore", "http://127.0.0.1:9/", "--budget", "soon"]).await.exits(2);
    bench.write("login.yaml", "role: customer\nfil: {User: ann}\n");
    bench.run(&["explore", "http://127.0.0.1:9/", "--login", "login.yaml"]).await.exits(2).says("login.yaml:2");
    bench.run(&["explore", "http://127.0.0.1:9/", "--budget", "5s"]).await.exits(3);
    bench.assert_nothing_is_left().await;
}

/// A registration that says bit by bit what it wants.
const REGISTRATION: &str = r#"<h1>Register</h1><form novalidate>
    <p><label>User name <input name=user></label></p><p class=error></p>
    <p><label>Password <input type=password name=password></label></p>
    <p><label>Repeat password <input type=password name=repeated></label></p><p class=error></p>
    <p><label>Born (DD/MM/YYYY) <input name=born></label></p><p class=error></p>
    <p><label>Photo <input type=file name=photo accept='image/*'></label></p>
    <p><label><input type=checkbox name=terms> I accept the terms</label></p><p class=error></p>
    <button>Register</button></form>
    <script>
      const form = document.forms[0], said = document.querySelectorAll('.error');
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        const wrong = [
          /^[a-z]+7$/.test(form.user.value) ? '' : 'That name is taken. Free are names that end in 7.',
          form.password.value.length < 18 ? 'Passwords must have at least 18 characters.'
            : form.password.value === form.repeated.value ? '' : 'The passwords do not match.',
          /^\d\d\/\d\d\/\d{4}$/.test(form.born.value) ? '' : 'Enter a valid date.',
          form.photo.files[0]?.type !== 'image/png' ? 'A photo is missing.' : form.terms.checked ? '' : 'Please accept the terms.',
        ];
        wrong.forEach((message, index) => { said[index].textContent = message; });
        if (wrong.every((message) => message === '')) location.href = '/done';
      });
    </script>"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_registration_is_filled_in_mended_by_what_it_says_and_done() {
    let site = Site::new().page("/", REGISTRATION).page("/done", "<h1>Welcome aboard</h1>").start().await;
    let bench = Bench::new();
    let url = site.url("/");
    bench.run(&["explore", &url, "--budget", "60s", "--run-dir", "RUN"]).await.exits(0);
    let visits = visits(&bench);
    let done = site.url("/done");
    assert!(visits.iter().any(|visit| visit["url"] == done.as_str()), "{visits:#?}");
}
