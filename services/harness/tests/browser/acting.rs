//! Every action, by what the page saw of it.

use crate::kit::{Stage, changes, on_both_wires};
use domain::action::Direction;
use domain::{Action, Effect, Page, Point};
use harness::site::Site;

on_both_wires! {
    async fn clicks_are_trusted_and_reach_the_middle_or_the_given_place(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<div id=pad style="width:200px;height:100px;background:#eee"></div><p id=out></p>
            <script>pad.onclick = (e) => out.textContent = [e.isTrusted, e.offsetX, e.offsetY, e.detail].join(' ');
            pad.ondblclick = () => out.textContent += ' double';</script>"#).await;
        stage.click("pad").await;
        assert_eq!(stage.text("out"), "true 100 50 1");
        let element = stage.id("pad");
        stage.act(Action::Click { element, at: Some(Point { x: 0.25, y: 0.1 }), count: 1 }).await;
        assert_eq!(stage.text("out"), "true 50 10 1");
        stage.act(Action::Click { element: stage.id("pad"), at: None, count: 2 }).await;
        assert_eq!(stage.text("out"), "true 100 50 2 double");
        stage.close().await;
    }

    async fn typing_replaces_the_text_by_real_keys_and_may_submit(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<input id=t value=old><textarea id=a></textarea><div id=e contenteditable>edit</div>
            <form onsubmit="out.textContent='sent '+q.value; return false"><input id=q></form><p id=out></p><p id=keys></p>
            <script>let n=0; t.onkeydown = (e) => keys.textContent = ++n + ' ' + e.isTrusted;</script>"#).await;
        assert_eq!(changes(&stage.type_in("t", "neu Ä€").await)[0], "content");
        assert_eq!(stage.node("t").value.as_deref(), Some("neu Ä€"));
        assert!(stage.text("keys").ends_with(" true"));
        stage.type_in("t", "").await;
        assert_eq!(stage.node("t").value.as_deref(), Some(""));
        stage.type_in("a", "two\nlines").await;
        assert_eq!(stage.node("a").value.as_deref(), Some("two\nlines"));
        stage.type_in("e", "other").await;
        // A field that is never empty.
        stage.page.evaluate("t.oninput = () => { t.value = String(+t.value || 1) }, 0").await.unwrap();
        stage.type_in("t", "3").await;
        assert_eq!(stage.node("t").value.as_deref(), Some("3"));
        assert_eq!(stage.text("e"), "other");
        let element = stage.id("q");
        stage.act(Action::Type { element, text: "find".into(), submit: true }).await;
        assert_eq!(stage.text("out"), "sent find");
        stage.close().await;
    }

    async fn special_fields_take_values_in_their_html_form(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<input id=date type=date><input id=time type=time><input id=month type=month>
            <input id=local type=datetime-local><input id=week type=week><input id=number type=number step=0.5>
            <input id=range type=range min=0 max=50 step=5><input id=color type=color value=black><p id=out></p>
            <script>let seen = []; addEventListener('change', (e) => { seen.push(e.target.id); out.textContent = seen.join(' '); });</script>"#).await;
        for (id, value) in [("date", "2024-02-29"), ("time", "17:05"), ("month", "2023-11"), ("local", "2024-12-31T08:09"),
            ("week", "2024-W07"), ("number", "-2.5"), ("range", "35"), ("color", "#12ab3f")] {
            let acted = stage.type_in(id, value).await;
            assert_eq!(stage.node(id).value.as_deref(), Some(value), "{id}: {:?}", acted.effect);
        }
        stage.close().await;
    }

    async fn options_are_chosen_with_one_trusted_change(wire: browser::Protocol) {
        let many: String = (0..60).map(|index| format!("<option value=v{index}>Option {index}")).collect();
        let mut stage = Stage::of_page(wire, &format!(r#"<select id=s>{many}</select>
            <select id=m multiple size=4><option>A<option>B<option>C<option disabled>D</select><select id=long size=5>{many}</select><p id=out></p>
            <script>let n = 0; for (const x of [s, m, long]) x.onchange = (e) => out.textContent = ++n + ' ' + e.isTrusted + ' ' + x.value;</script>"#)).await;
        let choose = |stage: &Stage, id: &str, labels: &[&str]| Action::Select {
            element: stage.id(id),
            options: labels.iter().map(|label| (*label).to_owned()).collect(),
        };
        let action = choose(&stage, "s", &["Option 47"]);
        stage.act(action).await;
        assert_eq!(stage.text("out"), "1 true v47");
        let action = choose(&stage, "s", &["Option 3"]);
        stage.act(action).await;
        assert_eq!(stage.text("out"), "2 true v3");
        let action = choose(&stage, "m", &["A", "C"]);
        stage.act(action).await;
        let chosen: Vec<_> = stage.node("m").options.iter().filter(|option| option.selected).map(|option| option.label.clone()).collect();
        assert_eq!(chosen, ["A", "C"]);
        let action = choose(&stage, "m", &["B"]);
        stage.act(action).await;
        assert_eq!(stage.node("m").value.as_deref(), Some("B"));
        let action = choose(&stage, "long", &["Option 30"]);
        stage.act(action).await;
        assert_eq!(stage.node("long").value.as_deref(), Some("v30"));
        let action = choose(&stage, "s", &["Nothing"]);
        assert!(matches!(stage.act(action).await.effect, Effect::Failed { cause } if cause.contains("Nothing")));
        stage.close().await;
    }

    async fn checking_clicks_only_when_needed(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<input type=checkbox id=c><input type=radio name=r id=r1 checked><input type=radio name=r id=r2>
            <div role=switch id=w aria-checked=false tabindex=0>Switch</div><p id=out>0</p>
            <script>onclick = () => out.textContent++; w.onclick = () => w.setAttribute('aria-checked', 'true');</script>"#).await;
        let check = |stage: &Stage, id: &str, checked| Action::Check { element: stage.id(id), checked };
        for (id, checked, clicks) in [("c", true, "1"), ("c", true, "1"), ("c", false, "2"), ("r2", true, "3"), ("w", true, "4"), ("w", true, "4")] {
            let action = check(&stage, id, checked);
            stage.act(action).await;
            assert_eq!((stage.node(id).states.checked, stage.text("out").as_str()), (Some(checked), clicks), "{id}");
        }
        stage.close().await;
    }

    async fn hovering_pressing_and_scrolling_work(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<div id=menu onmouseenter="sub.hidden=false">Menu<div id=sub hidden>Item</div></div>
            <input id=i value=abc><div id=box style="height:80px;overflow:auto"><div style="height:900px">tall</div></div><p id=out></p>
            <div style="height:3000px"></div>
            <script>onkeydown = (e) => out.textContent = [e.ctrlKey, e.shiftKey, e.key, e.isTrusted].join(' ');</script>"#).await;
        assert!(stage.try_id("sub").is_none());
        stage.act(Action::Hover { element: stage.id("menu") }).await;
        assert_eq!(stage.text("sub"), "Item");
        stage.click("i").await;
        stage.act(Action::Press { keys: "Control+Shift+K".into() }).await;
        assert_eq!(stage.text("out"), "true true K true");
        stage.act(Action::Press { keys: "Escape".into() }).await;
        assert_eq!(stage.text("out"), "false false Escape true");
        let acted = stage.act(Action::Scroll { element: None, direction: Direction::Down }).await;
        assert!(changes(&acted).contains(&"scroll".to_owned()) && stage.seen.viewport.scroll_y > 300.0);
        stage.act(Action::Scroll { element: None, direction: Direction::Up }).await;
        assert_eq!(stage.seen.viewport.scroll_y, 0.0);
        stage.act(Action::Scroll { element: Some(stage.id("box")), direction: Direction::Down }).await;
        assert!(stage.page.evaluate("box.scrollTop").await.unwrap().as_f64().unwrap() > 30.0);
        stage.close().await;
    }

    async fn dragging_works_with_the_mouse_and_as_html_drag_and_drop(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<style>div{width:80px;height:80px;display:inline-block;background:#ccc;user-select:none}</style>
            <div id=a draggable=true>a</div><div id=b>b<select></select><br><i id=c>here</i></div><div id=m>m</div><p id=out></p>
            <script>a.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'x'); b.ondragover = (e) => e.preventDefault();
            b.ondrop = (e) => { e.preventDefault(); out.textContent = 'dropped ' + e.dataTransfer.getData('text/plain'); };
            let on = false, moves = 0; m.onmousedown = () => on = true; onmousemove = () => { if (on) moves++; };
            onmouseup = (e) => { if (on) out.textContent = 'moved ' + (moves > 3) + ' ' + e.target.id; on = false; };</script>"#).await;
        stage.act(Action::Drag { element: stage.id("a"), onto: stage.id("b") }).await;
        assert_eq!(stage.text("out"), "dropped x");
        stage.page.evaluate("out.textContent = ''").await.unwrap();
        stage.act(Action::Drag { element: stage.id("a"), onto: stage.id("c") }).await;
        assert_eq!(stage.text("out"), "dropped x");
        stage.act(Action::Drag { element: stage.id("m"), onto: stage.id("b") }).await;
        assert_eq!(stage.text("out"), "moved true b");
        stage.close().await;
    }

    async fn history_and_addresses_are_followed(wire: browser::Protocol) {
        let site = Site::new().page("/", "<a id=l href='/two'>two</a>").page("/two", "<p id=p>second</p>").page("/three", "third");
        let mut stage = Stage::open(wire, site).await;
        let acted = stage.click("l").await;
        assert!(changes(&acted).contains(&"url".to_owned()));
        assert_eq!(stage.text("p"), "second");
        stage.act(Action::Back).await;
        assert_eq!(stage.seen.url, stage.site.url("/"));
        stage.act(Action::Forward).await;
        assert_eq!(stage.seen.url, stage.site.url("/two"));
        let url = stage.site.url("/three");
        stage.act(Action::Goto { url: url.clone() }).await;
        assert_eq!(stage.seen.url, url);
        stage.close().await;
    }

    async fn tabs_are_opened_switched_and_closed(wire: browser::Protocol) {
        let site = Site::new().page("/", "<a id=l href='/two' target=_blank>two</a><button id=w onclick=\"window.open('/three')\">three</button>")
            .page("/two", "<p id=p>second</p>").page("/three", "<p id=p>third</p><script>setTimeout(() => out.textContent='late', 100)</script><p id=out></p>");
        let mut stage = Stage::open(wire, site).await;
        let acted = stage.click("l").await;
        assert!(changes(&acted).contains(&"tabs".to_owned()), "{:?}", acted.effect);
        assert_eq!((stage.seen.tabs.len(), stage.seen.tabs[1].current), (2, true), "the tab that was opened is looked at");
        assert_eq!(stage.text("p"), "second");
        stage.act(Action::SwitchTab { tab: 0 }).await;
        assert_eq!(stage.seen.url, stage.site.url("/"));
        stage.act(Action::SwitchTab { tab: 1 }).await;
        assert_eq!(stage.text("p"), "second");
        stage.act(Action::CloseTab).await;
        assert_eq!((stage.seen.tabs.len(), stage.seen.url.clone()), (1, stage.site.url("/")));
        stage.click("w").await;
        assert_eq!((stage.text("p").as_str(), stage.text("out").as_str()), ("third", "late"));
        stage.act(Action::NewTab).await;
        assert_eq!((stage.seen.tabs.len(), stage.seen.url.as_str()), (3, "about:blank"));
        let failed = stage.act(Action::SwitchTab { tab: 9 }).await;
        assert!(matches!(failed.effect, Effect::Failed { .. }));
        stage.close().await;
    }

    async fn dialogs_are_observed_and_answered(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<button id=a onclick="alert('Attention'); out.textContent='alerted'">A</button>
            <button id=c onclick="out.textContent = confirm('Sure?')">C</button>
            <button id=p onclick="out.textContent = prompt('Name?')">P</button>
            <button id=l onclick="setTimeout(() => out.textContent = confirm('Late?'), 100)">L</button><p id=out>-</p>"#).await;
        let acted = stage.click("a").await;
        assert_eq!(changes(&acted), ["dialog"]);
        let dialog = stage.seen.dialog.clone().unwrap();
        assert_eq!((dialog.kind.as_str(), dialog.message.as_str()), ("alert", "Attention"));
        assert!(stage.try_id("c").is_some(), "the nodes from before the dialog stay");
        assert!(matches!(stage.click("c").await.effect, Effect::Failed { cause } if cause.contains("dialog")));
        stage.act(Action::AcceptDialog { text: None }).await;
        assert_eq!((stage.text("out").as_str(), &stage.seen.dialog), ("alerted", &None));
        stage.click("c").await;
        assert_eq!(stage.seen.dialog.clone().unwrap().kind, "confirm");
        stage.act(Action::DismissDialog).await;
        assert_eq!(stage.text("out"), "false");
        stage.click("p").await;
        stage.act(Action::AcceptDialog { text: Some("Ann".into()) }).await;
        assert_eq!(stage.text("out"), "Ann");
        stage.click("l").await;
        assert_eq!(stage.seen.dialog.clone().unwrap().message, "Late?");
        stage.act(Action::AcceptDialog { text: None }).await;
        assert_eq!(stage.text("out"), "true");
        stage.close().await;
    }

    async fn a_secret_is_typed_but_never_observed(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<input id=p type=password><input id=t><p id=out></p>
            <script>p.oninput = () => out.textContent = 'length ' + p.value.length; t.oninput = () => out.textContent = t.value;</script>"#).await;
        stage.type_in("p", "${secret:password}").await;
        assert_eq!(stage.text("out"), "length 8");
        let acted = stage.type_in("t", "pw ${secret:password}").await;
        assert_eq!(stage.text("out"), "pw ${secret:password}");
        assert_eq!(stage.node("t").value.as_deref(), Some("pw ${secret:password}"));
        assert!(changes(&acted).contains(&"value".to_owned()));
        assert_eq!(stage.page.evaluate("p.value == 'hunter2!'").await.unwrap(), true);
        assert_eq!(stage.page.evaluate("p.value").await.unwrap(), "${secret:password}");
        let action = Action::Type { element: stage.id("t"), text: "${secret:nobody}".into(), submit: false };
        let error = stage.page.act(&action, &stage.seen).await.unwrap_err();
        assert!(error.to_string().contains("nobody"), "{error}");
        stage.close().await;
    }

    async fn an_action_on_an_older_observation_is_refused(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<button id=b onclick='this.textContent=1'>B</button>").await;
        let old = stage.seen.clone();
        stage.seen = stage.page.observe().await.unwrap();
        let error = stage.page.act(&Action::click(stage.id("b")), &old).await.unwrap_err();
        assert!(matches!(error, domain::page::PageError::Stale { .. }), "{error}");
        assert_eq!(stage.page.evaluate("b.textContent").await.unwrap(), "B");
        stage.close().await;
    }
}
