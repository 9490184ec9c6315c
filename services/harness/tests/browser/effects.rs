//! Effects and faults as real pages cause them.

use crate::kit::{Stage, changes, failure, on_both_wires};
use domain::fault::FaultCategory;
use domain::{Action, Effect};
use harness::site::Site;

on_both_wires! {
    async fn a_click_that_does_nothing_is_no_change(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<button id=b>B</button>").await;
        stage.click("b").await; // takes the focus
        assert_eq!(stage.click("b").await.effect, Effect::NoChange);
        stage.close().await;
    }

    async fn a_form_that_is_not_valid_rejects_with_the_browsers_message(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<form action=/x><input id=i required><button id=b>Send</button></form>").await;
        let Effect::Rejected { message } = stage.click("b").await.effect else { panic!("expected a rejection") };
        assert!(message.contains("fill"), "{message}");
        stage.close().await;
    }

    async fn what_cannot_be_clicked_fails_with_its_reason(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<button id=gone>Gone</button><button id=under>Under</button>
            <div id=veil style="position:fixed;inset:0"></div>"#).await;
        let cause = failure(&stage.click("under").await.effect);
        assert!(cause.contains("covered") && cause.contains("veil"), "{cause}");
        stage.page_eval("gone.remove()").await;
        let cause = failure(&stage.click_unseen("gone").await);
        assert!(cause.contains("gone"), "{cause}");
        stage.close().await;
    }

    async fn a_request_that_the_server_fails_is_not_confirmed_and_a_fault(wire: browser::Protocol) {
        let site = Site::new().page("/", r#"<button id=b onclick="fetch('/save', {method:'POST'}).then(r => out.textContent = r.status)">Save</button><p id=out></p>"#)
            .status("/save", 503);
        let mut stage = Stage::open(wire, site).await;
        let effect = stage.click("b").await.effect;
        let Effect::Unconfirmed { cause } = &effect else { panic!("{effect:?}") };
        assert!(cause.starts_with("POST /save was answered 503"), "{cause}");
        assert_eq!(stage.text("out"), "503");
        assert!(stage.seen.requests.iter().any(|request| request.url.ends_with("/save") && request.status == Some(503)));
        assert!(stage.seen.faults.iter().any(|fault| fault.category == FaultCategory::Network && fault.first_party));
        stage.close().await;
    }

    async fn console_errors_exceptions_and_policy_violations_are_faults(wire: browser::Protocol) {
        let site = Site::new().page_with("/", &[("content-security-policy", "img-src 'none'")], r#"<button id=b>B</button>
            <script>b.onclick = () => { console.error('said so'); console.log('not this'); setTimeout(() => { throw new Error('thrown') }, 10);
            document.body.append(Object.assign(new Image(), { src: '/i.png' })); fetch('http://localhost:' + location.port + '/x').catch(() => 0); }</script>"#)
            .file("/x", "text/plain", "x");
        let mut stage = Stage::open(wire, site).await;
        stage.click("b").await;
        let found = |category, text: &str| stage.seen.faults.iter().any(|fault| fault.category == category && fault.message.contains(text));
        let faults = &stage.seen.faults;
        assert!(found(FaultCategory::Other, "said so"), "{faults:#?}");
        assert!(found(FaultCategory::JavaScript, "thrown"), "{faults:#?}");
        assert!(faults.iter().filter(|fault| fault.category == FaultCategory::ContentSecurity).count() >= 2, "{faults:#?}");
        assert!(!faults.iter().any(|fault| fault.message.contains("not this")));
        stage.close().await;
    }

    async fn a_download_is_a_change(wire: browser::Protocol) {
        let site = Site::new().page("/", "<a id=d href=/file.bin download>get</a>").file("/file.bin", "application/octet-stream", "xx");
        let mut stage = Stage::open(wire, site).await;
        let acted = stage.click("d").await;
        assert!(changes(&acted).contains(&"download".to_owned()), "{:?}", acted.effect);
        assert_eq!(stage.seen.downloads, ["file.bin"]);
        stage.close().await;
    }

    async fn an_unreachable_address_fails_with_the_cause_of_its_connection(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<p>x</p>").await;
        let authority = stage.site.authority();
        drop(std::mem::replace(&mut stage.site, Site::new().start().await));
        let cause = failure(&stage.act(Action::Goto { url: format!("http://{authority}/gone") }).await.effect);
        assert!(cause.contains("connection refused"), "{cause}");
        stage.close().await;
    }
}

impl Stage {
    async fn page_eval(&mut self, expression: &str) {
        use domain::Page;
        self.page.evaluate(expression).await.unwrap();
    }

    /// Clicks what the latest observation showed, although the page has changed since.
    async fn click_unseen(&mut self, id: &str) -> Effect {
        self.click(id).await.effect
    }
}

on_both_wires! {
    async fn what_the_page_does_with_a_value_as_its_field_is_left_is_seen_before_the_press(wire: browser::Protocol) {
        let site = Site::new().page(
            "/",
            r#"<label>Seats <input id=s></label><input id=p placeholder=Phone><button id=b>Book</button><p id=out></p>
            <script>s.onchange = () => { if (+s.value > 10) s.value = 10 };
            p.onblur = () => { p.value = p.value.replace(/^(...)(...)(....)$/, '($1) $2-$3') };
            b.onclick = () => { out.textContent = 'booked ' + s.value + ' ' + p.value }</script>"#,
        );
        let mut stage = Stage::open(wire, site).await;
        stage.type_in("s", "25").await;
        let cause = failure(&stage.click("b").await.effect);
        assert!(cause.contains("holds \"10\" instead of \"25\"") && cause.contains("nothing was pressed"), "{cause}");
        assert_eq!(stage.text("out"), "");
        stage.type_in("s", "7").await;
        stage.type_in("p", "5551234567").await;
        stage.click("b").await;
        assert_eq!(stage.text("out"), "booked 7 (555) 123-4567");
        stage.close().await;
    }

    async fn what_a_field_shows_for_itself_stays_when_it_is_pressed(wire: browser::Protocol) {
        let site = Site::new().page("/", r#"<input id=city aria-label=City><div id=list style="position:absolute;left:300px"></div><p id=out></p>
            <input id=name aria-label=Name><button id=save>Save</button>
            <script>city.oninput = () => { list.innerHTML = '<button id=oslo>Oslo</button>'; oslo.onmousedown = event => event.preventDefault();
            oslo.onclick = () => { out.textContent = 'Oslo chosen' } };
            city.onblur = () => { list.innerHTML = '' };
            const field = document.getElementById('name'); field.onblur = () => { field.value = '' }; save.onmousedown = event => event.preventDefault();
            save.onclick = () => { out.textContent = 'saved ' + field.value }</script>"#);
        let mut stage = Stage::open(wire, site).await;
        stage.type_in("city", "Os").await;
        stage.click("oslo").await;
        assert_eq!(stage.text("out"), "Oslo chosen");
        stage.type_in("name", "Kai").await;
        stage.click("save").await;
        assert_eq!(stage.text("out"), "saved Kai");
        stage.close().await;
    }

    async fn a_dialog_of_a_frame_is_seen_and_answered(wire: browser::Protocol) {
        let inner = r#"<button id=b onclick="if (confirm('Empty it?')) o.textContent = 'emptied'">Empty</button><p id=o></p>"#;
        let site = Site::new().page("/", "<h1>Shop</h1><iframe src=/basket width=400 height=140></iframe>").page("/basket", inner);
        let mut stage = Stage::open(wire, site).await;
        stage.click("b").await;
        let dialog = stage.seen.dialog.clone().expect("a dialog");
        assert_eq!((dialog.kind.as_str(), dialog.message.as_str()), ("confirm", "Empty it?"));
        stage.act(Action::AcceptDialog { text: None }).await;
        assert_eq!(stage.text("o"), "emptied");
        stage.close().await;
    }

    async fn an_option_that_a_list_does_not_show_is_not_offered(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<select id=s><option value=a hidden>Valencia<option value=b selected>Caracas<option value=c>Valencia</select><button id=b
            onclick="s.options[0].hidden = false; s.options[2].hidden = true">Other</button>"#).await;
        let offered = |stage: &Stage| stage.node("s").options.iter().map(|option| option.value.clone()).collect::<Vec<_>>();
        assert_eq!(offered(&stage), ["b", "c"]);
        stage.act(Action::Select { element: stage.id("s"), options: vec!["Valencia".into()] }).await;
        assert_eq!(stage.node("s").value.as_deref(), Some("c"));
        stage.act(Action::Select { element: stage.id("s"), options: vec!["Caracas".into()] }).await;
        stage.click("b").await;
        assert_eq!(offered(&stage), ["a", "b"]);
        stage.close().await;
    }
}
