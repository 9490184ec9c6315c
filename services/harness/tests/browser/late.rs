//! Settling: late changes are always seen, quiet pages cost no wait, endless pages end at the deadline.

use crate::kit::{Stage, on_both_wires};
use browser::Protocol;
use domain::Page;
use domain::observation::Settled;
use harness::site::Site;

/// Ways in which a page changes some time after a click; `{MS}` is the time.
const MECHANISMS: [(&str, &str); 20] = [
    ("timer", "setTimeout(done, {MS})"),
    ("timer chain", "setTimeout(() => setTimeout(() => setTimeout(done, {MS} / 3), {MS} / 3), {MS} / 3)"),
    ("promise after timer", "new Promise((r) => setTimeout(r, {MS})).then(() => 0).then(done)"),
    (
        "async sleeps",
        "(async () => { for (let i = 0; i < 5; i++) await new Promise((r) => setTimeout(r, {MS} / 5)); done(); })()",
    ),
    ("fetch", "fetch('/slow{MS}').then((r) => r.text()).then(done)"),
    ("xhr", "const x = new XMLHttpRequest(); x.onload = done; x.open('GET', '/slow{MS}'); x.send()"),
    ("debounce then fetch", "setTimeout(() => fetch('/slow{MS}').then((r) => r.json()).then(done), 50)"),
    (
        "transition",
        "box.style.transition = 'width {MS}ms'; box.ontransitionend = () => { box.ontransitionend = null; box.style.transition = ''; done(); }; const wide = box.offsetWidth === 200; box.style.width = wide ? '50px' : '200px'",
    ),
    ("animation", "box.animate([{opacity: 1}, {opacity: 0.5}], {MS}).finished.then(done)"),
    (
        "frames",
        "const t = performance.now(); const f = () => { box.style.left = performance.now() + 'px'; performance.now() - t < {MS} ? requestAnimationFrame(f) : done(); }; requestAnimationFrame(f)",
    ),
    (
        "fast interval",
        "let n = 0; const i = setInterval(() => { box.title = ++n; if (n * 10 >= {MS}) { clearInterval(i); done(); } }, 10)",
    ),
    (
        "inserted script",
        "window.done = done; document.head.append(Object.assign(document.createElement('script'), { src: '/script{MS}' }))",
    ),
    (
        "mutation observer",
        "const o = new MutationObserver(() => { o.disconnect(); done(); }); o.observe(box, {attributes: true, attributeFilter: ['title']}); setTimeout(() => box.title += 'x', {MS})",
    ),
    ("message", "onmessage = () => setTimeout(done, {MS} - 5); postMessage('x', '*')"),
    ("frame's own timer", "frame.contentWindow.later(done, {MS})"),
    (
        "toggle",
        "setTimeout(() => { det.ontoggle = () => { det.ontoggle = null; done(); }; det.open = !det.open; }, {MS})",
    ),
    ("dialog", "dlg.show(); dlg.onclose = done; setTimeout(() => dlg.close(), {MS})"),
    (
        "message channel",
        "const c = new MessageChannel(); c.port1.onmessage = () => setTimeout(done, {MS}); c.port2.postMessage(0)",
    ),
    (
        "history",
        "history.pushState(1, ''); onpopstate = () => { onpopstate = null; setTimeout(done, {MS}); }; history.back()",
    ),
    (
        "worker",
        "const w = new Worker(URL.createObjectURL(new Blob(['onmessage = () => setTimeout(() => postMessage(1), {MS})']))); w.onmessage = done; w.postMessage(0)",
    ),
];

fn page() -> Site {
    let buttons: String = MECHANISMS
        .iter()
        .enumerate()
        .flat_map(|(index, (_, code))| [50, 300].map(|ms| (index, ms, code.replace("{MS}", &ms.to_string()))))
        .map(|(index, ms, code)| format!("<button id=b{index}x{ms}>{index}</button><script>b{index}x{ms}.onclick = () => {{ {code} }};</script>\n"))
        .collect();
    let html = format!(
        r#"<div id=box style="position:relative;width:50px;height:20px;background:#ccc"></div><p id=out>0</p><details id=det><summary>D</summary>x</details><dialog id=dlg>x</dialog>
        <iframe id=frame srcdoc="<script>later = (f, ms) => setTimeout(f, ms)</script>" width=50 height=30></iframe>
        <script>let count = 0; const done = () => {{ out.textContent = ++count; }};</script>{buttons}"#
    );
    let mut site = Site::new().page("/", &html);
    for ms in [50, 300] {
        site = site.slow(&format!("/slow{ms}"), ms, "1").slow_file(
            &format!("/script{ms}"),
            ms,
            "text/javascript",
            "done()",
        );
    }
    site.slow_file("/slow50", 50, "application/json", "1").slow_file("/slow300", 300, "application/json", "1")
}

async fn every_late_change_is_seen(wire: Protocol, delays: &[u64], rounds: usize) {
    let mut stage = Stage::open(wire, page()).await;
    let mut expected = 0;
    for _ in 0..rounds {
        for (index, (name, _)) in MECHANISMS.iter().enumerate() {
            for delay in delays {
                expected += 1;
                stage.click(&format!("b{index}x{delay}")).await;
                let timing = stage.page.timing();
                assert_eq!(stage.text("out"), expected.to_string(), "{name} after {delay} ms; {timing:?}");
                assert_eq!(stage.seen.settled, Settled::Quiet, "{name}");
            }
        }
    }
    stage.close().await;
}

// 6 rounds of 20 mechanisms: each delay more than a hundred times on the wire that matters most.
#[tokio::test]
async fn every_change_50_ms_after_a_click_is_in_the_next_observation() {
    Box::pin(every_late_change_is_seen(Protocol::Bidi, &[50], 6)).await;
}

#[tokio::test]
async fn every_change_300_ms_after_a_click_is_in_the_next_observation() {
    Box::pin(every_late_change_is_seen(Protocol::Bidi, &[300], 6)).await;
}

#[tokio::test]
async fn every_late_change_is_seen_over_classic_too() {
    Box::pin(every_late_change_is_seen(Protocol::Classic, &[50, 300], 2)).await;
}

on_both_wires! {
    async fn a_quiet_page_is_waited_for_by_nothing(wire: Protocol) {
        // A clock, a far timer, a game loop and an endless animation are no reason to wait.
        let mut stage = Stage::of_page(wire, r#"<style>@keyframes x { to { opacity: 0 } } #s { animation: x 1s infinite }</style>
            <p id=s>spin</p><p id=clock>0</p><button id=b onclick="out.textContent='x'">B</button><p id=out></p><canvas id=c></canvas>
            <script>setInterval(() => clock.textContent++, 300); setTimeout(() => 0, 60000);
            const loop = () => requestAnimationFrame(loop); loop();
            (async () => { for (;;) await new Promise((r) => setTimeout(r, 400)); })();</script>"#).await;
        stage.page.observe().await.unwrap(); // the loops have shown by now that they only repeat
        stage.seen = stage.page.observe().await.unwrap();
        assert_eq!(stage.page.timing().waited, Vec::<String>::new());
        stage.click("b").await;
        assert_eq!(stage.page.timing().waited, Vec::<String>::new());
        assert_eq!(stage.text("out"), "x");
        assert!(!stage.page.timing().late, "the probe was there before the page");
        stage.close().await;
    }

    async fn a_page_that_follows_its_fragment_is_seen_as_the_fragment_says(wire: Protocol) {
        // A handler of this kind is no listener that the probe is told of.
        let mut stage = Stage::of_page(wire, r##"<a id=a href="#/a">A</a> <a id=b href="#/b">B</a> <p id=out>none</p>
            <script>onhashchange = () => { out.textContent = location.hash; };</script>"##).await;
        for round in 0..20 {
            for (link, shown) in [("a", "#/a"), ("b", "#/b")] {
                stage.click(link).await;
                assert_eq!(stage.text("out"), shown, "round {round}");
            }
        }
        stage.act(domain::Action::Back).await;
        assert_eq!(stage.text("out"), "#/a");
        // The same fragment once more changes nothing, and is not waited for.
        stage.click("a").await;
        assert_eq!(stage.page.timing().waited, Vec::<String>::new());
        stage.close().await;
    }

    async fn what_a_page_is_told_by_a_task_is_seen_where_an_attribute_listens(wire: Protocol) {
        let mut stage = Stage::of_page(wire, r#"<details ontoggle="out.textContent = this.open"><summary id=s>S</summary>x</details>
            <dialog id=dlg onclose="out.textContent = 'closed'"><button id=x onclick="dlg.close()">X</button></dialog>
            <button id=b onclick="dlg.show()">B</button> <p id=out>none</p>"#).await;
        for round in 0..10 {
            for (control, shown) in [("s", "true"), ("s", "false"), ("b", "false"), ("x", "closed")] {
                stage.click(control).await;
                assert_eq!(stage.text("out"), shown, "round {round}");
            }
        }
        stage.close().await;
    }

    async fn a_page_that_never_settles_ends_at_the_deadline_and_says_why(wire: Protocol) {
        let site = Site::new().page("/", r#"<button id=b onclick="fetch('/hangs')">B</button>"#).slow("/hangs", 60_000, "");
        let mut stage = Stage::open_with(Stage::impatient(wire), site).await;
        stage.click("b").await;
        assert_eq!(stage.seen.settled, Settled::Never { pending: vec!["requests".to_owned()] });
        assert!(stage.page.timing().settle_ms >= 690.0);
        stage.seen = stage.page.observe().await.unwrap();
        assert!(stage.page.timing().settle_ms < 300.0, "what outlived one deadline is not waited for again");
        stage.close().await;
    }

    async fn a_navigation_after_a_click_is_followed_to_its_end(wire: Protocol) {
        let site = Site::new().page("/", r#"<button id=b onclick="setTimeout(() => location.href = '/slow', 100)">B</button>
            <form action=/slow><button id=f>Form</button></form>"#)
            .slow("/slow", 300, "<p id=p></p><script>setTimeout(() => p.textContent = 'there', 50)</script>");
        let mut stage = Stage::open(wire, site).await;
        stage.click("b").await;
        assert_eq!(stage.text("p"), "there");
        stage.act(domain::Action::Back).await;
        stage.click("f").await;
        assert_eq!(stage.text("p"), "there");
        stage.close().await;
    }
}
