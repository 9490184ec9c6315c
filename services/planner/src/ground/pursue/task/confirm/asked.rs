//! What a dialog asks about a deed: in the deed's own words, or of how many things it is meant.

use super::super::super::Pursuer;
use crate::ground::bind::Candidate;
use crate::ground::item::is_dialog;
use crate::ground::region::Region;
use crate::ground::task::{Task, TaskAct};
use crate::ground::understand::kinds::kind_of;
use crate::ground::words::tokens;
use domain::ElementId;
use domain::observation::Node;

impl Pursuer<'_> {
    /// Whether a dialog asks about what was pressed in its own words: `Leave #design?`
    pub(super) fn asks_by_verb(&self, task: &Task) -> bool {
        let verb = task.act.verb();
        let says = |text: &str| text.contains('?') && tokens(text).iter().any(|word| word == verb);
        !verb.is_empty()
            && self.scene.elements().any(|(_, node)| is_dialog(node) && says(&format!("{} {}", node.name, node.text)))
    }

    /// The answer of a dialog that asks of how many a thing is: `This event`, beside `All events`.
    pub(super) fn only_this(&self, dialog: ElementId, task: &Task) -> Option<Candidate> {
        const LEADS: [&str; 5] = ["this", "only this", "just this", "only this one", "this one"];
        const SEVERAL: [&str; 6] = ["all", "every", "following", "series", "future", "entire"];
        let says_several = |text: &str| tokens(text).iter().any(|word| SEVERAL.contains(&word.as_str()));
        let acts = matches!(task.act, TaskAct::Remove | TaskAct::Edit | TaskAct::Move | TaskAct::Do(_));
        let asked_for = [task.thing.kind.as_str(), task.thing.name.as_str()].into_iter().any(says_several);
        if task.thing.all || asked_for || self.speaks_of_several || !acts || !self.came_of_it() {
            return None;
        }
        let region = Region::Subtree(dialog);
        let offers_several = |id: ElementId, node: &Node| {
            node.role == "button" && says_several(node.label()) && region.holds(self.scene.observation, id)
        };
        if !self.scene.elements().any(|(id, node)| offers_several(id, node)) {
            return None;
        }
        let is_it = |node: &Node| {
            let words = tokens(node.label());
            let said = words.join(" ");
            let behind =
                LEADS.iter().filter_map(|lead| said.strip_prefix(lead)).map(str::trim).min_by_key(|rest| rest.len());
            let is_kind = |word: &str| {
                kind_of(word).is_some() || matches!(word, "one" | "only" | "occurrence" | "date" | "instance")
            };
            node.role == "button"
                && !node.states.disabled
                && behind.is_some_and(|rest| rest.split(' ').filter(|word| !word.is_empty()).all(is_kind))
        };
        let within =
            self.scene.elements().filter(|(id, node)| region.holds(self.scene.observation, *id) && is_it(node));
        let found: Vec<ElementId> = within.map(|(id, _)| id).collect();
        match found[..] {
            [element] => Some(Candidate { element, score: 0.85 }),
            _ => None,
        }
    }
}
