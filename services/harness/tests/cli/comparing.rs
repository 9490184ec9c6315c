//! `rutter graph diff` on two versions of a site: what a run did not reach is gone to before anything is said of it.

use super::kit::Bench;
use harness::site::{RunningSite, Site};
use serde_json::Value;

/// Rooms, each behind the one before it.
const ROOMS: [&str; 7] = ["hall", "kitchen", "cellar", "garden", "stable", "attic", "tower"];

/// A house in which a door may be missing: the one to this room. It takes so many milliseconds to enter a room.
async fn house(without_door_to: Option<&str>, delay: u64) -> RunningSite {
    let mut site =
        Site::new().page("/", "<!doctype html><title>House</title><h1>House</h1><a href=/hall>To the hall</a>");
    for (place, room) in ROOMS.iter().enumerate() {
        let next = ROOMS.get(place + 1).filter(|next| Some(**next) != without_door_to);
        let door = next.map(|next| format!("<a href=/{next}>To the {next}</a>")).unwrap_or_default();
        let page = format!(
            "<!doctype html><title>The {room}</title><h1>The {room}</h1><button>Sweep the {room}</button>{door}"
        );
        site = site.slow(&format!("/{room}"), delay, &page);
    }
    site.start().await
}

fn titles(rows: &Value) -> Vec<&str> {
    rows.as_array().expect("a list").iter().map(|row| row["title"].as_str().expect("a title")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_short_run_did_not_reach_is_gone_to_before_it_is_said_to_have_vanished() {
    let bench = Bench::new();
    let (whole, broken) = (house(None, 0).await, house(Some("attic"), 400).await);
    let explore = async |site: &RunningSite, budget: &str, run: &str| {
        let url = site.url("/");
        bench.run(&["explore", &url, "--free", "--site", "house", "--budget", budget, "--run-dir", run]).await.exits(0);
    };
    explore(&whole, "20s", "before").await;
    explore(&broken, "1s", "after").await;
    let visits = std::fs::read_to_string(bench.path("after/visits.jsonl")).expect("visits");
    let compare = async |more: &[&str]| {
        let compare = ["graph", "diff", "--before", "before", "--after", "after", "--output", "json"];
        bench.run(&[&compare[..], more].concat()).await
    };
    let said = compare(&[]).await.exits(0).json();
    let states = &said["layers"][0]["states"];
    assert_eq!(titles(&states["vanished"]), [""; 0], "a second is too short to say so");
    let unseen = titles(&states["not_reached"]["by_after"]);
    assert!(unseen.contains(&"The attic") && unseen.contains(&"The tower"), "{unseen:?}");

    let said = compare(&["--replay"]).await.exits(1).says("ways were gone again").json();
    let states = &said["layers"][0]["states"];
    assert_eq!(titles(&states["vanished"]), ["The attic", "The tower"]);
    let broke_at = &states["vanished"][1]["broke_at"];
    assert_eq!(
        (&broke_at["action"], &broke_at["from_title"]),
        (&"click link \"To the attic\"".into(), &"The stable".into())
    );
    assert_eq!(titles(&states["not_reached"]["by_after"]), [""; 0], "everything else was gone to");
    let lost: Value = serde_json::json!({ "is": "lost", "part": "control", "role": "link", "name": "To the attic" });
    let changed: Vec<(&str, &Value)> = states["changed"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|row| (row["before"]["title"].as_str().expect("a title"), &row["what"]))
        .collect();
    assert_eq!(changed, [("The stable", &Value::Array(vec![lost]))]);
    let now = std::fs::read_to_string(bench.path("after/visits.jsonl")).expect("visits");
    assert_eq!(now, visits, "the run directory is as it was");

    // The other way round, something appeared; the earlier site stands elsewhere by now.
    let moved = house(Some("attic"), 0).await;
    let back = ["graph", "diff", "--before", "after", "--after", "before", "--output", "json"];
    let asked = format!("--replay-before={}", moved.url("/"));
    let said = bench.run(&[&back[..], &[asked.as_str()]].concat()).await.exits(1).json();
    assert_eq!(titles(&said["layers"][0]["states"]["appeared"]), ["The attic", "The tower"]);
    bench.assert_nothing_is_left().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_cannot_be_asked_again_is_no_change() {
    let bench = Bench::new();
    let site = house(None, 0).await;
    let url = site.url("/");
    for run in ["before", "after"] {
        bench.run(&["explore", &url, "--free", "--budget", "2s", "--run-dir", run]).await.exits(0);
    }
    drop(site);
    let compare = ["graph", "diff", "--before", "before", "--after", "after", "--replay"];
    bench.run(&compare).await.exits(3).says("could not be gone again");
    bench.run(&["graph", "diff", "--before", "before", "--after", "after", "--replay=ftp://x/"]).await.exits(2);
    bench.assert_nothing_is_left().await;
}
