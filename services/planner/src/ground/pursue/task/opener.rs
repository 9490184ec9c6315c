//! The control that opens the form for what is to be made: `New task`, `+`, `Add` where only one thing can be added.

use super::super::Pursuer;
use super::locate::Located;
use crate::ground::bind::Candidate;
use crate::ground::commands::{self, Command, same_concept, telling_words};
use crate::ground::goal::{PagePart, Target};
use crate::ground::item::{form_holds, is_dialog, item_of};
use crate::ground::pick::{Pick, pick};
use crate::ground::region::Region;
use crate::ground::task::{Task, Thing};
use crate::ground::understand::kinds::kind_of;
use crate::ground::words::{is_entry_word, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::harm::puts_into_collection;
use domain::observation::Node;

impl Pursuer<'_> {
    /// The control that opens the form for a thing: `New task`, `+`, `Add` where only one thing can be added.
    pub(super) fn opener(&self, task: &Task) -> Pick {
        let observation = self.scene.observation;
        let mut found = self.called(commands::names(Command::Add), None);
        // Names such as `Task hinzufügen` end with the word.
        for (id, node) in self.scene.elements().filter(|(_, node)| {
            node.allows(ActionKind::Click) && !node.allows(ActionKind::Type) && !node.states.disabled
        }) {
            let words = tokens(node.label());
            let ends = words.len() <= 4
                && words.last().is_some_and(|word| commands::names(Command::Add).contains(&word.as_str()));
            // `+ tag`
            let has_sign = node.label().trim_start().starts_with('+')
                && !words.is_empty()
                && !task.thing.kind.is_empty()
                && self.names(id, &task.thing.kind);
            if (ends || has_sign) && !found.iter().any(|candidate| candidate.element == id) {
                found.push(Candidate { element: id, score: 0.85 });
            }
        }
        // `Report an issue`: other verbs begin something only with its kind.
        const BEGINNING: &[&str] = &[
            "report", "submit", "start", "raise", "file", "log", "record", "register", "invite", "upload", "book",
            "open",
        ];
        let with_kind = self
            .called(BEGINNING, None)
            .into_iter()
            .filter(|candidate| !task.thing.kind.is_empty() && self.names(candidate.element, &task.thing.kind));
        // Somebody is let in by a control that names the way, not the person.
        let letting_in = match task.thing.kind.as_str() {
            "person" => [self.called(&["invite", "share", "manage members"], None), self.member_lists()].concat(),
            _ => Vec::new(),
        };
        let lets_in = |candidate: &Candidate| letting_in.iter().any(|way| way.element == candidate.element);
        for candidate in with_kind.chain(letting_in.iter().copied()).collect::<Vec<_>>() {
            if !found.iter().any(|other| other.element == candidate.element) {
                found.push(candidate);
            }
        }
        // `Add to cart` is what is asked for, and no way to it: it adds what stands beside it, whatever was named.
        found.retain(|candidate| {
            self.node(candidate.element).is_none_or(|node| {
                !puts_into_collection(&tokens(node.label()).join(" ")) || node.label().ends_with('\u{2026}')
            })
        });
        found.retain(|candidate| {
            // `Create` in a row of tabs is all of its entry, and no control of a thing.
            let label = self.node(candidate.element).map(Node::label).unwrap_or_default();
            let in_entry = item_of(observation, candidate.element)
                .and_then(|item| observation.node(item))
                .is_some_and(|item| !is_dialog(item) && (item.text.is_empty() || item.text.trim() != label));
            let in_navigation = self.node(candidate.element).is_some_and(|node| self.is_way(candidate.element, node));
            !self.memory.tried.contains(&self.tried_key(candidate.element))
                && (!in_entry
                    || in_navigation
                    || (lets_in(candidate) && !task.thing.places.is_empty())
                    || self.is_of_named_entry(candidate.element, task))
                && !self.hands_in(candidate.element)
        });
        found.retain(|candidate| {
            task.thing.places.iter().all(|place| {
                self.is_in(candidate.element, place)
                    || self.names(candidate.element, &place.name)
                    || self.is_of_entry(candidate.element, place)
            })
        });
        let kind = task.thing.kind.as_str();
        let names_kind = |candidate: &Candidate| !kind.is_empty() && self.names(candidate.element, kind);
        let names_place =
            |candidate: &Candidate| task.thing.places.iter().any(|place| self.names(candidate.element, &place.name));
        let names_nothing = |candidate: &Candidate| {
            // `New entry` names no kind.
            const ANY: [&str; 8] =
                ["item", "eintrag", "element", "élément", "entrée", "elemento", "entrada", "registro"];
            let is_general = |word: &str| is_entry_word(word) || ANY.contains(&word);
            self.node(candidate.element).is_some_and(|node| {
                telling_words(node.label())
                    .iter()
                    .all(|word| commands::names(Command::Add).contains(&word.as_str()) || is_general(word))
            })
        };
        if found.iter().any(lets_in) {
            found.retain(lets_in);
        } else if found.iter().any(names_kind) {
            found.retain(names_kind);
        } else if found.iter().any(names_place) {
            found.retain(names_place);
        } else if found.iter().any(names_nothing) {
            found.retain(names_nothing);
        } else if !kind.is_empty() {
            // Each of them adds something else.
            found.clear();
        } else {
            let names_a_kind = |node: &Node| telling_words(node.label()).iter().any(|word| kind_of(word).is_some());
            found.retain(|candidate| !self.node(candidate.element).is_some_and(names_a_kind));
        }
        // Of several that are called alike, the one that stands by the word for the kind, or leads there by its address.
        self.keep_candidates(&mut found, |id| self.is_of_kind(id, kind));
        self.keep_candidates(&mut found, |id| self.is_captioned(id, kind));
        self.keep_candidates(&mut found, |id| self.leads_to_kind(id, kind));
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        let best = found.first().map_or(0.0, |found| found.score);
        let mut equals: Vec<Candidate> = found.into_iter().filter(|candidate| best - candidate.score < 0.2).collect();
        equals = crate::ground::pick::distinct(observation, equals);
        match equals.as_slice() {
            [] => Pick::None,
            [only] => Pick::One(*only),
            _ => pick(
                &self.scene,
                &Target {
                    around: task.thing.places.iter().map(|place| place.name.clone()).collect::<Vec<_>>().join(" "),
                    ..Target::labelled("add")
                },
                &equals,
            ),
        }
    }

    /// Keeps the candidates of which something is true, if it is of any.
    fn keep_candidates(&self, found: &mut Vec<Candidate>, is_true: impl Fn(ElementId) -> bool) {
        if found.len() > 1 && found.iter().any(|candidate| is_true(candidate.element)) {
            found.retain(|candidate| is_true(candidate.element));
        }
    }

    /// Whether the block that an element stands in begins with the word for a kind.
    fn is_captioned(&self, element: ElementId, kind: &str) -> bool {
        const AROUND: usize = 3;
        let begins = |node: &Node| tokens(&node.text).first().is_some_and(|word| same_concept(word, kind));
        let label = self.node(element).map(Node::label).unwrap_or_default();
        let around = self.scene.observation.ancestors(element).take(AROUND);
        !kind.is_empty() && around.map(|(_, node)| node).any(|node| node.text != label && begins(node))
    }

    /// Whether the address that a link leads to speaks of a kind: `issue?template=new`.
    fn leads_to_kind(&self, element: ElementId, kind: &str) -> bool {
        let address = self.node(element).map(|node| node.attribute("href")).unwrap_or_default();
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let says = |text: &str| tokens(text).iter().any(|word| same_concept(word, kind));
        !kind.is_empty() && (says(path) || says(query))
    }

    /// Buttons that say how many members there are, and show them: `3 members`.
    fn member_lists(&self) -> Vec<Candidate> {
        let says = |node: &Node| {
            let words: Vec<String> =
                tokens(node.label()).into_iter().filter(|word| word.parse::<u32>().is_err()).collect();
            matches!(words.as_slice(), [only] if same_concept(only, "member") || same_concept(only, "participant"))
        };
        let shows = |node: &Node| node.role == "button" && !node.states.disabled && says(node);
        let found = self.scene.elements().filter(|(_, node)| shows(node));
        found.map(|(element, _)| Candidate { element, score: 0.85 }).collect()
    }

    /// Whether the entry that a control stands in is the very place that the instruction names, such as a column of a board, and no entry in it.
    fn is_of_named_entry(&self, control: ElementId, task: &Task) -> bool {
        let observation = self.scene.observation;
        let Some(entry) = item_of(observation, control) else { return false };
        let is_it = |place: &PagePart| {
            let is_part = |part: &Region| matches!(part, Region::Subtree(part) if *part == entry);
            let is_caption = |anchor: ElementId| anchor == entry || item_of(observation, anchor) == Some(entry);
            self.parts_called(place.called()).iter().any(is_part)
                || matches!(self.locate(&Thing::of_place(place)), Located::One(anchor) if is_caption(anchor))
        };
        !task.thing.places.is_empty() && task.thing.places.iter().all(is_it)
    }

    /// Whether a control stands in the entry of what a place names.
    fn is_of_entry(&self, element: ElementId, place: &PagePart) -> bool {
        let thing = Thing::of_place(place);
        match self.locate(&thing) {
            Located::One(anchor) => {
                self.spot(anchor).iter().any(|region| region.holds(self.scene.observation, element))
            }
            Located::Several(_) | Located::None => false,
        }
    }

    /// Whether a button stands in a form with fields for text: it hands that form in, and opens none.
    fn hands_in(&self, element: ElementId) -> bool {
        let leads_elsewhere =
            |node: &Node| node.role == "link" && !matches!(node.attribute("href"), "" | "#" | "javascript:void(0)");
        let in_new_form = || self.forms().iter().any(|form| self.is_new(form) && form.submits.contains(&element));
        !self.node(element).is_some_and(leads_elsewhere)
            && (form_holds(self.scene.observation, element, &[ActionKind::Type]) || in_new_form())
    }

    pub(super) fn names(&self, element: ElementId, wanted: &str) -> bool {
        self.node(element).is_some_and(|node| {
            let words =
                tokens(&format!("{} {} {}", node.label(), node.attribute("title"), node.attribute("aria-label")));
            telling_words(wanted).iter().all(|word| words.iter().any(|other| same_concept(word, other)))
        })
    }
}
