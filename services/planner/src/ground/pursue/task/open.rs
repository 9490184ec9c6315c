//! Opening what is called so: a page, a section, a tab, a thing of a list.

use super::super::{Pursuer, Pursuit};
use super::deed::says_that_it_opens;
use super::locate::Located;
use super::remove::AGREED;
use crate::ground::bind::Candidate;
use crate::ground::commands::{same_part, speaks_of, telling_words};
use crate::ground::goal::Target;
use crate::ground::item::item_of;
use crate::ground::names::{contradict, holds_words, likeness};
use crate::ground::pick::{Pick, pick};
use crate::ground::region::Region;
use crate::ground::rivals;
use crate::ground::score::usability;
use crate::ground::task::{Given, Task, Thing};
use crate::ground::words::{is_consequential, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::decision::PlannerError;
use domain::observation::Node;

impl Pursuer<'_> {
    /// The control of a thing that opens what gives it another day or time: `Reschedule…`. One that may do so at once is none.
    pub(super) fn opener_for_another_time(&self, task: &Task, regions: &[Region]) -> Option<ElementId> {
        const NAMES: [&str; 5] = ["reschedule", "move", "postpone", "change time", "change date"];
        let is_time =
            |given: &Given| tokens(&given.field).iter().any(|word| matches!(word.as_str(), "time" | "date" | "day"));
        if task.values.is_empty() || !task.values.iter().all(is_time) || !AGREED.contains(&task.thing.kind.as_str()) {
            return None;
        }
        match self.own_control(regions, &NAMES, &task.thing) {
            Pick::One(found) if self.node(found.element).is_some_and(says_that_it_opens) => Some(found.element),
            _ => None,
        }
    }

    /// # Errors
    /// When the embedder fails.
    pub(super) async fn open(&mut self, task: &Task) -> Result<Pursuit, PlannerError> {
        let thing = &task.thing;
        if !thing.name.is_empty() && thing.ordinal.is_none() && task.value("show").is_none() {
            let openers = self.openers(thing);
            let target =
                Target { around: thing.kind.clone(), quoted: thing.quoted, ..Target::labelled(thing.name.clone()) };
            match pick(&self.scene, &target, &openers) {
                Pick::One(found) => {
                    let node = self.scene.observation.node(found.element);
                    let is_open = node.is_some_and(|node| {
                        matches!(node.attribute("aria-current"), "page" | "true" | "location")
                            || node.states.selected == Some(true)
                            || node.states.expanded == Some(true)
                    });
                    if is_open {
                        let goal = self.memory.goal;
                        rivals::pass_by(&mut self.memory.passed_by, self.scene.observation, found.element, goal);
                        return Ok(self.held(format!("{} is open", thing.title())));
                    }
                    let shown = node.map(super::super::describe).unwrap_or_default();
                    let why = if found.score >= 0.95 {
                        "is what the instruction names".to_owned()
                    } else {
                        format!("is the only one that can be meant by \"{}\"", thing.name)
                    };
                    if found.score < 0.95 {
                        self.memory.notes.push(format!("{shown} was taken for \"{}\"", thing.name));
                    }
                    self.memory.arrived = node.map(|node| node.label().to_owned()).unwrap_or_default();
                    return Ok(self.press(&found, &why));
                }
                Pick::Ambiguous(reason) => return Ok(Pursuit::Unclear(reason)),
                Pick::None => {}
            }
        }
        // `the details of the Rust book`: what shows more of it, not where its name leads.
        if task.value("show").is_some()
            && let Located::One(anchor) = self.locate(thing)
            && let Some(found) = self.shows_more(anchor, thing)
        {
            let pressed = self.click(found, "shows more of the thing that the instruction names", 0.85, false);
            return Ok(self.decisive(pressed));
        }
        match self.locate(thing) {
            Located::One(anchor) if self.node(anchor).is_none_or(|node| node.tag != "h1") => {
                let regions = self.spot(anchor);
                if let Some(element) = self.opener_of(anchor, &regions) {
                    let pressed = self.click(element, "is the thing that the instruction names", 0.85, false);
                    return Ok(self.decisive(pressed));
                }
                if let Some(step) = self.open_thing(anchor, &regions) {
                    return Ok(step);
                }
                // `show the layer ⟦0⟧`: what nothing opens, and what is all of its entry, is shown by its box.
                let is_box = |node: &Node| node.allows(ActionKind::Check) && node.role != "radio";
                if self.node(anchor).is_some_and(is_box) && self.is_all_of_entry(anchor) {
                    return Ok(self.set(anchor, true, thing));
                }
            }
            Located::Several(reason) => {
                // Links of one address lead to one thing, wherever they stand.
                let shown = self.anchors_of(thing);
                let address = |id: &ElementId| self.node(*id).map(|node| node.attribute("href")).unwrap_or_default();
                let first = shown.first().map(address).filter(|address| !matches!(*address, "" | "#"));
                let Some(link) = shown.first().filter(|_| shown.iter().all(|id| Some(address(id)) == first)) else {
                    return Ok(Pursuit::Unclear(reason));
                };
                let pressed = self.click(*link, "is the thing that the instruction names", 0.85, false);
                return Ok(self.decisive(pressed));
            }
            Located::One(_) | Located::None => {}
        }
        // `the thread about the lock on the shed`: its words may stand in one name.
        let is_one = !thing.name.is_empty() && !thing.quoted && thing.ordinal.is_none() && !thing.all;
        if is_one && !thing.places.is_empty() && thing.places.iter().all(|place| !place.quoted) {
            let places: Vec<&str> = thing.places.iter().map(|place| place.name.as_str()).collect();
            let whole = format!("{} {}", thing.name, places.join(" "));
            let says = |node: &Node| speaks_of(node.label(), &whole) && !is_consequential(node.label());
            let openers: Vec<ElementId> = self
                .scene
                .elements()
                .filter(|(id, node)| is_opener(node) && says(node) && self.is_way(*id, node))
                .map(|(id, _)| id)
                .collect();
            let opener = <[ElementId; 1]>::try_from(openers).ok().map(|[only]| only);
            if let Some(element) = opener {
                let pressed = self.click(element, "says all that the instruction names it by", 0.8, false);
                return Ok(self.decisive(pressed));
            }
        }
        if !thing.name.is_empty() && self.page_is(thing.called()) {
            return Ok(self.held(format!("{} is open", thing.title())));
        }
        if let Some(step) = self.turn_to_month(&thing.name) {
            return Ok(match step {
                Pursuit::Reached if self.history.is_empty() => self.held(format!("{} is shown", thing.title())),
                step => step,
            });
        }
        // A value of a list, or what a collapsed section hides.
        if thing.quoted && thing.places.is_empty() {
            let target = Target { quoted: true, ..Target::labelled(thing.name.clone()) };
            if let Pick::One(found) = self.one(&target) {
                return Ok(self.press(&found, "is what the instruction names"));
            }
        }
        Ok(self.elsewhere(task, &thing.title()))
    }

    /// Whether a button is called as the thing is, or unfolds it. Another one has a command of its own.
    pub(super) fn says_name(&self, anchor: ElementId, button: &Node) -> bool {
        let name = self.node(anchor).map(Node::label).unwrap_or_default();
        button.states.expanded.is_some() || holds_words(button.label(), name)
    }

    /// The control of a thing's entry that shows more of it: `Details`, `View record`.
    fn shows_more(&self, anchor: ElementId, thing: &Thing) -> Option<ElementId> {
        const NAMES: [&str; 8] = ["details", "view details", "show details", "view", "show", "info", "ansehen", "voir"];
        match self.own_control(&self.spot(anchor), &NAMES, thing) {
            Pick::One(found) => Some(found.element),
            Pick::Ambiguous(_) | Pick::None => None,
        }
    }

    /// Whether an entry holds no control but this one, or there is no entry around it.
    fn is_all_of_entry(&self, control: ElementId) -> bool {
        let observation = self.scene.observation;
        let Some(entry) = item_of(observation, control) else { return true };
        let is_other = |id: ElementId, node: &Node| {
            id != control && node.tag != "label" && observation.ancestors(id).any(|(around, _)| around == entry)
        };
        !observation.interactive().any(|(id, node)| is_other(id, node))
    }

    /// What opens by its name: controls that are called so, alike for quoted names letter for letter.
    fn openers(&self, thing: &Thing) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = self
            .usable(
                self.scene
                    .elements()
                    .filter(|(_, node)| is_opener(node))
                    .map(|(id, node)| Candidate { element: id, score: called(thing, node) })
                    .filter(|candidate| candidate.score >= 0.8)
                    .collect(),
            )
            .into_iter()
            .filter(|candidate| thing.places.iter().all(|place| self.is_in(candidate.element, place)))
            .filter(|candidate| !self.is_asked_later(candidate.element))
            .collect();
        if thing.kind == "tab"
            && found.iter().any(|candidate| self.node(candidate.element).is_some_and(|node| node.role == "tab"))
        {
            found.retain(|candidate| self.node(candidate.element).is_some_and(|node| node.role == "tab"));
        }
        // `the Rust book` is a title as a whole, where one is called so, and no tag `rust`.
        let is_whole =
            |candidate: &Candidate| self.node(candidate.element).is_some_and(|node| thing.is_whole_name(node.label()));
        if found.iter().any(is_whole) {
            found.retain(is_whole);
        }
        let mut found = self.enabled(found);
        let usable = |candidate: &Candidate| self.node(candidate.element).map_or(0, usability);
        found.sort_by(|a, b| b.score.total_cmp(&a.score).then(usable(b).cmp(&usable(a))));
        found
    }
}

fn is_opener(node: &Node) -> bool {
    node.allows(ActionKind::Click)
        && !node.allows(ActionKind::Type)
        && !node.allows(ActionKind::Check)
        && !node.allows(ActionKind::Select)
        && node.tag != "label"
}

/// How surely a control is called what a thing is called.
fn called(thing: &Thing, node: &Node) -> f64 {
    let labels = [node.label(), node.text.as_str(), node.attribute("title"), node.attribute("aria-label")];
    labels.into_iter().filter(|label| !label.is_empty()).map(|label| fit(thing, label)).fold(0.0, f64::max)
}

fn fit(thing: &Thing, label: &str) -> f64 {
    let name = thing.name.as_str();
    if thing.is_whole_name(label) {
        return 0.99;
    }
    let whole = format!("{name} {}", thing.kind);
    if let Some(likeness) = likeness(name, label).or_else(|| likeness(whole.trim(), label)) {
        return likeness.score().max(if thing.quoted { 0.8 } else { 0.96 });
    }
    if thing.quoted || contradict(name, label) {
        return 0.0;
    }
    // `Open settings` is called by its verb as well.
    let bare = label
        .split_once(' ')
        .filter(|(verb, _)| matches!(verb.to_lowercase().as_str(), "open" | "view" | "show" | "go"))
        .map(|(_, rest)| rest);
    if bare.is_some_and(|rest| likeness(name, rest).is_some()) {
        return 0.95;
    }
    if is_consequential(label) {
        return 0.0;
    }
    if same_part(name, label) {
        return 0.93;
    }
    // A count beside the name tells of no other thing: `Inbox 3`.
    let counted: Vec<String> =
        telling_words(label).into_iter().filter(|word| word.chars().any(|sign| !sign.is_ascii_digit())).collect();
    if same_part(name, &counted.join(" ")) { 0.86 } else { 0.0 }
}
