//! By which control a form is handed in, and whether that is left to the next clause.

use super::super::super::Pursuer;
use super::Form;
use crate::ground::commands::{self, Command, same_concept, telling_words};
use crate::ground::goal::{Goal, Name};
use crate::ground::item::{is_dialog, item_of};
use crate::ground::outcome;
use crate::ground::pursue::{enter, labels};
use crate::ground::region::Region;
use crate::ground::words::{begins_with_words, is_consequential, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;
use domain::trajectory::Step;

/// Words of buttons that do something of their own, whatever is filled in beside them.
const DEEDS: [&str; 12] =
    ["publish", "post", "send", "archive", "order", "buy", "pay", "book", "schedule", "start", "duplicate", "export"];

impl Pursuer<'_> {
    /// Whether a control belongs to another entry of the list that a field stands in, which has such a field as well: the `Publish` of the
    /// next card hands nothing in.
    pub(super) fn is_of_other_entry(&self, control: ElementId, field: ElementId) -> bool {
        let observation = self.scene.observation;
        let (Some(entry), Some(field_node)) = (item_of(observation, control), self.node(field)) else { return false };
        let entry = Region::Subtree(entry);
        let is_like = |node: &Node| {
            node.role == field_node.role && node.tag == field_node.tag && node.label() == field_node.label()
        };
        !entry.holds(observation, field)
            && self.scene.elements().any(|(id, node)| is_like(node) && entry.holds(observation, id))
    }

    /// Whether what was chosen last was sent as it was chosen, and the site took it: then it is not handed in by what does something of its
    /// own, such as `Publish` beside a list of categories. What is typed may be sent while one types, and is handed in all the same.
    pub(super) fn needs_no_button(&self, form: &Form, button: Option<ElementId>, prefer: &[&str]) -> bool {
        let is_loose = !form.root.is_some_and(|root| self.is_form(root));
        let last = self.history.iter().rfind(|step| step.action.kind() != ActionKind::Wait);
        let was_taken = last.is_some_and(|step| {
            matches!(step.action.kind(), ActionKind::Select | ActionKind::Check) && outcome::was_taken_by_site(step)
        });
        let is_deed = |button: ElementId| {
            self.node(button).is_some_and(|node| tokens(node.label()).iter().any(|word| DEEDS.contains(&word.as_str())))
        };
        is_loose && prefer.is_empty() && was_taken && button.is_some_and(is_deed)
    }

    /// Whether a form stands in the entry of some thing, and is that thing's own.
    pub(in super::super) fn form_is_of_entry(&self, form: &Form) -> bool {
        form.root
            .and_then(|root| item_of(self.scene.observation, root))
            .and_then(|item| self.node(item))
            .is_some_and(|item| !is_dialog(item))
    }

    /// Whether the next clause says how the form is handed in: by a control of it, by a key, or by words that were not understood.
    pub(super) fn is_handed_in_next(&self, form: &Form) -> bool {
        const HANDING_IN: [&str; 10] =
            ["save", "submit", "send", "publish", "post", "keep", "store", "confirm", "finish", "hand"];
        match self.later.first() {
            Some(Goal::Press(key)) => key.eq_ignore_ascii_case("enter"),
            Some(Goal::Activate(target)) => {
                let named = |id: ElementId, node: &Node| {
                    let words = tokens(node.label());
                    let is_draft = || target.text() == "save draft" && words.iter().any(|word| word == "draft");
                    let is_called = Name::of(target.text(), target.quoted).is_label(node.label()) || is_draft();
                    let in_form = form.root.is_some_and(|root| Region::Subtree(root).holds(self.scene.observation, id));
                    is_called && (form.submits.contains(&id) || (in_form && commands::puts_aside(node.label())))
                };
                self.scene.elements().any(|(id, node)| node.allows(ActionKind::Click) && named(id, node))
            }
            Some(Goal::NotUnderstood(clause)) => {
                tokens(clause).first().is_some_and(|word| HANDING_IN.contains(&word.as_str()))
            }
            _ => false,
        }
    }

    /// The only button in a line with the one that leaves a form which is called `OK`, `Save` or the like.
    fn agreeing_beside(&self, out: ElementId, node: &Node) -> Option<ElementId> {
        const AGREEING: [&str; 8] = ["ok", "save", "done", "apply", "rename", "update", "\u{2713}", "\u{2714}"];
        let in_line = |other: &Node| {
            let apart = (other.bounds.center().y - node.bounds.center().y).abs();
            other.parent == node.parent && apart <= node.bounds.height.max(other.bounds.height)
        };
        let agrees = |(id, other): &(ElementId, &Node)| {
            *id != out
                && other.role == "button"
                && !other.states.disabled
                && in_line(other)
                && AGREEING.contains(&other.label().trim().to_lowercase().as_str())
        };
        let mut found = self.scene.elements().filter(agrees);
        found.next().filter(|_| found.next().is_none()).map(|(id, _)| id)
    }

    /// The button of a form that no word tells: the only one that came with it, beside one that leaves it.
    pub(super) fn only_button(&self, form: &Form) -> Option<ElementId> {
        let leaves = |node: &Node| {
            let cancels = commands::names(Command::Cancel).iter().any(|name| begins_with_words(node.label(), name));
            cancels || commands::leaves(node.label())
        };
        let does_else = |node: &Node| {
            let words = tokens(node.label());
            is_consequential(node.label())
                || words.iter().any(|word| {
                    DEEDS.contains(&word.as_str()) || commands::names(Command::Remove).contains(&word.as_str())
                })
        };
        let shown = self
            .scene
            .elements()
            .filter(|(id, node)| node.role == "button" && (node.label().is_empty() || self.came_with(form, *id)));
        let (ways_out, others): (Vec<_>, Vec<_>) = shown.partition(|(_, node)| leaves(node));
        match (ways_out.as_slice(), others.as_slice()) {
            ([_], [(only, node)]) if !node.states.disabled && !node.label().is_empty() && !does_else(node) => {
                Some(*only)
            }
            // `Rename` may have become `OK`, beside a `Cancel` that is new.
            ([(out, node)], _) => self.agreeing_beside(*out, node),
            _ => None,
        }
    }

    /// Whether a field came when those of a form did: that much tells forms apart which nothing holds together.
    pub(super) fn came_like(&self, form: &Form, field: ElementId) -> bool {
        form.fields.first().is_some_and(|first| self.is_new_field(*first) == self.is_new_field(field))
    }

    /// The controls that may hand a form in; of one that nothing holds together, those that came with it.
    pub(super) fn own_submits(&self, form: &Form) -> Vec<ElementId> {
        let mut found = self.submits(form.root, &form.fields);
        if form.root.is_none() && self.is_new(form) {
            found.retain(|id| self.came_with(form, *id));
        }
        found
    }

    /// Whether a control was shown first by the step that showed the fields of a form.
    pub(super) fn came_with(&self, form: &Form, control: ElementId) -> bool {
        let tells = |told: &String, node: &Node| {
            let name = node.label().trim();
            !name.is_empty() && told.ends_with(&format!("\"{name}\""))
        };
        let Some(control) = self.node(control) else { return false };
        let mut fields = form.fields.iter().filter_map(|field| self.node(*field));
        let shows = |step: &&Step, node: &Node| step.difference.appeared.iter().any(|told| tells(told, node));
        let came = |field: &Node| self.history.iter().rev().find(|step| shows(step, field));
        fields.any(|field| came(field).is_some_and(|step| shows(&step, control)))
    }

    /// The controls of a form that may hand in what was filled: where nothing marks it as one form, not a control that names another of
    /// its fields, such as `Save notes` beside a field for tags.
    pub(super) fn submits_for_filled(&self, form: &Form) -> Vec<ElementId> {
        if form.root.is_some_and(|root| self.is_form(root)) {
            return form.submits.clone();
        }
        let labels = labels::of_fields(&self.scene, &form.fields);
        let is_filled = |field: &ElementId| self.memory.filled.contains(&enter::field_key(self.node(*field)));
        let names = |field: ElementId, label: &str, word: &str| {
            let node = self.node(field);
            let says = |text: &str| tokens(text).iter().any(|said| same_concept(said, word));
            says(label)
                || node.is_some_and(|node| {
                    says(&node.name)
                        || says(node.attribute("placeholder"))
                        || says(node.attribute("class"))
                        || says(node.attribute("id"))
                })
        };
        let is_other = |button: &Node| {
            let told = telling_words(button.label());
            let mut nouns = told.iter().filter(|word| {
                let is_command = |command: Command| commands::names(command).contains(&word.as_str());
                !is_command(Command::HandIn) && !is_command(Command::Send) && !is_command(Command::Add)
            });
            nouns.any(|word| {
                let mut fields = form.fields.iter().zip(&labels).filter(|(field, label)| names(**field, label, word));
                fields.clone().next().is_some() && !fields.any(|(field, _)| is_filled(field))
            })
        };
        form.submits.iter().copied().filter(|id| !self.node(*id).is_some_and(is_other)).collect()
    }
}
