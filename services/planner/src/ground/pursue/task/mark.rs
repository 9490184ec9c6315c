//! Bringing a thing into a state: its box, its switch, its star.

use super::super::{Pursuer, Pursuit};
use super::form::Form;
use super::locate::Located;
use crate::ground::bind::Candidate;
use crate::ground::commands::{same_part, states};
use crate::ground::goal::{PagePart, Target};
use crate::ground::item::{is_dialog, is_item, item_of};
use crate::ground::layout::column_of;
use crate::ground::names::{holds_words, likeness, same};
use crate::ground::pick::{Pick, only_called, pick};
use crate::ground::region::Region;
use crate::ground::task::{Given, Task, TaskAct, Thing};
use crate::ground::words::{says, tokens};
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::decision::PlannerError;
use domain::observation::Node;

impl Pursuer<'_> {
    /// # Errors
    /// When the embedder fails.
    pub(super) async fn mark(&mut self, task: &Task) -> Result<Pursuit, PlannerError> {
        let wanted = task.act == TaskAct::Mark;
        let thing = &task.thing;
        let given = task.value("state").unwrap_or("done").to_owned();
        let state = match given.as_str() {
            "complete" | "completed" | "finished" | "resolved" | "solved" => "done",
            "favorite" => "favourite",
            "starred" => "star",
            other => other,
        };
        if thing.all {
            return Ok(self.mark_all(task, wanted));
        }
        // A box or switch that is called so.
        let named = self.toggles_called(thing);
        match pick(&self.scene, &Target { quoted: thing.quoted, ..Target::labelled(thing.name.clone()) }, &named) {
            Pick::One(found) if matches!(state, "done" | "checked" | "on") => {
                return Ok(self.set(found.element, wanted, thing));
            }
            Pick::Ambiguous(reason) if matches!(state, "checked" | "on") => return Ok(Pursuit::Unclear(reason)),
            _ => {}
        }
        let into = [
            "mark as",
            "mark",
            "set as",
            "set to",
            "make",
            "make it the",
            "make this the",
            "use as",
            "use it as",
            "make it my",
        ]
        .map(|lead| format!("{lead} {state}"));
        let out_of = [format!("mark as not {state}"), format!("mark as un{state}"), format!("un{state}")];
        let (on, off) = match states::words_of(state) {
            Some((on, off)) => (on.to_vec(), off.to_vec()),
            None => (
                std::iter::once(state).chain(into.iter().map(String::as_str)).collect(),
                out_of.iter().map(String::as_str).collect(),
            ),
        };
        let names = if wanted { on.clone() } else { off.iter().chain(&on).copied().collect() };
        match self.locate(thing) {
            Located::One(anchor) => Ok(self.mark_located(task, anchor, state, &names, if wanted { &off } else { &on })),
            Located::Several(reason) => Ok(Pursuit::Unclear(reason)),
            Located::None
                if state == "checked"
                    && thing.places.is_empty()
                    && !thing.name.is_empty()
                    && self.memory.hops.is_empty() =>
            {
                // What is no thing of a list may be a choice that is called so.
                let manner =
                    if wanted { crate::ground::goal::Manner::Named } else { crate::ground::goal::Manner::Cleared };
                let names = if thing.quoted { vec![thing.name.clone()] } else { Vec::new() };
                match self.choose(&thing.name, &names, manner, &Target::default()).await? {
                    Pursuit::Stuck(_) if !self.may_come() => Ok(self.elsewhere(task, &thing.title())),
                    chosen => Ok(chosen),
                }
            }
            Located::None => {
                if self.is_opened(thing) {
                    if let Pick::One(found) = self.control_of_page(&names, thing) {
                        return Ok(self.set(found.element, wanted, thing));
                    }
                    if let Some(step) = self.choose_state(task, state) {
                        return Ok(step);
                    }
                }
                Ok(self.elsewhere(task, &thing.title()))
            }
        }
    }

    /// The boxes of all things, one after the other.
    fn mark_all(&mut self, task: &Task, wanted: bool) -> Pursuit {
        let all = self.anchors_of(&task.thing);
        if all.is_empty() {
            return self.elsewhere(task, &task.thing.title());
        }
        if let Some(reason) = self.several_lists(&all) {
            return Pursuit::Unclear(reason);
        }
        for anchor in &all {
            let regions = self.spot(*anchor);
            let toggle =
                self.only_toggle(&regions).and_then(|id| self.scene.observation.node(id).map(|node| (id, node)));
            let Some((element, node)) = toggle else {
                return Pursuit::Stuck(format!("not all of {} have one box", task.thing.title()));
            };
            if node.states.checked.or(node.states.pressed) != Some(wanted) {
                let title = super::super::describe(node);
                return if node.allows(ActionKind::Check) {
                    self.step(Action::Check { element, checked: wanted }, format!("{title} is one of all"), 0.88, false)
                } else {
                    self.click(element, "is one of all", 0.85, false)
                };
            }
        }
        Pursuit::Reached
    }

    fn mark_located(
        &mut self,
        task: &Task,
        anchor: ElementId,
        state: &str,
        names: &[&str],
        others: &[&str],
    ) -> Pursuit {
        let thing = &task.thing;
        let wanted = task.act == TaskAct::Mark;
        let regions = self.spot(anchor);
        // A control that says so comes before a bare box, which may only select an entry.
        match self.own_control(&regions, names, thing) {
            Pick::One(found) => return self.set(found.element, wanted, thing),
            Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
            Pick::None => {}
        }
        if wanted && let Some(element) = self.box_of_column(&regions, state) {
            return self.set(element, true, thing);
        }
        if states::is_shown_by_box(state)
            && let Some(element) = self
                .only_toggle(&regions)
                .filter(|toggle| state == "checked" || !(self.only_selects(*toggle) || self.is_chosen_for(names)))
        {
            return self.set(element, wanted, thing);
        }
        // What offers the opposite has the state already.
        if !others.is_empty() && state != "done" && matches!(self.control_in(&regions, others), Pick::One(_)) && wanted
        {
            return self.held(format!("{} is {state}", thing.title()));
        }
        let told = task.value("state").unwrap_or(state).to_owned();
        if let Some(step) = self.option_of(&regions, &told).or_else(|| self.option_of(&regions, state)) {
            return self.decisive(step);
        }
        if let Some(step) = self.menu_of(&regions, &format!("mark it as {state}")) {
            return step;
        }
        if let Some(step) = self.act_on_chosen(task, &regions, names) {
            return step;
        }
        if self.is_opened(thing) {
            // `the reminder for the car service`: what was opened has a switch that is called so.
            let of_kind = Thing { name: thing.kind.clone(), ..Thing::default() };
            if state == "on"
                && let [switch] = self.toggles_called(&of_kind)[..]
                && self.stands_in_dialog(switch.element)
            {
                return self.set_and_save(switch.element, wanted, thing);
            }
            if let Pick::One(found) = self.control_of_page(names, thing) {
                return self.set(found.element, wanted, thing);
            }
            if let Some(step) = self.choose_state(task, state) {
                return step;
            }
        } else if let Some(step) = self.open_thing(anchor, &regions) {
            return step;
        }
        Pursuit::Stuck(format!("found no box or control to mark {} as {state}", thing.title()))
    }

    /// Brings a control into a state; one that is in it is left alone.
    pub(super) fn set(&mut self, element: ElementId, wanted: bool, thing: &Thing) -> Pursuit {
        let Some(node) = self.node(element) else { return Pursuit::Reached };
        let now = node.states.checked.or(node.states.pressed);
        if now == Some(wanted) {
            return self.held(format!("{} is so", thing.title()));
        }
        let why = format!("belongs to {}", thing.title());
        let title = super::super::describe(node);
        let key = super::super::enter::field_key(Some(node));
        let pressed = if node.allows(ActionKind::Check) {
            self.step(Action::Check { element, checked: wanted }, format!("{title} {why}"), 0.9, false)
        } else {
            self.click(element, &why, 0.88, false)
        };
        // `uncheck active and save`: the form that it stands in is handed in then.
        self.memory.filled.push(key);
        self.decisive(pressed)
    }

    fn stands_in_dialog(&self, element: ElementId) -> bool {
        self.scene.observation.ancestors(element).any(|(_, around)| is_dialog(around))
    }

    /// As [`Self::set`], where the dialog that a control stands in keeps what was set in it only once it is handed in.
    fn set_and_save(&mut self, element: ElementId, wanted: bool, thing: &Thing) -> Pursuit {
        const SAVING: [&str; 6] = ["save", "save changes", "update", "apply", "ok", "done"];
        let observation = self.scene.observation;
        let dialog =
            observation.ancestors(element).find(|(_, node)| is_dialog(node)).map(|(id, _)| Region::Subtree(id));
        let saves = |(id, node): &(ElementId, &Node)| {
            node.role == "button"
                && SAVING.contains(&node.label().trim().to_lowercase().as_str())
                && dialog.as_ref().is_some_and(|dialog| dialog.holds(observation, *id))
        };
        let now = self.node(element).and_then(|node| node.states.checked.or(node.states.pressed));
        let Some((save, _)) = self.scene.elements().find(saves).filter(|_| now.is_some()) else {
            return self.set(element, wanted, thing);
        };
        // What was set is handed in by the next step, whatever the page calls the control by then.
        const SET: &str = "set in a dialog";
        let was_set = self.memory.tried.iter().any(|key| key == SET);
        if !was_set && now != Some(wanted) {
            self.memory.tried.push(SET.to_owned());
            let pressed = self.set(element, wanted, thing);
            self.memory.decided = false;
            return pressed;
        }
        if !was_set {
            return self.held(format!("{} is so", thing.title()));
        }
        if now != Some(wanted) {
            return Pursuit::Unclear(format!("{} does not stay as it was set", thing.title()));
        }
        let saved = self.click(save, "hands in what was set", 0.88, false);
        self.decisive(saved)
    }

    /// Boxes and switches that are called what the thing is called.
    fn toggles_called(&self, thing: &Thing) -> Vec<Candidate> {
        let fit = |id: ElementId, node: &Node| {
            // In a matrix a box is called by its row and its column, or by nothing.
            let rest = thing.places.iter().fold(node.name.clone(), |rest, place| rest.replace(&place.name, " "));
            let in_row = !thing.places.is_empty();
            let column =
                in_row.then(|| column_of(self.scene.observation, id)).flatten().map(Node::label).unwrap_or_default();
            let labels = [node.name.as_str(), node.context.as_str(), node.text.as_str(), rest.trim(), column];
            let by = |label: &str| {
                if label.is_empty() {
                    return 0.0;
                }
                match likeness(&thing.name, label) {
                    Some(likeness) => likeness.score().max(if thing.quoted { 0.0 } else { 0.95 }),
                    None if thing.quoted => 0.0,
                    None if same_part(&thing.name, label) => 0.9,
                    // `the text message reminders`: what they are for is said behind it.
                    None if !thing.kind.is_empty() && begins_with(label, &format!("{} {}", thing.name, thing.kind)) => {
                        0.84
                    }
                    None if holds_words(label, &thing.name) && tokens(label).len() <= tokens(&thing.name).len() + 3 => {
                        0.84
                    }
                    None => 0.0,
                }
            };
            labels.into_iter().map(by).fold(0.0, f64::max)
        };
        let mut found: Vec<Candidate> = self
            .scene
            .elements()
            .filter(|(_, node)| is_toggle(node) && !thing.name.is_empty())
            .map(|(id, node)| Candidate { element: id, score: fit(id, node) })
            .filter(|candidate| candidate.score > 0.75)
            .filter(|candidate| {
                let stands = |place: &PagePart| {
                    self.is_in(candidate.element, place) || self.stands_in_entry_of(candidate.element, place)
                };
                thing.places.iter().all(stands)
            })
            .collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        self.usable(found)
    }

    /// The only box or switch of an entry, not of an entry within it.
    pub(super) fn only_toggle(&self, regions: &[Region]) -> Option<ElementId> {
        let observation = self.scene.observation;
        regions.iter().find_map(|region| {
            let mut found: Vec<ElementId> = self
                .scene
                .elements()
                .filter(|(id, node)| is_toggle(node) && !node.states.disabled && region.holds(observation, *id))
                .map(|(id, _)| id)
                .collect();
            if let Region::Subtree(root) = region
                && found.len() > 1
                && observation.node(*root).is_some_and(is_item)
            {
                found.retain(|id| *id == *root || item_of(observation, *id) == Some(*root));
            }
            if found.len() == 1 { found.first().copied() } else { None }
        })
    }

    /// Whether a command for several that were chosen is called like the state: the boxes of entries choose for it.
    pub(super) fn is_chosen_for(&self, names: &[&str]) -> bool {
        let found = self.called(names, None);
        found.iter().any(|found| {
            self.node(found.element).is_some_and(|node| node.role == "button" && !is_toggle(node))
                && !crate::ground::item::is_in_entry(self.scene.observation, found.element)
        })
    }

    /// Whether a box only chooses its entry for commands on several: it says so, or one in the head of the table chooses all.
    pub(super) fn only_selects(&self, toggle: ElementId) -> bool {
        const WORDS: [&str; 7] =
            ["select", "choose", "auswählen", "sélectionner", "seleccionar", "seleziona", "selecteren"];
        let observation = self.scene.observation;
        let says_so = |node: &Node| tokens(node.label()).iter().any(|word| WORDS.contains(&word.as_str()));
        let table = |id: ElementId| {
            let mut around = observation.ancestors(id);
            around.find(|(_, node)| matches!(node.role.as_str(), "table" | "grid" | "treegrid")).map(|(id, _)| id)
        };
        let is_in_head = |id: ElementId| observation.ancestors(id).any(|(_, node)| node.role == "columnheader");
        let chooses_all = |node: &Node| {
            let words = tokens(node.label());
            is_toggle(node)
                && says_so(node)
                && words
                    .iter()
                    .any(|word| matches!(word.as_str(), "all" | "alle" | "tout" | "todo" | "todos" | "tutti"))
        };
        let own = table(toggle);
        self.node(toggle).is_some_and(says_so)
            || self.scene.elements().any(|(_, node)| chooses_all(node))
            || (own.is_some()
                && self.scene.elements().any(|(id, node)| is_toggle(node) && is_in_head(id) && table(id) == own))
    }

    /// The list of the opened thing that offers the state, and what hands its form in.
    fn choose_state(&mut self, task: &Task, state: &str) -> Option<Pursuit> {
        let told = task.value("state").unwrap_or(state).to_owned();
        let given = Given { field: "status".to_owned(), value: told, quoted: false };
        let offers = |id: ElementId| {
            self.node(id).is_some_and(|node| node.options.iter().any(|option| given.is_called(&option.label)))
        };
        let fits = |form: &Form| {
            let assigned = self.assign(form, std::slice::from_ref(&given)).ok()?;
            assigned.iter().all(|one| offers(one.field)).then_some(assigned)
        };
        let mut forms =
            self.forms().into_iter().filter(|form| task.act == TaskAct::Mark && !self.form_is_of_entry(form));
        let (form, assigned) = forms.find_map(|form| {
            let assigned = fits(&form)?;
            Some((form, assigned))
        })?;
        Some(self.fill_and_hand_in(&form, &assigned, &[given], &[]))
    }

    /// A list in the entry that offers the state as a choice.
    pub(super) fn option_of(&self, regions: &[Region], state: &str) -> Option<Pursuit> {
        let observation = self.scene.observation;
        let offers = |node: &Node| node.options.iter().any(|option| same(state, &option.label));
        let mut found = self.scene.elements().filter(|(id, node)| {
            node.allows(ActionKind::Select)
                && offers(node)
                && regions.iter().any(|region| region.holds(observation, *id))
        });
        // Of several none is meant more than the others.
        let (element, node) = found.next().filter(|_| found.next().is_none())?;
        let option = only_called(state, &node.options)?;
        let action = Action::Select { element, options: vec![option.label.clone()] };
        Some(self.step(action, format!("the list of the thing offers \"{}\"", option.label), 0.88, false))
    }
}

/// Whether a label begins with a name and its kind, and goes on a little.
fn begins_with(label: &str, whole: &str) -> bool {
    const BEHIND: usize = 5;
    let (label, said) = (tokens(label), tokens(whole));
    said.len() > 1
        && label.len() <= said.len() + BEHIND
        && label.len() >= said.len()
        && label.iter().zip(&said).all(|(shown, wanted)| says(std::slice::from_ref(shown), wanted, whole))
}

pub(super) fn is_toggle(node: &Node) -> bool {
    node.allows(ActionKind::Check)
        || matches!(node.role.as_str(), "checkbox" | "switch" | "menuitemcheckbox")
        || node.states.pressed.is_some()
}
