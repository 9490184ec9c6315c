//! `rutter run --map`: what was explored is found by its map, however far it lies behind words that do not lead there.

use super::kit::Bench;
use harness::site::Site;
use serde_json::{Value, json};

const AREAS: [&str; 5] = ["Finance", "People", "Stock", "Sales", "Office"];
const SECTIONS: [&str; 2] = ["Reference", "Daily"];
const PAGES: [[&str; 4]; 5] = [
    ["Exchange rates", "Cost centres", "Receipts", "Ledger"],
    ["Positions", "Grades", "Absences", "Shifts"],
    ["Shelves", "Batches", "Deliveries", "Counts"],
    ["Regions", "Discounts", "Quotes", "Visits"],
    ["Postal codes", "Printing defaults", "Keys", "Parking"],
];

/// An office whose pages lie three links deep.
async fn office() -> harness::site::RunningSite {
    let page = |title: &str, body: &str| {
        let areas: String = AREAS.iter().map(|area| format!("<li><a href=/{area}>{area}</a></li>")).collect();
        format!(
            "<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><link rel=icon href=data:,>\
             <nav><ul>{areas}</ul></nav><main><h1>{title}</h1>{body}</main></html>"
        )
    };
    let list = |links: Vec<(String, &str)>| {
        let entries = links.into_iter().map(|(path, name)| format!("<p><a href=\"{path}\">{name}</a></p>"));
        entries.collect::<String>()
    };
    let mut site = Site::new().page("/", &page("Office", "<p>Choose an area.</p>"));
    for (area, pages) in AREAS.iter().zip(PAGES) {
        let sections = SECTIONS.iter().map(|section| (format!("/{area}/{section}"), *section)).collect();
        site = site.page(&format!("/{area}"), &page(area, &list(sections)));
        for (section, pages) in SECTIONS.iter().zip(pages.chunks(2)) {
            let path = |name: &str| format!("/{area}/{section}/{}", name.replace(' ', "-"));
            let links = pages.iter().map(|name| (path(name), *name)).collect();
            site = site.page(&format!("/{area}/{section}"), &page(&format!("{area}: {section}"), &list(links)));
            for name in pages {
                let form = "<form><label>Paper tray <input name=tray></label><button>Save</button></form><p id=kept></p>\
                    <script>const tray = new URLSearchParams(location.search).get('tray');\
                    if (tray) document.getElementById('kept').textContent = 'Kept: tray ' + tray;</script>";
                let body = if *name == "Printing defaults" { form } else { "<p>Nothing is listed here.</p>" };
                site = site.page(&path(name), &page(name, body));
            }
        }
    }
    site.start().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_explored_is_found_by_its_map() {
    let (bench, office) = (Bench::new(), office().await);
    let start = office.url("/");
    let explored = bench.run(&["explore", &start, "--budget", "45s", "--workers", "2", "--run-dir", "MAP"]).await;
    explored.exits(0);
    let heading = |name: &str| json!({"element": {"role": "heading", "name": {"equals": name}}});
    let tasks = json!({"tasks": [
        {"id": "page", "start_url": start, "instruction": "Open the postal codes.", "check": heading("Postal codes")},
        {"id": "setting", "start_url": start, "instruction": "Change the paper tray to \"3\".", "check": {"text": {"contains": "Kept: tray 3"}}},
    ]});
    bench.write("tasks.json", &tasks.to_string());
    let said = bench.run(&["run", "tasks.json", "--map", "MAP", "--run-dir", "WITH", "--output", "json"]).await;
    let results = said.exits(0).json();
    let trajectories = std::fs::read_to_string(bench.path("WITH/trajectories.jsonl")).expect("trajectories");
    assert_eq!(trajectories.lines().count(), 2);
    assert!(
        results["outcomes"].as_array().is_some_and(|all| all.iter().all(|one| one["verdict"] == "PASSED")),
        "{results}"
    );
    for line in trajectories.lines() {
        let attempt: Value = serde_json::from_str(line).expect("a trajectory");
        let steps = attempt["steps"].as_array().expect("steps");
        assert!(steps.len() <= 4, "{} took {} steps", attempt["instruction"], steps.len());
        let reasons: Vec<&str> = steps.iter().filter_map(|step| step["reason"].as_str()).collect();
        assert!(reasons.iter().any(|reason| reason.contains("the map knows")), "{reasons:?}");
    }
    assert!(results["outcomes"][0]["planner"].as_str().is_some_and(|planner| planner.contains("map.of=")), "{results}");
    // What tasks saw is a map as well.
    let shown = bench.run(&["graph", "show", "--run", "WITH", "--output", "json"]).await;
    assert!(shown.exits(0).stdout.contains("Postal codes"), "{}", shown.stdout);
    let refused = bench.run(&["run", "tasks.json", "--map", "MAP", "--planner", "random"]).await;
    assert!(refused.exits(2).stderr.contains("--map MAP"), "{}", refused.stderr);
    let refused = bench.run(&["run", "tasks.json", "--map", "no/such-run"]).await;
    assert!(refused.exits(2).stderr.contains("is no run directory"), "{}", refused.stderr);
    bench.assert_nothing_is_left().await;
}
