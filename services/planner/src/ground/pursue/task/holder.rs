//! The thing or the part of the application that something stands in: `the photo Red boat in the album Coast`.

use super::super::{Pursuer, Pursuit, aside};
use super::locate::Located;
use super::way::is_in_entry_of_list;
use crate::ground::goal::Name;
use crate::ground::item::is_in_entry;
use crate::ground::task::{Task, Thing};
use crate::ground::understand::is_verb;
use crate::ground::words::{is_consequential, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

impl Pursuer<'_> {
    /// What stands in a thing is shown where that is opened: `the photo Red boat in the album Coast`.
    pub(super) fn open_place_of(&mut self, task: &Task) -> Option<Pursuit> {
        let place = task.thing.places.first().filter(|place| !self.page_is(place.called()))?;
        let key = format!("place|{}", place.name);
        if self.memory.tried.contains(&key) {
            return None;
        }
        let thing = Thing::of_place(place);
        let entry = match self.locate(&thing) {
            Located::One(anchor) if is_in_entry(self.scene.observation, anchor) => Some(anchor),
            _ => None,
        };
        let element = match entry {
            Some(anchor) => {
                let regions = self.spot(anchor);
                self.opener_of(anchor, &regions).or_else(|| self.only_way_of(anchor))?
            }
            None => self.button_of_place(place.called())?,
        };
        if self.node(element).is_none_or(|node| is_consequential(node.label())) {
            return None;
        }
        self.memory.tried.push(key);
        self.memory.opened = false;
        Some(aside(self.click(element, "is what the thing stands in", 0.8, false)))
    }

    /// The only button of the page itself that is called as a place is, and as nothing that is done.
    fn button_of_place(&self, name: Name<'_>) -> Option<ElementId> {
        let names_deed = |label: &str| tokens(label).first().is_some_and(|word| is_verb(word));
        let is_it = |(id, node): &(ElementId, &Node)| {
            node.role == "button"
                && node.allows(ActionKind::Click)
                && !node.states.disabled
                && name.is_label(node.label())
                && !names_deed(node.label())
                && !is_in_entry_of_list(self.scene.observation, *id)
                && !self.is_asked_later(*id)
        };
        let mut found = self.scene.elements().filter(is_it);
        found.next().filter(|_| found.next().is_none()).map(|(id, _)| id)
    }
}
