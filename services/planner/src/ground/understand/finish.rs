//! What an instruction comes to once all of it was read. Pure.

use super::sentences::sentences;
use super::talk::{self, without_courtesy};
use super::{Whole, limits};
use crate::ground::goal::{Goal, Plan};
use crate::ground::task::{Task, TaskAct};

impl Whole<'_> {
    /// The goals of the whole instruction.
    pub(super) fn finish(mut self) -> Plan {
        if let Some(edited) = self.context.edited.take().filter(|_| !self.context.was_edited) {
            // `edit the bill ⟦0⟧`, and nothing more: it is opened for changes.
            let is_all = self.goals.is_empty() && sentences(&self.quoted.text).len() == 1;
            let goal = match is_all {
                true => Goal::Task(Task { act: TaskAct::Do("edit".into()), thing: edited, values: Vec::new() }),
                false => Goal::NotUnderstood(format!("edit {}", edited.title())),
            };
            self.goals.push(goal);
        }
        // To look for something and nothing more is to search for it, where a field for that is.
        if self.goals.is_empty()
            && self.seeks
            && let Some(last) = self.context.last.take()
        {
            let is_named = !last.anchor().is_empty();
            self.goals
                .extend(is_named.then(|| Goal::Task(Task { act: TaskAct::Open, thing: last, values: Vec::new() })));
        }
        // Whoever only says what is not to be done asks for nothing, and of all things of a kind it may be one that is to stay.
        let of_all = self.goals.iter().any(|goal| matches!(goal, Goal::Task(task) if task.thing.all));
        // What adds, changes or sends a thing hands it in by itself.
        let hands_in = |goal: &Goal| match goal {
            Goal::Fill { .. } => true,
            Goal::Task(task) => matches!(task.act, TaskAct::Add | TaskAct::Edit | TaskAct::Send),
            _ => false,
        };
        let keeps_back = self.forbidden.iter().any(|forbidden| limits::forbids_handing_in(forbidden));
        let is_open = self.goals.is_empty() || of_all || (keeps_back && self.goals.iter().any(hands_in));
        if !self.forbidden.is_empty() && is_open {
            self.goals.insert(0, Goal::NotUnderstood(self.forbidden.join(". ")));
        }
        // Whoever says what they need and is not understood is told so.
        let wants = |sentence: &String| talk::wanted(&without_courtesy(sentence)).is_some();
        if self.goals.is_empty() && sentences(&self.quoted.text).iter().any(wants) {
            self.goals.push(Goal::NotUnderstood(self.quoted.restore(&self.quoted.text)));
        }
        for at in 1..self.goals.len() {
            let (before, after) = self.goals.split_at_mut(at);
            if let (Some(Goal::Hover(hovered)), Some(Goal::Activate(target))) = (before.last(), after.first_mut()) {
                target.stand_under(hovered);
            }
        }
        Plan { goals: self.goals }
    }
}
