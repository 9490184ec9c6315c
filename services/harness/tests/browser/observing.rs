//! What is seen: names, states, structure, frames, shadow roots, tabs.

use crate::kit::{Stage, on_both_wires};
use domain::Page;
use domain::action::ActionKind;
use domain::observation::{Interactivity, Settled, Visibility};
use harness::site::Site;

on_both_wires! {
    async fn a_form_is_seen_with_names_values_options_and_constraints(wire: browser::Protocol) {
        let stage = Stage::of_page(wire, r#"
            <form aria-label=Booking>
              <label for=mail>E-mail</label><input id=mail type=email required maxlength=40 autocomplete=email>
              <label>Size <select id=size><option>Small<option selected>Large</select></label>
              <input id=pw type=password value=secret aria-label=Password>
              <label><input id=ok type=checkbox checked> I agree</label>
              <fieldset disabled><legend>Later</legend><input id=off></fieldset>
              <input type=hidden name=token value=x>
              <button id=go title=Send>Go!</button>
            </form>"#).await;
        let mail = stage.node("mail");
        assert_eq!((mail.role.as_str(), mail.name.as_str(), mail.context.as_str()), ("textbox", "E-mail", "E-mail"));
        let constraints = mail.constraints.clone().unwrap();
        assert!(constraints.required && constraints.max_length == Some(40) && constraints.validation_message.is_some());
        let size = stage.node("size");
        assert_eq!(size.name, "Size");
        assert_eq!(size.options.iter().map(|option| (option.label.as_str(), option.selected)).collect::<Vec<_>>(), [("Small", false), ("Large", true)]);
        assert_eq!(size.operations, [ActionKind::Select]);
        assert_eq!(stage.node("pw").value, None);
        assert!(!serde_json::to_string(&stage.seen).unwrap().contains("secret"));
        assert_eq!((stage.node("ok").states.checked, stage.node("ok").name.as_str()), (Some(true), "I agree"));
        assert!(stage.node("off").states.disabled && stage.node("off").operations.is_empty());
        assert_eq!(stage.node("go").name, "Go!");
        assert!(!stage.seen.nodes.iter().any(|node| node.attribute("name") == "token"));
        assert_eq!(stage.seen.settled, Settled::Quiet);
        stage.close().await;
    }

    async fn the_parent_chain_expresses_rows_lists_and_dialogs(wire: browser::Protocol) {
        let stage = Stage::of_page(wire, r#"
            <table><tr><th>Name<th>Act</tr><tr><td>Ann<td><button id=b1>Edit</button></tr></table>
            <ul><li>One <a id=l href="/x">more</a></li></ul>
            <dialog open aria-label=Sure><button id=yes>Yes</button></dialog>"#).await;
        let roles = |id: &str| stage.seen.ancestors(stage.id(id)).map(|(_, node)| node.role.clone()).collect::<Vec<_>>();
        assert_eq!(roles("b1"), ["cell", "row", "rowgroup", "table"]);
        assert_eq!(roles("l"), ["listitem", "list"]);
        assert_eq!(roles("yes")[0], "dialog");
        stage.close().await;
    }

    async fn listeners_cursor_and_aria_make_elements_interactive(wire: browser::Protocol) {
        let stage = Stage::of_page(wire, r#"
            <div id=listens>Listens</div><div id=property>Property</div><div id=inline onclick="0">Inline</div>
            <div id=role role=button>Role</div><div id=cursor style="cursor:pointer">Cursor <b id=inner>inner</b></div>
            <div id=plain>Plain</div><div id=once>Once</div>
            <svg width=50 height=50><circle id=circle cx=20 cy=20 r=15 fill="rgb(255, 0, 0)"></circle></svg>
            <canvas id=canvas width=20 height=20></canvas>
            <script>
              listens.addEventListener('click', () => 0); property.onclick = () => 0;
              circle.addEventListener('click', () => 0); canvas.addEventListener('mousedown', () => 0);
              const f = () => 0; once.addEventListener('click', f); once.removeEventListener('click', f);
            </script>"#).await;
        let by = |id: &str| stage.node(id).interactive_by;
        assert_eq!(by("listens"), Some(Interactivity::Listener));
        assert_eq!(by("property"), Some(Interactivity::Listener));
        assert_eq!(by("inline"), Some(Interactivity::Listener));
        assert_eq!(by("circle"), Some(Interactivity::Listener));
        assert_eq!(by("canvas"), Some(Interactivity::Listener));
        assert_eq!(by("role"), Some(Interactivity::Aria));
        assert_eq!(by("cursor"), Some(Interactivity::Cursor));
        assert_eq!((by("inner"), by("plain"), by("once")), (None, None, None));
        assert_eq!(stage.node("circle").color.as_deref(), Some("#ff0000"));
        stage.close().await;
    }

    async fn what_listens_for_its_parts_is_no_control_and_a_card_is_one(wire: browser::Protocol) {
        let stage = Stage::of_page(wire, r#"
            <div id=app>
              <h2>Editors</h2><ul><li>Ann <button>Remove</button><li>Ben <button>Remove</button></ul>
              <h2>Guests</h2><ul><li id=guest>Cleo <button>Remove</button></ul>
            </div>
            <div id=card><h3>Lamp</h3>Oak and linen <button>Like</button></div>
            <ul id=hand style="cursor:pointer"><li>One <button>a</button><li>Two <button>b</button></ul>
            <script>app.addEventListener('click', () => 0); card.onclick = () => 0; hand.onclick = () => 0;</script>"#).await;
        let is_control = |id: &str| stage.seen.interactive().any(|(_, node)| node.attribute("id") == id);
        assert!(!is_control("app") && is_control("card") && is_control("hand"));
        assert_eq!(stage.seen.interactive().filter(|(_, node)| node.name == "Remove").count(), 3);
        assert!(stage.node("guest").text.contains("Cleo"));
        stage.close().await;
    }

    async fn hidden_offscreen_and_covered_are_told_apart(wire: browser::Protocol) {
        let stage = Stage::of_page(wire, r#"
            <button id=seen>Seen</button><button id=none style="display:none">None</button>
            <button id=invisible style="visibility:hidden">Invisible</button>
            <div style="position:relative"><button id=under>Under</button><div style="position:absolute;inset:0;background:#fff"></div></div>
            <div style="height:60px;overflow:auto"><div style="height:300px"></div><button id=within>Within</button></div>
            <div style="height:2000px"></div><button id=below>Below</button>"#).await;
        assert_eq!(stage.node("seen").visibility, Visibility::Visible);
        assert_eq!(stage.node("under").visibility, Visibility::Covered);
        assert_eq!(stage.node("within").visibility, Visibility::Offscreen);
        assert_eq!(stage.node("below").visibility, Visibility::Offscreen);
        assert!(stage.try_id("none").is_none() && stage.try_id("invisible").is_none());
        assert!(stage.seen.nodes.iter().any(|node| node.operations == [ActionKind::Scroll]));
        assert!(stage.seen.viewport.scroll_height > 2000.0);
        stage.close().await;
    }

    async fn shadow_roots_and_nested_frames_of_the_same_origin_are_walked(wire: browser::Protocol) {
        let site = Site::new()
            .page("/", r#"<div id=host></div><iframe id=frame src="/outer" style="margin:30px;border:5px solid"></iframe>
                <script>host.attachShadow({mode:'open'}).innerHTML = '<button id=deep>Deep</button>';</script>"#)
            .page("/outer", r#"<button id=b>Outer</button><iframe src="/inner" width=200 height=80></iframe>"#)
            .page("/inner", r#"<button id=i onclick="this.textContent='clicked'">Inner</button>"#);
        let mut stage = Stage::open(wire, site).await;
        assert!(stage.node("deep").in_shadow);
        assert_eq!(stage.seen.frames.len(), 3);
        let inner = stage.node("i").clone();
        assert_eq!((inner.frame, stage.seen.frames[2].parent), (2, Some(1)));
        assert!(inner.bounds.x > 35.0, "{:?}", inner.bounds);
        stage.click("i").await;
        assert_eq!(stage.text("i"), "clicked");
        stage.close().await;
    }

    async fn the_field_of_a_custom_element_is_called_as_the_element_is_labelled(wire: browser::Protocol) {
        let site = Site::new().page("/", r#"<label for=a>Town</label> <x-field id=a></x-field>
            <label>Street <x-field></x-field></label> <x-field aria-label=House></x-field>
            <script>customElements.define('x-field', class extends HTMLElement {
              static formAssociated = true;
              constructor() { super(); this.attachShadow({mode:'open', delegatesFocus: true}).innerHTML = '<input>'; }
            })</script>"#);
        let stage = Stage::open(wire, site).await;
        let names: Vec<&str> =
            stage.seen.nodes.iter().filter(|node| node.tag == "input").map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["Town", "Street", "House"]);
        stage.close().await;
    }

    async fn a_frame_of_another_origin_is_seen_and_clicked(wire: browser::Protocol) {
        let site = Site::new().page("/inner", r#"<p>foreign</p><button id=i onclick="setTimeout(()=>this.textContent='clicked',50)">Inner</button>"#);
        let running = Site::new().start().await; // only to learn how the other name of this machine is spelled
        drop(running);
        let site = site.page("/", r#"<h1>Top</h1><iframe id=f width=300 height=100 style="margin:40px"></iframe>
            <script>f.src = 'http://localhost:' + location.port + '/inner'</script>"#);
        let mut stage = Stage::open(wire, site).await;
        let inner = stage.node("i").clone();
        assert!(stage.seen.frames[inner.frame as usize].cross_origin, "{:?}", stage.seen.frames);
        assert!(inner.bounds.x >= 48.0 && inner.bounds.y > 100.0, "{:?}", inner.bounds);
        assert!(stage.seen.ancestors(stage.id("i")).any(|(_, node)| node.tag == "iframe"));
        stage.click("i").await;
        assert_eq!(stage.text("i"), "clicked");
        stage.close().await;
    }

    async fn page_and_viewport_are_described(wire: browser::Protocol) {
        let site = Site::new().page("/", r#"<!doctype html><html lang=de><head><title>Titel</title>
            <meta name=description content="Beschreibung"></head><body><p>Hallo</p></body></html>"#);
        let stage = Stage::open(wire, site).await;
        let seen = &stage.seen;
        assert_eq!((seen.title.as_str(), seen.language.as_str(), seen.description.as_str()), ("Titel", "de", "Beschreibung"));
        assert_eq!((seen.viewport.width, seen.viewport.height), (1280.0, 900.0));
        assert_eq!((seen.tabs.len(), seen.tabs[0].current), (1, true));
        assert_eq!(seen.url, stage.site.url("/"));
        stage.close().await;
    }
}

/// Every kind of change that could make what is remembered of a page stale.
const CHANGES: [&str; 16] = [
    "rows.insertAdjacentHTML('afterbegin', '<tr><td>new</td><td><button>N</button></td></tr>')",
    "rows.lastElementChild.remove()",
    "title.textContent = 'Other heading'",
    "hint.firstChild.data = 'Other label '",
    "box.className = 'hidden'",
    "box.className = ''",
    "sheet.textContent += ' #styled { display: none }'",
    "sheet.sheet.insertRule('#styled2 { visibility: hidden }', 0)",
    "field.value = 'typed'; tick.checked = true; pick.selectedIndex = 1; field.disabled = true",
    "other.addEventListener('click', () => 0)",
    "other2.onclick = () => 0",
    "host.shadowRoot.querySelector('button').textContent = 'Deeper'",
    "frame.contentDocument.body.insertAdjacentHTML('beforeend', '<button>In frame</button>')",
    "spacer.style.height = '333px'; wide.style.width = '50px'",
    "field2.setAttribute('aria-labelledby', 'title'); document.documentElement.lang = 'fr'",
    "rows.append(rows.firstElementChild); list.replaceChildren(...[...list.children].reverse())",
];

on_both_wires! {
    async fn an_observation_from_differences_equals_one_from_nothing(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<style id=sheet>.hidden { display: none }</style><h1 id=title>Heading</h1>
            <label id=hint>Label <input id=field></label><input id=field2><input id=tick type=checkbox><select id=pick><option>A<option>B</select>
            <div id=spacer></div><div id=box>Box <button>In box</button></div><p id=styled>Styled</p><p id=styled2>Styled too</p>
            <p id=other>Other</p><p id=other2>Other</p><div id=host></div><iframe id=frame srcdoc="<p>Frame"></iframe>
            <div style="display:flex"><div id=wide style="width:100px">Wide</div><a href=/x>Link</a></div>
            <ul id=list><li>1</li><li>2</li><li>3</li></ul>
            <table><tbody id=rows><tr><td>a</td><td><button>A</button></td></tr><tr><td>b</td><td><button>B</button></td></tr></tbody></table>
            <script>host.attachShadow({ mode: 'open' }).innerHTML = '<button>Deep</button>'</script>"#).await;
        for change in CHANGES {
            stage.page.evaluate(&format!("(() => {{ {change} }})()")).await.unwrap();
            let mut remembered = stage.page.observe().await.unwrap();
            let mut afresh = stage.page.observe_afresh().await.unwrap();
            for seen in [&mut remembered, &mut afresh] {
                seen.stamp = domain::observation::Stamp::default();
                seen.requests.clear();
            }
            assert_eq!(remembered, afresh, "after: {change}");
        }
        stage.close().await;
    }
}
