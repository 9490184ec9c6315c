//! What a control belongs to: the item (row, card, entry, dialog) and the group (form, set of radio buttons, section) around it. Pure.

use super::names::legible;
use super::understand::is_verb;
use super::words::tokens;
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::{Node, Observation};
use domain::text::shorten;

/// The item that an element stands in, nearest first; none where it stands in no item.
pub(crate) fn item_of(observation: &Observation, element: ElementId) -> Option<ElementId> {
    let mut around = observation.ancestors(element);
    around.find(|(id, node)| is_item(node) && !is_for_layout(observation, *id, node)).map(|(item, _)| item)
}

/// Whether a row only arranges the page, as tables of old pages do: it holds the page's heading, or a table of its own, and no other row of
/// its table does.
fn is_for_layout(observation: &Observation, row: ElementId, node: &Node) -> bool {
    let arranges = |node: &Node| {
        matches!(node.role.as_str(), "table" | "grid") || matches!(node.tag.as_str(), "h1" | "h2" | "table")
    };
    let holds = |row: ElementId| {
        let behind = observation.elements().skip(row.index() + 1);
        behind.take_while(|(id, _)| is_within(observation, *id, row)).any(|(_, within)| arranges(within))
    };
    let is_like = |(other, node): (ElementId, &Node)| other != row && node.role == "row" && holds(other);
    node.role == "row" && holds(row) && !node.parent.is_some_and(|table| observation.children(table).any(is_like))
}

fn is_within(observation: &Observation, element: ElementId, around: ElementId) -> bool {
    observation.ancestors(element).any(|(outer, _)| outer == around)
}

/// Whether an item holds buttons and says nothing but what they are called: a row of commands, and no entry.
pub(crate) fn is_row_of_commands(observation: &Observation, item: ElementId) -> bool {
    let mut text = observation.node(item).map(|node| node.text.clone()).unwrap_or_default();
    for (_, node) in
        observation.elements().skip(item.index() + 1).take_while(|(id, _)| is_within(observation, *id, item))
    {
        let is_more = matches!(node.role.as_str(), "img" | "image" | "heading") || node.tag == "img";
        // A link to nowhere is a button in a menu of old pages.
        let leads_nowhere = || matches!(node.attribute("href").get(..1), None | Some("#"));
        let names_deed = || tokens(node.label()).first().is_some_and(|word| is_verb(word));
        let is_button = node.role == "button" || (node.role == "link" && leads_nowhere() && names_deed());
        if is_more || (node.is_interactive() && !is_button) {
            return false;
        }
        if is_button && let Some(at) = text.rfind(node.label()).filter(|_| !node.label().is_empty()) {
            text.replace_range(at..at + node.label().len(), "");
        }
    }
    text.trim().is_empty()
}

/// Whether an element stands in an entry of a list, a row or a card; what stands in a dialog does not.
pub(crate) fn is_in_entry(observation: &Observation, element: ElementId) -> bool {
    item_of(observation, element).and_then(|item| observation.node(item)).is_some_and(|item| !is_dialog(item))
}

/// Whether a node is an item: marked as one by the observation, or by its role.
pub(crate) fn is_item(node: &Node) -> bool {
    // A cell is a part of the row, however often it is repeated.
    let is_part = matches!(node.role.as_str(), "cell" | "gridcell" | "columnheader" | "rowheader" | "rowgroup");
    (node.is_item && !is_part)
        || matches!(node.role.as_str(), "row" | "listitem" | "article" | "treeitem")
        || is_dialog(node)
}

/// Whether a row holds the headings of columns, and no entry.
pub(crate) fn is_head_row(observation: &Observation, row: ElementId) -> bool {
    observation.children(row).any(|(_, cell)| cell.role == "columnheader")
}

/// Whether a node is a dialog that the page itself draws.
pub(crate) fn is_dialog(node: &Node) -> bool {
    matches!(node.role.as_str(), "dialog" | "alertdialog")
}

/// Whether a node is a dialog beside which nothing of the page can be used.
pub(crate) fn is_modal(node: &Node) -> bool {
    is_dialog(node) && (node.attribute("aria-modal") == "true" || node.role == "alertdialog")
}

/// The dialog that lies over the page, the last one where there are several.
pub(crate) fn modal_of(observation: &Observation) -> Option<ElementId> {
    observation.elements().filter(|(_, node)| is_modal(node)).map(|(id, _)| id).last()
}

/// Whether a node is a form.
pub(crate) fn is_form(node: &Node) -> bool {
    node.tag == "form" || node.role == "form"
}

/// The form that an element stands in.
pub(crate) fn form_of(observation: &Observation, element: ElementId) -> Option<ElementId> {
    observation.ancestors(element).find(|(_, node)| is_form(node)).map(|(form, _)| form)
}

/// Whether an element stands in a form that has a field for one of these actions.
pub(crate) fn form_holds(observation: &Observation, element: ElementId, actions: &[ActionKind]) -> bool {
    form_of(observation, element).is_some_and(|form| {
        observation
            .interactive()
            .any(|(id, field)| actions.iter().any(|action| field.allows(*action)) && is_within(observation, id, form))
    })
}

/// Whether a node holds what belongs together under one name.
pub(crate) fn is_group(node: &Node) -> bool {
    is_item(node)
        || matches!(
            node.role.as_str(),
            "group"
                | "radiogroup"
                | "region"
                | "form"
                | "navigation"
                | "toolbar"
                | "menu"
                | "menubar"
                | "tabpanel"
                | "list"
                | "listbox"
                | "table"
                | "grid"
                | "tree"
                | "complementary"
                | "banner"
                | "contentinfo"
                | "search"
        )
        || matches!(node.tag.as_str(), "fieldset" | "section" | "details")
}

/// A few words that tell people where an element stands.
pub(crate) fn place_of(observation: &Observation, element: ElementId) -> String {
    let own = observation.node(element).map(|node| legible(node.label())).unwrap_or_default();
    let around = observation
        .ancestors(element)
        .filter(|(_, node)| is_group(node))
        .map(|(_, node)| legible(if node.name.is_empty() { &node.text } else { &node.name }))
        .find(|text| !text.is_empty() && *text != own);
    shorten(&around.unwrap_or_default(), 40)
}
