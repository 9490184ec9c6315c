//! Commands of a page for the entries that are chosen by a box: the box of the thing first, and of nothing else, then the command.

use super::super::{Pursuer, Pursuit, aside};
use crate::ground::commands::same_concept;
use crate::ground::goal::Target;
use crate::ground::item::is_in_entry;
use crate::ground::pick::{Pick, pick};
use crate::ground::region::Region;
use crate::ground::task::Task;
use crate::ground::words::tokens;
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::observation::Node;

impl Pursuer<'_> {
    /// Chooses the thing by its box, then presses the command that these names call, where the page has one for what is chosen.
    pub(super) fn act_on_chosen(&mut self, task: &Task, regions: &[Region], names: &[&str]) -> Option<Pursuit> {
        let own = self.only_toggle(regions)?;
        let chosen = self.node(own)?.states.checked;
        let is_box = |node: &Node| node.allows(ActionKind::Check) && node.role == "checkbox";
        let observation = self.scene.observation;
        // Before anything is chosen it may be disabled, or not be there.
        let mut found = self.called_at_all(names, None);
        found.retain(|found| {
            self.node(found.element)
                .is_some_and(|node| node.role == "button" && is_for_chosen(node.label(), names, task))
                && !is_in_entry(observation, found.element)
        });
        // A box with a name of its own may say that the entry is done.
        let is_bare = self.node(own).is_some_and(|node| node.label().trim().is_empty());
        let waits_for_choice = found.iter().any(|found| self.is_disabled(found));
        let is_for_choice = self.only_selects(own) || (!found.is_empty() && (is_bare || waits_for_choice));
        if !self.node(own).is_some_and(is_box) || !is_for_choice {
            return None;
        }
        let is_other = |id: ElementId, node: &Node| id != own && is_box(node) && is_in_entry(observation, id);
        let is_chosen = |(id, node): (ElementId, &Node)| is_other(id, node) && node.states.checked == Some(true);
        if self.scene.elements().any(is_chosen) {
            return Some(Pursuit::Unclear(
                "other entries are chosen, which the command would act on as well".to_owned(),
            ));
        }
        if chosen != Some(true) {
            let key = self.tried_key(own);
            if self.memory.tried.contains(&key) {
                return None;
            }
            self.memory.tried.push(key);
            let choose = Action::Check { element: own, checked: true };
            let why = format!("chooses {} for a command", task.thing.title());
            return Some(aside(self.step(choose, why, 0.85, false)));
        }
        match pick(&self.scene, &Target::labelled(names.first().copied().unwrap_or_default()), &found) {
            Pick::One(found) => {
                Some(self.press(&found, &format!("is for what is chosen, which is {}", task.thing.title())))
            }
            Pick::Ambiguous(reason) => Some(Pursuit::Unclear(reason)),
            Pick::None => None,
        }
    }
}

/// Whether a command of the page is for what is chosen: it is called as the command alone, or says so, and not for all.
fn is_for_chosen(label: &str, names: &[&str], task: &Task) -> bool {
    const SAID: [&str; 8] = ["selected", "chosen", "checked", "marked", "item", "items", "these", "as"];
    let of_names: Vec<String> = names.iter().flat_map(|name| tokens(name)).collect();
    let of_kind = |word: &str| !task.thing.kind.is_empty() && same_concept(word, &task.thing.kind);
    tokens(label).iter().all(|word| {
        of_names.contains(word)
            || SAID.contains(&word.as_str())
            || of_kind(word)
            || word.chars().all(|sign| sign.is_ascii_digit())
    })
}
