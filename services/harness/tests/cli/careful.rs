//! An exploration leaves what was there before as it is, and says so: a real browser on a site that counts.

use super::kit::Bench;
use harness::site::{RunningSite, Site};

const NAV: &str = "<nav><a href=/>Start</a> <a href=/boats/3>Boat 3</a> <a href=/settings>Settings</a> <a href=/new>New boat</a> \
     <a href=/texts/remove-stains>How to remove stains</a></nav>";
const HOME: &str = "<h1>Boats</h1><table>\
     <tr><td>Elbe<td><button onclick=\"fetch('/x/1',{method:'DELETE'})\">Sink</button>\
     <td><button onclick=\"fetch('/x/2',{method:'POST',body:'_method=delete',headers:{'content-type':'application/x-www-form-urlencoded'}})\">Off</button>\
     <td><input type=checkbox aria-label=Afloat onchange=\"fetch('/x/3',{method:'POST'})\">\
     <tr><td>Weser<td><button onclick=\"fetch('/x/4',{method:'DELETE'})\">Sink</button>\
     <td><a href=/x/5/delete>Gone</a><td><input type=checkbox aria-label=Afloat onchange=\"fetch('/x/6',{method:'POST'})\"></table>\
     <button onclick=\"fetch('/h/%64elete-all',{method:'POST'})\">Tidy</button>\
     <button onclick=\"fetch('/look',{method:'GET'})\">Look around</button>";
const BOAT: &str = "<h1>Boat 3</h1><form method=post action=/x/7><label>Name <input name=name value=Elbe></label><button>Go</button></form>";
const SETTINGS: &str = "<h1>Settings</h1><form method=post action=/x/8><label>Language <select name=language><option>English<option>French\
     </select></label><button>Save</button></form>\
     <form method=post action=/x/9><label>Old <input type=password name=old></label><label>New <input type=password name=new></label>\
     <button>Go on</button></form>";
const NEW: &str = "<h1>New boat</h1><form method=post action=/boats><label>Name <input name=name required></label><button>Create</button></form>";

async fn boats() -> RunningSite {
    let page = |html: &str| format!("{NAV}{html}");
    Site::new()
        .page("/", &page(HOME))
        .page("/boats/3", &page(BOAT))
        .page("/settings", &page(SETTINGS))
        .page("/new", &page(NEW))
        .page("/texts/remove-stains", &page("<h1>Stains</h1>"))
        .answers("/boats", 303, &[("location", "/boats/17")])
        .page("/boats/17", &page("<h1>Boat 17</h1><p>Rutter Lovelace"))
        .page("/look", "seen")
        .start()
        .await
}

/// What changes something.
fn harm(site: &RunningSite) -> Vec<String> {
    let harms = |request: &String| request.contains(" /x/") || request.contains(" /h/");
    site.requests().into_iter().filter(harms).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_there_before_is_left_as_it_is_and_the_results_say_what_was_done() {
    let (bench, site) = (Bench::new(), boats().await);
    let arguments = ["explore", &site.url("/"), "--budget", "25s", "--run-dir", "RUN", "--output", "json"];
    let results = bench.run(&arguments).await.exits(0).json();
    assert_eq!(harm(&site), Vec::<String>::new());
    let asked = site.requests();
    for wanted in ["GET /boats/3", "GET /settings", "GET /texts/remove-stains", "GET /look", "POST /boats"] {
        assert!(asked.iter().any(|request| request == wanted), "{wanted}: {asked:?}");
    }
    assert_eq!(asked.iter().filter(|request| *request == "POST /boats").count(), 1, "one of a kind is created");
    let changes = &results["changes"];
    assert_eq!(changes["mode"], "careful");
    assert_eq!(changes["created"][0]["path"], "/boats");
    let left = &changes["left_alone"];
    // A control is left alone for its words, or pressed and its request refused.
    let deletes = ["controls", "requests"].map(|what| left["deletes"][what].as_u64().unwrap_or_default());
    assert!(deletes.iter().sum::<u64>() >= 4, "{left}");
    assert!(left["saves_at_once"]["requests"].as_u64() >= Some(1), "{left}");
    for rule in ["existing_record", "settings", "password"] {
        assert!(left[rule]["controls"].as_u64() >= Some(1), "{rule}: {left}");
    }
    let report = std::fs::read_to_string(bench.path("RUN/report.html")).expect("a report");
    assert!(report.contains("What it did to the site") && report.contains("saves_at_once"));
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_sends_nothing_and_lists_what_it_would_press() {
    let (bench, site) = (Bench::new(), boats().await);
    let url = site.url("/");
    let arguments = ["explore", &url, "--dry-run", "--budget", "12s", "--run-dir", "RUN", "--output", "json"];
    let results = bench.run(&arguments).await.exits(0).json();
    assert!(site.requests().iter().all(|request| request.starts_with("GET ")), "{:?}", site.requests());
    let would = results["changes"]["would_press"].to_string();
    assert!(would.contains("Create"), "{would}");
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_free_exploration_changes_what_is_there_and_still_deletes_nothing() {
    let (bench, site) = (Bench::new(), boats().await);
    let url = site.url("/");
    let arguments = ["explore", &url, "--free", "--deny", "path=/settings", "--budget", "25s", "--run-dir", "RUN"];
    bench.run(&arguments).await.exits(0);
    let harm = harm(&site);
    assert!(harm.contains(&"POST /x/7".to_owned()), "{harm:?}");
    assert!(!harm.iter().any(|request| request.starts_with("DELETE") || request.contains("delete")), "{harm:?}");
    assert!(!harm.contains(&"POST /x/2".to_owned()), "{harm:?}");
    assert!(!site.requests().iter().any(|request| request.contains("/settings")), "what is forbidden is not opened");
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_meant_is_refused_before_anything_is_opened() {
    let bench = Bench::new();
    let url = "http://127.0.0.1:9/";
    bench.run(&["explore", url, "--deny", "colour=red"]).await.exits(2).says("path=/drafts/*");
    bench.run(&["explore", url, "--read-only", "--free"]).await.exits(2).says("cannot be used with");
}
