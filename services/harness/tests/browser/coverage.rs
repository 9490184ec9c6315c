//! What of a page's JavaScript ran is told as it was.

use crate::kit::{on_both_wires, options};
use browser::{Browser, JsCoverage, Profile, ProfileOptions, ScriptFigures};
use domain::scope::Scope;
use domain::{Action, Page};
use harness::site::{RunningSite, Site};

/// Three functions, of which loading runs one; the second chooses between two returns.
const SCRIPT: &str = "function first() { return 1; }\n\
    function choose(right) { if (right) { return 'right'; } return 'left, which is longer'; }\n\
    function leave() { location.href = '/other'; }\n\
    first();\n";

fn page(title: &str) -> String {
    format!(
        "<title>{title}</title><script src='/a.js?{title}'></script>\
         <button id=right onclick='choose(true)'>Right</button><button id=left onclick='choose(false)'>Left</button>\
         <button id=leave onclick='leave()'>Leave</button><a id=link href='/'>Home</a>"
    )
}

fn site() -> Site {
    Site::new().page("/", &page("home")).slow("/other", 100, &page("other")).file("/a.js", "text/javascript", SCRIPT)
}

/// Clicks what has an id; the observation before is made for it.
async fn click(page: &mut Profile, id: &str) {
    let seen = page.observe().await.unwrap();
    let found = seen.elements().find(|(_, node)| node.attribute("id") == id);
    let (element, _) = found.unwrap_or_else(|| panic!("no element #{id} in {:#?}", seen.nodes));
    page.act(&Action::click(element), &seen).await.unwrap();
}

async fn profile(browser: &Browser, site: &RunningSite, coverage: &JsCoverage) -> Profile {
    let url = site.url("/").parse().unwrap();
    let options =
        ProfileOptions { scope: Scope::of(&url), coverage: Some(coverage.clone()), ..ProfileOptions::default() };
    let mut page = browser.profile(options).await.unwrap();
    page.open(&url).await.unwrap();
    page
}

/// The figures of the script.
fn script(coverage: &JsCoverage, site: &RunningSite) -> ScriptFigures {
    let of_it: Vec<_> = coverage.scripts().into_iter().filter(|script| script.url == site.url("/a.js")).collect();
    assert_eq!(of_it.len(), 1, "however often it is loaded, it is one script: {:?}", coverage.scripts());
    of_it[0].clone()
}

on_both_wires! {
    async fn functions_and_bytes_that_ran_are_counted_over_actions_and_profiles(wire: browser::Protocol) {
        let site = site().start().await;
        let browser = Browser::start(options(wire)).await.unwrap();
        let coverage = JsCoverage::default();
        let mut first = profile(&browser, &site, &coverage).await;
        click(&mut first, "right").await;
        first.close().await;
        let seen = script(&coverage, &site).figures;
        // V8 counts the script itself as a function.
        assert_eq!((seen.functions_covered, seen.functions), (3, 4), "{seen:?}");
        assert_eq!(seen.bytes, SCRIPT.len() as u64);
        let leave = "function leave() { location.href = '/other'; }".len() as u64;
        let missed = seen.bytes - seen.bytes_covered;
        let left = " return 'left, which is longer'; ".len() as u64;
        assert!((leave + 20..=leave + left + 1).contains(&missed), "{missed} bytes did not run, of {seen:?}");
        let mut second = profile(&browser, &site, &coverage).await;
        click(&mut second, "left").await;
        second.close().await;
        let seen = script(&coverage, &site).figures;
        assert_eq!((seen.functions_covered, seen.functions), (3, 4), "{seen:?}");
        assert!((leave..leave + 5).contains(&(seen.bytes - seen.bytes_covered)), "{seen:?}");
        assert_eq!(coverage.unavailable(), None);
        browser.stop().await;
    }

    async fn what_ran_in_a_page_is_known_after_another_took_its_place(wire: browser::Protocol) {
        let site = site().start().await;
        let browser = Browser::start(options(wire)).await.unwrap();
        let coverage = JsCoverage::default();
        let mut page = profile(&browser, &site, &coverage).await;
        click(&mut page, "right").await;
        click(&mut page, "link").await;
        page.open(&site.url("/other").parse().unwrap()).await.unwrap();
        page.close().await;
        assert_eq!(script(&coverage, &site).figures.functions_covered, 3);
        browser.stop().await;
    }
}
