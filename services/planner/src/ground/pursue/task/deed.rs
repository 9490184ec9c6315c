//! What a verb says that stands on a control of the thing: `archive`, `approve`, `renew`; with the values that it asks for.

use super::super::{Pursuer, Pursuit, aside};
use super::form;
use super::locate::Located;
use crate::ground::bind::Candidate;
use crate::ground::commands::{self, Command};
use crate::ground::described;
use crate::ground::goal::{PagePart, Target};
use crate::ground::item::{form_holds, is_dialog, item_of};
use crate::ground::names::same;
use crate::ground::pick::Pick;
use crate::ground::region::Region;
use crate::ground::seek;
use crate::ground::task::{Given, Task, Thing};
use crate::ground::words::tokens;
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

/// Why the only control of a page that a thing fills is pressed.
const WHERE_SHOWN: &str = "does what the instruction asks, where the thing is shown";

/// Why the control of a cell is pressed.
const IN_CELL: &str = "stands where the instruction says, by row, column or time";

impl Pursuer<'_> {
    /// A control that a verb names, of the thing.
    pub(super) fn do_verb(&mut self, task: &Task, verb: &str) -> Pursuit {
        if let ("rate", Some(stars)) = (verb, task.value("stars")) {
            return self.rate(task, stars);
        }
        if matches!(verb, "clear" | "empty")
            && let Some(step) = self.clear_field(&task.thing)
        {
            return step;
        }
        let forms = [verb];
        let names: Vec<&str> = match verb {
            "buy" | "purchase" | "order" => vec!["buy", "order", "purchase", "add to cart"],
            "close" => vec!["close", "\u{00D7}", "x", "dismiss"],
            "invite" => vec!["invite", "add"],
            "move to trash" => vec!["move to trash", "move to bin", "trash", "bin"],
            "send reminder" => vec!["send reminder", "send a reminder", "remind"],
            _ => commands::deeds::names_of(verb).map_or_else(|| forms.to_vec(), <[&str]>::to_vec),
        };
        // `reject all cookies`, `decline the cookies`: of several, all are meant.
        let all = format!("{verb} all");
        let several = task.thing.all || task.thing.name.ends_with('s') && !task.thing.quoted;
        let names = names.into_iter().chain(several.then_some(all.as_str())).collect::<Vec<&str>>();
        if task.values.is_empty() { self.act_on(task, &names, verb) } else { self.do_with_values(task, &names, verb) }
    }

    /// Does what asks for values, by a form whose button the verb names: the thing's own, that of the page which it fills, or one that is
    /// opened first. A control that may do it at once is not pressed without its values.
    pub(super) fn do_with_values(&mut self, task: &Task, names: &[&str], verb: &str) -> Pursuit {
        const FORM_OPENED: u32 = 1;
        let anchor = match self.locate(&task.thing) {
            Located::Several(reason) => return Pursuit::Unclear(reason),
            Located::One(anchor) => Some(anchor),
            Located::None => None,
        };
        let observation = self.scene.observation;
        let regions = anchor.map(|anchor| self.spot(anchor)).unwrap_or_default();
        let is_headed = anchor.and_then(|anchor| self.node(anchor)).is_some_and(|node| node.role == "heading");
        let is_here = self.is_opened(&task.thing) || is_headed || self.page_is(task.thing.called());
        let named = |region: &Region| self.called(names, Some(region)).into_iter().map(|found| found.element).collect();
        let mut forms = Vec::new();
        for form in self.forms() {
            let in_dialog = form.fields.iter().all(|field| observation.ancestors(*field).any(|(_, at)| is_dialog(at)));
            let on_its_page = self.memory.form_url != self.page_url() && !self.form_is_of_entry(&form);
            if self.memory.stage == FORM_OPENED && (in_dialog || self.is_new(&form) || on_its_page) {
                // What hands in a form that was opened for it may be called as the verb alone.
                let submits = match form.root.filter(|_| form.submits.is_empty()) {
                    Some(root) => named(&Region::Subtree(root)),
                    None => form.submits.clone(),
                };
                forms.push(form::Form { submits, ..form });
                continue;
            }
            for region in &regions {
                let fields = form.fields.iter().copied().filter(|field| region.holds(observation, *field)).collect();
                forms.push(form::Form { root: None, fields, submits: named(region) });
            }
            if let Some(root) = form.root.filter(|_| is_here && !self.form_is_of_entry(&form)) {
                forms.push(form::Form { submits: named(&Region::Subtree(root)), ..form });
            }
        }
        forms.retain(|form| !form.fields.is_empty() && !form.submits.is_empty());
        let fitting =
            forms.into_iter().find_map(|form| self.assign(&form, &task.values).ok().map(|found| (form, found)));
        if let Some((form, assigned)) = fitting {
            return self.fill_and_hand_in(&form, &assigned, &task.values, names);
        }
        let found = match self.own_control(&regions, names, &task.thing) {
            Pick::None if is_here => self.control_of_page(names, &task.thing),
            found => found,
        };
        match found {
            Pick::One(found) if self.memory.stage == 0 && self.node(found.element).is_some_and(says_that_it_opens) => {
                self.memory.stage = FORM_OPENED;
                return self.open_form(found.element, &format!("opens what it takes to {verb} it"), found.score);
            }
            Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
            Pick::One(_) | Pick::None => {}
        }
        if let Some(step) = anchor.and_then(|anchor| self.open_thing(anchor, &regions)) {
            return step;
        }
        if let Some(found) = self.control_of_cell(task, names).or_else(|| self.control_of_time(task, names)) {
            return self.press(&found, IN_CELL);
        }
        let fields: Vec<&str> = task.values.iter().map(|given| given.field.as_str()).collect();
        let wanted = format!("a form with the {}, to {verb} {} with it", fields.join(" and the "), task.thing.title());
        self.elsewhere(task, &wanted)
    }

    /// Presses the control of the thing that one of these names calls: in its entry, in the entry's menu, or where it was opened.
    pub(super) fn act_on(&mut self, task: &Task, names: &[&str], what: &str) -> Pursuit {
        let thing = &task.thing;
        let is_so = || format!("{} is so", thing.title());
        match self.locate(thing) {
            Located::One(anchor) => {
                let regions = self.spot(anchor);
                match self.own_control(&regions, names, thing) {
                    Pick::One(found) if self.is_pressed(found.element) => return self.held(is_so()),
                    Pick::One(found) => {
                        return self.press(&found, &format!("belongs to {}", thing.title()));
                    }
                    Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
                    // What would undo it says that it is done: `Unpin`.
                    Pick::None if regions.iter().any(|region| self.is_undone_in(what, Some(region))) => {
                        return self.held(is_so());
                    }
                    Pick::None => {}
                }
                // It may become enabled, and is waited for where it is pressed.
                if let Some(found) = self.disabled_in(&regions, names) {
                    return self.press(&found, &format!("belongs to {}", thing.title()));
                }
                // A control may be called by verb and name: `Remove Ann`.
                if let Some(found) = self.control_of_whole_name(thing, what) {
                    return self.press(&found, "is what the instruction names");
                }
                if let Some(step) = self.menu_of(&regions, what) {
                    return step;
                }
                if let Some(step) = self.act_on_chosen(task, &regions, names) {
                    return step;
                }
                let is_here = self.is_opened(thing)
                    && !(self.memory.through_way && crate::ground::item::is_in_entry(self.scene.observation, anchor));
                if is_here && self.commands_reach(anchor) {
                    match self.control_of_page(names, thing) {
                        Pick::One(found) if !self.acts_on_chosen(anchor, found.element) => {}
                        Pick::One(found) if self.is_pressed(found.element) => return self.held(is_so()),
                        Pick::One(found) => return self.press(&found, WHERE_SHOWN),
                        _ if self.is_undone_in(what, None) => return self.held(is_so()),
                        _ => {}
                    }
                    if let Some(step) = self.menu_of_page(what) {
                        return step;
                    }
                }
                if takes(what) && self.node(anchor).is_some_and(|node| node.states.pressed == Some(false)) {
                    let found = Candidate { element: anchor, score: 0.85 };
                    return self.press(&found, "is taken by being pressed");
                }
                if let Some(step) = self.open_thing(anchor, &regions) {
                    return step;
                }
                // Shown here, it may have its control elsewhere.
                self.elsewhere(task, &format!("a control to {what} {}", thing.title()))
            }
            Located::Several(reason) => Pursuit::Unclear(reason),
            Located::None => {
                if self.is_opened(thing) {
                    match self.control_of_page(names, thing) {
                        Pick::One(found) => {
                            return self.press(&found, WHERE_SHOWN);
                        }
                        Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
                        Pick::None => {}
                    }
                    if let Some(step) = self.menu_of_page(what) {
                        return step;
                    }
                }
                if let Some(found) = self.control_of_cell(task, names) {
                    return self.press(&found, IN_CELL);
                }
                if let Some(found) = self.control_of_whole_name(thing, what) {
                    return self.press(&found, "is what the instruction names");
                }
                if let Some(step) = self.act_on_part_of(thing, what) {
                    return step;
                }
                self.elsewhere(task, &format!("{}, to {what} it", thing.title()))
            }
        }
    }

    /// `Reset the password of Eva`: what is done to a part of something that is not shown is a command of it, called by both words.
    fn act_on_part_of(&mut self, thing: &Thing, what: &str) -> Option<Pursuit> {
        if thing.of.is_empty() || thing.name.is_empty() {
            return None;
        }
        let owner =
            Thing { name: thing.of.clone(), quoted: thing.of_quoted, places: thing.places.clone(), ..Thing::default() };
        let Located::One(anchor) = self.locate(&owner) else { return None };
        let regions = self.spot(anchor);
        let name = format!("{what} {}", thing.name);
        match self.own_control(&regions, &[name.as_str()], &owner) {
            Pick::One(found) => Some(self.press(&found, &format!("belongs to {}", owner.title()))),
            Pick::Ambiguous(reason) => Some(Pursuit::Unclear(reason)),
            Pick::None => self.menu_of(&regions, &name),
        }
    }

    /// Opens the menu of commands of the page that shows the thing: `Actions`, `⋯`. One in an entry or a form is of something else.
    fn menu_of_page(&mut self, wanted: &str) -> Option<Pursuit> {
        let observation = self.scene.observation;
        let is_of_page = |id: ElementId| {
            let in_entry =
                item_of(observation, id).and_then(|item| self.node(item)).is_some_and(|item| !is_dialog(item));
            // The menu of the site is no menu of commands, unless its part of the page is called so.
            let is_called = |around: &Node| commands::names(Command::More).iter().any(|name| same(name, &around.name));
            let mut parts = observation.ancestors(id).map(|(_, around)| around);
            let of_site = parts.find(|around| matches!(around.role.as_str(), "navigation" | "banner"));
            !in_entry
                && of_site.is_none_or(is_called)
                && !form_holds(observation, id, &[ActionKind::Type, ActionKind::Select, ActionKind::Check])
        };
        let is_closed = |node: &Node| node.states.expanded == Some(false) || seek::opens_popup(node);
        let menus = self.called(commands::names(Command::More), None);
        let mut menus = menus.into_iter().map(|found| found.element).filter(|id| {
            is_of_page(*id)
                && self.node(*id).is_some_and(is_closed)
                && !self.memory.tried.contains(&self.key_of(*id))
                && !self.is_asked_later(*id)
        });
        let found = menus.next().filter(|_| menus.next().is_none())?;
        let key = self.key_of(found);
        self.memory.tried.push(key);
        self.memory.menu_at = self.history.len() + 1;
        Some(aside(self.click(found, &format!("may show how to {wanted}"), 0.6, false)))
    }

    /// A control that is called by verb and name: `Remove Ann`. Where it is said whose the thing is, it stands there: of several plots each
    /// has its `Close water`.
    fn control_of_whole_name(&self, thing: &Thing, what: &str) -> Option<Candidate> {
        let within = Some(thing.of.clone()).filter(|of| !of.is_empty());
        let places = thing.places.clone();
        let target = Target { quoted: true, within, places, ..Target::labelled(format!("{what} {}", thing.name)) };
        match self.one(&target) {
            Pick::One(found) => Some(found),
            _ => None,
        }
    }

    /// The control of the one entry that says the thing and the day or time that it is done at: there is nothing to fill in.
    fn control_of_time(&self, task: &Task, names: &[&str]) -> Option<Candidate> {
        let is_time = |given: &Given| matches!(given.field.as_str(), "date" | "time");
        if !task.values.iter().all(is_time) || !self.forms().is_empty() {
            return None;
        }
        let times = task.values.iter().map(|given| PagePart { name: given.value.clone(), ..PagePart::default() });
        let mut thing = task.thing.clone();
        thing.places.extend(times);
        let anchor = described::anchor_of(&self.scene, &thing)?;
        match self.own_control(&self.spot(anchor), names, &thing) {
            Pick::One(found) => Some(found),
            Pick::Ambiguous(_) | Pick::None => None,
        }
    }

    /// The only control of these regions that is called so and is disabled.
    fn disabled_in(&self, regions: &[Region], names: &[&str]) -> Option<Candidate> {
        let observation = self.scene.observation;
        let is_it = |id: ElementId, node: &Node| {
            node.role == "button"
                && node.states.disabled
                && names.iter().any(|name| same(name, node.label()))
                && regions.iter().any(|region| region.holds(observation, id))
        };
        let mut found = self.scene.elements().filter(|(id, node)| is_it(*id, node)).map(|(id, _)| id);
        let only = found.next().filter(|_| found.next().is_none())?;
        Some(Candidate { element: only, score: 0.8 })
    }

    /// Whether the commands of the page are for a thing that was opened: what is only chosen in a list must be chosen.
    fn commands_reach(&self, anchor: ElementId) -> bool {
        self.node(anchor).is_none_or(|node| node.role != "option" || node.states.selected == Some(true))
    }

    /// Whether a command of the page acts on what is chosen in a list, where the thing is that: it stands in a toolbar.
    fn acts_on_chosen(&self, anchor: ElementId, command: ElementId) -> bool {
        let is_chosen = self.node(anchor).is_some_and(|node| node.role == "option");
        let mut around = self.scene.observation.ancestors(command);
        !is_chosen
            || around.any(|(_, part)| {
                part.role == "toolbar" || tokens(part.attribute("class")).iter().any(|word| word == "toolbar")
            })
    }
}

/// Whether a control says that it opens something, and so does nothing yet.
pub(super) fn says_that_it_opens(node: &Node) -> bool {
    let label = node.label().trim();
    // `Report a problem`: which one has to be said.
    const ARTICLES: [&str; 10] = ["a", "an", "ein", "eine", "einen", "un", "une", "una", "uno", "een"];
    let has_article = tokens(label).iter().skip(1).take(1).any(|word| ARTICLES.contains(&word.as_str()));
    node.role == "link"
        || has_article
        || node.states.expanded.is_some()
        || seek::opens_popup(node)
        || label.ends_with('\u{2026}')
        || label.ends_with("...")
}

/// Whether a verb takes one of several things for somebody: a seat, a time.
fn takes(verb: &str) -> bool {
    matches!(verb, "reserve" | "book" | "choose" | "pick" | "take" | "select" | "claim")
}
