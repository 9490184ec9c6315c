//! Things that are told by some words of what their entry says: `the login bug`, `the taxi to the airport`.

use super::super::Pursuer;
use crate::ground::commands::telling_words;
use crate::ground::goal::PagePart;
use crate::ground::item::{is_dialog, is_item};
use crate::ground::names::{contradict, holds_joined, is_longer_name};
use crate::ground::region::Region;
use crate::ground::task::Thing;
use crate::ground::understand::kinds::{is_collection, is_unspecific, kind_of};
use crate::ground::words::{self, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

impl Pursuer<'_> {
    /// The only entry that says every word of a name in plain words, its kind's word where that is told; none where several do.
    pub(super) fn entries_that_say(&self, name: &str, kind: &str) -> Vec<ElementId> {
        // `the comment that says where the shed key is` says `shed` and `key`.
        const ASKING: [&str; 7] = ["where", "how", "who", "when", "why", "what", "which"];
        let is_asked = tokens(name).first().is_some_and(|word| ASKING.contains(&word.as_str()));
        let mut wanted = telling_words(name);
        let proper: Vec<&str> = name.split(' ').filter(|word| word.starts_with(char::is_uppercase)).collect();
        wanted.retain(|word| !is_asked || !(ASKING.contains(&word.as_str()) || words::is_function_word(word)));
        let says = |text: &str| {
            let words = tokens(text);
            !contradict(name, text)
                && !is_longer_name(text, name)
                && wanted.iter().all(|word| words::says(&words, word, name))
                && proper.iter().all(|word| !holds_joined(text, word))
        };
        // Of one word it is not known what is said of it, unless it is said of what: `the login bug`, `the mail from the library`.
        let is_enough = wanted.len() > 1 || (wanted.len() == 1 && !kind.is_empty() && !is_unspecific(kind));
        if !is_enough {
            return Vec::new();
        }
        let observation = self.scene.observation;
        // What holds a table with its heading is no entry: its words are those of many.
        let holds_rows = |id: ElementId| {
            let rows = observation.elements().filter(|(_, node)| node.role == "row");
            rows.filter(|(row, _)| *row != id && Region::Subtree(id).holds(observation, *row)).take(2).count() > 1
        };
        let entries: Vec<ElementId> = self
            .scene
            .elements()
            .filter(|(id, node)| is_item(node) && !is_dialog(node) || self.is_card(*id, node))
            .filter(|(id, node)| says(&node.text) && !holds_rows(*id))
            .map(|(id, _)| id)
            .collect();
        let inner = entries.clone();
        let innermost: Vec<ElementId> = entries
            .into_iter()
            .filter(|id| {
                !inner.iter().any(|other| other != id && observation.ancestors(*other).any(|(around, _)| around == *id))
            })
            .collect();
        if innermost.len() == 1 { innermost } else { Vec::new() }
    }

    /// Whether a part of plain markup is one of several alike that are pressed to be opened, and hold nothing else to press: a card.
    fn is_card(&self, element: ElementId, node: &Node) -> bool {
        let observation = self.scene.observation;
        let is_plain = matches!(node.role.as_str(), "generic" | "text") && node.allows(ActionKind::Click);
        let is_alike = |other: &Node| {
            other.tag == node.tag
                && other.attribute("class") == node.attribute("class")
                && other.parent == node.parent
                && other.allows(ActionKind::Click)
        };
        let holds_control = || {
            let card = Region::Subtree(element);
            observation.interactive().any(|(id, _)| id != element && card.holds(observation, id))
        };
        is_plain
            && !node.attribute("class").is_empty()
            && node.attribute("drawn-tab").is_empty()
            && tokens(&node.text).len() > 1
            && self.scene.elements().filter(|(_, other)| is_alike(other)).take(2).count() > 1
            && !holds_control()
    }
}

/// Whether the places of a thing may be words of its name: none is a part of an application.
pub(super) fn tells_by_places(thing: &Thing) -> bool {
    let is_word = |place: &PagePart| {
        let last = place.name.rsplit(' ').next().unwrap_or_default();
        !place.quoted && place.kind.is_empty() && !is_collection(&[last]) && kind_of(last).is_none()
    };
    !thing.name.is_empty() && !thing.quoted && !thing.places.is_empty() && thing.places.iter().all(is_word)
}
