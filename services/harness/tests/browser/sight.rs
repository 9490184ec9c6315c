//! What is visible and what is not: one definition, for the nodes and for the visible text.

use crate::kit::{Stage, on_both_wires};
use domain::Page;
use domain::page::Examination;
use harness::site::Site;

/// Words that stand where nobody can see them.
const UNSEEN: [(&str, &str); 26] = [
    ("see-through", "<p style='opacity:0'>WORDS</p>"),
    ("in what is see-through", "<section style='opacity:0'><div><p>WORDS</p></div></section>"),
    ("invisible", "<p style='visibility:hidden'>WORDS</p>"),
    ("of height nothing", "<div style='height:0;overflow:hidden'><p>WORDS</p></div>"),
    ("of largest height nothing", "<div style='max-height:0;overflow:auto'><p>WORDS</p></div>"),
    ("of width nothing", "<div style='width:0;overflow:hidden'>WORDS</div>"),
    ("of a pixel", "<span style='position:absolute;width:1px;height:1px;overflow:hidden'>WORDS</span>"),
    ("clipped by a path", "<p style='clip-path:inset(50%)'>WORDS</p>"),
    ("clipped by a flat shape", "<p style='clip-path:polygon(0 0, 0 0, 0 0)'>WORDS</p>"),
    ("clipped the old way", "<p style='position:absolute;clip:rect(0 0 0 0)'>WORDS</p>"),
    ("shrunk", "<div style='transform:scale(0)'><p>WORDS</p></div>"),
    ("flat", "<div style='transform:scaleY(0)'><p>WORDS</p></div>"),
    ("far to the left", "<p style='position:absolute;left:-9999px'>WORDS</p>"),
    ("far above", "<p style='position:fixed;top:-300px'>WORDS</p>"),
    ("fixed below the window", "<p style='position:fixed;top:150vh'>WORDS</p>"),
    ("indented away", "<p style='text-indent:-9999px;white-space:nowrap;overflow:hidden'>WORDS</p>"),
    (
        "beside a narrow window",
        "<div style='width:200px;overflow:hidden;position:relative'><p style='position:absolute;left:300px'>WORDS</p></div>",
    ),
    ("folded", "<details><summary>More</summary>WORDS<p>WORDS</p></details>"),
    ("an option of a closed list", "<select><option>Open<option>WORDS</select>"),
    ("kept from being drawn", "<div style='content-visibility:hidden'><p>WORDS</p></div>"),
    ("kept from being drawn itself", "<p style='content-visibility:hidden'>WORDS</p>"),
    ("hidden until it is searched for", "<p hidden=until-found>WORDS</p>"),
    ("in a frame that is not shown", "<iframe style='display:none' srcdoc='<p>WORDS</p>'></iframe>"),
    ("in a frame without a size", "<iframe width=0 height=0 srcdoc='<p>WORDS</p>'></iframe>"),
    ("without ink", "<p style='color:transparent'>WORDS</p>"),
    ("without a size", "<p style='font-size:0'>WORDS</p>"),
];

/// Words that a person can read, or scroll to.
const SEEN: [(&str, &str); 22] = [
    (
        "in a box that scrolls down and hides what is beside it",
        "<div style='height:50px;overflow-x:hidden;overflow-y:scroll'><div style='height:400px'></div><p>WORDS</p></div>",
    ),
    ("plain", "<p>WORDS</p>"),
    ("of height nothing, but flowing out", "<div style='height:0'><p>WORDS</p></div>"),
    ("far below", "<div style='height:3000px'></div><p>WORDS</p>"),
    (
        "in a box that scrolls",
        "<div style='height:50px;overflow:auto'><div style='height:400px'></div><p>WORDS</p></div>",
    ),
    ("shown in what is invisible", "<div style='visibility:hidden'><p style='visibility:visible'>WORDS</p></div>"),
    ("escaping a narrow window", "<div style='height:0;overflow:hidden'><p style='position:absolute'>WORDS</p></div>"),
    (
        "fixed in a narrow window",
        "<div style='height:0;overflow:hidden'><p style='position:fixed;top:10px'>WORDS</p></div>",
    ),
    ("almost see-through", "<p style='opacity:0.4'>WORDS</p>"),
    (
        "fading in",
        "<style>@keyframes in{from{opacity:0}to{opacity:1}}</style><p style='animation:in .4s both'>WORDS</p>",
    ),
    (
        "drawn only when scrolled to",
        "<div style='height:3000px'></div><div style='content-visibility:auto'><p>WORDS</p></div>",
    ),
    ("in a box without a box", "<div style='display:contents;overflow:hidden'><p>WORDS</p></div>"),
    (
        "on top of a narrow window",
        "<div style='height:0;overflow:hidden;transform:scale(1)'><dialog id=d>WORDS</dialog></div><script>d.showModal()</script>",
    ),
    ("unfolded", "<details open><summary>More</summary>WORDS</details>"),
    ("the chosen option", "<select><option>Open<option selected>WORDS</select>"),
    ("an option of an open list", "<select size=3><option>Open<option>WORDS</select>"),
    ("the label of a button", "<input type=submit value='WORDS'>"),
    ("in a frame", "<iframe srcdoc='<p>WORDS</p>'></iframe>"),
    ("in a sandbox", "<iframe sandbox srcdoc='<p>WORDS</p>'></iframe>"),
    ("in a shadow root", "<div id=h></div><script>h.attachShadow({mode:'open'}).innerHTML='<p>WORDS</p>'</script>"),
    (
        "in a closed shadow root",
        "<div id=h></div><script>h.attachShadow({mode:'closed'}).innerHTML='<p>WORDS</p>'</script>",
    ),
    (
        "cut out of a picture",
        "<p style='color:transparent;background:linear-gradient(red,blue);-webkit-background-clip:text'>WORDS</p>",
    ),
];

const WORDS: &str = "Parcel handed over";

fn reads(examined: &Examination) -> bool {
    examined.texts.iter().any(|text| text.text.contains(WORDS))
}

/// Whether a node that is no field says the words.
fn has_node(examined: &Examination) -> bool {
    let fields = ["select", "input"];
    let nodes = &examined.observation.nodes;
    nodes
        .iter()
        .any(|node| !fields.contains(&node.tag.as_str()) && (node.text.contains(WORDS) || node.name.contains(WORDS)))
}

/// Opens each page and answers how those differ from what is expected.
async fn wrong(wire: browser::Protocol, pages: &[(&str, &str)], seen: bool) -> Vec<String> {
    let mut site = Site::new().page("/", "<p>Start</p>");
    for (index, (_, html)) in pages.iter().enumerate() {
        let html = format!("<h1>Parcels</h1>{}<p>Last line</p>", html.replace("WORDS", WORDS));
        site = site.page(&format!("/{index}"), &html);
    }
    let mut stage = Stage::open(wire, site).await;
    let mut wrong = Vec::new();
    for (index, (name, _)) in pages.iter().enumerate() {
        stage.page.open(&stage.site.url(&format!("/{index}")).parse().unwrap()).await.unwrap();
        let examined = stage.page.examine().await.unwrap();
        let usual = Examination { observation: stage.page.observe().await.unwrap(), ..Examination::default() };
        if reads(&examined) != seen {
            wrong.push(format!("{name}: text {:?}", examined.texts));
        }
        let button = name.contains("button") || name.contains("option");
        if !button && (has_node(&examined) != seen || has_node(&usual) != seen) {
            wrong.push(format!("{name}: nodes {:#?}", examined.observation.nodes));
        }
        if !examined.observation.unread.is_empty() || !examined.texts[0].text.ends_with("Last line") {
            wrong.push(format!("{name}: {:?} {:?}", examined.observation.unread, examined.texts));
        }
    }
    stage.close().await;
    wrong
}

/// Words that are cut off, masked or turned away, in pages of which the rest is read.
const CUT: [(&str, &str); 16] = [
    (
        "behind an ellipsis",
        "<p style='width:70px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis'>Note of the ferry: WORDS</p>",
    ),
    (
        "on a line that is cut",
        "<p style='width:150px;display:-webkit-box;-webkit-line-clamp:1;-webkit-box-orient:vertical;overflow:hidden'>\
         What the harbour wrote about it this morning: WORDS</p>",
    ),
    (
        "under a dialog that fills the window",
        "<p>WORDS</p>Board<dialog id=d style='width:100vw;height:100vh;max-width:none;max-height:none;border:0;margin:0;background:#fff'>Refused\
         <p>No berth</p></dialog>",
    ),
    (
        "under a sheet that fills the window",
        "<p>WORDS</p><p style='margin-top:3000px'>WORDS</p><div style='position:fixed;inset:0;background:#fff'>Board<p>Connection lost</p></div>",
    ),
    (
        "under a part that was laid over it",
        "<section style='position:relative'><p>WORDS</p><div style='position:absolute;inset:0;background:#fff'>No berth</div></section>Board",
    ),
    (
        "straight in the page under a sheet",
        "WORDS<div style='position:fixed;inset:0;background:#fff'>Connection lost</div>",
    ),
    (
        "in a frame under a sheet",
        "<iframe srcdoc='<p>WORDS</p>'></iframe><div style='position:fixed;inset:0;background:#fff'>Connection lost</div>",
    ),
    (
        "written by style under a sheet",
        "<style>.told::after{content:'WORDS'}</style><p class=told></p><div style='position:fixed;inset:0;background:#fff'>Wait</div>",
    ),
    (
        "on a field under a part that was laid over it",
        "<section style='position:relative'><input value='WORDS'><div style='position:absolute;inset:0;background:#fff'>No</div></section>",
    ),
    (
        "under a sheet of another colour space",
        "<p>WORDS</p><div style='position:fixed;inset:0;background:oklch(0.9 0.1 80)'>Connection lost</div>",
    ),
    ("faint", "<p style='opacity:0.01'>WORDS</p>"),
    ("of an ink without colour in another space", "<p style='color:oklch(0.5 0.1 80 / 0)'>WORDS</p>"),
    ("filtered away", "<div style='filter:opacity(0%)'><p>WORDS</p></div>"),
    ("masked", "<p style='mask-image:linear-gradient(transparent,transparent)'>WORDS</p>"),
    (
        "on the back of a card",
        "<div style='perspective:300px'><p style='backface-visibility:hidden;transform:rotateY(180deg)'>WORDS</p></div>",
    ),
    (
        "on a turned card",
        "<div style='transform-style:preserve-3d;transform:rotateX(180deg)'><p style='backface-visibility:hidden'>WORDS</p></div>",
    ),
];

/// The same with words that are left.
const LEFT: [(&str, &str); 14] = [
    (
        "before an ellipsis",
        "<p style='width:300px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis'>WORDS as the harbour wrote this morning on the board</p>",
    ),
    (
        "in a dialog that fills the window",
        "<dialog id=d style='width:100vw;height:100vh;max-width:none;max-height:none;border:0;margin:0;background:#fff'><p>WORDS</p>\
         </dialog>",
    ),
    (
        "on top of a sheet that fills the window",
        "<div style='position:fixed;inset:0;background:#fff'>Board</div><p style='position:fixed;top:90px;left:9px;z-index:2'>WORDS</p>",
    ),
    (
        "under a veil that can be seen through",
        "<p>WORDS</p><div style='position:fixed;inset:0;background:rgba(0,0,0,.4)'></div>",
    ),
    (
        "under a head that sticks",
        "<div style='position:fixed;top:0;left:0;right:0;height:200px;background:#fff'>Board</div><p>WORDS</p><p style='margin-top:3000px'>End</p>",
    ),
    (
        "on a field, letting presses through to it",
        "<div style='position:relative'><input style='width:300px;height:60px;background:#fff'><label style='position:absolute;top:20px;left:9px;pointer-events:none'>WORDS</label></div>",
    ),
    ("in a cell that holds it", "<div style='background:#fff'><p style='position:relative'>WORDS</p></div>"),
    ("in a frame", "<iframe srcdoc='<p>WORDS</p>'></iframe>"),
    ("written by style", "<style>.told::after{content:'WORDS'}</style><p class=told></p>"),
    (
        "under a veil of another colour space",
        "<p>WORDS</p><div style='position:fixed;inset:0;background:oklch(0.9 0.1 80 / 0.3)'></div>",
    ),
    ("beside a dialog", "<p>WORDS</p><dialog id=d>Sure?</dialog>"),
    ("filtered", "<p style='filter:opacity(60%) blur(1px)'>WORDS</p>"),
    ("masked in part", "<p style='mask-image:linear-gradient(black,transparent)'>WORDS</p>"),
    (
        "on the front of a card that was turned twice",
        "<div style='transform-style:preserve-3d;transform:rotateY(180deg)'><p style='backface-visibility:hidden;transform:rotateY(180deg)'>WORDS</p></div>",
    ),
];

/// Opens each page and answers those of which a judge reads the words, or does not, against what is expected.
async fn misread(wire: browser::Protocol, pages: &[(&str, &str)], seen: bool) -> Vec<String> {
    let mut stage = Stage::of_page(wire, "<p>Start</p>").await;
    let mut wrong = Vec::new();
    for (name, html) in pages {
        let html = serde_json::to_string(&html.replace("WORDS", WORDS)).unwrap();
        stage
            .page
            .evaluate(&format!("document.body.innerHTML = {html}, document.querySelector('dialog')?.showModal(), 0"))
            .await
            .unwrap();
        let examined = stage.page.examine().await.unwrap();
        if reads(&examined) != seen {
            wrong.push(format!("{name}: {:?}", examined.texts));
        }
    }
    stage.close().await;
    wrong
}

on_both_wires! {
    async fn a_judge_reads_no_words_that_are_cut_off_masked_or_turned_away(wire: browser::Protocol) {
        assert_eq!(Box::pin(misread(wire, &CUT, false)).await, Vec::<String>::new());
        assert_eq!(Box::pin(misread(wire, &LEFT, true)).await, Vec::<String>::new());
    }

    async fn what_nobody_can_see_is_neither_text_nor_node(wire: browser::Protocol) {
        let wrong = Box::pin(wrong(wire, &UNSEEN, false)).await;
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    async fn what_can_be_seen_or_scrolled_to_is_text_and_node(wire: browser::Protocol) {
        let wrong = Box::pin(wrong(wire, &SEEN, true)).await;
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    async fn text_is_read_as_it_is_shown_and_names_as_they_are_written(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<button id=b style='text-transform:uppercase'>Send par\u{ad}cel\u{200b}s</button>\
            <p id=p>One<br>two  <b>three</b>\u{200e}</p><ul><li>four<li>five</ul><i id=i></i>\
            <style>#i::after{content:'six'}</style>").await;
        let button = stage.node("b");
        assert_eq!((button.name.as_str(), button.text.as_str()), ("Send parcels", "SEND PARCELS"));
        assert_eq!(stage.text("p"), "One two three");
        let examined = stage.page.examine().await.unwrap();
        assert_eq!(examined.texts[0].text, "SEND PARCELS\nOne\ntwo three\nfour\nfive\nsix");
        assert_eq!(examined.written[0].text, "Send parcels\nOne\ntwo three\nfour\nfive\nsix");
        let after = stage.page.observe().await.unwrap();
        assert!(after.nodes.iter().any(|node| node.text == "SEND PARCELS"), "nothing of the second reading stays");
        stage.close().await;
    }

    async fn a_word_goes_on_where_its_line_does_whatever_element_a_part_of_it_is(wire: browser::Protocol) {
        let letters = "<span style='display:inline-block'>l</span><span style='display:inline-block'>d</span>";
        let mut stage = Stage::of_page(wire, &format!("<p id=w>re<wbr>jec<x-mark>t</x-mark><font>ed</font> co{letters}</p>\
            <button id=b><span style='display:block'>one</span><span style='display:block'>two</span></button><p id=d>f<div style='display:inline'>our</div></p>")).await;
        let read = stage.page.examine().await.unwrap().texts[0].text.replace('\n', "|");
        assert_eq!(read, "rejected cold|one|two|f|our");
        assert_eq!((stage.text("w"), stage.text("b")), ("rejected cold".to_owned(), "one two".to_owned()));
        stage.close().await;
    }

    async fn what_style_alone_shows_and_hides_is_followed(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<style>#t{opacity:0}#c:checked~#t{opacity:1}#c:checked~#u{display:none}</style>\
            <input type=checkbox id=c><p id=t>Shown</p><p id=u>Gone</p>").await;
        assert!(stage.try_id("t").is_none() && stage.try_id("u").is_some());
        stage.click("c").await;
        assert!(stage.try_id("t").is_some() && stage.try_id("u").is_none());
        stage.close().await;
    }

    async fn a_field_that_is_not_seen_is_still_a_node_for_what_it_stands_for(wire: browser::Protocol) {
        let stage = Stage::of_page(wire, "<label><input id=c type=checkbox style='opacity:0;position:absolute'>Agree</label>\
            <button id=b style='opacity:0'>Secret</button>").await;
        assert_eq!(stage.node("c").name, "Agree");
        assert!(stage.try_id("b").is_none());
        stage.close().await;
    }
}
