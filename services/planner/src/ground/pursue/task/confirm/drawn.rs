//! A question that the page draws of plain parts: a text about the deed with its answers, all of which came of the decisive step.

use super::super::super::Pursuer;
use super::is_question as is_asking;
use crate::ground::bind::Candidate;
use crate::ground::commands::{self, Command};
use crate::ground::dialog::is_destructive;
use crate::ground::names::holds_words;
use crate::ground::region::Region;
use crate::ground::task::{Task, TaskAct};
use crate::ground::words::{begins_with_words, tokens};
use domain::ElementId;
use domain::action::ActionKind;
use domain::observation::Node;

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
        let pressed = self.history.get(self.memory.decided_at).and_then(|step| step.action.element());
        let pressed = pressed.map(|element| element.name.to_lowercase()).unwrap_or_default();
        let cancels = task.act.verb() == "cancel" || tokens(&pressed).first().is_some_and(|word| word == "cancel");
        let came: Vec<&String> = self.appeared_since_decided().collect();
        // Of another page all has come: there only what asks in so many words is a question, and only buttons answer it.
        let is_other_page = observation.url != self.memory.decided_url;
        let has_come = |text: &str| is_other_page || (!text.is_empty() && came.iter().any(|told| told.contains(text)));
        let is_control = |node: &Node| {
            let only_pressed = node.allows(ActionKind::Click) && !node.allows(ActionKind::Type);
            let name = format!("\"{}\"", node.label().trim());
            let has_come = match is_other_page {
                true => node.role == "button",
                false => came.iter().any(|told| told.ends_with(&name)),
            };
            only_pressed && !node.label().is_empty() && has_come
        };
        let verb = task.act.verb();
        let deeds: Vec<&str> = match &task.act {
            TaskAct::Remove if cancels => vec!["cancel"],
            TaskAct::Remove => commands::names(Command::Remove).to_vec(),
            TaskAct::LogOut => commands::names(Command::LogOut).to_vec(),
            TaskAct::Move => vec!["move"],
            _ => vec![verb],
        };
        let says_deed = |text: &str| deeds.iter().any(|deed| !deed.is_empty() && holds_words(text, deed));
        let anchor = task.thing.anchor();
        let speaks_of_it = |text: &str| {
            says_deed(text)
                || (!pressed.is_empty() && holds_words(text, &pressed))
                || (!anchor.is_empty() && holds_words(text, anchor))
        };
        let is_question = |node: &Node| {
            let text = node.text.trim();
            !node.is_interactive()
                && !text.is_empty()
                && has_come(text)
                && (!is_other_page || text.contains('?') || is_asking(text))
        };
        let questions: Vec<ElementId> =
            self.scene.elements().filter(|(_, node)| is_question(node)).map(|(id, _)| id).collect();
        for question in questions {
            let around = observation.ancestors(question).take(AROUND).map(|(id, _)| Region::Subtree(id));
            // What holds them may be of no account to anybody, and not be told.
            for region in std::iter::once(self.what_came_with(question, &has_come)).chain(around) {
                let all: Vec<(ElementId, &Node)> =
                    self.scene.elements().filter(|(id, _)| region.holds(observation, *id)).collect();
                let controls = all.iter().filter(|(_, node)| is_control(node));
                let (ways_out, answers): (Vec<_>, Vec<_>) =
                    controls.partition(|(_, node)| calls_off(node.label(), cancels));
                let speaks = all.iter().any(|(_, node)| !node.is_interactive() && speaks_of_it(&node.text));
                if ways_out.is_empty() || answers.is_empty() || !speaks {
                    continue;
                }
                // What asks for a value is a form.
                if all.iter().any(|(_, node)| node.allows(ActionKind::Type) || node.allows(ActionKind::Select)) {
                    return None;
                }
                // What would be lost by it was not asked for.
                let acts = matches!(task.act, TaskAct::Remove | TaskAct::Do(_) | TaskAct::LogOut);
                let is_meant =
                    acts || !all.iter().any(|(_, node)| !node.is_interactive() && is_destructive(&node.text));
                // A message that it is done has controls as well: `Undo`, `Move back`.
                let asks = all
                    .iter()
                    .any(|(_, node)| !node.is_interactive() && (node.text.contains('?') || is_asking(&node.text)));
                let confirms = |label: &str| {
                    let label = label.trim().to_lowercase();
                    let begins = |name: &&str| begins_with_words(&label, name);
                    label == pressed.trim_end_matches(['\u{2026}', '.'])
                        || (asks && deeds.iter().any(begins))
                        || (asks && acts && commands::names(Command::Confirm).iter().any(begins))
                };
                let mut yes = answers.iter().filter(|(_, node)| confirms(node.label()) && !node.states.disabled);
                let only = yes.next().filter(|_| yes.next().is_none() && is_meant);
                if only.is_none() && !asks {
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

/// Whether a control leaves everything as it is. Where the deed itself is to cancel something, that word alone does not.
fn calls_off(label: &str, cancels: bool) -> bool {
    const WAYS: [&str; 12] = [
        "keep",
        "no",
        "never mind",
        "nevermind",
        "not now",
        "don",
        "do not",
        "go back",
        "stay",
        "nicht",
        "nein",
        "non",
    ];
    let said = tokens(label);
    let begins = |name: &&str| begins_with_words(label, name);
    let is_way = WAYS.iter().any(begins) || (commands::names(Command::Cancel).iter().any(begins) && said.len() <= 2);
    let is_deed = cancels && said.first().is_some_and(|word| word == "cancel");
    is_way && !is_deed
}
