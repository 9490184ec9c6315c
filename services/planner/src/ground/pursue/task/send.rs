//! Sending a message, answering one, passing one on.

use super::super::{Pursuer, Pursuit, aside};
use super::form::{Form, is_search};
use super::locate::Located;
use crate::ground::commands::{self, Command};
use crate::ground::goal::Name;
use crate::ground::item::{is_dialog, is_in_entry, item_of};
use crate::ground::names::{holds_name, holds_words, same};
use crate::ground::pick::Pick;
use crate::ground::task::{Given, Task, TaskAct, Thing};
use domain::ElementId;
use domain::action::ActionKind;

impl Pursuer<'_> {
    /// By a form with a field for whom it goes to, or in the conversation with them.
    pub(super) fn send(&mut self, task: &Task) -> Pursuit {
        let to = task.values.iter().find(|given| given.field == "to").cloned().unwrap_or_default();
        let Given { value: to, quoted, .. } = to;
        let person = Thing { name: to.clone(), quoted, ..Thing::default() };
        for form in self.forms() {
            if let Ok(assigned) = self.assign(&form, &task.values) {
                return self.fill_and_hand_in(&form, &assigned, &task.values, &["send"]);
            }
        }
        let text: Vec<Given> = task.values.iter().filter(|given| given.field != "to").cloned().collect();
        if self.is_with(person.called())
            && let Some(form) = self.message_form()
        {
            return self.write_message(&form, &text);
        }
        if self.memory.opened && self.memory.hops.len() >= 4 {
            return Pursuit::Stuck(format!("found no field for a message to \"{to}\""));
        }
        match self.locate(&person) {
            Located::One(anchor) => {
                let regions = self.spot(anchor);
                if let Pick::One(found) =
                    self.control_in(&regions, &["message", "chat", "write", "send message", "contact"])
                {
                    self.memory.opened = true;
                    return aside(self.click(
                        found.element,
                        &format!("opens the conversation with \"{to}\""),
                        found.score,
                        false,
                    ));
                }
                if let Some(step) = self.open_thing(anchor, &regions) {
                    return step;
                }
                if let Some(form) = self.message_form().filter(|_| self.memory.opened) {
                    return self.write_message(&form, &text);
                }
            }
            Located::Several(reason) => return Pursuit::Unclear(reason),
            Located::None => {}
        }
        match self.control_of_page(
            &["compose", "new message", "write", "new mail", "new email", "new conversation", "new"],
            &Thing { kind: "message".into(), ..Thing::default() },
        ) {
            Pick::One(found) if !self.memory.tried.contains(&self.tried_key(found.element)) => {
                let key = self.tried_key(found.element);
                self.memory.tried.push(key);
                return aside(self.click(found.element, "opens the form for a new message", found.score, false));
            }
            _ => {}
        }
        self.elsewhere(task, &format!("\"{to}\", or a form to write to them"))
    }

    /// Whether the conversation that is shown is with somebody: a heading says so, or what is marked as current.
    fn is_with(&self, person: Name<'_>) -> bool {
        self.page_is(person)
            || self.scene.elements().any(|(id, node)| {
                // Each post of a thread has its own, which says who wrote it.
                let is_head = (node.role == "heading"
                    || matches!(node.tag.as_str(), "header" | "h1" | "h2" | "h3" | "h4"))
                    && !is_in_entry(self.scene.observation, id);
                (is_head || node.states.selected == Some(true))
                    && (same(person.text, node.label()) || holds_name(node.label(), person.text))
            })
    }

    /// Whether a form stands in what was opened for a thing, and that says what the thing is called: a letter with a field for the answer.
    fn stands_with_opened(&self, form: &Form, thing: &Thing) -> bool {
        let observation = self.scene.observation;
        let item = form.fields.first().and_then(|field| item_of(observation, *field));
        let says = item.and_then(|item| observation.node(item)).map(|node| node.text.as_str());
        self.memory.opened && says.is_some_and(|says| holds_words(says, thing.anchor()))
    }

    /// The form for a message that is shown: one field for text, and what sends it.
    fn message_form(&self) -> Option<Form> {
        let observation = self.scene.observation;
        let mut forms = self.forms();
        forms.retain(|form| {
            form.fields.iter().any(|id| {
                self.node(*id).is_some_and(|node| {
                    node.allows(ActionKind::Type)
                        && !is_search(node)
                        && !matches!(node.attribute("type"), "password" | "date" | "number")
                })
            }) && !item_of(observation, form.fields.first().copied().unwrap_or(ElementId(0)))
                .and_then(|item| observation.node(item))
                .is_some_and(|item| !is_dialog(item) && item.role == "row")
        });
        let speaks = |form: &Form| self.form_speaks_of(form, "message") || self.form_speaks_of(form, "text");
        if forms.iter().any(speaks) {
            forms.retain(speaks);
        }
        forms.into_iter().next()
    }

    fn write_message(&mut self, form: &Form, text: &[Given]) -> Pursuit {
        let Some(main) = self.main_field(form, "message") else {
            return Pursuit::Stuck("found no field for the message".to_owned());
        };
        let words = text.iter().find(|given| given.field == "text").cloned().unwrap_or_default();
        let one = super::form::Assigned { index: 0, field: main, given: words };
        if let Some(step) = self.put_into(&one, text) {
            return step;
        }
        self.hand_in(form, &["send"])
    }

    /// Answers or passes on a message that is there: by its control, then by the form that comes.
    pub(super) fn answer_message(&mut self, task: &Task) -> Pursuit {
        let (names, what) = match task.act {
            TaskAct::Forward => (commands::names(Command::Forward), "forward"),
            _ => (commands::names(Command::Reply), "reply to"),
        };
        // A conversation is answered by writing into it.
        if task.act == TaskAct::Reply
            && self.memory.stage == 0
            && let Some(form) = self.message_form()
            && (self.is_with(task.thing.called()) || self.stands_with_opened(&form, &task.thing))
        {
            return self.write_message(&form, &task.values);
        }
        if self.memory.stage == 0 {
            let pressed = self.act_on(task, names, what);
            // Pressing the control only opens the form: the decisive step is handing it in.
            if self.memory.decided {
                self.memory.decided = false;
                self.memory.stage = 1;
            }
            return pressed;
        }
        for form in self.forms() {
            if let Ok(assigned) = self.assign(&form, &task.values) {
                return self.fill_and_hand_in(&form, &assigned, &task.values, &["send"]);
            }
            // A form with one field for text needs no words for it.
            if task.act == TaskAct::Reply
                && let Some(form) = self.message_form()
            {
                return self.write_message(&form, &task.values);
            }
            if task.act == TaskAct::Forward
                && let [given] = task.values.as_slice()
                && let Some(main) = form.fields.iter().copied().find(|id| {
                    self.node(*id).is_some_and(|node| node.allows(ActionKind::Type) && node.tag != "textarea")
                })
            {
                let one = super::form::Assigned { index: 0, field: main, given: given.clone() };
                if let Some(step) = self.put_into(&one, &task.values) {
                    return step;
                }
                return self.hand_in(&form, &["send", "forward"]);
            }
        }
        Pursuit::Stuck(format!("found no form to {what} {}", task.thing.title()))
    }
}
