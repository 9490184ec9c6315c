//! What a control belongs to, what its icon is called, and what shows only under the pointer.

use crate::kit::{Stage, changes, on_both_wires};
use domain::Page;
use domain::observation::{Stamp, Visibility};
use harness::site::Site;

impl Stage {
    /// The `id` of the item that an element stands in; empty where it stands in none.
    fn item_of(&self, id: &str) -> String {
        let item = self.seen.item(self.id(id)).and_then(|item| self.seen.node(item));
        item.map(|node| node.attribute("id").to_owned()).unwrap_or_default()
    }

    fn items_of<const N: usize>(&self, ids: [&str; N]) -> [String; N] {
        ids.map(|id| self.item_of(id))
    }
}

on_both_wires! {
    async fn rows_entries_cards_and_dialogs_are_items(wire: browser::Protocol) {
        let stage = Stage::of_page(wire, r#"
            <table><thead><tr id=head><th>Boat<th><button id=sort>Sort</button></tr></thead>
              <tr id=row><td>Kestrel<td><button id=sell>Sell</button></tr></table>
            <ul><li id=entry><span>Anchor</span> <a id=more href=/anchor>more</a></li></ul>
            <div><div class="tile first" id=tile1><h3>Oar</h3><p>12 EUR</p><button id=add1>Add</button></div><hr>
              <div class="tile sold" id=tile2><h3>Sail</h3><p>99 EUR</p><b>gone</b><button id=add2>Add</button></div></div>
            <div><span class=chip id=chip1><button id=name1>Ann</button><button id=drop1>×</button></span>
              <span class=chip id=chip2><button id=name2>Bob</button><button id=drop2>×</button></span></div>
            <div style="display:grid"><div role=row style="display:contents" id=line1><span>Rope</span><button id=cut1>Cut</button></div>
              <div role=row style="display:contents" id=line2><span>Chain</span><button id=cut2>Cut</button></div></div>
            <dialog open id=ask>Sell it? <button id=yes>Yes</button></dialog>"#).await;
        assert_eq!(stage.items_of(["cut1", "cut2"]), ["line1", "line2"]);
        assert_eq!(stage.items_of(["sell", "more", "add1", "add2"]), ["row", "entry", "tile1", "tile2"]);
        assert_eq!(stage.items_of(["drop1", "name2", "drop2", "yes"]), ["chip1", "chip2", "chip2", "ask"]);
        assert_eq!(stage.item_of("sort"), "");
        stage.close().await;
    }

    async fn rows_that_are_called_tabs_and_have_one_part_marked_are_told_as_drawn(wire: browser::Protocol) {
        let part = |id: &str, class: &str| format!("<span id={id} class='{class}' style='cursor:pointer' onclick='1'>{id}</span> ");
        let row = |class: &str, ids: [&str; 2], marked: &str| format!("<div class='{class}'>{}{}</div>", part(ids[0], marked), part(ids[1], ""));
        let stage = Stage::of_page(wire, &format!("{}{}{}<ul class=side-nav><li class=active><b id=home onclick='1'>home</b><li><b id=away onclick='1'>away</b></ul>",
            row("tabs", ["one", "two"], "on"), row("sizes", ["small", "large"], "on"), row("tabs", ["red", "blue"], ""))).await;
        let told = |id: &str| stage.seen.node(stage.id(id)).map(|node| node.attribute("drawn-tab").to_owned()).unwrap_or_default();
        let all = ["one", "two", "small", "large", "red", "blue", "home", "away"].map(told);
        assert_eq!(all, ["shown", "other", "", "", "", "", "shown", "other"]);
        stage.close().await;
    }

    async fn what_a_veil_over_the_page_holds_or_lies_under_is_a_dialog(wire: browser::Protocol) {
        let veil = |style: &str, within: &str| format!("<div style='position:fixed;inset:0;{style}'>{within}</div>");
        let panel = |style: &str, within: &str| format!("<div style='{style};width:200px;height:90px;left:50px;top:50px;background:#fff'>{within}</div>");
        let told = async |html: String| {
            let stage = Stage::of_page(wire, &format!("<button>Delete</button>{html}")).await;
            let of_page = stage.seen.nodes.iter().filter(|node| node.role == "dialog");
            let modal = of_page.map(|node| node.attribute("aria-modal").to_owned()).collect::<Vec<_>>();
            stage.close().await;
            modal
        };
        let asks = "<p>Delete it?</p><button>Delete</button>";
        assert_eq!(told(veil("background:#0007", &panel("", asks))).await, ["true"]);
        assert_eq!(told(veil("background:#0007", "") + &*panel("position:fixed", asks)).await, ["true"], "a veil beside it");
        assert_eq!(told(panel("position:fixed", asks) + &*veil("background:#0007;z-index:-1", "")).await, ["true"], "a veil after it");
        assert_eq!(told(veil("background:#0007", &format!("<div role=dialog>{asks}</div>"))).await, [""], "told by the page");
        assert_eq!(told(veil("background:#0007", "<p>One moment")).await, [""; 0], "holds no control");
        assert_eq!(told(veil("background:#fff", asks)).await, [""; 0], "the page does not show through");
        assert_eq!(told(panel("position:fixed", asks)).await, [""; 0], "no veil");
        assert_eq!(told(panel("position:fixed", asks) + &*veil("background:#0007", "")).await, [""; 0], "it lies under the veil");
        assert_eq!(told(veil("background:#0007;pointer-events:none", asks)).await, [""; 0], "a tint takes no presses");
    }

    async fn the_number_of_a_badge_that_is_hidden_from_names_is_none_of_them(wire: browser::Protocol) {
        let badge = "<span aria-hidden=true>4</span>";
        let stage = Stage::of_page(wire, &format!("<button id=mail>Messages {badge}</button><button id=glued>News{badge}</button><button id=only>{badge}</button>
            <button id=mid>Row {badge} of 14</button><button id=gone><i class=material-icons aria-hidden=true>delete</i> Boat</button>")).await;
        let told = |id: &str| stage.seen.node(stage.id(id)).map(|node| (node.name.clone(), node.text.clone())).unwrap_or_default();
        let all = ["mail", "glued", "only", "mid", "gone"].map(told);
        let expected = [("Messages", "Messages 4"), ("News", "News4"), ("4", "4"), ("Row of 14", "Row 4 of 14"), ("delete Boat", "delete Boat")];
        assert_eq!(all, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
        stage.close().await;
    }

    async fn three_dots_that_are_drawn_are_the_icon_of_a_menu(wire: browser::Protocol) {
        let drawn = |id: &str, parts: &str| format!("<button id={id}><svg width=16 height=16>{parts}</svg></button>");
        let dot = "<circle cx=8 cy=8 r=2 />";
        let stage = Stage::of_page(wire, &(drawn("menu", &dot.repeat(3)) + &*drawn("face", &format!("{}<path d='M2 2h4' />", dot.repeat(3))) + &*drawn("dot", dot))).await;
        let told = |id: &str| stage.seen.node(stage.id(id)).map(|node| node.icon.clone()).unwrap_or_default();
        assert_eq!(["menu", "face", "dot"].map(told), ["more", "", ""]);
        stage.close().await;
    }

    async fn a_switch_that_is_drawn_without_words_is_told_as_on_or_off_where_its_marks_say_so(wire: browser::Protocol) {
        let part = |id: &str, class: &str, words: &str| format!("<p>{id} <span id={id} class='{class}' style='display:inline-block;width:40px;height:20px' onclick='1'>{words}</span></p>");
        let parts = [("news", "tog on", ""), ("mail", "tog", "<i></i>"), ("plain", "ui-switch", ""), ("closed", "toggle is-off", ""), ("bold", "box on", ""), ("worded", "tog on", "Bold")];
        let arrow = "<p>Oslo <i id=arrow class='toggle active' style='display:inline-block;width:12px;height:12px' onclick='1'></i></p>";
        let stage = Stage::of_page(wire, &(parts.map(|(id, class, words)| part(id, class, words)).concat() + arrow)).await;
        let told = |id: &str| stage.seen.node(stage.id(id)).and_then(|node| node.states.pressed);
        let all = ["news", "mail", "plain", "closed", "bold", "worded", "arrow"].map(told);
        assert_eq!(all, [Some(true), Some(false), None, Some(false), None, None, None]);
        stage.close().await;
    }

    async fn what_a_custom_element_tells_by_its_internals_counts_as_its_attributes_would(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<div id=around><soft-tick id=tick>Vegetarian</soft-tick></div><output id=told></output><script>
            customElements.define('soft-tick', class extends HTMLElement { #own = this.attachInternals();
              connectedCallback() { this.#own.role = 'checkbox'; this.#own.ariaChecked = 'false'; this.#own.ariaLabel = 'Meat-free'; this.tabIndex = 0;
                this.onclick = () => { this.#own.ariaChecked = 'true'; told.textContent = 'no meat'; }; } });</script>"#).await;
        let tick = |stage: &Stage| stage.seen.node(stage.id("tick")).map(|node| (node.role.clone(), node.name.clone(), node.states.checked));
        assert_eq!(tick(&stage), Some(("checkbox".into(), "Meat-free".into(), Some(false))));
        stage.act(domain::Action::Check { element: stage.id("tick"), checked: true }).await;
        assert_eq!((tick(&stage).and_then(|told| told.2), stage.text("told")), (Some(true), "no meat".to_owned()));
        stage.close().await;
    }

    async fn of_items_within_items_the_nearest_counts_and_wrappers_of_buttons_do_not(wire: browser::Protocol) {
        let stage = Stage::of_page(wire, r#"
            <article id=log><h2>Storm</h2><ul><li><button id=edit>Edit</button></li><li><button id=delete>Delete</button></li></ul>
              <div><div class=note id=note1><b>Eve</b> wet <button id=reply1>Reply</button></div>
                <div class=note id=note2><b>Tom</b> windy <button id=reply2>Reply</button></div></div></article>
            <div id=host></div><script>
              customElements.define('crew-mate', class extends HTMLElement { connectedCallback() {
                this.attachShadow({mode: 'open'}).innerHTML = `<p>${this.id}</p><button id="fire-${this.id}">Fire</button>`; } });
              host.innerHTML = '<crew-mate id=a></crew-mate><crew-mate id=b></crew-mate>';</script>"#).await;
        assert_eq!(stage.items_of(["edit", "delete", "reply1", "reply2"]), ["log", "log", "note1", "note2"]);
        assert_eq!(stage.items_of(["fire-a", "fire-b"]), ["a", "b"]);
        stage.close().await;
    }

    async fn fields_choices_links_columns_and_words_are_no_items(wire: browser::Protocol) {
        let stage = Stage::of_page(wire, r#"
            <nav><ul><li><a id=home href=/home>Home</a></li><li><a href=/dock>Dock</a></li></ul></nav>
            <div class=col-3><ul><li><a id=side href=/one>One</a></li></ul></div>
            <div class=col-9><main><h1>Settings</h1><form>
              <div class=field><label>Name <input id=name></label></div><div class=field><label>Port <input id=port></label><small>no spaces</small></div>
              <div class=choice><label><input id=red type=radio name=c> Red</label></div><div class=choice><label><input type=radio name=c> Blue</label></div>
              <div class=line><label>Mail <input name=mail id=mail></label><label>Phone <input name=phone></label></div>
              <div class=line><label>Town <input name=town></label><label>Street <input name=street></label></div>
              <div class=group><button id=bold type=button>Bold</button><button type=button>Italic</button></div>
              <div class=group><button type=button>Left</button><button type=button>Right</button></div>
              <p>Read <a id=word href=/a>this</a> first</p><p>Then <a href=/b>that</a> last</p></form></main></div>"#).await;
        for id in ["home", "side", "name", "port", "red", "mail", "bold", "word"] {
            assert_eq!(stage.item_of(id), "", "{id}");
        }
        stage.close().await;
    }

    async fn several_sets_of_the_same_fields_are_items(wire: browser::Protocol) {
        let stage = Stage::of_page(wire, r#"<form>
            <div id=p1><label>First <input id=f1 name=first1></label><label>Last <input name=last1></label></div>
            <div id=p2><label>First <input id=f2 name=first2></label><label>Last <input name=last2></label></div></form>"#).await;
        assert_eq!(stage.items_of(["f1", "f2"]), ["p1", "p2"]);
        stage.close().await;
    }

    async fn neighbours_that_come_and_go_make_an_item_of_what_was_none(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<style>.hide { display: none }</style><div id=list><div class=boat id=b1><h4>Kestrel</h4><button>Sell</button></div></div>
            <div class=hide id=store><div id=deep><i id=leaf></i></div></div><div id=far><div><span>x</span></div></div>
            <iframe id=frame srcdoc="<div id=in><div class=k>One <button>Go</button></div></div>"></iframe>"#).await;
        for change in [
            "list.insertAdjacentHTML('beforeend', '<div class=boat id=b2><h4>Heron</h4><button>Sell</button></div>')",
            "b1.className = 'wreck'", "b1.className = 'boat'", "b2.querySelector('button').remove()", "b2.querySelector('h4').remove()",
            "b2.innerHTML = '<h4>Gull</h4><button>Sell</button>'", "b1.remove()", "list.append(b2.cloneNode(true))",
            "leaf.textContent = 'a'", "leaf.innerHTML = '<button>q</button> w'", "deep.after(deep.cloneNode(true))", "store.className = ''",
            "frame.contentDocument.getElementById('in').insertAdjacentHTML('beforeend', '<div class=k>Two <button>Go</button></div>')",
            "frame.contentDocument.getElementById('in').lastChild.remove()",
            "far.firstChild.addEventListener('click', () => 0); far.append(far.firstChild.cloneNode(true))",
        ] {
            stage.page.evaluate(&format!("(() => {{ {change} }})()")).await.unwrap();
            let mut remembered = stage.page.observe().await.unwrap();
            let mut afresh = stage.page.observe_afresh().await.unwrap();
            for seen in [&mut remembered, &mut afresh] {
                seen.stamp = Stamp::default();
                seen.requests.clear();
            }
            assert_eq!(remembered, afresh, "after: {change}");
        }
        stage.close().await;
    }

    async fn an_icon_is_called_by_class_reference_file_style_and_glyph(wire: browser::Protocol) {
        let stage = Stage::of_page(wire, r##"
            <style>#masked { mask-image: url(/art/pencil.svg); width: 20px; height: 20px } #drawn::before { content: '\2699' }</style>
            <button id=classed><i class="fa fa-lg fa-trash">&nbsp;</i></button><button id=own class="btn bi bi-x-lg">&nbsp;</button>
            <button id=used><svg width=9 height=9><use href="/sprite.svg#icon-archive"></use></svg></button>
            <button id=file><img src="/art/copy_24px.svg?v=3" width=9 height=9></button><button id=masked></button><button id=drawn></button>
            <button id=glyph>🗑️</button><button id=ligature><span class=material-icons>delete_forever</span></button>
            <button id=semantic><i class="heart outline icon">&nbsp;</i></button><button id=data><svg width=9 height=9 data-icon=gear></svg></button>
            <button id=words><i class="fa fa-trash"></i> Throw away</button>"##).await;
        let icon = |id: &str| stage.node(id).icon.clone();
        assert_eq!(["classed", "own", "used", "file"].map(icon), ["trash", "x lg", "archive", "copy"]);
        assert_eq!(["masked", "drawn", "glyph", "ligature"].map(icon), ["pencil", "settings", "trash", "delete forever"]);
        assert_eq!(["semantic", "data", "words"].map(icon), ["heart", "gear", ""]);
        stage.close().await;
    }

    async fn what_shows_while_its_item_is_hovered_is_seen_and_pressed(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, r#"<style>
              .gone .act { display: none } .gone:hover .act { display: inline }
              .faint button { opacity: 0 } .faint:hover button { opacity: 1 }
              .not:not(:hover) button { visibility: hidden }
              .nest { .act { display: none } &:hover .act { display: block } }
              .dim .dots { opacity: 0; cursor: pointer } .dim:hover .dots { opacity: 1 }
              .never { display: none } .never:hover { display: block }</style>
            <div class=gone><span>Rope</span><button class=act id=cut onclick="this.textContent='cut it'">Cut</button></div>
            <div class=gone><span>Knot</span><button class=act id=tie onclick="this.textContent='tied'">Tie</button></div>
            <div class=faint>Faint <button id=ghost>Ghost</button></div><div class=not>Not <button id=not>Not</button></div>
            <div class=nest>Nest <div class=act><a id=egg href=#egg>Egg</a></div></div>
            <div class=dim><span>Card</span><div class=dots id=dots onclick="this.textContent='open'">⋯</div></div>
            <button class=never id=never>Never</button>"#).await;
        assert_eq!((stage.text("dots").as_str(), stage.text("ghost").as_str()), ("⋯", "Ghost"));
        for id in ["cut", "tie", "ghost", "not", "egg", "dots"] {
            assert_eq!(stage.node(id).visibility, Visibility::OnHover, "{id}");
        }
        assert!(stage.try_id("never").is_none());
        let acted = stage.click("tie").await;
        assert!(!changes(&acted).is_empty());
        assert_eq!((stage.text("tie").as_str(), stage.node("tie").visibility), ("tied", Visibility::Visible));
        assert_eq!(stage.node("cut").visibility, Visibility::OnHover);
        stage.click("cut").await;
        assert_eq!((stage.text("cut").as_str(), stage.node("tie").visibility), ("cut it", Visibility::OnHover));
        stage.close().await;
    }
}

#[tokio::test]
async fn every_card_of_a_large_list_is_an_item() {
    let card = |number: usize| {
        format!(
            "<div class='card n{number}'><h4>No {number}</h4><p>Some text</p><a href=/{number}>Open</a><button>Sell</button></div>"
        )
    };
    let page: String = (0..800).map(card).collect();
    let site = Site::new().page("/", &format!("<div id=cards>{page}</div>"));
    let stage = Stage::open(browser::Protocol::Bidi, site).await;
    assert_eq!(stage.seen.nodes.iter().filter(|node| node.is_item).count(), 800);
    stage.close().await;
}
