//! After the decisive step: what the page asks is answered, and what the task was to bring about is looked for.

mod asked;
mod drawn;

use super::super::{Pursuer, Pursuit};
use super::locate::Located;
use super::remove::REMOVED;
use crate::ground::bind::Candidate;
use crate::ground::commands::{self, Command};
use crate::ground::goal::Target;
use crate::ground::item::is_dialog;
use crate::ground::names::holds_words;
use crate::ground::pick::{Pick, pick};
use crate::ground::refusals;
use crate::ground::region::Region;
use crate::ground::task::{Task, TaskAct};
use crate::ground::words::tokens;
use domain::action::{Action, ActionKind};
use domain::observation::{Node, RequestKind};
use domain::trajectory::Step;
use domain::unfinished::is_under_way;
use domain::{Effect, ElementId};
use drawn::Drawn;

/// Why a question of the page is answered with yes.
const SAYS_YES: &str = "says yes to what the page asks about it";

/// How often a page may ask back.
const QUESTIONS: u32 = 2;

impl Pursuer<'_> {
    /// What follows the decisive step: an answer to what the page asks, or the word that the task had its effect.
    pub(super) fn confirm(&mut self, task: &Task) -> Pursuit {
        // What was removed is no longer there, and says so.
        let is_meant = |said: &String| task.act == TaskAct::Remove && said.to_lowercase().contains("no longer");
        let told = refusals::says_no(self.since_decided(), &task.names(), task.act.verb());
        if let Some(said) = told.filter(|said| !is_meant(said)) {
            return Pursuit::Unclear(format!("the page says: {said}"));
        }
        if let Some(refusal) = self.refusal() {
            return Pursuit::Unclear(format!("the page refused it: {refusal}"));
        }
        if task.thing.all && task.act == TaskAct::Remove && !self.asks() {
            return self.remove_next(task);
        }
        if let Some(kept) = self.kept_instead(task) {
            return Pursuit::Stuck(kept);
        }
        // What was sent is done, whatever the page asks then.
        if self.is_reached(task) && (self.has_sent() || self.drawn_question(task).is_none()) {
            return Pursuit::Reached;
        }
        if let Some(step) = self.answer_question(task) {
            return step;
        }
        Pursuit::Stuck(self.lack(task))
    }

    fn is_reached(&self, task: &Task) -> bool {
        let changed = self.since_decided().iter().any(|step| step.effect.is_change());
        let sent = self.has_sent();
        match &task.act {
            TaskAct::Remove if task.thing.anchor().is_empty() => changed,
            TaskAct::Remove => {
                let is_seen = || changed && (self.is_where_decided() || self.says_so(&REMOVED));
                let is_kept_as_done = || self.is_called_off(&task.thing) || self.is_told_of(task);
                let is_done = (self.is_gone(&task.thing) && (sent || is_seen())) || (sent && is_kept_as_done());
                is_done && !self.asks()
            }
            TaskAct::Add | TaskAct::Send | TaskAct::Reply | TaskAct::Forward => {
                let text = if task.act == TaskAct::Add {
                    task.thing.name.as_str()
                } else {
                    task.value("text").unwrap_or_default()
                };
                let went = self.form_is_gone() || !self.memory.handed_in;
                // Without a form, what was pressed may only have counted something up.
                changed
                    && went
                    && (sent
                        || self.shows_outside_fields(text)
                        || !self.memory.handed_in
                        || self.memory.filled.is_empty())
            }
            TaskAct::Edit | TaskAct::Move => {
                let is_shown = |value: &str| self.shows_outside_fields(value) || self.is_held(value);
                let typed: Vec<&str> = self.memory.typed.iter().map(|(_, text)| text.as_str()).collect();
                let values: Vec<&str> = if typed.is_empty() {
                    task.values.iter().map(|given| given.value.as_str()).collect()
                } else {
                    typed
                };
                changed && (sent || values.into_iter().all(is_shown))
            }
            TaskAct::LogIn => changed && !self.scene.elements().any(|(_, node)| node.attribute("type") == "password"),
            TaskAct::LogOut => changed,
            TaskAct::Open => changed,
            // A list that narrows while one types has nothing left to do on Enter.
            TaskAct::Search => changed || sent || self.typing_changed_content(),
            // What asks first has done nothing yet. What was sent, and of which the page shows nothing at all, may have come to nothing.
            _ => {
                self.shows_anything()
                    && !(self.came_of_it() && (self.asks() || self.asks_by_verb(task)))
                    && !self.heading_asks(task)
                    && self.answers_beside_question(task).is_empty()
                    && self.control_that_asks(task).is_none()
            }
        }
    }

    /// Whether the page shows that anything came of the decisive step, beyond that something was sent.
    fn shows_anything(&self) -> bool {
        let unseen = |what: &String| matches!(what.as_str(), "request" | "focus" | "scroll");
        let shows = |step: &Step| match &step.effect {
            Effect::Changed { what } => !what.iter().all(unseen),
            other => other.is_change(),
        };
        self.since_decided().iter().any(shows)
    }

    /// Whether what the page shows changed when the field was filled, right before the decisive step.
    fn typing_changed_content(&self) -> bool {
        let before = self.memory.decided_at.checked_sub(1).and_then(|at| self.history.get(at));
        before.is_some_and(|step| {
            let shows_other =
                matches!(&step.effect, Effect::Changed { what } if what.iter().any(|part| part == "content"));
            matches!(step.action, Action::Type { .. }) && shows_other
        })
    }

    /// The steps from the decisive one on, without those that only waited.
    fn since_decided(&self) -> &[Step] {
        self.history.get(self.memory.decided_at..).unwrap_or_default()
    }

    /// What the page has shown anew since the decisive step.
    pub(super) fn appeared_since_decided(&self) -> impl Iterator<Item = &String> {
        self.since_decided().iter().flat_map(|step| &step.difference.appeared)
    }

    /// Whether a message that came since names the thing, by all that the instruction calls it.
    fn is_told_of(&self, task: &Task) -> bool {
        let thing = &task.thing;
        const OPEN: [&str; 6] = ["still", "not", "cannot", "could", "will", "pending"];
        let names_it = |text: &String| {
            let says = |name: &str| name.is_empty() || holds_words(text, name);
            let is_open = is_under_way(text) || tokens(text).iter().any(|word| OPEN.contains(&word.as_str()));
            text.starts_with("status") && !thing.name.is_empty() && says(&thing.name) && says(&thing.of) && !is_open
        };
        self.appeared_since_decided().any(names_it)
    }

    /// Whether the page sent something that changes the site, and the site took it.
    pub(super) fn has_sent(&self) -> bool {
        self.since_decided().iter().flat_map(|step| &step.requests).any(|request| {
            let is_taken = request.status.is_some_and(|status| status < 400);
            !request.is_safe()
                && is_taken
                && matches!(request.kind, RequestKind::Document | RequestKind::Script | RequestKind::Other)
        })
    }

    /// Whether a text is shown, not only held by the field that it was typed into.
    pub(super) fn shows_outside_fields(&self, text: &str) -> bool {
        // What the instruction asks to be shown is no repetition of it.
        let shown = crate::ground::region::anchors(self.scene.observation, &[], text);
        !text.is_empty()
            && shown
                .iter()
                .any(|id| self.node(*id).is_some_and(|node| !node.allows(ActionKind::Type) && node.role != "option"))
    }

    /// Whether a field or list holds a value.
    fn is_held(&self, value: &str) -> bool {
        self.scene.elements().any(|(_, node)| {
            let chosen =
                node.options.iter().any(|option| option.selected && crate::ground::names::same(value, &option.label));
            chosen || node.value.as_deref().is_some_and(|held| crate::ground::names::same(value, held))
        })
    }

    /// Whether the fields that were filled are gone or empty again.
    fn form_is_gone(&self) -> bool {
        let filled = &self.memory.typed;
        filled.iter().all(|(place, text)| match place.find(self.scene.observation) {
            Some(node) => node.value.as_deref() != Some(text.as_str()),
            None => true,
        }) || self.has_sent()
    }

    /// A message of the page that says one of these words and was not there before.
    fn says_so(&self, words: &[&str]) -> bool {
        self.since_decided()
            .iter()
            .flat_map(|step| &step.difference.appeared)
            .any(|text| tokens(text).iter().any(|word| words.contains(&word.as_str())))
    }

    /// What the page says against it: marks of fields that are not valid, or an alert that appeared.
    fn refusal(&self) -> Option<String> {
        const WORDS: &[&str] = &[
            "error",
            "invalid",
            "required",
            "failed",
            "denied",
            "wrong",
            "incorrect",
            "cannot",
            "already",
            "must",
            "fehler",
            "ungültig",
            "erreur",
            "unable",
            "forbidden",
            "couldn",
        ];
        let refuses = |text: &str| tokens(text).iter().any(|word| WORDS.contains(&word.as_str()));
        let invalid = self
            .memory
            .handed_in
            .then(|| self.scene.elements().find(|(_, node)| node.states.invalid && self.is_of_form(node)))
            .flatten();
        if let Some((_, node)) = invalid {
            let says = node.constraints.as_ref().and_then(|constraints| constraints.validation_message.clone());
            return Some(format!(
                "{}: {}",
                super::super::describe(node),
                says.unwrap_or_else(|| "it is not valid".to_owned())
            ));
        }
        if let Some(alert) = self.alert_that_came() {
            return Some(alert);
        }
        if self.has_sent() && self.form_is_gone() {
            return None;
        }
        let alert = self.scene.elements().find(|(_, node)| node.role == "alert" && refuses(&node.text));
        alert.map(|(_, node)| node.text.clone())
    }

    /// An alert that came of handing in and says that something is not so.
    fn alert_that_came(&self) -> Option<String> {
        let came = |text: &str| self.appeared_since_decided().any(|new| new.contains(text));
        let refuses = |node: &Node| {
            node.role == "alert"
                && !node.text.trim().is_empty()
                && came(node.text.trim())
                && refusals::refuses(&node.text)
        };
        let found = self.scene.elements().find(|(_, node)| self.memory.handed_in && refuses(node));
        found.map(|(_, node)| node.text.clone())
    }

    fn is_of_form(&self, node: &Node) -> bool {
        self.memory.typed.iter().any(|(place, _)| place.xpath == node.xpath && place.frame == node.frame)
            || node
                .constraints
                .as_ref()
                .is_some_and(|constraints| constraints.required && constraints.validation_message.is_some())
    }

    /// Whether the page asks whether it is meant.
    fn asks(&self) -> bool {
        self.scene.elements().any(|(_, node)| is_dialog(node) && is_question(&format!("{} {}", node.name, node.text)))
    }

    /// Says yes to what the page asks about the step that the instruction asks for.
    fn answer_question(&mut self, task: &Task) -> Option<Pursuit> {
        if self.memory.questions >= QUESTIONS {
            return None;
        }
        let observation = self.scene.observation;
        let dialog = self.scene.elements().filter(|(_, node)| is_dialog(node)).map(|(id, _)| id).last();
        if let Some(this) = dialog.and_then(|dialog| self.only_this(dialog, task)) {
            return Some(self.say_yes(this));
        }
        if dialog.is_none()
            && !self.has_sent()
            && let Some(Drawn::Yes(yes)) = self.drawn_question(task)
        {
            return Some(self.say_yes(yes));
        }
        let decisive = self.history.get(self.memory.decided_at).and_then(|step| step.action.element());
        let pressed = decisive.map(|element| element.name.clone()).filter(|name| !name.is_empty());
        let names: Vec<&str> = match &task.act {
            TaskAct::Do(verb) => {
                std::iter::once(verb.as_str()).chain(commands::names(Command::Confirm).iter().copied()).collect()
            }
            TaskAct::Remove => commands::names(Command::Confirm).to_vec(),
            TaskAct::LogOut => {
                commands::names(Command::LogOut).iter().chain(commands::names(Command::Confirm)).copied().collect()
            }
            // What was pressed is asked for once more by the same name, in a dialog that came of it.
            TaskAct::Mark | TaskAct::Unmark if self.came_of_it() && self.asks() => {
                pressed.as_deref().into_iter().collect()
            }
            _ => return None,
        };
        let found = match dialog {
            Some(dialog) => self.called(&names, Some(&Region::Subtree(dialog))),
            None if self.page_asks() || self.heading_asks(task) => {
                let mut found = self.called(&names, None);
                found.retain(|candidate| {
                    let node = observation.node(candidate.element);
                    node.is_some_and(|node| node.role == "button" || node.attribute("type") == "submit")
                        && !crate::ground::item::is_in_entry(observation, candidate.element)
                });
                found
            }
            None => match self.control_that_asks(task) {
                Some(found) => vec![found],
                None => self.answers_beside_question(task),
            },
        };
        // `Delete for good`, in a dialog, or on a page that asks, which names the thing.
        let names_thing = |text: &str| holds_words(text, task.thing.anchor()) && !task.thing.anchor().is_empty();
        let found = match dialog {
            _ if !found.is_empty() || task.act != TaskAct::Remove => found,
            Some(dialog) if names_thing(&self.text_of(dialog)) => {
                self.says_verb(&Region::Subtree(dialog), commands::names(Command::Remove))
            }
            None if self.heading_asks(task)
                && self.scene.elements().any(|(_, node)| !node.is_interactive() && names_thing(&node.text)) =>
            {
                let whole = Region::Stretch(0, observation.nodes.len() as u32);
                let mut found = self.says_verb(&whole, commands::names(Command::Remove));
                found.retain(|found| !crate::ground::item::is_in_entry(observation, found.element));
                if found.len() == 1 { found } else { Vec::new() }
            }
            _ => found,
        };
        match pick(&self.scene, &Target::labelled("yes"), &found) {
            Pick::One(one) => Some(self.say_yes(one)),
            Pick::Ambiguous(_) => found.first().map(|best| self.say_yes(*best)),
            Pick::None => None,
        }
    }

    /// Buttons of which one word is one of these verbs.
    fn says_verb(&self, region: &Region, verbs: &[&str]) -> Vec<Candidate> {
        let is_it = |node: &Node| {
            node.role == "button"
                && !node.states.disabled
                && tokens(node.label()).iter().any(|word| verbs.contains(&word.as_str()))
        };
        let buttons =
            self.scene.elements().filter(|(id, node)| region.holds(self.scene.observation, *id) && is_it(node));
        buttons.map(|(element, _)| Candidate { element, score: 0.85 }).collect()
    }

    /// All that an element says with what stands in it.
    fn text_of(&self, around: ElementId) -> String {
        let region = Region::Subtree(around);
        let said = self.scene.elements().filter(|(id, _)| region.holds(self.scene.observation, *id));
        said.map(|(_, node)| node.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn say_yes(&mut self, button: Candidate) -> Pursuit {
        self.memory.questions += 1;
        self.memory.answered_at = self.history.len() + 1;
        self.click(button.element, SAYS_YES, button.score, false)
    }

    /// The controls that say yes right beside a question that came of the decisive step, drawn as no dialog.
    fn answers_beside_question(&self, task: &Task) -> Vec<Candidate> {
        const AROUND: usize = 3;
        const YES: [&str; 9] = ["yes", "ok", "okay", "confirm", "ja", "oui", "s\u{ed}", "s\u{ec}", "sim"];
        let observation = self.scene.observation;
        let came = |text: &str| self.appeared_since_decided().any(|told| told.contains(text));
        let speaks_of_it = |text: &str| {
            let words = tokens(text);
            words
                .iter()
                .any(|word| word == task.act.verb() || commands::names(Command::Remove).contains(&word.as_str()))
        };
        let asks = |node: &Node| {
            let text = node.text.trim();
            !node.is_interactive() && text.len() < 300 && text.contains('?') && speaks_of_it(text) && came(text)
        };
        let questions = self.scene.elements().filter(|(_, node)| asks(node)).map(|(id, _)| id);
        questions
            .flat_map(|question| observation.ancestors(question).take(AROUND).map(|(id, _)| id).collect::<Vec<_>>())
            .map(|around| {
                // Never the command itself: other entries have one of the same name.
                self.called(&YES, Some(&Region::Subtree(around)))
            })
            .find(|found| !found.is_empty())
            .filter(|found| found.len() == 1)
            .unwrap_or_default()
    }

    /// The control of the thing that was pressed and asks back where it stands: `Delete` that says `Are you sure?` now.
    fn control_that_asks(&self, task: &Task) -> Option<Candidate> {
        let step = self.history.get(self.memory.decided_at)?;
        let pressed = step.action.element().filter(|pressed| !pressed.name.is_empty())?;
        let old = format!("{} \"{}\"", pressed.role, pressed.name);
        let asks = step.difference.changed.iter().find(|change| change.of == old && is_question(&change.to))?;
        let Located::One(anchor) = self.locate(&task.thing) else { return None };
        let regions = self.spot(anchor);
        let is_it = |id: ElementId, node: &Node| {
            node.role == pressed.role
                && !node.states.disabled
                && [node.label(), node.text.as_str()].contains(&asks.to.as_str())
                && regions.iter().any(|region| region.holds(self.scene.observation, id))
        };
        let mut found = self.scene.elements().filter(|(id, node)| is_it(*id, node)).map(|(element, _)| element);
        let only = found.next().filter(|_| found.next().is_none())?;
        Some(Candidate { element: only, score: 0.85 })
    }

    /// Whether a dialog came of the decisive step.
    fn came_of_it(&self) -> bool {
        let step = self.history.get(self.memory.decided_at);
        step.is_some_and(|step| {
            step.difference.appeared.iter().any(|text| text.starts_with("dialog") || text.starts_with("alertdialog"))
        })
    }

    /// Whether another page came that asks back.
    fn page_asks(&self) -> bool {
        self.scene.observation.url != self.memory.decided_url
            && self.scene.elements().any(|(_, node)| !node.is_interactive() && is_question(&node.text))
    }

    /// Whether the heading of another page that came asks about what is to be done: `Close the matter?`
    fn heading_asks(&self, task: &Task) -> bool {
        let verb = task.act.verb();
        let verbs = if task.act == TaskAct::Remove { commands::names(Command::Remove) } else { &[verb][..] };
        let says = |text: &str| verbs.iter().any(|verb| !verb.is_empty() && holds_words(text, verb));
        let asks = |node: &Node| node.role == "heading" && node.text.trim().ends_with('?') && says(&node.text);
        self.scene.observation.url != self.memory.decided_url && self.scene.elements().any(|(_, node)| asks(node))
    }

    /// What is missing after the decisive step.
    fn lack(&self, task: &Task) -> String {
        let title = task.thing.title();
        match &task.act {
            TaskAct::Remove => match self.locate(&task.thing) {
                Located::None => format!("{title} was to be removed, and nothing shows that it was"),
                _ => format!("{title} was to be removed and is still shown"),
            },
            TaskAct::Add => format!("{title} was to be added, and nothing shows that it was"),
            TaskAct::LogIn => "the page still asks for a password".to_owned(),
            TaskAct::Send | TaskAct::Reply | TaskAct::Forward => {
                "the message was to be sent, and nothing shows that it was".to_owned()
            }
            _ => format!("nothing shows that it was done to {title}"),
        }
    }
}

fn is_question(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "sure",
        "confirm",
        "really",
        "sicher",
        "wirklich",
        "confirmer",
        "seguro",
        "segura",
        "sûr",
        "sûre",
        "zeker",
        "certeza",
        "sicuro",
        "sicura",
        "undone",
        "permanently",
    ];
    text.len() < 400
        && (text.contains('?') || tokens(text).iter().any(|word| WORDS.contains(&word.as_str())))
        && tokens(text)
            .iter()
            .any(|word| WORDS.contains(&word.as_str()) || crate::ground::words::is_consequential(word))
}
