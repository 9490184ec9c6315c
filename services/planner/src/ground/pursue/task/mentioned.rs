//! Whether a page shows a thing itself, or an entry of another that speaks of it; and what stands above it.

use super::super::Pursuer;
use crate::ground::commands::{makes_new, same_concept, speaks_of, telling_words};
use crate::ground::goal::Name;
use crate::ground::item::item_of;
use crate::ground::region::{self, Region};
use crate::ground::understand::kinds::kind_of;
use crate::ground::words::tokens;
use domain::ElementId;
use domain::observation::Node;

impl Pursuer<'_> {
    /// One of a list that is open beside the list, headed by its name, is one thing: what opened it, or what is open once it was.
    pub(super) fn listed_and_opened(&self, found: &[ElementId]) -> Option<ElementId> {
        let [one, other] = found else { return None };
        let observation = self.scene.observation;
        let is_heading = |id: ElementId| self.node(id).is_some_and(|node| node.role == "heading");
        let (entry, heading) = match (is_heading(*one), is_heading(*other)) {
            (false, true) => (*one, *other),
            (true, false) => (*other, *one),
            _ => return None,
        };
        let says_the_same = self.node(entry).map(Node::label) == self.node(heading).map(Node::label);
        let is_apart = item_of(observation, heading).is_none()
            && region::records(observation, entry).iter().all(|record| !record.holds(observation, heading));
        (says_the_same && is_apart).then_some(if self.memory.opened { heading } else { entry })
    }

    /// Whether a thing is only mentioned by the row of another: in a cell behind the first, which leads nowhere, on a page that speaks of
    /// no such things.
    pub(super) fn is_only_mentioned(&self, element: ElementId, kind: &str) -> bool {
        let observation = self.scene.observation;
        if kind.is_empty() || self.page_speaks_of(kind) || self.makes_here(kind) {
            return false;
        }
        let is_cell = |node: &Node| matches!(node.role.as_str(), "cell" | "gridcell");
        let around = || std::iter::once(element).chain(observation.ancestors(element).map(|(id, _)| id));
        let Some(cell) = around().find(|id| observation.node(*id).is_some_and(is_cell)) else { return false };
        let row = observation.ancestors(cell).find(|(_, node)| node.role == "row").map(|(id, _)| id);
        let holds_link = observation
            .interactive()
            .any(|(id, node)| node.role == "link" && (id == element || Region::Subtree(cell).holds(observation, id)));
        let first = row.and_then(|row| observation.children(row).find(|(_, cell)| !cell.text.is_empty()));
        !holds_link && first.is_some_and(|(first, _)| first != cell)
    }

    /// Whether the page makes new things of a kind and of no other, beside its navigation: `Add a new bill`. It is where they are.
    fn makes_here(&self, kind: &str) -> bool {
        let is_navigation = |around: &Node| matches!(around.role.as_str(), "navigation" | "banner" | "menu");
        let made = self.scene.elements().filter_map(|(id, node)| {
            let words = tokens(node.label());
            let makes = node.is_interactive() && (2..6).contains(&words.len()) && makes_new(&words[0]);
            let in_navigation = || self.scene.observation.ancestors(id).any(|(_, around)| is_navigation(around));
            let says_kind = words.iter().any(|word| same_concept(word, kind));
            let says_any = says_kind || words.iter().skip(1).any(|word| kind_of(word).is_some());
            (makes && says_any && !in_navigation()).then_some(says_kind)
        });
        let made: Vec<bool> = made.collect();
        !made.is_empty() && made.iter().all(|is_kind| *is_kind)
    }

    /// Whether a way leads to where things of a kind are, which was not followed yet.
    pub(super) fn kind_is_elsewhere(&self, kind: &str) -> bool {
        let speaks = |node: &Node| {
            let words = telling_words(node.label());
            // Where one is made is no place where they are.
            let makes = tokens(node.label()).first().is_some_and(|word| makes_new(word));
            !makes && words.len() < 3 && words.iter().any(|word| same_concept(word, kind))
        };
        self.scene.elements().any(|(id, node)| {
            speaks(node)
                && self.is_way(id, node)
                && !self.memory.hops.contains(&self.tried_key(id))
                && !self.page_is(Name::plain(node.label()))
        })
    }

    /// Whether what an element stands under speaks of a place: the title of the page, the headings above it.
    pub(super) fn headings_say(&self, element: ElementId, place: &str) -> bool {
        let observation = self.scene.observation;
        let mut level = u32::MAX;
        let before: Vec<(ElementId, &Node)> = self.scene.elements().take_while(|(id, _)| *id != element).collect();
        speaks_of(&observation.title, place)
            || before.iter().rev().any(|(_, node)| {
                let Some(own) = region::heading_level(node).filter(|own| *own < level) else { return false };
                level = own;
                speaks_of(&node.text, place)
            })
    }
}
