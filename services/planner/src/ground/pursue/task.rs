//! Doing something to a thing of the application: the thing, its place and the control that acts on it are bound together, and the task
//! is done when its effect is seen.
//!
//! A verb alone never chooses a control. What only looks for the way changes nothing; the one step that does what is asked is the
//! *decisive* one, and after it nothing counts but what the page then shows.

mod add;
mod answer;
mod arrange;
mod confirm;
mod drawn;
mod edit;
mod form;
mod locate;
mod mapped;
mod mark;
mod open;
mod remove;
mod send;
mod session;
mod way;

use super::{Pursuer, Pursuit, aside};
use crate::ground::bind::{Candidate, bind_in};
use crate::ground::goal::Target;
use crate::ground::item::{is_dialog, item_of};
use crate::ground::names::holds_words;
use crate::ground::pick::{Pick, pick};
use crate::ground::region::Region;
use crate::ground::score::STRONG;
use crate::ground::task::{Task, TaskAct, Thing};
use crate::ground::understand::kinds::kind_of;
use crate::ground::words::{is_consequential, tokens};
use crate::ground::{commands, seek};
use commands::Command;
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::address::without_query;
use domain::decision::PlannerError;
use domain::observation::Node;

/// Why the only control of a page that a thing fills is pressed.
const WHERE_SHOWN: &str = "does what the instruction asks, where the thing is shown";

impl Pursuer<'_> {
    /// The next step of a task.
    ///
    /// # Errors
    /// When the embedder fails.
    pub(super) async fn task(&mut self, task: &Task) -> Result<Pursuit, PlannerError> {
        if self.memory.decided {
            return Ok(self.confirm(task));
        }
        Ok(match &task.act {
            TaskAct::Open => self.open(task).await?,
            TaskAct::Add => self.add(task),
            TaskAct::Remove => self.remove(task),
            TaskAct::Mark | TaskAct::Unmark => self.mark(task).await?,
            TaskAct::Edit | TaskAct::Move => match self.choose_setting(task).await? {
                Some(step) => step,
                None => self.edit(task),
            },
            TaskAct::Send => self.send(task),
            TaskAct::Reply | TaskAct::Forward => self.answer_message(task),
            TaskAct::LogIn => self.log_in(task),
            TaskAct::LogOut => self.log_out(task),
            TaskAct::Search => self.search(task),
            TaskAct::Sort => self.sort(task),
            TaskAct::Filter => self.filter(task),
            TaskAct::Do(verb) => self.do_verb(task, verb),
            TaskAct::Answer(question) => self.answer(task, *question),
        })
    }

    /// The step that does what is asked.
    fn decisive(&mut self, pursuit: Pursuit) -> Pursuit {
        if matches!(pursuit, Pursuit::Act(_)) {
            self.memory.decided = true;
            self.memory.decided_at = self.history.len();
            self.memory.decided_url = self.scene.observation.url.clone();
        }
        pursuit
    }

    /// Whether the page is the one on which the decisive step was taken, however it is filtered or sorted since.
    fn is_where_decided(&self) -> bool {
        without_query(&self.scene.observation.url) == without_query(&self.memory.decided_url)
    }

    /// Presses what was found, as the step that does what is asked.
    fn press(&mut self, found: &Candidate, why: &str) -> Pursuit {
        let pressed = self.click(found.element, why, found.score, false);
        self.decisive(pressed)
    }

    /// What was to be reached is so already: nothing is done, and that is said.
    fn held(&mut self, what: String) -> Pursuit {
        self.memory.notes.push(format!("{what} already"));
        Pursuit::Reached
    }

    /// The control that carries out a command on what stands in one of these regions.
    fn control_in(&self, regions: &[Region], names: &[&str]) -> Pick {
        for region in regions {
            let found = self.called(names, Some(region));
            match pick(&self.scene, &Target::labelled(names.first().copied().unwrap_or_default()), &found) {
                Pick::None => {}
                picked => return picked,
            }
        }
        self.control_in_menu(names)
    }

    /// As [`control_in`](Self::control_in), but no control that says that it is for something of another kind: `Delete album` beside a photo.
    fn own_control(&self, regions: &[Region], names: &[&str], thing: &Thing) -> Pick {
        match self.control_in(regions, names) {
            Pick::One(found) if self.is_for_other_kind(found.element, thing) => Pick::None,
            picked => picked,
        }
    }

    /// Whether a control names a kind of things, and neither the thing nor its kind.
    fn is_for_other_kind(&self, control: ElementId, thing: &Thing) -> bool {
        let Some(node) = self.node(control) else { return false };
        if thing.kind.is_empty() || (!thing.name.is_empty() && holds_words(node.label(), &thing.name)) {
            return false;
        }
        let own = tokens(&format!("{} {}", thing.kind, thing.name));
        let named: Vec<String> = tokens(node.label()).into_iter().filter(|word| kind_of(word).is_some()).collect();
        let is_own = |word: &String| own.iter().any(|own| commands::same_concept(own, word));
        !named.is_empty() && !named.iter().any(is_own)
    }

    /// The control of the menu that the last step opened for the thing: many pages draw it apart from what it belongs to.
    fn control_in_menu(&self, names: &[&str]) -> Pick {
        if self.memory.menu_at == 0 || self.memory.menu_at != self.history.len() {
            return Pick::None;
        }
        let observation = self.scene.observation;
        let is_menu = |node: &Node| matches!(node.role.as_str(), "menu" | "listbox" | "tooltip") || is_dialog(node);
        let mut found = self.called(names, None);
        found.retain(|candidate| {
            let is_choice = self.node(candidate.element).is_some_and(|node| node.role.starts_with("menuitem"));
            is_choice || observation.ancestors(candidate.element).any(|(_, node)| is_menu(node))
        });
        pick(&self.scene, &Target::labelled(names.first().copied().unwrap_or_default()), &found)
    }

    /// Controls that are called by one of these names, alone or with more words behind it, the best first.
    fn called(&self, names: &[&str], region: Option<&Region>) -> Vec<Candidate> {
        let mut found: Vec<Candidate> = Vec::new();
        for (rank, name) in names.iter().enumerate() {
            let target = Target { quoted: name.chars().count() < 2, ..Target::labelled(*name) };
            for candidate in self.usable(bind_in(&self.scene, &target, region)) {
                let Some(node) = self.node(candidate.element) else { continue };
                let is_control = node.allows(ActionKind::Click)
                    && !node.allows(ActionKind::Type)
                    && !node.allows(ActionKind::Select);
                if candidate.score < STRONG
                    || !is_control
                    || undoes(node, name)
                    || node.states.disabled
                    || self.is_asked_later(candidate.element)
                {
                    continue;
                }
                let score = candidate.score - 0.001 * rank as f64;
                match found.iter_mut().find(|other| other.element == candidate.element) {
                    Some(other) => other.score = other.score.max(score),
                    None => found.push(Candidate { element: candidate.element, score }),
                }
            }
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found
    }

    /// A control of the page itself, where the thing was opened: of no other thing's entry, and with no other thing in its name.
    fn control_of_page(&self, names: &[&str], thing: &Thing) -> Pick {
        let observation = self.scene.observation;
        let mut found = self.called(names, None);
        found.retain(|candidate| {
            let item = item_of(observation, candidate.element).and_then(|item| observation.node(item));
            let is_own = item.is_none_or(|item| {
                is_dialog(item) || (!thing.anchor().is_empty() && holds_words(&item.text, thing.anchor()))
            });
            is_own
                && self.node(candidate.element).is_some_and(|node| self.names_nothing_else(node.label(), names, thing))
        });
        pick(&self.scene, &Target::labelled(names.first().copied().unwrap_or_default()), &found)
    }

    /// Whether a label consists of a command and of words for the thing: `Delete`, `Delete event`, `Delete "Trip"`.
    fn names_nothing_else(&self, label: &str, names: &[&str], thing: &Thing) -> bool {
        let of_names: Vec<String> = names.iter().flat_map(|name| tokens(name)).collect();
        let of_thing = tokens(&format!("{} {} {}", thing.kind, thing.name, thing.of));
        commands::telling_words(label).iter().all(|word| {
            of_names.contains(word)
                || of_thing.iter().any(|own| commands::same_concept(own, word))
                || crate::ground::words::is_function_word(word)
        })
    }

    /// Shows more of an entry: the menu that stands in it.
    fn menu_of(&mut self, regions: &[Region], wanted: &str) -> Option<Pursuit> {
        for region in regions {
            let disclosures = seek::disclosures(&self.scene, self.memory, Some(region));
            let by_name =
                self.called(commands::names(Command::More), Some(region)).into_iter().map(|found| found.element);
            let next =
                disclosures.iter().map(|disclosure| disclosure.element).chain(by_name).find(|element| {
                    !self.memory.tried.contains(&self.key_of(*element)) && !self.is_asked_later(*element)
                });
            if let Some(element) = next {
                let key = self.key_of(element);
                self.memory.tried.push(key);
                self.memory.menu_at = self.history.len() + 1;
                self.memory.tried.extend(
                    disclosures
                        .iter()
                        .filter(|disclosure| disclosure.element == element)
                        .map(|disclosure| disclosure.key.clone()),
                );
                return Some(aside(self.click(element, &format!("may show how to {wanted}"), 0.6, false)));
            }
        }
        None
    }

    /// Opens the thing itself, which changes nothing; once.
    fn open_thing(&mut self, anchor: ElementId, regions: &[Region]) -> Option<Pursuit> {
        if self.memory.opened {
            return None;
        }
        let element = self.opener_of(anchor, regions)?;
        self.memory.opened = true;
        Some(aside(self.click(element, "is the thing that the instruction names", 0.8, false)))
    }

    /// What opens a thing: its name, what its name stands in, or a control of it that says so.
    fn opener_of(&self, anchor: ElementId, regions: &[Region]) -> Option<ElementId> {
        let observation = self.scene.observation;
        if observation.node(anchor).is_some_and(is_dialog) {
            return None; // it is open
        }
        let opens = |element: &ElementId| {
            self.node(*element).is_some_and(|node| {
                let is_other = node.allows(ActionKind::Type) || node.allows(ActionKind::Check) || node.tag == "label";
                let does_more =
                    node.role == "button" && (is_consequential(node.label()) || !self.says_name(anchor, node));
                node.allows(ActionKind::Click) && !node.states.disabled && !is_other && !does_more
            })
        };
        let within = || {
            let region = Region::Subtree(anchor);
            observation.interactive().map(|(id, _)| id).find(|id| region.holds(observation, *id) && opens(id))
        };
        let around = || observation.ancestors(anchor).take(3).map(|(id, _)| id).find(opens);
        let said = || match self.control_in(regions, commands::names(Command::Open)) {
            Pick::One(found) => Some(found.element),
            Pick::Ambiguous(_) | Pick::None => None,
        };
        Some(anchor).filter(opens).or_else(within).or_else(around).or_else(said)
    }

    /// Whether a button is called as the thing is, or unfolds it. Another one has a command of its own.
    fn says_name(&self, anchor: ElementId, button: &Node) -> bool {
        let name = self.node(anchor).map(Node::label).unwrap_or_default();
        button.states.expanded.is_some() || holds_words(button.label(), name)
    }

    /// A control that a verb names, of the thing.
    fn do_verb(&mut self, task: &Task, verb: &str) -> Pursuit {
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
    fn do_with_values(&mut self, task: &Task, names: &[&str], verb: &str) -> Pursuit {
        const FORM_OPENED: u32 = 1;
        let anchor = match self.locate(&task.thing) {
            locate::Located::Several(reason) => return Pursuit::Unclear(reason),
            locate::Located::One(anchor) => Some(anchor),
            locate::Located::None => None,
        };
        let observation = self.scene.observation;
        let regions = anchor.map(|anchor| self.spot(anchor)).unwrap_or_default();
        let is_headed = anchor.and_then(|anchor| self.node(anchor)).is_some_and(|node| node.role == "heading");
        let is_here = self.memory.opened || is_headed || self.page_is(task.thing.anchor());
        let named = |region: &Region| self.called(names, Some(region)).into_iter().map(|found| found.element).collect();
        let mut forms = Vec::new();
        for form in self.forms() {
            let in_dialog = form.fields.iter().all(|field| observation.ancestors(*field).any(|(_, at)| is_dialog(at)));
            if self.memory.stage == FORM_OPENED && in_dialog {
                forms.push(form);
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
                self.memory.opened = true;
                return aside(self.click(
                    found.element,
                    &format!("opens what it takes to {verb} it"),
                    found.score,
                    false,
                ));
            }
            Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
            Pick::One(_) | Pick::None => {}
        }
        if let Some(step) = anchor.and_then(|anchor| self.open_thing(anchor, &regions)) {
            return step;
        }
        let fields: Vec<&str> = task.values.iter().map(|given| given.field.as_str()).collect();
        let wanted = format!("a form with the {}, to {verb} {} with it", fields.join(" and the "), task.thing.title());
        self.elsewhere(task, &wanted)
    }

    /// Presses the control of the thing that one of these names calls: in its entry, in the entry's menu, or where it was opened.
    fn act_on(&mut self, task: &Task, names: &[&str], what: &str) -> Pursuit {
        let thing = &task.thing;
        let is_so = || format!("{} is so", thing.title());
        match self.locate(thing) {
            locate::Located::One(anchor) => {
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
                // A control may be called by verb and name: `Remove Ann`.
                let whole = format!("{what} {}", thing.name);
                if let Pick::One(found) = self.one(&Target { quoted: true, ..Target::labelled(whole) }) {
                    return self.press(&found, "is what the instruction names");
                }
                if let Some(step) = self.menu_of(&regions, what) {
                    return step;
                }
                if self.memory.opened && self.commands_reach(anchor) {
                    match self.control_of_page(names, thing) {
                        Pick::One(found) if !self.acts_on_chosen(anchor, found.element) => {}
                        Pick::One(found) if self.is_pressed(found.element) => return self.held(is_so()),
                        Pick::One(found) => return self.press(&found, WHERE_SHOWN),
                        _ if self.is_undone_in(what, None) => return self.held(is_so()),
                        _ => {}
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
            locate::Located::Several(reason) => Pursuit::Unclear(reason),
            locate::Located::None => {
                if self.memory.opened {
                    match self.control_of_page(names, thing) {
                        Pick::One(found) => {
                            return self.press(&found, WHERE_SHOWN);
                        }
                        Pick::Ambiguous(reason) => return Pursuit::Unclear(reason),
                        Pick::None => {}
                    }
                }
                let whole = format!("{what} {}", thing.name);
                if let Pick::One(found) = self.one(&Target { quoted: true, ..Target::labelled(whole) }) {
                    return self.press(&found, "is what the instruction names");
                }
                self.elsewhere(task, &format!("{}, to {what} it", thing.title()))
            }
        }
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

    /// Whether a control is a switch that is on.
    pub(super) fn is_pressed(&self, element: ElementId) -> bool {
        self.node(element).is_some_and(|node| node.states.pressed == Some(true))
    }

    /// Whether one control is there that would undo a command, and belongs to no other thing: `Unsubscribe`.
    fn is_undone_in(&self, verb: &str, region: Option<&Region>) -> bool {
        let undoing = format!("un{verb}");
        let mut found = self.called(&[undoing.as_str()], region);
        found.retain(|candidate| {
            region.is_some() || !crate::ground::item::is_in_entry(self.scene.observation, candidate.element)
        });
        found.len() == 1
    }

    /// Types into a field where it does not hold the text yet.
    fn type_once(&mut self, element: ElementId, text: &str, why: &str) -> Pursuit {
        let action = Action::Type { element, text: text.to_owned(), submit: false };
        let title = self.node(element).map(super::describe).unwrap_or_default();
        self.step(action, format!("{title} {why}"), 0.85, false)
    }
}

/// Whether a control says that it opens something, and so does nothing yet.
fn says_that_it_opens(node: &Node) -> bool {
    let label = node.label().trim();
    node.role == "link"
        || node.states.expanded.is_some()
        || !matches!(node.attribute("aria-haspopup"), "" | "false")
        || label.ends_with('\u{2026}')
        || label.ends_with("...")
}

/// Whether a control is called as what undoes a command: `Unpin` for `pin`, whatever its picture shows.
fn undoes(node: &Node, command: &str) -> bool {
    let undoing = format!("un{}", command.to_lowercase());
    !command.to_lowercase().starts_with("un") && tokens(node.label()).contains(&undoing)
}

/// Whether a verb takes one of several things for somebody: a seat, a time.
fn takes(verb: &str) -> bool {
    matches!(verb, "reserve" | "book" | "choose" | "pick" | "take" | "select" | "claim")
}
