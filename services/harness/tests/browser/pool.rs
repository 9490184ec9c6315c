//! Browsers that several jobs share: nothing of one job is seen by another, and what a crash takes is given anew.

use crate::kit::options;
use crate::processes::main_process;
use browser::{Lent, Options, Pool, PoolOptions, PooledProfile, ProfileOptions, Protocol};
use domain::page::PageError;
use domain::scope::Scope;
use domain::{Action, ElementId, Observation, Page as _};
use harness::site::{RunningSite, Site};
use std::time::Duration;
use tokio::time::timeout;

const PAGE: &str = "<button id=alert onclick=\"alert('mine')\">Alert</button>
    <button id=pop onclick=\"window.open('/pop')\">Pop</button>
    <a id=load href=/file download=file.txt>Load</a>
    <button id=count onclick=\"this.textContent = Number(this.textContent) + 1\">0</button>
    <script src=/cached.js></script>";

fn site() -> Site {
    Site::new()
        .page("/", PAGE)
        .page("/pop", "<p>pop</p>")
        .page_with("/cached.js", &[("cache-control", "max-age=3600")], "0")
        .file("/file", "application/octet-stream", "content")
}

fn pool(contexts: u32, profiles: u32, mark: &str) -> Pool {
    let limits =
        PoolOptions { contexts_per_browser: contexts, profiles_per_browser: profiles, ..PoolOptions::default() };
    Pool::new(Options { arguments: vec![format!("--{mark}")], ..options(Protocol::Bidi) }, limits)
}

async fn open(pool: &Pool, site: &RunningSite) -> (PooledProfile, Observation) {
    let url = site.url("/").parse().unwrap();
    let profile = ProfileOptions { scope: Scope::of(&url), ..ProfileOptions::default() };
    let mut profile = pool.profile(profile).await.unwrap();
    profile.open(&url).await.unwrap();
    let seen = profile.observe().await.unwrap();
    (profile, seen)
}

fn id(seen: &Observation, id: &str) -> ElementId {
    seen.elements().find(|(_, node)| node.attribute("id") == id).map(|(element, _)| element).unwrap()
}

#[tokio::test]
async fn dialogs_pop_ups_downloads_storage_and_caches_of_two_jobs_in_one_browser_never_meet() {
    let site = site().start().await;
    let pool = pool(2, 100, "rutter-test-pool-apart");
    let (mut first, seen) = open(&pool, &site).await;
    let (mut second, other) = open(&pool, &site).await;
    assert_eq!(pool.size(), (1, 2), "one browser serves both");
    let cached = || site.requests().iter().filter(|request| request.ends_with("/cached.js")).count();
    assert_eq!(cached(), 2, "each has a cache of its own");

    first.evaluate("(document.cookie = 'a=1', localStorage.b = 2, sessionStorage.c = 3)").await.unwrap();
    assert_eq!(second.evaluate("document.cookie + localStorage.length + sessionStorage.length").await.unwrap(), "00");

    let popped = first.act(&Action::click(id(&seen, "pop")), &seen).await.unwrap().observation;
    assert_eq!(popped.tabs.len(), 2);
    let back = first.act(&Action::SwitchTab { tab: 0 }, &popped).await.unwrap().observation;
    let loaded = first.act(&Action::click(id(&back, "load")), &back).await.unwrap();
    let alerted = first.act(&Action::click(id(&loaded.observation, "alert")), &loaded.observation).await.unwrap();
    assert!(alerted.observation.dialog.is_some());

    let counted = second.act(&Action::click(id(&other, "count")), &other).await.unwrap().observation;
    assert_eq!(counted.node(id(&counted, "count")).unwrap().text, "1", "the other job goes on while a dialog is open");
    assert_eq!((counted.tabs.len(), counted.dialog.is_some()), (1, false));
    assert!(!counted.requests.iter().any(|request| request.url.ends_with("/file") || request.url.ends_with("/pop")));
    first.close(true).await;
    assert_eq!(second.evaluate("1 + 1").await.unwrap(), 2, "the other job outlives it");
    second.close(true).await;
    pool.stop().await;
}

#[tokio::test]
async fn a_browser_that_has_served_its_number_of_jobs_is_replaced() {
    let site = site().start().await;
    let pool = pool(1, 2, "rutter-test-pool-worn");
    let mut browsers = std::collections::BTreeSet::new();
    for _ in 0..4 {
        let (profile, _) = open(&pool, &site).await;
        browsers.extend(main_process("rutter-test-pool-worn"));
        profile.close(true).await;
    }
    pool.stop().await;
    assert_eq!(browsers.len(), 2, "two jobs each: {browsers:?}");
    assert!(pool.size() == (0, 0) && main_process("rutter-test-pool-worn").is_empty());
}

#[tokio::test]
async fn a_crash_fails_every_job_of_that_browser_as_retryable_and_the_next_job_gets_another() {
    let site = site().start().await;
    let pool = pool(2, 100, "rutter-test-pool-crash");
    let (mut first, seen) = open(&pool, &site).await;
    let (mut second, other) = open(&pool, &site).await;
    for process in main_process("rutter-test-pool-crash") {
        let killed = std::process::Command::new("kill").args(["-KILL", &process.to_string()]).status().unwrap();
        assert!(killed.success());
    }
    for (page, seen) in [(&mut first, &seen), (&mut second, &other)] {
        let error: PageError = page.act(&Action::click(id(seen, "count")), seen).await.unwrap_err();
        assert!(error.is_retryable(), "{error:?}");
    }
    first.close(false).await;
    second.close(false).await;
    assert_eq!(pool.size(), (0, 0), "the browser is given up");
    let (third, _) = open(&pool, &site).await;
    third.close(true).await;
    pool.stop().await;
}

#[tokio::test]
async fn a_profile_that_is_given_up_or_dropped_keeps_no_place_and_no_browser() {
    let site = site().start().await;
    let pool = pool(1, 100, "rutter-test-pool-given-up");
    let gone = async || {
        while pool.size() != (0, 0) || !main_process("rutter-test-pool-given-up").is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    // While the browser starts: who asked is gone before there is anything to close.
    let given_up = timeout(Duration::from_millis(100), pool.profile(ProfileOptions::default())).await;
    assert!(given_up.is_err(), "no browser starts that fast");
    timeout(Duration::from_secs(30), gone()).await.expect("the browser that nobody waits for ends");

    let (profile, _) = open(&pool, &site).await;
    assert_eq!(pool.size(), (1, 1));
    drop(profile);
    timeout(Duration::from_secs(30), gone()).await.expect("the browser of a dropped profile ends");

    let (profile, _) = open(&pool, &site).await;
    profile.close(true).await;
    assert_eq!(pool.size(), (1, 0), "a profile that was closed leaves its browser to the next");
    pool.stop().await;
}

#[tokio::test]
async fn a_browser_that_is_lent_is_given_back_when_it_is_idle_and_replaced_when_it_was_kept_for_long() {
    let site = site().start().await;
    let lend = |idle, age| {
        let limits = PoolOptions { lent: Some(Lent { idle, age }), ..PoolOptions::default() };
        Pool::new(Options { arguments: vec!["--rutter-test-pool-lent".into()], ..options(Protocol::Bidi) }, limits)
    };
    let pool = lend(Duration::from_millis(300), Duration::MAX);
    let (mut kept, _) = open(&pool, &site).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(kept.evaluate("1 + 1").await.unwrap(), 2, "one with a profile is not idle");
    kept.close(true).await;
    let (again, _) = open(&pool, &site).await;
    assert_eq!(pool.size(), (1, 1));
    again.close(true).await;
    let gone = async {
        while !main_process("rutter-test-pool-lent").is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(Duration::from_secs(10), gone).await.expect("the idle browser ended");
    assert_eq!(pool.size(), (0, 0));
    pool.stop().await;

    let pool = lend(Duration::from_mins(1), Duration::ZERO);
    let (old, _) = open(&pool, &site).await;
    old.close(true).await;
    assert_eq!(pool.size(), (0, 0), "it takes no further profile");
    pool.stop().await;
}
