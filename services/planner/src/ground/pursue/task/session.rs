//! Logging in and out.

use super::super::{Pursuer, Pursuit, aside};
use super::form::Form;
use crate::ground::commands::{self, Command};
use crate::ground::pick::Pick;
use crate::ground::task::{Given, Task, Thing};
use domain::action::ActionKind;

impl Pursuer<'_> {
    pub(super) fn log_in(&mut self, task: &Task) -> Pursuit {
        let is_password = |form: &Form| {
            form.fields.iter().any(|id| self.node(*id).is_some_and(|node| node.attribute("type") == "password"))
        };
        let mut forms = self.forms();
        forms.retain(is_password);
        // Of a form to log in and one to register, the one with a single password is meant.
        let passwords = |form: &Form| {
            form.fields
                .iter()
                .filter(|id| self.node(**id).is_some_and(|node| node.attribute("type") == "password"))
                .count()
        };
        if forms.iter().any(|form| passwords(form) == 1) {
            forms.retain(|form| passwords(form) == 1);
        }
        if let Some(form) = forms.first().cloned() {
            if task.values.is_empty() {
                return Pursuit::Unclear("the instruction says neither who logs in nor by which password".to_owned());
            }
            let assigned = match self.assign(&form, &task.values) {
                Ok(assigned) => assigned,
                Err(given) if given.field == "user" => match self.first_text(&form) {
                    // Who logs in goes into the only field beside the password.
                    Some(field) => {
                        let others: Vec<Given> =
                            task.values.iter().filter(|given| given.field != "user").cloned().collect();
                        let Ok(mut assigned) = self.assign(&form, &others) else {
                            return Pursuit::Stuck("found no field for the password".to_owned());
                        };
                        assigned.insert(0, super::form::Assigned { index: 0, field, given });
                        assigned
                    }
                    None => return Pursuit::Stuck("found no field for the user".to_owned()),
                },
                Err(given) => return Pursuit::Stuck(format!("found no field for the {}", given.field)),
            };
            for one in &assigned {
                if let Some(step) = self.put_into(one, &task.values) {
                    return step;
                }
            }
            return self.hand_in(&form, commands::names(Command::LogIn));
        }
        // A form that asks for the user first.
        match self.control_of_page(commands::names(Command::LogIn), &Thing::default()) {
            Pick::One(found) if !self.memory.tried.contains(&self.tried_key(found.element)) => {
                let key = self.tried_key(found.element);
                self.memory.tried.push(key);
                return aside(self.click(found.element, "leads to where one logs in", found.score, false));
            }
            Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
            _ => {}
        }
        if matches!(self.control_of_page(commands::names(Command::LogOut), &Thing::default()), Pick::One(_))
            && task.values.is_empty()
        {
            return self.held("somebody is logged in".to_owned());
        }
        self.elsewhere(task, "a form to log in")
    }

    /// The only field for text of a form beside its passwords.
    fn first_text(&self, form: &Form) -> Option<domain::ElementId> {
        let mut texts = form.fields.iter().copied().filter(|id| {
            self.node(*id).is_some_and(|node| node.allows(ActionKind::Type) && node.attribute("type") != "password")
        });
        texts.next().filter(|_| texts.next().is_none())
    }

    pub(super) fn log_out(&mut self, task: &Task) -> Pursuit {
        match self.control_of_page(commands::names(Command::LogOut), &Thing::default()) {
            Pick::One(found) => self.press(&found, "ends the session"),
            Pick::Ambiguous(reason) => Pursuit::Unclear(reason),
            Pick::None => self.elsewhere(task, "a control to log out"),
        }
    }
}
