//! Cells of a table that an instruction names by row and column: `Saturday's breakfast`, `the late shift on Wednesday`.

use super::super::Pursuer;
use crate::ground::bind::Candidate;
use crate::ground::commands::same_concept;
use crate::ground::layout::column_of;
use crate::ground::task::{Task, Thing};
use crate::ground::understand::moment;
use crate::ground::words::{is_function_word, tokens};
use domain::ElementId;

impl Pursuer<'_> {
    /// Whether an element stands in the cell of a table whose row and column are called as a place is.
    pub(super) fn is_in_cell_of(&self, element: ElementId, place: &str) -> bool {
        self.unsaid_by_heads(element, place).is_some_and(|unsaid| unsaid.is_empty())
    }

    /// The only control of that name in the cell that a task names by what it is done to, by places and by days.
    pub(super) fn control_of_cell(&self, task: &Task, names: &[&str]) -> Option<Candidate> {
        let Thing { name, places, .. } = &task.thing;
        let days = task.values.iter().filter(|given| given.field == "date").map(|given| given.value.as_str());
        let said: Vec<&str> = places.iter().map(|place| place.name.as_str()).chain(days).collect();
        let is_other = task.values.iter().any(|given| given.field != "date");
        if name.is_empty() || said.is_empty() || is_other {
            return None;
        }
        let wanted = format!("{name} {}", said.join(" "));
        // `the late shift`: the heads may leave out what they are of.
        let noun = tokens(name).into_iter().skip(1).last();
        let mut found = self.called(names, None);
        found.retain(|found| {
            let unsaid = self.unsaid_by_heads(found.element, &wanted);
            unsaid.is_some_and(|unsaid| unsaid.iter().all(|word| Some(word) == noun.as_ref()))
        });
        match found.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The words of a text that neither the row nor the column of an element is called by; none where it stands in no such cell.
    fn unsaid_by_heads(&self, element: ElementId, text: &str) -> Option<Vec<String>> {
        let observation = self.scene.observation;
        let row = observation.ancestors(element).find(|(_, node)| node.role == "row").map(|(id, _)| id)?;
        let head = observation.children(row).next().map(|(_, head)| tokens(&head.text))?;
        let column = tokens(column_of(observation, element)?.label());
        let tells =
            |word: &String| (word.chars().count() > 1 || word.parse::<u32>().is_ok()) && !is_function_word(word);
        let wanted: Vec<String> = tokens(text).into_iter().filter(tells).collect();
        let says = |words: &[String], wanted: &String| {
            words.iter().any(|word| same_concept(word, wanted) || moment::is_same_in_date(word, wanted))
        };
        let is_said = |words: &[String]| wanted.iter().any(|wanted| says(words, wanted));
        let unsaid = wanted.iter().filter(|wanted| !says(&head, wanted) && !says(&column, wanted));
        (is_said(&head) && is_said(&column)).then(|| unsaid.cloned().collect())
    }
}
