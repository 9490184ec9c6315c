//! Pages that break what they can reach.

use crate::kit::{Stage, on_both_wires};
use domain::page::PageError;
use domain::{Action, Page};
use harness::site::Site;

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
    let mut stage = Stage::of_page(browser::Wire::Bidi, BROKEN).await;
    assert_eq!(stage.node("b").name, "B");
    stage.click("b").await;
    assert_eq!(stage.text("out"), "ok");
    stage.close().await;
}

/// Input over classic WebDriver needs chromedriver's own helpers, which run in the page: there such a page is observed, and
/// acting on it is an error that says so, not a silent failure.
#[tokio::test]
async fn a_page_with_replaced_prototypes_is_observed_over_classic_too() {
    let mut stage = Stage::of_page(browser::Wire::Classic, BROKEN).await;
    assert_eq!(stage.node("b").name, "B");
    let error = stage.page.act(&Action::click(stage.id("b")), &stage.seen).await.unwrap_err();
    assert!(error.to_string().contains("poisoned"), "{error}");
    stage.close().await;
}

on_both_wires! {
    async fn an_endless_dialog_loop_is_given_up(wire: browser::Wire) {
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

    async fn a_page_that_navigates_while_it_is_observed_is_observed_where_it_arrives(wire: browser::Wire) {
        let hops: Vec<String> = (0..6).map(|index| format!("<p>{index}</p><script>setTimeout(() => location.replace('/{}'), 20)</script>", index + 1)).collect();
        let mut site = Site::new().page("/", &hops[0]).page("/6", "<p id=end>end</p>");
        for (index, hop) in hops.iter().enumerate() {
            site = site.page(&format!("/{index}"), hop);
        }
        let stage = Stage::open(wire, site).await;
        assert_eq!(stage.text("end"), "end");
        stage.close().await;
    }

    async fn a_large_page_is_cut_at_the_limit_and_says_so(wire: browser::Wire) {
        let html: String = (0..3000).map(|index| format!("<p>row {index}</p>")).collect();
        let options = browser::Options { max_nodes: 1000, ..crate::kit::options(wire) };
        let stage = Stage::open_with(options, Site::new().page("/", &html)).await;
        assert!(stage.seen.truncated && stage.seen.nodes.len() == 1000);
        stage.close().await;
    }

    async fn a_tab_that_closes_itself_leaves_the_profile_usable(wire: browser::Wire) {
        let site = Site::new().page("/", "<button id=o onclick=\"window.open('/pop')\">O</button>").page("/pop", "<button id=c onclick='window.close()'>C</button>");
        let mut stage = Stage::open(wire, site).await;
        stage.click("o").await;
        stage.act(Action::SwitchTab { tab: 1 }).await;
        stage.click("c").await;
        assert_eq!((stage.seen.tabs.len(), stage.seen.url.clone()), (1, stage.site.url("/")));
        assert!(stage.try_id("o").is_some());
        stage.close().await;
    }

    async fn expressions_are_evaluated_and_their_errors_are_told(wire: browser::Wire) {
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
