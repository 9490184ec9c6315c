//! No browser and no driver outlives its owner, however the owner ends. Processes are counted by a mark that each owner's
//! browser carries on its command line, so that other tests' browsers do not matter.

use crate::kit::options;
use browser::{Browser, Error, Options, Protocol};
use procfs::process::{Process, all_processes};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::time::sleep;

/// Processes with a mark in their command lines: their ids and command lines.
fn processes(mark: &str) -> Vec<(u32, String)> {
    let told = |process: Process| Some((process.pid.try_into().ok()?, process.cmdline().ok()?.join(" ")));
    let is_marked = |(process, line): &(u32, String)| {
        line.contains(mark) && *process != std::process::id() && !line.contains("cargo")
    };
    all_processes().expect("/proc").flatten().filter_map(told).filter(is_marked).collect()
}

fn marked(mark: &str) -> Vec<String> {
    processes(mark).into_iter().map(|(_, line)| line).collect()
}

/// The browser's own process among those with a mark; its children name their type.
pub(crate) fn main_process(mark: &str) -> Vec<u32> {
    let own = |line: &str| !line.contains("--type=") && line.contains("--remote-debugging");
    processes(&format!("--{mark}")).into_iter().filter(|(_, line)| own(line)).map(|(process, _)| process).collect()
}

async fn gone(mark: &str) -> bool {
    for _ in 0..150 {
        if marked(mark).is_empty() {
            return true;
        }
        sleep(Duration::from_millis(50)).await;
    }
    false
}

fn with_mark(mark: &str) -> Options {
    Options { arguments: vec![format!("--{mark}")], ..options(Protocol::Bidi) }
}

#[tokio::test]
async fn stopping_waits_until_every_process_is_gone() {
    let browser = Browser::start(with_mark("rutter-test-stop")).await.unwrap();
    assert!(!marked("rutter-test-stop").is_empty());
    browser.stop().await;
    assert_eq!(marked("rutter-test-stop"), Vec::<String>::new());
}

#[tokio::test]
async fn a_browser_that_is_dropped_goes_too() {
    drop(Browser::start(with_mark("rutter-test-drop")).await.unwrap());
    assert!(gone("rutter-test-drop").await, "{:?}", marked("rutter-test-drop"));
}

#[tokio::test]
async fn a_browser_whose_owner_is_killed_goes_too() {
    // This test binary is its own owner process: a second run of it holds a browser and says so.
    for signal in ["-KILL", "-INT", "-TERM"] {
        let mark = format!("rutter-test-owner{signal}");
        let mut owner = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "processes::an_owner_process_for_the_tests", "--ignored", "--nocapture"])
            .env("RUTTER_TEST_MARK", &mark)
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains("browser is up") {
                break;
            }
        }
        assert!(!marked(&format!("--{mark}")).is_empty());
        let pid = owner.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().await.unwrap().success());
        owner.wait().await.unwrap();
        assert!(gone(&format!("--{mark}")).await, "{signal}: {:?}", marked(&mark));
    }
}

/// Not a test: see above.
#[tokio::test]
#[ignore = "run by the test above as a process of its own"]
async fn an_owner_process_for_the_tests() {
    let mark = std::env::var("RUTTER_TEST_MARK").unwrap();
    let _browser = Browser::start(with_mark(&mark)).await.unwrap();
    println!("browser is up");
    sleep(Duration::from_secs(60)).await;
}

#[tokio::test]
async fn bad_set_ups_are_refused_with_what_to_do() {
    async fn refused(options: Options) -> Error {
        match Browser::start(options).await {
            Ok(_) => panic!("started"),
            Err(error) => error,
        }
    }
    let nowhere = || Some(PathBuf::from("/nowhere/at/all"));
    let error = refused(Options { binary: nowhere(), ..Options::default() }).await;
    assert!(error.code() == "no_browser" && error.to_string().contains("install"), "{error}");
    let error = refused(Options { driver: nowhere(), ..Options::default() }).await;
    assert!(error.code() == "no_driver" && error.to_string().contains("/nowhere/at/all"), "{error}");
    let error = refused(Options { driver: Some("/bin/true".into()), ..Options::default() }).await;
    assert_eq!(error.code(), "driver_failed", "{error}");
    let endpoint = Some("http://127.0.0.1:9".parse().unwrap());
    let error = refused(Options { endpoint, ..Options::default() }).await;
    assert!(error.code() == "endpoint_down" && error.is_retryable(), "{error}");
    let error = refused(Options { headed: true, ..Options::default() }).await;
    assert_eq!(error.code(), "bad_option", "{error}");
}

#[tokio::test]
async fn the_full_browser_works_like_the_shell() {
    use domain::Page;
    let site = harness::site::Site::new()
        .page("/", "<button id=b onclick=\"this.textContent='clicked'\">B</button>")
        .start()
        .await;
    for wire in [Protocol::Bidi, Protocol::Classic] {
        let options = Options { engine: browser::Engine::Chromium, ..options(wire) };
        let browser = Browser::start(options).await.unwrap();
        let url = site.url("/").parse().unwrap();
        let profile = browser::ProfileOptions { scope: domain::scope::Scope::of(&url), ..Default::default() };
        let mut page = browser.profile(profile).await.unwrap();
        page.open(&url).await.unwrap();
        let seen = page.observe().await.unwrap();
        let (button, _) = seen.interactive().next().unwrap();
        let acted = page.act(&domain::Action::click(button), &seen).await.unwrap();
        assert_eq!(acted.observation.nodes[0].text, "clicked");
        assert!(page.screenshot().await.unwrap().png.starts_with(b"\x89PNG"));
        page.close().await;
        browser.stop().await;
    }
}
