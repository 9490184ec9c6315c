//! Doing something to a thing of the application: the thing, its place and the control that acts on it are bound together, and the task
//! is done when its effect is seen.
//!
//! A verb alone never chooses a control. What only looks for the way changes nothing; the one step that does what is asked is the
//! *decisive* one, and after it nothing counts but what the page then shows.

mod add;
mod answer;
mod arrange;
mod belong;
mod cells;
mod chosen;
mod confirm;
mod deed;
mod drawn;
mod edit;
mod form;
mod holder;
mod kept;
mod kinds;
mod locate;
mod mapped;
mod mark;
mod mentioned;
mod open;
mod opener;
mod remove;
mod send;
mod session;
mod setting;
mod told;
mod way;

use super::{Pursuer, Pursuit, aside};
use crate::ground::bind::{Candidate, bind_in};
use crate::ground::goal::Target;
use crate::ground::item::{is_dialog, is_item, is_row_of_commands, item_of};
use crate::ground::names::holds_words;
use crate::ground::pick::{EQUAL, Pick, pick};
use crate::ground::region::{self, Region};
use crate::ground::score::STRONG;
use crate::ground::task::{Task, TaskAct, Thing};
use crate::ground::understand::is_verb;
use crate::ground::understand::kinds::kind_of;
use crate::ground::words::{is_consequential, is_function_word, tokens};
use crate::ground::{commands, seek};
use commands::Command;
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::address::{origin, without_query};
use domain::decision::PlannerError;
use domain::observation::Node;

impl Pursuer<'_> {
    /// The next step of a task.
    ///
    /// # Errors
    /// When the embedder fails.
    pub(super) async fn task(&mut self, task: &Task) -> Result<Pursuit, PlannerError> {
        let read_by_page = self.value_of_column(task).or_else(|| self.put_into_named(task));
        let task = read_by_page.as_ref().unwrap_or(task);
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
        self.control_but(regions, names, &|_| false)
    }

    /// The control of the menu that the last step opened for the thing: many pages draw it apart from what it belongs to.
    fn control_in_menu(&self, names: &[&str]) -> Pick {
        if !self.has_just_opened_menu() {
            return Pick::None;
        }
        let mut found = self.called_at_all(names, None);
        found.retain(|one| self.node(one.element).is_some_and(|node| self.is_in_open_menu(one.element, node)));
        let found = self.enabled(found);
        pick(&self.scene, &Target::labelled(names.first().copied().unwrap_or_default()), &found)
    }

    /// Controls that are called by one of these names and can be used, the best first.
    fn called(&self, names: &[&str], region: Option<&Region>) -> Vec<Candidate> {
        let mut found = self.called_at_all(names, region);
        if region.is_some() {
            return self.enabled(found);
        }
        // Of the whole page, what is disabled may belong to anything.
        found.retain(|one| !self.is_disabled(one));
        found
    }

    fn is_disabled(&self, one: &Candidate) -> bool {
        self.node(one.element).is_some_and(|node| node.states.disabled)
    }

    /// Controls that are called by one of these names, alone or with more words behind it, disabled ones too, the best first.
    fn called_at_all(&self, names: &[&str], region: Option<&Region>) -> Vec<Candidate> {
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
                    || (names.contains(&"remove") && remove::only_closes(node))
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
        // A cross beside a word for it closes what both stand in, or takes a part of it away.
        let is_cross = |one: &Candidate| {
            self.node(one.element)
                .is_some_and(|node| matches!(node.label(), "\u{d7}" | "\u{2715}" | "\u{2716}" | "x" | "X"))
        };
        if found.iter().any(|one| !is_cross(one)) {
            found.retain(|one| !is_cross(one));
        }
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found
    }

    /// Those that can be used, unless one that is meant before them cannot: what fits less is not pressed for it.
    fn enabled(&self, mut found: Vec<Candidate>) -> Vec<Candidate> {
        let barred = found.iter().filter(|one| self.is_disabled(one)).map(|one| one.score).fold(0.0, f64::max);
        found.retain(|one| !self.is_disabled(one) && one.score > barred - EQUAL);
        found
    }

    /// A control of the page itself, where the thing was opened: of no other thing's entry, and with no other thing in its name.
    fn control_of_page(&self, names: &[&str], thing: &Thing) -> Pick {
        let observation = self.scene.observation;
        let mut found = self.called_at_all(names, None);
        let ends_session = |id: ElementId| {
            let is_bar = |node: &Node| matches!(node.role.as_str(), "navigation" | "banner") || node.tag == "header";
            let names = [Command::LogIn, Command::LogOut].into_iter().flat_map(commands::names);
            let label = self.node(id).map(Node::label).unwrap_or_default();
            let is_called = names.into_iter().any(|name| crate::ground::names::same(name, label));
            is_called && observation.ancestors(id).any(|(_, around)| is_bar(around))
        };
        // `Design review` is not `Design`.
        let named = region::anchors_of(observation, self.scene.echoes, thing.called());
        // Where nothing is called so, the thing that was opened has the heading of the page.
        let in_words = named.is_empty() && self.memory.opened && !thing.is_exact();
        let heads = |(id, node): (ElementId, &Node)| (node.tag == "h1").then_some(id);
        let head = observation.elements().find_map(heads).filter(|_| in_words);
        let names_it =
            |item: ElementId| named.iter().chain(&head).any(|id| Region::Subtree(item).holds(observation, *id));
        found.retain(|candidate| {
            // What says nothing but its controls is a row of commands, and no entry.
            let is_own = item_of(observation, candidate.element).is_none_or(|item| {
                let says = observation.node(item).map(|node| node.text.as_str()).unwrap_or_default();
                observation.node(item).is_some_and(is_dialog)
                    || (!thing.anchor().is_empty() && holds_words(says, thing.anchor()) && names_it(item))
                    || is_row_of_commands(observation, item)
            });
            is_own
                && !ends_session(candidate.element)
                && self.node(candidate.element).is_some_and(|node| self.names_nothing_else(node.label(), names, thing))
        });
        // A link that only leads somewhere may be called as the command is: the folder `Archive`.
        let leads = |one: &Candidate| self.node(one.element).is_some_and(|node| self.is_way(one.element, node));
        if !found.iter().all(leads) {
            found.retain(|one| !leads(one));
        }
        // `Delete order` is for the order, though another `Delete` is disabled.
        let speaks_of_it = |one: &Candidate| {
            let words = self.node(one.element).map(|node| tokens(node.label())).unwrap_or_default();
            tokens(&format!("{} {}", thing.kind, thing.name)).iter().any(|own| words.contains(own))
        };
        if found.iter().any(|one| speaks_of_it(one) && !self.is_disabled(one)) {
            found.retain(speaks_of_it);
        }
        let found = self.enabled(found);
        pick(&self.scene, &Target::labelled(names.first().copied().unwrap_or_default()), &found)
    }

    /// Whether a label consists of a command and of words for the thing: `Delete`, `Delete event`, `Delete "Trip"`.
    fn names_nothing_else(&self, label: &str, names: &[&str], thing: &Thing) -> bool {
        let of_names: Vec<String> = names.iter().flat_map(|name| tokens(name)).collect();
        let of_thing = tokens(&format!("{} {} {}", thing.kind, thing.name, thing.of));
        // `Edit title` edits what it is called.
        let edits = names.contains(&"edit");
        commands::telling_words(label).iter().all(|word| {
            (edits && commands::same_concept(word, "title"))
                || of_names.contains(word)
                || of_thing.iter().any(|own| commands::same_concept(own, word))
                || crate::ground::words::is_function_word(word)
        })
    }

    /// Shows more of an entry: the menu that stands in it.
    fn menu_of(&mut self, regions: &[Region], wanted: &str) -> Option<Pursuit> {
        for region in regions {
            let disclosures = seek::disclosures(&self.scene, self.memory, Some(region));
            // `Plus` is more, and `+` makes one.
            let is_sign = |id: &ElementId| self.node(*id).is_some_and(|node| node.label().trim() == "+");
            let by_name = self.called(commands::names(Command::More), Some(region));
            let by_name = by_name.into_iter().map(|found| found.element).filter(|id| !is_sign(id));
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
        let found = self.opener_of(anchor, regions);
        self.memory.through_way = found.is_none();
        // Where its name leads to another site, nothing of this one opens it.
        let leads_off = |element: &ElementId| self.node(*element).is_some_and(|node| self.leads_off_site(node));
        let found = found.filter(|element| !leads_off(element));
        let element = found.or_else(|| self.only_way_of(anchor)).filter(|element| !self.is_opposite(*element))?;
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
                // Parts of a button may stand in its name without a blank: `09:30Dentist`.
                let holds_name = || {
                    let name = self.node(anchor).map(Node::label).unwrap_or_default();
                    node.label().contains(name) && observation.ancestors(anchor).any(|(around, _)| around == *element)
                };
                // What is pressed and is no link does what it is called, whatever it is made of.
                let is_of_it = || self.says_name(anchor, node) || holds_name();
                let does_more =
                    (node.role == "button" && is_consequential(node.label())) || (node.role != "link" && !is_of_it());
                node.allows(ActionKind::Click)
                    && !node.states.disabled
                    && !is_other
                    && !does_more
                    && !self.is_opposite(*element)
            })
        };
        let within = || {
            let region = Region::Subtree(anchor);
            observation.interactive().map(|(id, _)| id).find(|id| region.holds(observation, *id) && opens(id))
        };
        // What holds several entries listens for clicks on any of them.
        let holds_entries = |around: ElementId| {
            let entries = observation.elements().filter(|(_, node)| is_item(node) && !is_dialog(node));
            let within = entries.filter(|(id, _)| *id != around && Region::Subtree(around).holds(observation, *id));
            within.take(2).count() > 1
        };
        let around = || {
            let mut around = observation.ancestors(anchor).take(3).map(|(id, _)| id);
            around.find(|id| opens(id) && !holds_entries(*id))
        };
        let said = || match self.control_in(regions, commands::names(Command::Open)) {
            Pick::One(found) => Some(found.element).filter(|found| self.opens_only(anchor, *found)),
            Pick::Ambiguous(_) | Pick::None => None,
        };
        Some(anchor).filter(opens).or_else(within).or_else(around).or_else(said)
    }

    /// Whether a link leads to another site.
    fn leads_off_site(&self, node: &Node) -> bool {
        let to = origin(node.attribute("href"));
        to.is_some_and(|to| origin(&self.scene.observation.url).is_some_and(|here| here != to))
    }

    /// Whether a control that says that it opens something opens the thing, or a part of it: the gate of a plot is something else.
    fn opens_only(&self, anchor: ElementId, control: ElementId) -> bool {
        let own = self.node(anchor).map(|node| tokens(&node.text)).unwrap_or_default();
        let says = self.node(control).map(|node| tokens(node.label())).unwrap_or_default();
        let opening = commands::names(Command::Open);
        let is_deed = |word: &String| opening.iter().any(|name| tokens(name).contains(word));
        says.iter().all(|word| {
            is_deed(word)
                || is_function_word(word)
                || own.contains(word)
                || kind_of(word).is_some()
                || seek::is_part(word)
        })
    }

    /// Whether the thing was opened, and what is shown is the thing.
    fn is_opened(&self, thing: &Thing) -> bool {
        self.memory.opened && (!self.memory.through_way || self.page_speaks_of(thing.anchor()))
    }

    /// The only way that the entry of a thing has to elsewhere: a row is opened by it, whichever cell named the thing. A command is none.
    fn only_way_of(&self, anchor: ElementId) -> Option<ElementId> {
        let observation = self.scene.observation;
        let item =
            item_of(observation, anchor).filter(|item| observation.node(*item).is_some_and(|node| !is_dialog(node)))?;
        let entry = Region::Subtree(item);
        let leads = |id: ElementId, node: &Node| {
            node.role == "link" && !acts_by_script(node) && entry.holds(observation, id) && self.is_way(id, node)
        };
        // Beside a command of the entry another link is no title.
        let is_command = |node: &Node| node.role == "link" && is_command(node.label());
        if self.scene.elements().any(|(id, node)| is_command(node) && entry.holds(observation, id)) {
            return None;
        }
        let mut ways = self.scene.elements().filter(|(id, node)| leads(*id, node));
        let (first, node) = ways.next()?;
        ways.all(|(_, other)| other.attribute("href") == node.attribute("href")).then_some(first)
    }

    /// Presses what opens a form for the task. By what was there before, the form is known that comes of it.
    fn open_form(&mut self, element: ElementId, why: &str, confidence: f64) -> Pursuit {
        self.memory.opened = true;
        self.memory.form_url = self.page_url().to_owned();
        self.memory.fields_before = self.field_keys(self.scene.elements().map(|(id, _)| id));
        aside(self.click(element, why, confidence, false))
    }

    /// Whether a form came of what was pressed to open one: none of its fields was there before.
    fn is_new(&self, form: &form::Form) -> bool {
        !form.fields.is_empty() && form.fields.iter().all(|field| self.is_new_field(*field))
    }

    fn is_new_field(&self, field: ElementId) -> bool {
        let keys = self.field_keys(std::iter::once(field));
        self.is_where_form_opened() && !keys.iter().any(|key| self.memory.fields_before.contains(key))
    }

    /// Whether this is the page on which a form was opened for the present task.
    fn is_where_form_opened(&self) -> bool {
        !self.memory.form_url.is_empty() && self.memory.form_url == self.page_url()
    }

    /// The only element that was found, if it was not tried yet. It counts as tried from now on, and what comes next as what it unfolded.
    fn take_only_untried(&mut self, found: &[ElementId]) -> Option<ElementId> {
        let [only] = found else { return None };
        let key = self.key_of(*only);
        if self.memory.tried.contains(&key) {
            return None;
        }
        self.memory.tried.push(key);
        self.memory.menu_at = self.history.len() + 1;
        Some(*only)
    }

    /// Whether what is called exactly so came with the last step: `Download` did not come with `Download as PDF`.
    pub(in crate::ground) fn has_come(&self, node: &Node) -> bool {
        let told = self.history.last().map(|step| step.difference.appeared.as_slice()).unwrap_or_default();
        let label = node.label().trim();
        let quoted = format!(" \"{label}\"");
        !label.is_empty() && told.iter().any(|told| told == label || told.ends_with(&quoted))
    }

    /// Turns a control on: a box by checking it, whatever is no box by a click.
    fn turn_on(&self, element: ElementId, why: &str) -> Pursuit {
        match self.node(element).is_some_and(|node| node.allows(ActionKind::Check)) {
            true => self.step(Action::Check { element, checked: true }, why.to_owned(), 0.88, false),
            false => self.click(element, why, 0.88, false),
        }
    }

    fn page_url(&self) -> &str {
        self.scene.observation.url.split(['?', '#']).next().unwrap_or_default()
    }

    fn field_keys(&self, among: impl Iterator<Item = ElementId>) -> Vec<String> {
        let takes = [ActionKind::Type, ActionKind::Select, ActionKind::Check];
        let fields = among.filter_map(|id| self.node(id)).filter(|node| takes.iter().any(|kind| node.allows(*kind)));
        // What is inserted above a field changes its path.
        let key = |node: &Node| {
            format!("{}|{}|{}|{}", node.role, node.label(), node.attribute("name"), node.attribute("type"))
        };
        fields.map(key).collect()
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

/// Whether a label of a word or two is a command: `Approve`, `Mark done`.
fn is_command(label: &str) -> bool {
    let words = tokens(label);
    words.len() < 3 && words.first().is_some_and(|word| is_verb(word) || commands::deeds::is_name(word))
}

/// Whether a link is for a script: it leads to a part of its own page, or has an attribute by which scripts act.
fn acts_by_script(node: &Node) -> bool {
    const ACTING: [&str; 9] = [
        "onclick",
        "data-method",
        "data-turbo-method",
        "data-action",
        "data-confirm",
        "data-turbo-confirm",
        "hx-post",
        "hx-put",
        "hx-delete",
    ];
    node.attribute("href").starts_with('#') || ACTING.iter().any(|name| !node.attribute(name).is_empty())
}

/// Whether a control is called as what undoes a command: `Unpin` for `pin`, whatever its picture shows.
fn undoes(node: &Node, command: &str) -> bool {
    let undoing = format!("un{}", command.to_lowercase());
    !command.to_lowercase().starts_with("un") && tokens(node.label()).contains(&undoing)
}
