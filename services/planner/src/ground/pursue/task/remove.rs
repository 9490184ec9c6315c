//! Taking a thing away.

use super::super::{Pursuer, Pursuit};
use super::locate::Located;
use crate::ground::commands::{self, Command};
use crate::ground::item::{form_holds, is_dialog, is_group, is_item, item_of};
use crate::ground::names::holds_words;
use crate::ground::pick::Pick;
use crate::ground::region::Region;
use crate::ground::task::{Task, Thing};
use crate::ground::words::{fold, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;
use std::collections::{BTreeMap, BTreeSet};

/// Words by which a message says that a thing was taken away.
pub(super) const REMOVED: [&str; 6] = ["deleted", "removed", "gelöscht", "entfernt", "supprimé", "eliminado"];

/// Kinds of things that are agreed upon with others.
pub(super) const AGREED: [&str; 8] =
    ["appointment", "meeting", "booking", "reservation", "order", "subscription", "flight", "invitation"];

/// Names of the control that cancels it.
const CANCELLING: [&str; 2] = ["cancel", "withdraw"];

/// What the entry of such a thing says afterwards.
const CALLED_OFF: [&str; 9] = [
    "cancelled",
    "canceled",
    "withdrawn",
    "storniert",
    "abgesagt",
    "annul\u{e9}",
    "annul\u{e9}e",
    "cancelado",
    "cancelada",
];

impl Pursuer<'_> {
    pub(super) fn remove(&mut self, task: &Task) -> Pursuit {
        if task.thing.all {
            let all = self.anchors_of(&task.thing);
            if all.is_empty() {
                return self.elsewhere(task, &task.thing.title());
            }
            if let Some(reason) = self.several_lists(&all) {
                return Pursuit::Unclear(reason);
            }
            self.memory.stage = u32::try_from(all.len()).unwrap_or(u32::MAX);
            self.memory.marked = all.iter().all(|id| self.is_marked(*id, &task.thing.kind));
        }
        self.note_others(&task.thing);
        // `Cancel appointment` is for what was agreed upon; `Cancel` alone leaves a form.
        let calling_off: Vec<String> = AGREED.iter().map(|kind| format!("cancel {kind}")).collect();
        let names = commands::names(Command::Remove).iter().copied().chain(calling_off.iter().map(String::as_str));
        let names: Vec<&str> = names.collect();
        match self.cancels(&task.thing) {
            true => self.act_on(task, &CANCELLING, "cancel"),
            false => self.act_on(task, &names, "remove"),
        }
    }

    /// Notes what else says the name of an entry of a list, as long as nothing of it is open.
    fn note_others(&mut self, thing: &Thing) {
        let observation = self.scene.observation;
        if self.memory.opened {
            self.memory.others.clear();
            return;
        }
        let is_over = |node: &Node| is_dialog(node) || matches!(node.role.as_str(), "menu" | "tooltip");
        if thing.all || observation.nodes.iter().any(is_over) {
            return;
        }
        self.memory.others.clear();
        if let Located::One(anchor) = self.locate(thing)
            && let Some(entry) = std::iter::once(anchor)
                .chain(item_of(observation, anchor))
                .find(|id| self.node(*id).is_some_and(is_item))
        {
            self.memory.others = self.what_says(thing.anchor(), Some(&Region::Subtree(entry)));
        }
    }

    /// Whether a thing is one that is agreed upon, and its entry has no control but one that cancels it. In a form the same word leaves
    /// the form.
    fn cancels(&self, thing: &Thing) -> bool {
        if !AGREED.contains(&thing.kind.as_str()) {
            return false;
        }
        let Located::One(anchor) = self.locate(thing) else { return false };
        let regions = self.spot(anchor);
        let leaves_form = |control: ElementId| {
            let observation = self.scene.observation;
            form_holds(observation, control, &[ActionKind::Type, ActionKind::Select])
                || observation.ancestors(control).any(|(_, node)| is_dialog(node))
        };
        self.control_in(&regions, commands::names(Command::Remove)) == Pick::None
            && matches!(self.control_in(&regions, &CANCELLING), Pick::One(found) if !leaves_form(found.element))
    }

    /// After one of all things was removed: the next, until none is left.
    pub(super) fn remove_next(&mut self, task: &Task) -> Pursuit {
        let mut left = self.anchors_of(&task.thing);
        left.retain(|id| !self.memory.marked || self.is_marked(*id, &task.thing.kind));
        let left = u32::try_from(left.len()).unwrap_or(u32::MAX);
        if left >= self.memory.stage {
            return Pursuit::Stuck(format!(
                "one of {} was to be removed, and nothing shows that it was",
                task.thing.title()
            ));
        }
        if left == 0 {
            return Pursuit::Reached;
        }
        self.memory.decided = false;
        self.memory.questions = 0;
        self.remove(task)
    }

    /// Why it is not told which list is meant, where the things stand in more than one.
    pub(super) fn several_lists(&self, all: &[domain::ElementId]) -> Option<String> {
        let observation = self.scene.observation;
        let list_of = |id: &domain::ElementId| {
            let entry = if observation.node(*id).is_some_and(crate::ground::item::is_item) {
                Some(*id)
            } else {
                crate::ground::item::item_of(observation, *id)
            };
            entry.and_then(|entry| observation.node(entry)).and_then(|node| node.parent)
        };
        let first = all.first().and_then(list_of);
        (!all.iter().all(|id| list_of(id) == first))
            .then(|| "ambiguous: the things stand in several lists, and nothing tells which is meant".to_owned())
    }

    /// Whether the thing is gone where it was.
    pub(super) fn is_gone(&self, thing: &Thing) -> bool {
        let bare = Thing { ordinal: None, all: true, ..thing.clone() };
        let left = self.anchors_of(&bare);
        let now = self.what_says(thing.anchor(), None);
        let is_same_page = self.is_where_decided();
        // Another one of a like name, or a mention of it, was there before, and as often.
        let is_other = |id: ElementId| {
            let text = self.node(id).map(|node| fold(&node.text)).unwrap_or_default();
            let as_often = |before: &usize| now.get(&text).is_some_and(|now| now <= before);
            is_same_page && self.memory.others.get(&text).is_some_and(as_often)
        };
        left.into_iter().all(|id| {
            (thing.places.is_empty() && self.is_among_removed(id)) || self.tells_of_removal(id) || is_other(id)
        })
    }

    /// Whether what was cancelled is kept as such: its entry says so, and can be cancelled no longer.
    pub(super) fn is_called_off(&self, thing: &Thing) -> bool {
        let pressed = self.history.get(self.memory.decided_at).and_then(|step| step.action.element());
        let Some(label) = pressed
            .map(|element| element.name.as_str())
            .filter(|label| tokens(label).iter().any(|word| CANCELLING.contains(&word.as_str())))
        else {
            return false;
        };
        let is_so = |text: &str| tokens(text).iter().any(|word| CALLED_OFF.contains(&word.as_str()));
        if !self.appeared_since_decided().any(|text| is_so(text)) {
            return false;
        }
        let Located::One(anchor) = self.locate(thing) else { return false };
        let Some(entry) = self.spot(anchor).into_iter().next() else { return false };
        let shown = || self.scene.elements().filter(|(id, _)| entry.holds(self.scene.observation, *id));
        let is_still_there = |node: &Node| node.is_interactive() && node.label() == label;
        shown().any(|(_, node)| is_so(&node.text)) && !shown().any(|(_, node)| is_still_there(node))
    }

    /// The smallest texts that say a name, and how often each is there, but for those in one part of the page.
    fn what_says(&self, name: &str, without: Option<&Region>) -> BTreeMap<String, usize> {
        let observation = self.scene.observation;
        let all: Vec<(ElementId, &Node)> =
            self.scene.elements().filter(|(_, node)| holds_words(&node.text, name)).collect();
        let outer: BTreeSet<ElementId> =
            all.iter().flat_map(|(id, _)| observation.ancestors(*id).map(|(around, _)| around)).collect();
        let mut says: BTreeMap<String, usize> = BTreeMap::new();
        for (id, node) in &all {
            if !outer.contains(id) && without.is_none_or(|part| !part.holds(observation, *id)) {
                *says.entry(fold(&node.text)).or_default() += 1;
            }
        }
        says
    }

    /// Whether an element is a message that the thing is removed, and no control: `Trip was removed.`
    fn tells_of_removal(&self, element: ElementId) -> bool {
        const LONGEST: usize = 120;
        let Some(node) = self.node(element) else { return false };
        let is_short = node.text.chars().count() <= LONGEST && !node.is_interactive();
        let has_come = self
            .history
            .iter()
            .rev()
            .take(3)
            .flat_map(|step| &step.difference.appeared)
            .any(|told| told.contains(node.text.trim()));
        const NO_LONGER: [&str; 4] = ["no longer", "nicht mehr", "n'est plus", "ya no"];
        let says = NO_LONGER.iter().any(|phrase| node.text.to_lowercase().contains(phrase))
            || tokens(&node.text)
                .iter()
                .any(|word| REMOVED.contains(&word.as_str()) || matches!(word.as_str(), "cancelled" | "canceled"));
        is_short && says && has_come && !node.text.trim().is_empty()
    }

    /// Whether an element stands in a list of what was removed, under a heading that says so: `Recently deleted`.
    fn is_among_removed(&self, element: ElementId) -> bool {
        const LISTS: [&str; 11] = [
            "trash",
            "papierkorb",
            "gelöschte",
            "corbeille",
            "supprimés",
            "papelera",
            "eliminados",
            "cestino",
            "eliminati",
            "prullenbak",
            "lixeira",
        ];
        let is_removed = |word: &String| REMOVED.contains(&word.as_str()) || LISTS.contains(&word.as_str());
        let observation = self.scene.observation;
        let says = |text: &str| tokens(text).iter().any(is_removed);
        let before = observation.elements().take_while(|(id, _)| *id != element);
        // The heading of a page of removed things tells nothing of one of them.
        let heading = before.filter(|(_, node)| node.role == "heading").last().filter(|(_, node)| node.tag != "h1");
        heading.is_some_and(|(_, node)| says(&node.text))
            || observation.ancestors(element).any(|(_, node)| is_group(node) && says(&node.name))
    }
}

/// Whether a cross closes what it stands in, by the name that it has for people who do not see it.
pub(super) fn only_closes(node: &Node) -> bool {
    const CLOSING: [&str; 8] = ["close", "dismiss", "hide", "schlie\u{df}en", "fermer", "cerrar", "chiudi", "sluiten"];
    let begins = |text: &str| tokens(text).first().is_some_and(|word| CLOSING.contains(&word.as_str()));
    begins(&node.name) || begins(node.attribute("title"))
}
