//! Tasks in people's words on a small office of several pages: what is done, that nothing else is changed, and that nothing is claimed
//! which was not done.

use super::kit::Bench;
use harness::site::Site;
use serde_json::{Value, json};

/// One line of `plain_words/tasks.txt`.
struct Case {
    start: String,
    instruction: String,
    /// What is different afterwards, as `changes()` of the office tells.
    changed: String,
    /// How it must end beside that.
    ends: Ends,
}

enum Ends {
    Done,
    GivesUp,
    Says(String),
    /// What the title, the address or a heading of the page holds that is open.
    Opens(String),
}

fn cases() -> Vec<Case> {
    let lines = include_str!("plain_words/tasks.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let parts: Vec<&str> = line.split(" | ").map(str::trim).collect();
            let [start, instruction, changed, rest @ ..] = parts.as_slice() else { panic!("no task: {line}") };
            let ends = match rest.first().copied() {
                None => Ends::Done,
                Some("gives up") => Ends::GivesUp,
                Some(end) => match end.split_once(' ') {
                    Some(("says", answer)) => Ends::Says(answer.to_owned()),
                    Some(("opens", page)) => Ends::Opens(page.to_owned()),
                    _ => panic!("no end: {end}"),
                },
            };
            let changed = if *changed == "-" { String::new() } else { (*changed).to_owned() };
            Case { start: (*start).to_owned(), instruction: (*instruction).to_owned(), changed, ends }
        })
        .collect()
}

fn check(case: &Case) -> Value {
    let unchanged = json!({"page_state": {"expression": "changes()", "equals": case.changed}});
    match &case.ends {
        Ends::Done | Ends::GivesUp => unchanged,
        Ends::Says(answer) => json!({"all": [unchanged, {"answer": {"equals": answer}}]}),
        Ends::Opens(page) => {
            let shown = "document.title + ' ' + location.href + ' ' + [...document.querySelectorAll('h2')].map(h => h.textContent)";
            let expression = format!("String(({shown}).includes({}))", json!(page));
            json!({"all": [unchanged, {"page_state": {"expression": expression, "equals": "true"}}]})
        }
    }
}

/// What is wrong with how a task ended.
fn fault(case: &Case, outcome: &Value, claim: &str) -> Option<String> {
    let says_done = claim == "done";
    let reason = outcome["reason"].as_str().unwrap_or_default();
    let is_right = match case.ends {
        // Who gives up is no success; that all is as it should be is said all the same.
        Ends::GivesUp => !says_done && reason.contains("the check holds all the same"),
        Ends::Done | Ends::Says(_) | Ends::Opens(_) => says_done && outcome["verdict"] == "PASSED",
    };
    (!is_right).then(|| format!("{} ({}): {claim}, {}: {reason}", case.instruction, case.start, outcome["verdict"]))
}

#[tokio::test(flavor = "multi_thread")]
async fn what_plain_words_ask_for_on_a_page_is_done_there_and_nothing_else() {
    all_end_as_told(cases().into_iter().filter(|case| case.start != "/").collect()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_plain_words_ask_for_is_found_from_the_overview_and_done_and_nothing_else() {
    all_end_as_told(cases().into_iter().filter(|case| case.start == "/").collect()).await;
}

async fn all_end_as_told(cases: Vec<Case>) {
    let bench = Bench::new();
    assert!(cases.len() > 20, "{} cases", cases.len());
    let office = "<!doctype html><html lang=en><meta charset=utf-8><title>Office</title><script src=/office.js></script>\
        <style>.card { display: inline-block; border: 1px solid; margin: 4px } nav li { display: inline; margin: 4px }</style><body></body></html>";
    let pages = [
        "/",
        "/todo",
        "/calendar",
        "/calendar/new",
        "/calendar/edit",
        "/messages",
        "/shop",
        "/cart",
        "/issues",
        "/issues/new",
        "/issue",
        "/people",
        "/people/new",
        "/people/edit",
        "/people/delete",
        "/settings",
        "/rechnungen",
        "/rechnungen/neu",
        "/files",
        "/course",
        "/ward",
        "/orders",
        "/studio",
    ];
    let site = Site::new().file("/office.js", "text/javascript", include_str!("plain_words/office.js"));
    let site = pages.into_iter().fold(site, |site, path| site.page(path, office)).start().await;
    let tasks: Vec<Value> = cases
        .iter()
        .zip(0..)
        .map(|(case, number): (_, u32)| {
            let may_hold = case.changed.is_empty();
            json!({"id": format!("t{number}"), "start_url": site.url(&case.start), "instruction": case.instruction,
                "check": check(case), "may_hold_at_start": may_hold, "limits": {"seconds": 180}})
        })
        .collect();
    bench.write("tasks.json", &json!({"tasks": tasks}).to_string());
    let said = bench.run(&["run", "tasks.json", "--workers", "2", "--run-dir", "run", "--output", "json"]).await;
    let results = said.json();
    let trajectories = std::fs::read_to_string(bench.path("run/trajectories.jsonl")).expect("trajectories");
    let claims: Vec<Value> =
        trajectories.lines().map(|line| serde_json::from_str(line).expect("a trajectory")).collect();
    let mut faults = Vec::new();
    for outcome in results["outcomes"].as_array().expect("a list") {
        let task = outcome["task"].as_str().expect("a task");
        let number: usize = task.rsplit(['t', '/']).next().and_then(|number| number.parse().ok()).expect("a number");
        let ended = claims.iter().find(|trajectory| trajectory["task"] == outcome["task"]).expect("its trajectory");
        let claim = ended["ending"]["claim"]["is"].as_str().unwrap_or("no claim");
        faults.extend(fault(&cases[number], outcome, claim));
    }
    assert!(faults.is_empty(), "{} of {} ended otherwise:\n{}", faults.len(), cases.len(), faults.join("\n"));
}
