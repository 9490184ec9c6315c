//! Tabs that are drawn of plain parts. Pure.

use super::item::is_in_entry;
use super::memory::Memory;
use super::seek::begins_with_command;
use super::words::{is_consequential, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Observation;

/// The most words of a tab.
const WORDS: usize = 4;

/// By this is remembered that pressing something in search of a thing changed the site. What only looks like a tab is left alone then.
pub(crate) const SENT_BY_LOOKING: &str = "sent|by looking";

/// Whether an element is one of a row of tabs that is drawn of plain parts, and not the one that is shown. The browser room tells such rows by
/// what they are called and by one part that is marked; here what is called as a command is none.
pub(crate) fn is_drawn_tab(observation: &Observation, memory: &Memory, element: ElementId) -> bool {
    let is_other = observation.node(element).is_some_and(|node| {
        let label = node.label();
        node.attribute("drawn-tab") == "other"
            && node.allows(ActionKind::Click)
            && (1..=WORDS).contains(&tokens(label).len())
            && !is_consequential(label)
            && !begins_with_command(label)
    });
    is_other && !is_in_entry(observation, element) && !memory.tried.iter().any(|key| key == SENT_BY_LOOKING)
}
