//! A wizard's pages as documents that work in a real browser.

use super::{Element, Kind, Move, Scene, code, first_stage, right_move, scene};
use std::fmt::Write as _;

const STYLE: &str = "body{margin:0;min-height:900px;font:12px sans-serif}body>*,#control>*{position:absolute;box-sizing:border-box;\
    margin:0;padding:0;border:0;overflow:clip;white-space:nowrap;display:block;cursor:default}";

/// The document of a page.
pub fn html(wizard: u32, page: u8) -> String {
    let stage = first_stage(page);
    let scene = scene(wizard, stage);
    document(&scene, &control(wizard, stage), &script(wizard, page))
}

/// A scene as a document; what leads on is written apart, after the note.
pub(crate) fn document(scene: &Scene, control: &str, script: &str) -> String {
    let mut body = String::with_capacity(64 * 1024);
    for element in &scene.elements {
        if !element.is_control() {
            write_element(&mut body, element);
        }
        if element.id == "note" {
            let _ = writeln!(body, "<div id=control style=\"display:contents\">{control}</div>");
        }
    }
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>{}</title><style>{STYLE}</style></head>\
         <body>\n{body}<script>{script}</script></body></html>",
        scene.title
    )
}

/// Does what a press and the right code do.
fn script(wizard: u32, page: u8) -> String {
    let stage = first_stage(page);
    let start = format!("var wizard = {{stage: {stage}}};");
    if right_move(stage) != Move::Press {
        return start;
    }
    let fill = control(wizard, stage + 1);
    let link = scene(wizard, stage + 2);
    let follow = link.elements.iter().filter(|element| element.id == "next").map(one).collect::<String>();
    format!(
        "{start}\
         const control = document.getElementById('control');\
         document.getElementById('next').onclick = () => {{ wizard.stage += 1; control.innerHTML = {fill:?};\
         document.getElementById('answer').oninput = (event) => {{\
         if (event.target.value !== {:?} || document.getElementById('next')) return;\
         wizard.stage += 1; control.insertAdjacentHTML('beforeend', {follow:?}); }}; }};",
        code(wizard, page)
    )
}

fn control(wizard: u32, stage: u8) -> String {
    scene(wizard, stage).elements.iter().filter(|element| element.is_control()).map(one).collect()
}

fn one(element: &Element) -> String {
    let mut html = String::new();
    write_element(&mut html, element);
    html
}

fn write_element(html: &mut String, element: &Element) {
    let Element { id, kind, text, bounds, .. } = element;
    let id = if id.is_empty() { String::new() } else { format!(" id={id}") };
    let style = format!(
        " style=\"left:{}px;top:{}px;width:{}px;height:{}px\"",
        bounds.x, bounds.y, bounds.width, bounds.height
    );
    let _ = match kind {
        Kind::Heading => write!(html, "<h1{id}{style}>{text}</h1>"),
        Kind::Text => write!(html, "<div{id}{style}>{text}</div>"),
        Kind::Button => write!(html, "<button{id}{style}>{text}</button>"),
        Kind::Link(address) => write!(html, "<a{id} href={address:?}{style}>{text}</a>"),
        Kind::Field(label) => write!(html, "<input{id} type=text aria-label={label:?} value={text:?}{style}>"),
    };
    html.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_holds_all_that_the_scene_shows() {
        let html = html(3, 1);
        for element in scene(3, first_stage(1)).elements {
            assert!(html.contains(&element.text), "{element:?}");
        }
    }
}
