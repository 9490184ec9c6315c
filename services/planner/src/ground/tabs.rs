//! Tabs that are drawn of plain parts. Pure.

use super::item::is_in_entry;
use super::seek::begins_with_command;
use super::words::{is_consequential, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::{Node, Observation};

/// Words in the class of what rows of tabs stand in.
const ROWS: [&str; 14] = [
    "nav",
    "navbar",
    "navigation",
    "navi",
    "tabs",
    "tab",
    "tablist",
    "tabbar",
    "sidebar",
    "side",
    "sidenav",
    "subnav",
    "sections",
    "menubar",
];
/// Words in the class of the tab that is shown.
const SHOWN: [&str; 6] = ["on", "active", "selected", "current", "aktiv", "actif"];
/// The most tabs of a row.
const MOST: usize = 12;
/// The most words of a tab.
const WORDS: usize = 4;

/// Whether an element is one of a row of tabs that is drawn of plain parts, and not the one that is shown: what it stands in is called so
/// by its class, all in it are pressed and say a word or two, none of which is a command, and one of them is marked.
pub(crate) fn is_drawn_tab(observation: &Observation, element: ElementId) -> bool {
    let is_row = |node: &Node| {
        let called = tokens(&format!("{} {}", node.attribute("class"), node.attribute("id")));
        called.iter().any(|word| ROWS.contains(&word.as_str()))
    };
    let Some((row, _)) = observation.ancestors(element).next().filter(|(_, row)| is_row(row)) else { return false };
    let parts: Vec<(ElementId, &Node)> = observation.children(row).collect();
    let shown: Vec<ElementId> = parts.iter().filter(|(_, node)| is_marked(node)).map(|(id, _)| *id).collect();
    (2..=MOST).contains(&parts.len())
        && parts.iter().all(|(_, node)| is_part(node))
        && matches!(shown.as_slice(), [only] if *only != element)
        && !is_in_entry(observation, element)
}

fn is_marked(node: &Node) -> bool {
    matches!(node.attribute("aria-current"), "page" | "true" | "location")
        || tokens(node.attribute("class")).iter().any(|word| SHOWN.contains(&word.as_str()))
}

fn is_part(node: &Node) -> bool {
    let takes_input = [ActionKind::Type, ActionKind::Check, ActionKind::Select].iter().any(|kind| node.allows(*kind));
    let label = node.label();
    node.allows(ActionKind::Click)
        && !takes_input
        && (1..=WORDS).contains(&tokens(label).len())
        && !is_consequential(label)
        && !begins_with_command(label)
}
