//! Searching, sorting and filtering what is shown.

use super::super::{Pursuer, Pursuit, labels};
use super::form::is_search;
use crate::ground::bind::Candidate;
use crate::ground::commands::{self, Command, same_concept, speaks_of, telling_words};
use crate::ground::goal::{Name, Target};
use crate::ground::names::same;
use crate::ground::pick::{Pick, pick};
use crate::ground::region::Region;
use crate::ground::task::{Given, Task};
use crate::ground::words::tokens;
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::observation::Node;

impl Pursuer<'_> {
    pub(super) fn search(&mut self, task: &Task) -> Pursuit {
        // `the keyword ⟦0⟧`: the field of a form for searching that is called so.
        let kind = task.thing.kind.as_str();
        let is_called = |id: ElementId, node: &Node| {
            let label = labels::of_fields(&self.scene, &[id]).into_iter().next().unwrap_or_default();
            let says = |text: &str| tokens(text).iter().any(|word| same_concept(word, kind));
            !kind.is_empty() && (says(&label) || says(&node.name)) && self.is_searched_by(id)
        };
        let is_field = |id: ElementId, node: &Node| {
            node.allows(ActionKind::Type) && !node.states.disabled && (is_search(node) || is_called(id, node))
        };
        let fields: Vec<ElementId> = self
            .scene
            .elements()
            .filter(|(id, node)| is_field(*id, node))
            .map(|(id, _)| id)
            .filter(|id| task.thing.places.iter().all(|place| self.is_in(*id, place)))
            .filter(|id| task.values.iter().all(|given| self.option_beside(*id, given).is_some()))
            .collect();
        match pick(&self.scene, &Target::labelled("search"), &Self::as_candidates(&fields)) {
            Pick::One(found) => {
                let text = task.thing.name.clone();
                if self.node(found.element).and_then(|node| node.value.as_deref()) != Some(text.as_str()) {
                    return self.type_once(found.element, &text, "searches");
                }
                let mut options = task.values.iter().filter_map(|given| self.option_beside(found.element, given));
                let is_off = |id: &ElementId| self.node(*id).is_some_and(|node| node.states.checked != Some(true));
                if let Some(element) = options.find(is_off) {
                    let title = self.node(element).map(super::super::describe).unwrap_or_default();
                    let why = format!("{title} says how it is searched");
                    return self.step(Action::Check { element, checked: true }, why, 0.88, false);
                }
                let pressed = self.press_search(found.element);
                self.decisive(pressed)
            }
            Pick::Ambiguous(reason) => Pursuit::Unclear(reason),
            Pick::None => match self.control_of_page(commands::names(Command::Search), &task.thing) {
                Pick::One(found) if !self.memory.tried.contains(&self.tried_key(found.element)) => {
                    let key = self.tried_key(found.element);
                    self.memory.tried.push(key);
                    super::super::aside(self.click(found.element, "opens the search", found.score, false))
                }
                _ => Pursuit::Stuck("found no field to search in".to_owned()),
            },
        }
    }

    /// The only box of the form of a search field that is called as an instruction says how to search.
    fn option_beside(&self, field: ElementId, given: &Given) -> Option<ElementId> {
        let root = self.form_around(field).map(Region::Subtree)?;
        let is_it = |id: ElementId, node: &Node| {
            let label = labels::of_fields(&self.scene, &[id]).into_iter().next().unwrap_or_default();
            let is_called = |label: &str| Name::of(&given.field, given.quoted).is_label(label);
            node.allows(ActionKind::Check)
                && root.holds(self.scene.observation, id)
                && (is_called(&label) || is_called(&node.name))
        };
        let mut found = self.scene.elements().filter(|(id, node)| is_it(*id, node)).map(|(id, _)| id);
        found.next().filter(|_| found.next().is_none())
    }

    /// Searches for what a field holds: by its form's button, by a button beside it that says so, else by Enter.
    pub(super) fn press_search(&self, field: ElementId) -> Pursuit {
        let says = |id: &ElementId| {
            self.node(*id).is_some_and(|node| {
                let words = tokens(&format!("{} {}", node.label(), node.icon));
                words.iter().any(|word| commands::names(Command::Search).contains(&word.as_str()))
            })
        };
        let form = self.forms().into_iter().find(|form| form.fields.contains(&field));
        let of_form = form.and_then(|form| {
            let is_submit = |id: &ElementId| self.node(*id).is_some_and(|node| node.attribute("type") == "submit");
            form.submits.into_iter().find(|id| says(id) || is_submit(id))
        });
        let near = || {
            let at = self.node(field)?.bounds;
            self.scene
                .elements()
                .filter(|(id, node)| node.role == "button" && says(id) && node.bounds.distance(&at) < 120.0)
                .min_by(|a, b| a.1.bounds.distance(&at).total_cmp(&b.1.bounds.distance(&at)))
                .map(|(id, _)| id)
        };
        match of_form.or_else(near) {
            Some(button) => self.click(button, "searches for it", 0.85, false),
            None => self.step(Action::Press { keys: "Enter".into() }, "Enter searches for it".into(), 0.8, false),
        }
    }

    pub(super) fn sort(&mut self, task: &Task) -> Pursuit {
        let by = task.value("by").unwrap_or_default().to_owned();
        let order = task.value("order").unwrap_or_default().to_owned();
        // A list of orders.
        let offers = |label: &str| {
            let words = tokens(label);
            let says_order = match order.as_str() {
                "descending" => words.iter().any(|word| {
                    matches!(word.as_str(), "descending" | "desc" | "newest" | "highest" | "latest" | "high")
                }),
                "ascending" => words.iter().any(|word| {
                    matches!(word.as_str(), "ascending" | "asc" | "oldest" | "lowest" | "earliest" | "low")
                }),
                _ => true,
            };
            speaks_of(label, &by) && says_order
        };
        let options: Vec<(ElementId, String, usize)> = self
            .scene
            .elements()
            .filter(|(_, node)| node.allows(ActionKind::Select))
            .filter_map(|(id, node)| {
                let mut fitting: Vec<&str> = node
                    .options
                    .iter()
                    .map(|option| option.label.as_str())
                    .filter(|label| same(&by, label) || offers(label))
                    .collect();
                if fitting.len() > 1 {
                    let exact: Vec<&str> = fitting.iter().copied().filter(|label| same(&by, label)).collect();
                    if exact.len() == 1 {
                        fitting = exact;
                    }
                }
                fitting.first().map(|label| (id, (*label).to_owned(), fitting.len()))
            })
            .collect();
        if let [(element, option, 1)] = options.as_slice() {
            let element = *element;
            let chosen = self.step(
                Action::Select { element, options: vec![option.clone()] },
                format!("\"{option}\" is the order"),
                0.88,
                false,
            );
            return self.decisive(chosen);
        }
        // The heading of a column, or a control that says so.
        let headings: Vec<Candidate> = self
            .scene
            .elements()
            .filter(|(id, node)| {
                let is_heading = node.role == "columnheader"
                    || self.scene.observation.ancestors(*id).any(|(_, around)| around.role == "columnheader");
                let says = tokens(node.label()).iter().any(|word| matches!(word.as_str(), "sort" | "sorted" | "order"));
                node.allows(ActionKind::Click)
                    && ((is_heading && (same(&by, node.label()) || speaks_of(node.label(), &by)))
                        || (says && speaks_of(node.label(), &by)))
            })
            .map(|(id, _)| Candidate { element: id, score: 0.88 })
            .collect();
        match pick(&self.scene, &Target::labelled(by.clone()), &headings) {
            Pick::One(found) => self.press(&found, "sorts by it"),
            Pick::Ambiguous(reason) => Pursuit::Unclear(reason),
            Pick::None => {
                let wanted = format!("a control to sort by \"{by}\"");
                self.seek(&wanted, None).unwrap_or_else(|| Pursuit::Stuck(format!("found no {wanted}")))
            }
        }
    }

    pub(super) fn filter(&mut self, task: &Task) -> Pursuit {
        let name = task.thing.name.clone();
        let fits =
            |label: &str| same(&name, label) || (!task.thing.quoted && speaks_of(&name, label) && !label.is_empty());
        let options: Vec<(ElementId, String)> = self
            .scene
            .elements()
            .filter(|(_, node)| node.allows(ActionKind::Select))
            .filter_map(|(id, node)| {
                // What the list itself is called tells no choice from another: `All wards` of `Ward`.
                let of_list = telling_words(self.node(id).map(Node::label).unwrap_or_default());
                let tells = |label: &str| {
                    same(&name, label)
                        || telling_words(label).iter().any(|word| !of_list.iter().any(|own| same_concept(own, word)))
                };
                let mut offered: Vec<&str> = node
                    .options
                    .iter()
                    .map(|option| option.label.as_str())
                    .filter(|label| fits(label) && tells(label))
                    .collect();
                if offered.len() > 1 && offered.iter().any(|label| same(&name, label)) {
                    offered.retain(|label| same(&name, label));
                }
                match offered.as_slice() {
                    [only] => Some((id, (*only).to_owned())),
                    _ => None,
                }
            })
            .collect();
        if let [(element, option)] = options.as_slice() {
            let chosen = self.step(
                Action::Select { element: *element, options: vec![option.clone()] },
                format!("\"{option}\" is the part that is to be shown"),
                0.88,
                false,
            );
            return self.decisive(chosen);
        }
        let controls: Vec<Candidate> = self
            .scene
            .elements()
            .filter(|(_, node)| node.allows(ActionKind::Click) && !node.allows(ActionKind::Type) && fits(node.label()))
            .filter(|(_, node)| !crate::ground::words::is_consequential(node.label()))
            .map(|(id, node)| Candidate { element: id, score: if same(&name, node.label()) { 0.95 } else { 0.82 } })
            .collect();
        match pick(&self.scene, &Target::labelled(name.clone()), &controls) {
            Pick::One(found) => self.press(&found, "shows only that part"),
            Pick::Ambiguous(reason) => Pursuit::Unclear(reason),
            Pick::None => {
                let wanted = format!("a filter for \"{name}\"");
                self.seek(&wanted, None).unwrap_or_else(|| Pursuit::Stuck(format!("found no {wanted}")))
            }
        }
    }
}
