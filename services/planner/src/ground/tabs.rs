//! Tabs that are drawn of plain parts. Pure.

use super::item::is_in_entry;
use super::seek::begins_with_command;
use super::words::{is_consequential, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Observation;

/// The most words of a tab.
const WORDS: usize = 4;

/// Whether an element is one of a row of tabs that is drawn of plain parts, and not the one that is shown. The browser room tells such rows by
/// what they are called and by one part that is marked; here what is called as a command is none.
pub(crate) fn is_drawn_tab(observation: &Observation, element: ElementId) -> bool {
    observation.node(element).is_some_and(|node| {
        let label = node.label();
        node.attribute("drawn-tab") == "other"
            && node.allows(ActionKind::Click)
            && (1..=WORDS).contains(&tokens(label).len())
            && !is_consequential(label)
            && !begins_with_command(label)
    }) && !is_in_entry(observation, element)
}
