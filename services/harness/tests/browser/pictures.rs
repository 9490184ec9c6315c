//! What pictures of pages do not show: passwords, and secrets in whatever form the page shows them.

use crate::kit::{Stage, on_both_wires};
use domain::geometry::Rect;
use domain::{Action, Page};
use harness::site::Site;
use image::RgbaImage;

/// The secret of the kit is `hunter2!`. Each line shows it, or something that looks like it, below an id.
const PAGE: &str = r#"<style>body{font:20px monospace;margin:20px} p{margin:6px 0;width:max-content}</style>
    <p id=plain>the word is hunter2! indeed</p><p id=coded>aHVudGVyMiE=</p><p id=hex>68756e7465723221</p><p id=back>!2retnuh</p>
    <p id=spread><b>h</b><b>u</b><b>n</b><b>t</b><b>e</b><b>r</b><b>2</b><b>!</b></p><p id=drawn></p>
    <div id=host></div><input id=field value="hunter2!"><input id=secret type=password value=other>
    <p id=near>hunter3! and 2 hunters</p><p id=free>nothing to hide</p><iframe id=frame src="OTHER/inner" width=200 height=60></iframe>
    <style>#drawn::after{content:"hunter2!"}</style>
    <script>host.attachShadow({mode:'open'}).innerHTML='<span id=inner>hunter2!</span>'</script>"#;

fn boxed(picture: &RgbaImage, bounds: &Rect) -> (usize, usize) {
    let (mut ink, mut all) = (0, 0);
    for y in bounds.y as u32 + 1..bounds.bottom() as u32 {
        for x in bounds.x as u32 + 1..bounds.right() as u32 {
            all += 1;
            ink += usize::from(picture.get_pixel(x, y).0 == [40, 40, 40, 255]);
        }
    }
    (ink, all)
}

on_both_wires! {
    async fn passwords_and_secrets_are_painted_over_and_nothing_else_is(wire: browser::Protocol) {
        // The site of another origin is known only once it runs.
        let site = Site::new().page("/inner", "<p>hunter2!</p>").page("/", "<p>starting</p>");
        let mut stage = Stage::open(wire, site).await;
        let page = PAGE.replace("OTHER", &stage.site.other_url(""));
        stage.page.evaluate(&format!("document.open(), document.write({}), document.close()", serde_json::json!(page))).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        stage.seen = stage.page.observe().await.unwrap();
        let boxes = "Object.fromEntries([...document.querySelectorAll('[id]'), host.shadowRoot.getElementById('inner')].map((e) => \
            [e.id, (({x, y, width, height}) => ({x, y, width, height}))(e.getBoundingClientRect())]))";
        let boxes = stage.page.evaluate(boxes).await.unwrap();
        let bounds = |id: &str| -> Rect { serde_json::from_value(boxes[id].clone()).unwrap() };
        let png = stage.page.screenshot().await.unwrap().png;
        let picture = image::load_from_memory(&png).unwrap().to_rgba8();
        for id in ["plain", "coded", "hex", "back", "spread", "drawn", "inner", "field", "secret", "frame"] {
            let (ink, all) = boxed(&picture, &bounds(id));
            assert!(all > 100 && ink == all, "{id}: {ink} of {all} pixels are painted over");
        }
        for id in ["near", "free"] {
            let (ink, all) = boxed(&picture, &bounds(id));
            assert!(ink * 50 < all, "{id}: {ink} of {all} pixels are painted over"); // letters have grey edges

        }
        stage.close().await;
    }

    async fn while_a_dialog_is_open_nothing_is_shown_where_secrets_are_known(wire: browser::Protocol) {
        let mut stage = Stage::of_page(wire, "<button id=b onclick=\"alert('hello')\">B</button>").await;
        stage.click("b").await;
        if let Ok(screenshot) = stage.page.screenshot().await {
            let picture = image::load_from_memory(&screenshot.png).unwrap().to_rgba8();
            assert!(picture.pixels().all(|pixel| pixel.0 == [40, 40, 40, 255]));
        }
        stage.page.act(&Action::AcceptDialog { text: None }, &stage.seen).await.unwrap();
        stage.close().await;
    }

    async fn a_secret_is_not_typed_into_a_frame_of_another_origin(wire: browser::Protocol) {
        let inner = "<label>Password <input type=password id=p></label>";
        let site = Site::new().page("/inner", inner).page("/", "<p>starting</p>");
        let mut stage = Stage::open(wire, site).await;
        let page = format!("<label>Password <input type=password id=own></label><iframe src='{}'></iframe>", stage.site.other_url("/inner"));
        stage.page.evaluate(&format!("document.open(), document.write({}), document.close()", serde_json::json!(page))).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        stage.seen = stage.page.observe().await.unwrap();
        let fields: Vec<_> = stage.seen.elements().filter(|(_, node)| node.tag == "input").map(|(id, node)| (id, node.frame)).collect();
        assert_eq!(fields.len(), 2, "{fields:?}");
        for (element, frame) in fields {
            let typing = Action::Type { element, text: "${secret:password}".into(), submit: false };
            let acted = stage.page.act(&typing, &stage.seen).await.unwrap();
            let told = format!("{:?}", acted.effect);
            assert_eq!(told.contains("another origin"), frame > 0, "{told}");
            stage.seen = acted.observation;
            if frame > 0 {
                break;
            }
        }
        stage.close().await;
    }
}
