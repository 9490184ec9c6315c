//! What earlier clauses spoke of, for words that point back: `it`, `that email`. Pure.

use super::talk::without_courtesy;
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
        // `I met Alice today`: a proper name that is not the first word.
        let proper = |word: &&&str| word.starts_with(|letter: char| letter.is_uppercase()) && word.chars().count() > 1;
        let name: Vec<&str> =
            words.iter().skip(1).skip_while(|word| !proper(word)).take_while(proper).copied().collect();
        if !name.is_empty() {
            self.context.last = Some(Thing { name: phrase::text(self.quoted, &name), ..Thing::default() });
        }
    }
}
