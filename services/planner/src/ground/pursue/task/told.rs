//! Things that are told by some words of what their entry says: `the login bug`, `the taxi to the airport`.

use super::super::Pursuer;
use crate::ground::commands::telling_words;
use crate::ground::goal::PagePart;
use crate::ground::item::{is_dialog, is_item};
use crate::ground::names::{contradict, holds_joined, is_longer_name};
use crate::ground::region::Region;
use crate::ground::task::Thing;
use crate::ground::understand::kinds::{are_used_alike, is_collection, is_unspecific, kind_of};
use crate::ground::words::{self, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

/// The most words of a part of an entry by which one word tells it: a title, or a name.
const PART: usize = 4;

impl Pursuer<'_> {
    /// The only entry that says every word of a name in plain words; none where several do. What its buttons are called says nothing of it. One
    /// word is enough only where it is told what kind of thing it is, and a short part of the entry says it.
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
        let is_one = wanted.len() == 1;
        if wanted.is_empty() || (is_one && (kind.is_empty() || is_unspecific(kind))) {
            return Vec::new();
        }
        let observation = self.scene.observation;
        let is_short = |text: &str| (1..=PART).contains(&tokens(text).len());
        let is_told = |id: ElementId, node: &Node| {
            let parts = self.texts_of(id, node);
            match is_one {
                true => parts.iter().any(|part| is_short(part) && says(part)) && self.speaks_of_kind(id, kind),
                false => says(&parts.join(" ")),
            }
        };
        // What holds a table with its heading is no entry: its words are those of many.
        let holds_rows = |id: ElementId| {
            let rows = observation.elements().filter(|(_, node)| node.role == "row");
            rows.filter(|(row, _)| *row != id && Region::Subtree(id).holds(observation, *row)).take(2).count() > 1
        };
        let entries: Vec<ElementId> = self
            .scene
            .elements()
            .filter(|(id, node)| is_item(node) && !is_dialog(node) || self.is_card(*id, node))
            .filter(|(id, node)| is_told(*id, node) && !holds_rows(*id))
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

    /// The texts that an entry shows, each by itself, without what its buttons are called.
    fn texts_of(&self, entry: ElementId, node: &Node) -> Vec<String> {
        let observation = self.scene.observation;
        let is_within = |id: ElementId| id != entry && Region::Subtree(entry).holds(observation, id);
        let mut rest = node.text.clone();
        let mut texts = Vec::new();
        for (id, part) in observation.elements().skip(entry.index() + 1).take_while(|(id, _)| is_within(*id)) {
            let is_control = part.is_interactive() && part.role != "link";
            let is_leaf = observation.children(id).all(|(_, child)| child.text.is_empty());
            if let Some(at) = rest.find(&part.text).filter(|_| !part.text.is_empty() && (is_control || is_leaf)) {
                rest.replace_range(at..at + part.text.len(), " ");
                if !is_control {
                    texts.push(part.text.clone());
                }
            }
        }
        if !rest.trim().is_empty() {
            texts.push(rest.trim().to_owned());
        }
        texts
    }

    /// Whether an entry, what it is called in code, or the page says of what kind it is.
    fn speaks_of_kind(&self, entry: ElementId, kind: &str) -> bool {
        let observation = self.scene.observation;
        let means = |text: &str| tokens(text).iter().any(|word| are_used_alike(word, kind));
        let says = |node: &Node| means(node.attribute("class")) || means(&node.name);
        observation.node(entry).is_some_and(|node| says(node) || means(&node.text))
            || observation.ancestors(entry).any(|(_, around)| says(around))
            || means(&observation.title)
            || self.scene.elements().any(|(_, node)| node.role == "heading" && means(&node.text))
            || self.scene.elements().any(|(_, node)| {
                matches!(node.attribute("aria-current"), "page" | "true")
                    && (means(node.label()) || is_mailbox(node.label()))
            })
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

/// Whether a label is that of a place where letters are kept.
fn is_mailbox(label: &str) -> bool {
    tokens(label).first().is_some_and(|word| matches!(word.as_str(), "inbox" | "posteingang" | "drafts" | "outbox"))
}

/// Whether the only place of a thing may be words of its name: it is no part of an application.
pub(super) fn tells_by_places(thing: &Thing) -> bool {
    let is_word = |place: &PagePart| {
        let last = place.name.rsplit(' ').next().unwrap_or_default();
        !place.quoted && place.kind.is_empty() && !is_collection(&[last]) && kind_of(last).is_none()
    };
    !thing.name.is_empty() && !thing.quoted && thing.places.len() == 1 && thing.places.iter().all(is_word)
}
