//! What became of values, toggles and refusals on real pages, and what is said to differ afterwards.

use crate::kit::{Stage, changes, failure, on_both_wires};
use domain::{Action, Effect};
use harness::site::Site;

on_both_wires! {
    async fn a_field_that_holds_another_value_than_was_typed_says_so(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<label>Weight <input id=w type=number step=0.1></label><label>Key <input id=k maxlength=4></label>").await;
        let cause = failure(&stage.type_in("w", "7 kg").await.effect);
        assert!(cause.contains("the field holds \"7\" instead of \"7 kg\""), "{cause}");
        let cause = failure(&stage.type_in("k", "98765").await.effect);
        assert!(cause.contains("\"9876\" instead of \"98765\""), "{cause}");
        stage.close().await;
    }

    async fn what_the_page_formats_is_taken(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<label>Card <input id=c></label><label>Plate <input id=p></label><script>
            c.oninput = () => c.value = c.value.replace(/\D/g, '').replace(/(\d{4})(?=\d)/g, '$1 ');
            p.onchange = p.oninput = () => p.value = p.value.toUpperCase();</script>"#).await;
        assert!(changes(&stage.type_in("c", "1234567812345678").await).contains(&"value".to_owned()));
        let acted = stage.type_in("p", "ab 12").await;
        assert!(changes(&acted).contains(&"value".to_owned()));
        let plate = acted.difference.changed.iter().find(|change| change.of.contains("Plate"));
        assert!(plate.is_some_and(|change| change.to == "AB 12"), "{:?}", acted.difference);
        stage.close().await;
    }

    async fn a_refusal_says_what_the_page_said(wire: browser::Protocol) {
        let site = Site::new().page("/", r#"<button id=b onclick="fetch('/book', {method:'POST'}).then(() => out.textContent = 'That day is full')">Book</button><p id=out></p>"#)
            .status("/book", 409);
        let mut stage = Stage::open(wire, site).await;
        let effect = stage.click("b").await.effect;
        assert!(matches!(&effect, Effect::Rejected { message } if message.starts_with("That day is full")), "{effect:?}");
        stage.close().await;
    }

    async fn a_toggle_that_the_page_takes_back_failed(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<label><input id=t type=checkbox onclick="setTimeout(() => t.checked = false, 30)"> Loud</label>"#).await;
        let cause = failure(&stage.act(Action::Check { element: stage.id("t"), checked: true }).await.effect);
        assert!(cause.contains("not checked"), "{cause}");
        let cause = failure(&stage.click("t").await.effect);
        assert!(cause.contains("off as before"), "{cause}");
        stage.close().await;
    }

    async fn a_step_says_what_appeared_went_and_changed_and_leaves_clocks_out(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<p id=clock>10:00:00</p><ul id=list><li>Pear</li></ul><p id=count>1 fruit</p>
            <button id=b>Add</button><button id=once>Once</button><script>
            let n = 0; setInterval(() => clock.textContent = '10:00:' + String(10 + n++ % 50), 40);
            b.onclick = () => { list.append(Object.assign(document.createElement('li'), {textContent: 'Plum'})); count.textContent = '2 fruits'; once.remove(); };
            </script>"#).await;
        let difference = stage.click("b").await.difference;
        assert!(difference.appeared.iter().any(|entry| entry.contains("Plum")), "{difference:?}");
        assert_eq!(difference.went, ["button \"Once\""], "{difference:?}");
        assert!(difference.changed.iter().any(|change| (change.from.as_str(), change.to.as_str()) == ("1 fruit", "2 fruits")), "{difference:?}");
        assert!(!format!("{difference:?}").contains("10:00"), "{difference:?}");
        stage.close().await;
    }

    async fn a_page_that_is_loaded_is_told_by_its_heading(wire: browser::Protocol) {
        let site = Site::new().page("/", "<title>Start</title><h1>Start</h1><a id=a href=/next>Next</a>")
            .page("/next", "<title>Next</title><h1>What comes next</h1><p>Many words</p><p>and more</p><p>and more yet</p>");
        let mut stage = Stage::open(wire, site).await;
        let difference = stage.click("a").await.difference;
        assert!(difference.appeared.iter().all(|entry| !entry.contains("words")) && difference.went.is_empty(), "{difference:?}");
        assert!(difference.appeared.iter().any(|entry| entry.contains("What comes next")), "{difference:?}");
        assert!(difference.changed.iter().any(|change| change.of == "address" && change.to.ends_with("/next")), "{difference:?}");
        stage.close().await;
    }
}
