//! Values whose field is called otherwise than the instruction says, or not at all.

use super::super::super::Pursuer;
use super::{Assigned, Form};
use crate::ground::names::same;
use crate::ground::numbered::is_numbered;
use crate::ground::task::Given;
use domain::ElementId;

impl Pursuer<'_> {
    /// The only list of a form that offers a type, whatever it is called.
    pub(super) fn list_of_types(&self, form: &Form, given: &Given, assigned: &[Assigned]) -> Option<ElementId> {
        let offers = |field: &&ElementId| {
            let is_free = !assigned.iter().any(|other| other.field == **field);
            let options = self.node(**field).map(|node| node.options.as_slice()).unwrap_or_default();
            is_free && given.field == "type" && options.iter().any(|option| given.is_called(&option.label))
        };
        let mut found = form.fields.iter().filter(offers);
        found.next().filter(|_| found.next().is_none()).copied()
    }

    /// `to enclosure 14`: a field that is called `Enclosure` takes the number.
    pub(super) fn as_numbered(&self, form: &Form, given: &Given) -> Option<Given> {
        let (kind, number) = given.value.rsplit_once(' ').filter(|(kind, number)| is_numbered(kind, number))?;
        let is_called = |field: &ElementId| self.node(*field).is_some_and(|node| same(kind, &node.name));
        let is_place = given.field == "to" && !given.quoted && form.fields.iter().any(is_called);
        is_place.then(|| Given { field: kind.to_owned(), value: number.to_owned(), quoted: false })
    }
}
