//! `rutter graph` over run directories and over a served map, as a person or a script asks.

use domain::{Effect, SiteId};
use graph::suite::{Browser, CART, HOME, LIST, PRODUCT, WISHED};
use graph::{Dependencies, Graph, Options};
use platform::SystemClock;
use serde_json::Value;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// What a command left.
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    #[track_caller]
    fn exits(self, code: i32) -> Said {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    #[track_caller]
    fn says(self, words: &str) -> Said {
        assert!(
            self.out.contains(words) || self.err.contains(words),
            "`{words}` is not in: {}\n{}",
            self.out,
            self.err
        );
        self
    }

    #[track_caller]
    fn does_not_say(self, words: &str) -> Said {
        assert!(!self.out.contains(words) && !self.err.contains(words), "`{words}` is in: {}\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

fn command(arguments: &[&str]) -> Command {
    let weights = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/minilm");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rutter"));
    command.args(arguments).stdin(Stdio::null());
    command.env("RUTTER_MINILM_DIR", std::env::var_os("RUTTER_MINILM_DIR").unwrap_or_else(|| weights.into()));
    command
}

fn rutter(arguments: &[&str]) -> Said {
    let done = command(arguments).output().expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Said { code: done.status.code(), out: text(done.stdout), err: text(done.stderr) }
}

/// A run directory, made by whoever walks through the shop.
async fn run_directory(folder: &TempDir, name: &str, walk: impl AsyncFn(&mut Browser)) -> PathBuf {
    let path = folder.path().join(name);
    let opened = backends::open(&path).await.expect("a directory");
    let (store, clock) = (opened.maps.clone(), Arc::new(SystemClock::default()));
    let dependencies = Dependencies { store, clock, embedder: None, history: None };
    let maps = Graph::new(dependencies, Options::default()).expect("options of ours");
    walk(&mut Browser::new(Arc::new(maps), name)).await;
    opened.close().await;
    path
}

/// Home, list, product and cart, the home page first.
async fn whole_shop(browser: &mut Browser) {
    let home = browser.open(HOME).await;
    let list = browser.click(&home, "Products", LIST).await;
    browser.click(&list, "Product 1", PRODUCT).await;
    browser.click(&home, "Cart", CART).await;
}

fn text(path: &Path) -> &str {
    path.to_str().expect("text")
}

#[tokio::test]
async fn a_run_is_shown_with_its_states_and_transitions() {
    let folder = tempfile::tempdir().expect("a directory");
    let run = run_directory(&folder, "monday", whole_shop).await;
    let shown = rutter(&["graph", "show", "--run", text(&run)]).exits(0).says("Products").says("http://shop/cart");
    shown.says("link \"Product 1\"").says("monday");
    let shown = rutter(&["graph", "show", "--run", text(&run), "--output", "json"]).exits(0).json();
    let site = &shown["sites"][0];
    assert_eq!((&site["site"], &site["states"], &site["transitions"]), (&"shop".into(), &4.into(), &3.into()));
    assert_eq!(site["versions"][0]["run"], "monday");
    assert_eq!(site["map"]["states"].as_array().map(Vec::len), Some(4));
    assert!(site["open"].as_u64() > Some(0), "nobody claimed anything");
    rutter(&["graph", "show", "--run", text(&run), "--seen-by", "tuesday"]).exits(2).says("there are: monday");
}

#[tokio::test]
async fn a_path_is_told_in_steps_and_no_path_by_the_exit_code() {
    let folder = tempfile::tempdir().expect("a directory");
    let run = run_directory(&folder, "monday", whole_shop).await;
    let path = |from: &str, to: &str, output: &str| {
        rutter(&["graph", "path", from, to, "--run", text(&run), "--output", output])
    };
    let said = path("start", "3", "table").exits(0).says("open http://shop/ (state 1, Home)");
    said.says("1. click link \"Products\" → state 2, Products")
        .says("2. click link \"Product 1\"")
        .says("100.0 % reliable");
    let found = path("2", "3", "json").exits(0).json();
    assert_eq!(found["path"]["steps"].as_array().map(Vec::len), Some(1));
    assert_eq!(found["path"]["reliability"], 1.0);
    path("3", "1", "table").exits(1).says("no way to state 1 is known");
    path("start", "99", "table").exits(2).says("has no state 99");
    path("home", "3", "table").exits(2).says("write the number of a state, or start");
}

#[tokio::test]
async fn states_are_found_by_what_they_are_about() {
    let folder = tempfile::tempdir().expect("a directory");
    let run = run_directory(&folder, "monday", whole_shop).await;
    let found = rutter(&["graph", "search", "pay for what is in the cart", "--run", text(&run), "--output", "json"]);
    assert_eq!(found.exits(0).json()["found"][0]["title"], "Cart");
}

#[tokio::test]
async fn a_map_is_written_in_every_format() {
    let folder = tempfile::tempdir().expect("a directory");
    let run = run_directory(&folder, "monday", whole_shop).await;
    for (format, begin) in [("json", "{"), ("graphml", "<?xml"), ("dot", "digraph"), ("mermaid", "flowchart")] {
        let said = rutter(&["graph", "export", "--format", format, "--run", text(&run)]).exits(0);
        assert!(said.out.starts_with(begin), "{}", said.out);
        let file = folder.path().join(format);
        let written = ["graph", "export", "--format", format, "--out", text(&file), "--run", text(&run)];
        rutter(&written).exits(0).says("4 states and 3 transitions");
        assert_eq!(std::fs::read_to_string(file).expect("written").trim_end(), said.out.trim_end());
    }
}

/// The later run numbers its states in another order.
#[tokio::test]
async fn two_run_directories_are_compared_by_what_their_pages_are() {
    let folder = tempfile::tempdir().expect("a directory");
    let before = run_directory(&folder, "monday", whole_shop).await;
    let same = run_directory(&folder, "tuesday", async |browser: &mut Browser| {
        let home = browser.open(HOME).await;
        browser.click(&home, "Cart", CART).await;
        let list = browser.click(&home, "Products", LIST).await;
        browser.click(&list, "Product 1", PRODUCT).await;
    });
    let same = same.await;
    let diff = |after: &Path, output: &str| {
        rutter(&["graph", "diff", "--before", text(&before), "--after", text(after), "--output", output])
    };
    diff(&same, "table").exits(0).says("nothing changed").does_not_say("not reached");

    // The product has a button more, the cart is gone, and nobody looked at home's list.
    let other = run_directory(&folder, "wednesday", async |browser: &mut Browser| {
        let home = browser.open(HOME).await;
        for _ in 0..2 {
            browser.act(&home, "Cart", Effect::NoChange, HOME).await;
        }
        let list = browser.open(LIST).await;
        browser.click(&list, "Product 1", WISHED).await;
    });
    let other = other.await;
    let said = diff(&other, "table").exits(1).says("from monday to wednesday").says("something changed");
    said.says("button \"Wish for it\" is new").says("not reached by wednesday");
    let found = diff(&other, "json").exits(1).json();
    let states = &found["layers"][0]["states"];
    let titles = |list: &Value| -> Vec<String> {
        let rows = list.as_array().expect("a list").iter();
        rows.map(|row| row["title"].as_str().expect("a title").to_owned()).collect()
    };
    assert_eq!(titles(&states["vanished"]), ["Cart"]);
    assert_eq!(states["vanished"][0]["broke_at"]["action"], "click link \"Cart\"");
    assert!(titles(&states["appeared"]).is_empty());
    let changed = states["changed"].as_array().expect("a list");
    assert_eq!((changed.len(), &changed[0]["before"]["title"]), (1, &"Product".into()));
    // Each in the numbers of its own map.
    assert_eq!((&changed[0]["before"]["state"], &changed[0]["after"]["state"]), (&3.into(), &3.into()));
    let ways = &found["layers"][0]["transitions"];
    assert_eq!(ways["vanished"].as_array().map(Vec::len), Some(0));
    assert_eq!(ways["not_reached"]["by_after"][0]["to_title"], "Products");
    assert_eq!(ways["appeared"][0]["action"], "click link \"Cart\"");
    // VisitRecord from the other side, the same is new.
    let back = rutter(&["graph", "diff", "--before", text(&other), "--after", text(&before), "--output", "json"]);
    assert_eq!(titles(&back.exits(1).json()["layers"][0]["states"]["appeared"]), ["Cart"]);
}

#[tokio::test]
async fn two_runs_of_one_map_are_compared_by_their_names() {
    let folder = tempfile::tempdir().expect("a directory");
    let run = run_directory(&folder, "monday", async |browser: &mut Browser| {
        whole_shop(browser).await;
        for (name, product) in [("tuesday", PRODUCT), ("wednesday", WISHED)] {
            let mut later = Browser::new(browser.service.clone(), name);
            let home = later.open(HOME).await;
            let list = later.click(&home, "Products", LIST).await;
            later.click(&list, "Product 1", product).await;
        }
    });
    let run = run.await;
    let diff = |earlier: &str, later: &str| rutter(&["graph", "diff", earlier, later, "--run", text(&run)]);
    diff("monday", "tuesday").exits(0).says("nothing changed").says("not reached by tuesday");
    diff("tuesday", "wednesday").exits(1).says("state 3, Product");
    diff("monday", "thursday").exits(2).says("there are: monday, tuesday, wednesday");
    rutter(&["graph", "diff", "monday", "--run", text(&run)]).exits(2);
}

#[tokio::test]
async fn what_cannot_be_meant_is_said_with_what_to_do() {
    let folder = tempfile::tempdir().expect("a directory");
    rutter(&["graph", "show"]).exits(2).says("name a run directory by --run DIR, or the service by --service URL");
    rutter(&["graph", "show", "--run", text(folder.path())]).exits(2).says("is no run directory");
    let empty = run_directory(&folder, "empty", async |_: &mut Browser| {}).await;
    rutter(&["graph", "export", "--run", text(&empty)]).exits(2).says("has no map");
    let two = run_directory(&folder, "two", async |browser: &mut Browser| {
        browser.open(HOME).await;
        browser.version.site = SiteId::new("elsewhere");
        browser.open(HOME).await;
    });
    let two = two.await;
    rutter(&["graph", "show", "--run", text(&two)]).exits(0).says("elsewhere").says("shop");
    rutter(&["graph", "export", "--run", text(&two)]).exits(2).says("name one by --site: elsewhere, shop");
    rutter(&["graph", "export", "--run", text(&two), "--site", "nowhere"]).exits(2).says("there are: elsewhere, shop");
    let held = backends::open(&two).await.expect("it is free");
    rutter(&["graph", "show", "--run", text(&two)]).exits(5);
    held.close().await;
    rutter(&["graph", "show", "--service", "http://127.0.0.1:9"]).exits(3);
}

/// A process that is ended with its test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Serves the maps of a run directory; says where.
fn serve(run: &Path) -> (Served, String) {
    let mut command = command(&["serve", "graph", "--listen", "127.0.0.1:0"]);
    let child =
        command.env("RUTTER_STORAGE__DIRECTORY", run).stderr(Stdio::piped()).spawn().expect("the binary starts");
    let mut served = Served(child);
    let lines = BufReader::new(served.0.stderr.take().expect("its stderr")).lines();
    for line in lines.map_while(Result::ok) {
        if let Some(address) = line.strip_prefix("serving graph at ") {
            return (served, format!("http://{address}"));
        }
    }
    panic!("it ended before it served");
}

#[tokio::test]
async fn a_served_map_answers_as_the_directory_does() {
    let folder = tempfile::tempdir().expect("a directory");
    let run = run_directory(&folder, "monday", whole_shop).await;
    for question in [
        &["graph", "show", "--output", "json"][..],
        &["graph", "path", "start", "3", "--output", "json"],
        &["graph", "export", "--format", "dot"],
        &["graph", "diff", "monday", "monday"],
    ] {
        let own = rutter(&[question, &["--run", text(&run)]].concat()).exits(0).out;
        let (served, url) = serve(&run);
        let told = rutter(&[question, &["--service", &url]].concat()).exits(0).out;
        drop(served);
        assert_eq!(told, own, "{question:?}");
    }
}
