//! How well a node of the page fits what an instruction speaks of. Pure.

use super::color;
use super::goal::{Kind, Target};
use super::lexicon::synonyms;
use super::names::contradict;
use super::words::{content_tokens, label_score, same_word, tokens};
use domain::action::ActionKind;
use domain::observation::{Node, Visibility};

/// A fit good enough to act at once, though better ones may still be hidden.
pub(crate) const STRONG: f64 = 0.8;
/// A fit good enough when nothing else can be found.
pub(crate) const WEAK: f64 = 0.5;

/// The fit of a node to a target, in 0..=1, by text and kind alone.
pub(crate) fn fit(target: &Target, node: &Node) -> f64 {
    let text = if target.texts.is_empty() { kind_only(target, node) } else { text_fit(target, node) };
    if text == 0.0 {
        return 0.0;
    }
    let kind = target.kind.map_or(1.0, |kind| if is_kind(kind, node) { 1.0 } else { 0.86 });
    text * kind
}

/// How well an element can be used now: of copies that fit alike, those that cannot be used lose.
pub(crate) fn usability(node: &Node) -> u8 {
    match node.visibility {
        _ if node.states.disabled => 0,
        Visibility::Covered => 1,
        Visibility::Visible | Visibility::Offscreen | Visibility::OnHover => 2,
    }
}

fn kind_only(target: &Target, node: &Node) -> f64 {
    match target.kind {
        Some(kind) if is_kind(kind, node) => 0.9,
        _ => 0.0,
    }
}

fn text_fit(target: &Target, node: &Node) -> f64 {
    let readings = target.texts.iter().enumerate().take(if target.quoted { 1 } else { usize::MAX });
    let literal = readings
        .map(|(rank, text)| (1.0 - 0.02 * rank as f64) * best_label(text, node, target.quoted))
        .fold(0.0, f64::max);
    // A quoted name has no synonyms; a single sign has, since signs look alike.
    let has_synonyms = !target.quoted || target.text().chars().count() == 1;
    let by_synonym = synonyms(target.text())
        .filter(|_| has_synonyms)
        .enumerate()
        .map(|(rank, word)| (0.84 - 0.01 * rank as f64) * if best_label(word, node, false) >= 0.93 { 1.0 } else { 0.0 })
        .fold(0.0, f64::max);
    literal.max(by_synonym).max(description_fit(target, node))
}

/// `red circle`: every word of a description is true of the element, by its words, its colour or its shape.
fn description_fit(target: &Target, node: &Node) -> f64 {
    let Some(words) = target.texts.last().map(|text| content_tokens(text)).filter(|_| !target.quoted) else {
        return 0.0;
    };
    let colors = node.color.as_deref().unwrap_or_default();
    let label = tokens(node.label());
    let shape = SHAPES.iter().find(|(tag, _)| *tag == node.tag).map_or("", |(_, shape)| *shape);
    let mut by_sight = false;
    let is_true = |word: &String| {
        let seen = color::is_called(colors, word) || same_word(word, shape);
        by_sight |= seen;
        seen || label.contains(word)
            || matches!(word.as_str(), "color" | "colored" | "coloured" | "shape" | "shaped" | "box")
    };
    let all = !words.is_empty() && words.iter().all(is_true);
    if all && by_sight { 0.85 } else { 0.0 }
}

/// What people call the shapes that pages draw.
const SHAPES: [(&str, &str); 5] =
    [("circle", "circle"), ("rect", "rectangle"), ("ellipse", "ellipse"), ("polygon", "triangle"), ("line", "line")];

/// The best fit of a text to any label of a node: what people see counts most, names that programmers gave count less.
pub(crate) fn best_label(text: &str, node: &Node, exact: bool) -> f64 {
    let seen = [node.name.as_str(), node.text.as_str()].into_iter().chain(button_value(node));
    let hinted = ["aria-label", "title", "alt", "placeholder"].map(|name| node.attribute(name));
    let for_field =
        if node.allows(ActionKind::Type) || node.allows(ActionKind::Select) { node.context.as_str() } else { "" };
    let by_sight = seen.map(|label| label_score(text, label, exact)).fold(0.0, f64::max);
    let by_hint =
        hinted.into_iter().chain([for_field]).map(|label| 0.97 * label_score(text, label, exact)).fold(0.0, f64::max);
    by_sight.max(by_hint).max(if exact { icon_fit(text, node) } else { code_name_fit(text, node) })
}

/// What the three dots of a menu are called where they are drawn.
pub(crate) const DOTS: [&str; 4] = ["ellipsis", "kebab", "dots", "meatballs"];

/// What icons show, and what people call the controls that have them.
const DRAWN: [(&[&str], &[&str]); 7] = [
    (&["trash", "bin", "garbage", "dustbin"], &["delete", "remove"]),
    (&["pencil", "pen"], &["edit"]),
    (&["magnifier", "magnifying", "loupe"], &["search"]),
    (&["gear", "cog", "cogs"], &["settings"]),
    (&DOTS, &["more", "more actions", "more options", "options", "menu"]),
    (&["xmark", "cross", "times"], &["close"]),
    (&["printer"], &["print"]),
];

/// A control that shows no text of its own is called what its icon is called: by its class, file or reference; or what its icon shows.
fn icon_fit(text: &str, node: &Node) -> f64 {
    const FRAMES: [&str; 14] = [
        "fa",
        "fas",
        "far",
        "bi",
        "mdi",
        "icon",
        "icons",
        "btn",
        "button",
        "glyphicon",
        "material",
        "ico",
        "svg",
        "img",
    ];
    // How an icon looks, and not what it shows.
    const LOOKS: [&str; 8] = ["can", "alt", "square", "to", "line", "vertical", "horizontal", "outlined"];
    let wanted = tokens(text);
    if !node.text.is_empty() || !node.name.is_empty() || wanted.is_empty() {
        return 0.0;
    }
    let names = ["id", "class", "data-testid", "data-test", "data-action"].map(|name| node.attribute(name));
    let is_called = names.into_iter().chain([node.icon.as_str()]).flat_map(str::split_whitespace).any(|name| {
        let parts: Vec<String> = tokens(name).into_iter().filter(|part| !FRAMES.contains(&part.as_str())).collect();
        parts == wanted
    });
    let mut icon = tokens(&node.icon);
    icon.retain(|part| !LOOKS.contains(&part.as_str()));
    let said = wanted.join(" ");
    let shows = |(drawn, called): &(&[&str], &[&str])| {
        called.contains(&said.as_str()) && matches!(icon.as_slice(), [one] if drawn.contains(&one.as_str()))
    };
    match (is_called, DRAWN.iter().any(shows)) {
        (true, _) => 0.88,
        (_, true) => 0.86,
        _ => 0.0,
    }
}

fn button_value(node: &Node) -> Option<&str> {
    if node.role == "button" { node.value.as_deref() } else { None }
}

/// Ids, classes and test ids often carry the name of what a picture shows.
fn code_name_fit(text: &str, node: &Node) -> f64 {
    let wanted = tokens(text);
    if wanted.is_empty() {
        return 0.0;
    }
    let has_own_label = !node.text.is_empty() || !node.name.is_empty();
    let ceiling = if has_own_label { 0.6 } else { 0.88 };
    ["id", "class", "name", "data-testid", "data-test", "data-action"]
        .iter()
        .flat_map(|attribute| node.attribute(attribute).split_whitespace())
        .chain(node.icon.split_whitespace())
        .map(|word| {
            if word == text {
                return 0.95;
            }
            let parts = tokens(word);
            if contradict(text, &parts.join(" ")) {
                return 0.0;
            }
            let shared = wanted.iter().filter(|word| parts.contains(word)).count();
            if shared < wanted.len() { 0.0 } else { ceiling * (0.9 + 0.1 * shared as f64 / parts.len() as f64) }
        })
        .fold(0.0, f64::max)
}

/// Whether a node is of a kind, in the way people use the word.
pub(crate) fn is_kind(kind: Kind, node: &Node) -> bool {
    let has_class = |word: &str| tokens(node.attribute("class")).iter().any(|part| part.contains(word));
    match kind {
        Kind::Button => {
            node.role == "button"
                || (node.allows(ActionKind::Click)
                    && !matches!(node.role.as_str(), "link" | "textbox" | "checkbox" | "radio" | "tab"))
        }
        Kind::Link => node.role == "link" || (node.allows(ActionKind::Click) && has_class("link")),
        Kind::Field => node.allows(ActionKind::Type),
        Kind::Icon => matches!(node.role.as_str(), "img" | "image") || (node.is_interactive() && node.text.is_empty()),
        Kind::Item => {
            matches!(
                node.role.as_str(),
                "menuitem" | "option" | "listitem" | "treeitem" | "menuitemradio" | "menuitemcheckbox"
            ) || node.allows(ActionKind::Click)
        }
        Kind::Result => node.role == "link" || (node.allows(ActionKind::Click) && node.role != "button"),
        other => is_exactly(other, node),
    }
}

/// Whether a node is of a kind in the strict sense.
pub(crate) fn is_exactly(kind: Kind, node: &Node) -> bool {
    match kind {
        Kind::Button => node.role == "button",
        Kind::Link => node.role == "link",
        Kind::Field => node.allows(ActionKind::Type) && node.tag != "textarea",
        Kind::Password => node.attribute("type") == "password",
        Kind::TextArea => {
            node.tag == "textarea" || (node.allows(ActionKind::Type) && !node.attribute("contenteditable").is_empty())
        }
        Kind::Checkbox => node.role == "checkbox" || node.role == "switch",
        Kind::Radio => node.role == "radio",
        Kind::Tab => node.role == "tab",
        Kind::Select => node.allows(ActionKind::Select) || node.role == "listbox" || node.role == "combobox",
        Kind::Section => node.states.expanded.is_some(),
        Kind::Dialog => node.role == "dialog" || node.role == "alertdialog",
        Kind::Icon => matches!(node.role.as_str(), "img" | "image"),
        Kind::Item => matches!(node.role.as_str(), "menuitem" | "option" | "listitem" | "treeitem"),
        Kind::Result => node.role == "link",
    }
}
