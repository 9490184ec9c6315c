//! What a verb says that stands on a control of the thing: `archive`, `publish`.

use super::{Reader, bare, is_filler, is_general, is_pronoun};
use crate::ground::goal::{Goal, Target};
use crate::ground::task::{Task, TaskAct, Thing};
use crate::ground::understand::phrase::{self, parts};

impl Reader<'_> {
    /// A verb that stands on a control of the thing. Without a thing, the control itself is meant: `publish`, `save the changes`.
    pub(super) fn do_verb(&self, rest: &[&str]) -> Option<Vec<Goal>> {
        if rest.iter().all(|word| is_filler(word))
            && !rest.is_empty()
            && self.context.last.is_some()
            && is_pronoun(rest)
        {
            let thing = self.context.last.clone()?;
            return Some(vec![self.done_to(thing)]);
        }
        // What a page has only one of is no thing: `submit the form`, `close the dialog`.
        if rest.is_empty() || rest.iter().all(|word| is_filler(word) || is_general(word)) {
            return None;
        }
        if self.phrase == "close"
            && rest.iter().any(|word| matches!(bare(word).as_str(), "dialog" | "popup" | "pop-up" | "window" | "modal"))
        {
            return None;
        }
        // `unsubscribe me from the newsletter`
        let rest = if bare(rest.first()?) == "me" { rest.get(1..)? } else { rest };
        if rest.is_empty() {
            return None;
        }
        // `enrol in the course Soil Science`: behind the first word stands the thing.
        let leads = matches!(bare(rest.first()?).as_str(), "in" | "for" | "to" | "into" | "from");
        let rest = rest.get(usize::from(leads)..).unwrap_or_default();
        // `refund ⟦0⟧ partially`: what is said of it and comes to nothing would let another thing be done.
        let joined = rest.join(" ");
        let is_lost = |word: &&str| {
            self.quoted.part(word).is_none() && phrase::kind_of(word).is_none() && !is_general(word) && !is_filler(word)
        };
        let head = parts(&joined).into_iter().next()?;
        let behind = head.words.iter().rposition(|word| self.quoted.part(word).is_some());
        if behind.is_some_and(|at| head.words.iter().skip(at + 1).any(is_lost)) {
            return None;
        }
        if let Some(control) = self.control_of_kind(rest) {
            return Some(vec![control]);
        }
        // What is done with several at once is not done to one after the other.
        let joins = matches!(self.phrase, "merge" | "combine" | "swap" | "compare");
        if joins && rest.iter().any(|word| matches!(bare(word).as_str(), "and" | "with" | "into" | "" | "&")) {
            let told = self.quoted.restore(&format!("{} {joined}", self.phrase));
            return Some(vec![Goal::NotUnderstood(told)]);
        }
        let mut things = self.several(rest)?;
        // `submit the hotel in Bremen`: a name, and what only seemed a kind and a place.
        if let [thing] = things.as_mut_slice()
            && thing.anchor().is_empty()
            && thing.ordinal.is_none()
            && !thing.all
            && !thing.places.is_empty()
            && rest.first().is_some_and(|word| bare(word) == "the")
            && !phrase::is_collection(rest)
        {
            *thing = Thing { name: phrase::text(self.quoted, rest.get(1..)?), ..Thing::default() };
        }
        if things.iter().any(|thing| thing.anchor().is_empty() && thing.ordinal.is_none() && !thing.all) {
            return None;
        }
        Some(things.into_iter().map(|thing| self.done_to(thing)).collect())
    }

    /// `copy the link`, `lock the page`: no thing is named, and a control that is called so is meant.
    fn control_of_kind(&self, rest: &[&str]) -> Option<Goal> {
        const BY_KIND: [&str; 6] = ["copy", "download", "export", "print", "lock", "unlock"];
        let ["the", kind] = rest else { return None };
        let kind = phrase::kind_of(kind).filter(|_| BY_KIND.contains(&self.phrase))?;
        // `find the document ⟦0⟧ and download the document`: that one.
        if self.context.last.as_ref().is_some_and(|last| last.kind == kind || last.kind.is_empty()) {
            return None;
        }
        let around = self.context.last.as_ref().map(|last| last.anchor().to_owned()).unwrap_or_default();
        Some(Goal::Activate(Target { around, ..Target::labelled(format!("{} {kind}", self.phrase)) }))
    }

    /// `send a reminder to Ann Lind`: it has no words of its own, and a control of the thing sends it.
    pub(super) fn send_notice(&self, rest: &[&str]) -> Option<Vec<Goal>> {
        const NOTICES: [&str; 5] = ["reminder", "receipt", "confirmation", "invitation", "notification"];
        let at = rest.iter().position(|word| matches!(bare(word).as_str(), "to" | "for"))?;
        let [notice] = phrase::without_determiners(rest.get(..at)?)[..] else { return None };
        let thing = self.thing_of(rest.get(at + 1..)?)?;
        let is_known = self.phrase == "send" && NOTICES.contains(&bare(notice).as_str()) && !thing.anchor().is_empty();
        let act = TaskAct::Do(format!("send {}", bare(notice)));
        is_known.then(|| vec![Goal::Task(Task { act, thing, values: Vec::new() })])
    }

    /// `close it with the resolution ⟦0⟧`: what is done asks for values.
    pub(super) fn do_with(&self, rest: &[&str]) -> Option<Vec<Goal>> {
        let at = rest.iter().position(|word| bare(word) == "with")?;
        let values = self.pairs(rest.get(at + 1..)?)?;
        if values.iter().any(|given| given.field.is_empty()) {
            return None;
        }
        let mut goals = self.do_verb(rest.get(..at)?)?;
        let [Goal::Task(task)] = goals.as_mut_slice() else { return None };
        task.values = values;
        Some(goals)
    }

    pub(super) fn done_to(&self, thing: Thing) -> Goal {
        Goal::Task(Task { act: TaskAct::Do(self.phrase.to_owned()), thing, values: Vec::new() })
    }
}
