//! Answering a dialog that the page itself draws.

use super::{Pursuer, Pursuit};
use crate::ground::bind::Candidate;
use crate::ground::goal::{DialogAnswer, Target};
use crate::ground::item::is_dialog;
use crate::ground::names::same;
use crate::ground::pick::{Pick, pick};
use crate::ground::words::tokens;
use domain::action::ActionKind;

impl Pursuer<'_> {
    /// Presses the control of the page's dialog that gives the answer.
    pub(super) fn answer_in_page(&mut self, answer: &DialogAnswer) -> Pursuit {
        let names: &[&str] = match answer {
            DialogAnswer::Accept => {
                &["ok", "okay", "yes", "accept", "confirm", "continue", "proceed", "agree", "apply"]
            }
            DialogAnswer::Dismiss => {
                &["cancel", "no", "dismiss", "close", "abort", "keep", "not now", "\u{00D7}", "\u{2715}", "x"]
            }
            DialogAnswer::Text(_) => &[],
        };
        let observation = self.scene.observation;
        let in_dialog: Vec<Candidate> = self
            .scene
            .elements()
            .filter(|(id, node)| {
                node.allows(ActionKind::Click) && observation.ancestors(*id).any(|(_, node)| is_dialog(node))
            })
            .map(|(id, _)| Candidate { element: id, score: 0.9 })
            .collect();
        // `delete it and confirm`: the task before answered the question already.
        let since = self.history.get(self.memory.answered_at..).filter(|_| self.memory.answered_at > 0);
        let only_waited = since.is_some_and(|since| since.iter().all(|step| step.action.kind() == ActionKind::Wait));
        let may_be_closing = since.is_some_and(<[_]>::is_empty);
        if *answer == DialogAnswer::Accept && only_waited && (in_dialog.is_empty() || may_be_closing) {
            return Pursuit::Reached;
        }
        let called = names.iter().find_map(|name| {
            let mut fitting = in_dialog.clone();
            fitting.retain(|candidate| self.node(candidate.element).is_some_and(|node| same(name, node.label())));
            (!fitting.is_empty()).then_some(fitting)
        });
        // `No, keep it` says no, `Yes, delete` yes.
        let first_word_is = |element: domain::ElementId, words: &[&str]| {
            let first = self.node(element).and_then(|node| tokens(node.label()).into_iter().next());
            first.is_some_and(|first| words.contains(&first.as_str()))
        };
        const NOES: [&str; 10] = ["no", "not", "never", "don", "keep", "nein", "non", "nee", "não", "behalten"];
        const YESES: [&str; 6] = ["yes", "ja", "oui", "s\u{ed}", "s\u{ec}", "sim"];
        let begins: &[&str] = match answer {
            DialogAnswer::Accept => &YESES,
            DialogAnswer::Dismiss => &NOES,
            DialogAnswer::Text(_) => &[],
        };
        let called = called.or_else(|| {
            let mut fitting = in_dialog.clone();
            fitting.retain(|candidate| first_word_is(candidate.element, begins));
            (!fitting.is_empty()).then_some(fitting)
        });
        // `Go back` and `Send the order`: of two, the one that does not decline is the yes.
        const DECLINING: [&str; 12] = [
            "cancel", "no", "dismiss", "close", "abort", "back", "go back", "return", "not now", "later", "\u{00D7}",
            "\u{2715}",
        ];
        let agreeing = || {
            let mut others = in_dialog.clone();
            others.retain(|candidate| {
                let declines = |label: &str| DECLINING.iter().any(|name| same(name, label));
                self.node(candidate.element).is_some_and(|node| node.role == "button" && !declines(node.label()))
                    && !first_word_is(candidate.element, &["no", "nein", "non", "nee", "não"])
            });
            let is_yes = matches!(answer, DialogAnswer::Accept) && others.len() == 1 && in_dialog.len() > 1;
            is_yes.then_some(others)
        };
        let called = called.or_else(agreeing);
        let target = Target::labelled(names.first().copied().unwrap_or_default());
        match called.map(|fitting| pick(&self.scene, &target, &fitting)) {
            Some(Pick::One(best)) => self.click(best.element, "answers the dialog as the instruction says", 0.9, true),
            Some(Pick::Ambiguous(reason)) => Pursuit::Unclear(reason),
            _ if in_dialog.is_empty() => Pursuit::Stuck("found no dialog to answer".to_owned()),
            _ => Pursuit::Stuck("the dialog offers no such answer".to_owned()),
        }
    }
}
