//! Settings of the page: values of forms that belong to no entry.

use super::super::enter::field_key;
use super::super::{Pursuer, Pursuit, labels};
use super::form::{Assigned, Form};
use crate::ground::goal::Goal;
use crate::ground::task::{Task, TaskAct, Thing};
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::observation::Node;

impl Pursuer<'_> {
    /// Empties the one field that is called so.
    pub(super) fn clear_field(&mut self, thing: &Thing) -> Option<Pursuit> {
        let fields: Vec<ElementId> = self
            .fields()
            .into_iter()
            .filter(|id| self.node(*id).is_some_and(|node| node.allows(ActionKind::Type)))
            .collect();
        let labels = labels::of_fields(&self.scene, &fields);
        let mut called = fields.iter().zip(&labels).filter(|(_, label)| thing.called().is_label(label));
        let (field, _) = called.next().filter(|_| called.next().is_none())?;
        let node = self.node(*field)?;
        if node.value.as_deref().unwrap_or_default().is_empty() {
            return None;
        }
        let action = Action::Type { element: *field, text: String::new(), submit: false };
        Some(self.step(action, "is the field that is to be empty".to_owned(), 0.9, true))
    }

    /// The first of the forms that take the values, unless another is its twin: the same fields, and a button of the same name.
    fn form_meant(&self, fitting: &mut Vec<(Form, Vec<Assigned>)>) -> Option<(Form, Vec<Assigned>)> {
        let is_begun = |(form, _): &(Form, Vec<Assigned>)| {
            form.fields.iter().any(|id| self.memory.filled.contains(&field_key(self.node(*id))))
        };
        let look = |(form, assigned): &(Form, Vec<Assigned>)| {
            let fields: Vec<String> = assigned.iter().map(|one| self.field_label(one.field)).collect();
            let submits: Vec<&str> = form.submits.iter().filter_map(|id| self.node(*id)).map(Node::label).collect();
            format!("{fields:?} {submits:?}")
        };
        if fitting.iter().any(is_begun) {
            fitting.retain(is_begun);
        }
        let first = fitting.first().map(look)?;
        fitting.retain(|form| look(form) == first);
        if fitting.len() == 1 { fitting.pop() } else { None }
    }

    /// A setting of the page: `the site title`, `my email address`. It is handed in where nothing further is to be put in or pressed.
    pub(super) fn edit_page(&mut self, task: &Task) -> Pursuit {
        let goes_on = self.later.first().is_some_and(|goal| match goal {
            Goal::Task(next) => next.act == TaskAct::Edit && next.thing.is_empty(),
            Goal::Activate(_) | Goal::Enter { .. } | Goal::Choose { .. } | Goal::Press(_) => true,
            _ => false,
        });
        let values = task.values.clone();
        let mut fitting: Vec<(Form, Vec<Assigned>)> = Vec::new();
        for form in self.forms() {
            let Ok(assigned) = self.assign(&form, &values) else { continue };
            let is_filter = form.root.is_some_and(|root| self.node(root).is_some_and(super::belong::is_filter))
                || form.fields.iter().filter_map(|id| self.node(*id)).any(super::form::is_search);
            let in_place =
                task.thing.places.iter().all(|place| assigned.iter().all(|one| self.is_in(one.field, place)));
            if !self.makes_new(&form) && !is_filter && in_place && !self.form_is_of_entry(&form) {
                fitting.push((form, assigned));
            }
        }
        if let Some((form, assigned)) = self.form_meant(&mut fitting) {
            for one in &assigned {
                if let Some(step) = self.put_into(one, &values) {
                    return step;
                }
            }
            if goes_on || form.submits.is_empty() {
                return Pursuit::Reached;
            }
            return self.hand_in(&form, &[]);
        }
        let fields: Vec<&str> = task.values.iter().map(|given| given.field.as_str()).collect();
        if fitting.len() > 1 {
            let fields = fields.join(" and ");
            return Pursuit::Unclear(format!(
                "ambiguous: {} forms of the page have a field for the {fields}",
                fitting.len()
            ));
        }
        self.elsewhere(task, &format!("a field for the {}", fields.join(" and ")))
    }
}
