//! Of which kind the entries of a page are: by what they stand under, and by what a list says of each. Entries of another kind are never
//! taken for those that an instruction names.

use super::super::Pursuer;
use crate::ground::bind::Candidate;
use crate::ground::commands::same_concept;
use crate::ground::goal::{Name, Target};
use crate::ground::item::{is_dialog, is_head_row, is_item, is_row_of_commands, item_of};
use crate::ground::layout::column_of;
use crate::ground::names::holds_words;
use crate::ground::pick::{Pick, pick};
use crate::ground::region::{self, Region};
use crate::ground::task::Thing;
use crate::ground::understand::kinds::{
    are_used_alike, is_record, is_unspecific, kind_of, names_list_of, names_some_list,
};
use crate::ground::words::{is_entry_word, same_word, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

/// Letters that a label of a kind has at most.
const LABEL: usize = 60;

/// Words behind which a label says where something goes, or comes from: `Pin to channel`.
pub(super) const LEADS: [&str; 16] =
    ["to", "in", "into", "onto", "from", "zu", "auf", "von", "dans", "au", "en", "al", "alla", "aan", "ao", "para"];

impl Pursuer<'_> {
    /// Whether what surrounds a node speaks of a kind of thing.
    pub(super) fn is_of_kind(&self, element: ElementId, kind: &str) -> bool {
        let observation = self.scene.observation;
        let says = |text: &str| text.len() < LABEL && tokens(text).iter().any(|word| same_word(word, kind));
        let own = observation.node(element).is_some_and(|node| node.attribute("class").split_whitespace().any(says));
        own || observation.ancestors(element).any(|(_, node)| {
            says(&node.name) || node.attribute("class").split_whitespace().any(says) || says(node.attribute("id"))
        }) || observation
            .elements()
            .take_while(|(id, _)| *id != element)
            .filter(|(id, node)| node.role == "heading" && self.heads(*id, element))
            .last()
            .is_some_and(|(_, node)| says(&node.text))
    }

    /// Whether the nearest heading above an element says that it is put aside, over, or only offered, which the words of a place do not say.
    pub(super) fn is_set_aside(&self, element: ElementId, place: &str) -> bool {
        const ASIDE: [&str; 24] = [
            "saved",
            "later",
            "wishlist",
            "wish",
            "favourites",
            "favorites",
            "watchlist",
            "viewed",
            "recommended",
            "recommendations",
            "suggested",
            "suggestions",
            "like",
            "related",
            "archived",
            "archive",
            "deleted",
            "trash",
            "removed",
            "past",
            "cancelled",
            "canceled",
            "expired",
            "unavailable",
        ];
        let observation = self.scene.observation;
        let is_head =
            |id: ElementId, node: &Node| node.role == "heading" && node.tag != "h1" && self.heads(id, element);
        let before = observation.elements().take_while(|(id, _)| *id != element);
        let Some((heading, node)) = before.filter(|(id, node)| is_head(*id, node)).last() else { return false };
        // The heading of a part that ended before says nothing of what follows.
        let is_within = region::records(observation, heading).iter().any(|part| part.holds(observation, element));
        let own = tokens(place);
        is_within && tokens(&node.text).iter().any(|word| ASIDE.contains(&word.as_str()) && !own.contains(word))
    }

    /// Whether a heading may say something of an element behind it: what stands in another entry says nothing.
    fn heads(&self, heading: ElementId, element: ElementId) -> bool {
        let observation = self.scene.observation;
        item_of(observation, heading).is_none_or(|entry| Region::Subtree(entry).holds(observation, element))
    }

    /// The entries of the page, or of a place: those that hold a control and stand among others of their build.
    pub(super) fn entries_of_kind(&self, thing: &Thing) -> Vec<ElementId> {
        if thing.ordinal.is_none() && !thing.all {
            return Vec::new();
        }
        let observation = self.scene.observation;
        let is_entry =
            |node: &Node| is_item(node) && !is_dialog(node) && node.role != "columnheader" && !node.text.is_empty();
        let in_navigation = |id: ElementId| {
            observation.ancestors(id).any(|(_, node)| {
                matches!(node.role.as_str(), "navigation" | "menu" | "menubar" | "banner" | "contentinfo" | "tablist")
            })
        };
        let mut entries: Vec<ElementId> = self
            .scene
            .elements()
            .filter(|(id, node)| is_entry(node) && !is_head_row(observation, *id) && !in_navigation(*id))
            .map(|(id, _)| id)
            .collect();
        // Entries that hold controls are meant rather than lines of text; outer entries rather than parts of them.
        let holds_control = |id: ElementId| {
            observation
                .interactive()
                .any(|(control, _)| control != id && observation.ancestors(control).any(|(around, _)| around == id))
                || observation.node(id).is_some_and(Node::is_interactive)
        };
        if entries.iter().any(|id| holds_control(*id)) {
            entries.retain(|id| holds_control(*id));
        }
        let is_within =
            |id: ElementId, around: ElementId| id != around && Region::Subtree(around).holds(observation, id);
        if !thing.kind.is_empty() {
            // A part that is headed `Invoices` and holds entries is no invoice: they are.
            let headed: Vec<ElementId> =
                entries.iter().copied().filter(|id| self.is_list_of(*id, &thing.kind, &entries)).collect();
            if !headed.is_empty() {
                entries.retain(|id| headed.iter().any(|part| is_within(*id, *part)) && !headed.contains(id));
            }
            // `all drafts` are those that say so of themselves, where some do.
            let marked = |id: &ElementId| self.is_marked(*id, &thing.kind);
            if headed.is_empty()
                && !entries.iter().any(|id| self.is_of_kind(*id, &thing.kind))
                && entries.iter().any(marked)
            {
                entries.retain(marked);
                let inner = entries.clone();
                entries.retain(|id| !inner.iter().any(|other| is_within(*other, *id)));
                return entries;
            }
        }
        let outer = entries.clone();
        entries.retain(|id| !outer.iter().any(|around| is_within(*id, *around)));
        if !thing.kind.is_empty() {
            self.keep(&mut entries, |id| self.is_of_kind(id, &thing.kind));
            entries.retain(|id| {
                self.is_of_kind(*id, &thing.kind) || !self.is_listed_as_another(*id, &thing.kind, thing.all)
            });
        }
        entries
    }

    /// Whether an entry is a part with a list in it, and headed by what the list holds.
    fn is_list_of(&self, entry: ElementId, kind: &str, entries: &[ElementId]) -> bool {
        let observation = self.scene.observation;
        let within = |id: ElementId| id != entry && Region::Subtree(entry).holds(observation, id);
        let heading = observation.elements().find(|(id, node)| within(*id) && node.role == "heading");
        heading.is_some_and(|(_, node)| names_list_of(&node.text, kind)) && entries.iter().any(|id| within(*id))
    }

    /// Whether a heading is that of an entry without entries of its own.
    fn heads_an_entry(&self, heading: ElementId) -> bool {
        let observation = self.scene.observation;
        let Some(entry) = item_of(observation, heading) else { return false };
        let is_in_it = |id: ElementId| id != entry && Region::Subtree(entry).holds(observation, id);
        !observation.elements().any(|(id, node)| is_item(node) && !is_dialog(node) && is_in_it(id))
    }

    /// Whether a thing is called by a kind, and what is found by its name is of another: by the list that it stands in, or by what the list
    /// says of each entry.
    pub(super) fn is_another_kind(&self, element: ElementId, thing: &Thing) -> bool {
        let is_number = thing.name.chars().any(|sign| sign.is_ascii_digit())
            && !thing.name.split(|sign: char| !sign.is_alphabetic()).any(|word| word.chars().count() > 2);
        // Where the site has a list of that kind elsewhere, a name on this one is that of something else.
        let is_elsewhere = || is_number || self.kind_is_elsewhere(&thing.kind);
        !thing.kind.is_empty()
            && ((!self.is_of_kind(element, &thing.kind)
                && self.is_listed_as_another(element, &thing.kind, false)
                && is_elsewhere())
                || self.is_marked_as_another(element, &thing.kind))
    }

    /// Whether what an element stands under says that other things are listed there: `Orders`, where an invoice is wanted. The innermost
    /// part that is called after a kind decides. Strictly, another word for the kind is another kind: of all drafts, no posts.
    fn is_listed_as_another(&self, element: ElementId, kind: &str, strictly: bool) -> bool {
        let observation = self.scene.observation;
        let is_other = |text: &str| {
            if text.len() >= LABEL {
                return None;
            }
            let means = |word: &String| if strictly { same_concept(word, kind) } else { are_used_alike(word, kind) };
            let says_kind = tokens(text).iter().any(means);
            if says_kind || is_record(text) {
                return Some(false);
            }
            names_some_list(text, kind).then_some(true)
        };
        // The column may say it.
        if column_of(observation, element).is_some_and(|column| is_other(column.label()) == Some(false)) {
            return false;
        }
        let mut level = u32::MAX;
        let mut headings: Vec<(u32, &str)> = Vec::new();
        let before: Vec<(ElementId, &Node)> = self.scene.elements().take_while(|(id, _)| *id != element).collect();
        for (id, node) in before.into_iter().rev() {
            // What heads another entry says nothing of this one.
            if let Some(own) = region::heading_level(node).filter(|own| *own < level && self.heads(id, element)) {
                level = own;
                headings.push((own, &node.text));
            }
        }
        // Under `Estimates`, beside a part that is headed `Invoices`, are no invoices.
        let is_beside = headings.first().filter(|(_, own)| !names_list_of(own, kind)).is_some_and(|(level, _)| {
            self.scene.elements().any(|(id, node)| {
                region::heading_level(node) == Some(*level)
                    && names_list_of(&node.text, kind)
                    && !self.heads_an_entry(id)
            })
        });
        if is_beside && !is_unspecific(kind) {
            return true;
        }
        let headings = headings.into_iter().map(|(_, text)| text);
        let around = observation.ancestors(element).map(|(_, node)| node.name.as_str());
        let path = observation.url.split(['?', '#']).next().unwrap_or_default();
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        around.chain(headings).chain([observation.title.as_str(), last]).find_map(is_other).unwrap_or(false)
    }

    /// Whether a part of an entry is called by a kind, and by nothing else.
    pub(super) fn is_marked(&self, entry: ElementId, kind: &str) -> bool {
        let observation = self.scene.observation;
        let within = observation.elements().filter(|(id, _)| Region::Subtree(entry).holds(observation, *id));
        within.filter_map(|(_, node)| mark_of(node)).any(|mark| same_word(&mark, kind))
    }

    /// Whether the entry of an element says that it is of another kind, where the list says of others that they are of this one: a `File`
    /// among folders.
    fn is_marked_as_another(&self, element: ElementId, kind: &str) -> bool {
        let observation = self.scene.observation;
        let Some(entry) = item_of(observation, element).filter(|_| !is_unspecific(kind)) else {
            return false;
        };
        let (mut is_own, mut is_other, mut is_used) = (false, false, false);
        for (id, node) in self.scene.elements() {
            let Some(marked) = mark_of(node) else { continue };
            match item_of(observation, id) {
                Some(item) if item == entry => {
                    let is_alike = are_used_alike(&marked, kind);
                    is_own |= is_alike;
                    is_other |= !is_alike;
                }
                Some(item) if observation.node(item).is_some_and(|item| !is_dialog(item)) => {
                    is_used |= same_word(&marked, kind);
                }
                _ => {}
            }
        }
        is_other && is_used && !is_own
    }

    /// `the API key staging`, `the calendar Birthdays`: where a part of the page is headed by the first words, the rest is the name of what
    /// stands there.
    pub(super) fn named_below_heading(&self, thing: &Thing) -> Vec<ElementId> {
        let words: Vec<&str> = thing.name.split(' ').collect();
        for end in (1..words.len()).rev() {
            let (head, name) = (words[..end].join(" "), words[end..].join(" "));
            let is_head = |node: &Node| {
                let (said, head) = (tokens(node.label()), tokens(&head));
                let is_alike = |(one, other): (&String, &String)| same_word(one, other);
                said.len() == head.len() && said.iter().zip(&head).all(is_alike)
            };
            let observation = self.scene.observation;
            let headings: Vec<ElementId> = self
                .scene
                .elements()
                .filter(|(_, node)| node.role == "heading" && node.tag != "h1" && is_head(node))
                .map(|(id, _)| id)
                .collect();
            let [heading] = headings[..] else { continue };
            let part = region::records(observation, heading);
            let mut found = region::anchors_of(observation, self.scene.echoes, Name::plain(&name));
            found.retain(|id| part.iter().any(|part| part.holds(observation, *id)));
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The control of these regions that is called so, but none that says that it is for something of another kind: `Delete album` beside a
    /// photo.
    pub(super) fn own_control(&self, regions: &[Region], names: &[&str], thing: &Thing) -> Pick {
        // What is below a heading may be a list of other things.
        let removes = names.contains(&"remove") && !thing.anchor().is_empty();
        let is_of_other_entry = |control: ElementId| {
            let observation = self.scene.observation;
            item_of(observation, control).is_some_and(|item| {
                let node = observation.node(item);
                let says = |name: &str| !name.is_empty() && node.is_some_and(|node| holds_words(&node.text, name));
                let is_its = node.is_some_and(is_dialog) || says(thing.anchor()) || says(&thing.of);
                !is_its && !is_row_of_commands(observation, item)
            })
        };
        let is_other = |found: &Candidate| {
            self.is_for_other_kind(found.element, thing, names)
                || self.is_in_form_of_another(found.element, thing)
                || (removes && is_of_other_entry(found.element))
        };
        self.control_but(regions, names, &is_other)
    }

    /// As [`control_in`](Self::control_in), without controls that are for something else. Where a region has no other, none is looked for in the next.
    pub(super) fn control_but(
        &self,
        regions: &[Region],
        names: &[&str],
        is_other: &dyn Fn(&Candidate) -> bool,
    ) -> Pick {
        for region in regions {
            let mut found = self.called(names, Some(region));
            if !found.is_empty() && found.iter().all(is_other) {
                return Pick::None;
            }
            found.retain(|one| !is_other(one));
            match pick(&self.scene, &Target::labelled(names.first().copied().unwrap_or_default()), &found) {
                Pick::None => {}
                picked => return picked,
            }
        }
        match self.control_in_menu(names) {
            Pick::One(found) if is_other(&found) => Pick::None,
            picked => picked,
        }
    }

    /// Whether a control stands in a dialog that edits something, and nothing in it says that this is the thing.
    fn is_in_form_of_another(&self, control: ElementId, thing: &Thing) -> bool {
        let observation = self.scene.observation;
        let Some((dialog, _)) = observation.ancestors(control).find(|(_, node)| is_dialog(node)) else { return false };
        let within = || observation.elements().filter(|(id, _)| Region::Subtree(dialog).holds(observation, *id));
        let says = |node: &Node| {
            let value = node.value.as_deref().unwrap_or_default();
            [node.text.as_str(), node.name.as_str(), value].iter().any(|text| holds_words(text, thing.anchor()))
        };
        !thing.anchor().is_empty()
            && within().any(|(_, node)| node.allows(ActionKind::Type))
            && !within().any(|(_, node)| says(node))
    }

    /// Whether a control names a kind of things, and neither the thing nor its kind.
    pub(super) fn is_for_other_kind(&self, control: ElementId, thing: &Thing, names: &[&str]) -> bool {
        // What is removed from a group stays what it is.
        let removes = names.contains(&"remove") && thing.places.is_empty();
        let Some(node) = self.node(control) else { return false };
        if thing.kind.is_empty() || (!thing.name.is_empty() && holds_words(node.label(), &thing.name)) {
            return false;
        }
        let own = tokens(&format!("{} {}", thing.kind, thing.name));
        // Behind a preposition stands where it goes: `Pin to channel`.
        let is_lead = |at: usize, word: &str| at > 0 && !removes && LEADS.contains(&word);
        let said = tokens(node.label());
        let end = said.iter().enumerate().find(|(at, word)| is_lead(*at, word)).map_or(said.len(), |(at, _)| at);
        // `Report a problem` reports.
        let is_verb = |word: &String| names.iter().any(|name| tokens(name).contains(word));
        // `Delete record`, in the entry of the thing, is for whatever it is.
        let observation = self.scene.observation;
        let is_of_its_entry = item_of(observation, control)
            .is_some_and(|entry| self.region_says(&Region::Subtree(entry), thing.anchor()));
        let is_general =
            |word: &String| is_of_its_entry && (is_entry_word(word) || matches!(word.as_str(), "item" | "object"));
        let named: Vec<&String> = said
            .iter()
            .take(end)
            .filter(|word| kind_of(word).is_some() && !is_verb(word) && !is_general(word))
            .collect();
        let is_own = |word: &&String| own.iter().any(|own| same_concept(own, word));
        !named.is_empty() && !named.iter().any(is_own)
    }
}

/// The kind that the text of a node is, and nothing but it: `Draft`. What a control is called is no mark.
fn mark_of(node: &Node) -> Option<String> {
    if node.is_interactive() {
        return None;
    }
    let labels = [&node.text, &node.name].map(|label| label.trim().to_lowercase());
    labels.into_iter().find_map(|word| kind_of(&word).filter(|singular| *singular == word))
}
