//! Pages that break what they can reach.

use crate::kit::{Stage, on_both_wires};
use domain::observation::Settled;
use domain::page::PageError;
use domain::{Action, Page};
use harness::hostile;
use harness::site::Site;
use std::time::Duration;

const BROKEN: &str = r#"
    <form id=form><input name=tagName><input name=children><input name=parentNode><input name=getAttribute>
    <input name=id><button type=button id=b onclick="out.textContent='ok'">B</button></form><p id=out></p>
    <script>
      const bad = () => { throw new Error('poisoned') };
      for (const p of [Array.prototype, Map.prototype, Set.prototype, WeakMap.prototype, String.prototype, Element.prototype, Node.prototype, Document.prototype, EventTarget.prototype, RegExp.prototype])
        for (const n of Object.getOwnPropertyNames(p)) if (n !== 'constructor') try { if (typeof p[n] === 'function') p[n] = bad } catch {}
      JSON.stringify = bad; Object.prototype.toJSON = bad; Array.prototype.toJSON = bad; window.getComputedStyle = bad; performance.now = bad;
      window.Map = window.Set = window.Promise = window.Proxy = bad; window.setTimeout = bad; document.elementFromPoint = bad;
    </script>"#;

#[tokio::test]
async fn replaced_prototypes_and_clobbered_forms_do_not_matter() {
    let mut stage = Stage::of_page(browser::Protocol::Bidi, BROKEN).await;
    assert_eq!(stage.node("b").name, "B");
    stage.click("b").await;
    assert_eq!(stage.text("out"), "ok");
    stage.close().await;
}

/// Input over classic WebDriver needs chromedriver's own helpers, which run in the page: there such a page is observed, and
/// acting on it is an error that says so, not a silent failure.
#[tokio::test]
async fn a_page_with_replaced_prototypes_is_observed_over_classic_too() {
    let mut stage = Stage::of_page(browser::Protocol::Classic, BROKEN).await;
    assert_eq!(stage.node("b").name, "B");
    let error = stage.page.act(&Action::click(stage.id("b")), &stage.seen).await.unwrap_err();
    assert!(error.to_string().contains("poisoned"), "{error}");
    stage.close().await;
}

on_both_wires! {
    async fn an_endless_dialog_loop_is_given_up(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<button id=b onclick="for (;;) alert('again')">B</button>"#).await;
        stage.click("b").await;
        let mut answered = 0;
        let error = loop {
            assert!(stage.seen.dialog.is_some());
            match stage.page.act(&Action::AcceptDialog { text: None }, &stage.seen).await {
                Ok(acted) => stage.seen = acted.observation,
                Err(error) => break error,
            }
            answered += 1;
            assert!(answered < 100);
        };
        assert!(matches!(error, PageError::DialogLoop(_)), "{error}");
        stage.browser.stop().await;
    }

    async fn a_page_that_navigates_while_it_is_observed_is_observed_where_it_arrives(wire: browser::Protocol) {
        let hops: Vec<String> = (0..6).map(|index| format!("<p>{index}</p><script>setTimeout(() => location.replace('/{}'), 20)</script>", index + 1)).collect();
        let mut site = Site::new().page("/", &hops[0]).page("/6", "<p id=end>end</p>");
        for (index, hop) in hops.iter().enumerate() {
            site = site.page(&format!("/{index}"), hop);
        }
        let stage = Stage::open(wire, site).await;
        assert_eq!(stage.text("end"), "end");
        stage.close().await;
    }

    async fn a_large_page_is_cut_at_the_limit_and_says_so(wire: browser::Protocol) {
        let html: String = (0..3000).map(|index| format!("<p>row {index}</p>")).collect();
        let options = browser::Options { max_nodes: 1000, ..crate::kit::options(wire) };
        let stage = Stage::open_with(options, Site::new().page("/", &html)).await;
        assert!(stage.seen.truncated && stage.seen.nodes.len() == 1000);
        stage.close().await;
    }

    async fn a_tab_that_closes_itself_leaves_the_profile_usable(wire: browser::Protocol) {
        let site = Site::new().page("/", "<button id=o onclick=\"window.open('/pop')\">O</button>").page("/pop", "<button id=c onclick='window.close()'>C</button>");
        let mut stage = Stage::open(wire, site).await;
        stage.click("o").await;
        stage.act(Action::SwitchTab { tab: 1 }).await;
        stage.click("c").await;
        assert_eq!((stage.seen.tabs.len(), stage.seen.url.clone()), (1, stage.site.url("/")));
        assert!(stage.try_id("o").is_some());
        stage.close().await;
    }

    async fn expressions_are_evaluated_and_their_errors_are_told(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<p>x</p>").await;
        let page = &mut stage.page;
        assert_eq!(page.evaluate("({a: [1, 'two', null]})").await.unwrap(), serde_json::json!({"a": [1, "two", null]}));
        assert_eq!(page.evaluate("new Promise((r) => setTimeout(() => r(7), 20))").await.unwrap(), 7);
        assert_eq!(page.evaluate("undefined").await.unwrap(), serde_json::Value::Null);
        let error = page.evaluate("nothing.here").await.unwrap_err();
        assert!(matches!(&error, PageError::Script(text) if text.contains("nothing")), "{error}");
        assert!(matches!(page.evaluate("1 +").await.unwrap_err(), PageError::Script(_)));
        stage.close().await;
    }
}

#[tokio::test]
async fn whatever_a_script_asks_of_prototypes_lists_and_objects_may_be_poisoned() {
    for name in ["poisons prototypes", "poisons what lists and objects rest on"] {
        let mut stage = Stage::open(browser::Protocol::Bidi, hostile::only(name)).await;
        assert_eq!(stage.node("b").name, "b", "{name}");
        stage.click("b").await;
        assert!(stage.node("b").states.focused, "{name}");
        stage.close().await;
    }
}

/// A page that takes away what a script stands on cannot be described, and that is said; the profile goes on.
#[tokio::test]
async fn a_page_that_cannot_be_described_is_said_to_be_so_and_can_be_left() {
    let mut stage = Stage::open(browser::Protocol::Bidi, hostile::only("poisons what promises rest on")).await;
    let Settled::Never { pending } = &stage.seen.settled else { panic!("it was described") };
    assert!(pending[0].contains("a description of the page: "), "{pending:?}");
    assert_eq!(stage.seen.url, stage.site.url("/"));
    let url = stage.site.url("/good");
    stage.act(Action::Goto { url }).await;
    assert!(stage.try_id("good").is_some());
    stage.close().await;
}

on_both_wires! {
    async fn half_characters_and_broken_encodings_are_read_as_far_as_they_go(wire: browser::Protocol) {
        let stage = Stage::open(wire, hostile::only("cuts characters in two")).await;
        assert_eq!((stage.text("a").as_str(), stage.node("b").name.as_str()), ("\u{fffd} text \u{fffd}", "x\u{fffd}"));
        stage.close().await;
        let stage = Stage::open(wire, hostile::only("breaks its encoding")).await;
        assert!(stage.seen.nodes.iter().any(|node| node.tag == "button"));
        stage.close().await;
    }
}

#[tokio::test]
async fn windows_that_open_without_end_are_closed_beyond_a_number() {
    let options = Stage::impatient(browser::Protocol::Bidi);
    let mut stage = Stage::open_with(options, hostile::only("opens windows without end")).await;
    for _ in 0..3 {
        assert!(stage.seen.tabs.len() <= 16, "{} tabs", stage.seen.tabs.len());
        stage.act(Action::Wait { milliseconds: 300 }).await;
    }
    let said = stage.seen.faults.iter().any(|fault| fault.message.contains("opens windows without end"));
    assert!(said, "{:?}", stage.seen.faults);
    stage.close().await;
}

#[tokio::test]
async fn a_page_that_never_answers_costs_the_session_and_no_more_time_than_a_command_may_take() {
    let options =
        browser::Options { command_timeout: Duration::from_secs(4), ..Stage::impatient(browser::Protocol::Bidi) };
    let mut stage =
        Stage::open_with(options, Site::new().page("/", "<button id=b onclick='for (;;);'>b</button>")).await;
    let error = stage.page.act(&Action::click(stage.id("b")), &stage.seen).await.unwrap_err();
    assert!(matches!(error, PageError::SessionLost(_)), "{error}");
    let stopped = tokio::time::timeout(Duration::from_secs(15), stage.close()).await;
    assert!(stopped.is_ok(), "the browser ends");
}

/// Over classic WebDriver such a page costs the session: the driver itself waits until it is loaded.
#[tokio::test]
async fn a_page_that_never_stops_navigating_is_seen_within_the_deadline_and_can_be_left() {
    let options = Stage::impatient(browser::Protocol::Bidi);
    let mut stage = Stage::open_with(options, hostile::only("sends the browser to and fro by script")).await;
    assert!(matches!(stage.seen.settled, Settled::Never { .. }), "{:?}", stage.seen.settled);
    let url = stage.site.url("/good");
    let acted = stage.act(Action::Goto { url }).await;
    assert!(stage.try_id("good").is_some(), "{:?} at {}: {:?}", acted.effect, stage.seen.url, stage.seen.settled);
    stage.close().await;
}

/// Over classic WebDriver such a page costs the session: the driver itself waits until it is loaded.
#[tokio::test]
async fn frames_and_elements_within_one_another_without_end_are_cut_and_said_so() {
    for name in ["holds frames without end", "nests without end"] {
        let options = Stage::impatient(browser::Protocol::Bidi);
        let stage = Stage::open_with(options, hostile::only(name)).await;
        assert!(stage.seen.truncated && stage.seen.frames.len() < 60, "{name}: {} frames", stage.seen.frames.len());
        stage.close().await;
    }
}

/// Over classic WebDriver nothing can be done behind a dialog but to answer it.
#[tokio::test]
async fn the_tab_of_a_page_that_talks_without_end_can_be_closed() {
    let mut stage = Stage::open(browser::Protocol::Bidi, hostile::only("talks without end")).await;
    assert!(stage.seen.dialog.is_some());
    stage.act(Action::AcceptDialog { text: None }).await;
    stage.act(Action::CloseTab).await;
    let url = stage.site.url("/good");
    stage.act(Action::Goto { url }).await;
    assert!(stage.seen.dialog.is_none() && stage.try_id("good").is_some());
    stage.close().await;
}
