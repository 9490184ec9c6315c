//! How an element is described to a model: by words, and by its place only where words do not tell it apart.

use domain::Node;
use domain::action::ActionKind;
use domain::text::{fold, shorten};
use serde_json::{Map, Value, json};

/// Characters of each text that is told of an element.
pub(super) const SHOWN: usize = 100;

/// What an element looks like in words: what is told to the model of it besides its place.
pub(super) fn look(node: &Node) -> Map<String, Value> {
    let mut look = Map::new();
    look.insert("tag".into(), json!(node.tag));
    let mut add = |key: &str, value: &str| {
        if !value.is_empty() {
            look.insert(key.to_owned(), json!(fold(&shorten(value, SHOWN))));
        }
    };
    if !is_implied(node) {
        add("role", &node.role);
    }
    let label = node.label();
    add("text", label);
    if node.text != label && !label.contains(&node.text) && !node.text.is_empty() {
        add("content", &node.text);
    }
    if node.context != label {
        add("context", &node.context);
    }
    if node.tag == "input" {
        add("input", node.attribute("type"));
    }
    add("id", node.attribute("id"));
    if label.is_empty() {
        add("icon", &node.icon);
        for key in ["class", "name", "title", "alt", "href"] {
            add(key, node.attribute(key));
        }
        // The colour of what stands in a field says nothing of it.
        add("color", node.color.as_deref().filter(|_| !node.allows(ActionKind::Type)).unwrap_or(""));
    }
    add("value", node.value.as_deref().unwrap_or(""));
    if let Some(message) = node.constraints.as_ref().and_then(|limits| limits.validation_message.as_deref()) {
        add("invalid", message);
    }
    let states = [
        ("checked", node.states.checked),
        ("selected", node.states.selected),
        ("expanded", node.states.expanded),
        ("pressed", node.states.pressed),
    ];
    for (name, state) in states {
        if let Some(state) = state.filter(|state| *state || name != "selected") {
            look.insert(name.into(), json!(state));
        }
    }
    let current = matches!(node.attribute("aria-current"), "page" | "step" | "location" | "date" | "time" | "true");
    let told = [("current", current), ("readonly", node.states.readonly), ("focused", node.states.focused)];
    for (name, _) in told.into_iter().filter(|(_, is_so)| *is_so) {
        look.insert(name.into(), json!(true));
    }
    look
}

fn is_implied(node: &Node) -> bool {
    matches!(
        (node.tag.as_str(), node.role.as_str()),
        (_, "generic" | "")
            | ("a", "link")
            | ("input", _)
            | ("select", "combobox" | "listbox")
            | ("textarea", "textbox")
            | ("li", "listitem")
            | ("td", "cell")
            | ("img", "img" | "image")
    ) || node.tag == node.role
}

/// What tells elements apart by words that do not change with their state: tag, role, label, id, context.
pub(super) type Identity<'a> = [&'a str; 5];

pub(super) fn identity(node: &Node) -> Identity<'_> {
    [&node.tag, &node.role, node.label(), node.attribute("id"), &node.context]
}

/// What several XPaths begin with, up to a whole step; empty for fewer than two.
pub(super) fn common_start<'a>(mut paths: impl Iterator<Item = &'a str>) -> &'a str {
    let Some(first) = paths.next() else { return "" };
    let mut several = false;
    let common = paths.fold(first, |common, path| {
        several = true;
        let same = common.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
        // A step of one path may begin like another's: only whole steps count.
        let whole = |end: usize| path.as_bytes().get(end).is_none_or(|next| *next == b'/');
        let ends = if same == common.len() && whole(same) { Some(same) } else { common[..same].rfind('/') };
        &common[..ends.unwrap_or(0)]
    });
    if several { common } else { "" }
}

#[cfg(test)]
mod tests {
    use super::{common_start, look};
    use domain::Node;

    #[test]
    fn a_common_start_ends_with_a_whole_step() {
        let start = |paths: &[&'static str]| common_start(paths.iter().copied());
        assert_eq!(start(&["/html/body/a[1]", "/html/body/a[12]"]), "/html/body");
        assert_eq!(start(&["/html/body", "/html/body/a[1]"]), "/html/body");
        assert_eq!(start(&["/html/body/div[1]/a", "/html/body/div[12]/a"]), "/html/body");
        assert_eq!(start(&["/html/body"]), "");
        assert_eq!(start(&["/a", "/b"]), "");
        assert_eq!(start(&[]), "");
    }

    #[test]
    fn what_an_element_looks_like_never_hides_what_can_be_done_to_it() {
        let attributes = [("type".to_owned(), "text".to_owned()), ("id".to_owned(), "name".to_owned())];
        let field = Node {
            tag: "input".into(),
            role: "textbox".into(),
            attributes: attributes.into_iter().collect(),
            ..Node::default()
        };
        let look = look(&field);
        for operation in ["click", "type", "select", "check", "uncheck", "hover", "drag", "scroll", "press"] {
            assert!(!look.contains_key(operation), "{operation} is the name of an operation: {look:?}");
        }
    }
}
