//! Faults of an exploration as tests: they fail while the fault is there, pass once it is mended, and say nothing where the
//! way to it has changed.

use super::kit::Bench;
use harness::harbour::{ACCOUNTS, Harbour, Options};
use harness::site::{RunningSite, Site};
use serde_json::Value;
use std::collections::BTreeMap;

const HOME: &str = "<title>Shop</title><h1>Shop</h1><a href=/basket>Basket</a> <a href=/news>News</a>";
const NEWS: &str = "<title>News</title><h1>News</h1><p>Nothing.</p><button>Later</button>";
const WEIGHING: &str = "<title>Basket</title><h1>Basket</h1><form onsubmit='return false'><label>For whom? <input name=who required></label>\
     <button onclick=\"if (document.forms[0].who.value) scales.weigh(17)\">Weigh it</button></form>";

/// A shop whose scales throw, and whose news want a picture that is not there.
async fn faulty() -> RunningSite {
    let news = format!("{NEWS}<img src=/press.png>");
    Site::new().page("/", HOME).page("/basket", WEIGHING).page("/news", &news).start().await
}

/// The tests of a run, looking for another site, in a folder of their own.
fn moved(bench: &Bench, from: &RunningSite, to: &RunningSite, folder: &str) {
    std::fs::create_dir(bench.path(folder)).expect("a folder");
    for entry in std::fs::read_dir(bench.path("run/tests")).expect("tests").map(|entry| entry.expect("a file")) {
        let text = std::fs::read_to_string(entry.path()).expect("text");
        let name = entry.file_name().into_string().expect("a name");
        bench.write(&format!("{folder}/{name}"), &text.replace(&from.url(""), &to.url("")));
    }
}

/// The verdicts of tests, by the category of their fault.
async fn verdicts(bench: &Bench, tests: &str, run: &str, code: i32) -> BTreeMap<String, String> {
    let said = bench.run(&["replay", tests, "--run-dir", run, "--output", "json"]).await;
    let results = said.exits(code).json();
    let outcomes = results["outcomes"].as_array().expect("a list").iter();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let verdict = |outcome: &Value| (text(&outcome["job"]), text(&outcome["verdict"]));
    let kinds = outcomes.map(verdict).map(|(job, kind)| (job.rsplit('-').next().expect("a name").to_owned(), kind));
    kinds.collect()
}

fn of(javascript: &str, network: &str) -> BTreeMap<String, String> {
    BTreeMap::from([("javascript".into(), javascript.into()), ("network".into(), network.into())])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_leaves_a_test_that_fails_until_it_is_mended() {
    let (bench, site) = (Bench::new(), faulty().await);
    bench
        .run(&["explore", &site.url("/"), "--free", "--budget", "8s", "--run-dir", "run"])
        .await
        .exits(0)
        .says("tests:");
    assert_eq!(verdicts(&bench, "run/tests", "again", 1).await, of("FAILED", "FAILED"));

    let mending = WEIGHING.replace("scales.weigh(17)", "this.textContent = 'Light'");
    let mended = Site::new().page("/", HOME).page("/basket", &mending).page("/news", NEWS).start().await;
    moved(&bench, &site, &mended, "mended");
    assert_eq!(verdicts(&bench, "mended", "after", 0).await, of("PASSED", "PASSED"));

    // The button is gone, and the news are elsewhere: nobody knows whether the faults are.
    let home = HOME.replace("href=/news", "href=/today");
    let bare = WEIGHING.replace("<button", "<i").replace("</button>", "</i>");
    let rebuilt = Site::new().page("/", &home).page("/basket", &bare).page("/today", NEWS).start().await;
    moved(&bench, &site, &rebuilt, "rebuilt");
    assert_eq!(verdicts(&bench, "rebuilt", "later", 1).await, of("DRIFTED", "UNVERIFIED"));
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_of_a_fault_logs_in_as_the_exploration_did_and_never_passes_while_the_fault_is_there() {
    let bench = Bench::new();
    let harbour = Harbour::start(Options::default()).await.expect("Harbour starts");
    let account = ACCOUNTS.iter().find(|account| account.user == "ann").expect("Ann has an account");
    bench.write("password", account.password);
    bench.write(
        "ann.yaml",
        "role: customer\nurl: /sign-in\nfill:\n  User name: ann\n  Password: {secret: {file: password}}\n\
         logged_in: {not: {element: {role: link, name: {equals: Sign in}}}}\n",
    );
    let (url, scope) = (harbour.url("/"), harbour.scope());
    let mut explore = vec!["explore", &url, "--free", "--budget", "15s", "--run-dir", "run", "--login", "ann.yaml"];
    scope.iter().for_each(|host| explore.extend(["--scope", host.as_str()]));
    bench.run(&explore).await.exits(0);
    let said = bench.run(&["replay", "run/tests", "--run-dir", "again", "--output", "json"]).await;
    let results = said.exits(1).json();
    let outcomes = results["outcomes"].as_array().expect("a list");
    let kinds: Vec<&str> = outcomes.iter().filter_map(|outcome| outcome["verdict"].as_str()).collect();
    assert!(!kinds.contains(&"PASSED"), "{kinds:?}");
    let failed = kinds.iter().filter(|kind| **kind == "FAILED").count();
    assert!(failed > 1 && 2 * failed >= kinds.len(), "{kinds:?}");
    let text = std::fs::read_to_string(bench.path("again/results.json")).expect("results");
    assert!(!text.contains(account.password), "the password is kept nowhere");
    bench.assert_nothing_is_left().await;
}
