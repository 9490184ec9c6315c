//! Cells of a table that an instruction names by row and column: `Saturday's breakfast`, `the late shift on Wednesday`.

use super::super::{Pursuer, Pursuit, aside};
use super::form::{Assigned, Form};
use crate::ground::bind::Candidate;
use crate::ground::commands::same_concept;
use crate::ground::item::{is_form, is_in_entry};
use crate::ground::layout::column_of;
use crate::ground::names::same;
use crate::ground::region::Region;
use crate::ground::task::{Given, Task, TaskAct, Thing};
use crate::ground::understand::moment;
use crate::ground::words::{is_function_word, tokens};
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::observation::Node;

impl Pursuer<'_> {
    /// Whether an element stands in the cell of a table whose row and column are called as a place is.
    pub(super) fn is_in_cell_of(&self, element: ElementId, place: &str) -> bool {
        self.unsaid_by_heads(element, place).is_some_and(|unsaid| unsaid.is_empty())
    }

    /// The only control of that name in the cell that a task names by what it is done to, by places and by days.
    pub(super) fn control_of_cell(&self, task: &Task, names: &[&str]) -> Option<Candidate> {
        let Thing { name, places, quoted, .. } = &task.thing;
        let days = task.values.iter().filter(|given| given.field == "date").map(|given| given.value.as_str());
        let said: Vec<&str> = places.iter().map(|place| place.name.as_str()).chain(days).collect();
        let is_other = task.values.iter().any(|given| given.field != "date");
        if name.is_empty() || said.is_empty() || is_other {
            return None;
        }
        let wanted = format!("{name} {}", said.join(" "));
        // `the late shift`: the heads may leave out what they are of, but no word of a quoted name, and no number.
        let noun = tokens(name).into_iter().skip(1).last();
        let noun = noun.filter(|noun| !quoted && !noun.chars().any(|sign| sign.is_ascii_digit()));
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

    /// `the points of Ali in Test 1`: where no column is called points and one is called Test 1, that is the field. Other values are in no column.
    pub(super) fn value_of_column(&self, task: &Task) -> Option<Task> {
        let ([given], [place]) = (task.values.as_slice(), task.thing.places.as_slice()) else { return None };
        let column = |called: &str| {
            let mut heads = self.scene.elements().filter(|(_, node)| node.role == "columnheader");
            heads.find(|(_, node)| same(called, node.label())).map(|(_, node)| node.label().to_owned())
        };
        // `the second test` is headed as Test 2.
        let by_number = || {
            let (ordinal, noun) = place.name.split_once(' ')?;
            column(&format!("{noun} {}", moment::ordinal(&ordinal.to_lowercase()).filter(|number| *number > 0)?))
        };
        const COUNTED: [&str; 8] = ["points", "marks", "score", "grade", "result", "mark", "hours", "number"];
        let is_counted = COUNTED.contains(&given.field.as_str());
        if task.act != TaskAct::Edit || !is_counted || column(&given.field).is_some() {
            return None;
        }
        let field = column(&place.name).or_else(by_number)?;
        Some(Task {
            thing: Thing { places: Vec::new(), ..task.thing.clone() },
            values: vec![Given { field, ..given.clone() }],
            ..task.clone()
        })
    }

    /// The only box of an entry in the column that is headed as a state: `absent` of `present, absent, late`.
    pub(super) fn box_of_column(&self, regions: &[Region], state: &str) -> Option<ElementId> {
        let observation = self.scene.observation;
        let mut found = self.scene.elements().filter(|(id, node)| {
            node.allows(ActionKind::Check)
                && regions.iter().any(|region| region.holds(observation, *id))
                && self.stands_under(*id, state, regions)
        });
        found.next().filter(|_| found.next().is_none()).map(|(id, _)| id)
    }

    /// Gives an entry a value where it stands: the cell under the heading that the field is called by takes it once it is pressed, or pressed
    /// twice.
    pub(super) fn edit_in_cell(&mut self, task: &Task, regions: &[Region]) -> Option<Pursuit> {
        let [given] = task.values.as_slice() else { return None };
        if task.act != TaskAct::Edit || given.field.is_empty() {
            return None;
        }
        let observation = self.scene.observation;
        let is_within = |id: ElementId| regions.iter().any(|region| region.holds(observation, id));
        // A button that is all of its cell, and says nothing but the value in it, stands for the cell.
        let is_all_of_cell = |id: ElementId, node: &Node| {
            let cell =
                observation.ancestors(id).find(|(_, around)| matches!(around.role.as_str(), "cell" | "gridcell"));
            node.role == "button"
                && node.label().chars().any(|sign| sign.is_ascii_digit())
                && cell.is_some_and(|(_, cell)| same(node.label(), &cell.text))
        };
        let shows_value = |id: ElementId, node: &Node| {
            node.allows(ActionKind::Click)
                && !node.allows(ActionKind::Check)
                && (matches!(node.role.as_str(), "cell" | "gridcell" | "generic" | "text") || is_all_of_cell(id, node))
        };
        let is_cell = |id: ElementId, node: &Node| {
            shows_value(id, node) && is_within(id) && self.stands_under(id, &given.field, regions)
        };
        let all_that = |is_it: &dyn Fn(ElementId, &Node) -> bool| -> Vec<ElementId> {
            self.scene.elements().filter(|(id, node)| is_it(*id, node)).map(|(id, _)| id).collect()
        };
        // A table of fields: the one of the row in the column.
        let heads = |id: ElementId| column_of(observation, id).is_some_and(|head| same(&given.field, head.label()));
        let held = all_that(&|id, node| node.allows(ActionKind::Type) && is_within(id) && heads(id));
        if let [field] = *held.as_slice() {
            return self.fill_in_table(field, given);
        }
        let cells = all_that(&is_cell);
        let fields = all_that(&|id, node| node.allows(ActionKind::Type) && is_within(id));
        let taken = self.memory.tried.iter().filter(|tried| tried.starts_with("cell|")).count();
        // What was opened holds the only field of the entry.
        if let ([field], true) = (fields.as_slice(), taken > 0) {
            let typed = Action::Type { element: *field, text: given.value.clone(), submit: true };
            let step = self.step(typed, "takes the value where it stands".to_owned(), 0.85, false);
            return Some(self.decisive(step));
        }
        let [element] = *cells.as_slice() else { return None };
        if !fields.is_empty() {
            return None;
        }
        let count = u8::try_from(taken + 1).ok().filter(|count| *count <= 2)?;
        self.memory.tried.push(format!("cell|{}", self.node(element)?.xpath));
        let pressed = Action::Click { element, at: None, count };
        Some(aside(self.step(pressed, format!("may take another {} where it stands", given.field), 0.7, false)))
    }

    /// Gives a field of a table its value, and saves the table by the control that it has for that; without any, Enter tells the page.
    fn fill_in_table(&mut self, field: ElementId, given: &Given) -> Option<Pursuit> {
        let observation = self.scene.observation;
        let head = column_of(observation, field).map(|head| tokens(head.label())).unwrap_or_default();
        let is_of_table = |word: &String| {
            matches!(
                word.as_str(),
                "changes" | "all" | "table" | "points" | "marks" | "grades" | "scores" | "values" | "quantities"
            ) || head.contains(word)
                || same_concept(word, &given.field)
        };
        let is_save = |node: &Node| {
            let words = tokens(node.label());
            node.role == "button"
                && words.first().is_some_and(|word| matches!(word.as_str(), "save" | "update"))
                && words.iter().skip(1).all(is_of_table)
        };
        let saves: Vec<ElementId> = self
            .scene
            .elements()
            .filter(|(id, node)| is_save(node) && !node.states.disabled && !is_in_entry(observation, *id))
            .map(|(id, _)| id)
            .collect();
        let is_in_form = observation.ancestors(field).any(|(_, around)| is_form(around));
        match saves.as_slice() {
            [_] => {
                let form = Form { root: None, fields: vec![field], submits: saves };
                let assigned = [Assigned { index: 0, field, given: given.clone() }];
                Some(self.fill_and_hand_in(&form, &assigned, std::slice::from_ref(given), &["save"]))
            }
            [] if !is_in_form => {
                let typed = Action::Type { element: field, text: given.value.clone(), submit: true };
                let step = self.step(typed, "is the field of its row and column".to_owned(), 0.88, false);
                Some(self.decisive(step))
            }
            _ => None,
        }
    }

    /// Whether an element stands in the column that is headed so: in a table, or below such a text that stands in no entry of its own.
    fn stands_under(&self, element: ElementId, field: &str, regions: &[Region]) -> bool {
        let observation = self.scene.observation;
        if let Some(column) = column_of(observation, element) {
            return same(field, column.label());
        }
        let Some(bounds) = self.node(element).map(|node| node.bounds) else { return false };
        let is_head = |id: ElementId, node: &Node| {
            let center = bounds.x + bounds.width / 2.0;
            same(field, &node.text)
                && !node.is_interactive()
                && !regions.iter().any(|region| region.holds(observation, id))
                && node.bounds.bottom() <= bounds.y + 1.0
                && node.bounds.x <= center
                && center <= node.bounds.right()
        };
        self.scene.elements().any(|(id, node)| is_head(id, node))
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
