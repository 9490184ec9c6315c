//! Pursuing a goal: from what the page shows now to the next action, or to the word that the goal is reached or out of reach.

mod activate;
mod answer;
mod awaits;
mod best;
mod calendar;
mod choose;
mod consent;
mod enter;
mod fill;
mod labels;
mod parts;
mod task;

use super::GroundOptions;
use super::bind::{Candidate, Scene, bind};
use super::described::Description;
use super::goal::{Goal, Name, Target};
use super::item::is_in_entry;
use super::memory::Memory;
use super::names::{contradict, opposes, same};
use super::pick::{Pick, pick};
use super::region::{self, Region};
use super::tabs::SENT_BY_LOOKING;
use super::words::is_consequential;
use super::{outcome, score, seek, waiting};
use crate::rank;
use chrono::NaiveDate;
use domain::ElementId;
use domain::action::{Action, ActionKind, Direction};
use domain::decision::PlannerError;
use domain::language::Embedder;
use domain::observation::Node;
use domain::trajectory::Step;

/// What pursuing a goal came to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Pursuit {
    /// Do this next.
    Act(NextStep),
    /// Nothing is left to do for the goal.
    Reached,
    /// The goal is out of reach now, and may come into reach; why.
    Stuck(String),
    /// So many of the goals that follow are not to be done.
    Skip(usize),
    /// Nobody can tell what is meant, or it must not be done; why.
    Unclear(String),
}

/// The next action towards a goal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NextStep {
    /// The action.
    pub action: Action,
    /// Why, for people.
    pub reason: String,
    /// How sure, in 0..=1.
    pub confidence: f64,
    /// Whether the goal is reached by it.
    pub reaches: bool,
    /// Whether it only looks around: nothing depends on what becomes of it.
    pub aside: bool,
    /// Key of the element acted upon.
    pub key: Option<String>,
}

/// Pursues the goals of one episode on one observation.
pub(crate) struct Pursuer<'a> {
    /// The page.
    pub scene: Scene<'a>,
    /// What is remembered.
    pub memory: &'a mut Memory,
    /// What is to be done, in the instruction's words; empty where that is no deed.
    pub deed: String,
    /// What the instruction asks for after the present goal.
    pub later: &'a [Goal],
    /// Compares meaning.
    pub embedder: &'a dyn Embedder,
    /// Parameters.
    pub options: &'a GroundOptions,
    /// The steps so far.
    pub history: &'a [Step],
    /// The day on which the attempt began, where it is known.
    pub today: Option<NaiveDate>,
    /// Whether the instruction speaks of things that are repeated, all of which may be meant.
    pub speaks_of_several: bool,
}

impl Pursuer<'_> {
    /// The next step towards a goal.
    ///
    /// # Errors
    /// When the embedder fails.
    pub(crate) async fn pursue(&mut self, goal: &Goal) -> Result<Pursuit, PlannerError> {
        if let Some(step) = self.decline_consent(goal) {
            return Ok(step);
        }
        self.note_what_sent();
        match goal {
            Goal::Activate(target) => self.activate(target).await,
            Goal::Focus(target) => self.activate(target).await,
            Goal::Enter { value, target } => match self.show_parts(target) {
                Ok(target) => self.enter(value, &target).await,
                Err(step) => Ok(step),
            },
            Goal::Choose { values, names, manner, target } => match self.show_parts(target) {
                Ok(target) => self.choose(values, names, *manner, &target).await,
                Err(step) => Ok(step),
            },
            Goal::Answer(answer) => Ok(self.answer_in_page(answer)),
            Goal::Reveal(target) => Ok(self.reveal(target)),
            Goal::Fill { slots, verb } => self.fill(slots, verb).await,
            Goal::Press(keys) => Ok(self.plainly(Action::Press { keys: keys.clone() })),
            Goal::Scroll(direction) => Ok(self.plainly(Action::Scroll { element: None, direction: *direction })),
            Goal::Back => Ok(self.plainly(Action::Back)),
            Goal::Open(url) => Ok(self.plainly(Action::Goto { url: url.clone() })),
            Goal::Hover(target) => Ok(self.on_one(target, |element| Action::Hover { element })),
            Goal::DoubleClick(target) => {
                Ok(self.on_one(target, |element| Action::Click { element, at: None, count: 2 }))
            }
            Goal::Drag { what, onto } => Ok(self.drag(what, onto)),
            Goal::Best(superlative) => Ok(self.take_best(*superlative)),
            Goal::Task(task) => self.task(task).await,
            Goal::OnlyIf { shown, governed } => Ok(self.only_if(shown, *governed)),
            Goal::Await(awaited) => Ok(self.await_shown(awaited)),
            Goal::NotUnderstood(clause) => Ok(Pursuit::Unclear(format!("not understood: \"{clause}\""))),
        }
    }

    /// What depends on something that is not shown is left out, which is said.
    fn only_if(&mut self, shown: &str, governed: usize) -> Pursuit {
        let is_shown = !region::anchors(self.scene.observation, self.scene.echoes, shown).is_empty();
        if is_shown {
            return Pursuit::Reached;
        }
        if self.may_come() {
            return Pursuit::Stuck(format!("\"{shown}\" is not shown yet"));
        }
        self.memory.notes.push(format!("\"{shown}\" is not shown"));
        Pursuit::Skip(governed)
    }

    /// An action of the whole page, which the instruction asks for in so many words.
    fn plainly(&self, action: Action) -> Pursuit {
        self.step(action, "the instruction asks for it".to_owned(), 0.9, true)
    }

    /// An action on the one element that a target means.
    fn on_one(&mut self, target: &Target, action: impl Fn(ElementId) -> Action) -> Pursuit {
        match self.one(target) {
            Pick::One(best) => {
                self.step(action(best.element), "is what the instruction names".to_owned(), best.score, true)
            }
            Pick::Ambiguous(reason) => Pursuit::Unclear(reason),
            Pick::None => self.seek_or(&target.title(), None, || self::missing(target)),
        }
    }

    fn drag(&mut self, what: &Target, onto: &Target) -> Pursuit {
        // A place need be no control: what shows its name takes what is dropped.
        let place = match self.one(onto) {
            Pick::None if onto.within.is_none() && onto.places.is_empty() => {
                let name = Name::of(onto.text(), onto.quoted);
                match region::anchors_of(self.scene.observation, self.scene.echoes, name).as_slice() {
                    [only] => Pick::One(Candidate { element: *only, score: score::STRONG }),
                    _ => Pick::None,
                }
            }
            found => found,
        };
        match (self.one(what), place) {
            (Pick::One(what), Pick::One(onto)) => {
                let action = Action::Drag { element: what.element, onto: onto.element };
                self.step(action, "are what the instruction names".to_owned(), what.score.min(onto.score), true)
            }
            (Pick::Ambiguous(reason), _) | (_, Pick::Ambiguous(reason)) => Pursuit::Unclear(reason),
            (Pick::None, _) => Pursuit::Stuck(format!("found nothing to drag that is {}", what.title())),
            (_, Pick::None) => Pursuit::Stuck(format!("found no place that is {}", onto.title())),
        }
    }

    /// The one element that a target means, as far as it is to be seen.
    fn one(&self, target: &Target) -> Pick {
        let mut candidates = self.usable(bind(&self.scene, target));
        candidates.retain(|candidate| candidate.score >= score::WEAK);
        pick(&self.scene, target, &candidates)
    }

    /// Looks for what is not there: waits while the page announces more, then opens what may hide it.
    fn seek_or(&mut self, wanted: &str, region: Option<&Region>, missing: impl FnOnce() -> String) -> Pursuit {
        if self.may_come() {
            return Pursuit::Stuck(missing());
        }
        self.seek(wanted, region).unwrap_or_else(|| Pursuit::Stuck(missing()))
    }

    /// Whether the page announces more, and it was not waited for long enough yet.
    fn may_come(&self) -> bool {
        let observation = self.scene.observation;
        domain::unfinished::is_coming(observation) && waiting::next_wait(self.memory, observation).is_some()
    }

    fn node(&self, element: ElementId) -> Option<&Node> {
        self.scene.observation.node(element)
    }

    fn key_of(&self, element: ElementId) -> String {
        self.node(element).map(seek::key).unwrap_or_default()
    }

    /// Leaves out what could not be acted upon before.
    fn usable(&self, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
        candidates.retain(|candidate| !self.memory.failed.contains(&self.key_of(candidate.element)));
        candidates
    }

    fn step(&self, action: Action, reason: String, confidence: f64, reaches: bool) -> Pursuit {
        let key = action.element().map(|element| self.key_of(*element));
        Pursuit::Act(NextStep { action, reason, confidence, reaches, aside: false, key })
    }

    /// Clicks an element, or checks it where it is a checkbox or radio button.
    fn click(&self, element: ElementId, why: &str, confidence: f64, reaches: bool) -> Pursuit {
        let title = self.node(element).map(describe).unwrap_or_default();
        self.step(Action::click(element), format!("{title} {why}"), confidence, reaches)
    }

    /// Opens the most promising thing that was not tried yet.
    fn seek(&mut self, wanted: &str, region: Option<&Region>) -> Option<Pursuit> {
        let disclosures = seek::disclosures(&self.scene, self.memory, region);
        let may_open = |element: ElementId| {
            !self.is_asked_later(element) && !self.is_opposite(element) && !self.was_just_pressed(element)
        };
        let Some(disclosure) = disclosures.into_iter().find(|disclosure| may_open(disclosure.element)) else {
            return self.scroll_on(wanted, region);
        };
        self.memory.tried.push(disclosure.key.clone());
        let why = format!("may show {wanted}, which is not visible yet");
        Some(aside(self.click(disclosure.element, &why, disclosure.score * 0.7, false)))
    }

    /// What only looks for something is not to change the site: where the last such step did, none like it follows.
    fn note_what_sent(&mut self) {
        let Some(step) = self.history.last().filter(|_| self.memory.aside) else { return };
        let Some(element) = step.action.element().filter(|_| outcome::was_taken_by_site(step)) else { return };
        let key = seek::sent_by(&element.role, &element.name);
        if !self.memory.tried.contains(&key) {
            self.memory.tried.extend([key, SENT_BY_LOOKING.to_owned()]);
        }
    }

    /// Scrolls on where that may show more: lists that make their entries as they come into view.
    fn scroll_on(&mut self, wanted: &str, region: Option<&Region>) -> Option<Pursuit> {
        let (element, key) = seek::unscrolled(&self.scene, self.memory, region)?;
        self.memory.tried.push(key);
        let action = Action::Scroll { element, direction: Direction::Down };
        Some(aside(self.step(action, format!("further down may be {wanted}"), 0.4, false)))
    }

    /// Whether a later clause of the instruction names an element: it is pressed when its turn comes, and not before.
    fn is_asked_later(&self, element: ElementId) -> bool {
        let label = self.node(element).map(Node::label).unwrap_or_default();
        let mut later = self.later.iter().filter_map(|goal| match goal {
            Goal::Activate(target) | Goal::DoubleClick(target) => Some(target),
            _ => None,
        });
        later.any(|target| same(target.text(), label))
    }

    /// Whether an element is what the instruction had pressed last: what that brings may still come, and pressing it once more brings it
    /// twice or takes it away. The pages of a list are turned on and on.
    fn was_just_pressed(&self, element: ElementId) -> bool {
        let pressed = self.history.iter().rfind(|step| step.action.kind() != ActionKind::Wait);
        let pressed = pressed.filter(|_| !self.memory.aside).and_then(|step| step.action.element());
        pressed.zip(self.node(element)).is_some_and(|(pressed, node)| {
            pressed.role == node.role
                && pressed.name == node.label()
                && !node.label().is_empty()
                && !seek::turns_on(node)
        })
    }

    /// Whether a button does the opposite of what is to be done. What leads elsewhere, or opens a part of the page, does nothing yet.
    fn is_opposite(&self, element: ElementId) -> bool {
        self.node(element).is_some_and(|node| {
            let opens = node.states.expanded.is_some() || seek::opens_popup(node);
            node.role == "button" && !opens && opposes(&self.deed, node.label()) && !seek::opens_a_part(node.label())
        })
    }

    /// The clickable element whose label means most nearly what is wanted.
    async fn by_meaning(&self, wanted: &str, among: &[ElementId]) -> Result<Option<Candidate>, PlannerError> {
        let labels: Vec<String> =
            among.iter().filter_map(|element| self.node(*element)).map(|node| node.label().to_owned()).collect();
        if labels.is_empty() || wanted.is_empty() {
            return Ok(None);
        }
        let mut similarities: Vec<(usize, f64)> =
            rank::similarities(self.embedder, wanted, &labels).await?.into_iter().enumerate().collect();
        similarities.retain(|(index, _)| labels.get(*index).is_some_and(|label| may_mean(wanted, label)));
        similarities.sort_by(|a, b| b.1.total_cmp(&a.1));
        let next = similarities.get(1).map_or(0.0, |(_, score)| *score);
        Ok(similarities
            .first()
            .filter(|(_, score)| *score >= self.options.similarity && score - next > MARGIN)
            .and_then(|(index, score)| among.get(*index).map(|element| Candidate { element: *element, score: *score })))
    }

    /// Elements that can be clicked, have a label, and belong to no item: what stands in an item is meant by the item's words.
    fn clickable(&self) -> Vec<ElementId> {
        let observation = self.scene.observation;
        self.scene
            .elements()
            .filter(|(_, node)| node.allows(ActionKind::Click) && !node.label().is_empty() && !node.states.disabled)
            .filter(|(id, _)| !is_in_entry(observation, *id))
            .map(|(id, _)| id)
            .collect()
    }

    /// Opens one thing that hides others: the one that the target names, else the most promising.
    fn reveal(&mut self, target: &Target) -> Pursuit {
        let mut disclosures = seek::disclosures(&self.scene, self.memory, None);
        let fit = |element: ElementId| self.node(element).map_or(0.0, |node| score::fit(target, node));
        let named = disclosures.iter().position(|disclosure| fit(disclosure.element) >= score::STRONG);
        if disclosures.is_empty() {
            return Pursuit::Reached;
        }
        let disclosure = disclosures.swap_remove(named.unwrap_or(0));
        self.memory.tried.push(disclosure.key);
        let opened = self.click(disclosure.element, "opens what the instruction speaks of", 0.8, true);
        // `Expand the sections below`: the others are not passed by.
        if target.text().is_empty() { aside(opened) } else { opened }
    }
}

/// How much more alike than the next the likest must be.
const MARGIN: f64 = 0.05;

/// Whether a label can be meant by words that are not its own: nothing in them is opposed, and what it throws away or sends is
/// asked for.
fn may_mean(wanted: &str, label: &str) -> bool {
    !contradict(wanted, label) && (!is_consequential(label) || is_consequential(wanted))
}

/// Why a target is out of reach.
fn missing(target: &Target) -> String {
    let told = target.told.as_ref().map(Description::text).or(target.within.as_deref());
    match told {
        Some(within) => format!("found nothing on the page that is {} for \"{within}\"", target.title()),
        None => format!("found nothing on the page that is {}", target.title()),
    }
}

/// A step that only looks around.
fn aside(pursuit: Pursuit) -> Pursuit {
    match pursuit {
        Pursuit::Act(step) => Pursuit::Act(NextStep { aside: true, ..step }),
        other => other,
    }
}

/// An element in words.
pub(crate) fn describe(node: &Node) -> String {
    match node.label() {
        "" => format!("{} {}", node.role, node.attribute("class")).trim().to_owned(),
        label => format!("{} \"{}\"", node.role, label.chars().take(60).collect::<String>()),
    }
}
