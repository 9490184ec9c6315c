//! A stage of a wizard as the probe in a page would describe it (`browser`'s own `probe/*.js`). Everything that does not depend
//! on the moment is put together once, as text inside of a JSON string, because that is how it travels.

use super::{ACTIONS, Element, Kind, Scene, page_of, scene};
use serde_json::{Value, json};
use std::mem::discriminant;

/// A described stage.
#[derive(Debug)]
pub struct Description {
    scene: Scene,
    text: String,
    whole: Nodes,
    /// What differs from the stage before, where that is on the same page.
    step: Option<Nodes>,
    nothing: Nodes,
    surface: String,
}

/// Described nodes: the list without its end, so that one may be added, and the order.
#[derive(Debug)]
struct Nodes {
    changed: String,
    is_empty: bool,
    order: String,
}

/// What the receiver holds of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReceiverCopy {
    /// Nothing of use.
    Nothing,
    /// The stage before on the same page.
    Before,
    /// This stage.
    This,
}

impl Description {
    /// The descriptions of all stages of a wizard.
    pub fn of_wizard(wizard: u32) -> Vec<Description> {
        (0..=ACTIONS).map(|stage| Description::of(wizard, stage)).collect()
    }

    fn of(wizard: u32, stage: u8) -> Description {
        let same_page = stage > 0 && page_of(stage - 1) == page_of(stage);
        let before = same_page.then(|| scene(wizard, stage - 1));
        Description::of_scene(scene(wizard, stage), before.as_ref())
    }

    /// The description of a scene, which may follow another one on the same page.
    pub(crate) fn of_scene(scene: Scene, before: Option<&Scene>) -> Description {
        let keys: Vec<u64> = scene.elements.iter().map(|element| element.key).collect();
        let whole = Nodes::of(scene.elements.iter(), &scene, 0, 0, &keys);
        let step = before.map(|before| Nodes::between(before, &scene));
        let nothing = Nodes::of([].into_iter(), &scene, keys.len(), 0, &[]);
        let surface = json!({
            "title": scene.title,
            "description": "",
            "language": "en",
            "foreign": [],
            "viewport": {"width": 1280, "height": 900, "scroll_y": 0, "scroll_height": 900},
            "truncated": false,
            "pending": [],
            "waited": [],
            "late": false,
            "scripted": true,
            "unread": [],
            "texts": [],
            "downloads": 0,
            "errors": 0,
            "violations": [],
            "settle_ms": 0.5,
            "observe_ms": 3,
        });
        let surface = within_string(surface.to_string().trim_start_matches('{'));
        Description { text: scene.text(), scene, whole, step, nothing, surface }
    }

    /// What stands where.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Everything that a person could read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The probe's answer to a step, as the inside of a JSON string. `token` names this observation; `typed` is what the field
    /// holds, where that is not what the stage says.
    pub fn reply(&self, token: &str, held: ReceiverCopy, url: &str, typed: Option<&str>) -> String {
        let (fresh, nodes) = match (held, &self.step) {
            (ReceiverCopy::This, _) => (false, &self.nothing),
            (ReceiverCopy::Before, Some(step)) => (false, step),
            _ => (true, &self.whole),
        };
        let url = Value::from(url).to_string();
        let head = within_string(&format!(
            "{{\"have\":\"{token}\",\"fresh\":{fresh},\"url\":{url},\"frames\":[{{\"url\":{url}}}],\"changed\":["
        ));
        let field = typed.and_then(|typed| self.field(typed));
        let field = match (field, nodes.is_empty) {
            (None, _) => String::new(),
            (Some(field), true) => field,
            (Some(field), false) => format!(",{field}"),
        };
        [head.as_str(), &nodes.changed, &field, &nodes.order, &self.surface].concat()
    }

    /// The field with another value.
    fn field(&self, typed: &str) -> Option<String> {
        let element = self.scene.elements.iter().find(|element| matches!(element.kind, Kind::Field(_)))?;
        let typed = Element { text: typed.to_owned(), ..element.clone() };
        Some(within_string(&entry(&typed, &self.scene)))
    }
}

impl Nodes {
    fn of<'e>(
        changed: impl Iterator<Item = &'e Element>,
        scene: &Scene,
        head: usize,
        tail: usize,
        between: &[u64],
    ) -> Nodes {
        let changed: Vec<String> = changed.map(|element| entry(element, scene)).collect();
        let order = format!(
            "],\"moved\":[],\"seen\":[],\"head\":{head},\"tail\":{tail},\"between\":{},",
            Value::from(between.to_vec())
        );
        Nodes { is_empty: changed.is_empty(), changed: within_string(&changed.join(",")), order: within_string(&order) }
    }

    /// The difference as one splice of the order, and what is new or no longer the same.
    fn between(before: &Scene, after: &Scene) -> Nodes {
        let same = |(old, new): &(&Element, &Element)| old.key == new.key;
        let (old, new) = (&before.elements, &after.elements);
        let head = old.iter().zip(new).take_while(same).count();
        let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
        let between: Vec<u64> = new[head..new.len() - tail].iter().map(|element| element.key).collect();
        Nodes::of(new.iter().filter(|element| !old.contains(element)), after, head, tail, &between)
    }
}

/// Key, parent's key, node.
fn entry(element: &Element, scene: &Scene) -> String {
    format!("[{},0,{}]", element.key, node(element, scene))
}

/// A node as the probe writes it: what is empty is left out.
fn node(element: &Element, scene: &Scene) -> Value {
    let Element { id, kind, text, bounds, .. } = element;
    let bounds = json!({"x": bounds.x, "y": bounds.y, "width": bounds.width, "height": bounds.height});
    let xpath = |tag: &str| match id {
        &"" => format!("/html[1]/body[1]/{tag}[{}]", position(element, scene)),
        _ => format!("/html[1]/body[1]/div[2]/{tag}[1]"),
    };
    let mut node = match kind {
        Kind::Heading => json!({"frame": 0, "role": "heading", "tag": "h1", "name": text, "text": text}),
        Kind::Text => json!({"frame": 0, "role": "text", "tag": "div", "text": text}),
        Kind::Button => json!({"frame": 0, "role": "button", "tag": "button", "name": text, "text": text,
            "operations": ["click"], "interactive_by": "native", "context": text, "color": "#000000 on #efefef",
            "xpath": xpath("button")}),
        Kind::Link(address) => json!({"frame": 0, "role": "link", "tag": "a", "name": text, "text": text,
            "attributes": {"href": address}, "operations": ["click"], "interactive_by": "native",
            "context": text, "color": "#0000ee", "xpath": xpath("a")}),
        // A field that holds something has been typed into, and then it has the focus.
        Kind::Field(label) => json!({"frame": 0, "role": "textbox", "tag": "input", "name": label, "value": text,
            "attributes": {"type": "text", "aria-label": label},
            "states": if text.is_empty() { json!({}) } else { json!({"focused": true}) },
            "operations": ["type", "click"], "interactive_by": "native", "color": "#000000 on #ffffff",
            "xpath": xpath("input")}),
    };
    if !id.is_empty() {
        node["attributes"]["id"] = json!(id);
    }
    node["bounds"] = bounds;
    node
}

/// Which of the page's own elements of its kind it is, from 1.
fn position(element: &Element, scene: &Scene) -> usize {
    let is_alike = |other: &&Element| discriminant(&other.kind) == discriminant(&element.kind);
    let own = scene.elements.iter().filter(|other| other.id.is_empty()).filter(is_alike);
    own.take_while(|other| other.key <= element.key).count()
}

/// A text as it stands between the quotes of a JSON string.
pub(crate) fn within_string(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(reply: &str) -> Value {
        let text: String = serde_json::from_str(&format!("\"{reply}\"")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn a_step_on_the_same_page_tells_only_what_differs() {
        let wizard = Description::of_wizard(5);
        let whole = read(&wizard[2].reply("1:1", ReceiverCopy::Nothing, "http://a/", None));
        let step = read(&wizard[2].reply("1:2", ReceiverCopy::Before, "http://a/", None));
        assert!(whole["fresh"] == true && step["fresh"] == false);
        assert!(whole["changed"].as_array().unwrap().len() > 300);
        assert_eq!(step["changed"].as_array().unwrap().len(), 1, "the field");
        assert_eq!((&step["head"], step["between"].as_array().unwrap().len()), (&json!(2), 1));
        assert_eq!(wizard[2].scene().elements.len() as u64, 3 + step["tail"].as_u64().unwrap());
    }

    #[test]
    fn a_page_that_was_just_opened_is_told_as_a_whole_whatever_was_held() {
        let wizard = Description::of_wizard(5);
        assert_eq!(read(&wizard[4].reply("1:1", ReceiverCopy::Before, "http://a/", None))["fresh"], true);
    }

    #[test]
    fn what_was_typed_is_told_although_it_is_not_the_code() {
        let wizard = Description::of_wizard(5);
        let reply = read(&wizard[2].reply("1:3", ReceiverCopy::This, "http://a/", Some("x\"y")));
        assert_eq!(reply["changed"][0][2]["value"], "x\"y");
    }
}
