//! An action lands on what was meant: past controls within it, through scaled frames, by labels, in lists as they are shown;
//! and what is not ready yet is waited for.

use crate::kit::{Stage, changes, failure, on_both_wires};
use domain::{Action, ElementId, Page};
use harness::site::Site;
use std::time::Duration;

fn check(element: ElementId) -> Action {
    Action::Check { element, checked: true }
}

fn named(stage: &Stage, name: &str) -> Vec<ElementId> {
    stage.seen.elements().filter(|(_, node)| node.name == name).map(|(id, _)| id).collect()
}

on_both_wires! {
    async fn a_press_on_a_tile_is_none_on_the_button_in_its_middle(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<style>#tile{position:relative;width:300px;height:90px}#bin{position:absolute;left:100px;top:20px;width:100px;height:50px}</style>
            <div id=tile tabindex=0 onclick="out.textContent='opened'"><button id=bin onclick="event.stopPropagation();out.textContent='binned'">Bin</button></div><p id=out></p>"#).await;
        stage.click("tile").await;
        assert_eq!(stage.text("out"), "opened");
        stage.click("bin").await;
        assert_eq!(stage.text("out"), "binned");
        stage.close().await;
    }

    async fn a_button_is_pressed_where_a_scaled_and_turned_frame_shows_it(wire: browser::Protocol) {
        let inner = "<style>button{position:absolute;width:90px;height:30px}</style><button id=yes style='left:300px;top:200px' onclick='parent.out.textContent=\"yes\"'>Yes</button>\
            <button id=no style='left:380px;top:260px' onclick='parent.out.textContent=\"no\"'>No</button>";
        for style in ["transform:scale(.75);transform-origin:0 0", "zoom:.75", "transform:rotate(20deg)", "scale:1.2;transform-origin:0 0", "transform:scaleX(-1)"] {
            let page = format!("<p id=out></p><iframe src=/in style='width:500px;height:350px;{style}'></iframe>");
            let mut stage = Stage::open(wire, Site::new().page("/", &page).page("/in", inner)).await;
            stage.click("yes").await;
            assert_eq!(stage.text("out"), "yes", "{style}");
            stage.close().await;
        }
    }

    async fn a_hidden_check_box_is_ticked_once_beside_the_links_of_its_label(wire: browser::Protocol) {
        for style in ["display:none", "visibility:hidden;position:absolute", "position:absolute;opacity:0;width:0;height:0", "position:absolute;left:-5000px"] {
            let mut stage = Stage::of_page(wire, &format!(r#"<label>I know <a href="/rules">the rules of this house</a> well <input type=checkbox id=c style="{style}" onchange="out.textContent+='!'"></label><p id=out></p>"#)).await;
            let action = check(stage.id("c"));
            stage.act(action).await;
            assert_eq!((stage.node("c").states.checked, stage.text("out").as_str()), (Some(true), "!"), "{style}");
            stage.close().await;
        }
    }

    async fn a_list_gives_what_it_shows(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<style>.old{display:none}</style><select id=s onchange="out.textContent+=s.value+' '"><option value=a>Ash<option hidden>Elm<option class=old>Yew
            <optgroup label=Rare hidden><option>Fir</optgroup><optgroup label=Out disabled><option>Box</optgroup><option disabled>Bay<option value=o>Oak<option value=p>Pine</select><p id=out></p>"#).await;
        let action = Action::Select { element: stage.id("s"), options: vec!["Oak".into()] };
        stage.act(action).await;
        assert_eq!((stage.node("s").value.as_deref(), stage.text("out").as_str()), (Some("o"), "o"));
        let action = Action::Select { element: stage.id("s"), options: vec!["Elm".into()] };
        assert!(failure(&stage.act(action).await.effect).contains("does not show"));
        stage.close().await;
    }

    async fn what_is_disabled_now_is_waited_for(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<fieldset id=f disabled><button id=b onclick="out.textContent='gone on'">On</button></fieldset>
            <button id=n disabled>Never</button><p id=out></p><script>setTimeout(() => f.disabled = false, 1600)</script>"#).await;
        stage.click("b").await;
        assert_eq!(stage.text("out"), "gone on");
        let told = failure(&stage.click("n").await.effect);
        assert!(told.contains("disabled") && told.contains("stayed so"), "{told}");
        stage.close().await;
    }

    async fn a_button_of_a_young_page_is_pressed_when_something_listens(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<button id=b>Join</button><button id=i onclick="out.textContent='at once'">Now</button><p id=out></p>
            <script>setTimeout(() => b.onclick = () => out.textContent = 'joined', 1800)</script>"#).await;
        stage.click("i").await;
        assert_eq!(stage.text("out"), "at once");
        stage.click("b").await;
        assert_eq!(stage.text("out"), "joined");
        stage.close().await;
    }

    async fn a_press_whose_target_moves_away_presses_nothing_else_and_says_so(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<style>button{display:block;width:200px;height:48px;margin:0}#hint:not(:empty){height:48px}</style><input id=p><div id=hint></div>
            <button id=d onclick="out.textContent='deleted'">Delete</button><button id=s onclick="out.textContent='saved'">Save</button><p id=out></p>
            <script>p.onblur = () => hint.textContent = 'Delivery in two days'</script>"#).await;
        let action = Action::Type { element: stage.id("p"), text: "4050".into(), submit: false };
        stage.act(action).await;
        let told = failure(&stage.click("s").await.effect);
        assert!(told.contains("Delete") && stage.text("out").is_empty(), "{told}");
        stage.click("s").await;
        assert_eq!(stage.text("out"), "saved");
        stage.close().await;
        let mut stage = Stage::of_page(wire, r#"<input id=p><ul id=list><li id=l tabindex=0 onmousedown="p.value='Lisbon';list.style.display='none'">Lisbon</ul><p>Below</p>"#).await;
        let acted = stage.click("l").await;
        assert!(!matches!(acted.effect, domain::Effect::Failed { .. }), "{:?}", acted.effect);
        assert_eq!(stage.node("p").value.as_deref(), Some("Lisbon"));
        stage.close().await;
    }

    async fn a_message_that_lies_over_what_is_pressed_is_waited_for(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<div id=m role=alert style="position:fixed;left:0;top:0;width:300px;height:80px;background:#223"><button>Undo</button></div>
            <button id=b onclick="out.textContent='saved'">Save</button><p id=out></p><script>setTimeout(() => m.remove(), 3000)</script>"#).await;
        let acted = stage.click("b").await;
        assert!(acted.effect.is_change(), "{:?}", acted.effect);
        assert_eq!(stage.text("out"), "saved");
        stage.close().await;
    }

    async fn a_veil_is_waited_for_and_a_bar_is_not(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<div id=v style="position:fixed;inset:0;background:#fffc"></div><button id=b onclick="out.textContent='through'">On</button><p id=out></p>
            <script>setTimeout(() => v.remove(), 1600)</script>"#).await;
        stage.click("b").await;
        assert_eq!(stage.text("out"), "through");
        stage.close().await;
    }

    async fn areas_of_a_picture_are_pressed_within_their_shapes(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r##"<map name=m><area id=l shape=circle coords="40,40,20" href="#left" alt=Left><area id=r shape=rect coords="100,0,160,80" href="#right" alt=Right></map>
            <img usemap="#m" width=160 height=80 alt=Plan src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">"##).await;
        let acted = stage.click("r").await;
        assert!(stage.seen.url.ends_with("#right"), "{:?}", acted.effect);
        stage.click("l").await;
        assert!(stage.seen.url.ends_with("#left"), "{}", stage.seen.url);
        stage.close().await;
    }

    async fn parts_of_a_drawing_are_called_by_their_titles_and_lead_where_their_links_do(wire: browser::Protocol) {
        let site = Site::new().page("/", r#"<base href="/house/"><svg width=300 height=120 viewBox="0 0 300 120" xmlns:xlink="http://www.w3.org/1999/xlink">
            <a id=a xlink:href="circle"><title>Circle</title><path d="M10 10h100v100h-100z"/></a>
            <circle id=c cx=200 cy=60 r=40 style="cursor:pointer" onclick="out.textContent='taken'"><title>Seat D6</title></circle></svg><p id=out></p>"#)
            .page("/house/circle", "<h1>Seats of the circle</h1>");
        let mut stage = Stage::open(wire, site).await;
        assert_eq!((stage.node("a").role.as_str(), stage.node("a").name.as_str()), ("link", "Circle"));
        assert_eq!(stage.node("c").name, "Seat D6");
        assert!(stage.node("a").attribute("href").ends_with("/house/circle"), "{}", stage.node("a").attribute("href"));
        stage.click("c").await;
        assert_eq!(stage.text("out"), "taken");
        stage.click("a").await;
        assert!(stage.seen.url.ends_with("/house/circle"), "{}", stage.seen.url);
        stage.close().await;
    }

    async fn an_editor_that_is_a_whole_document_takes_text(wire: browser::Protocol) {
        let site = Site::new().page("/", "<input id=title><iframe title=Story src=/in></iframe>")
            .page("/in", "<body id=ed style='min-height:90px'><p><br></p><script>document.designMode='on'</script></body>");
        let mut stage = Stage::open(wire, site).await;
        assert_eq!((stage.node("ed").name.as_str(), stage.node("ed").role.as_str()), ("Story", "textbox"));
        stage.type_in("ed", "Once upon").await;
        assert_eq!(stage.node("ed").value.as_deref(), Some("Once upon"));
        assert_eq!(stage.node("title").value.as_deref(), Some(""));
        stage.close().await;
    }

    async fn a_button_that_is_drawn_anew_all_the_time_is_pressed(wire: browser::Protocol) {
        let mut stage = Stage::open_with(Stage::impatient(wire), Site::new().page("/", r#"<div id=v></div><p id=out></p><script>
            setInterval(() => v.innerHTML = '<button id=a onclick="out.textContent=`first`">First</button><button id=b onclick="out.textContent=`second`">Second</button>', 60)</script>"#)).await;
        stage.page.observe().await.unwrap();
        stage.seen = stage.page.observe().await.unwrap();
        stage.click("b").await;
        assert_eq!(stage.text("out"), "second");
        stage.close().await;
    }

    async fn a_button_of_a_component_that_is_drawn_anew_all_the_time_is_pressed(wire: browser::Protocol) {
        let mut stage = Stage::open_with(Stage::impatient(wire), Site::new().page("/", r#"<gate-board></gate-board><p id=out></p><script>
            customElements.define('gate-board', class extends HTMLElement { connectedCallback() {
                const root = this.attachShadow({ mode: 'open' });
                setInterval(() => root.innerHTML = '<ol><li>C <button data-gate=c>Open</button></li><li>D <button id=d data-gate=d>Open</button></li></ol>', 60);
                root.addEventListener('click', (event) => out.textContent = 'opened ' + event.target.dataset.gate);
            } });</script>"#)).await;
        stage.page.observe().await.unwrap();
        stage.seen = stage.page.observe().await.unwrap();
        let acted = stage.click("d").await;
        assert_eq!(stage.text("out"), "opened d", "{:?}", acted.effect);
        stage.close().await;
    }

    async fn what_a_component_shows_of_the_page_is_found_again_when_it_is_drawn_anew(wire: browser::Protocol) {
        let mut stage = Stage::open_with(Stage::impatient(wire), Site::new().page("/", r#"<a-card id=card></a-card><p id=out></p><script>
            customElements.define('a-card', class extends HTMLElement { connectedCallback() {
                this.attachShadow({ mode: 'open' }).innerHTML = '<slot></slot><button onclick="out.textContent=`own`">Save</button>';
            } });
            setInterval(() => card.innerHTML = '<button data-at=page>Save</button>', 60);
            card.onclick = (event) => { if (event.target.dataset.at) out.textContent = event.target.dataset.at; };</script>"#)).await;
        stage.page.observe().await.unwrap();
        stage.seen = stage.page.observe().await.unwrap();
        let save = named(&stage, "Save")[0];
        stage.act(Action::click(save)).await;
        assert_eq!(stage.text("out"), "page");
        stage.close().await;
    }

    async fn one_that_is_left_of_several_is_not_taken_for_another(wire: browser::Protocol) {
        let mut stage = Stage::open_with(Stage::impatient(wire), Site::new().page("/", r#"<div id=v></div><p id=out></p><script>
            const draw = (all) => v.innerHTML = all.map((gate) => '<p>Gate ' + gate + ' <button data-gate=' + gate + '>Open</button></p>').join('');
            draw(['C', 'D', 'E']);
            v.onclick = (event) => out.textContent = event.target.dataset.gate;
            setTimeout(() => draw(['C', 'E']), 2500);</script>"#)).await;
        let opens = named(&stage, "Open");
        assert_eq!(opens.len(), 3);
        tokio::time::sleep(Duration::from_secs(3)).await;
        let told = failure(&stage.act(Action::click(opens[1])).await.effect);
        assert!(told.contains("gone"), "{told}");
        assert_eq!(stage.text("out"), "");
        stage.close().await;
    }

    async fn a_press_that_would_meet_another_control_is_kept_from_it(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<button id=a style="width:120px;height:40px" onclick="out.textContent='right'">Keep</button><p id=out></p><script>
            a.addEventListener('pointermove', () => { const x = document.createElement('button'); x.textContent = 'Drop'; x.style.cssText = 'position:fixed;left:0;top:0;width:400px;height:300px';
            x.onclick = () => out.textContent = 'wrong'; document.body.append(x); });</script>"#).await;
        let told = failure(&stage.click("a").await.effect);
        assert!(told.contains("Drop"), "{told}");
        assert_eq!(stage.text("out"), "");
        stage.close().await;
    }

    async fn a_tab_that_a_page_opens_is_looked_at_and_gone_back_from(wire: browser::Protocol) {
        let site = Site::new().page("/", "<button id=w onclick=\"window.open('/pick')\">Pick</button><p id=out></p><script>took = (what) => out.textContent = what</script>")
            .page("/pick", "<button id=p onclick=\"opener.took('pear'); window.close()\">Pear</button>");
        let mut stage = Stage::open(wire, site).await;
        let acted = stage.click("w").await;
        assert!(changes(&acted).contains(&"tabs".to_owned()));
        assert!(stage.seen.url.ends_with("/pick") && stage.seen.tabs[1].current);
        stage.click("p").await;
        assert_eq!((stage.seen.tabs.len(), stage.text("out").as_str()), (1, "pear"));
        stage.close().await;
    }

    async fn a_code_goes_on_into_the_fields_beside_its_first(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<div id=all><input id=x maxlength=1><input maxlength=1><input maxlength=1></div><p id=out></p><script>
            for (const field of all.children) field.oninput = () => { if (field.value && field.nextElementSibling) field.nextElementSibling.focus();
            out.textContent = [...all.children].map((one) => one.value).join(''); };</script>"#).await;
        changes(&stage.type_in("x", "507").await);
        assert_eq!(stage.text("out"), "507");
        stage.close().await;
    }
}
