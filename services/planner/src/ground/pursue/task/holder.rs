//! The thing or the part of the application that something stands in: `the photo Red boat in the album Coast`.

use super::super::{Pursuer, Pursuit, aside};
use super::locate::Located;
use super::way::is_in_entry_of_list;
use crate::ground::goal::PagePart;
use crate::ground::item::{form_of, is_in_entry};
use crate::ground::region;
use crate::ground::task::{Task, TaskAct, Thing};
use crate::ground::understand::is_verb;
use crate::ground::understand::kinds::names_list_of;
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
            None => self.button_of_place(place)?,
        };
        if self.node(element).is_none_or(|node| is_consequential(node.label())) {
            return None;
        }
        self.memory.tried.push(key);
        self.memory.opened = false;
        Some(aside(self.click(element, "is what the thing stands in", 0.8, false)))
    }

    /// The only button of the page itself that is called as a place is, below a heading that says what such places are: `Running` below
    /// `Playlists`.
    fn button_of_place(&self, place: &PagePart) -> Option<ElementId> {
        let observation = self.scene.observation;
        let name = place.called();
        let names_deed = |label: &str| tokens(label).first().is_some_and(|word| is_verb(word));
        let is_listed = |id: ElementId| {
            let before = observation.elements().take_while(|(other, _)| *other != id);
            let heading = before.filter(|(_, node)| node.role == "heading").last();
            heading.is_some_and(|(_, node)| names_list_of(node.label(), &place.kind))
        };
        let is_it = |(id, node): &(ElementId, &Node)| {
            node.role == "button"
                && node.allows(ActionKind::Click)
                && !node.states.disabled
                && node.states.pressed.is_none()
                && node.attribute("type") != "submit"
                && name.is_label(node.label())
                && !names_deed(node.label())
                && form_of(observation, *id).is_none()
                && !is_in_entry_of_list(observation, *id)
                && !self.is_asked_later(*id)
                && is_listed(*id)
        };
        let mut found = self.scene.elements().filter(is_it).filter(|_| !place.kind.is_empty());
        found.next().filter(|_| found.next().is_none()).map(|(id, _)| id)
    }

    /// `Add Lights Out to Road trip`: names without quotes may go on behind `to`. Where the page calls nothing so, but both parts something, the
    /// one goes into the other.
    pub(super) fn put_into_named(&self, task: &Task) -> Option<Task> {
        let thing = &task.thing;
        let is_bare = task.act == TaskAct::Add && !thing.quoted && thing.kind.is_empty() && thing.places.is_empty();
        let (name, place) = thing.name.rsplit_once(" to ").filter(|_| is_bare && thing.of.is_empty())?;
        let is_shown = |name: &str| !region::anchors(self.scene.observation, self.scene.echoes, name).is_empty();
        if !place.starts_with(char::is_uppercase) || is_shown(&thing.name) || !is_shown(name) || !is_shown(place) {
            return None;
        }
        let place = PagePart { name: place.to_owned(), ..PagePart::default() };
        let thing = Thing { name: name.to_owned(), places: vec![place], ..thing.clone() };
        Some(Task { thing, ..task.clone() })
    }
}
