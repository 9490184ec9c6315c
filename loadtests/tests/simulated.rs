//! The product's own browser room against the simulated Grid: the pages are those that a real browser shows, many profiles go
//! at once, and what fails is told apart.
#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it should be")]

use browser::{Browser, Error, Options, Pool, PoolOptions, PooledProfile, Profile, ProfileOptions, Protocol};
use domain::page::PageError;
use domain::scope::Scope;
use domain::{Action, Effect, ElementId, Observation, Page as _};
use futures::future::join_all;
use loadtests::grid::{self, Failures, Grid, Latencies, Latency, Nature};
use loadtests::site::Site;
use loadtests::{decider, maze, wizard};
use platform::{Clock as _, SystemClock};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;
use url::Url;

struct Stage {
    grid: Grid,
    site: Site,
}

impl Stage {
    async fn of(options: grid::Options) -> Stage {
        Stage { grid: Grid::start(options).await.unwrap(), site: Site::start(1).await.unwrap() }
    }

    async fn new() -> Stage {
        Stage::of(grid::Options::default()).await
    }

    async fn failing(failures: Failures) -> Stage {
        let nature = Nature { failures, ..Nature::default() };
        Stage::of(grid::Options { nature, ..grid::Options::default() }).await
    }

    fn options(&self) -> Options {
        Options {
            endpoint: Some(self.grid.url()),
            wire: Protocol::Bidi,
            owner: Some("tests".into()),
            ..Options::default()
        }
    }

    /// Does not wait long for what will never come: a socket that closed.
    fn hasty(&self) -> Options {
        Options { command_timeout: Duration::from_secs(2), ..self.options() }
    }

    fn url(&self, wizard: u32) -> Url {
        self.site.urls()[0].join(&wizard::path(wizard, 0)).unwrap()
    }

    fn profile(&self) -> ProfileOptions {
        ProfileOptions { scope: Scope::of(&self.site.urls()[0]), ..ProfileOptions::default() }
    }
}

/// Goes through a wizard; answers all that was seen.
async fn walk(page: &mut Profile, url: &Url) -> Result<Vec<Observation>, PageError> {
    page.open(url).await?;
    let mut seen = vec![page.observe().await?];
    loop {
        let latest = seen.last().unwrap();
        let (action, reason) = decider::next(latest);
        if let Action::Stop { .. } = action {
            assert_eq!(action, Action::done(), "{reason}");
            return Ok(seen);
        }
        let acted = page.act(&action, latest).await?;
        assert!(matches!(acted.effect, Effect::Changed { .. }), "{action:?}: {:?}", acted.effect);
        seen.push(acted.observation);
    }
}

fn id(seen: &Observation, id: &str) -> ElementId {
    seen.elements().find(|(_, node)| node.attribute("id") == id).map(|(element, _)| element).unwrap()
}

/// What does not depend on which browser it was.
fn comparable(mut seen: Observation, url: &Url) -> Observation {
    seen.stamp = Default::default();
    seen.url = seen.url.replace(url.authority(), "site");
    for address in seen.requests.iter_mut().map(|request| &mut request.url) {
        *address = address.replace(url.authority(), "site");
    }
    for address in seen.frames.iter_mut().map(|frame| &mut frame.url) {
        *address = address.replace(url.authority(), "site");
    }
    for tab in &mut seen.tabs {
        tab.url = tab.url.replace(url.authority(), "site");
    }
    seen
}

#[tokio::test]
async fn a_simulated_browser_shows_what_a_real_one_shows_at_every_step() {
    let stage = Stage::new().await;
    let url = stage.url(3);
    let mut walks = Vec::new();
    for options in [stage.options(), Options { wire: Protocol::Bidi, ..Options::default() }] {
        let browser = Browser::start(options).await.unwrap();
        let mut page = browser.profile(stage.profile()).await.unwrap();
        let seen = walk(&mut page, &url).await.unwrap();
        assert_eq!(page.evaluate("wizard.stage").await.unwrap(), json!(wizard::ACTIONS));
        let text = page.evaluate("document.body.innerText").await.unwrap();
        assert!(text.as_str().unwrap().contains(&wizard::completion(3)), "{text}");
        walks.push(seen.into_iter().map(|seen| comparable(seen, &url)).collect::<Vec<_>>());
        page.close().await;
        browser.stop().await;
    }
    assert_eq!(walks[0].len(), usize::from(wizard::ACTIONS) + 1);
    assert!(walks[0].iter().all(|seen| seen.nodes.len() > 300));
    for (step, (simulated, real)) in walks[0].iter().zip(&walks[1]).enumerate() {
        for (left, right) in simulated.nodes.iter().zip(&real.nodes) {
            assert_eq!(left, right, "a node at step {step}");
        }
        assert_eq!(simulated, real, "at step {step}");
    }
}

#[tokio::test]
async fn a_page_of_the_maze_shows_what_it_shows_in_a_real_browser() {
    let stage = Stage::new().await;
    let url = stage.site.urls()[0].join(&maze::path(7)).unwrap();
    let mut pages = Vec::new();
    for options in [stage.options(), Options { wire: Protocol::Bidi, ..Options::default() }] {
        let browser = Browser::start(options).await.unwrap();
        let mut page = browser.profile(stage.profile()).await.unwrap();
        page.open(&url).await.unwrap();
        pages.push(comparable(page.observe().await.unwrap(), &url));
        page.close().await;
        browser.stop().await;
    }
    assert_eq!(pages[0].nodes, pages[1].nodes);
    assert_eq!(pages[0], pages[1]);
}

#[tokio::test]
async fn observations_of_two_browsers_at_one_endpoint_are_told_apart() {
    let stage = Stage::new().await;
    let (one, other) = (Browser::start(stage.options()).await.unwrap(), Browser::start(stage.options()).await.unwrap());
    let mut stamps = Vec::new();
    for browser in [&one, &one, &other] {
        let mut page = browser.profile(stage.profile()).await.unwrap();
        page.open(&stage.url(1)).await.unwrap();
        stamps.push(page.observe().await.unwrap().stamp.session);
        page.close().await;
    }
    assert_eq!(stamps.iter().collect::<BTreeSet<_>>().len(), 3, "{stamps:?}");
    one.stop().await;
    other.stop().await;
}

#[tokio::test]
async fn two_hundred_profiles_go_at_once_and_every_page_is_requested_through_their_gates() {
    let stage = Stage::new().await;
    let limits = PoolOptions { contexts_per_browser: 10, ..PoolOptions::default() };
    let pool = Pool::new(stage.options(), limits);
    let each = |number: u32| {
        let (pool, stage) = (&pool, &stage);
        async move {
            let mut page: PooledProfile = pool.profile(stage.profile()).await.unwrap();
            let seen = walk(&mut page, &stage.url(number % 5)).await.unwrap();
            page.close(true).await;
            seen.len()
        }
    };
    let steps = join_all((0..200).map(each)).await;
    assert!(steps.iter().all(|steps| *steps == usize::from(wizard::ACTIONS) + 1));
    assert_eq!(stage.grid.figures().contexts, 200);
    assert_eq!(stage.site.loads(0).len(), 200 * usize::from(wizard::PAGES));
    pool.stop().await;
    assert_eq!(stage.grid.figures().sessions, 0, "no session is left");
}

#[tokio::test]
async fn an_observation_from_nothing_is_that_from_differences() {
    let stage = Stage::new().await;
    let browser = Browser::start(stage.options()).await.unwrap();
    let mut page = browser.profile(stage.profile()).await.unwrap();
    page.open(&stage.url(1)).await.unwrap();
    let mut seen = page.observe().await.unwrap();
    for _ in 0..wizard::ACTIONS {
        seen = page.act(&decider::next(&seen).0, &seen).await.unwrap().observation;
        assert_eq!(page.observe_afresh().await.unwrap().nodes, seen.nodes);
        seen = page.observe().await.unwrap();
    }
    browser.stop().await;
}

#[tokio::test]
async fn what_leads_nowhere_changes_nothing_and_the_history_can_be_walked() {
    let stage = Stage::new().await;
    let browser = Browser::start(stage.options()).await.unwrap();
    let mut page = browser.profile(stage.profile()).await.unwrap();
    page.open(&stage.url(1)).await.unwrap();
    let seen = page.observe().await.unwrap();
    let beside =
        seen.elements().find(|(_, node)| node.name.starts_with("Add item")).map(|(element, _)| element).unwrap();
    let acted = page.act(&Action::click(beside), &seen).await.unwrap();
    assert_eq!(acted.effect, Effect::NoChange);
    let next = id(&acted.observation, "next");
    let second = page.act(&Action::click(next), &acted.observation).await.unwrap().observation;
    let pressed = page.act(&Action::click(id(&second, "next")), &second).await.unwrap().observation;
    let typed = Action::Type { element: id(&pressed, "answer"), text: "0".into(), submit: false };
    let typed = page.act(&typed, &pressed).await.unwrap();
    assert!(
        matches!(&typed.effect, Effect::Changed { what } if what.contains(&"value".to_owned())),
        "{:?}",
        typed.effect
    );
    let back = page.act(&Action::Back, &typed.observation).await.unwrap().observation;
    assert_eq!(back.url, stage.url(1).to_string());
    assert_eq!(&page.screenshot().await.unwrap().png[..4], b"\x89PNG");
    assert!(matches!(page.evaluate("document.cookie").await.unwrap_err(), PageError::Script(_)));
    browser.stop().await;
}

#[tokio::test]
async fn a_site_that_is_down_and_an_address_outside_the_scope_are_told_apart() {
    let stage = Stage::new().await;
    let browser = Browser::start(stage.options()).await.unwrap();
    let dead: Url = "http://127.0.0.1:1/wizard/1/0".parse().unwrap();
    let scope = Scope { hosts: vec![dead.authority().to_owned()] };
    let mut page = browser.profile(ProfileOptions { scope, ..ProfileOptions::default() }).await.unwrap();
    assert!(matches!(page.open(&dead).await.unwrap_err(), PageError::Unreachable { .. }));
    assert!(matches!(page.open(&stage.url(1)).await.unwrap_err(), PageError::OutOfScope(_)));
    assert!(stage.site.loads(0).is_empty());
    browser.stop().await;
}

#[tokio::test]
async fn a_full_grid_has_no_slot_until_one_is_given_back() {
    let options = grid::Options { sessions: 1, patience: Duration::from_millis(50), ..grid::Options::default() };
    let stage = Stage::of(options).await;
    let first = Browser::start(stage.options()).await.unwrap();
    let refused = Browser::start(stage.options()).await.err().unwrap();
    assert!(refused.is_no_slot(), "{refused}");
    let counts = browser::grid::Grid::new(stage.grid.url()).unwrap();
    assert_eq!((counts.capacity().await.unwrap().slots, counts.capacity().await.unwrap().sessions), (1, 1));
    assert_eq!(counts.sessions().await.unwrap()[0].owner.as_deref(), Some("tests"));
    first.stop().await;
    Browser::start(stage.options()).await.unwrap().stop().await;
    let stage = Stage::failing(Failures { no_slot: 1.0, ..Failures::default() }).await;
    assert!(Browser::start(stage.options()).await.err().unwrap().is_no_slot());
}

/// What a walk fails with, tried until one does.
async fn first_failure(failures: Failures, options: fn(&Stage) -> Options) -> PageError {
    let stage = Stage::failing(failures).await;
    for _ in 0..100 {
        let Ok(browser) = Browser::start(options(&stage)).await else { continue };
        let mut failed = None;
        if let Ok(mut page) = browser.profile(stage.profile()).await {
            failed = walk(&mut page, &stage.url(2)).await.err();
        }
        browser.stop().await;
        if let Some(error) = failed {
            return error;
        }
    }
    panic!("nothing failed")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_session_and_a_crashed_page_are_told_apart() {
    let lost = first_failure(Failures { session_lost: 0.03, ..Failures::default() }, Stage::hasty).await;
    assert!(matches!(lost, PageError::SessionLost(_)), "{lost:?}");
    let crashed = first_failure(Failures { page_crash: 0.03, ..Failures::default() }, Stage::options).await;
    assert!(matches!(crashed, PageError::BrowserCrashed(_)), "{crashed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_dies_takes_its_sessions_and_the_pool_finds_others() {
    let stage = Stage::of(grid::Options { nodes: 2, sessions: 1, ..grid::Options::default() }).await;
    let pool = Pool::new(stage.hasty(), PoolOptions::default());
    let mut page = pool.profile(stage.profile()).await.unwrap();
    page.open(&stage.url(1)).await.unwrap();
    assert_eq!(stage.grid.kill_node(0), 1);
    let error = page.observe().await.unwrap_err();
    assert!(matches!(error, PageError::SessionLost(_)), "{error:?}");
    page.close(false).await;
    let mut page = pool.profile(stage.profile()).await.unwrap();
    walk(&mut page, &stage.url(1)).await.unwrap();
    page.close(true).await;
    pool.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_owner_that_is_gone_has_its_sessions_ended() {
    let stage = Stage::new().await;
    let browser = Browser::start(stage.hasty()).await.unwrap();
    let mut page = browser.profile(stage.profile()).await.unwrap();
    let counts = browser::grid::Grid::new(stage.grid.url()).unwrap();
    let session = counts.sessions().await.unwrap().remove(0);
    counts.end(&session.id).await.unwrap();
    assert!(page.open(&stage.url(1)).await.unwrap_err().is_retryable());
    assert!(counts.sessions().await.unwrap().is_empty());
    drop(page);
    browser.stop().await;
}

/// The Grid answers on the one thread there is: whoever blocks it waits for ever.
#[tokio::test(flavor = "current_thread")]
async fn a_session_that_cannot_be_quit_any_more_is_let_go_without_blocking() {
    let clock = SystemClock::default();
    let stage = Stage::new().await;
    let browser = Browser::start(stage.hasty()).await.unwrap();
    let counts = browser::grid::Grid::new(stage.grid.url()).unwrap();
    let session = counts.sessions().await.unwrap().remove(0);
    counts.end(&session.id).await.unwrap();
    browser.stop().await;
    assert!(clock.monotonic() < Duration::from_secs(60), "the thread was blocked");
}

#[tokio::test]
async fn latencies_are_kept() {
    let script = Latency { p50: 200.0, p99: 200.0 };
    let nature = Nature { latency: Latencies { script, ..Latencies::default() }, ..Nature::default() };
    let stage = Stage::of(grid::Options { nature, ..grid::Options::default() }).await;
    let browser = Browser::start(stage.options()).await.unwrap();
    let mut page = browser.profile(stage.profile()).await.unwrap();
    let answered = tokio::time::timeout(Duration::from_millis(150), page.bare_round_trip()).await;
    assert!(answered.is_err(), "the answer came too early");
    browser.stop().await;
    let error: Error = Browser::start(Options { endpoint: "http://127.0.0.1:1/".parse().ok(), ..Options::default() })
        .await
        .err()
        .unwrap();
    assert!(error.is_no_slot());
}
