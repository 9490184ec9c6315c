//! Changes by a menu: where a thing is to go, or which value it gets, stands in what was opened for it.

use super::super::super::{Pursuer, Pursuit, aside};
use super::super::drawn::is_drawn_list;
use crate::ground::goal::Name;
use crate::ground::item::{is_dialog, is_group, is_in_entry, item_of};
use crate::ground::names::same;
use crate::ground::region::Region;
use crate::ground::task::{Given, Task, TaskAct};
use crate::ground::words::tokens;
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

impl Pursuer<'_> {
    /// Whether the last step opened a menu.
    pub(in crate::ground::pursue) fn has_just_opened_menu(&self) -> bool {
        self.memory.menu_at > 0 && self.memory.menu_at == self.history.len()
    }

    /// Whether an element is of the menu that the last step opened: by its role, by what it stands in, or because it came with the menu,
    /// which many pages draw of plain parts.
    pub(in super::super) fn is_in_open_menu(&self, id: ElementId, node: &Node) -> bool {
        let is_menu = |node: &Node| matches!(node.role.as_str(), "menu" | "listbox" | "tooltip") || is_dialog(node);
        self.has_just_opened_menu()
            && (node.role.starts_with("menuitem")
                || self.scene.observation.ancestors(id).any(|(_, node)| is_menu(node))
                || self.has_come(node))
    }

    /// Whether a thing that is to be moved stands where it is to go: the innermost part around it that has a name is called so, or the
    /// nearest heading above it.
    pub(super) fn is_there_already(&self, task: &Task, anchor: ElementId) -> bool {
        let [Given { value, quoted, .. }] = task.values.as_slice() else { return false };
        if task.act != TaskAct::Move || !self.memory.typed.is_empty() {
            return false;
        }
        let observation = self.scene.observation;
        let name = Name::of(value, *quoted);
        let mut around = observation.ancestors(anchor).map(|(_, node)| node);
        // The card itself may be a part that is called as the thing is.
        let is_its_own = |node: &Node| same(&node.name, task.thing.anchor());
        if let Some(part) = around.find(|node| is_group(node) && !node.name.is_empty() && !is_its_own(node)) {
            return name.is_label(&part.name);
        }
        let own = item_of(observation, anchor).unwrap_or(anchor);
        let above = observation.elements().take_while(|(id, _)| *id != own && *id != anchor);
        let heading = above.filter(|(id, node)| node.role == "heading" && item_of(observation, *id).is_none()).last();
        heading.is_some_and(|(_, node)| node.tag != "h1" && name.is_label(node.label()))
    }

    /// What the menu that the last step opened for the thing offers for the change: where it is to go, or what asks for the new value.
    pub(super) fn choose_in_open_menu(&mut self, task: &Task) -> Option<Pursuit> {
        if !self.has_just_opened_menu() {
            return None;
        }
        if let Some(step) = self.choose_in_menu(task) {
            return Some(step);
        }
        if let Some(names) = super::moving(task) {
            return self.ask_where_to(names);
        }
        let [given] = task.values.as_slice() else { return None };
        if task.act != TaskAct::Edit || given.field.is_empty() {
            return None;
        }
        let asks = |id: ElementId, node: &Node| {
            node.allows(ActionKind::Click)
                && !node.states.disabled
                && self.is_in_open_menu(id, node)
                && self.has_come(node)
                && !is_drawn_list(node)
                && asks_for_field(node.label(), &given.field)
        };
        let offered: Vec<ElementId> =
            self.scene.elements().filter(|(id, node)| asks(*id, node)).map(|(id, _)| id).collect();
        let [only] = *offered.as_slice() else { return None };
        let opened = self.open_form(only, &format!("asks for another {}", given.field), 0.85);
        self.memory.menu_at = self.history.len() + 1;
        Some(opened)
    }

    /// The entry of the menu that asks where a thing is to go: `Move to…`.
    fn ask_where_to(&mut self, names: &[&str]) -> Option<Pursuit> {
        let asks = |node: &Node| {
            node.allows(ActionKind::Click)
                && !node.states.disabled
                && self.has_come(node)
                && names.iter().any(|name| same(name, node.label()))
        };
        let offered: Vec<ElementId> = self.scene.elements().filter(|(_, node)| asks(node)).map(|(id, _)| id).collect();
        let [only] = *offered.as_slice() else { return None };
        let opened = self.open_form(only, "asks where it is to go", 0.85);
        self.memory.menu_at = self.history.len() + 1;
        Some(opened)
    }

    /// Where a thing is to go, as the menu that was opened for it offers that.
    pub(super) fn choose_in_menu(&mut self, task: &Task) -> Option<Pursuit> {
        let [given] = task.values.as_slice() else { return None };
        let names_place = |label: &str| given.is_called(place_in(label).unwrap_or(label));
        let is_choice = |id: ElementId, node: &Node| {
            (node.role.starts_with("menuitem") || (node.allows(ActionKind::Click) && self.is_in_open_menu(id, node)))
                && names_place(node.label())
        };
        let offered: Vec<ElementId> = self
            .scene
            .elements()
            .filter(|(id, node)| is_choice(*id, node) && !node.states.disabled)
            .map(|(id, _)| id)
            .collect();
        let [only] = offered.as_slice() else { return None };
        (task.act == TaskAct::Move).then(|| {
            let chosen = self.click(*only, "is where it is to go", 0.88, false);
            self.decisive(chosen)
        })
    }

    /// A control of the thing that says where it puts it: `Move to cart`.
    pub(super) fn move_by_own_control(&mut self, task: &Task, regions: &[Region]) -> Option<Pursuit> {
        let [given] = task.values.as_slice() else { return None };
        let is_it = |id: ElementId, node: &Node| {
            node.allows(ActionKind::Click)
                && !node.states.disabled
                && place_in(node.label()).is_some_and(|place| given.is_called(place))
                && regions.first().is_some_and(|own| own.holds(self.scene.observation, id))
        };
        let found: Vec<ElementId> =
            self.scene.elements().filter(|(id, node)| is_it(*id, node)).map(|(id, _)| id).collect();
        let [only] = *found.as_slice() else { return None };
        (task.act == TaskAct::Move).then(|| {
            let moved = self.click(only, "puts it where it is to go", 0.88, false);
            self.decisive(moved)
        })
    }

    /// Whether a control moves the thing by itself, to a place that it names: `Move to trash` asks nothing.
    pub(super) fn moves_elsewhere(&self, task: &Task, control: ElementId) -> bool {
        const ANY: [&str; 12] = [
            "another",
            "other",
            "different",
            "a",
            "the",
            "folder",
            "list",
            "column",
            "board",
            "project",
            "group",
            "place",
        ];
        let label = self.node(control).map(Node::label).unwrap_or_default();
        let names_one = |place: &str| tokens(place).iter().any(|word| !ANY.contains(&word.as_str()));
        let asks = label.trim_end().ends_with(['\u{2026}', '.']);
        task.act == TaskAct::Move && !asks && place_in(label).is_some_and(names_one)
    }

    /// A value that stands in a list which a button of the opened thing unfolds: `Assign`, then the names.
    pub(super) fn choose_unfolded(&mut self, task: &Task) -> Option<Pursuit> {
        let [given] = task.values.as_slice() else { return None };
        if !matches!(task.act, TaskAct::Edit | TaskAct::Move) || given.field.is_empty() {
            return None;
        }
        if self.has_just_opened_menu() {
            // Only what has just come is in the list.
            let has_come = |node: &Node| node.allows(ActionKind::Click) && !node.states.disabled && self.has_come(node);
            let offering = |is_it: &dyn Fn(&str) -> bool| -> Vec<ElementId> {
                let offered = self.scene.elements().filter(|(_, node)| has_come(node) && is_it(node.label()));
                offered.map(|(id, _)| id).collect()
            };
            let mut offered = offering(&|label| given.is_called(label));
            // `Petra` for who is to do it, where one person of that name is offered.
            if offered.is_empty() && !given.quoted && is_for_person(&given.field) {
                offered = offering(&|label| is_first_name(&given.value, label));
            }
            let [only] = offered.as_slice() else { return None };
            let chosen = self.click(*only, "is the value that the instruction names", 0.88, false);
            return Some(self.decisive(chosen));
        }
        let unfolds = |id: ElementId, node: &Node| {
            let is_closed = node.states.expanded == Some(false) || !node.attribute("aria-haspopup").is_empty();
            let is_named = is_closed && task.act == TaskAct::Edit && names_field(node.label(), &given.field);
            // The line of a label and its value may look like an entry; it holds nothing else to press.
            let is_alone = || {
                let line = item_of(self.scene.observation, id).map(Region::Subtree);
                let others = |line: &Region| {
                    let mut within = self.scene.observation.interactive();
                    within.any(|(other, _)| other != id && line.holds(self.scene.observation, other))
                };
                line.is_none_or(|line| !others(&line))
            };
            ((is_named && !is_in_entry(self.scene.observation, id))
                || (self.shows_value_of(id, node, given, task) && is_alone()))
                && node.allows(ActionKind::Click)
                && !node.states.disabled
        };
        let found: Vec<ElementId> =
            self.scene.elements().filter(|(id, node)| unfolds(*id, node)).map(|(id, _)| id).collect();
        let button = self.take_only_untried(&found)?;
        Some(aside(self.click(button, &format!("may show the values for the {}", given.field), 0.7, false)))
    }

    /// Whether a part of plain markup shows the value of a field, by its arrow and by the text before it: `Priority`, `Low \u{25be}`.
    fn shows_value_of(&self, id: ElementId, node: &Node, given: &Given, task: &Task) -> bool {
        const ARROWS: [char; 6] = ['\u{25be}', '\u{25bc}', '\u{2304}', '\u{23f7}', '\u{25bf}', '\u{2bc6}'];
        let label = || {
            let parent = node.parent?;
            let before = self.scene.observation.children(parent).take_while(|(other, _)| *other != id).last();
            before.filter(|(_, text)| !text.is_interactive()).map(|(_, text)| text.text.to_lowercase())
        };
        let is_named = |label: String| match task.act {
            TaskAct::Move => given.field == "to" && PLACES.contains(&label.trim_end_matches(':')),
            _ => names_field(&label, &given.field),
        };
        node.text.trim_end().ends_with(ARROWS) && label().is_some_and(is_named)
    }
}

/// Whether a field is for somebody.
fn is_for_person(field: &str) -> bool {
    const FOR: [&str; 6] = ["assignee", "owner", "responsible", "reviewer", "editor", "contact"];
    FOR.contains(&field.to_lowercase().as_str())
}

/// Whether a label is the name of a person, of first and last name, and a word the first.
fn is_first_name(first: &str, label: &str) -> bool {
    let words: Vec<&str> = label.split_whitespace().collect();
    let is_name = |word: &&str| word.starts_with(char::is_uppercase) && word.chars().all(char::is_alphabetic);
    words.len() == 2 && words.iter().all(is_name) && words.first() == Some(&first)
}

/// What places are called that a thing may be moved to.
const PLACES: [&str; 10] =
    ["column", "list", "status", "stage", "folder", "project", "section", "board", "group", "category"];

/// The place that a control names which moves something there: `Party` of `Move to Party`, for `the Party list`.
pub(super) fn place_in(label: &str) -> Option<&str> {
    const LEADS: [&str; 5] = ["move to ", "to ", "verschieben nach ", "déplacer vers ", "mover a "];
    let lower = label.to_lowercase();
    LEADS.iter().find_map(|lead| lower.starts_with(lead).then(|| label.get(lead.len()..).unwrap_or_default().trim()))
}

/// Whether a control is called like a field, or like the verb that the field's name is made of: `Assign` for the assignee.
fn names_field(label: &str, field: &str) -> bool {
    const STEM: usize = 4;
    let field = field.to_lowercase();
    let said = tokens(label);
    let is_verb = |word: &String| word.len() >= STEM && field.starts_with(word.as_str());
    let is_whole = || tokens(&field).iter().all(|word| said.contains(word));
    said.len() <= 3 && (is_whole() || said.iter().any(is_verb))
}

/// Whether an entry of a menu asks for another value of a field: it is called as the field is, or by a verb that changes it. `Clear due date`
/// and `Copy name` do something else.
fn asks_for_field(label: &str, field: &str) -> bool {
    const CHANGES: [&str; 8] = ["change", "edit", "set", "update", "assign", "choose", "select", "pick"];
    let said: Vec<String> = tokens(label);
    let own = tokens(field);
    let rest: Vec<&String> = said.iter().filter(|word| !CHANGES.contains(&word.as_str())).collect();
    let is_field = rest.len() == own.len() && own.iter().all(|word| rest.contains(&word));
    // `Assign` asks for the assignee.
    let is_assignment = said == ["assign"] && own.iter().any(|word| word.starts_with("assign"));
    is_field || is_assignment
}
