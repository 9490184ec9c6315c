//! Giving a thing, or a setting of the page, other values.

mod menus;

use super::super::{Pursuer, Pursuit};
use super::form::Form;
use super::locate::Located;
use crate::ground::commands::{self, Command};
use crate::ground::described;
use crate::ground::goal::{Goal, Manner, Target};
use crate::ground::item::{form_holds, is_dialog};
use crate::ground::outcome;
use crate::ground::pick::Pick;
use crate::ground::region::Region;
use crate::ground::task::{Given, Task, TaskAct, Thing};
use crate::ground::words::tokens;
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::decision::PlannerError;
use domain::harm::puts_into_collection;
use domain::observation::Node;

impl Pursuer<'_> {
    /// A setting of the page that is chosen in a list which is drawn and no field: `the language`.
    ///
    /// # Errors
    /// When the embedder fails.
    pub(super) async fn choose_setting(&mut self, task: &Task) -> Result<Option<Pursuit>, PlannerError> {
        let [given] = task.values.as_slice() else { return Ok(None) };
        let names_thing = !task.thing.anchor().is_empty() || task.thing.ordinal.is_some();
        if names_thing
            || given.field.is_empty()
            || self.forms().iter().any(|form| self.assign(form, &task.values).is_ok())
        {
            return Ok(None);
        }
        // What was taken from the list need not be shown by it.
        if !self.memory.done.is_empty() {
            return Ok(Some(Pursuit::Reached));
        }
        let list = Target::labelled(given.field.clone());
        if !self.has_list(&list) {
            return Ok(None);
        }
        let names = [given.value.clone()];
        self.choose(&given.value, &names, Manner::Named, &list).await.map(Some)
    }

    pub(super) fn edit(&mut self, task: &Task) -> Pursuit {
        if self.was_sent_by_choosing(task) {
            self.memory.decided = true;
            self.memory.decided_at = self.history.len();
            self.memory.decided_url = self.scene.observation.url.clone();
            return self.confirm(task);
        }
        if let Some(step) = self.set_state_of(task) {
            return step;
        }
        if task.thing.anchor().is_empty() && task.thing.ordinal.is_none() {
            return self.edit_page(task);
        }
        let values = as_fields(task);
        // The form that was opened for it.
        if self.is_opened(&task.thing)
            && let Some(step) = self.fill_opened(task, &values)
        {
            return step;
        }
        if self.is_opened(&task.thing)
            && let Some(step) = self.choose_in_menu(task)
        {
            return step;
        }
        if self.is_opened(&task.thing)
            && let Some(step) = self.choose_unfolded(task)
        {
            return step;
        }
        match self.locate(&task.thing) {
            Located::One(anchor) => {
                if self.is_there_already(task, anchor) {
                    return self.held(format!("{} is there", task.thing.title()));
                }
                let regions = self.spot(anchor);
                if let Some(step) = self.choose_in_open_menu(task) {
                    return step;
                }
                if let Some(step) = self.edit_in_entry(task, &regions, &values) {
                    return step;
                }
                // What the menu of the thing opened may be the form itself: then its button hands it in.
                if !self.memory.opened
                    && self.has_just_opened_menu()
                    && let Some(step) = self.fill_opened(task, &values)
                {
                    self.memory.opened = true;
                    return step;
                }
                if let Some(step) = self.edit_in_cell(task, &regions) {
                    return step;
                }
                if !self.memory.opened {
                    if let Some(step) = self.move_by_own_control(task, &regions) {
                        return step;
                    }
                    let first = renaming(task).or_else(|| moving(task));
                    let first = first.map(|names| self.own_control(&regions, names, &task.thing));
                    let found = first.filter(|picked| *picked != Pick::None);
                    match found.unwrap_or_else(|| self.own_control(&regions, &changing(task), &task.thing)) {
                        Pick::One(found)
                            if !self.sends_form(found.element) && !self.moves_elsewhere(task, found.element) =>
                        {
                            let why = format!("opens {} for changes", task.thing.title());
                            return self.open_form(found.element, &why, found.score);
                        }
                        Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
                        Pick::One(_) | Pick::None => {}
                    }
                    if let Some(opener) = self.opener_for_another_time(task, &regions) {
                        return self.open_form(opener, "opens what gives it another time", 0.85);
                    }
                    if let Some(step) = self.menu_of(&regions, "change it") {
                        return step;
                    }
                    if let Some(step) = self.open_thing(anchor, &regions) {
                        return step;
                    }
                }
                self.open_for_changes(task)
            }
            Located::Several(reason) => self.edit_where_held(task, &values).unwrap_or(Pursuit::Unclear(reason)),
            Located::None if self.is_opened(&task.thing) => self.open_for_changes(task),
            Located::None => match self.edit_where_held(task, &values) {
                Some(step) => step,
                None => self.elsewhere(task, &format!("{}, to change it", task.thing.title())),
            },
        }
    }

    /// Whether the only value was chosen in a list that the site took as it was chosen, and that is gone: nothing is left to hand in.
    fn was_sent_by_choosing(&self, task: &Task) -> bool {
        let chosen = self.history.last().filter(|step| step.action.kind() == ActionKind::Select);
        let list = chosen.filter(|step| outcome::was_taken_by_site(step)).and_then(|step| step.action.element());
        let is_shown =
            |role: &str, name: &str| self.scene.elements().any(|(_, node)| node.role == role && node.label() == name);
        task.values.len() == 1
            && !self.memory.filled.is_empty()
            && list.is_some_and(|list| !is_shown(&list.role, &list.name))
    }

    /// Gives a thing another name where its name is what the only such field holds.
    fn edit_where_held(&mut self, task: &Task, values: &[Given]) -> Option<Pursuit> {
        let names_it = |given: &Given| matches!(given.field.as_str(), "name" | "title");
        if task.act != TaskAct::Edit
            || !values.iter().all(names_it)
            || !task.thing.places.iter().all(|place| self.page_is(place.called()))
        {
            return None;
        }
        let typed = self.memory.typed.first().map(|(place, _)| place.clone());
        let holds = |node: &Node| {
            let is_filled = typed.as_ref().is_some_and(|place| place.xpath == node.xpath);
            node.allows(ActionKind::Type)
                && (is_filled || node.value.as_deref().is_some_and(|value| value == task.thing.name))
                && !super::form::is_search(node)
        };
        let held: Vec<ElementId> = self
            .scene
            .elements()
            .filter(|(id, node)| holds(node) && !self.is_searched_by(*id))
            .map(|(id, _)| id)
            .collect();
        let [field] = held.as_slice() else { return None };
        let label = super::super::labels::of_fields(&self.scene, &[*field]).into_iter().next().unwrap_or_default();
        let is_named = tokens(&label).iter().any(|word| {
            commands::same_concept(word, "title")
                || (!task.thing.kind.is_empty() && commands::same_concept(word, &task.thing.kind))
        });
        if !is_named {
            return None;
        }
        let form = self.forms().into_iter().find(|form| form.fields.contains(field) && !self.makes_new(form))?;
        if form.submits.first().and_then(|id| self.node(*id)).is_some_and(|node| node.role == "link") {
            return None;
        }
        let part = Form { fields: vec![*field], ..form };
        let named = self.with_main(&part, values, &task.thing);
        let assigned = self.assign(&part, &named).ok()?;
        for one in &assigned {
            if let Some(step) = self.put_into(one, &named) {
                return Some(step);
            }
        }
        Some(self.hand_in(&part, &[]))
    }

    /// Where the thing was opened and shows no fields: what opens it for changes.
    fn open_for_changes(&mut self, task: &Task) -> Pursuit {
        let of_page = |names: &[&str]| self.control_of_page(names, &task.thing);
        let found = renaming(task).or_else(|| moving(task)).map(of_page).filter(|picked| *picked != Pick::None);
        match found.unwrap_or_else(|| of_page(&editing(task))) {
            Pick::One(found)
                if !self.memory.tried.contains(&self.tried_key(found.element))
                    && !self.sends_form(found.element)
                    && !self.moves_elsewhere(task, found.element) =>
            {
                let key = self.tried_key(found.element);
                self.memory.tried.push(key);
                let why = format!("opens {} for changes", task.thing.title());
                self.open_form(found.element, &why, found.score)
            }
            Pick::Ambiguous(reason) => Pursuit::Unclear(reason),
            _ => {
                let fields: Vec<&str> = task.values.iter().map(|given| given.field.as_str()).collect();
                self.elsewhere(task, &format!("a field for the {} of {}", fields.join(" and "), task.thing.title()))
            }
        }
    }

    /// Whether a control stands in a form with something to fill in: it sends that form, and opens nothing.
    fn sends_form(&self, control: ElementId) -> bool {
        let holds = [ActionKind::Type, ActionKind::Select, ActionKind::Check];
        let dialog = || self.scene.observation.ancestors(control).find(|(_, node)| is_dialog(node)).map(|(id, _)| id);
        let in_dialog = |dialog: ElementId| {
            let dialog = Region::Subtree(dialog);
            let takes = |node: &Node| holds.iter().any(|kind| node.allows(*kind));
            self.scene.elements().any(|(id, node)| takes(node) && dialog.holds(self.scene.observation, id))
        };
        self.node(control).is_some_and(|node| node.role == "button")
            && (form_holds(self.scene.observation, control, &holds) || dialog().is_some_and(in_dialog))
    }

    /// Whether a form makes something new, by its button, and changes nothing that is there.
    pub(super) fn makes_new(&self, form: &Form) -> bool {
        let adds =
            |id: &ElementId| self.node(*id).is_some_and(|node| commands::begins_with(node.label(), Command::Add));
        form.submits.first().is_some_and(|id| adds(id) && !self.fills_cart(*id))
    }

    fn fills_cart(&self, element: ElementId) -> bool {
        self.node(element).is_some_and(|node| puts_into_collection(&node.label().to_lowercase()))
    }

    fn fill_opened(&mut self, task: &Task, values: &[Given]) -> Option<Pursuit> {
        for form in self.forms() {
            // The form of another entry; one that came when the thing was opened may have taken the place of its name.
            let is_of_another =
                self.form_is_of_entry(&form) && !self.is_new(&form) && self.locate(&task.thing) == Located::None;
            if self.makes_new(&form) || is_of_another {
                continue;
            }
            // What puts the thing into a cart changes nothing of one that is in it.
            let fills_cart = form.submits.first().is_some_and(|id| self.fills_cart(*id));
            if fills_cart && !task.thing.places.iter().all(|place| self.page_is(place.called())) {
                continue;
            }
            let named = self.with_main(&form, values, &task.thing);
            if let Ok(assigned) = self.assign(&form, &named) {
                for one in &assigned {
                    if let Some(step) = self.put_into(one, &named) {
                        return Some(step);
                    }
                }
                if form.submits.is_empty() && self.memory.typed.is_empty() && task.act != TaskAct::Move {
                    return Some(Pursuit::Reached);
                }
                if fills_cart {
                    return Some(Pursuit::Reached);
                }
                let names_it = values.iter().any(|given| matches!(given.field.as_str(), "name" | "title"));
                let prefer: &[&str] = match task.act {
                    TaskAct::Move => &["move", "save"],
                    _ if names_it => &["rename", "save"],
                    _ => &[],
                };
                return Some(self.hand_in(&form, prefer));
            }
        }
        None
    }

    /// The field that holds the thing's name takes a new name, whatever it is called.
    fn with_main(&self, form: &Form, values: &[Given], thing: &Thing) -> Vec<Given> {
        let holds_name = form.fields.iter().find_map(|id| {
            let node = self.node(*id)?;
            let label = super::super::labels::of_fields(&self.scene, &[*id]).into_iter().next().unwrap_or_default();
            node.value.as_deref().is_some_and(|value| value == thing.name).then_some(label)
        });
        values
            .iter()
            .map(|given| match (&holds_name, given.field.as_str()) {
                (Some(label), "name" | "title") if !label.is_empty() => Given { field: label.clone(), ..given.clone() },
                _ => given.clone(),
            })
            .collect()
    }

    /// A field or list of the entry itself.
    fn edit_in_entry(&mut self, task: &Task, regions: &[Region], values: &[Given]) -> Option<Pursuit> {
        let observation = self.scene.observation;
        for region in regions {
            let within = |form: &Form| {
                form.fields.iter().copied().filter(|id| region.holds(observation, *id)).collect::<Vec<_>>()
            };
            for form in self.forms() {
                let fields = within(&form);
                if fields.is_empty() || self.makes_new(&form) {
                    continue;
                }
                // What puts the thing into a cart hands no change in: it takes what stands in the fields, when it is asked for.
                let own = form.submits.iter().copied().filter(|id| region.holds(observation, *id));
                let (carts, submits): (Vec<_>, Vec<_>) = own.partition(|id| self.fills_cart(*id));
                let is_left = !carts.is_empty() || self.is_handed_in_later();
                let part = Form { root: form.root, fields, submits };
                let named = self.with_main(&part, values, &task.thing);
                if let Ok(assigned) = self.assign(&part, &named) {
                    for one in &assigned {
                        if let Some(step) = self.put_into(one, &named) {
                            let last = assigned.last().is_some_and(|last| last.field == one.field);
                            return Some(if last && part.submits.is_empty() && !is_left {
                                self.decisive(with_enter(step))
                            } else {
                                step
                            });
                        }
                    }
                    if part.submits.is_empty() && is_left {
                        return Some(Pursuit::Reached);
                    }
                    if part.submits.is_empty() {
                        return Some(self.held(format!("{} is so", task.thing.title())));
                    }
                    return Some(self.hand_in(&part, &[]));
                }
            }
        }
        // A single choice that the entry offers in a list without a label.
        match values {
            [only]
                if (task.act == TaskAct::Edit || task.act == TaskAct::Move)
                    && (says_state(&only.field) || self.have_no_labels(regions)) =>
            {
                let step = self.option_of(regions, &only.value)?;
                Some(self.decisive(step))
            }
            _ => None,
        }
    }

    /// Whether no list of these regions has a label.
    fn have_no_labels(&self, regions: &[Region]) -> bool {
        let is_within = |id: ElementId| regions.iter().any(|region| region.holds(self.scene.observation, id));
        let mut lists = self.scene.elements().filter(|(id, node)| node.allows(ActionKind::Select) && is_within(*id));
        lists.all(|(_, node)| node.name.is_empty())
    }

    /// `Set the Kona of A. Sato to Ready`: what stands in front of the value names the thing, where no field is called so. The list of its
    /// entry that offers the value takes it.
    fn set_state_of(&mut self, task: &Task) -> Option<Pursuit> {
        let [given] = task.values.as_slice() else { return None };
        let is_name = given.field.contains(|sign: char| sign.is_uppercase() || sign.is_ascii_digit());
        if task.act != TaskAct::Edit
            || !is_name
            || self.forms().iter().any(|form| self.assign(form, &task.values).is_ok())
        {
            return None;
        }
        let thing = Thing {
            name: given.field.clone(),
            of: task.thing.anchor().to_owned(),
            of_quoted: task.thing.is_exact(),
            places: task.thing.places.clone(),
            ..Thing::default()
        };
        let located = || match self.locate(&thing) {
            Located::One(anchor) => Some(anchor),
            Located::Several(_) | Located::None => None,
        };
        let anchor = described::anchor_of(&self.scene, &thing).or_else(located)?;
        let step = self.option_of(&self.spot(anchor), &given.value)?;
        Some(self.decisive(step))
    }

    /// Whether the next clause presses something: what was filled in is handed in by that.
    fn is_handed_in_later(&self) -> bool {
        matches!(self.later.first(), Some(Goal::Activate(_) | Goal::Press(_)))
    }
}

/// Names of what gives a thing another name.
const RENAMING: [&str; 9] = [
    "rename",
    "umbenennen",
    "renommer",
    "renombrar",
    "rinomina",
    "edit name",
    "edit title",
    "change name",
    "change title",
];

/// Names of the control that gives a thing another name and nothing else, where that is what is asked.
fn renaming(task: &Task) -> Option<&'static [&'static str]> {
    let is_name = |given: &Given| matches!(given.field.as_str(), "" | "name" | "title");
    (task.act == TaskAct::Edit && !task.values.is_empty() && task.values.iter().all(is_name))
        .then_some(RENAMING.as_slice())
}

/// The names of controls by which a thing is changed, or put elsewhere.
fn changing(task: &Task) -> Vec<&'static str> {
    moving(task).unwrap_or_default().iter().chain(&editing(task)).copied().collect()
}

/// Names of the control that opens a thing for changes. What gives it another name changes nothing else.
fn editing(task: &Task) -> Vec<&'static str> {
    let only_names = renaming(task).is_none();
    let renames = |name: &&str| only_names && RENAMING.contains(name);
    commands::names(Command::Edit).iter().copied().filter(|name| !renames(name)).collect()
}

/// Names of the control that puts a thing elsewhere, where that is what is asked.
fn moving(task: &Task) -> Option<&'static [&'static str]> {
    const NAMES: [&str; 7] = ["move to", "move", "verschieben", "déplacer", "mover", "sposta", "verplaatsen"];
    (task.act == TaskAct::Move).then_some(NAMES.as_slice())
}

/// Where nothing hands a field in, Enter tells the page that it is filled.
fn with_enter(step: Pursuit) -> Pursuit {
    match step {
        Pursuit::Act(mut next) => {
            if let Action::Type { submit, .. } = &mut next.action {
                *submit = true;
            }
            Pursuit::Act(next)
        }
        other => other,
    }
}

/// The values with the fields that they go into.
fn as_fields(task: &Task) -> Vec<Given> {
    task.values
        .iter()
        .map(|given| Given {
            field: if given.field.is_empty() { "name".to_owned() } else { given.field.clone() },
            ..given.clone()
        })
        .collect()
}

/// Whether a field is called by no name of its own, or as that of a state: a list without a label may be meant.
fn says_state(field: &str) -> bool {
    matches!(field.to_lowercase().as_str(), "" | "to" | "status" | "state" | "stage" | "type" | "kind")
}
