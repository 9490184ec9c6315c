//! What earlier clauses spoke of, for words that point back: `it`, `that email`. Pure.

use super::talk::{TELLING, only_tells, without_courtesy};
use super::verbs::bare;
use super::{Task, TaskAct, Thing, Whole, errand, is_part_of_another, phrase};
use crate::ground::goal::Goal;

impl Whole<'_> {
    pub(super) fn remember(&mut self, task: &Task) {
        if task.act == TaskAct::Search {
            self.context.searched = Some(task.thing.name.clone());
            return;
        }
        // What a comment is left on is spoken of on, not the comment.
        let is_part = task.act == TaskAct::Add && is_part_of_another(&task.thing.kind);
        match task.thing.places.first().filter(|_| is_part) {
            Some(place) => {
                self.context.last = Some(Thing { name: place.name.clone(), quoted: place.quoted, ..Thing::default() })
            }
            None if !task.thing.anchor().is_empty() => self.context.last = Some(task.thing.clone()),
            None => {}
        }
    }

    /// What somebody is about to do names what they then ask for.
    pub(super) fn remember_plan(&mut self, sentence: &str) {
        let read = errand::read(self.quoted, &without_courtesy(sentence), &self.context).unwrap_or_default();
        if let Some(Goal::Task(task)) = read.first() {
            self.remember(task);
        }
    }

    /// What was told may name the thing that is asked for afterwards.
    pub(super) fn remember_told(&mut self, told: &str) {
        let words: Vec<&str> = told.split_whitespace().collect();
        if let Some(name) = phrase::quote(self.quoted, &words) {
            self.context.last = Some(Thing { name: name.to_owned(), quoted: true, ..Thing::default() });
            return;
        }
        // `Sabine Ott has moved`
        if let Some(count) = tells_of_somebody(&words) {
            let name = phrase::text(self.quoted, words.get(..count).unwrap_or_default());
            self.context.last = Some(Thing { name, ..Thing::default() });
            return;
        }
        // `I met Alice today`: a proper name that is not the first word.
        let proper = |word: &&&str| word.starts_with(|letter: char| letter.is_uppercase()) && word.chars().count() > 1;
        let name: Vec<&str> =
            words.iter().skip(1).skip_while(|word| !proper(word)).take_while(proper).copied().collect();
        if !name.is_empty() {
            self.context.last = Some(Thing { name: phrase::text(self.quoted, &name), ..Thing::default() });
        }
    }
}

/// A command without the reason that follows it: `…, nobody likes it`, `…, I found it elsewhere`.
pub(super) fn before_reason(text: &str) -> Option<&str> {
    let tells_of_others = [", nobody ", ", as nobody "].iter().find_map(|lead| text.split_once(lead));
    let tells_of_self = || {
        let said = [", I ", ", we "].iter().find_map(|lead| text.split_once(lead));
        said.filter(|(command, why)| gives_reason(command, why))
    };
    tells_of_others.or_else(tells_of_self).filter(|(_, why)| only_tells(why)).map(|(command, _)| command)
}

/// Whether what somebody says of themselves behind a command is a reason for it, and no part of it: `…, I found it elsewhere`.
fn gives_reason(command: &str, why: &str) -> bool {
    const REASONS: [&str; 9] = [
        "don't need it",
        "do not need it",
        "don't need them",
        "no longer need",
        "found it",
        "bought it",
        "sold it",
        "already have",
        "changed my mind",
    ];
    let tells = command.split_whitespace().any(|word| {
        matches!(
            bare(word).as_str(),
            "saying" | "says" | "that" | "tell" | "write" | "send" | "message" | "reply" | "text"
        )
    });
    !tells && REASONS.iter().any(|reason| why.starts_with(reason))
}

/// How many words name whom a sentence tells something of: `Sabine Ott has moved`. What somebody has to do is asked for.
pub(super) fn tells_of_somebody(words: &[&str]) -> Option<usize> {
    let count = words.iter().take_while(|word| word.starts_with(char::is_uppercase)).count();
    let tells = words.get(count).is_some_and(|word| matches!(*word, "has" | "have" | "had" | "was"));
    // `Jon has left, deactivate his account` asks for something.
    let goes_on = |word: &str| {
        word.ends_with([',', ';', ':']) || matches!(word, "to" | "be" | "should" | "must" | "and" | "so" | "but")
    };
    let is_somebody = words.first().is_some_and(|word| !TELLING.contains(&bare(word).as_str()));
    let only_tells = !words.iter().skip(count).any(|word| goes_on(word)) && words.len() < 12;
    ((1..=3).contains(&count) && tells && is_somebody && only_tells).then_some(count)
}
