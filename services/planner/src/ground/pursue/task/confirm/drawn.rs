//! A question that the page draws of plain parts: a text about the deed with its answers, all of which came of the decisive step.

use super::super::super::Pursuer;
use super::is_question as is_asking;
use crate::ground::bind::Candidate;
use crate::ground::commands::{self, Command};
use crate::ground::dialog::is_destructive;
use crate::ground::item::is_in_entry;
use crate::ground::names::holds_words;
use crate::ground::region::Region;
use crate::ground::task::{Task, TaskAct};
use crate::ground::words::{begins_with_words, tokens};
use domain::action::ActionKind;
use domain::observation::Node;
use domain::{Descriptor, ElementId};

/// How a question of plain parts may be answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Drawn {
    /// By this control, which says that it is meant.
    Yes(Candidate),
    /// Nothing in it says so for certain.
    Unclear,
}

impl Pursuer<'_> {
    /// The question that the page asks back about the deed, if it shows one that came of the decisive step, or another page that asks.
    pub(super) fn drawn_question(&self, task: &Task) -> Option<Drawn> {
        const AROUND: usize = 4;
        let observation = self.scene.observation;
        let deed = Deed::of(task, self.history.get(self.memory.decided_at).and_then(|step| step.action.element()));
        let came: Vec<&String> = self.appeared_since_decided().collect();
        // Of another page all has come: there only what asks in so many words is a question, and only buttons of no entry answer it.
        let is_other_page = observation.url != self.memory.decided_url;
        let tells = |told: &str, text: &str| match told.strip_suffix('\u{2026}') {
            Some(beginning) if text.starts_with(beginning) => true,
            // A long text may be told with what stands beside it, or without a part of it.
            _ if told.len().min(text.len()) > 12 => told.contains(text) || text.contains(told),
            _ => told == text || told.ends_with(&format!("\"{text}\"")),
        };
        let has_come = |text: &str| is_other_page || (!text.is_empty() && came.iter().any(|told| tells(told, text)));
        let is_control = |id: ElementId, node: &Node| {
            let only_pressed = node.allows(ActionKind::Click) && !node.allows(ActionKind::Type);
            let has_come = match is_other_page {
                true => node.role == "button" && !is_in_entry(observation, id),
                false => has_come(node.label().trim()),
            };
            only_pressed && !node.label().is_empty() && has_come
        };
        let asks = |text: &str| text.contains('?') || is_asking(text);
        let is_question = |node: &Node| {
            let text = node.text.trim();
            !node.is_interactive() && !text.is_empty() && has_come(text) && (!is_other_page || asks(text))
        };
        let questions: Vec<ElementId> =
            self.scene.elements().filter(|(_, node)| is_question(node)).map(|(id, _)| id).collect();
        for question in questions {
            let around = observation.ancestors(question).take(AROUND).map(|(id, _)| Region::Subtree(id));
            // What holds them may be of no account to anybody, and not be told.
            for region in std::iter::once(self.what_came_with(question, &has_come)).chain(around) {
                let all: Vec<(ElementId, &Node)> =
                    self.scene.elements().filter(|(id, _)| region.holds(observation, *id)).collect();
                let controls: Vec<(ElementId, &Node)> =
                    all.iter().copied().filter(|(id, node)| is_control(*id, node)).collect();
                let (ways_out, answers): (Vec<_>, Vec<_>) =
                    controls.iter().copied().partition(|(_, node)| deed.is_called_off_by(node.label()));
                if ways_out.is_empty() || answers.is_empty() {
                    continue;
                }
                // What asks for a value is a form.
                if all.iter().any(|(_, node)| node.allows(ActionKind::Type) || node.allows(ActionKind::Select)) {
                    return None;
                }
                // What holds the answers repeats them.
                let holds_answers =
                    |id: ElementId| controls.iter().any(|(of, _)| observation.ancestors(*of).any(|(at, _)| at == id));
                let said: Vec<&str> = all
                    .iter()
                    .filter(|(id, node)| !node.is_interactive() && !holds_answers(*id))
                    .map(|(_, node)| node.text.as_str())
                    .collect();
                // A message that it is done has controls as well, `Undo`, and so has what is offered beside: `Follow` another.
                let is_asked = said.iter().any(|text| asks(text));
                let speaks = |text: &&str| deed.names_thing(text) || (is_asked && deed.is_said_by(text));
                if !said.iter().any(speaks) {
                    continue;
                }
                // What would be lost by it was not asked for.
                let is_meant = deed.acts || !said.iter().any(|text| is_destructive(text));
                let mut yes = answers.iter().filter(|(_, node)| deed.is_meant_by(node.label(), is_asked));
                let only = yes.next().filter(|(_, node)| yes.next().is_none() && is_meant && !node.states.disabled);
                if only.is_none() && !is_asked {
                    continue;
                }
                return Some(
                    only.map_or(Drawn::Unclear, |(element, _)| {
                        Drawn::Yes(Candidate { element: *element, score: 0.85 })
                    }),
                );
            }
        }
        None
    }

    /// A question with what is said right before it, and all that came behind it.
    fn what_came_with(&self, question: ElementId, has_come: &dyn Fn(&str) -> bool) -> Region {
        const FARTHEST: u32 = 10;
        let is_of_it = |id: &u32| {
            self.node(ElementId(*id)).is_some_and(|node| {
                let said = if node.is_interactive() { node.label() } else { node.text.as_str() };
                said.trim().is_empty() || has_come(said.trim())
            })
        };
        let is_said = |id: &u32| is_of_it(id) && self.node(ElementId(*id)).is_some_and(|node| !node.is_interactive());
        let first = (question.0.saturating_sub(FARTHEST)..question.0).rev().take_while(is_said).last();
        let last = (question.0 + 1..=question.0 + FARTHEST).take_while(is_of_it).last();
        Region::Stretch(first.unwrap_or(question.0), last.unwrap_or(question.0) + 1)
    }
}

/// What was done, in the words by which a page may ask about it.
struct Deed<'a> {
    /// What the pressed control is called, in lower case and without the dots that announce a question.
    pressed: String,
    /// The words for the act.
    words: Vec<&'a str>,
    /// What the thing is called.
    thing: &'a str,
    /// Whether the act is one that pages let people confirm.
    acts: bool,
}

impl<'a> Deed<'a> {
    fn of(task: &'a Task, pressed: Option<&Descriptor>) -> Self {
        let pressed = pressed.map(|element| element.name.trim().to_lowercase()).unwrap_or_default();
        let words = match &task.act {
            TaskAct::Remove if begins_with_words(&pressed, "cancel") => vec!["cancel"],
            TaskAct::Remove => commands::names(Command::Remove).to_vec(),
            TaskAct::LogOut => commands::names(Command::LogOut).to_vec(),
            TaskAct::Move => vec!["move"],
            TaskAct::Do(verb) => vec![verb.as_str()],
            _ => Vec::new(),
        };
        Self {
            pressed: pressed.trim_end_matches(['\u{2026}', '.']).trim_end().to_owned(),
            words,
            thing: task.thing.anchor(),
            acts: matches!(task.act, TaskAct::Remove | TaskAct::Do(_) | TaskAct::LogOut),
        }
    }

    fn names_thing(&self, text: &str) -> bool {
        !self.thing.is_empty() && holds_words(text, self.thing)
    }

    fn is_said_by(&self, text: &str) -> bool {
        let pressed = Some(self.pressed.as_str()).filter(|pressed| !pressed.is_empty());
        pressed.iter().chain(&self.words).any(|word| holds_words(text, word))
    }

    fn begins(&self, label: &str) -> bool {
        self.words.iter().any(|word| begins_with_words(label, word))
    }

    fn is_pressed_again(&self, label: &str) -> bool {
        !self.pressed.is_empty() && label.trim().to_lowercase() == self.pressed
    }

    /// Whether a control says that the deed is meant: by the deed's name, and where the page asks also by `Yes`.
    fn is_meant_by(&self, label: &str, is_asked: bool) -> bool {
        let confirms = || commands::names(Command::Confirm).iter().any(|name| begins_with_words(label, name));
        self.is_pressed_again(label) || (is_asked && (self.begins(label) || (self.acts && confirms())))
    }

    /// Whether a control leaves everything as it is. What is called as the deed is does not, though it is `Cancel` or `Close`.
    fn is_called_off_by(&self, label: &str) -> bool {
        let is_deed = self.is_pressed_again(label) || self.begins(label);
        let is_short = tokens(label).len() <= 2;
        let cancels = || commands::names(Command::Cancel).iter().any(|name| begins_with_words(label, name));
        !is_deed && (commands::leaves(label) || begins_with_words(label, "keep") || (is_short && cancels()))
    }
}
