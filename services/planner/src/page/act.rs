//! What can be done on a page, still without its content, and how it is called in the list of actions.

use domain::ElementId;
use domain::action::{ActionKind, Direction};
use domain::observation::{Interactivity, Node};

/// Something that can be done, still without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// An operation on an element.
    On(ElementId, ActionKind),
    /// Scrolls the page.
    Scroll(Direction),
    /// Scrolls an element.
    ScrollIn(ElementId, Direction),
    /// Makes this tab the current one.
    SwitchTab(u32),
    /// Opens the page's own address again.
    Reload,
    /// Asks for a picture of the page, and chooses with it.
    Look,
    /// Any other action without element.
    Do(ActionKind),
}

impl Act {
    /// The element that it is done to.
    pub fn element(self) -> Option<ElementId> {
        match self {
            Act::On(element, _) | Act::ScrollIn(element, _) => Some(element),
            Act::Scroll(_) | Act::SwitchTab(_) | Act::Reload | Act::Look | Act::Do(_) => None,
        }
    }
}

/// The operations that are offered on an element. A checkbox is checked rather than clicked; hovering is offered only
/// where something is likely to come of it.
pub fn offered(node: &Node) -> Vec<ActionKind> {
    if node.states.disabled {
        return Vec::new();
    }
    let checkable = node.allows(ActionKind::Check);
    let hovers = !node.attribute("aria-haspopup").is_empty()
        || node.role == "menuitem"
        || !node.allows(ActionKind::Click)
        || (node.interactive_by == Some(Interactivity::Listener) && !node.allows(ActionKind::Type));
    let offered = |kind: &ActionKind| match kind {
        ActionKind::Click => !checkable && !node.allows(ActionKind::Select),
        ActionKind::Hover => hovers && !checkable,
        ActionKind::Type | ActionKind::Select | ActionKind::Check | ActionKind::Drag | ActionKind::Scroll => true,
        _ => false,
    };
    node.operations.iter().copied().filter(offered).collect()
}

/// The operations as they are named where an element stands in the page's text: first what it is for. A field is typed into; without a
/// text it is only clicked.
pub(super) fn named(node: &Node) -> Vec<ActionKind> {
    let mut kinds = offered(node);
    if kinds.contains(&ActionKind::Type) {
        kinds.retain(|kind| *kind != ActionKind::Click);
    }
    kinds.sort_by_key(|kind| *kind != ActionKind::Type);
    kinds
}

/// The name of an operation in the list of actions.
pub(super) fn verb(node: &Node, kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::Type => "type",
        ActionKind::Select => "select",
        ActionKind::Check if node.states.checked == Some(true) && node.role != "radio" => "uncheck",
        ActionKind::Check => "check",
        ActionKind::Hover => "hover",
        ActionKind::Drag => "drag",
        _ => "click",
    }
}
