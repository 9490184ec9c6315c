//! Filling a form from a description: each part goes to the field that it is about, then the form is sent.

use super::calendar::parse_date;
use super::enter::field_key;
use super::{Pursuer, Pursuit};
use crate::ground::bind::{Candidate, bind};
use crate::ground::goal::{Kind, Slot, Target};
use crate::ground::score::STRONG;
use crate::ground::understand::moment;
use crate::ground::words::{content_tokens, same_word, tokens};
use crate::rank;
use domain::ElementId;
use domain::action::{Action, ActionKind};
use domain::decision::PlannerError;
use domain::observation::Node;

impl Pursuer<'_> {
    pub(super) async fn fill(&mut self, slots: &[Slot], verb: &str) -> Result<Pursuit, PlannerError> {
        if let Some(text) = self.memory.awaiting.take()
            && let Some(step) = self.suggestion(&text, false)
        {
            return Ok(step);
        }
        // `search for trains from Lyon`: what is searched for is no part of its own.
        let slots: Vec<Slot> = slots.iter().filter(|slot| slot.cue != slot.value).cloned().collect();
        if let Some(step) = self.date_under_way(&slots) {
            return Ok(step);
        }
        let open: Vec<&Slot> = slots.iter().filter(|slot| !self.memory.done.contains(&slot_key(slot))).collect();
        let inputs = self.free_inputs();
        if let Some((slot, element)) = self.best_pair(&open, &inputs).await? {
            self.memory.done.push(slot_key(slot));
            self.memory.filled.push(field_key(self.node(element)));
            return Ok(self.put(slot, element));
        }
        if open.len() == slots.len() {
            return Ok(Pursuit::Stuck("found no field for any part of the description".to_owned()));
        }
        // A list of fields with their values is handed in as a whole, or not at all.
        // Nor is a place or an hour left out of what is booked.
        const BOOKING: [&str; 8] = ["reserve", "book", "order", "buy", "pay", "rent", "hire", "schedule"];
        let is_whole = verb.is_empty() || BOOKING.contains(&verb);
        if let Some(left) = open.first().filter(|_| is_whole) {
            return Ok(Pursuit::Stuck(format!("found no field for \"{}\" that takes \"{}\"", left.cue, left.value)));
        }
        Ok(self.send_form(verb))
    }

    /// A date is chosen in several steps; until it is, nothing else is filled.
    fn date_under_way(&mut self, slots: &[Slot]) -> Option<Pursuit> {
        let slot = slots
            .iter()
            .find(|slot| !self.memory.done.contains(&slot_key(slot)) && parse_date(&slot.value).is_some())?;
        let texts_are_done = slots
            .iter()
            .filter(|other| parse_date(&other.value).is_none())
            .all(|other| self.memory.done.contains(&slot_key(other)));
        if !texts_are_done {
            return None;
        }
        match self.choose_date(parse_date(&slot.value)?, &slot.value, &Target::labelled(slot.cue.clone())) {
            Pursuit::Act(mut step) => {
                if std::mem::take(&mut step.reaches) {
                    self.memory.done.push(slot_key(slot));
                }
                Some(Pursuit::Act(step))
            }
            Pursuit::Reached => {
                self.memory.done.push(slot_key(slot));
                None
            }
            Pursuit::Stuck(_) | Pursuit::Skip(_) => None,
            Pursuit::Unclear(reason) => Some(Pursuit::Unclear(reason)),
        }
    }

    /// Inputs that nothing was put into yet.
    fn free_inputs(&self) -> Vec<ElementId> {
        let takes_value = |node: &Node| node.allows(ActionKind::Type) || node.allows(ActionKind::Select);
        self.scene
            .elements()
            .filter(|(_, node)| takes_value(node) && !node.states.disabled)
            .filter(|(_, node)| !self.memory.filled.contains(&field_key(Some(node))))
            .map(|(id, _)| id)
            .collect()
    }

    /// The pair of slot and input that fits best of all that are left; with as many inputs as slots, the last of each
    /// belong together.
    async fn best_pair<'s>(
        &self,
        slots: &[&'s Slot],
        inputs: &[ElementId],
    ) -> Result<Option<(&'s Slot, ElementId)>, PlannerError> {
        if slots.is_empty() || inputs.is_empty() {
            return Ok(None);
        }
        let labels: Vec<String> = inputs.iter().map(|element| self.input_label(*element)).collect();
        let cues: Vec<String> = slots.iter().map(|slot| format!("{} {}", slot.cue, slot.value)).collect();
        let meanings = rank::matrix(self.embedder, &cues, &labels).await?;
        let mut best: Option<(f64, usize, usize)> = None;
        for (s, slot) in slots.iter().enumerate() {
            for (i, label) in labels.iter().enumerate() {
                if inputs.get(i).is_some_and(|input| self.is_for_days(*input))
                    && !slot.value.contains(|sign: char| sign.is_ascii_digit())
                {
                    continue;
                }
                let is_day = inputs.get(i).is_some_and(|input| self.takes_day(*input)) && moment::is_day(&slot.value);
                let shape = if is_day { 0.9 } else { shape(slot, label) };
                let score = lexical(slot, label) + shape + 0.5 * meanings[s][i];
                if best.is_none_or(|(other, _, _)| score > other) {
                    best = Some((score, s, i));
                }
            }
        }
        let is_forced = slots.len() == 1 && inputs.len() == 1 && !self.memory.done.is_empty();
        Ok(best
            .filter(|(score, _, _)| *score >= 0.2 || is_forced)
            .and_then(|(_, s, i)| Some((*slots.get(s)?, *inputs.get(i)?))))
    }

    fn input_label(&self, element: ElementId) -> String {
        let own = self.field_label(element);
        let placeholder = self.node(element).map(|node| node.attribute("placeholder").to_owned()).unwrap_or_default();
        if own.contains(&placeholder) { own } else { format!("{own} {placeholder}") }
    }

    fn put(&mut self, slot: &Slot, element: ElementId) -> Pursuit {
        let options = self.node(element).map(|node| node.options.clone()).unwrap_or_default();
        let chosen = options.iter().find(|option| {
            option.label.eq_ignore_ascii_case(&slot.value) || option.value.eq_ignore_ascii_case(&slot.value)
        });
        let selectable = self.node(element).is_some_and(|node| node.allows(ActionKind::Select));
        if let (true, Some(option)) = (selectable, chosen) {
            let action = Action::Select { element, options: vec![option.label.clone()] };
            return self.step(action, format!("\"{}\" is what the description says", option.label), 0.8, false);
        }
        let day = self.today.and_then(|today| moment::day(&slot.value, today)).filter(|_| self.takes_day(element));
        let text = day.map_or_else(|| slot.value.clone(), |day| day.format("%Y-%m-%d").to_string());
        self.type_into(Candidate { element, score: 0.75 }, &text, false)
    }

    /// Whether an input takes a day as machines write it.
    fn takes_day(&self, input: ElementId) -> bool {
        self.node(input).is_some_and(|node| node.attribute("type") == "date")
    }

    /// Whether an input is for a day by what it is called, to people or in code.
    fn is_for_days(&self, input: ElementId) -> bool {
        let says = |node: &Node| {
            let called = format!("{} {} {}", node.label(), node.attribute("id"), node.attribute("name"));
            tokens(&called).iter().any(|word| word == "date")
        };
        self.takes_day(input) || self.node(input).is_some_and(says)
    }

    /// Sends the form by the button that the verb names, or the one that looks most like it.
    fn send_form(&self, verb: &str) -> Pursuit {
        let names = [verb, "submit", "search", "go", "ok", "send"];
        let labelled = names.iter().filter(|name| !name.is_empty()).find_map(|name| {
            let target = Target { kind: Some(Kind::Button), ..Target::labelled(*name) };
            bind(&self.scene, &target).into_iter().find(|best| best.score >= STRONG * 0.9)
        });
        let only = || bind(&self.scene, &Target::of_kind(Kind::Button)).into_iter().next_back();
        match labelled.or_else(only) {
            Some(button) => self.click(button.element, "sends the form", button.score, true),
            None => Pursuit::Stuck("found no button that sends the form".to_owned()),
        }
    }
}

fn slot_key(slot: &Slot) -> String {
    format!("slot|{}|{}", slot.cue, slot.value)
}

/// Words that the cue shares with the label.
fn lexical(slot: &Slot, label: &str) -> f64 {
    let cue = content_tokens(&slot.cue);
    let label = tokens(label);
    let shared = cue.iter().filter(|word| label.iter().any(|other| same_word(word, other))).count();
    if shared > 0 { 0.8 } else { 0.0 }
}

/// Numbers go where numbers or dates are asked for.
fn shape(slot: &Slot, label: &str) -> f64 {
    let numeric = slot.value.chars().all(|c| c.is_ascii_digit() || "/-.".contains(c));
    let asks_number = tokens(label).iter().any(|word| {
        matches!(
            word.as_str(),
            "year" | "date" | "number" | "age" | "price" | "quantity" | "amount" | "day" | "month" | "zip" | "phone"
        )
    });
    match (numeric, asks_number) {
        (true, true) => 0.4,
        (true, false) | (false, true) => -0.3,
        (false, false) => 0.0,
    }
}
